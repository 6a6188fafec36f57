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

# Rows that are right for each one that is not.
RIGHT = 2
# What is searched for, as shares of what the rows cost in the tree; every search has rounds of
# lower targets. Very deep trees are searched for next to nothing first.
SHARES = (1 / 4, 1 / 2, 1)
DEEP, NEXT_TO_NOTHING = 6, 1 / 64


def can_leave_rows_out(problem: Problem) -> bool:
    """Tell whether the cost of a problem counts errors, and fewer rows never cost more."""
    return (
        isinstance(problem.form, ClassWeights)
        and problem.partitions is None
        and not problem.least_side.binds
    )


def bound_by_some(problem: Problem, tree: Tree, below: SearchBelow) -> int:
    """Bound what all trees cost by some of the rows, chosen by a tree that is good.

    `below` is given a problem, a cost and what is proved of the problem; it may stop early.
    """
    some, errors = hard_rows(problem, tree)
    part = subproblem(problem, some, problem.max_depth, problem.max_splits)
    proved = 0
    deep = problem.max_depth >= DEEP
    for share in (NEXT_TO_NOTHING, *SHARES) if deep else SHARES:
        target = int(share * errors)
        if target <= proved:
            continue
        found = below(part, target, proved)
        proved = max(proved, int(found.lower_bound))
        if proved < target:
            break
    return proved


def hard_rows(problem: Problem, tree: Tree) -> tuple[Rows, int]:
    """Give the rows that a tree errs on with some that it gets right, and what the former cost."""
    costs = problem.row_costs()
    chosen: list[Rows] = []
    errors = 0
    for rows in leaf_rows(tree, problem):
        labels = problem.labels[rows]
        totals = np.bincount(labels, weights=costs[rows])
        right = labels == totals.argmax()
        wrong = rows[~right]
        errors += int(costs[wrong].sum())
        chosen += [wrong, rows[right][every(int(right.sum()), RIGHT * len(wrong))]]
    return np.sort(np.concatenate(chosen)), errors


def every(count: int, wanted: int) -> NDArray[np.intp]:
    """Give so many of the first `count` numbers, or all of them, at equal distances."""
    wanted = min(count, wanted)
    return np.arange(wanted) * count // max(wanted, 1)
