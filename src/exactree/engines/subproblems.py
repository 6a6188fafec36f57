"""Some rows of a problem as a problem of their own, and trees of theirs among all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Cut, Problem
from exactree.rows import dense_ranks
from exactree.tree import Leaf, Node, Tree

Rows = NDArray[np.intp]


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
