"""The exact side of a point against the surface through given points, judged by fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from exactree import _native
from exactree.geometry import surface_sides
from exactree.geometry.listing import pack

each_isa = pytest.mark.parametrize("isa", _native.instruction_sets())


def determinant(rows: list[list[int]]) -> Fraction:
    matrix = [[Fraction(x) for x in row] for row in rows]
    result = Fraction(1)
    for k in range(len(matrix)):
        pivot = next((i for i in range(k, len(matrix)) if matrix[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
            result = -result
        result *= matrix[k][k]
        for i in range(k + 1, len(matrix)):
            factor = matrix[i][k] / matrix[k][k]
            matrix[i] = [x - factor * y for x, y in zip(matrix[i], matrix[k], strict=True)]
    return result


def signs(positive: np.ndarray, on: np.ndarray, n: int) -> list[list[int]]:
    def bits(words: np.ndarray) -> np.ndarray:
        return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :n].astype(int)

    assert not (bits(positive) & bits(on)).any()
    table: list[list[int]] = (2 * bits(positive) + bits(on) - 1).tolist()
    return table


def check(rows: list[list[int]], isa: str = "auto") -> None:
    """Every surface through rows against every row."""
    owners = list(combinations(range(len(rows)), len(rows[0]) - 1))
    positive, on = _native.surface_sides(pack(rows), np.array(owners, dtype=np.uint32), isa)
    found = signs(positive, on, len(rows))
    for sides, chosen in zip(found, owners, strict=True):
        for q, side in enumerate(sides):
            exact = determinant([*(rows[i] for i in chosen), rows[q]])
            assert side == (exact > 0) - (exact < 0), (rows, chosen, q)


def shifted(draw_seed: int, d: int, n: int, size: int, noise: int) -> list[list[int]]:
    """Points near a hyperplane with coordinates of `size` bits, off it by up to `noise`."""
    rng = np.random.default_rng(draw_seed)
    words = rng.integers(0, 2**31, size=(n, d, size // 31 + 1))
    rows = []
    for point in words:
        x = [sum(int(w) << 31 * i for i, w in enumerate(word)) - (1 << size) for word in point]
        x[-1] = sum(x[:-1]) + int(rng.integers(-noise, noise + 1))
        rows.append([1, *x])
    return rows


@given(
    seed=st.integers(0, 2**32),
    d=st.integers(1, 4),
    size=st.sampled_from([3, 20, 60, 64, 130, 400]),
    noise=st.integers(0, 3),
    isa=st.sampled_from(_native.instruction_sets()),
)
@settings(max_examples=60)
def test_points_near_a_hyperplane(seed: int, d: int, size: int, noise: int, isa: str) -> None:
    check(shifted(seed, d, d + 3, size, noise), isa)


@each_isa
@pytest.mark.parametrize("value", [2**62, 2**63 - 1, -(2**63), 2**63, 2**127, -(2**127), 10**300])
def test_entries_at_the_limits_of_words(value: int, isa: str) -> None:
    check([[1, value, 0], [1, 0, value], [1, value, value], [1, value - 1, 1], [1, 0, 0]], isa)
    check([[1, value], [1, value + 1], [1, value]], isa)


@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=4, max_size=7))
@settings(max_examples=40)
def test_small_lattice_with_repeated_points(points: list[tuple[int, ...]]) -> None:
    check([[1, *p] for p in points])


def test_columns_of_different_magnitude() -> None:
    check([[1, 10**40 + i, i * i, 10**9 * i**3 % 7] for i in range(7)])


def test_decimal_data_are_exact() -> None:
    X = np.unique(load_iris().data[:, 2:], axis=0)
    tenths = [[1, *(int(v) for v in row)] for row in np.round(10 * X)]
    owners = [(i, j) for j in range(0, len(X), 20) for i in range(j)]
    positive, on = surface_sides(X, "hyperplane", owners)
    found = signs(positive, on, len(X))
    assert sum(side.count(0) for side in found) > 2 * len(owners)  # more than the owners
    for sides, (i, j) in zip(found, owners, strict=True):
        exact = [determinant([tenths[i], tenths[j], q]) for q in tenths]
        assert sides == [(x > 0) - (x < 0) for x in exact]


def test_owners_that_define_no_surface_have_everything_on_it() -> None:
    positive, on = surface_sides([[0, 0], [0, 0], [1, 2]], "hyperplane", [[0, 1]])
    assert positive.tolist() == [[0]] and on.tolist() == [[0b111]]


def test_a_circle_through_three_points() -> None:
    X: list[list[float]] = [[5, 0], [0, 5], [-5, 0], [3, 4], [3, 3.9], [3, 4.1]]
    positive, on = surface_sides(X, "sphere", [[0, 1, 2]])
    assert on.tolist() == [[0b001111]] and positive.tolist() in ([[0b010000]], [[0b100000]])


def test_bad_owners() -> None:
    X = [[0, 0], [1, 0], [1, 2]]
    with pytest.raises(ValueError, match="defined by 2 points"):
        surface_sides(X, "hyperplane", [[0]])
    with pytest.raises(ValueError, match="owner 3: there are 3 points"):
        surface_sides(X, "hyperplane", [[0, 3]])
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        surface_sides(X, "hyperplane", [0, 1])
    with pytest.raises(ValueError, match="thresholds"):
        surface_sides(X, "axis", [[0]])
