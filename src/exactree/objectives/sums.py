"""Sums of many floats with all digits, as `math.fsum` gives them, in a fraction of its time."""

from __future__ import annotations

from math import frexp, fsum, isfinite, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW = 1000  # numbers for which it does not pay
PASSES = 5  # numbers of sizes so unlike that more are needed are rare


def exact_sum(values: NDArray[Any]) -> float:
    """Give the sum of a vector, rounded once.

    With a power of two B above twice the sum of all |x|, the difference u = (x + B) - B is x
    rounded to a multiple of B / 2^53, and x - u is exact. The sum of all u stays below B, so in
    any order it is a multiple of B / 2^53 of at most 53 digits: exact. The rest is less than B /
    2^52 for each number, and goes the same way with a smaller B until nothing is left.

    >>> exact_sum(np.array([1e16, 1.0, -1e16] * 1000)), np.array([1e16, 1.0, -1e16] * 1000).sum()
    (1000.0, np.float64(66.0))
    """
    if len(values) < FEW:
        return fsum(values.tolist())
    rest = np.asarray(values, dtype=np.float64)
    sums: list[float] = []
    for _ in range(PASSES):
        most = max(float(rest.max()), -float(rest.min()))
        if most == 0:
            return fsum(sums)
        exponent = frexp(most)[1] + len(values).bit_length() + 1
        if not isfinite(most) or exponent > 1000:
            break
        whole = ldexp(1.0, exponent)
        upper = (rest + whole) - whole
        sums.append(float(upper.sum()))
        rest = rest - upper
    return fsum([*sums, *rest.tolist()])


def squared_error(y: NDArray[Any], weights: NDArray[Any]) -> float:
    """Give the weighted squared deviations from the mean.

    >>> squared_error(np.array([1e9, 1e9 + 2.0]), np.array([1.0, 1.0]))
    2.0
    """
    # Sums with all digits throughout: the same rows in another order cost the same.
    total = exact_sum(weights)
    d = y - y.min()
    d = d - exact_sum(weights * d) / total
    # What the rounding of the mean leaves.
    rest = exact_sum(weights * d) / total
    return max(exact_sum(weights * d * d) - rest * rest * total, 0.0)
