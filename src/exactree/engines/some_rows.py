"""What some of the rows prove of all.

A tree for all rows is one for some of them, on which it costs no more (its splits that no longer
part anything are left out). So no tree for all costs less than the best one for some. Which rows
are chosen does not matter for that, only for how much they prove, and how soon: those that a good
tree errs on, and twice as many of their leaves that it gets right, cost a good tree nearly as much
as all rows do, and most trees far more.

They are searched for trees below a small share of that cost first, then below higher ones: low
targets prune far more. No first tree is looked for, which would take longer than the first targets.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exactree.engines.subproblems import Rows, leaf_rows, subproblem
from exactree.objectives.native import ClassWeights
from exactree.problem import Found, Problem
from exactree.tree import Tree

# Searches a problem for trees below a cost; no more is asked of it than its bound.
SearchBelow = Callable[[Problem, int, int], Found]

# Rows that are right for each one that is not, and so many times as many if they do not suffice.
RIGHT, MORE_RIGHT = 2, 8
# What is searched for, as shares of what the rows cost in the tree, next to nothing first; every
# search has rounds of lower targets.
SHARES = (1 / 64, 1 / 4, 1 / 2, 1)


def can_leave_rows_out(problem: Problem) -> bool:
    """Tell whether the cost of a problem counts errors, and fewer rows never cost more."""
    return (
        isinstance(problem.form, ClassWeights)
        and problem.partitions is None
        and not problem.least_side.binds
    )


def bound_by_some(problem: Problem, tree: Tree, below: SearchBelow) -> int:
    """Bound what all trees cost by some of the rows, chosen by a tree that is good.

    `below` is given a problem, a cost and what is proved of the problem; it may stop early. If it
    finds a tree for some of the rows, there are too few of them, and more are taken.
    """
    proved, right = 0, RIGHT
    while True:
        some, errors = hard_rows(problem, tree, right)
        part = subproblem(problem, some, problem.max_depth, problem.max_splits)
        found = None
        for share in SHARES:
            target = int(share * errors)
            if target > proved:
                found = below(part, target, proved)
                proved = max(proved, int(found.lower_bound))
                if proved < target:
                    break
        fitted = found is not None and found.status == "optimal" and proved < target
        if not fitted or len(some) == problem.n_rows:
            return proved
        right *= MORE_RIGHT


def hard_rows(problem: Problem, tree: Tree, right_ones: int = RIGHT) -> tuple[Rows, int]:
    """Give the rows that a tree errs on with some that it gets right, and what the former cost.

    There are so many right ones for each wrong one, of the same leaves first, then of all.
    """
    costs = problem.row_costs()
    chosen: list[Rows] = []
    errors = wanted = 0
    for rows in leaf_rows(tree, problem):
        labels = problem.labels[rows]
        totals = np.bincount(labels, weights=costs[rows])
        right = labels == totals.argmax()
        wrong = rows[~right]
        errors += int(costs[wrong].sum())
        wanted += (1 + right_ones) * len(wrong)
        chosen += [wrong, rows[right][every(int(right.sum()), right_ones * len(wrong))]]
    hard = np.concatenate(chosen)
    if right_ones > RIGHT:
        others = np.setdiff1d(np.arange(problem.n_rows), hard)
        hard = np.concatenate([hard, others[every(len(others), max(wanted - len(hard), 0))]])
    return np.sort(hard), errors


def every(count: int, wanted: int) -> NDArray[np.intp]:
    """Give so many of the first `count` numbers, or all of them, at equal distances."""
    wanted = min(count, wanted)
    return np.arange(wanted) * count // max(wanted, 1)
