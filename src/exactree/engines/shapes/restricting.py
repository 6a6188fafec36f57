"""A problem on some of its rows and columns, and the way back of its trees; a clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree.engines.whole import tree_cost
from exactree.problem import Cut, Engine, Found, Limits, Number, OnProgress, Problem, Progress
from exactree.tree import Leaf, Node, Tree

Rows = NDArray[np.intp]
POLL_SECONDS = 0.05
NO_TREE = Leaf(0)


class Stopped(Exception):
    """The time is up, or Ctrl-C came: the engine inside said so."""

    def __init__(self, status: str, bound: Number = 0, tree: Tree = NO_TREE) -> None:
        super().__init__(status)
        self.status, self.bound, self.tree = status, bound, tree


class Budget(NamedTuple):
    """How many splits a tree may have on a path and in all; None: as the depth allows."""

    depth: int
    splits: int | None

    def shares(self) -> list[tuple[Budget, Budget]]:
        """Give the ways to share it out between two sides.

        >>> Budget(2, 2).shares()
        [(Budget(depth=0, splits=0), Budget(depth=1, splits=1)), (Budget(depth=1, splits=1), \
Budget(depth=0, splits=0))]
        """
        below = self.depth - 1
        if self.splits is None:
            return [(Budget(below, None), Budget(below, None))]
        rest = self.splits - 1
        parts = [(i, rest - i) for i in range(rest + 1)]
        return [(Budget(min(below, i), i), Budget(min(below, j), j)) for i, j in parts]


@dataclass(eq=False)
class Inner:
    """The engine inside, with the limits of the whole, and what is known of that."""

    problem: Problem
    engine: Engine
    limits: Limits
    started: float
    on_progress: OnProgress | None = None
    best: Number = 0
    bound: Number = 0
    ticked: float = 0.0

    def __post_init__(self) -> None:
        self.best = self.leaf(all_rows(self.problem))[0]

    def solve(self, rows: Rows, columns: Sequence[int], budget: Budget) -> tuple[Number, Tree]:
        """Find the best tree for some rows that asks some columns only, without a constraint."""
        part, ranks = self._part(rows, columns, budget)
        if budget.depth == 0 or len(rows) < 2 or not len(columns):
            return self.leaf(rows)
        left = max(self.limits.seconds - (perf_counter() - self.started), 0.0)
        found = self.engine(part, replace(self.limits, seconds=left), self.polled)
        tree = _back(found.tree, columns, ranks)
        if found.status != "optimal":
            raise Stopped(found.status, found.lower_bound, tree)
        return found.objective, tree

    def tick(self) -> None:
        """Stop if the time is up; report now and then."""
        now = perf_counter()
        if now - self.started >= self.limits.seconds:
            raise Stopped("time_limit")
        if now - self.ticked >= POLL_SECONDS:
            self.ticked = now
            try:
                self.polled(Progress(0.0, 0, 0))
            except KeyboardInterrupt:
                raise Stopped("interrupted") from None

    def leaf(self, rows: Rows) -> tuple[Number, Tree]:
        """Give the leaf for some rows."""
        inside, objective = self.problem.targets().take(rows), self.problem.objective
        cost = np.asarray(objective.cost(inside)).item()
        return cost, Leaf(objective.prediction(inside))

    def _part(
        self, rows: Rows, columns: Sequence[int], budget: Budget
    ) -> tuple[Problem, list[NDArray[np.int32]]]:
        kept, ranks = [], []
        for column in columns:
            own, place = np.unique(self.problem.columns[column, rows], return_inverse=True)
            ranks.append(own)
            kept.append(place.reshape(-1).astype(np.int32))
        table = np.stack(kept) if kept else np.zeros((0, len(rows)), np.int32)
        # The rows of a Problem are sorted by their values, of fewer columns here, then by label:
        # bounds by equal rows rely on it.
        order = np.lexsort((self.problem.labels[rows], *table[::-1]))
        rows, table = rows[order], table[:, order]
        most = len(rows) - 1
        depth = min(budget.depth, most)
        splits = None if budget.splits is None else min(budget.splits, most)
        if splits is not None and splits >= 2**depth - 1:
            splits = None
        problem = replace(
            self.problem,
            columns=np.ascontiguousarray(table),
            labels=self.problem.labels[rows],
            weights=None if self.problem.weights is None else self.problem.weights[rows],
            least_side=self.problem.least_side.take(rows),
            points=None,
            max_depth=depth,
            max_splits=splits,
        )
        return problem, ranks

    def polled(self, _: Progress) -> None:
        """Let the user's function see the whole; it may stop it."""
        if self.on_progress is not None:
            seconds = perf_counter() - self.started
            self.on_progress(Progress(seconds, self.best, min(self.bound, self.best)))


def _back(found: Tree, columns: Sequence[int], ranks: list[NDArray[np.int32]]) -> Tree:
    """Name the columns and ranks of a part as the whole does."""
    if isinstance(found, Leaf):
        return found
    cut = found.split
    assert isinstance(cut, Cut)
    own = ranks[cut.column]
    above = None if cut.above is None else int(own[cut.above])
    there = Cut(columns[cut.column], int(own[cut.rank]), above)
    return Node(there, _back(found.left, columns, ranks), _back(found.right, columns, ranks))


def all_rows(problem: Problem) -> Rows:
    """Give the numbers of all rows."""
    return np.arange(problem.n_rows)


def whole_budget(problem: Problem) -> Budget:
    """Give the budget of the problem."""
    return Budget(problem.max_depth, problem.max_splits)


def result_of(
    problem: Problem, cost: Number, bound: Number, tree: Tree, status: str, started: float
) -> Found:
    """Put a result together; floats are added up anew, with all digits."""
    seconds = perf_counter() - started
    if not problem.objective.integral:
        counted = tree_cost(problem, tree)
        cost, bound = counted, counted if bound >= cost else bound
    bound = min(bound, cost)
    return Found(
        status="optimal" if bound == cost else status,  # type: ignore[arg-type]
        space=problem.space,
        objective=cost,
        lower_bound=bound,
        gap=cost - bound,
        tree=tree,
        stats={"seconds": seconds},
        history=((seconds, cost, bound),),
    )
