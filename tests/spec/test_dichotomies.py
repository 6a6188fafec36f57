"""All dichotomies of a set, against an exact linear program that knows nothing about flats."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.spec.data import Rule, Sample, Samples
from exactree.spec.embedding import embed_m, embedding
from exactree.spec.flats import side, to_integers
from exactree.spec.rules import Family, dichotomies, gen_splits

Point = tuple[int, ...]
Vectors = list[tuple[int, ...]]


def points(*xs: tuple[int | Fraction, ...]) -> Samples:
    return tuple(Sample(i, x, 0) for i, x in enumerate(xs))


# --- the oracle: Gordan's theorem, by a simplex method in fractions -------------------------------


def nonnegative_solution_exists(a: list[list[int]], b: list[int]) -> bool:
    """Phase one of the simplex method with Bland's rule: is there x >= 0 with a x = b (b >= 0)?"""
    m, n = len(a), len(a[0])
    rows = [[Fraction(v) for v in row] + [Fraction(rhs)] for row, rhs in zip(a, b, strict=True)]
    cost = [sum((row[j] for row in rows), Fraction(0)) for j in range(n + 1)]
    basic = list(range(n, n + m))  # the artificial variables, whose sum is made small
    while (enter := next((j for j in range(n) if cost[j] > 0), None)) is not None:
        # The sum of the artificial variables is bounded below, so some row always limits the step.
        leave = min(
            (i for i in range(m) if rows[i][enter] > 0),
            key=lambda i: (rows[i][n] / rows[i][enter], basic[i]),
        )
        pivot = [v / rows[leave][enter] for v in rows[leave]]
        for i in range(m):
            rows[i] = [v - rows[i][enter] * p for v, p in zip(rows[i], pivot, strict=True)]
        cost = [v - cost[enter] * p for v, p in zip(cost, pivot, strict=True)]
        rows[leave], basic[leave] = pivot, enter
    return cost[n] == 0


def separable(signed: Vectors) -> bool:
    """Either some w has w . v > 0 for all v, or a convex combination of them is zero: not both."""
    columns = [[v[c] for v in signed] for c in range(len(signed[0]))]
    return not nonnegative_solution_exists(
        [*columns, [1] * len(signed)], [0] * len(signed[0]) + [1]
    )


def partitions_by_program(xs: list[Point], rho: Callable[[Point], Point]) -> set[frozenset[int]]:
    """The sides that hold point 0, of all 2^(n-1) - 1 partitions, that a linear program allows."""
    distinct = list(dict.fromkeys(xs))
    vs = [(*rho(x), 1) for x in distinct]
    found = set()
    for rest in product((1, -1), repeat=len(vs) - 1):
        signs = (1, *rest)
        signed = [tuple(s * a for a in v) for s, v in zip(signs, vs, strict=True)]
        if -1 in signs and separable(signed):
            found.add(frozenset(i for i, x in enumerate(xs) if signs[distinct.index(x)] == 1))
    return found


def plain(x: Point) -> Point:
    return x


def plus_norm(x: Point) -> Point:
    return (*x, sum(a * a for a in x))


def plus_squares(x: Point) -> Point:
    return (*x, *(a * a for a in x))


def plus_products(x: Point) -> Point:
    return (*x, *(x[i] * x[j] for i in range(len(x)) for j in range(i + 1)))


ORACLES: dict[str, Callable[[Point], Point]] = {
    "hyperplane": plain,
    "sphere": plus_norm,
    "axis_quadric": plus_squares,
    "quadric": plus_products,
}


def named_sides(rules: list[Rule], xs: Samples) -> list[frozenset[int]]:
    """For each rule the side that holds the first sample."""
    everyone = frozenset(s.index for s in xs)
    return [r.positive if xs[0].index in r.positive else everyone - r.positive for r in rules]


def assert_exactly_the_dichotomies(xs: list[Point], family: str) -> None:
    rules = dichotomies(points(*xs), family)
    sides = named_sides(rules, points(*xs))
    assert len(set(sides)) == len(sides)
    assert set(sides) == partitions_by_program(xs, ORACLES[family])


def test_the_oracle_knows_easy_cases() -> None:
    assert partitions_by_program([(0,), (1,), (2,)], plain) == {frozenset({0}), frozenset({0, 1})}
    assert len(partitions_by_program([(0, 0), (0, 1), (1, 0), (1, 1)], plain)) == 6


# --- surfaces ------------------------------------------------------------------------------------

GRIDS: list[list[Point]] = [
    [(0,), (3,), (1,), (1,)],
    [(i, j) for i in range(3) for j in range(3)],
    [(i, j) for i in range(4) for j in range(2)],
    [(i, 2 * i) for i in range(5)],
    [*((i, 0) for i in range(4)), (1, 1), (1, 2), (2, 5)],
    [(i, j, k) for i in range(2) for j in range(2) for k in range(2)],
    [*((i, j, 1) for i in range(3) for j in range(2)), (0, 0, 0), (2, 0, 5)],
    [*((i, i, i) for i in range(4)), (0, 1, 0), (0, 2, 0)],
    [(5, 5), (5, 5), (0, 1), (0, 1), (2, 2)],
    [(1, 2, 3)],
    [(1, 2, 3), (1, 2, 3)],
    [(1, 2, 3), (3, 2, 1)],
]


# The program's work doubles with every point, so quadrics of the larger sets are one example only.
CASES = [(xs, f) for f in ORACLES for xs in GRIDS if len(xs) <= 7 or f in ("hyperplane", "sphere")]


@pytest.mark.parametrize(("xs", "family"), [*CASES, (GRIDS[1], "quadric")], ids=str)
def test_degenerate_sets(xs: list[Point], family: str) -> None:
    assert_exactly_the_dichotomies(xs, family)


@st.composite
def small_sets(draw: st.DrawFn) -> list[Point]:
    dimension = draw(st.integers(1, 3))
    coordinate = st.integers(-2, 2)
    point = st.tuples(*[coordinate] * dimension)
    return draw(st.lists(point, min_size=1, max_size=7))


@given(small_sets(), st.sampled_from(list(ORACLES)))
def test_random_sets_of_small_integers(xs: list[Point], family: str) -> None:
    assert_exactly_the_dichotomies(xs, family)


@given(small_sets(), st.sampled_from(list(ORACLES)))
@settings(max_examples=40)
def test_the_form_of_a_rule_is_a_surface_that_makes_it(xs: list[Point], family: str) -> None:
    samples = points(*xs)
    for r in dichotomies(samples, family):
        assert isinstance(r.form, tuple)
        name, chain = r.form
        rho = embedding(name)
        signs = {s.index: side(chain, to_integers(rho(s.x))) for s in samples}
        assert {i for i, sign in signs.items() if sign == 1} == r.positive
        assert 0 not in signs.values()


def moment_curve(n: int, d: int) -> list[Point]:
    """Points of which no d + 1 lie in a hyperplane."""
    return [tuple(t**e for e in range(1, d + 1)) for t in range(-(n // 2), n - n // 2)]


@pytest.mark.parametrize(("n", "d"), [(1, 1), (6, 1), (7, 2), (9, 2), (4, 3), (8, 3), (6, 4)])
def test_covers_number_in_general_position(n: int, d: int) -> None:
    cover = sum(comb(n - 1, k) for k in range(d + 1))
    assert len(dichotomies(points(*moment_curve(n, d)), "hyperplane")) == cover - 1


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_polynomials_on_a_line_change_sign_at_most_degree_times(degree: int) -> None:
    xs = points(*[(i,) for i in range(6)])
    assert len(dichotomies(xs, ("polynomial", degree))) == sum(
        comb(5, k) for k in range(1, degree + 1)
    )


def test_polynomials_of_degree_one_and_two_are_hyperplanes_and_quadrics() -> None:
    xs = points(*GRIDS[4])
    for degree, name in [(1, "hyperplane"), (2, "quadric")]:
        by_degree = dichotomies(xs, ("polynomial", degree))
        assert named_sides(by_degree, xs) == named_sides(dichotomies(xs, name), xs)


def test_fractions_are_exact() -> None:
    third = Fraction(1, 3)
    collinear = points((0, 0), (third, third), (2 * third, 2 * third), (1, 1))
    assert len(dichotomies(collinear, "hyperplane")) == 3


def test_indices_and_order_are_the_callers() -> None:
    xs = (Sample(7, (2,), 0), Sample(3, (0,), 0), Sample(5, (1,), 0))
    assert {r.positive for r in dichotomies(xs, "axis")} == {frozenset({3}), frozenset({3, 5})}


# --- families without an embedding, and mixtures --------------------------------------------------


@given(small_sets())
def test_axis_dichotomies_are_the_prefixes_of_each_coordinate(xs: list[Point]) -> None:
    samples = points(*xs)
    everyone = frozenset(range(len(xs)))
    prefixes = {
        frozenset(i for i, x in enumerate(xs) if x[c] <= t)
        for c in range(len(xs[0]))
        for t in {x[c] for x in xs}
    }
    rules = dichotomies(samples, "axis")
    named = {p if 0 in p else everyone - p for p in prefixes} - {everyone}
    assert set(named_sides(rules, samples)) == named
    assert len(rules) == len(named)
    assert all(r.positive in prefixes for r in rules)


def test_binary_dichotomies_leave_out_constant_and_repeated_features() -> None:
    xs = points((0, 1, 0, 1), (1, 0, 0, 1), (1, 0, 0, 0))
    rules = dichotomies(xs, "binary")
    assert [r.form for r in rules] == [("binary", 0), ("binary", 3)]
    assert [r.positive for r in rules] == [{1, 2}, {0, 1}]


def test_a_mixture_has_each_partition_once() -> None:
    xs = points((0, 0), (0, 1), (1, 0), (1, 1), (2, 3))
    mixed = dichotomies(xs, ["axis", ["hyperplane", ("polynomial", 2)]])
    sides = named_sides(mixed, xs)
    assert len(sides) == len(set(sides))
    assert set(sides) == set(named_sides(dichotomies(xs, "quadric"), xs))
    assert mixed[0].form == ("axis", 0, "<=", 0)


def test_gen_splits_is_the_function_of_the_samples() -> None:
    xs = points((0, 0), (0, 1), (1, 0))
    assert gen_splits("sphere")(xs) == dichotomies(xs, "sphere")
    assert all(r.owners == () for r in gen_splits(["axis", "hyperplane"])(xs))


@pytest.mark.parametrize(
    ("family", "message"),
    [
        ("plane", "unknown family 'plane'"),
        (("axis", "plane"), "unknown family 'plane'"),
        (("polynomial", 0), "degree 0"),
        (("polynomial", "axis"), "degree 'axis'"),
        (("polynomial",), r"unknown family \('polynomial',\)"),
        (3, "unknown family 3"),
        ([], r"\[\] names no family"),
    ],
)
def test_unknown_families_are_refused(family: Family, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gen_splits(family)
    with pytest.raises(ValueError, match=message):
        dichotomies(points((0,), (1,)), family)


def test_bad_data_is_refused() -> None:
    with pytest.raises(ValueError, match="xs is empty"):
        dichotomies((), "hyperplane")
    with pytest.raises(ValueError, match="sample 0 has 2: a binary feature"):
        dichotomies(points((2,), (1,)), "binary")


# --- corrections to the paper ---------------------------------------------------------------------


def test_erratum_03_general_position_is_an_assumption_that_a_grid_breaks() -> None:
    """Cover's number is 37 for nine points in the plane, a grid of them has only 29 partitions."""
    grid = GRIDS[1]
    cover = sum(comb(8, k) for k in range(3))
    assert cover == 37
    assert len(dichotomies(points(*grid), "hyperplane")) + 1 == 29
    assert len(partitions_by_program(grid, plain)) + 1 == 29


def test_erratum_03_position_of_quadrics_is_that_of_the_embedded_points() -> None:
    """Six points of a circle: no three on a line, yet conics do not part them in every way."""
    circle: list[Point] = [(5, 0), (3, 4), (0, 5), (-3, 4), (-4, -3), (4, -3)]
    in_the_plane = sum(comb(5, k) for k in range(3)) - 1
    by_conics = sum(comb(5, k) for k in range(6)) - 1
    assert len(dichotomies(points(*circle), "hyperplane")) == in_the_plane
    assert by_conics == 31
    assert len(dichotomies(points(*circle), "quadric")) == 30
    assert_exactly_the_dichotomies(circle, "quadric")


def test_erratum_11_a_sphere_is_not_the_family_with_2d_coordinates() -> None:
    """Squares with a coefficient each make hyperbolas too; a sphere has one for all of them."""
    crossed = points((1, 0), (-1, 0), (0, 1), (0, -1))
    sides = {
        family: set(named_sides(dichotomies(crossed, family), crossed))
        for family in ("sphere", "axis_quadric")
    }
    assert sides["axis_quadric"] - sides["sphere"] == {frozenset({0, 1})}
    general = points((0, 0), (7, 1), (2, 9), (11, 5), (4, 3), (13, 14), (-5, 6))
    for family, needed in [("sphere", 2 + 1), ("axis_quadric", 2 * 2)]:
        assert len(embedding(family)((0, 0))) - 1 == needed
        cover = sum(comb(6, k) for k in range(needed + 1))
        assert len(dichotomies(general, family)) == cover - 1


def test_embedding_counts() -> None:
    for d, m in product(range(1, 4), range(1, 4)):
        assert len(embed_m(m, (2,) * d)) == comb(d + m, d)
