"""Rule lists owned by data points."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.spec.ancestry import relation
from exactree.spec.data import Rule, Sample, Samples, sides
from exactree.spec.flats import rank
from exactree.spec.rules import (
    Family,
    axis_quadric_rules,
    axis_rules,
    binary_rules,
    dichotomies,
    hyperplane_rules,
    mixed_rules,
    polynomial_rules,
    sphere_rules,
    surface_rules,
)

Point = tuple[int | Fraction, ...]


def points(*xs: Point) -> Samples:
    return tuple(Sample(i, x, 0) for i, x in enumerate(xs))


def labelled(*rows: tuple[Point, int]) -> Samples:
    return tuple(Sample(i, x, y) for i, (x, y) in enumerate(rows))


# --- two plain searches to compare: a list with ancestry, and all dichotomies ---------------------


def error(xs: Samples) -> int:
    return len(xs) - max(Counter(s.y for s in xs).values(), default=0)


def errors_of_trees(xs: Samples, rs: list[Rule]) -> list[int]:
    """The errors of all trees that use every rule of rs and obey ancestry."""
    if not rs:
        return [error(xs)]
    found = []
    for r in rs:
        where = [(relation(r, s), s) for s in rs if s is not r]
        if all(k for k, _ in where):
            positive, negative = sides(xs, r)
            us = errors_of_trees(positive, [s for k, s in where if k == 1])
            vs = errors_of_trees(negative, [s for k, s in where if k == -1])
            found += [u + v for u in us for v in vs]
    return found


def best_over_list(xs: Samples, rs: list[Rule], k: int) -> int:
    """The fewest errors of a tree with at most k rules of the list."""
    combs = (c for n in range(k + 1) for c in combinations(rs, n))
    return min(e for c in combs for e in errors_of_trees(xs, list(c)))


def best_over_dichotomies(xs: Samples, family: Family, k: int) -> int:
    """The fewest errors of a tree with at most k splits, any dichotomy at every node."""
    if k == 0 or error(xs) == 0:
        return error(xs)
    parts = [sides(xs, r) for r in dichotomies(xs, family)]
    return min(
        [
            best_over_dichotomies(u, family, i) + best_over_dichotomies(v, family, k - 1 - i)
            for u, v in parts
            for i in range(k)
        ],
        default=error(xs),
    )


def unordered(rs: list[Rule], xs: Samples) -> set[frozenset[int]]:
    """The non-trivial partitions that the rules make, by the side of the first sample."""
    everyone = frozenset(s.index for s in xs)
    named = {r.positive if xs[0].index in r.positive else everyone - r.positive for r in rs}
    return named - {everyone}


def once_per_partition(rs: list[Rule], xs: Samples) -> list[Rule]:
    """What must not be done to a list with ancestry: keep one rule of those with equal sides."""
    everyone = frozenset(s.index for s in xs)
    first: dict[frozenset[frozenset[int]], Rule] = {}
    for r in rs:
        first.setdefault(frozenset({r.positive, everyone - r.positive}), r)
    return list(first.values())


SQUARE: list[Point] = [(0, 0), (0, 1), (1, 0), (1, 1)]
XOR = labelled(((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 0))


# --- axis-parallel and binary rules ---------------------------------------------------------------


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


# --- surfaces ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "needed"),
    [
        (hyperplane_rules, 2),
        (sphere_rules, 3),
        (axis_quadric_rules, 4),
        (lambda xs, boundary: polynomial_rules(xs, 2, boundary), 5),
    ],
)
def test_lists_in_general_position(make: Callable[[Samples, str], list[Rule]], needed: int) -> None:
    xs = points((0, 0), (7, 1), (2, 9), (11, 5), (4, 3), (13, 14))
    n, g = len(xs), needed
    for boundary, count in [
        ("positive", comb(n, g)),
        ("both", 2 * comb(n, g)),
        ("all", comb(n, g) * 2**g + sum(comb(n, h) * (2 ** (h - 1) - 1) for h in range(2, g))),
    ]:
        rules = make(xs, boundary)
        assert len(rules) == count
        assert len(set(rules)) == count
        if boundary != "all":
            assert all(set(r.owners) <= r.positive for r in rules)
            assert all(len(r.owners) == g for r in rules)


def test_hyperplanes_on_a_line_are_thresholds() -> None:
    xs = points((3,), (1,), (2,))
    for boundary in ("positive", "both", "all"):
        lines, thresholds = hyperplane_rules(xs, boundary), axis_rules(xs, boundary)
        assert {(r.owners, r.positive) for r in lines} == {
            (r.owners, r.positive) for r in thresholds
        }


def test_degenerate_combinations_define_no_surface() -> None:
    xs = points((0, 0), (0, 0), (1, 1))
    assert [r.owners for r in hyperplane_rules(xs)] == [(0, 2), (1, 2)]
    assert hyperplane_rules(xs[:2]) == []
    assert hyperplane_rules(xs[:1], "all") == []
    assert {r.owners for r in hyperplane_rules(xs, "all")} == {(0, 2)}


def test_mixed_rules_are_the_lists_one_after_another() -> None:
    xs = points(*SQUARE)
    mixed = mixed_rules(xs, ["axis", "binary", ("polynomial", 1), "sphere"], "both")
    assert mixed == [
        *axis_rules(xs, "both"),
        *binary_rules(xs),
        *polynomial_rules(xs, 1, "both"),
        *sphere_rules(xs, "both"),
    ]
    assert len(set(mixed)) == len(mixed)


@pytest.mark.parametrize("family", ["plane", "axis", ("polynomial", 0)])
def test_unknown_surfaces_are_refused(family: str | tuple[str, int]) -> None:
    with pytest.raises(ValueError, match=r"unknown family|degree 0"):
        surface_rules(points((0,), (1,)), family)


def test_bad_arguments_of_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="xs is empty"):
        hyperplane_rules(())
    with pytest.raises(ValueError, match="unknown boundary 'left'"):
        sphere_rules(points((0,), (1,)), "left")
    with pytest.raises(ValueError, match="degree -1"):
        polynomial_rules(points((0,), (1,)), -1)
    with pytest.raises(ValueError, match="unknown family 'plane'"):
        mixed_rules(points((0,), (1,)), ["axis", "plane"])


# --- the complete list reaches every dichotomy of every region ------------------------------------


@st.composite
def small_sets(draw: st.DrawFn) -> Samples:
    dimension = draw(st.integers(1, 3))
    point = st.tuples(*[st.integers(0, 2)] * dimension)
    return points(*draw(st.lists(point, min_size=1, max_size=6)))


def regions(xs: Samples) -> list[Samples]:
    """All sets of samples in which equal points stay together."""
    distinct = list(dict.fromkeys(s.x for s in xs))
    chosen = (c for n in range(1, len(distinct) + 1) for c in combinations(distinct, n))
    return [tuple(s for s in xs if s.x in c) for c in chosen]


def assert_reaches_every_region(xs: Samples, rs: list[Rule], family: Family) -> None:
    """For each dichotomy of each region there is a rule that the region owns and that makes it."""
    for region in regions(xs):
        members = frozenset(s.index for s in region)
        owned = [r for r in rs if members.issuperset(r.owners)]
        inside = [Rule(r.positive & members, r.owners) for r in owned]
        assert unordered(dichotomies(region, family), region) <= unordered(inside, region)


@given(small_sets(), st.sampled_from(["hyperplane", "sphere"]))
@settings(max_examples=60)
def test_complete_lists_of_surfaces(xs: Samples, family: str) -> None:
    assert_reaches_every_region(xs, surface_rules(xs, family, "all"), family)


def test_complete_list_with_a_line_of_points_in_space() -> None:
    xs = points((0, 0, 0), (1, 1, 1), (2, 2, 2), (0, 1, 0), (2, 0, 1), (1, 1, 1))
    rules = hyperplane_rules(xs, "all")
    assert (0, 1, 2) not in {r.owners for r in rules}
    assert_reaches_every_region(xs, rules, "hyperplane")


@pytest.mark.parametrize("family", ["axis_quadric", "quadric"])
def test_complete_lists_of_quadrics(family: str) -> None:
    collinear = points((0, 0), (1, 1), (2, 2), (0, 1), (2, 0))
    assert_reaches_every_region(collinear, surface_rules(collinear, family, "all"), family)


@given(small_sets(), st.sampled_from(["positive", "both", "all"]))
def test_axis_rules_are_complete_with_every_boundary(xs: Samples, boundary: str) -> None:
    assert_reaches_every_region(xs, axis_rules(xs, boundary), "axis")


@given(small_sets(), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.integers(0, 2))
@settings(max_examples=40)
def test_the_complete_lists_have_the_optimum_of_all_dichotomies(
    xs: Samples, ys: list[int], k: int
) -> None:
    xs = tuple(s._replace(y=y) for s, y in zip(xs[:5], ys, strict=False))
    assert best_over_list(xs, axis_rules(xs), k) == best_over_dichotomies(xs, "axis", k)
    xs = xs[:4]
    complete = hyperplane_rules(xs, "all")
    assert best_over_list(xs, complete, k) == best_over_dichotomies(xs, "hyperplane", k)


def test_owners_must_not_be_lost_exclusive_or_by_thresholds() -> None:
    """Both halves ask y <= 0: two rules with the same sides, and another owner each."""
    rules = axis_rules(XOR)
    assert best_over_dichotomies(XOR, "axis", 3) == 0
    assert best_over_list(XOR, rules, 3) == 0
    assert best_over_list(XOR, once_per_partition(rules, XOR), 3) == 1


def test_owners_must_not_be_lost_lines_in_the_plane() -> None:
    xs = labelled(((3, 0), 1), ((0, 0), 1), ((1, 0), 0), ((1, 1), 0))
    rules = hyperplane_rules(xs, "all")
    assert best_over_dichotomies(xs, "hyperplane", 2) == 0
    assert best_over_list(xs, rules, 2) == 0
    assert best_over_list(xs, once_per_partition(rules, xs), 2) == 1


# --- corrections to the paper ---------------------------------------------------------------------

SIMPLEX = labelled(((0, 0, 0), 0), ((1, 0, 0), 0), ((0, 1, 0), 1), ((0, 0, 1), 1))


def test_erratum_02_two_points_cannot_be_parted_by_a_line_through_both() -> None:
    two = labelled(((0, 0), 0), ((1, 2), 1))
    assert best_over_list(two, hyperplane_rules(two, "both"), 1) == 1
    assert best_over_list(two, hyperplane_rules(two, "all"), 1) == 0
    assert best_over_dichotomies(two, "hyperplane", 1) == 0


def test_erratum_02_a_simplex_two_against_two_costs_the_literal_list_an_error() -> None:
    assert best_over_list(SIMPLEX, hyperplane_rules(SIMPLEX, "both"), 1) == 1
    assert best_over_list(SIMPLEX, hyperplane_rules(SIMPLEX, "all"), 1) == 0
    assert best_over_dichotomies(SIMPLEX, "hyperplane", 1) == 0


def test_erratum_02_lines_through_two_points_are_complete_from_three_points_on() -> None:
    """In general position, and in any other but on one line."""
    parabola = [(t, t * t) for t in (0, 1, 3, 4, 7, 9)]
    for n in range(3, len(parabola) + 1):
        xs = points(*parabola[:n])
        literal = unordered(hyperplane_rules(xs, "both"), xs)
        assert literal == unordered(dichotomies(xs, "hyperplane"), xs)
    grid = points(*[(i, j) for i in range(3) for j in range(3)])
    literal = unordered(hyperplane_rules(grid, "both"), grid)
    assert literal == unordered(dichotomies(grid, "hyperplane"), grid)


def test_erratum_02_planes_through_three_points_miss_dichotomies_of_space() -> None:
    """Twelve points in general position have 232 dichotomies with the trivial one."""
    number = Random(0)
    coordinates = [tuple(number.randint(-99, 99) for _ in range(3)) for _ in range(12)]
    assert all(rank([(*x, 1) for x in four]) == 4 for four in combinations(coordinates, 4))
    xs = points(*coordinates)
    every = unordered(dichotomies(xs, "hyperplane"), xs)
    literal = unordered(hyperplane_rules(xs, "both"), xs)
    complete = unordered(hyperplane_rules(xs, "all"), xs)
    assert len(every) + 1 == 232
    assert literal < every
    assert len(literal) + 1 == 194
    assert complete == every


def test_erratum_02_one_arbitrary_sign_per_combination_is_worse_still() -> None:
    """The generator has one orientation where the theorem takes the better of w and -w."""
    assert best_over_list(XOR, hyperplane_rules(XOR, "positive"), 2) == 1
    assert best_over_list(XOR, hyperplane_rules(XOR, "both"), 2) == 0


def test_erratum_03_points_on_one_line_are_never_parted_by_the_literal_list() -> None:
    xs = labelled(((0, 0), 0), ((1, 1), 0), ((2, 2), 1))
    assert best_over_list(xs, hyperplane_rules(xs, "both"), 2) == 1
    assert best_over_list(xs, hyperplane_rules(xs, "all"), 1) == 0


def test_erratum_03_a_cube_has_more_points_on_its_planes_than_they_need() -> None:
    """51 of Cover's 64 - 1 for general position; an assignment of three owners leaves a fourth."""
    cube = points(*[(i, j, k) for i in range(2) for j in range(2) for k in range(2)])
    every = unordered(dichotomies(cube, "hyperplane"), cube)
    assert len(every) == 51
    assert sum(comb(7, d) for d in range(4)) == 64
    assert unordered(hyperplane_rules(cube, "both"), cube) < every
    assert unordered(hyperplane_rules(cube, "all"), cube) == every


def test_erratum_03_a_constant_term_of_one_loses_surfaces_through_the_origin() -> None:
    """w . x + 1 = 0 has no solution through (1, 1) and (2, 2); a null vector always exists."""
    a, b = (1, 1), (2, 2)
    assert rank([a, b]) < rank([(*a, 1), (*b, 1)])
    (rule,) = hyperplane_rules(points(a, b))
    assert rule.form == ("hyperplane", ((-1, 1, 0), (0, 0, 1)))
    assert isinstance(rule.form, tuple)
    normal, constant = rule.form[1][0][:2], rule.form[1][0][2]
    assert constant == 0
    assert all(sum(w * v for w, v in zip(normal, x, strict=True)) == 0 for x in (a, b))


def test_erratum_09_axis_rules_are_n_times_d_not_n_combinations() -> None:
    """One point owns D axis-parallel rules, so the ranks of G = 1 do not number them."""
    xs = points((0, 5, 2), (1, 7, 2), (3, 3, 3), (4, 0, 1))
    assert len(axis_rules(xs)) == 4 * 3
    assert comb(4, 1) == 4
