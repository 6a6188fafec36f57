"""What leaves cost by the losses of regression, with many digits; uses nothing of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal, getcontext
from fractions import Fraction
from typing import Any

getcontext().prec = 40

Rows = Iterable[int]
Leaf = Callable[[Rows], Fraction]


def decimal(x: float | Fraction) -> Decimal:
    """All digits of a number."""
    exact = Fraction(x)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def total(numbers: Iterable[Decimal]) -> Decimal:
    """Their sum."""
    return sum(numbers, Decimal(0))


def deviance(y: Any, weights: Any, power: float) -> Leaf:
    """The deviance from the mean, row by row, by the formulas of docs/objectives.md."""
    p = Decimal(repr(power))

    def unit(target: Decimal, m: Decimal) -> Decimal:
        if p == 1:
            return (target * (target / m).ln() if target else Decimal(0)) - target + m
        if p == 2:
            return target / m - 1 - (target / m).ln()
        head = target ** (2 - p) / ((1 - p) * (2 - p)) if target else Decimal(0)
        return head - target * m ** (1 - p) / (1 - p) + m ** (2 - p) / (2 - p)

    def leaf(rows: Rows) -> Fraction:
        inside = [(decimal(weights[i]), decimal(y[i])) for i in rows]
        m = total(w * t for w, t in inside) / total(w for w, _ in inside)
        if m == 0:
            return Fraction(0)
        return Fraction(2 * total(w * unit(t, m) for w, t in inside))

    return leaf


def survival(events: Any, times: Any, weights: Any) -> Leaf:
    """Twice what a constant hazard lacks of the log-likelihood of one for every row."""

    def likelihood(event: Decimal, time: Decimal, hazard: Decimal) -> Decimal:
        return (event * hazard.ln() if event else Decimal(0)) - hazard * time

    def leaf(rows: Rows) -> Fraction:
        inside = [(decimal(weights[i]), decimal(events[i]), decimal(times[i])) for i in rows]
        hazard = total(w * d for w, d, _ in inside) / total(w * t for w, _, t in inside)
        if hazard == 0:
            return Fraction(0)
        best = total(w * likelihood(d, t, d / t if d else Decimal(0)) for w, d, t in inside)
        return Fraction(2 * (best - total(w * likelihood(d, t, hazard) for w, d, t in inside)))

    return leaf


def pinball(y: Any, weights: Any, above: Fraction, below: Fraction) -> Leaf:
    """The least weighted distance from one of the targets."""

    def leaf(rows: Rows) -> Fraction:
        inside = [(Fraction(weights[i]), Fraction(y[i])) for i in rows]
        return min(
            sum(
                (w * (above * (t - m) if t > m else below * (m - t)) for w, t in inside), Fraction()
            )
            for _, m in inside
        )

    return leaf


def squares(y: Any, weights: Any) -> Leaf:
    """Squared deviations from the means of several targets."""

    def leaf(rows: Rows) -> Fraction:
        chosen = list(rows)
        total = sum((Fraction(weights[i]) for i in chosen), Fraction())
        cost = Fraction(0)
        for j in range(len(y[0])):
            mean = (
                sum((Fraction(weights[i]) * Fraction(y[i][j]) for i in chosen), Fraction()) / total
            )
            cost += sum(Fraction(weights[i]) * (Fraction(y[i][j]) - mean) ** 2 for i in chosen)
        return cost

    return leaf
