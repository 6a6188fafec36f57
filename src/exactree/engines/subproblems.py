"""Some rows of a problem as a problem of their own, and trees made better part by part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Cut, Found, Number, Problem
from exactree.rows import dense_ranks
from exactree.tree import Leaf, Node, Tree

Rows = NDArray[np.intp]
# Subtrees of so many levels are solved in milliseconds.
LEVELS = 3


def subproblem(problem: Problem, rows: Rows, levels: int, splits: int | None = None) -> Problem:
    """Give the problem of some of the rows, over rank columns, with a budget of its own."""
    return replace(
        problem,
        columns=dense_ranks(problem.columns[:, rows]),
        labels=problem.labels[rows],
        weights=None if problem.weights is None else problem.weights[rows],
        least_side=problem.least_side.take(rows),
        points=None,
        origin=None,
        max_depth=levels,
        max_splits=splits,
    )


def in_ranks_of(tree: Tree, columns: NDArray[np.int32]) -> Tree:
    """Write a tree over the dense ranks of some rows in the ranks of all.

    `columns` has the ranks of these rows among all.

    >>> tree = Node(Cut(0, 0, 1), Leaf(0), Leaf(1))
    >>> in_ranks_of(tree, np.array([[5, 8]], np.int32)).split
    Cut(column=0, rank=5, above=8)
    """
    if isinstance(tree, Leaf):
        return tree
    assert isinstance(tree.split, Cut) and tree.split.above is not None
    ranks = np.unique(columns[tree.split.column])
    low, high = int(ranks[tree.split.rank]), int(ranks[tree.split.above])
    left, right = in_ranks_of(tree.left, columns), in_ranks_of(tree.right, columns)
    return Node(Cut(tree.split.column, low, high), left, right)


def leaf_rows(tree: Tree, problem: Problem, rows: Rows | None = None) -> list[Rows]:
    """Give the rows of every leaf, from left to right."""
    rows = np.arange(problem.n_rows) if rows is None else rows
    if isinstance(tree, Leaf):
        return [rows]
    left = problem.goes_left(tree.split, rows)
    sides = (tree.left, rows[left]), (tree.right, rows[~left])
    return [leaf for side, inside in sides for leaf in leaf_rows(side, problem, inside)]


def with_best_ends(
    tree: Tree, problem: Problem, solve: Callable[[Problem], Found]
) -> tuple[Tree, Number]:
    """Solve the last levels of a tree anew, all that `problem` has room for, and give its cost.

    What `solve` finds of a part is taken if it is no worse than the part there was, so a solver
    that is stopped does no harm.
    """
    return _Ends(problem, solve).best(tree, np.arange(problem.n_rows), problem.max_depth)


class _Ends:
    def __init__(self, problem: Problem, solve: Callable[[Problem], Found]) -> None:
        self.problem, self.solve = problem, solve
        self.targets = problem.targets()

    def best(self, tree: Tree, rows: Rows, levels: int) -> tuple[Tree, Number]:
        """Give the tree of some rows with its last levels solved, and its cost."""
        if isinstance(tree, Node) and levels > LEVELS:
            left = self.problem.goes_left(tree.split, rows)
            below, a = self.best(tree.left, rows[left], levels - 1)
            beside, b = self.best(tree.right, rows[~left], levels - 1)
            return Node(tree.split, below, beside), a + b + self.problem.penalty
        before = self.cost(tree, rows)
        if not before or not levels:
            return tree, before
        found = self.solve(subproblem(self.problem, rows, min(levels, LEVELS)))
        if found.objective >= before:
            return tree, before
        return in_ranks_of(found.tree, self.problem.columns[:, rows]), found.objective

    def cost(self, tree: Tree, rows: Rows) -> Number:
        """Count what a part of the tree costs."""
        if isinstance(tree, Node):
            left = self.problem.goes_left(tree.split, rows)
            sides = self.cost(tree.left, rows[left]) + self.cost(tree.right, rows[~left])
            return sides + self.problem.penalty
        exact = self.problem.objective.cost(self.targets.take(rows))
        return int(exact) if self.problem.objective.integral else float(exact)
