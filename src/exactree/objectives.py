"""Objectives: what a leaf costs, how costs combine, and the properties that license a pruning.

An objective is the scheme E(f, g): `leaf_cost` is f, `combine` is g, non-decreasing in both
arguments. Both work on arrays of candidate leaves at once. The statistics of a leaf in
classification are its weights by class, along the last axis.

Properties are promises; a pruning asks for those it needs:
    additive    combine is the sum
    integral    integer statistics give integer costs, so "optimal" is bound equal to objective
    monotone    more samples never cost less (without it the subset bound fails)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


class Objective:
    """Base of all objectives; a subclass is a frozen dataclass with a `name`."""

    name: ClassVar[str]
    task: ClassVar[str]
    additive: ClassVar[bool] = True
    integral: ClassVar[bool] = False
    monotone: ClassVar[bool] = False

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        """Give the cost of the best single prediction, for every leaf."""
        raise NotImplementedError

    def leaf_value(self, statistics: NDArray[Any]) -> NDArray[Any]:
        """Give that prediction; ties go to the lowest class."""
        raise NotImplementedError

    def combine(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        """Put the costs of two subtrees together."""
        return np.asarray(left + right)

    def influence(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Bound what a sample of each weight can add to the cost of any tree."""
        raise NotImplementedError


@dataclass(frozen=True)
class MisclassificationError(Objective):
    """The weight of the samples outside the heaviest class of their leaf.

    Additive and integral. Monotone: in every leaf the heaviest class of more samples leaves at
    least as much outside. A sample adds at most its weight: keep the tree, count it as an error.

    >>> MisclassificationError().leaf_cost(np.array([[3, 1], [2, 2]])).tolist()
    [1, 2]
    """

    name: ClassVar[str] = "error"
    task: ClassVar[str] = "classification"
    integral: ClassVar[bool] = True
    monotone: ClassVar[bool] = True

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        """Give the weight outside the heaviest class."""
        return np.asarray(statistics.sum(axis=-1) - statistics.max(axis=-1))

    def leaf_value(self, statistics: NDArray[Any]) -> NDArray[Any]:
        """Give the heaviest class, the lowest of equals.

        >>> MisclassificationError().leaf_value(np.array([[3, 1], [2, 2]])).tolist()
        [0, 0]
        """
        return np.asarray(statistics.argmax(axis=-1))

    def influence(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Give the weights themselves."""
        return weights


OBJECTIVES: dict[str, type[Objective]] = {"error": MisclassificationError}
DEFAULTS = {"classification": "error"}


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
        name = DEFAULTS[task] if objective is None else objective
        if name not in OBJECTIVES:
            known = ", ".join(map(repr, OBJECTIVES))
            raise ValueError(
                f"objective={objective!r} is unknown: choose one of {known}, or pass an Objective"
            )
        found = OBJECTIVES[name]()
    if found.task != task:
        raise ValueError(f"objective {found.name!r} is for {found.task}, the task is {task!r}")
    return found
