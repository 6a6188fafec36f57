"""What of an objective the native search knows.

An objective says in `native_form()` which of these forms it has, and engines ask for nothing else.
To add a form: a class here, its kernel in `cpp/search/targets`, its case in `engines/search.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class NativeForm:
    """A way in which the native search costs leaves over rank columns; base of them all."""

    over_partitions: ClassVar[bool] = False
    """Whether it is known over partitions that are no thresholds, listed or not, too."""

    over_surfaces: ClassVar[bool] = False
    """Whether the local search over surfaces knows it."""


class ClassWeights(NativeForm):
    """The weight of the rows outside the heaviest class."""

    over_partitions = True
    over_surfaces = True


@dataclass(frozen=True, eq=False)
class CostTable(NativeForm):
    """The weights of the classes times whole costs, for the cheapest answer.

    Parameters
    ----------
    costs : (V, V) floats, whole numbers
        What a row of each class costs, for each class that a leaf may answer with.
    """

    costs: NDArray[np.float64]

    def whole(self) -> NDArray[np.int64]:
        """Give the costs as integers, once they are known to fit."""
        return np.ascontiguousarray(self.costs.astype(np.int64))


@dataclass(frozen=True, eq=False)
class PricedRows(NativeForm):
    """Costs of every row for each answer, for the cheapest answer of a leaf.

    Parameters
    ----------
    table : (rows, A) int64
        The costs, not negative; a label says which row of the table is a row's.
    """

    table: NDArray[np.int64]
    over_partitions = True
    over_surfaces = True


class Squares(NativeForm):
    """The weighted squared deviations from the mean."""

    over_surfaces = True


@dataclass(frozen=True, eq=False)
class Deviances(NativeForm):
    """The deviance of a power from the mean of a leaf: 1 Poisson, 2 gamma, between them Tweedie.

    Parameters
    ----------
    power : float
        From 1 to 2.
    rates : callable
        Gives the weights and numbers that some `Targets` stand for.
    """

    power: float
    rates: Callable[[Any], tuple[NDArray[Any], NDArray[Any]]]


@dataclass(frozen=True, eq=False)
class Quantiles(NativeForm):
    """Weighted distances from a quantile.

    Parameters
    ----------
    above, below : Fraction
        What a unit of distance costs for rows above the prediction, and for those below.
    """

    above: Fraction
    below: Fraction


class Outputs(NativeForm):
    """The weighted squared deviations of several targets from their means, added up."""


def is_error(objective: Any) -> bool:
    """Tell whether an objective is the weight of the misclassified rows, and nothing else."""
    return isinstance(objective.native_form(), ClassWeights)
