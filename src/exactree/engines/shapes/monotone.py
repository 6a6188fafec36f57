"""Monotone directions: every leaf left of a split of an increasing column predicts at most what
every leaf right of it does; leaves keep their own majority, or mean.

That is no condition on the sides alone, and a best subtree may not fit the other side. What a
subtree is to the tree above it are three numbers: its cost, its lowest and its highest prediction.
One that is no better in any of them than another can be replaced by that, so of a set of rows the
subtrees that no other dominates in this sense are kept: its front.

Subset (fewer rows never cost more) fails, since fewer rows have other predictions. What is left out
is bounded by problems for which it holds; thresholds are searched by intervals, a split at p from a
to before b costs at least what the left side of a and the right side of b cost there:

- Trees without the constraint, of any depth.
- Free leaves. Let a leaf predict what it likes, but keep the predictions in order. A tree that
  keeps to the constraint is one of these; and one for more rows, with its predictions, is one for
  fewer, and costs no more there. A single split whose sides are in order costs what it does. If
  they are not, the best predictions in order are equal: the cost of a leaf (of means, with a slack
  of s for the order, w v / (w + v) (|a - b| - s)^2 more than the split).
- Two classes, and a split of an increasing column: if a leaf on the left predicts 1, all on the
  right do. So either the left side predicts 0 throughout, and costs the weight of its ones, or the
  right side 1, and costs the weight of its zeros. Both weights grow with the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from time import perf_counter
from typing import Any

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
from exactree.engines.shapes.single_splits import Entry, SingleSplits, table, undominated
from exactree.engines.shapes.thresholds import Cases, Thresholds, least
from exactree.problem import Cut, Engine, Found, Limits, Number, OnProgress, Problem
from exactree.tree import Leaf, Node, Tree

# Deeper trees begin with those of one level less, which take some of the time.
QUICK_DEPTH = 2
FEWER_LEVELS_SHARE = 0.3


def monotone(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    engine: Engine,
    directions: Sequence[int],
) -> Found:
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
        self.single = SingleSplits(inner, directions)
        self.slack = self.single.slack
        self.columns = range(len(self.problem.columns))
        self.free: dict[tuple[bytes, Budget], Number] = {}
        self.best = self.single.leaf(all_rows(self.problem))
        self.bound: Number = 0

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
        self.single.patient = False
        if budget.depth > QUICK_DEPTH:
            self._begin_with_fewer_levels(rows, budget)
        for entry in self._front(rows, budget, self.best.cost, top=True):
            self._keep(entry)
        self.bound = self.best.cost

    def _begin_with_fewer_levels(self, rows: Rows, budget: Budget) -> None:
        """Take the best monotone tree of one level less, and grow it by what its leaves allow."""
        inner = self.inner
        left = inner.limits.seconds - (perf_counter() - inner.started)
        limits = replace(inner.limits, seconds=FEWER_LEVELS_SHARE * left)
        less = replace(self.problem, max_depth=budget.depth - 1)
        show = None if inner.on_progress is None else inner.polled
        found = monotone(less, limits, show, inner.engine, self.directions)
        if found.status == "interrupted":
            raise Stopped("interrupted")
        self._keep(Entry(found.objective, 0, 0, found.tree))
        if budget.splits is None:
            self._keep_all(self._extended(found.tree, rows, budget))

    def _extended(self, tree: Tree, rows: Rows, budget: Budget) -> list[Entry]:
        """List the monotone trees that have single splits in place of leaves of a tree."""
        if isinstance(tree, Leaf):
            found = [self.single.leaf(rows)]
            single = budget.depth > 0 and len(rows) > 1
            return undominated(found + self.single.splits(rows, inf)) if single else found
        assert isinstance(tree.split, Cut)
        goes_left, below = self.problem.goes_left(tree.split, rows), budget.shares()[0][0]
        sides = (tree.left, rows[goes_left]), (tree.right, rows[~goes_left])
        lefts, rights = (self._extended(child, side, below) for child, side in sides)
        pairs = self._combined(lefts, rights, tree.split.column, tree.split.rank, inf)
        return undominated([self.single.leaf(rows), *pairs])

    def _keep_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._keep(entry)

    def _grown(self, rows: Rows, budget: Budget) -> list[Entry]:
        """List trees that split where a single monotone split is best, and again below it."""
        found = [self.single.leaf(rows)]
        if budget.depth == 0 or len(rows) < 2:
            return found
        best = min(self.single.splits(rows, inf), key=lambda entry: entry.cost, default=None)
        if best is None:
            return found
        assert isinstance(best.tree, Node) and isinstance(best.tree.split, Cut)
        goes_left = self.problem.goes_left(best.tree.split, rows)
        shares = budget.shares()
        one, other = shares[len(shares) // 2]
        lefts, rights = self._grown(rows[goes_left], one), self._grown(rows[~goes_left], other)
        column, rank = best.tree.split.column, best.tree.split.rank
        return undominated(found + self._combined(lefts, rights, column, rank, inf))

    def _keep(self, entry: Entry) -> None:
        if entry.cost < self.best.cost:
            self.best = entry
            self.inner.best = entry.cost

    def _pruned(self, tree: Tree, rows: Rows) -> list[Entry]:
        """List what monotone trees are left of a tree if some of its nodes become leaves."""
        found = [self.single.leaf(rows)]
        if isinstance(tree, Leaf):
            return found
        goes_left = self.problem.goes_left(tree.split, rows)
        lefts = self._pruned(tree.left, rows[goes_left])
        rights = self._pruned(tree.right, rows[~goes_left])
        assert isinstance(tree.split, Cut)
        column, rank = tree.split.column, tree.split.rank
        return undominated(found + self._combined(lefts, rights, column, rank, inf))

    def _keeps_to(self, tree: Tree, rows: Rows) -> tuple[float, float] | None:
        """Give the lowest and the highest prediction of a tree; None if it is not monotone."""
        if isinstance(tree, Leaf):
            leaf = self.single.leaf(rows)
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

    def _front(self, rows: Rows, budget: Budget, cap: Number, *, top: bool = False) -> list[Entry]:
        """List the trees below the cap that no other dominates."""
        self.inner.tick()
        found = [entry for entry in [self.single.leaf(rows)] if entry.cost < cap or top]
        if budget.depth == 0 or len(rows) < 2:
            return found
        if budget.depth == 1:
            return undominated(found + self.single.splits(rows, cap))
        for column in self.columns:
            found = undominated(found + self._column(rows, column, budget, cap, top))
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
        chain = Thresholds(len(cuts), subset_holds=self.problem.min_rows <= 1, cases=2)
        penalty, found = self.problem.penalty, []
        while (t := chain.next(cap - penalty)) is not None:
            left, right = rows[ranks <= cuts[t]], rows[ranks > cuts[t]]
            below = [one for pair in budget.shares() for one in pair]
            lows = [min(self._relaxed(side, one) for one in below) for side in (left, right)]
            cases = self._cases(column, left, right, *lows)
            chain.close(t, *cases)
            if least(*cases) + penalty >= cap or not self._enough(left, right):
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
        first, second = table(lefts), table(rights)
        cost = first[:, :1] + second[:, 0] + penalty
        allowed = (cost < cap) & self._pairs_fit(column, first, second)
        low = np.minimum(first[:, 1:2], second[:, 1])
        high = np.maximum(first[:, 2:], second[:, 2])
        i, j = np.nonzero(allowed)
        found = []
        for k in self.single.best(cost[i, j], low[i, j], high[i, j]):
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

    def _cases(
        self, column: int, left: Rows, right: Rows, low: Number, high: Number
    ) -> tuple[Cases, Cases]:
        """Bound two sides in the two cases that there are: see above."""
        way = self.directions[column]
        if self.single.regression or way == 0:
            return (low, low), (high, high)
        (zeros, ones), (other_zeros, other_ones) = map(self.single.by_class, (left, right))
        lower, upper = (ones, other_zeros) if way > 0 else (zeros, other_ones)
        return (lower, low), (high, upper)

    def _relaxed(self, rows: Rows, budget: Budget) -> Number:
        """Bound the least cost: of one level with free leaves, of more without the constraint."""
        key = rows.tobytes(), budget
        if key not in self.free:
            if budget.depth == 1 and len(rows) > 1:
                self.free[key] = self.single.free_level(rows)
            else:
                self.free[key] = self.inner.solve(rows, self.columns, budget)[0]
        return self.free[key]

    def _enough(self, *sides: Rows) -> bool:
        counts = self.problem.counts
        return all(
            (len(side) if counts is None else counts[side].sum()) >= self.problem.min_rows
            for side in sides
        )
