"""Monotone directions: every leaf left of a split of an increasing column predicts at most what
every leaf right of it does; leaves keep their own majority, or mean.

That is no condition on the sides alone, and a best subtree may not fit the other side. What a
subtree is to the tree above it are three numbers: its cost, its lowest and its highest prediction.
One that is no better in any of them than another can be replaced by that, so of a set of rows the
subtrees that no other dominates in this sense are kept: its front.

Subset (fewer rows never cost more) fails, since fewer rows have other predictions. What is left out
is bounded by trees without the constraint, for which it holds: thresholds are searched by
intervals, a split at p from a to before b costs at least what the left side of a and the right side
of b cost without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree.engines.shapes.restricting import (
    Budget,
    Inner,
    Rows,
    Stopped,
    all_rows,
    result_of,
    whole_budget,
)
from exactree.engines.shapes.thresholds import Thresholds
from exactree.problem import Cut, Engine, Limits, Number, OnProgress, Problem, Result
from exactree.tree import Leaf, Node, Tree

# Means that differ by less than this share of the range of all targets count as equal.
EQUAL = 1e-12


class Entry(NamedTuple):
    """A subtree with its cost, its lowest and its highest prediction."""

    cost: Number
    low: float
    high: float
    tree: Tree


def monotone(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    engine: Engine,
    directions: Sequence[int],
) -> Result:
    """Find the best monotone tree; `directions` has 1, 0 or -1 for every rank column."""
    started = perf_counter()
    search = _Fronts(Inner(problem, engine, limits, started, on_progress), directions)
    status = "optimal"
    try:
        search.run()
    except Stopped as stopped:
        status = stopped.status
    return result_of(problem, search.best.cost, search.bound, search.best.tree, status, started)


class _Fronts:
    """The recursion over fronts, with the best tree of the whole problem and its bound."""

    def __init__(self, inner: Inner, directions: Sequence[int]) -> None:
        self.inner, self.problem, self.directions = inner, inner.problem, directions
        targets = self.problem.targets()
        self.regression = self.problem.objective.task == "regression"
        self.weights = targets.weights
        self.y: NDArray[Any] = targets.labels
        self.slack = 0.0
        if self.regression:
            self.y = targets.y - targets.y.mean()
            self.slack = EQUAL * float(np.ptp(targets.y))
        self.columns = range(len(self.problem.columns))
        self.free: dict[tuple[bytes, Budget], Number] = {}
        self.best = self._leaf(all_rows(self.problem))
        self.bound: Number = 0

    def run(self) -> None:
        """Search the whole problem."""
        rows, budget = all_rows(self.problem), whole_budget(self.problem)
        try:
            cost, tree = self.inner.solve(rows, self.columns, budget)
        except Stopped as stopped:
            self.bound = stopped.bound
            self._keep(self._pruned(stopped.tree, rows))
            raise
        self.bound = self.inner.bound = cost
        if self._keeps_to(tree, rows) is not None:
            self.best = Entry(cost, 0, 0, tree)
            return
        self._keep(self._pruned(tree, rows))
        for entry in self._front(rows, budget, self.best.cost, top=True):
            self._keep(entry)
        self.bound = self.best.cost

    def _keep(self, entry: Entry) -> None:
        if entry.cost < self.best.cost:
            self.best = entry
            self.inner.best = entry.cost

    def _pruned(self, tree: Tree, rows: Rows) -> Entry:
        """Make a leaf of every node whose sides do not fit: a monotone tree to begin with."""
        leaf = self._leaf(rows)
        if isinstance(tree, Leaf):
            return leaf
        goes_left = self.problem.goes_left(tree.split, rows)
        a = self._pruned(tree.left, rows[goes_left])
        b = self._pruned(tree.right, rows[~goes_left])
        cost = a.cost + b.cost + self.problem.penalty
        assert isinstance(tree.split, Cut)
        if cost >= leaf.cost or not self._fits(tree.split.column, a.low, a.high, b.low, b.high):
            return leaf
        return Entry(cost, min(a.low, b.low), max(a.high, b.high), Node(tree.split, a.tree, b.tree))

    def _keeps_to(self, tree: Tree, rows: Rows) -> tuple[float, float] | None:
        """Give the lowest and the highest prediction of a tree; None if it is not monotone."""
        if isinstance(tree, Leaf):
            leaf = self._leaf(rows)
            return leaf.low, leaf.high
        goes_left = self.problem.goes_left(tree.split, rows)
        left = self._keeps_to(tree.left, rows[goes_left])
        right = self._keeps_to(tree.right, rows[~goes_left])
        assert isinstance(tree.split, Cut)
        if left is None or right is None or not self._fits(tree.split.column, *left, *right):
            return None
        return min(left[0], right[0]), max(left[1], right[1])

    def _fits(self, column: int, a: float, b: float, c: float, d: float) -> bool:
        """Tell whether a side that predicts from a to b may be left of one from c to d."""
        direction = self.directions[column]
        if direction > 0:
            return b <= c + self.slack
        return direction == 0 or a >= d - self.slack

    def _leaf(self, rows: Rows) -> Entry:
        cost, leaf = self.inner.leaf(rows)
        assert isinstance(leaf, Leaf)
        sums = self._sums(rows[None], np.array([0]), np.array([len(rows) - 1]))[0]
        value = float(self._value(sums)[0])
        return Entry(cost, value, value, leaf)

    def _front(self, rows: Rows, budget: Budget, cap: Number, *, top: bool = False) -> list[Entry]:
        """List the trees below the cap that no other dominates."""
        found = [entry for entry in [self._leaf(rows)] if entry.cost < cap or top]
        if budget.depth == 0 or len(rows) < 2:
            return found
        if budget.depth == 1:
            return _undominated(found + self._singles(rows, cap))
        for column in self.columns:
            found = _undominated(found + self._column(rows, column, budget, cap, top))
            if top:
                for entry in found:
                    self._keep(entry)
                cap = min(cap, self.best.cost)
        return found

    def _column(
        self, rows: Rows, column: int, budget: Budget, cap: Number, top: bool
    ) -> list[Entry]:
        """List the trees whose first split is in a column."""
        ranks = self.problem.columns[column, rows]
        cuts = np.unique(ranks)[:-1].tolist()
        chain = Thresholds(len(cuts), subset_holds=self.problem.min_rows <= 1)
        penalty, found = self.problem.penalty, []
        while (t := chain.next(cap - penalty)) is not None:
            left, right = rows[ranks <= cuts[t]], rows[ranks > cuts[t]]
            below = [one for pair in budget.shares() for one in pair]
            lows = [min(self._relaxed(side, one) for one in below) for side in (left, right)]
            chain.close(t, *lows)
            if sum(lows) + penalty >= cap or not self._enough(left, right):
                continue
            for one, other in budget.shares():
                entries = self._both(left, right, column, int(cuts[t]), (one, other), cap)
                found += entries
                if top:
                    cap = min([cap, *(entry.cost for entry in entries)])
        return found

    def _both(
        self,
        left: Rows,
        right: Rows,
        column: int,
        rank: int,
        budgets: tuple[Budget, Budget],
        cap: Number,
    ) -> list[Entry]:
        """Combine the fronts of two sides."""
        penalty = self.problem.penalty
        left_low, right_low = self._relaxed(left, budgets[0]), self._relaxed(right, budgets[1])
        if left_low + right_low + penalty >= cap:
            return []
        lefts = self._front(left, budgets[0], cap - penalty - right_low)
        rights = self._front(right, budgets[1], cap - penalty - left_low) if lefts else []
        return [
            Entry(
                a.cost + b.cost + penalty,
                min(a.low, b.low),
                max(a.high, b.high),
                Node(Cut(column, rank), a.tree, b.tree),
            )
            for a in lefts
            for b in rights
            if a.cost + b.cost + penalty < cap and self._fits(column, a.low, a.high, b.low, b.high)
        ]

    def _relaxed(self, rows: Rows, budget: Budget) -> Number:
        """Give the least cost without the constraint."""
        key = rows.tobytes(), budget
        if key not in self.free:
            self.free[key] = self.inner.solve(rows, self.columns, budget)[0]
        return self.free[key]

    def _enough(self, *sides: Rows) -> bool:
        counts = self.problem.counts
        return all(
            (len(side) if counts is None else counts[side].sum()) >= self.problem.min_rows
            for side in sides
        )

    # --- Single splits, all at once -----------------------------------------------------------

    def _sums(
        self, orders: Rows, column: NDArray[Any], last: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Add up what the first and the remaining rows of orders have: weight, w y, w y^2."""
        w, y = self.weights[orders], self.y[orders]
        running = np.stack([w, w * y, w * y * y], axis=-1).cumsum(axis=1)
        left = running[column, last]
        return left, running[column, -1] - left

    def _value(self, sums: NDArray[Any]) -> NDArray[Any]:
        """Give what leaves of such sums predict: the mean, or the heavier class."""
        if self.regression:
            return np.asarray(sums[..., 1] / sums[..., 0])
        return np.asarray(2 * sums[..., 1] > sums[..., 0]).astype(np.int64)

    def _cost(self, sums: NDArray[Any]) -> NDArray[Any]:
        if self.regression:
            return np.asarray(np.maximum(sums[..., 2] - sums[..., 1] ** 2 / sums[..., 0], 0.0))
        return np.asarray(np.minimum(sums[..., 1], sums[..., 0] - sums[..., 1]))

    def _singles(self, rows: Rows, cap: Number) -> list[Entry]:
        """List the single splits that no other dominates."""
        ranks = self.problem.columns[:, rows]
        places = np.argsort(ranks, axis=1, kind="stable")
        sorted_ranks, orders = np.take_along_axis(ranks, places, axis=1), rows[places]
        column, last = np.nonzero(sorted_ranks[:, 1:] != sorted_ranks[:, :-1])
        if not len(column):
            return []
        left, right = self._sums(orders, column, last)
        a, b = self._value(left), self._value(right)
        cost = self._cost(left) + self._cost(right) + self.problem.penalty
        way = np.array(self.directions)[column]
        allowed = (way * (a - b) <= self.slack) & (cost < cap)
        allowed &= self._large_enough(orders, column, last)
        low, high = np.minimum(a, b), np.maximum(a, b)
        open_ = np.flatnonzero(allowed)
        found: list[Entry] = []
        while len(open_):
            i = open_[np.lexsort((high[open_], -low[open_], cost[open_]))[0]]
            cut = Cut(int(column[i]), int(sorted_ranks[column[i], last[i]]))
            sides = orders[column[i], : last[i] + 1], orders[column[i], last[i] + 1 :]
            tree = Node(cut, *(self.inner.leaf(side)[1] for side in sides))
            found.append(Entry(cost[i].item(), float(low[i]), float(high[i]), tree))
            open_ = open_[(low[open_] > low[i]) | (high[open_] < high[i])]
        return found

    def _large_enough(
        self, orders: Rows, column: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[np.bool_]:
        least, counts = self.problem.min_rows, self.problem.counts
        running = np.ones(orders.shape, np.int64) if counts is None else counts[orders]
        running = running.cumsum(axis=1)
        left = running[column, last]
        return np.asarray((left >= least) & (running[column, -1] - left >= least))


def _undominated(entries: list[Entry]) -> list[Entry]:
    """Leave out what is no better than another in cost, lowest and highest prediction."""
    kept: list[Entry] = []
    for one in sorted(entries, key=lambda e: (e.cost, -e.low, e.high)):
        if not any(other.low >= one.low and other.high <= one.high for other in kept):
            kept.append(one)
    return kept
