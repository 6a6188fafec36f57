"""Rule lists owned by data points."""

from fractions import Fraction

import pytest

from exactree.spec.data import Sample, Samples
from exactree.spec.rules import axis_rules, binary_rules


def points(*xs: tuple[int | Fraction, ...]) -> Samples:
    return tuple(Sample(i, x, 0) for i, x in enumerate(xs))


def test_axis_rules_are_one_per_point_and_coordinate() -> None:
    xs = points((0, 5), (1, 5), (0, 5))
    rules = axis_rules(xs)
    assert len(rules) == 3 * 2
    assert [r.owners for r in rules] == [(0,), (0,), (1,), (1,), (2,), (2,)]
    assert all(r.holds(xs[r.owners[0]]) for r in rules)
    assert rules[0].positive == {0, 2}


def test_axis_rules_with_other_boundaries() -> None:
    xs = points((0,), (1,))
    assert [sorted(r.positive) for r in axis_rules(xs, "both")] == [[0], [0, 1], [0, 1], [1]]
    assert [sorted(r.positive) for r in axis_rules(xs, "all")] == [[0], [], [0, 1], [0]]


def test_binary_rules_hold_where_the_feature_is_one() -> None:
    rules = binary_rules(points((0, 1), (1, 1), (1, 0)))
    assert [r.positive for r in rules] == [{1, 2}, {0, 1}]
    assert all(r.owners == () for r in rules)


@pytest.mark.parametrize(
    ("xs", "message"),
    [
        ((), "xs is empty"),
        (points(()), "0 coordinates"),
        (points((1, 2), (3,)), "sample 1 has 1 coordinates"),
        ((Sample(0, (0.5,), 0),), "sample 0 has 0.5"),  # type: ignore[arg-type]
        ((Sample(0, (1,), 0), Sample(0, (2,), 0)), r"indices repeat: \[0, 0\]"),
    ],
)
def test_bad_samples_are_refused(xs: Samples, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        axis_rules(xs)


def test_bad_values_are_refused() -> None:
    with pytest.raises(ValueError, match="sample 1 has 2: a binary feature"):
        binary_rules(points((1,), (2,)))
    with pytest.raises(ValueError, match="unknown boundary 'left'"):
        axis_rules(points((1,)), "left")
