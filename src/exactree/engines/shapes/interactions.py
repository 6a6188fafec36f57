"""Allowed groups of columns on a path: all columns that a path asks lie in one of the groups.

Groups that have all columns asked so far are alive. Below a split of column c, those alive that
have c are. If one is alive, its columns may be asked freely, and the engine inside takes over. If
several are, the engine is asked for the best tree of all their columns, a bound, and for that of
each group; only a first split of a column that several of them have can lead to something better,
for below any other only one group is alive.

The thresholds of such a column are searched by intervals. Subset (fewer rows never cost more) holds
with the constraint: a tree for more rows asks the same columns on the same paths for fewer. So for
a <= p < b, a split at p costs at least what the left side of a and the right side of b do. With a
least number of rows a side, Subset fails, and every threshold is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from time import perf_counter
from typing import NamedTuple

import numpy as np

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
from exactree.problem import Cut, Engine, Found, Limits, Number, OnProgress, Problem
from exactree.tree import Leaf, Node, Tree

Group = frozenset[int]
Alive = tuple[Group, ...]
UNKNOWN = Leaf(0)


class Answer(NamedTuple):
    """What is known of a subproblem: a bound, and the best tree found, if any is below the cap."""

    low: Number
    cost: Number
    tree: Tree


def interactions(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    engine: Engine,
    groups: Sequence[Group],
) -> Found:
    """Find the best tree whose paths keep to groups of rank columns."""
    started = perf_counter()
    search = _Paths(Inner(problem, engine, limits, started, on_progress))
    status = "optimal"
    try:
        answer = search.solve(
            all_rows(problem), whole_budget(problem), maximal(groups), inf, top=True
        )
        search.keep(answer.cost, answer.tree)
        search.bound = search.best[0]
    except Stopped as stopped:
        status = stopped.status
    return result_of(problem, search.best[0], search.bound, search.best[1], status, started)


def maximal(groups: Sequence[Group]) -> Alive:
    """Leave out groups within others.

    >>> maximal([frozenset({1}), frozenset({1, 2})])
    (frozenset({1, 2}),)
    """
    kept = [g for g in dict.fromkeys(groups) if g and not any(g < other for other in groups)]
    return tuple(sorted(kept, key=sorted))


def keeps_to(tree: Tree, alive: Alive) -> bool:
    """Tell whether every path of a tree lies within one of the groups."""
    if isinstance(tree, Leaf):
        return bool(alive)
    assert isinstance(tree.split, Cut)
    column = tree.split.column
    below = tuple(group for group in alive if column in group)
    return bool(below) and keeps_to(tree.left, below) and keeps_to(tree.right, below)


class _Paths:
    """The recursion, with the best tree of the whole problem and its bound."""

    def __init__(self, inner: Inner) -> None:
        self.inner, self.problem = inner, inner.problem
        self.known: dict[tuple[bytes, Budget, Alive], Answer] = {}
        self.best = inner.leaf(all_rows(self.problem))
        self.bound: Number = 0

    def keep(self, cost: Number, tree: Tree) -> None:
        """Keep a better tree for the whole problem."""
        if cost < self.best[0]:
            self.best = cost, tree
            self.inner.best = cost

    def solve(
        self, rows: Rows, budget: Budget, alive: Alive, cap: Number, *, top: bool = False
    ) -> Answer:
        """Find the best tree for some rows, or show that none is below the cap."""
        key = rows.tobytes(), budget, alive
        found = self.known.get(key)
        if found is None or (found.low < found.cost and found.low < cap):
            found = self._solve(rows, budget, alive, cap, top)
            self.known[key] = found
        return found

    def _solve(self, rows: Rows, budget: Budget, alive: Alive, cap: Number, top: bool) -> Answer:
        columns = sorted(frozenset().union(*alive))
        low, tree = self.inner.solve(rows, columns, budget)
        if keeps_to(tree, alive):
            return Answer(low, low, tree)
        if top:
            self.bound = self.inner.bound = low
        if low >= cap:
            return Answer(low, inf, UNKNOWN)
        best = min((self.inner.solve(rows, sorted(g), budget) for g in alive), key=lambda x: x[0])
        if top:
            self.keep(*best)
        for column in columns:
            below = tuple(group for group in alive if column in group)
            if len(below) > 1 and best[0] > low:
                best = self._column(rows, column, budget, below, best=best, cap=cap, low=low)
                if top:
                    self.keep(*best)
        if best[0] < cap:
            return Answer(best[0], *best)
        return Answer(max(low, min(best[0], cap)), *best)

    def _column(
        self,
        rows: Rows,
        column: int,
        budget: Budget,
        alive: Alive,
        *,
        best: tuple[Number, Tree],
        cap: Number,
        low: Number,
    ) -> tuple[Number, Tree]:
        """Search the thresholds of one column, by intervals where Subset holds."""
        ranks = self.problem.columns[column, rows]
        cuts = np.unique(ranks)[:-1].tolist()
        least_side, penalty = self.problem.least_side, self.problem.penalty
        chain = Thresholds(len(cuts), subset_holds=not least_side.binds)
        while best[0] > low:
            limit = min(best[0], cap)
            t = chain.next(limit - penalty)
            if t is None:
                break
            left, right = rows[ranks <= cuts[t]], rows[ranks > cuts[t]]
            if not (least_side.enough(left) and least_side.enough(right)):
                chain.close(t, 0, 0)
                continue
            lows: list[Number] = [inf, inf]
            for one, other in budget.shares():
                a = self.solve(left, one, alive, limit - penalty)
                b = self.solve(right, other, alive, limit - penalty - a.low)
                lows = [min(lows[0], a.low), min(lows[1], b.low)]
                if a.cost + b.cost + penalty < best[0]:
                    split = Cut(column, int(cuts[t]))
                    best = a.cost + b.cost + penalty, Node(split, a.tree, b.tree)
            chain.close(t, *lows)
        return best
