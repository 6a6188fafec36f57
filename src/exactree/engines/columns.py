"""Rank columns as a source of the generic engine: thresholds, in chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from exactree.engines.candidates import Costs, Group, Mask, Rows, Sample, Scan, Values
from exactree.problem import Cut, Number, Ranks

# Prefix sums are taken for as many columns at once as keep below so many numbers; where they take
# many steps each, below fewer, so that limits are looked at in between.
BLOCK = 1 << 21
FEW_NUMBERS = 1 << 15
# The costs of the splits after these places of these columns of a block.
Costed = Callable[[Values, Values], Values]
# Bounds of the sides of some thresholds of a chain.
Lows = Callable[["Chain", Values, Number], tuple[Values, Values]]


class Chain(Group):
    """The thresholds of one column: the left sides grow, the right sides shrink."""

    def __init__(self, scan: ColumnScan, chosen: slice, shares: int) -> None:
        super().__init__(scan.costs, scan.cost[chosen], scan.allowed[chosen], shares)
        self.column = int(scan.column[chosen.start])
        self.order = scan.orders[self.column - scan.first]
        self.ends, self.ranks = scan.end[chosen], scan.rank[chosen]
        self.place = np.arange(len(self.ends))
        self.first = True
        self.seen = np.zeros(len(self.ends), dtype=bool)
        if self.costs.influence is not None:
            self.influence = self.costs.influence[self.order].cumsum()[self.ends - 1]

    def choose(self) -> int:
        """Choose the best single split first, then the middle of the longest open run.

        One evaluation there bounds both halves of the run. What was screened is known nearly as
        well as if it were evaluated: there the best comes first.
        """
        known = np.flatnonzero(self.open & self.seen)
        if len(known):
            return int(known[self.bounds()[known].argmin()])
        if self.first:
            self.first = False
            return super().choose()
        edges = np.flatnonzero(np.diff(self.open, prepend=False, append=False))
        starts, stops = edges[::2], edges[1::2]
        longest = int((stops - starts).argmax())
        return int(starts[longest] + stops[longest]) // 2

    def screened(self, lows: Lows, at_once: int, limit: Number) -> int:
        """Bound the sides of some open thresholds, evenly; give how many.

        What is learnt of some spreads, so that others need not be looked at. Nothing is done while
        one that was looked at is open: it may well be better than the best tree.
        """
        self.open &= self.bounds() < limit
        left = np.flatnonzero(self.open & ~self.seen)
        if not len(left) or (self.open & self.seen).any():
            return 0
        chosen = left[np.linspace(0, len(left) - 1, min(len(left), at_once)).astype(int)]
        found = lows(self, chosen, limit)
        self._spread(self.left[0], chosen, found[0])
        self._spread(self.right[0][::-1], -1 - chosen, found[1])
        self.seen[chosen] = True
        return len(chosen)

    def _spread(self, known: Values, chosen: Values, lows: Values) -> None:
        """Take in bounds of some sides, each of which holds for all sides from there on."""
        found = np.zeros_like(known)
        found[chosen] = lows
        np.maximum(known, np.maximum.accumulate(found), out=known)

    def wider(self, t: int, *, on_left: bool) -> Mask:
        """Mark the thresholds from t on, or up to t."""
        return self.place >= t if on_left else self.place <= t

    def between(self, t: int) -> Values:
        """Give the influence of the rows between two thresholds."""
        return np.asarray(np.abs(self.influence - self.influence[t]))

    def sides(self, t: int) -> tuple[Rows, Rows]:
        """Cut the node's rows, in the order of the column, in two."""
        return self.order[: self.ends[t]], self.order[self.ends[t] :]

    def split(self, t: int) -> Cut:
        """Name column and rank."""
        return Cut(self.column, int(self.ranks[t]))


@dataclass(frozen=True, eq=False)
class ColumnScan(Scan):
    """All thresholds of the columns from `first` on, column by column.

    `end` counts the rows left of a threshold, `rank` is the last rank there.
    """

    first: int
    orders: Rows
    column: Values
    end: Values
    rank: Values

    def sides(self, i: int) -> tuple[Rows, Rows]:
        """Give the rows left and right of a threshold."""
        order = self.orders[self.column[i] - self.first]
        return order[: self.end[i]], order[self.end[i] :]

    def split(self, i: int) -> Cut:
        """Name column and rank."""
        return Cut(int(self.column[i]), int(self.rank[i]))

    def groups(self, shares: int) -> list[Group]:
        """Make a chain of the thresholds of every column that has any."""
        columns = np.arange(self.first, self.first + len(self.orders))
        starts = np.searchsorted(self.column, columns).tolist()
        stops = np.searchsorted(self.column, columns, side="right").tolist()
        return [
            Chain(self, slice(start, stop), shares)
            for start, stop in zip(starts, stops, strict=True)
            if start < stop
        ]


class Columns:
    """Rank columns; a node has its rows in the order of every column."""

    def __init__(self, columns: Ranks, costs: Costs) -> None:
        self.columns, self.costs = columns, costs

    def everything(self) -> Rows:
        """Give the order of all rows in every column."""
        return np.argsort(self.columns, axis=1, kind="stable")

    def among(self, orders: Rows, inside: Mask) -> Rows:
        """Keep the order of the rows inside, for every column."""
        return orders[inside[orders]].reshape(len(orders), -1 if len(orders) else 0)

    def scan(self, orders: Rows, sample: Sample) -> Iterator[Scan]:
        """Cost all thresholds, a block of columns at a time."""
        by_row = np.zeros(self.columns.shape[1], dtype=np.intp)
        by_row[sample.rows] = np.arange(len(sample.rows))
        step = max(1, FEW_NUMBERS // max(1, len(sample.rows)))
        start = 0
        while start < len(orders):
            block = orders[start : start + step]
            costed = self._running(sample, by_row[block])
            if costed is None:
                step = max(1, BLOCK // max(1, sample.statistics.size))
                block = orders[start : start + step]
                costed = self._summed(sample, by_row[block])
            yield self._scan_block(start, block, costed)
            start += step

    def _running(self, sample: Sample, orders: Rows) -> Costed | None:
        """Cost the first and the last rows of each order by the objective's own way, if any."""
        running = self.costs.objective.running_costs
        firsts = running(sample.targets, orders)
        if firsts is None:
            return None
        lasts = running(sample.targets, orders[:, ::-1])
        assert lasts is not None
        sides = firsts, lasts[:, ::-1]
        return lambda column, last: self.costs.combined(
            sides[0][column, last], sides[1][column, last + 1]
        )

    def _summed(self, sample: Sample, orders: Rows) -> Costed:
        """Cost them from sums of the rows' statistics."""
        statistics = np.ascontiguousarray(sample.statistics.T)
        total, sums = statistics.sum(axis=1)[:, None], statistics[:, orders].cumsum(axis=2)

        def costed(column: Values, last: Values) -> Values:
            left = sums[:, column, last]
            return self.costs.singles(left.T, (total - left).T)

        return costed

    def _scan_block(self, start: int, orders: Rows, costed: Costed) -> Scan:
        ranks = np.take_along_axis(self.columns[start : start + len(orders)], orders, axis=1)
        column, last = np.nonzero(ranks[:, 1:] != ranks[:, :-1])
        return ColumnScan(
            costs=self.costs,
            rows=orders.shape[1],
            cost=costed(column, last),
            allowed=self._allowed(orders, column, last),
            first=start,
            orders=orders,
            column=column + start,
            end=last + 1,
            rank=ranks[column, last],
        )

    def _allowed(self, orders: Rows, column: Values, last: Values) -> Mask:
        limit = self.costs.limit
        if not limit.binding:
            return np.ones(len(column), dtype=bool)
        sums = limit.measures[orders].cumsum(axis=1)
        left = sums[column, last]
        return limit.allows(left, sums[column, -1] - left)
