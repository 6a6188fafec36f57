"""What two single splits below a threshold cost at least, for many thresholds at once.

A node of two levels has thresholds, each with two sides, and each side its own best single split.
Costs are functions of sums of statistics, so that for one column of first splits and one of second
splits all of it is a table: running sums, along the second column, of the rows left of each first
split; what is right of it is the rest.

Blocks. Fewer rows cost no less where the subset bound holds, so that a second split within a block
of rows costs no less than what is left of the block and what is right of it, as two leaves. Only
blocks that could be below what is known, or below what matters, are looked at row by row.

Soundness. The least over a table is what a side costs with one split at most, whatever rows the
splits leave, and so it is a lower bound of the side; so is what matters, where blocks are not below
it. Sums of floats are wrong by some units in the last place of the cost of the node, which is taken
off. Where a split parts nothing there is a cost of no rows, which is no number, and counts as
nothing in blocks, and is ignored in rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from exactree.bounds import EPSILON
from exactree.engines.candidates import NEVER, Costs, Rows, Sample, Values
from exactree.engines.columns import Chain
from exactree.objectives import Objective
from exactree.problem import Number, Ranks

# So many statistics at most, and so many numbers in a table: what a cache holds.
MOST_STATISTICS = 12
NUMBERS = 1 << 14
BLOCK = 32
# What sums may be wrong by, in units of the last place for every row.
UNITS = 64


class Screen:
    """The rows of a node of two levels, in the order of every column."""

    def __init__(self, costs: Costs, columns: Ranks, orders: Rows, sample: Sample) -> None:
        self.costs, self.rows = costs, len(sample.rows)
        self.by_row = np.zeros(columns.shape[1], dtype=np.intp)
        self.by_row[sample.rows] = np.arange(self.rows)
        self.statistics = sample.statistics
        self.total = self.statistics.sum(axis=0)
        self.slack = 0.0
        if not costs.integral:
            self.slack = UNITS * EPSILON * self.rows * float(sample.leaf)
        self.blocks = -(-self.rows // BLOCK)
        ranks = np.take_along_axis(columns, orders, axis=1)
        parted = (ranks[:, 1:] != ranks[:, :-1]).any(axis=1)
        self.columns = [
            self._column(self.by_row[order], rank)
            for order, rank in zip(orders[parted], ranks[parted], strict=True)
        ]

    def _column(self, order: Rows, rank: Values) -> Column:
        """Pad a column to whole blocks, with rows that have nothing."""
        size = self.blocks * BLOCK
        place, ends = np.zeros(size, dtype=np.intp), np.zeros(size, dtype=bool)
        place[: self.rows] = order
        ends[: self.rows - 1] = rank[1:] != rank[:-1]
        along = np.zeros((size, len(self.total)), dtype=self.statistics.dtype)
        along[: self.rows] = self.statistics[order]
        blocks = along.reshape(self.blocks, BLOCK, -1)
        return Column(place, blocks, blocks.sum(axis=1).cumsum(axis=0), ends.reshape(-1, BLOCK))

    @staticmethod
    def fits(costs: Costs, sample: Sample) -> bool:
        """Tell whether costs come from few sums, and fewer rows never cost more."""
        if not costs.subset:
            return False
        if type(costs.objective).running_costs is not Objective.running_costs:
            return False
        return bool(sample.statistics.shape[1] <= MOST_STATISTICS)

    def at_once(self) -> int:
        """Give how many thresholds a table has room for."""
        return max(1, NUMBERS // max(1, self.rows))

    def lows(self, chain: Chain, chosen: Values, limit: Number) -> tuple[Values, Values]:
        """Bound the sides of some thresholds of a column, as far as they may stay below a limit."""
        place = np.empty(len(self.by_row), dtype=np.intp)
        place[chain.order] = np.arange(self.rows)
        goes_left = place[np.sort(chain.order)][None] < chain.ends[chosen][:, None]
        left = goes_left.astype(self.statistics.dtype) @ self.statistics
        sides = [Side(left), Side(self.total - left)]
        for side, matters in zip(sides, self._matters(chain, chosen, limit), strict=True):
            side.least, side.matters = self._leaf(side.sums), matters
        for column in self.columns:
            inside = goes_left[:, column.place].reshape(len(chosen), self.blocks, BLOCK)
            inside &= column.place_is_row(self.rows)
            sums = np.matmul(inside.transpose(1, 0, 2).astype(left.dtype), column.along)
            sums = sums.cumsum(axis=0)
            self._lower(sides[0], sums, inside, column)
            self._lower(sides[1], column.up_to[:, None] - sums, ~inside, column)
        low, high = (np.minimum(side.least, side.matters) - self.slack for side in sides)
        return low, high

    def _matters(self, chain: Chain, chosen: Values, limit: Number) -> list[Values]:
        """Give from where on the cost of a side decides that its split is out of reach."""
        if not self.costs.objective.additive:
            return [np.full(len(chosen), np.inf)] * 2
        room = limit - self.costs.penalty + 2 * self.slack
        return [room - chain.right[0, chosen], room - chain.left[0, chosen]]

    def _lower(self, side: Side, after: Values, inside: Values, column: Column) -> None:
        """Take in the splits of a column: those of the blocks that could be below what is known."""
        before = np.concatenate([np.zeros_like(after[:1]), after[:-1]])
        outer = self.costs.combined(
            np.fmax(self._leaf(before), 0.0), np.fmax(self._leaf(side.sums - after), 0.0)
        )
        block, t = np.nonzero(outer - self.slack < np.minimum(side.least, side.matters))
        if not len(block):
            return
        rows = np.where(inside[t, block][:, :, None], column.along[block], 0).cumsum(axis=1)
        sums = before[block, t][:, None] + rows
        found = self.costs.combined(self._leaf(sums), self._leaf(side.sums[t][:, None] - sums))
        found = np.where(column.ends[block] & ~np.isnan(found), found, NEVER).min(axis=1)
        np.minimum.at(side.least, t, found)

    def _leaf(self, sums: Values) -> Values:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.costs.objective.leaf_cost(sums), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Column:
    """A column of second splits, by blocks.

    `place` has the row at every place, `along` its statistics, `up_to` the sums up to the end of
    each block, and `ends` says after which places there is a split.
    """

    place: Rows
    along: Values
    up_to: Values
    ends: Values

    def place_is_row(self, rows: int) -> Values:
        """Tell which places have a row, and are no padding."""
        return (np.arange(len(self.place)) < rows).reshape(-1, BLOCK)


@dataclass(eq=False)
class Side:
    """A side of every threshold: its sums, the least cost found, and the cost that matters."""

    sums: Values
    least: Values = field(default_factory=lambda: np.zeros(0))
    matters: Values = field(default_factory=lambda: np.zeros(0))
