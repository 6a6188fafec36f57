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
from math import inf
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
        self.patient = True  # while there is no tree but the leaf

    def run(self) -> None:
        """Search the whole problem."""
        rows, budget = all_rows(self.problem), whole_budget(self.problem)
        try:
            cost, tree = self.inner.solve(rows, self.columns, budget)
        except Stopped as stopped:
            self.bound = stopped.bound
            self._keep_all(self._pruned(stopped.tree, rows))
            raise
        self.bound = self.inner.bound = cost
        if self._keeps_to(tree, rows) is not None:
            self.best = Entry(cost, 0, 0, tree)
            return
        self._keep_all(self._pruned(tree, rows) + self._grown(rows, budget))
        self.patient = False
        for entry in self._front(rows, budget, self.best.cost, top=True):
            self._keep(entry)
        self.bound = self.best.cost

    def _keep_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._keep(entry)

    def _grown(self, rows: Rows, budget: Budget) -> list[Entry]:
        """List trees that split where a single monotone split is best, and again below it."""
        found = [self._leaf(rows)]
        if budget.depth == 0 or len(rows) < 2:
            return found
        best = min(self._singles(rows, inf), key=lambda entry: entry.cost, default=None)
        if best is None:
            return found
        assert isinstance(best.tree, Node) and isinstance(best.tree.split, Cut)
        goes_left = self.problem.goes_left(best.tree.split, rows)
        shares = budget.shares()
        one, other = shares[len(shares) // 2]
        lefts, rights = self._grown(rows[goes_left], one), self._grown(rows[~goes_left], other)
        column, rank = best.tree.split.column, best.tree.split.rank
        return _undominated(found + self._combined(lefts, rights, column, rank, inf))

    def _keep(self, entry: Entry) -> None:
        if entry.cost < self.best.cost:
            self.best = entry
            self.inner.best = entry.cost

    def _pruned(self, tree: Tree, rows: Rows) -> list[Entry]:
        """List what monotone trees are left of a tree if some of its nodes become leaves."""
        found = [self._leaf(rows)]
        if isinstance(tree, Leaf):
            return found
        goes_left = self.problem.goes_left(tree.split, rows)
        lefts = self._pruned(tree.left, rows[goes_left])
        rights = self._pruned(tree.right, rows[~goes_left])
        assert isinstance(tree.split, Cut)
        column, rank = tree.split.column, tree.split.rank
        return _undominated(found + self._combined(lefts, rights, column, rank, inf))

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
        self.inner.tick()
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
        return self._combined(lefts, rights, column, rank, cap)

    def _combined(
        self, lefts: list[Entry], rights: list[Entry], column: int, rank: int, cap: Number
    ) -> list[Entry]:
        """Put subtrees together that fit and stay below the cap, unless others dominate them."""
        if not lefts or not rights:
            return []
        penalty = self.problem.penalty
        first, second = _table(lefts), _table(rights)
        cost = first[:, :1] + second[:, 0] + penalty
        allowed = (cost < cap) & self._pairs_fit(column, first, second)
        low = np.minimum(first[:, 1:2], second[:, 1])
        high = np.maximum(first[:, 2:], second[:, 2])
        i, j = np.nonzero(allowed)
        found = []
        for k in self._best(cost[i, j], low[i, j], high[i, j]):
            a, b = lefts[i[k]], rights[j[k]]
            tree = Node(Cut(column, rank), a.tree, b.tree)
            total = a.cost + b.cost + penalty
            found.append(Entry(total, min(a.low, b.low), max(a.high, b.high), tree))
        return found

    def _pairs_fit(
        self, column: int, lefts: NDArray[Any], rights: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Tell of all pairs at once what `_fits` tells of one."""
        direction = self.directions[column]
        if direction > 0:
            return np.asarray(lefts[:, 2:] <= rights[:, 1] + self.slack)
        if direction < 0:
            return np.asarray(lefts[:, 1:2] >= rights[:, 2] - self.slack)
        return np.ones((len(lefts), len(rights)), bool)

    def _best(self, cost: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> list[int]:
        """Give the places of those that no other dominates."""
        left = np.lexsort((high, -low, cost))
        found = []
        while len(left):
            i = left[0]
            found.append(int(i))
            left = left[(low[left] > low[i]) | (high[left] < high[i])]
            if not self.patient:
                self.inner.tick()
        return found

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
        order = np.argsort(ranks, axis=1, kind="stable")
        sorted_ranks, orders = np.take_along_axis(ranks, order, axis=1), rows[order]
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
        places = np.flatnonzero(allowed)
        found: list[Entry] = []
        for k in self._best(cost[places], low[places], high[places]):
            i = places[k]
            cut = Cut(int(column[i]), int(sorted_ranks[column[i], last[i]]))
            sides = orders[column[i], : last[i] + 1], orders[column[i], last[i] + 1 :]
            tree = Node(cut, *(self.inner.leaf(side)[1] for side in sides))
            found.append(Entry(cost[i].item(), float(low[i]), float(high[i]), tree))
        return found

    def _large_enough(
        self, orders: Rows, column: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[np.bool_]:
        least, counts = self.problem.min_rows, self.problem.counts
        running = np.ones(orders.shape, np.int64) if counts is None else counts[orders]
        running = running.cumsum(axis=1)
        left = running[column, last]
        return np.asarray((left >= least) & (running[column, -1] - left >= least))


def _table(entries: list[Entry]) -> NDArray[Any]:
    """Give cost, lowest and highest prediction of every entry."""
    return np.array([entry[:3] for entry in entries])


def _undominated(entries: list[Entry]) -> list[Entry]:
    """Leave out what is no better than another in cost, lowest and highest prediction."""
    kept: list[Entry] = []
    for one in sorted(entries, key=lambda e: (e.cost, -e.low, e.high)):
        if not any(other.low >= one.low and other.high <= one.high for other in kept):
            kept.append(one)
    return kept
