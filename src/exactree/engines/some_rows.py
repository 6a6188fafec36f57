"""Rows that are hard for a tree: those that it errs on, with some beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exactree.engines.subproblems import Rows, leaf_rows
from exactree.problem import Problem
from exactree.tree import Tree

# Rows that are right for each one that is not.
RIGHT = 2


def hard_rows(problem: Problem, tree: Tree) -> Rows:
    """Give the rows that a tree errs on, and twice as many of their leaves that it gets right."""
    costs = problem.row_costs()
    chosen: list[Rows] = []
    for rows in leaf_rows(tree, problem):
        labels = problem.labels[rows]
        totals = np.bincount(labels, weights=costs[rows])
        right = labels == totals.argmax()
        wrong = rows[~right]
        chosen += [wrong, rows[right][every(int(right.sum()), RIGHT * len(wrong))]]
    return np.sort(np.concatenate(chosen))


def every(count: int, wanted: int) -> NDArray[np.intp]:
    """Give so many of the first `count` numbers, or all of them, at equal distances."""
    wanted = min(count, wanted)
    return np.arange(wanted) * count // max(wanted, 1)
