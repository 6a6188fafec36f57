"""The tree without a split: for when there is nothing to search, or no time."""

from __future__ import annotations

from exactree.bounds import equal_rows_cost
from exactree.problem import Found, Number, Problem, Status
from exactree.tree import Leaf


def single_leaf(problem: Problem, status: Status) -> Found:
    """Give the leaf with its cost; if it is not "optimal", with what equal rows prove."""
    targets, objective = problem.targets().merged(), problem.objective
    exact = objective.cost(targets)
    cost: Number = int(exact) if objective.integral else float(exact)
    bound = cost
    if status != "optimal":
        bound = equal_rows_cost(problem.keys(), problem.targets(), objective)
    return Found(
        status=status,
        space=problem.space,
        objective=cost,
        lower_bound=bound,
        gap=cost - bound,
        tree=Leaf(objective.prediction(targets)),
        history=((0.0, cost, bound),),
    )
