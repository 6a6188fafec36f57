from fractions import Fraction

import numpy as np
import pytest
from geometry.partitions import once_lifted
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from exactree.geometry import dichotomies, polynomial, widest_margin
from exactree.geometry.separation import separate

FAMILIES = ["hyperplane", "sphere", "axis_quadric", "quadric", polynomial(3)]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_every_dichotomy_has_a_surface(family: str) -> None:
    X = np.random.default_rng(2).integers(0, 40, size=(7, 2)) / 10
    found = dichotomies(X, family)
    for k in range(len(found)):
        surface = widest_margin(X, found.side(k), family)
        assert np.array_equal(surface.left(X), found.side(k)) and not surface.exact


def test_the_margin_is_widest_between_two_squares() -> None:
    X = [[0, 0], [0, 1], [1, 0], [1, 1], [4, 0], [4, 1], [5, 0], [5, 1]]
    surface = widest_margin(X, [True] * 4 + [False] * 4, "hyperplane")
    w, t = surface.coefficients, surface.threshold
    assert w[1] == pytest.approx(0) and t / w[0] == pytest.approx(2.5)


def test_both_orientations() -> None:
    X = [[0.0], [1.0], [2.0]]
    for left in ([True, False, False], [False, True, True]):
        assert widest_margin(X, left, "hyperplane").left(X).tolist() == left


def test_iris_dichotomies_are_reproduced_in_any_batch() -> None:
    X = load_iris().data
    stop = once_lifted(X[:, :2], "quadric")
    found = dichotomies(X[:, :2], "quadric", memory_limit=2**40, stop=stop)
    assert not found.complete
    for k in range(0, len(found), len(found) // 8):
        surface = widest_margin(X[:, :2], found.side(k), "quadric")
        left = surface.left(X[:, :2])
        assert np.array_equal(left, found.side(k))
        alone = np.array([surface.left(X[i : i + 1, :2])[0] for i in range(len(X))])
        backwards = surface.left(np.asfortranarray(X[::-1, :2]))[::-1]
        assert np.array_equal(alone, left) and np.array_equal(backwards, left)


def test_neighbouring_floats_are_parted_by_float_coefficients() -> None:
    a = 0.1
    X = [[a, 1.0], [np.nextafter(a, 1), 1.0], [a, 2.0]]
    surface = widest_margin(X, [True, False, True], "hyperplane")
    assert surface.left(X).tolist() == [True, False, True]


def test_integers_where_no_float_coefficients_do() -> None:
    """A point one unit of the determinant off the middle of a long segment: 2^-80 relative."""
    a, b, k = 2**30 + 3, 2**29 + 5, 2**20
    x = pow(a, -1, b) + b * (k // 2)
    y = (a * x - 1) // b
    X = [[0, 0], [b * k, a * k], [x, y]]
    surface = widest_margin(np.array(X, dtype=float), [True, True, False], "hyperplane")
    assert surface.exact and all(isinstance(c, int) for c in surface.coefficients)
    assert surface.left(X).tolist() == [True, True, False]
    u, v = surface.coefficients
    values = [Fraction(u) * p + Fraction(v) * q for p, q in X]
    assert max(values[:2]) <= surface.threshold < values[2]
    assert surface.left([[float(x), float(y)], [0.5, 2.0]]).tolist() == [False, True]


@given(st.integers(0, 2**32))
@settings(max_examples=15)
def test_points_that_rounding_cannot_tell_apart(seed: int) -> None:
    """Values of 17 digits with a margin below the rounding of a product."""
    rng = np.random.default_rng(seed)
    x = 1 + rng.random(5)
    slope = 1 + float(rng.random())
    y = slope * x
    y[2:] = np.nextafter(y[2:], 9)
    X = np.column_stack([x, y, np.ones(5)])
    found = dichotomies(X, "hyperplane")
    for k in range(len(found)):
        surface = widest_margin(X, found.side(k), "hyperplane")
        assert np.array_equal(surface.left(X), found.side(k))
        if surface.exact:
            assert all(isinstance(c, int) for c in (*surface.coefficients, surface.threshold))


def test_impossible_partitions_are_refused() -> None:
    square = [[0, 0], [1, 1], [0, 1], [1, 0]]
    with pytest.raises(ValueError, match="no surface of the family 'hyperplane'"):
        widest_margin(square, [True, True, False, False], "hyperplane")
    assert widest_margin(square, [True, True, False, False], "quadric")
    with pytest.raises(ValueError, match="no surface"):
        widest_margin([[1.0], [1.0]], [True, False], "hyperplane")


def test_bad_partitions() -> None:
    X = [[0.0], [1.0]]
    with pytest.raises(ValueError, match="one side"):
        widest_margin(X, [True, True], "hyperplane")
    with pytest.raises(ValueError, match=r"shape \(1,\), X 2 rows"):
        widest_margin(X, [True], "hyperplane")
    with pytest.raises(ValueError, match="threshold"):
        widest_margin(X, [True, False], "axis")


def test_no_time_left() -> None:
    X, left = [[0.0, 0.0], [1.0, 1.0]], [True, False]
    with pytest.raises(TimeoutError):
        widest_margin(X, left, "hyperplane", seconds_left=lambda: 0.0)

    def late() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        separate([(Fraction(1),), (Fraction(2),)], late)
