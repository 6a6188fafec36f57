"""Weights and penalties as exact integers.

Every float64 is a whole number of some power of two, so weights are scaled once to 64-bit integers
and sums, comparisons and ties are exact. Where the integers would not fit (total below 2^60), each
weight is rounded once to a multiple of a power of two that is below 2^-59 of the total weight;
weights that this would change noticeably are refused: by 2^-20 of themselves where a row costs its
weight, by 2^-33 in regression, where a row of little weight may cost the most. A class weight is
read as the decimal that Python prints (0.1 is one tenth).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Sums of weights, and the costs of leaves, stay below this, which leaves the engines room to add
# some of them in 64 bits. The native search takes it for infinity.
TOTAL_BITS = 60
COST_LIMIT = 2**TOTAL_BITS
# A weight keeps at least so many of its binary digits.
LEAST_BITS = 20
# A weight of a number to predict is changed by a smaller share than 2^-33.
REGRESSION_BITS = 33
PENALTY_PRECISION = Fraction(1, 10**12)


@dataclass(frozen=True, eq=False)
class IntegerWeights:
    """Integer weights with what one unit is worth: weight = value * scale. `rounded`: nearly."""

    values: Ints
    scale: Fraction
    rounded: bool = False


def integer_weights(weights: Floats, kept: int = LEAST_BITS) -> IntegerWeights:
    """Scale weights, finite and not negative, to integers; exactly if their sum fits 60 bits.

    Otherwise each keeps at least so many binary digits.

    >>> w = integer_weights(np.array([0.5, 0.75, 3.0]))
    >>> w.values.tolist(), w.scale
    ([2, 3, 12], Fraction(1, 4))
    """
    positive = weights[weights > 0]
    if not len(positive):
        return IntegerWeights(np.zeros(len(weights), np.int64), Fraction(1))
    lowest = last_binary_place(positive)
    top = int(np.frexp(positive.max())[1])
    total = np.ldexp(positive, -top).sum()
    digits = top + int(np.frexp(total)[1]) - lowest
    place = lowest if digits <= TOTAL_BITS else lowest + digits - TOTAL_BITS
    values = np.rint(np.ldexp(weights, -place)).astype(np.int64)
    if place > lowest:
        _refuse_lost_digits(weights, values, place, kept)
    return IntegerWeights(values, Fraction(2) ** place, rounded=place > lowest)


def last_binary_place(positive: Floats) -> int:
    """Give the largest p such that all numbers are multiples of 2^p."""
    mantissa, exponent = np.frexp(positive)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    trailing = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int((exponent - 53 + trailing).min())


def _refuse_lost_digits(weights: Floats, values: Ints, place: int, kept: int) -> None:
    changed = np.ldexp(values.astype(np.float64), place) != weights
    lost = (weights > 0) & (values < 2**kept) & changed
    if lost.any():
        small = float(weights[lost].min())
        raise ValueError(
            f"sample_weight {small:g} is too small beside the sum {float(weights.sum()):g}: sums "
            "are kept in 64 bits; raise it, or set it to 0 to leave the row out"
        )


def with_class_weights(
    weights: IntegerWeights, labels: NDArray[np.intp], factors: Mapping[int, Fraction]
) -> IntegerWeights:
    """Multiply the weight of every row by the factor of its class (1 where there is none).

    >>> ones = IntegerWeights(np.ones(2, np.int64), Fraction(1))
    >>> both = with_class_weights(ones, np.array([0, 1]), {0: Fraction(5, 3), 1: Fraction(5, 7)})
    >>> both.values.tolist(), both.scale
    ([7, 3], Fraction(5, 21))
    """
    exact = [factors.get(c, Fraction(1)) for c in range(int(labels.max()) + 1)]
    below = lcm(*(f.denominator for f in exact))
    above = [f.numerator * (below // f.denominator) for f in exact]
    common = gcd(*above) or 1
    whole = [a // common for a in above]
    if int(weights.values.sum()) * max(whole) < COST_LIMIT:
        values = weights.values * np.array(whole, dtype=np.int64)[labels]
        return IntegerWeights(values, weights.scale * Fraction(common, below), weights.rounded)
    product = weights.values * np.array([float(f) for f in exact])[labels]
    again = integer_weights(product)
    return IntegerWeights(again.values, again.scale * weights.scale, rounded=True)


def balanced(weights: Ints, labels: NDArray[np.intp]) -> dict[int, Fraction]:
    """Give every class present the same total: W / (k W_c), by weight and not by rows.

    So a row of weight 2 and the same row twice mean the same here too.

    >>> balanced(np.array([1, 1, 2]), np.array([0, 0, 1]))
    {0: Fraction(1, 1), 1: Fraction(1, 1)}
    """
    totals = {int(c): int(weights[labels == c].sum()) for c in np.unique(labels)}
    present = {c: w for c, w in totals.items() if w}
    return {c: Fraction(sum(present.values()), len(present) * w) for c, w in present.items()}


def penalty_units(penalty: Fraction, total: int, most: int = 0) -> tuple[int, int]:
    """Give (factor, cost): with all weights times `factor`, a split costs penalty * total = `cost`.

    The continued fraction of penalty * total is followed until it is within 1e-12 relative, or the
    total, or the largest cost `most` where that is larger, would leave 60 bits (then the cost is
    within 2^-60 of that).

    >>> penalty_units(Fraction(0.01), 150)
    (2, 3)
    """
    exact, most = penalty * total, max(total, most)
    (p0, q0), (p, q) = (1, 0), (exact.numerator // exact.denominator, 1)
    rest = exact - p
    while rest and abs(Fraction(p, q) - exact) > PENALTY_PRECISION * exact:
        rest = 1 / rest
        step = rest.numerator // rest.denominator
        rest -= step
        (p0, q0), (p, q) = (p, q), (step * p + p0, step * q + q0)
        if q * most >= COST_LIMIT:
            largest = max((COST_LIMIT - 1) // most, 1)
            return largest, round(exact * largest)
    return q, p
