"""Counts against enumerations that know nothing of the formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations as choose
from itertools import permutations as orders
from itertools import product
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree import counting
from exactree.counting import Shape
from exactree.spec.combinatorics import Family, nested_combs, nested_combs_mixed

Points = frozenset[tuple[int, ...]]


def shapes(k: int) -> list[Shape]:
    """Every shape of k splits."""
    if k == 0:
        return [None]
    return [(u, v) for i in range(k) for u in shapes(i) for v in shapes(k - 1 - i)]


def grown(order: tuple[int, ...]) -> Shape:
    """The search tree that thresholds on a line make in this order."""
    if not order:
        return None
    root = order[0]
    return (
        grown(tuple(t for t in order if t < root)),
        grown(tuple(t for t in order if t > root)),
    )


def depth(shape: Shape) -> int:
    return 0 if shape is None else 1 + max(map(depth, shape))


def axis_partings(xs: Points) -> list[tuple[Points, Points]]:
    """The distinct axis-parallel dichotomies of a set of points, both sides non-empty."""
    cuts = {
        frozenset(x for x in xs if x[i] <= p[i]) for p in xs for i in range(len(p)) if len(xs) > 1
    }
    return [(left, xs - left) for left in cuts if left != xs]


def all_trees(k: int, xs: Points) -> list[tuple[Shape, tuple[object, ...]]]:
    """Every tree of k splits as its shape and what it does, by recursion on lists."""
    if k == 0:
        return [(None, (xs,))]
    return [
        ((s, t), (left, *a, *b))
        for left, right in axis_partings(xs)
        for i in range(k)
        for s, a in all_trees(i, left)
        for t, b in all_trees(k - 1 - i, right)
    ]


points = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5)


def test_the_bidding_example_of_the_paper() -> None:
    distinct = [452, 377, 3, 4680, 49, 22, 4589, 72, 5]
    assert counting.axis_rules(distinct) == 10249
    assert counting.combinations(10249, 3) == 179376727124


def parabola(n: int) -> list[tuple[int, int]]:
    return [(t, t * t) for t in range(n)]


def line_dichotomies(xs: list[tuple[int, int]]) -> set[frozenset[frozenset[tuple[int, int]]]]:
    """Turn a line about every pair of points and let the two fall on either side."""
    found = {frozenset({frozenset(xs), frozenset[tuple[int, int]]()})}
    for p, q in choose(xs, 2):
        rest = [x for x in xs if x not in (p, q)]
        left = {x for x in rest if (q[0] - p[0]) * (x[1] - p[1]) > (q[1] - p[1]) * (x[0] - p[0])}
        for here in product([False, True], repeat=2):
            side = left | {x for x, inside in zip((p, q), here, strict=True) if inside}
            found.add(frozenset({frozenset(side), frozenset(xs) - side}))
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_covers_number_in_the_plane(n: int) -> None:
    assert counting.dichotomies(n, 2) == len(line_dichotomies(parabola(n)))


@given(st.integers(1, 9))
def test_covers_number_at_its_ends(n: int) -> None:
    assert counting.dichotomies(n, 0) == 1
    assert counting.dichotomies(n, 1) == n
    assert counting.dichotomies(n, n - 1) == counting.dichotomies(n, n + 3) == 2 ** (n - 1)


def test_points_that_define_a_surface() -> None:
    dimensions = {"axis": 1, "hyperplane": 3, "sphere": 4, "axis_quadric": 6}
    dimensions |= {"quadric": 9, "polynomial": 9}
    assert {f: counting.points_per_rule(f, 3) for f in counting.FAMILIES} == dimensions
    assert counting.points_per_rule("polynomial", 3, degree=1) == 3
    assert counting.points_per_rule("quadric", 3, degree=7) == 9


@given(st.integers(1, 3), st.integers(1, 3))
def test_a_polynomial_needs_a_point_for_every_monomial_but_one(features: int, degree: int) -> None:
    monomials = [e for e in product(range(degree + 1), repeat=features) if 0 < sum(e) <= degree]
    assert counting.points_per_rule("polynomial", features, degree) == len(monomials)


@given(st.integers(0, 5), st.integers(1, 3))
def test_rules_of_a_family(n: int, features: int) -> None:
    assert counting.rules("axis", n, features) == n * features
    assert counting.rules("axis", n, features, assignments=True) == 2 * n * features
    planes = list(choose(range(n), features))
    assert counting.rules("hyperplane", n, features) == len(planes)
    sided = [(p, s) for p in planes for s in product("+-", repeat=features)]
    assert counting.rules("hyperplane", n, features, assignments=True) == len(sided)
    assert counting.rules("polynomial", n, 1, degree=3) == comb(n, 3)


@given(st.integers(0, 2), st.integers(0, 4))
def test_nested_combinations_are_those_of_the_algorithms(k: int, n: int) -> None:
    lines = counting.rules("hyperplane", n, 2)
    assert counting.combinations(lines, k) == len(nested_combs(k, 2, n))
    mixed = nested_combs_mixed(k, [Family("axis", 1, 2), Family("line", 2)], n)
    axis = counting.rules("axis", n, 2)
    assert counting.nested_combinations(k, {"axis": axis, "line": lines}) == len(mixed)


@given(st.integers(0, 5), st.integers(0, 5))
def test_permutations(r: int, k: int) -> None:
    assert counting.permutations(r, k) == len(list(orders(range(r), k)))


@pytest.mark.parametrize("k", range(6))
def test_permutations_of_a_tree_and_catalan(k: int) -> None:
    """K thresholds on a line: every permutation grows one tree, every shape appears."""
    found = Counter(grown(order) for order in orders(range(k)))
    assert found == {shape: counting.permutations_of_tree(shape) for shape in shapes(k)}
    assert len(found) == counting.catalan(k) == len(shapes(k))
    assert sum(found.values()) == factorial(k)


def test_a_chain_has_one_order() -> None:
    chain: Shape = (None, (None, (None, (None, None))))
    assert counting.splits(chain) == 4
    assert counting.permutations_of_tree(chain) == 1


@pytest.mark.parametrize("d", range(4))
def test_the_perfect_tree_has_the_most_splits(d: int) -> None:
    """Correction 8: 2^d - 1, not 2^(d+1) - 1."""
    fits = [k for k in range(9) if any(depth(s) <= d for s in shapes(k))]
    assert max(fits) == counting.max_splits(d)


def labelled(rs: frozenset[int]) -> list[object]:
    """Every tree that uses each rule once."""
    if not rs:
        return [None]
    return [
        (u, r, v)
        for r in rs
        for size in range(len(rs))
        for left in map(frozenset, choose(sorted(rs - {r}), size))
        for u in labelled(left)
        for v in labelled(rs - {r} - left)
    ]


@pytest.mark.parametrize("k", range(5))
def test_labelled_trees(k: int) -> None:
    """Correction 6: K! Catalan(K), and one tree for no rule."""
    found = labelled(frozenset(range(k)))
    assert len(found) == len(set(found)) == counting.labelled_trees(k)


@given(st.integers(0, 4), st.integers(0, 3))
def test_binary_features_used_once(features: int, k: int) -> None:
    found = [t for rs in choose(range(features), k) for t in labelled(frozenset(rs))]
    assert counting.binary_trees(features, k) == len(found)


def free_trees(r: int, k: int) -> list[Shape]:
    """Every tree of k splits with any of r rules at every node; the shape repeats for each."""
    return [s for s in shapes(k) for _ in product(range(r), repeat=k)]


@given(st.integers(0, 3), st.integers(0, 3))
def test_trees_with_every_rule_everywhere(r: int, n: int) -> None:
    up_to = [t for k in range(n + 1) for t in free_trees(r, k)]
    assert counting.trees_of_size(r, n) == len(free_trees(r, n))
    assert counting.trees_of_size(r, n, at_most=True) == len(up_to)


@given(st.integers(0, 2), st.integers(0, 2))
def test_trees_by_depth_with_every_rule_everywhere(r: int, d: int) -> None:
    every = [t for k in range(2**d) for t in free_trees(r, k)]
    assert counting.trees_of_depth(r, d, at_most=True) == sum(depth(t) <= d for t in every)
    perfect = [t for t in free_trees(r, 2**d - 1) if depth(t) <= d]
    assert counting.trees_of_depth(r, d) == len(perfect)


@given(points, st.integers(0, 4))
def test_trees_of_data_by_size(xs: Points, k: int) -> None:
    found = all_trees(k, xs)
    assert len(found) == len(set(found)) == counting.trees_by_size(k, xs, axis_partings)
    for d in range(4):
        shallow = sum(depth(shape) <= d for shape, _ in found)
        assert counting.trees_by_size(k, xs, axis_partings, depth=d) == shallow


@given(points, st.integers(0, 3))
def test_trees_of_data_by_depth(xs: Points, d: int) -> None:
    """Correction 7: the paper's space holds the perfect trees only, ours those up to a depth."""
    every = [shape for k in range(len(xs)) for shape, _ in all_trees(k, xs)]
    assert counting.trees_by_depth(d, xs, axis_partings, at_most=True) == sum(
        depth(shape) <= d for shape in every
    )
    full = [s for s in every if depth(s) <= d and counting.splits(s) == 2**d - 1]
    assert counting.trees_by_depth(d, xs, axis_partings) == len(full)


def test_a_line_of_distinct_values_has_catalan_many_trees() -> None:
    line: Points = frozenset((i,) for i in range(6))
    assert counting.trees_by_size(5, line, axis_partings) == counting.catalan(5)


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: counting.points_per_rule("spiral", 2), "'spiral'"),
    (lambda: counting.points_per_rule("axis", 0), "n_features .* 0"),
    (lambda: counting.points_per_rule("polynomial", 2, 0), "degree .* 0"),
    (lambda: counting.rules("axis", -1, 2), "n_samples .* -1"),
    (lambda: counting.axis_rules([3, -1]), "distinct_values .* -1"),
    (lambda: counting.dichotomies(0, 2), "n_samples .* 0"),
    (lambda: counting.dichotomies(2, -1), "n_dimensions .* -1"),
    (lambda: counting.combinations(-1, 2), "n_rules .* -1"),
    (lambda: counting.combinations(2, -1), "n_splits .* -1"),
    (lambda: counting.nested_combinations(1, {"axis": -1}), "'axis' .* -1"),
    (lambda: counting.permutations(2, -1), "n_splits .* -1"),
    (lambda: counting.catalan(-1), "n .* -1"),
    (lambda: counting.max_splits(-1), "depth .* -1"),
    (lambda: counting.labelled_trees(-1), "n_splits .* -1"),
    (lambda: counting.binary_trees(-1, 1), "n_features .* -1"),
    (lambda: counting.trees_of_size(2, -1), "n_splits .* -1"),
    (lambda: counting.trees_of_depth(2, -1), "depth .* -1"),
    (lambda: counting.trees_by_depth(-1, 0, lambda _: []), "depth .* -1"),
    (lambda: counting.trees_by_size(-1, 0, lambda _: []), "n_splits .* -1"),
    (lambda: counting.trees_by_size(1, 0, lambda _: [], depth=-1), "depth .* -1"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_numbers_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_counts_are_exact_integers() -> None:
    assert counting.trees_of_depth(10249, 3) == 10249**7
    assert Fraction(counting.catalan(100), counting.catalan(99)) == Fraction(2 * 199, 101)
