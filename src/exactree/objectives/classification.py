"""Objectives of classification: errors, and costs by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.native import ClassWeights, CostTable
from exactree.objectives.scheme import Objective, Targets, Values


@dataclass(frozen=True)
class MisclassificationError(Objective):
    """The weight of the samples outside the heaviest class of their leaf.

    With `class_weight="balanced"` this is balanced accuracy: one minus its share of the total.

    Additive and integral. Superadditive, hence monotone: two leaves may choose a class each. A
    sample adds at most its weight: keep the class of the leaf, count the sample as an error.

    >>> MisclassificationError().leaf_cost(np.array([[3, 1], [2, 2]])).tolist()
    [1, 2]
    """

    name = "error"
    task = "classification"
    integral = True
    monotone = True
    superadditive = True

    def native_form(self) -> ClassWeights:
        """Say that it is the native search's own objective."""
        return ClassWeights()

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the weight outside the heaviest class."""
        return np.asarray(statistics.sum(axis=-1) - statistics.max(axis=-1))

    def influence(self, targets: Targets) -> Values:
        """Give the weights themselves."""
        return targets.weights


@dataclass(frozen=True)
class CostMatrix(Objective):
    """What it costs to predict one class for a sample of another, times the sample's weight.

    Additive; integral if all costs are whole numbers. Superadditive, hence monotone: two leaves may
    choose a class each. A sample adds at most its largest cost: keep the class of the leaf.

    Parameters
    ----------
    costs : sequence of sequences
        A row for each true class, a column for each predicted class; finite, not negative.
    classes : sequence or None
        The classes that rows and columns stand for; None: the classes of y in sorted order.

    Examples
    --------
    >>> CostMatrix([[0, 1], [5, 0]]).leaf_cost(np.array([[4, 1], [6, 1]])).tolist()
    [4, 5]
    """

    costs: Sequence[Sequence[float]]
    classes: Sequence[Any] | None = None
    name = "cost_matrix"
    task = "classification"
    monotone = True
    superadditive = True

    def __post_init__(self) -> None:
        table = _read_costs(self.costs)
        object.__setattr__(self, "costs", tuple(map(tuple, table.tolist())))
        if self.classes is not None:
            object.__setattr__(self, "classes", tuple(self.classes))
            if len(set(self.classes)) != len(table):
                raise ValueError(
                    f"classes={self.classes!r} are not {len(table)} different ones: name one for "
                    "each row of the costs"
                )

    @property
    def integral(self) -> bool:  # type: ignore[override]
        """Whether all costs are whole numbers."""
        return all(c == int(c) for row in self.costs for c in row)

    def matrix(self, dtype: Any = np.float64) -> Values:
        """Give the costs as an array."""
        return np.array(self.costs).astype(dtype)

    def native_form(self) -> CostTable | None:
        """Give the costs, if they are whole."""
        return CostTable(self.matrix()) if self.integral else None

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the cost of the cheapest class to predict."""
        return np.asarray(self._by_class(statistics).min(axis=-1))

    def _by_class(self, statistics: Values) -> Values:
        whole = self.integral and statistics.dtype.kind == "i"
        return np.asarray(statistics @ self.matrix(np.int64 if whole else np.float64))

    def statistics(self, targets: Targets) -> Values:
        """Give the weight by class, classes of the matrix that the problem lacks included."""
        found = np.zeros((len(targets), len(self.costs)), dtype=targets.weights.dtype)
        found[np.arange(len(targets)), targets.y] = targets.weights
        return found

    def prediction(self, targets: Targets) -> int:
        """Give the cheapest class, the lowest of equals."""
        return int(self._by_class(self.statistics(targets).sum(axis=0)).argmin())

    def influence(self, targets: Targets) -> Values:
        """Give the largest cost of each sample's class times its weight."""
        whole = self.integral and targets.weights.dtype.kind == "i"
        kind = np.int64 if whole else np.float64
        return np.asarray(self.matrix(kind).max(axis=1)[targets.y] * targets.weights)

    def for_classes(self, classes: NDArray[Any]) -> Self:
        """Choose the rows and columns of the classes of y; refuse a matrix that does not fit."""
        if self.classes is None:
            if len(classes) != len(self.costs):
                raise ValueError(
                    f"the costs have {len(self.costs)} rows and y has {len(classes)} classes "
                    f"({', '.join(map(str, classes[:9]))}): give one row a class, or name them "
                    "with CostMatrix(costs, classes=...)"
                )
            return self
        places = {c: i for i, c in enumerate(self.classes)}
        unknown = [c for c in classes.tolist() if c not in places]
        if unknown:
            raise ValueError(f"the costs have no row for class {unknown[0]!r}: add it to classes")
        chosen = [places[c] for c in classes.tolist()]
        return type(self)(self.matrix()[np.ix_(chosen, chosen)].tolist(), classes.tolist())


def _read_costs(costs: Any) -> Values:
    try:
        table = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"costs are no table of numbers ({error})") from error
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ValueError(
            f"costs have shape {table.shape}: give a square table, a row for each true class and "
            "a column for each predicted class"
        )
    if not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("costs must be finite and not negative: add a constant to each row")
    for given, read in zip(np.array(costs, dtype=object).flat, table.flat, strict=True):
        if isinstance(given, int | np.integer) and int(given) != int(read):
            raise ValueError(
                f"the cost {given} is no float64, which has 53 binary digits: round the costs"
            )
    return table
