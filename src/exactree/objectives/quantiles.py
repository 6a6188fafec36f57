"""Absolute error and quantiles: least sums of distances, weighed by the side they are on."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.native import Quantiles
from exactree.objectives.running import running_quantiles
from exactree.objectives.scheme import Objective, Targets, Values

# So few rows have so few targets that sums over all gaps are faster.
FEW_ROWS = 48


class Distances(Objective):
    """Base: `above` times the distance for targets above the prediction, `below` times for others.

    With the different targets v_1 < v_2 < ... of a node, the least sum is that over all gaps of the
    gap's length times what it costs to be on the wrong side of it: `below` times the weight below,
    or `above` times the weight above, whichever is less. So the statistics are, gap by gap, these
    two products. They are as many as there are targets, so nodes of many rows do without: `cost`
    and `running_costs` need no more memory than the rows.

    Additive. Superadditive, hence monotone: it is a least sum of losses >= 0 over one number. A
    sample adds at most w times the larger of above (y - lo) and below (hi - y), targets in
    [lo, hi]: keep the prediction of the leaf.
    """

    task = "regression"
    monotone = True
    superadditive = True

    @property
    @abstractmethod
    def slopes(self) -> tuple[Fraction, Fraction]:
        """What a unit of distance costs above the prediction, and below it."""

    def native_form(self) -> Quantiles:
        """Say that the native search knows it, in whole numbers."""
        return Quantiles(*self.slopes)

    def _floats(self) -> tuple[float, float]:
        above, below = self.slopes
        return float(above), float(below)

    def statistics(self, targets: Targets) -> Values:
        """Give what the weight below each gap costs, then that above, of every row."""
        above, below = self._floats()
        present, place = np.unique(targets.labels, return_inverse=True)
        gaps = np.diff(targets.values[present])
        under = place[:, None] <= np.arange(len(gaps))
        lengths = targets.weights[:, None] * gaps
        return np.hstack([lengths * under * below, lengths * ~under * above])

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the sum over the gaps of the cheaper side."""
        gaps = statistics.shape[-1] // 2
        lighter = np.minimum(statistics[..., :gaps], statistics[..., gaps:])
        return np.asarray(lighter.sum(axis=-1))

    def _is_plain(self) -> bool:
        """Tell whether a subclass left the definition as it is, so that shorter ways lead to it."""
        own = type(self)
        return own.leaf_cost is Distances.leaf_cost and own.statistics is Distances.statistics

    def cost(self, targets: Targets) -> float:
        """Give the same from the weights below and above each gap."""
        if not self._is_plain():
            return float(super().cost(targets))
        above, below = self._floats()
        present, place = np.unique(targets.labels, return_inverse=True)
        weights = np.bincount(place, weights=targets.weights)
        under, over = weights.cumsum()[:-1], weights[::-1].cumsum()[-2::-1]
        return float(np.diff(targets.values[present]) @ np.minimum(below * under, above * over))

    def running_costs(self, targets: Targets, orders: NDArray[np.intp]) -> Values | None:
        """Find the quantile of each first part, and the sums on its two sides."""
        if len(targets) <= FEW_ROWS or not self._is_plain():
            return None
        return running_quantiles(targets, orders, *self._floats())

    def influence(self, targets: Targets) -> Values:
        """Give w times the larger of above (y - lo) and below (hi - y)."""
        y, (above, below) = targets.y, self._floats()
        return np.asarray(
            targets.weights * np.maximum(above * (y - y.min()), below * (y.max() - y))
        )


@dataclass(frozen=True)
class AbsoluteError(Distances):
    """The weighted sum of distances from the median of the leaf.

    >>> three = Targets(np.array([0, 1, 2]), np.ones(3), np.array([0.0, 1.0, 5.0]))
    >>> AbsoluteError().cost(three)
    5.0
    """

    name = "absolute_error"

    def native_form(self) -> Quantiles:
        """Say that the native search knows it, in whole numbers."""
        return super().native_form()

    @property
    def slopes(self) -> tuple[Fraction, Fraction]:
        """One for both sides."""
        return Fraction(1), Fraction(1)

    def prediction(self, targets: Targets) -> float:
        """Give the median, the middle of the two where any number between is as good."""
        y, below = _sorted(targets)
        half = below[-1] / 2
        low, high = y[np.searchsorted(below, half)], y[np.searchsorted(below, half, side="right")]
        return float(low / 2 + high / 2)


@dataclass(frozen=True)
class Quantile(Distances):
    """The pinball loss: a leaf predicts a quantile of its targets.

    A target y costs q (y - m) above the prediction m, and (1 - q) (m - y) below. Among several best
    predictions a leaf takes the lowest, which is one of its targets.

    Parameters
    ----------
    q : float
        Above 0 and below 1: the share of the rows that shall be below. It is read as the decimal
        that Python prints: 0.9 is nine tenths.

    Examples
    --------
    >>> rows = Targets(np.arange(5), np.ones(5), np.array([0.0, 1.0, 2.0, 3.0, 10.0]))
    >>> Quantile(0.8).prediction(rows), round(Quantile(0.8).cost(rows), 9)
    (3.0, 6.8)
    """

    q: float = 0.5
    name = "quantile"

    def __post_init__(self) -> None:
        if isinstance(self.q, bool) or not 0 < self.q < 1:
            raise ValueError(
                f"q={self.q!r} is not above 0 and below 1: 0.5 is the median, 0.9 has nine tenths "
                "of the rows below"
            )

    def native_form(self) -> Quantiles:
        """Say that the native search knows it, in whole numbers."""
        return super().native_form()

    @property
    def slopes(self) -> tuple[Fraction, Fraction]:
        """The share, and what it lacks of one."""
        share = Fraction(repr(float(self.q)))
        return share, 1 - share

    def prediction(self, targets: Targets) -> float:
        """Give the lowest target with a share q of the weight at or below it."""
        y, below = _sorted(targets)
        # What rounding of the weights may do is no reason to take the next one.
        need = float(self.slopes[0]) * below[-1] * (1 - 1e-12)
        return float(y[min(np.searchsorted(below, need), len(y) - 1)])


def _sorted(targets: Targets) -> tuple[Any, Any]:
    """Give the targets in order, and the weight up to each."""
    order = np.argsort(targets.y, kind="stable")
    return targets.y[order], np.cumsum(targets.weights[order])
