"""Objectives: what a leaf costs, how costs combine, and the properties that license a pruning."""

from __future__ import annotations

from exactree.objectives.classification import CostMatrix, MisclassificationError
from exactree.objectives.declarations import check_declarations
from exactree.objectives.deviances import (
    ExponentialSurvival,
    GammaDeviance,
    PoissonDeviance,
    TweedieDeviance,
)
from exactree.objectives.quantiles import AbsoluteError, Quantile
from exactree.objectives.ratios import RATIOS, BalancedError, FBeta, Jaccard
from exactree.objectives.regression import SquaredError
from exactree.objectives.scheme import Objective, Targets
from exactree.suggesting import did_you_mean

__all__ = [
    "DEFAULTS",
    "OBJECTIVES",
    "AbsoluteError",
    "BalancedError",
    "CostMatrix",
    "ExponentialSurvival",
    "FBeta",
    "GammaDeviance",
    "Jaccard",
    "MisclassificationError",
    "Objective",
    "PoissonDeviance",
    "Quantile",
    "SquaredError",
    "Targets",
    "TweedieDeviance",
    "as_objective",
    "check_declarations",
]

# What needs no parameters has a name.
OBJECTIVES: dict[str, type[Objective]] = {
    "error": MisclassificationError,
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "poisson": PoissonDeviance,
    "gamma": GammaDeviance,
    "tweedie": TweedieDeviance,
    "exponential_survival": ExponentialSurvival,
}
DEFAULTS = {"classification": "error", "regression": "squared_error"}
# Ratios and ranks over all samples: no cost of single leaves adds up to them.
NOT_DECOMPOSABLE = ("precision", "recall", "roc_auc", "auc", "mcc")


def as_objective(objective: Objective | str | None, task: str = "classification") -> Objective:
    """Take an objective, look up its name, or choose the default of the task.

    >>> as_objective("error")
    MisclassificationError()
    >>> as_objective("accuracy")
    Traceback (most recent call last):
    ...
    ValueError: objective='accuracy' is unknown: choose one of 'error', 'f1', 'jaccard', \
'balanced_error', or pass an Objective
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
            "leaves, so best subtrees need not make a best tree; use 'f1', class_weight or "
            "CostMatrix"
        )
    if name not in OBJECTIVES:
        names = [name for name, of in OBJECTIVES.items() if of.task == task]
        known = ", ".join(map(repr, [*names, *(RATIOS if task == "classification" else ())]))
        raise ValueError(
            f"objective={name!r} is unknown: choose one of {known}, or pass an Objective"
            + did_you_mean(name, OBJECTIVES)
        )
    return OBJECTIVES[name]()
