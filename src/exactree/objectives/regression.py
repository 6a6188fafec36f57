"""Objectives of regression. Each is the least sum, over one number for a leaf, of losses >= 0.

Such a cost is superadditive, two leaves may choose a number each, and hence monotone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.medians import running_medians
from exactree.objectives.scheme import Objective, Targets, Values, mean

# So few rows have so few targets that sums over all gaps are faster.
FEW_ROWS = 48


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

    def statistics(self, targets: Targets) -> Values:
        """Give weight, weighted deviation and weighted squared deviation of each row."""
        w, d = targets.weights, targets.y - mean(targets)
        return np.stack([w, w * d, w * d * d], axis=-1)

    def leaf_cost(self, statistics: Values) -> Values:
        """Give w d^2 - (w d)^2 / w; what rounding leaves below zero is zero."""
        w, s, q = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        return np.asarray(np.maximum(q - s * s / w, 0.0))

    def influence(self, targets: Targets) -> Values:
        """Give w max((y - lo)^2, (hi - y)^2)."""
        y = targets.y
        return np.asarray(targets.weights * np.maximum(y - y.min(), y.max() - y) ** 2)


@dataclass(frozen=True)
class AbsoluteError(Objective):
    """The weighted sum of distances from the median of the leaf.

    With the different targets v_1 < v_2 < ... of a node, the sum is that over all gaps of the
    gap's length times the weight on its lighter side: the median lies on the heavier one, and
    every sample of the lighter side is the whole gap farther away from it. So the statistics are,
    gap by gap, length times weight below and length times weight above. They are as many as there
    are targets, so nodes of many rows do without: `cost` and `running_costs` need no more memory
    than the rows.

    A sample adds at most w max(y - lo, hi - y), targets in [lo, hi]: keep the median of the leaf.

    >>> three = Targets(np.array([0, 1, 2]), np.ones(3), np.array([0.0, 1.0, 5.0]))
    >>> float(AbsoluteError().leaf_cost(AbsoluteError().statistics(three).sum(axis=0)))
    5.0
    """

    name = "absolute_error"
    task = "regression"
    monotone = True
    superadditive = True

    def statistics(self, targets: Targets) -> Values:
        """Give length times weight below each gap, then above each gap, of every row."""
        present, place = np.unique(targets.labels, return_inverse=True)
        gaps = np.diff(targets.values[present])
        below = place[:, None] <= np.arange(len(gaps))
        lengths = targets.weights[:, None] * gaps
        return np.hstack([lengths * below, lengths * ~below])

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the sum over the gaps of the lighter side."""
        gaps = statistics.shape[-1] // 2
        lighter = np.minimum(statistics[..., :gaps], statistics[..., gaps:])
        return np.asarray(lighter.sum(axis=-1))

    def _is_plain(self) -> bool:
        """Tell whether a subclass left the definition as it is, so that shorter ways lead to it."""
        own = type(self)
        return (
            own.leaf_cost is AbsoluteError.leaf_cost and own.statistics is AbsoluteError.statistics
        )

    def cost(self, targets: Targets) -> float:
        """Give the same from the weights below and above each gap."""
        if not self._is_plain():
            return float(super().cost(targets))
        present, place = np.unique(targets.labels, return_inverse=True)
        weights = np.bincount(place, weights=targets.weights)
        below, above = weights.cumsum()[:-1], weights[::-1].cumsum()[-2::-1]
        return float(np.diff(targets.values[present]) @ np.minimum(below, above))

    def running_costs(self, targets: Targets, orders: NDArray[np.intp]) -> Values | None:
        """Find the median of each first part, and the sums on its two sides."""
        if len(targets) <= FEW_ROWS or not self._is_plain():
            return None
        return running_medians(targets, orders)

    def prediction(self, targets: Targets) -> float:
        """Give the median, the middle of the two where any number between is as good."""
        order = np.argsort(targets.y)
        y, below = targets.y[order], np.cumsum(targets.weights[order])
        half = below[-1] / 2
        low, high = y[np.searchsorted(below, half)], y[np.searchsorted(below, half, side="right")]
        return float(low / 2 + high / 2)

    def influence(self, targets: Targets) -> Values:
        """Give w max(y - lo, hi - y)."""
        y = targets.y
        return np.asarray(targets.weights * np.maximum(y - y.min(), y.max() - y))


@dataclass(frozen=True)
class PoissonDeviance(Objective):
    """Twice the weighted sum of y log(y / m) - y + m, m the mean of the leaf; targets >= 0.

    The statistics are relative to the mean c of the node's rows: w c, w y, w (y log(y/c) - y + c).
    A sample's influence has no bound: a leaf of zeros predicts zero, where y > 0 is impossible.

    >>> two = Targets(np.array([0, 1]), np.ones(2), np.array([1.0, 3.0]))
    >>> round(float(PoissonDeviance().leaf_cost(PoissonDeviance().statistics(two).sum(axis=0))), 9)
    1.046496288
    """

    name = "poisson"
    task = "regression"
    monotone = True
    superadditive = True

    def statistics(self, targets: Targets) -> Values:
        """Give w c, w y and the deviance from c, for c the mean of these rows."""
        w, y = targets.weights, targets.y
        if (y < 0).any():
            raise ValueError(
                f"objective 'poisson' needs targets that are at least 0, and one is {y.min():g}: "
                "use 'squared_error', or shift the targets"
            )
        with np.errstate(over="ignore"):
            total = float(w @ y)
        if not np.isfinite(total):
            raise ValueError(
                f"the targets y reach {y.max():g}, and their sum leaves float64: multiply y by a "
                "constant"
            )
        # Where all targets are zero any positive centre will do.
        c = mean(targets) or 1.0
        return np.stack([w * c, w * y, w * c * _deviance(y / c)], axis=-1)

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the deviance from the node's mean, less that of the leaf's mean."""
        w, s, q = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        return np.asarray(np.maximum(2 * (q - w * _deviance(s / w)), 0.0))


def _deviance(ratio: Values) -> Values:
    """Give r log r - r + 1, which is 1 at r = 0 and 0 at r = 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ratio > 0, ratio * np.log(ratio), 0.0) - ratio + 1
