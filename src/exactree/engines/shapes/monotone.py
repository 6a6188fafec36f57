"""Monotone directions: every leaf left of a split of an increasing column predicts at most what
every leaf right of it does; leaves keep their own majority, or mean.

The tree without the constraint comes first: if it keeps to it, it is the best. If not, monotone
trees near it, and those of one level less, are what the native search (`cpp/shapes/monotone.hpp`,
which has the proofs) has to beat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
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
    """Trees to begin with and the native search, with the best tree and its bound."""

    def __init__(self, inner: Inner, directions: Sequence[int]) -> None:
        self.inner, self.problem, self.directions = inner, inner.problem, directions
        self.single = SingleSplits(inner, directions)
        self.slack = self.single.slack
        self.columns = range(len(self.problem.columns))
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
        if budget.depth > QUICK_DEPTH:
            self._begin_with_fewer_levels(budget)
        self._search(budget)

    def _search(self, budget: Budget) -> None:
        """Look natively for something below the best tree, and prove that there is no more."""
        problem, single = self.problem, self.single
        most = 2 ** min(budget.depth, 30) - 1
        splits = most if budget.splits is None else min(budget.splits, most)
        raised: list[BaseException] = []

        def stop(taken: int) -> bool:
            try:
                self.inner.tick()
                if 0 < self.inner.limits.memory < taken:
                    raise Stopped("memory_limit")
            except BaseException as error:
                raised.append(error)
            return bool(raised)

        terms = (
            np.ascontiguousarray(problem.columns),
            np.array(self.directions, np.int8),
            problem.least_side.counted(problem.n_rows),
            problem.least_side.least,
            budget.depth,
            splits,
        )
        native: tuple[Any, ...]
        if single.regression:
            y, weights = single.y.astype(np.float64), single.weights.astype(np.float64)
            native = _native.monotone_numbers(
                *terms, weights, y, self.slack, float(problem.penalty), float(self.best.cost), stop
            )
        else:
            ones = (single.weights * single.y).astype(np.int64)
            zeros = single.weights.astype(np.int64) - ones
            cap = int(self.best.cost)
            native = _native.monotone_classes(*terms, zeros, ones, int(problem.penalty), cap, stop)
        better, _, cost, bound, *tree = native
        if better:
            nodes = iter(zip(*tree, strict=True))
            self._keep(Entry(cost, 0, 0, self._written(nodes, all_rows(problem))))
        if raised:
            self.bound = max(self.bound, min(bound, self.best.cost))
            raise raised[0]
        self.bound = self.best.cost

    def _written(self, nodes: Iterator[tuple[int, int]], rows: Rows) -> Tree:
        """Write down a tree that comes in preorder."""
        column, rank = next(nodes)
        if column < 0:
            return self.single.leaf(rows).tree
        split = Cut(column, rank)
        goes_left = self.problem.goes_left(split, rows)
        left = self._written(nodes, rows[goes_left])
        return Node(split, left, self._written(nodes, rows[~goes_left]))

    def _begin_with_fewer_levels(self, budget: Budget) -> None:
        """Take the best monotone tree of one level less."""
        inner = self.inner
        inner.tick()  # else a search that is over would begin with every number of levels
        left = inner.limits.seconds - (perf_counter() - inner.started)
        limits = replace(inner.limits, seconds=FEWER_LEVELS_SHARE * left)
        less = replace(self.problem, max_depth=budget.depth - 1)
        show = None if inner.on_progress is None else inner.polled
        found = monotone(less, limits, show, inner.engine, self.directions)
        if found.status == "interrupted":
            raise Stopped("interrupted")
        self._keep(Entry(found.objective, 0, 0, found.tree))

    def _keep_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._keep(entry)

    def _grown(self, rows: Rows, budget: Budget) -> list[Entry]:
        """List trees that split where a single monotone split is best, and again below it."""
        self.inner.tick()
        found = [self.single.leaf(rows)]
        if budget.depth == 0 or len(rows) < 2:
            return found
        cut = self.single.cheapest(rows)
        if cut is None:
            return found
        goes_left = self.problem.goes_left(cut, rows)
        shares = budget.shares()
        one, other = shares[len(shares) // 2]
        lefts, rights = self._grown(rows[goes_left], one), self._grown(rows[~goes_left], other)
        return undominated(found + self._combined(lefts, rights, cut.column, cut.rank, inf))

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
