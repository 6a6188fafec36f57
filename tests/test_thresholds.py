"""Thresholds: short, in the middle of the gap, and never on the wrong side of a training row."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactree import solve, tree
from exactree.splits.axis import between

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHORT = st.integers(-(10**6), 10**6).flatmap(
    lambda n: st.integers(0, 6).map(lambda places: n / 10**places)
)


def multiples(low: Fraction, high: Fraction, power: int) -> range:
    """The numbers n with n 10^power between low and high."""
    step = Fraction(10) ** power
    return range(math.ceil(low / step), math.floor(high / step) + 1)


@given(FINITE, FINITE)
@example(0.0, 5e-324)
@example(-5e-324, 5e-324)
@example(-1.7e308, 1.7e308)
@example(1.6e308, 1.7976931348623157e308)
@example(1.0, math.nextafter(1.0, 2.0))
@example(math.nextafter(1.0, 0.0), 1.0)
@example(-0.0, 1e-310)
def test_a_threshold_parts_the_two_values(a: float, b: float) -> None:
    low, high = sorted((a, b))
    if low < high:
        found = between(low, high)
        assert low <= found < high
        assert math.copysign(1, found) == 1 or found < 0 or low == found == 0


@given(SHORT, SHORT)
@example(0.0, 1000.0)
@example(9.7, 10.1)
@example(-0.001, 5.0)
def test_no_number_with_fewer_digits_is_in_the_middle_half(a: float, b: float) -> None:
    low, high = sorted((Fraction(str(a)), Fraction(str(b))))
    if low == high:
        return
    found = Fraction(str(between(float(low), float(high))))
    middle, quarter = (low + high) / 2, (high - low) / 4
    close = quarter / 10**6  # at the ends of the half, float64 decides
    assert abs(found - middle) <= quarter + close
    start, end = middle - quarter + close, middle + quarter - close
    largest = max(abs(start), abs(end))
    power = math.floor(math.log10(largest)) if largest else 0
    while found % Fraction(10) ** power:
        assert not multiples(start, end, power)
        power -= 1
    step = Fraction(10) ** power
    assert abs(found - middle) <= step / 2 + close


@pytest.mark.parametrize("seed", range(20))
def test_training_answers_are_those_of_the_ranks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-12, 12, 3)
    y = rng.integers(0, 2, 40)
    found = solve(X, y, max_depth=3)
    ranks = solve(np.argsort(np.argsort(X, axis=0), axis=0), y, max_depth=3)
    assert found.objective == ranks.objective == (tree.predict(found.tree, X) != y).sum()
