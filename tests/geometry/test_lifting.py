from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from exactree.geometry import lift
from exactree.geometry.lifting import decimal_of


def test_a_decimal_is_what_it_says() -> None:
    lifted = lift([[0.1, 1e300], [0.3, 2e300], [-0.25, 0.0]])
    assert lifted.rows == ((10, 1), (30, 2), (-25, 0))
    assert lifted.powers == (-2, 300)


def test_iris_is_in_millimetres() -> None:
    X = load_iris().data
    lifted = lift(X)
    assert lifted.powers == (-1, -1, -1, -1)
    assert np.array_equal(np.array(lifted.rows), np.round(10 * X).astype(int))


def test_iris_petals_keep_their_collinear_triples() -> None:
    points = np.unique(np.array(lift(load_iris().data[:, 2:]).rows), axis=0)
    binary = [[Fraction(float(v) / 10) for v in p] for p in points]  # what float64 really says

    def collinear(p: list[list[Fraction]], i: int, j: int, k: int) -> bool:
        (ax, ay), (bx, by), (cx, cy) = p[i], p[j], p[k]
        return (bx - ax) * (cy - ay) == (by - ay) * (cx - ax)

    decimal = [[Fraction(int(v)) for v in p] for p in points]
    triples = [(i, j, k) for i in range(30) for j in range(i) for k in range(j)]
    on_paper = sum(collinear(decimal, *t) for t in triples)
    in_binary = sum(collinear(binary, *t) for t in triples)
    assert in_binary < on_paper


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_lifting_round_trips(column: list[float]) -> None:
    lifted = lift([[x] for x in column])
    unit = Fraction(10) ** lifted.powers[0]
    for x, (i,) in zip(column, lifted.rows, strict=True):
        assert i * unit == Fraction(repr(x)) and float(i * unit) == x


def test_float32_and_integers_are_read_as_they_print() -> None:
    assert lift(np.array([[0.1], [2.5]], dtype=np.float32)).rows == ((1,), (25,))
    assert lift(np.array([[2**62], [1]])).rows == ((2**62,), (1,))
    assert lift([[True], [False]]).rows == ((1,), (0,))
    assert decimal_of(np.int8(-3)) == -3


def test_one_power_for_all_columns() -> None:
    assert lift([[0.5, 10.0]], common=True).powers == (-1, -1)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0.0, np.nan]], "column 1"),
        ([[np.inf, 0.0]], "column 0"),
        ([1.0, 2.0], r"shape \(2,\)"),
        (np.empty((0, 2)), "at least one"),
        ([["a"]], "give numbers"),
    ],
)
def test_bad_input(X: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lift(X)  # type: ignore[arg-type]
