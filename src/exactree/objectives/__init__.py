"""Objectives: what a leaf costs, how costs combine, and the properties that license a pruning."""

from __future__ import annotations

from exactree.objectives.classification import CostMatrix, MisclassificationError
from exactree.objectives.declarations import check_declarations
from exactree.objectives.regression import AbsoluteError, PoissonDeviance, SquaredError
from exactree.objectives.scheme import Objective, Targets
from exactree.suggesting import did_you_mean

__all__ = [
    "DEFAULTS",
    "OBJECTIVES",
    "AbsoluteError",
    "CostMatrix",
    "MisclassificationError",
    "Objective",
    "PoissonDeviance",
    "SquaredError",
    "Targets",
    "as_objective",
    "check_declarations",
]

# What needs no parameters has a name.
OBJECTIVES: dict[str, type[Objective]] = {
    "error": MisclassificationError,
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "poisson": PoissonDeviance,
}
DEFAULTS = {"classification": "error", "regression": "squared_error"}
# Ratios and ranks over all samples: no cost of single leaves adds up to them.
NOT_DECOMPOSABLE = ("f1", "f_beta", "jaccard", "precision", "roc_auc", "auc", "mcc")


def as_objective(objective: Objective | str | None, task: str = "classification") -> Objective:
    """Take an objective, look up its name, or choose the default of the task.

    >>> as_objective("error")
    MisclassificationError()
    >>> as_objective("accuracy")
    Traceback (most recent call last):
    ...
    ValueError: objective='accuracy' is unknown: choose one of 'error', or pass an Objective
    """
    if isinstance(objective, Objective):
        found = objective
    else:
        found = _by_name(objective, task)
    if found.task != task:
        raise ValueError(
            f"objective {found.name!r} is for {found.task}, the task is {task!r}: pass "
            f"task={found.task!r} or another objective"
        )
    return found


def _by_name(name: str | None, task: str) -> Objective:
    name = DEFAULTS[task] if name is None else name
    if name in NOT_DECOMPOSABLE:
        raise ValueError(
            f"objective={name!r} does not decompose: it is no combination of costs of single "
            "leaves, so best subtrees need not make a best tree; use class_weight or CostMatrix"
        )
    if name not in OBJECTIVES:
        known = ", ".join(repr(n) for n, o in OBJECTIVES.items() if o.task == task)
        raise ValueError(
            f"objective={name!r} is unknown: choose one of {known}, or pass an Objective"
            + did_you_mean(name, OBJECTIVES)
        )
    return OBJECTIVES[name]()
