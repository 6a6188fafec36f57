"""Deviances: Poisson, gamma, Tweedie, and exponential survival as Poisson with exposure.

The deviance d_p(y, m) of power p is twice

    p = 1        y log(y / m) - y + m                                       Poisson,    y >= 0
    1 < p < 2    y^(2-p) / ((1-p)(2-p)) - y m^(1-p) / (1-p) + m^(2-p) / (2-p)  Tweedie,  y >= 0
    p = 2        y / m - 1 - log(y / m)                                     gamma,      y > 0

It is m^(2-p) h_p(y / m), with h_p(1) = 0. Each is a Bregman divergence: the mean m of some rows
predicts them best, and from any other number c they cost W d(m, c) more, W their weight. So the
cost of a leaf is a function of W, of the sum of w y, and of what its rows cost at the centre c of
their node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from exactree.objectives.native import Deviances
from exactree.objectives.scheme import Objective, Targets, Values
from exactree.objectives.sums import exact_sum

# Closer to one than this, h_p comes from a series of so many terms.
NEAR = 0.125
TERMS = 18


class Deviance(Objective):
    """Base: what the deviances share. Targets become weights and rates, the rest is one formula.

    Additive. Superadditive, hence monotone: it is a least sum of losses >= 0 over one number. What
    a sample adds has no bound: a leaf of zeros predicts zero, where y > 0 is impossible.
    """

    task = "regression"
    monotone = True
    superadditive = True
    power: Any

    def native_form(self) -> Deviances:
        """Say that the native search knows it, in whole numbers."""
        return Deviances(self.power, self.rates)

    def rates(self, targets: Targets) -> tuple[Values, Values]:
        """Give weights and numbers >= 0, of which a leaf predicts the mean."""
        return targets.weights, targets.y

    def check_targets(self, y: Values) -> None:
        """Refuse targets that have no deviance."""
        super().check_targets(y)
        low = float(y.min())
        if low < 0 or (low == 0 and self.power >= 2):
            least = "above" if self.power >= 2 else "at least"
            raise ValueError(
                f"objective {self.name!r} needs targets that are {least} 0, and one is {low:g}: "
                "use 'squared_error', or shift the targets"
            )
        with np.errstate(over="ignore"):
            if not np.isfinite(y.sum()):
                raise ValueError(
                    f"the targets y reach {y.max():g}, and their sum leaves float64: multiply y "
                    "by a constant"
                )

    def statistics(self, targets: Targets) -> Values:
        """Give w c, w y and the deviance from c over c^(1-p), for c the mean of these rows."""
        w, y = self.rates(targets)
        # Where all targets are zero any positive centre will do.
        c = _mean(w, y) or 1.0
        found = np.stack([w * c, w * y, w * c * self._ratio_loss(y / c - 1)], axis=-1)
        return np.asarray(found * c ** (1 - self.power))

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the deviance from the node's mean, less that of the leaf's mean."""
        w, s, q = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        return np.asarray(np.maximum(2 * (q - w * self._ratio_loss(s / w - 1)), 0.0))

    def cost(self, targets: Targets) -> float:
        """Add the deviances from the mean up with all digits."""
        w, y = self.rates(targets)
        m = _mean(w, y)
        if m == 0:
            return 0.0
        return float(2 * m ** (2 - self.power) * exact_sum(w * self._ratio_loss((y - m) / m)))

    def prediction(self, targets: Targets) -> float:
        """Give the mean; a leaf of zeros predicts 0."""
        return _mean(*self.rates(targets))

    def _ratio_loss(self, e: Values) -> Values:
        """Give h_p(1 + e) / 2, with all digits close to e = 0 too.

        >>> f"{PoissonDeviance()._ratio_loss(np.array(1e-9)):.6g}"
        '5e-19'
        """
        near = np.abs(e) < NEAR
        close = np.where(near, e, 0.0)
        series = np.zeros_like(close)
        for factor in reversed(self._series()):
            series = (series + factor) * close
        return np.where(near, series * close, self._far(np.where(near, 1.0, 1 + e)))

    def _series(self) -> list[float]:
        """Give the factors of e^2, e^3, ... in h_p(1 + e) / 2."""
        factors = [0.5]
        for j in range(3, TERMS + 3):
            factors.append(factors[-1] * (3 - self.power - j) / j)
        return factors

    def _far(self, r: Values) -> Values:
        a, c = 2 - self.power, self.power - 1
        positive = np.where(r > 0, r, 1.0)
        if c == 0:
            return np.where(r > 0, r * np.log(positive), 0.0) - r + 1
        if a == 0:
            return r - 1 - np.log(positive)
        return np.asarray((a * r + c - np.where(r > 0, positive**a, 0.0)) / (a * c))


@dataclass(frozen=True)
class PoissonDeviance(Deviance):
    """Twice the weighted sum of y log(y / m) - y + m, m the mean of the leaf; targets >= 0.

    For counts over unlike exposures, y is the count over the exposure and the exposure is the
    weight, as in scikit-learn.

    >>> two = Targets(np.array([0, 1]), np.ones(2), np.array([1.0, 3.0]))
    >>> round(PoissonDeviance().cost(two), 9)
    1.046496288
    """

    name = "poisson"
    power = 1.0

    def native_form(self) -> Deviances:
        """Say that the native search knows it, in whole numbers."""
        return super().native_form()


@dataclass(frozen=True)
class GammaDeviance(Deviance):
    """Twice the weighted sum of y / m - 1 - log(y / m), m the mean of the leaf; targets > 0.

    A constant factor of all targets changes nothing.

    >>> two = Targets(np.array([0, 1]), np.ones(2), np.array([1.0, 3.0]))
    >>> round(GammaDeviance().cost(two), 9)
    0.575364145
    """

    name = "gamma"
    power = 2.0

    def native_form(self) -> Deviances:
        """Say that the native search knows it, in whole numbers."""
        return super().native_form()


@dataclass(frozen=True)
class TweedieDeviance(Deviance):
    """The deviance of a power from 1 (Poisson) to 2 (gamma), for sums of random counts of amounts.

    Parameters
    ----------
    power : float
        From 1 to 2; 1.5 is the usual choice. Targets are at least 0, for power 2 above 0.

    Examples
    --------
    >>> two = Targets(np.array([0, 1]), np.ones(2), np.array([1.0, 3.0]))
    >>> round(TweedieDeviance(1.5).cost(two), 9)
    0.771010537
    """

    power: float = 1.5
    name = "tweedie"

    def native_form(self) -> Deviances:
        """Say that the native search knows it, in whole numbers."""
        return super().native_form()

    def __post_init__(self) -> None:
        if not 1 <= self.power <= 2:
            raise ValueError(
                f"power={self.power!r} is not from 1 to 2: 0 is 'squared_error', 1 'poisson', 2 "
                "'gamma'"
            )


@dataclass(frozen=True)
class ExponentialSurvival(Deviance):
    """Survival times with a constant hazard in each leaf: twice the log-likelihood that it lacks.

    A row is an event (1, or 0 if the row was only watched that long) and a time above 0. A leaf
    predicts its hazard m, the events over the time of its rows, and costs twice the sum of
    w (m time - event - event log(m time)): the deviance of Poisson for events with exposure, which
    is twice what its log-likelihood is below that of a hazard for every row.

    y has two columns, event and time, or is the structured array of scikit-survival, whose first
    field is the event and whose second is the time. More than one event a row is allowed.

    >>> rows = Targets(np.arange(3), np.ones(3), np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 5.0]]))
    >>> ExponentialSurvival().prediction(rows), round(ExponentialSurvival().cost(rows), 9)
    (0.2, 1.832581464)
    """

    name = "exponential_survival"
    power = 1.0
    many_targets = True

    def native_form(self) -> Deviances:
        """Say that the native search knows it, in whole numbers."""
        return super().native_form()

    def check_targets(self, y: Values) -> None:
        """Refuse what is not events and times."""
        if y.ndim != 2 or y.shape[1] != 2:
            raise ValueError(
                f"objective {self.name!r} needs y of two columns, event and time, or the "
                "structured array of scikit-survival"
            )
        event, time = y[:, 0], y[:, 1]
        if event.min() < 0:
            raise ValueError(f"the first column of y has {event.min():g}, and counts events: 0, 1")
        if time.min() <= 0:
            raise ValueError(
                f"the second column of y has {time.min():g}, and is a time: it must be above 0; "
                "leave out rows that were not watched"
            )

    def rates(self, targets: Targets) -> tuple[Values, Values]:
        """Give the times, weighted, and events per time."""
        event, time = targets.y[:, 0], targets.y[:, 1]
        return targets.weights * time, event / time


def _mean(w: Values, y: Values) -> float:
    """Give the weighted mean, between the least and the largest."""
    middle = exact_sum(w * y) / exact_sum(w)
    return min(max(middle, float(y.min())), float(y.max()))
