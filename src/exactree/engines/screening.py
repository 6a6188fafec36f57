"""What two single splits below a threshold cost at least, for many thresholds at once.

A node of two levels has thresholds, each with two sides, and each side its own best single split.
Costs are functions of sums of statistics, so that for one column of first splits all of it is a
table: sums of the rows left of each first split up to each place of every column of second splits;
what is right of it is the rest. The table is made for all columns of second splits at once.

Blocks. Fewer rows cost no less where the subset bound holds, so that a second split within a block
of rows costs no less than what is before the block and what is after it, as two leaves. The table
has sums at the ends of blocks alone. Only blocks that could be below what is known, or below what
matters, are looked at row by row; the splits between two blocks are known from the table.

Soundness. Let `least` be the least cost of the splits of a side that were looked at, and of its
leaf. Every other split is in a block that costs no less than `least` or than what matters: so the
lesser of the two is a lower bound of the side, whatever rows the splits leave. Sums of floats are
wrong by some units in the last place of the cost of the node, which is taken off. No rows cost
nothing, whatever the objective says of them, and a split that parts nothing is none.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from exactree.bounds import EPSILON
from exactree.engines.candidates import NEVER, Costs, Rows, Sample, Values
from exactree.engines.columns import Chain
from exactree.objectives import Objective
from exactree.problem import Number, Ranks

# So many statistics at most; so many blocks in a table, and of pairs that are looked into at once.
MOST_STATISTICS = 12
NUMBERS = 1 << 14
FEWEST, MOST = 4, 20
PAIRS = 1 << 11
BLOCK = 16
# What sums may be wrong by, in units of the last place for every row.
UNITS = 64
# A bound is sought that is sharper than what one threshold needs: its neighbours need more.
GENEROSITY = 1.1
# Sums of whole numbers below this are exact in float64.
EXACT = 2**53
# Tells whether rows are on the side of thresholds.
Inside = Callable[[Rows, Rows], Values]


class Screen:
    """The rows of a node of two levels, in the order of every column."""

    def __init__(self, costs: Costs, columns: Ranks, orders: Rows, sample: Sample) -> None:
        self.costs, self.rows = costs, len(sample.rows)
        self.by_row = np.zeros(columns.shape[1], dtype=np.intp)
        self.by_row[sample.rows] = np.arange(self.rows)
        # A count of rows is the first of the sums; one row more has nothing of anything.
        self.values = np.zeros((1 + sample.statistics.shape[1], self.rows + 1))
        self.values[0, :-1], self.values[1:, :-1] = 1, sample.statistics.T
        self.dtype = sample.statistics.dtype
        self.slack = 0.0
        if not costs.integral:
            self.slack = UNITS * EPSILON * self.rows * float(sample.leaf)
        ranks = np.take_along_axis(columns, orders, axis=1)
        parted = (ranks[:, 1:] != ranks[:, :-1]).any(axis=1)
        self._lay_out(self.by_row[orders[parted]], ranks[parted])

    def _lay_out(self, orders: Rows, ranks: Values) -> None:
        """Pad the columns to whole blocks, with rows that have nothing."""
        self.shape = len(orders), -(-self.rows // BLOCK)
        size = self.shape[1] * BLOCK
        place = np.full((len(orders), size), self.rows, dtype=np.intp)
        place[:, : self.rows] = orders
        ends = np.zeros((len(orders), size), dtype=bool)
        ends[:, : self.rows - 1] = ranks[:, 1:] != ranks[:, :-1]
        self.place, self.ends = place.reshape(-1, BLOCK), ends.reshape(-1, BLOCK)
        self.block = np.arange(len(self.place)).repeat(BLOCK)
        self.along = self.values[:, self.place]
        blocks = self.along.sum(axis=2).reshape(len(self.values), *self.shape)
        self.up_to = blocks.cumsum(axis=2)[:, None]
        self.total = self.values.sum(axis=1)[:, None]

    @staticmethod
    def fits(costs: Costs, sample: Sample) -> bool:
        """Tell whether costs come from few sums, and fewer rows never cost more."""
        if not costs.subset:
            return False
        if type(costs.objective).running_costs is not Objective.running_costs:
            return False
        if sample.statistics.shape[1] > MOST_STATISTICS:
            return False
        whole = sample.statistics.dtype.kind in "iu"
        return not whole or float(np.abs(sample.statistics.astype(np.float64)).sum()) < EXACT

    def at_once(self) -> int:
        """Give how many thresholds a table has room for."""
        return min(MOST, max(FEWEST, NUMBERS // max(1, len(self.place))))

    def lows(self, chain: Chain, chosen: Values, limit: Number) -> tuple[Values, Values]:
        """Bound the sides of some thresholds of a column, as far as they may stay below a limit."""
        after = np.full(self.rows + 1, len(chosen))
        after[self.by_row[chain.order]] = np.searchsorted(
            chain.ends[chosen], np.arange(self.rows), side="right"
        )
        left, within = self._sums(after, len(chosen))
        sides = [
            Side(self, left, within, lambda t, rows: after[rows] <= t[:, None]),
            Side(
                self,
                self.total - left,
                self.up_to - within,
                lambda t, rows: after[rows] > t[:, None],
            ),
        ]
        for side, other in (sides, sides[::-1]):
            side.look(self._matters(limit, other.low))
        return sides[0].low - self.slack, sides[1].low - self.slack

    def _sums(self, after: Values, count: int) -> tuple[Values, Values]:
        """Sum up the rows left of each threshold: all, and those up to the end of each block.

        A row is left of all thresholds from number `after` on.
        """
        rows = _summed_by(after, self.values, count)
        blocks = len(self.place)
        key = after[self.place].ravel() * blocks + self.block
        flat = self.along.reshape(len(self.values), -1)
        found = _summed_by(key, flat, count * blocks)
        found = found.reshape(len(self.values), count, *self.shape)
        return rows.cumsum(axis=1), found.cumsum(axis=1).cumsum(axis=3)

    def _matters(self, limit: Number, other: Values) -> Values:
        """Give from where on the cost of a side decides that its split is out of reach."""
        if not self.costs.objective.additive:
            return np.full(len(other), np.inf)
        return GENEROSITY * float(limit) - self.costs.penalty + 2 * self.slack - other

    def leaf(self, sums: Values) -> Values:
        """Cost leaves, no rows with nothing; the count of rows and the statistics come first."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.costs.objective.leaf_cost(
                np.moveaxis(sums[1:], 0, -1).astype(self.dtype, copy=False)
            )
            return np.where(sums[0] > 0, np.fmax(found, 0.0), 0.0)


def _summed_by(key: Values, values: Values, count: int) -> Values:
    """Add the values up by key, those whose key is less than the count."""
    found = [np.bincount(key, weights=row, minlength=count + 1)[:count] for row in values]
    return np.array(found)


class Side:
    """A side of every threshold: the sums of its rows, and the least cost found."""

    def __init__(self, screen: Screen, sums: Values, up_to: Values, inside: Inside) -> None:
        self.screen, self.sums, self.inside = screen, sums, inside
        rest = sums[..., None, None] - up_to
        first, last = screen.leaf(up_to), screen.leaf(rest)
        ends = screen.ends[:, -1].reshape(screen.shape) & (up_to[0] > 0) & (rest[0] > 0)
        between = np.where(ends, screen.costs.combined(first, last), NEVER)
        self.least = np.minimum(screen.leaf(sums), _least(between))
        self.before = _shifted(up_to).reshape(*sums.shape, -1)
        self.outer = screen.costs.combined(_shifted(first), last).reshape(sums.shape[1], -1)
        self.low = np.minimum(self.least, _least(self.outer))

    def look(self, matters: Values) -> None:
        """Look into the blocks that could be below what is known and what matters."""
        t, block = np.nonzero(self.outer < np.minimum(self.least, matters)[:, None])
        best_first = self.outer[t, block].argsort()
        t, block = t[best_first], block[best_first]
        for start in range(0, len(t), PAIRS):
            some = slice(start, start + PAIRS)
            below = self.outer[t[some], block[some]] < np.minimum(self.least, matters)[t[some]]
            self._look_into(t[some][below], block[some][below])
        self.low = np.maximum(self.low, np.minimum(self.least, matters))

    def _look_into(self, t: Rows, block: Rows) -> None:
        screen = self.screen
        rows = np.where(self.inside(t, screen.place[block]), screen.along[:, block], 0.0)
        sums = self.before[:, t, block, None] + rows.cumsum(axis=2)
        rest = self.sums[:, t, None] - sums
        found = screen.costs.combined(screen.leaf(sums), screen.leaf(rest))
        parts = screen.ends[block] & (sums[0] > 0) & (rest[0] > 0)
        found = np.where(parts, found, NEVER).min(axis=1)
        np.minimum.at(self.least, t, found)


def _least(table: Values) -> Values:
    """Give the least number for each threshold; NEVER if there is none."""
    return np.asarray(table.reshape(len(table), -1).min(axis=1, initial=NEVER))


def _shifted(table: Values) -> Values:
    """Give what comes before every block: what the one before has, and nothing first."""
    found = np.zeros_like(table)
    found[..., 1:] = table[..., :-1]
    return found
