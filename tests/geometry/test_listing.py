from itertools import product
from math import comb

import numpy as np
import pytest
from geometry.partitions import (
    Points,
    once_lifted,
    partitions,
    partitions_by_programs,
    partitions_by_specification,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from exactree import _native
from exactree.geometry import Dichotomies, count_bound, dichotomies, polynomial
from exactree.geometry.listing import homogeneous, independent_columns, pack

each_isa = pytest.mark.parametrize("isa", _native.instruction_sets())


def cover(n: int, d: int) -> int:
    return sum(comb(n - 1, k) for k in range(d + 1)) - 1


@each_isa
@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 1), (9, 1), (3, 5), (30, 2), (130, 2), (20, 3)])
def test_covers_number_in_general_position(n: int, d: int, isa: str) -> None:
    X = np.random.default_rng(n * d).normal(size=(n, d))
    found = dichotomies(X, "hyperplane", isa=isa)
    assert len(partitions(found)) == cover(n, min(d, n - 1)) and found.complete


def test_covers_number_in_higher_dimension_and_over_many_words() -> None:
    rng = np.random.default_rng(5)
    for n, d in [(12, 6), (25, 4), (560, 1), (600, 2)]:
        assert len(dichotomies(rng.normal(size=(n, d)), "hyperplane")) == cover(n, d)


@pytest.mark.parametrize("family", ["sphere", "axis_quadric", "quadric"])
def test_covers_number_of_embedded_points(family: str) -> None:
    X = np.random.default_rng(3).normal(size=(12, 2))
    needed = {"sphere": 3, "axis_quadric": 4, "quadric": 5}[family]
    assert len(partitions(dichotomies(X, family))) == cover(12, needed)
    assert len(dichotomies(X[:, :1], polynomial(4))) == cover(12, 4)


DEGENERATE: dict[str, Points] = {
    "grid 3x3": list(product(range(3), repeat=2)),
    "cube": list(product(range(2), repeat=3)),
    "collinear": [(i, 2 * i) for i in range(7)],
    "collinear but one": [*((i, i, i) for i in range(6)), (1, 0, 0)],
    "coplanar": [(0, 0, 5), (4, 0, 5), (0, 3, 5), (1, 1, 5), (2, 2, 5), (3, 1, 5), (1, 2, 5)],
    "two lines in space": [*((i, 0, 0) for i in range(4)), *((0, i, 1) for i in range(4))],
    "star": [(0, 0), (1, 0), (-2, 0), (0, 1), (0, -2), (1, 1), (-2, -2), (1, -1), (-3, 3)],
    "simplex": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "fewer rows than columns": [(0, 0, 0, 0), (1, 2, 3, 4)],
    "ten in four dimensions": [*list(product(range(2), repeat=4))[::2], (2, 2, 2, 1), (1,) * 4],
    "prism in four dimensions": [(*p, q, 0) for p in [(0, 0), (1, 0), (0, 1)] for q in range(3)],
}


@each_isa
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_points_by_linear_programs(name: str, isa: str) -> None:
    points = DEGENERATE[name]
    found = dichotomies(points, "hyperplane", isa=isa)
    assert partitions(found) == partitions_by_programs(points, "hyperplane")


@pytest.mark.parametrize("family", ["sphere", "axis_quadric", "quadric"])
def test_curved_families_by_linear_programs(family: str) -> None:
    grid: Points = [(x, y) for x in range(3) for y in range(3)]
    circle: Points = [(5, 0), (3, 4), (4, 3), (0, 5), (-3, 4), (-4, -3), (0, -5), (0, 0)]
    line: Points = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (1, 0)]
    for points in (grid, circle, line):
        expected = partitions_by_programs(points, family)
        assert partitions(dichotomies(points, family)) == expected


def lattice(max_dimension: int) -> st.SearchStrategy[Points]:
    def points(d: int) -> st.SearchStrategy[Points]:
        coordinates = st.tuples(*[st.integers(0, 3)] * d)
        return st.lists(coordinates, min_size=1, max_size=9 - d, unique=True)

    return st.integers(1, max_dimension).flatmap(points)


@given(lattice(4))
@settings(max_examples=60)
def test_lattice_points_by_the_specification(points: Points) -> None:
    expected = partitions_by_specification(points, "hyperplane")
    assert partitions(dichotomies(points, "hyperplane")) == expected


@given(lattice(2), st.sampled_from(["axis", "sphere", "axis_quadric", "quadric"]))
@settings(max_examples=30)
def test_families_by_the_specification(points: Points, family: str) -> None:
    expected = partitions_by_specification(points, family)
    assert partitions(dichotomies(points, family)) == expected


@given(lattice(2))
@settings(max_examples=10)
def test_cubic_curves_by_the_specification(points: Points) -> None:
    expected = partitions_by_specification(points, ("polynomial", 3))
    assert partitions(dichotomies(points, polynomial(3))) == expected


@pytest.mark.fuzz
@given(
    points=st.integers(1, 4).flatmap(
        lambda d: st.lists(
            st.tuples(*[st.integers(0, 6 // d)] * d), min_size=1, max_size=12 - d, unique=True
        )
    ),
    family=st.sampled_from(["hyperplane", "sphere", "axis_quadric"]),
    isa=st.sampled_from(_native.instruction_sets()),
)
@settings(max_examples=500)
def test_crowded_lattices_by_the_specification(points: Points, family: str, isa: str) -> None:
    found = partitions(dichotomies(points, family, isa=isa))
    assert found == partitions_by_specification(points, family)


@given(lattice(3), st.integers(0, 2**32))
@settings(max_examples=30)
def test_affine_images_have_the_same_partitions(points: Points, seed: int) -> None:
    """Huge, skewed coordinates: wide integers and an undecided filter give the same list."""
    rng = np.random.default_rng(seed)
    d = len(points[0])
    matrix = [[int(v) for v in row] for row in rng.integers(-(10**9), 10**9, size=(d, d))]
    shift = [int(v) * 10**12 for v in rng.integers(-9, 9, size=d)]
    moved = [
        [sum(p[i] * matrix[i][j] for i in range(d)) + shift[j] for j in range(d)] for p in points
    ]
    if len(independent_columns([[1, *m] for m in moved])[0]) < len(
        independent_columns([[1, *p] for p in points])[0]
    ):
        return  # a singular matrix
    vectors = independent_columns([[1, *m] for m in moved])
    masks, complete = _native.dichotomies(pack(vectors), 1, None)
    found = Dichotomies(masks, np.arange(len(points), dtype=np.uint32), len(points), complete)
    assert partitions(found) == partitions(dichotomies(points, "hyperplane"))


@given(st.integers(0, 2**32), st.integers(2, 3))
@settings(max_examples=30)
def test_one_unit_off_a_flat(seed: int, d: int) -> None:
    """Points on a hyperplane of huge integers, one of them moved by one unit."""
    rng = np.random.default_rng(seed)
    small = [tuple(int(v) for v in row) for row in rng.integers(-2, 3, size=(8 - d, d - 1))]
    points = sorted({(*p, sum(p)) for p in small} | {(0,) * (d - 1) + (3,)})
    big = 10**30
    near = [tuple(big * v for v in p) for p in points]
    assert partitions(dichotomies_of(near)) == partitions(dichotomies(points, "hyperplane"))
    near[0] = (near[0][0] + 1, *near[0][1:])
    assert partitions(dichotomies_of(near)) == partitions_by_specification(near, "hyperplane")


def dichotomies_of(points: Points) -> Dichotomies:
    """The native list without the division by a common factor."""
    vectors = independent_columns([[1, *p] for p in points])
    masks, complete = _native.dichotomies(pack(vectors), 1, None)
    return Dichotomies(masks, np.arange(len(points), dtype=np.uint32), len(points), complete)


def test_columns_of_very_different_magnitude() -> None:
    rng = np.random.default_rng(8)
    X = rng.integers(0, 4, size=(9, 3)).astype(float)
    expected = partitions(dichotomies(X, "hyperplane"))
    assert partitions(dichotomies(X * [1e-200, 1.0, 1e250], "hyperplane")) == expected
    mixed = [[1e-30, 1e30], [1.0, 2e-30], [3e20, 1.0], [5.0, 7.0], [2e30, 2e-20]]
    points = homogeneous([[int(v * 10**30) for v in row] for row in mixed], polynomial(1))
    found = partitions(dichotomies(mixed, "hyperplane"))
    assert found == partitions_by_specification([tuple(p[1:]) for p in points], "hyperplane")


def test_iris_petals() -> None:
    X = load_iris().data[:, 2:]
    found = dichotomies(X, "hyperplane")
    tenths = dichotomies(np.round(X * 10).astype(int), "hyperplane")
    assert np.array_equal(found.masks, tenths.masks)
    assert len(found) < count_bound(found.points, 3)  # far from general position
    subset = np.unique(X, axis=0)[::15]
    points = [tuple(int(v) for v in row) for row in np.round(subset * 10)]
    assert partitions(dichotomies(subset, "hyperplane")) == partitions_by_programs(
        points, "hyperplane"
    )


def test_duplicate_rows_stay_together() -> None:
    X = [[0, 0], [1, 0], [0, 0], [0, 1], [1, 0]]
    found = dichotomies(X, "hyperplane")
    assert found.points == 3 and found.rows.tolist() == [0, 1, 0, 2, 1]
    assert [found.side(k).tolist() for k in range(3)] == [
        [True, False, True, False, False],
        [True, True, True, False, True],
        [True, False, True, True, False],
    ]
    assert found.expanded()[:, 0].tolist() == [0b00101, 0b10111, 0b01101]


def test_expansion_over_several_words() -> None:
    X = [[i % 70] for i in range(140)]
    found = dichotomies(X, "hyperplane")
    expanded = found.expanded()
    assert expanded.shape == (69, 3)
    for k in (0, 33, 68):
        bits = np.unpackbits(expanded[k].view(np.uint8), bitorder="little")[:140]
        assert np.array_equal(bits.astype(bool), found.side(k))


def test_row_order_and_constant_columns_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, size=(12, 2))
    order = rng.permutation(12)

    def sides(table: np.ndarray, back: np.ndarray) -> set[frozenset[int]]:
        found = dichotomies(table, "hyperplane")
        left = [found.side(k)[back] for k in range(len(found))]
        return {frozenset(np.flatnonzero(s if s[0] else ~s).tolist()) for s in left}

    expected = sides(X, np.arange(12))
    assert sides(X[order], np.argsort(order)) == expected
    padded = np.column_stack([X, np.full(12, 7), X[:, 0], X @ [2, 3]])
    assert sides(padded, np.arange(12)) == expected


def test_one_point_or_constant_columns_have_no_partition() -> None:
    assert len(dichotomies([[1.0, 2.0]], "hyperplane")) == 0
    assert len(dichotomies([[3], [3]], "quadric")) == 0
    assert len(dichotomies([[3], [3]], "axis")) == 0


def test_too_many_are_refused_with_what_would_fit() -> None:
    X = np.random.default_rng(0).normal(size=(200, 4))
    with pytest.raises(ValueError, match=r"up to 64704850 dichotomies .* 128 rows would fit"):
        dichotomies(X, "hyperplane", memory_limit=2**28)


def test_too_wide_integers_and_too_many_coefficients_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"need integers of .* bits, the widest here have 4096"):
        dichotomies(rng.normal(size=(9, 1)) * 10.0 ** rng.integers(-300, 300, (9, 1)), "quadric")
    with pytest.raises(ValueError, match="surfaces with 22 coefficients, at most 20"):
        dichotomies(rng.normal(size=(23, 21)), "hyperplane")


def test_stop_ends_the_listing() -> None:
    X = np.random.default_rng(1).normal(size=(150, 3))
    with pytest.raises(TimeoutError):  # nothing is there to list yet
        dichotomies(X, "hyperplane", stop=lambda: True)
    found = dichotomies(X, "hyperplane", stop=once_lifted(X, "hyperplane"))
    assert not found.complete and 0 < len(found) < cover(150, 3)
    assert dichotomies(X, "hyperplane", stop=lambda: False).complete


def test_an_error_in_stop_is_raised() -> None:
    def broken() -> bool:
        raise RuntimeError("no clock")

    X = np.random.default_rng(1).normal(size=(150, 3))
    with pytest.raises(RuntimeError, match="no clock"):
        dichotomies(X, "hyperplane", stop=broken)
