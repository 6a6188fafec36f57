"""The tree without a split, for when there is nothing to search or no time to."""

from __future__ import annotations

import numpy as np

from exactree.bounds import equal_rows
from exactree.problem import Problem, Result, Status
from exactree.tree import Leaf


def single_leaf(problem: Problem, status: Status) -> Result:
    """Give the leaf with its cost; if it is not "optimal", with what equal rows prove."""
    totals = np.zeros(problem.n_classes, dtype=np.int64)
    np.add.at(totals, problem.labels, problem.row_costs())
    cost = bound = int(problem.objective.leaf_cost(totals))
    if status != "optimal":
        bound = equal_rows(problem.keys(), problem.labels, problem.row_costs())
    return Result(
        status=status,
        space=problem.space,
        objective=cost,
        lower_bound=bound,
        gap=cost - bound,
        tree=Leaf(int(problem.objective.leaf_value(totals))),
        history=((0.0, cost, bound),),
    )
