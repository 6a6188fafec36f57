"""Weights as integers: exact where they fit, refused where digits would be lost."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.weights import (
    TOTAL_BITS,
    IntegerWeights,
    balanced,
    integer_weights,
    penalty_units,
    with_class_weights,
)


@given(st.lists(st.integers(0, 10**9), min_size=1).filter(any), st.integers(-1050, 900))
def test_whole_multiples_of_a_power_of_two_are_exact(numbers: list[int], power: int) -> None:
    weights = np.ldexp(np.array(numbers, dtype=float), power)
    found = integer_weights(weights)
    assert not found.rounded
    exact = [Fraction(w) for w in weights.tolist()]
    assert [v * found.scale for v in found.values.tolist()] == exact


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=50))
def test_real_weights_lose_next_to_nothing(weights: list[float]) -> None:
    found = integer_weights(np.array(weights))
    total = sum(map(Fraction, weights))
    assert int(found.values.sum()) < 2 ** (TOTAL_BITS + 1)
    for value, weight in zip(found.values.tolist(), weights, strict=True):
        error = abs(value * found.scale - Fraction(weight))
        assert error == 0 or (found.rounded and error <= total / 2 ** (TOTAL_BITS - 1))


def test_a_spread_too_wide_is_refused() -> None:
    with pytest.raises(ValueError, match=r"sample_weight 1e-20 is too small .* set it to 0"):
        integer_weights(np.array([1.0, 1e-20]))


def test_extreme_weights() -> None:
    assert integer_weights(np.array([1e308, 1e308])).values.tolist() != [0, 0]
    assert integer_weights(np.array([5e-324])).values.tolist() == [1]
    assert integer_weights(np.array([0.0])).values.tolist() == [0]


def test_class_weights_multiply() -> None:
    weights = IntegerWeights(np.array([1, 2, 3]), Fraction(1, 2))
    found = with_class_weights(weights, np.array([0, 1, 1]), {1: Fraction(1, 10)})
    assert [v * found.scale for v in found.values.tolist()] == [
        Fraction(1, 2),
        Fraction(1, 10),
        Fraction(3, 20),
    ]


def test_class_weights_that_do_not_fit_are_rounded_once() -> None:
    weights = IntegerWeights(np.full(3, 2**50), Fraction(1))
    factors = {0: Fraction(1, 1013), 1: Fraction(1, 3001)}
    found = with_class_weights(weights, np.array([0, 1, 1]), factors)
    assert found.rounded
    for value, factor in zip(found.values.tolist(), (1013, 3001, 3001), strict=True):
        assert abs(value * found.scale * factor / 2**50 - 1) < 1e-12


def test_balanced_classes_weigh_the_same() -> None:
    weights, labels = np.array([1, 5, 2, 1]), np.array([0, 0, 2, 2])
    factors = balanced(weights, labels)
    found = with_class_weights(IntegerWeights(weights, Fraction(1)), labels, factors)
    assert found.values[:2].sum() == found.values[2:].sum()
    assert found.values.sum() * found.scale == 9


@given(st.floats(1e-9, 10), st.integers(1, 2**50))
def test_a_split_costs_the_penalty_within_its_precision(penalty: float, total: int) -> None:
    factor, cost = penalty_units(Fraction(penalty), total)
    exact = Fraction(penalty) * total * factor
    assert factor * total < 2**TOTAL_BITS
    assert abs(cost - exact) <= max(exact / 10**12, Fraction(factor * total, 2 ** (TOTAL_BITS - 1)))


@pytest.mark.parametrize(("penalty", "total", "units"), [(0.01, 100, (1, 1)), (0.5, 3, (2, 3))])
def test_simple_penalties_keep_the_numbers_small(
    penalty: float, total: int, units: tuple[int, int]
) -> None:
    assert penalty_units(Fraction(penalty), total) == units
