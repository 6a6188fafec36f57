"""Objectives of regression. Each is the least sum, over one number for a leaf, of losses >= 0.

Such a cost is superadditive, two leaves may choose a number each, and hence monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.native import Outputs, Squares
from exactree.objectives.scheme import Objective, Targets, Values, mean
from exactree.objectives.sums import exact_sum, squared_error


@dataclass(frozen=True)
class SquaredError(Objective):
    """The weighted sum of squared deviations from the mean of the leaf.

    The statistics are w, w d and w d^2 of the deviations d from the mean of the node's rows, so
    that a constant added to all targets, however large, changes nothing.

    A sample adds at most w max((y - lo)^2, (hi - y)^2), targets in [lo, hi]: keep the mean of the
    leaf, which lies between.

    >>> SquaredError().leaf_cost(np.array([[2.0, 2.0, 4.0]])).tolist()
    [2.0]
    """

    name = "squared_error"
    task = "regression"
    monotone = True
    superadditive = True

    def native_form(self) -> Squares:
        """Say that the native search knows it, in whole numbers."""
        return Squares()

    def for_classes(self, classes: NDArray[Any]) -> Objective:  # type: ignore[override]
        """Take several targets as they are: their errors add up."""
        return SquaredErrors() if classes.ndim == 2 else self

    def statistics(self, targets: Targets) -> Values:
        """Give weight, weighted deviation and weighted squared deviation of each row."""
        w, d = targets.weights, targets.y - mean(targets)
        return np.stack([w, w * d, w * d * d], axis=-1)

    def cost(self, targets: Targets) -> float:
        """Add the deviations up with all digits: the same rows in another order cost the same."""
        return squared_error(targets.y, targets.weights)

    def leaf_cost(self, statistics: Values) -> Values:
        """Give w d^2 - (w d)^2 / w; what rounding leaves below zero is zero."""
        w, s, q = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        return np.asarray(np.maximum(q - s * s / w, 0.0))

    def influence(self, targets: Targets) -> Values:
        """Give w max((y - lo)^2, (hi - y)^2)."""
        y = targets.y
        return np.asarray(targets.weights * np.maximum(y - y.min(), y.max() - y) ** 2)


@dataclass(frozen=True)
class SquaredErrors(Objective):
    """The squared error of several targets, added up; a leaf predicts a mean for each.

    It is what `"squared_error"` becomes for y of several columns. Statistics and influence are
    those of `SquaredError`, target by target.

    >>> rows = Targets(np.arange(2), np.ones(2), np.array([[0.0, 1.0], [2.0, 5.0]]))
    >>> SquaredErrors().cost(rows), SquaredErrors().prediction(rows)
    (10.0, (1.0, 3.0))
    """

    name = "squared_error"
    task = "regression"
    monotone = True
    superadditive = True
    many_targets = True

    def native_form(self) -> Outputs:
        """Say that the native search knows it, in whole numbers."""
        return Outputs()

    def statistics(self, targets: Targets) -> Values:
        """Give the weight, the weighted deviations, and their weighted squares in one sum."""
        w, d = targets.weights[:, None], targets.y - np.array(self.prediction(targets))
        return np.hstack([w, w * d, w * (d * d).sum(axis=1, keepdims=True)])

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the squares less what the means explain."""
        w, s, q = statistics[..., 0], statistics[..., 1:-1], statistics[..., -1]
        return np.asarray(np.maximum(q - (s * s).sum(axis=-1) / w, 0.0))

    def cost(self, targets: Targets) -> float:
        """Add the squared deviations up with all digits."""
        d = targets.y - np.array(self.prediction(targets))
        total = float(targets.weights.sum())
        rest = [exact_sum(targets.weights * column) / total for column in d.T]
        squares = exact_sum((targets.weights[:, None] * d * d).reshape(-1))
        return max(squares - total * sum(r * r for r in rest), 0.0)

    def prediction(self, targets: Targets) -> tuple[float, ...]:
        """Give the means."""
        y, w = targets.y, targets.weights
        middle = y[0] + (w @ (y - y[0])) / w.sum()
        return tuple(np.clip(middle, y.min(axis=0), y.max(axis=0)).tolist())

    def influence(self, targets: Targets) -> Values:
        """Give w max((y - lo)^2, (hi - y)^2), added up over the targets."""
        y = targets.y
        farthest = np.maximum(y - y.min(axis=0), y.max(axis=0) - y)
        return np.asarray(targets.weights * (farthest**2).sum(axis=1))
