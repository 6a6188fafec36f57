"""The four axioms, and what their wording in the paper would claim wrongly."""

from itertools import combinations, permutations

import pytest

from exactree.spec.ancestry import ancestry, relation
from exactree.spec.axioms import (
    ambient_partition,
    connected_sides,
    generated_within,
    is_proper,
    path_intersection,
    transitive,
    transitive_over_list,
    unique_ancestry,
)
from exactree.spec.data import Number, Rule, Sample, Samples, sides
from exactree.spec.embedding import embed_m
from exactree.spec.rules import Family, axis_rules, binary_rules, dichotomies, hyperplane_rules
from exactree.spec.tree import Leaf, Node, Tree

Shape = None | tuple["Shape", Rule, "Shape"]


def points(*xs: tuple[int, ...]) -> Samples:
    return tuple(Sample(i, x, 0) for i, x in enumerate(xs))


def grown(xs: Samples, shape: Shape) -> Tree[Rule, Samples]:
    """A tree whose leaves carry the samples that reach them."""
    if shape is None:
        return Leaf(xs)
    u, r, v = shape
    positive, negative = sides(xs, r)
    return Node(grown(positive, u), r, grown(negative, v))


def through(rules: list[Rule], *owners: int) -> Rule:
    return next(r for r in rules if r.owners == owners)


LINE = points((0,), (1,), (2,), (3,))
AT = axis_rules(LINE)  # AT[i] is x <= i


# --- proper and improper trees --------------------------------------------------------------------


def test_a_leaf_and_a_stump_are_proper() -> None:
    assert is_proper(Leaf(LINE), LINE)
    assert is_proper(grown(LINE, (None, AT[1], None)), LINE)


def test_a_search_tree_of_thresholds_is_proper() -> None:
    assert is_proper(grown(LINE, ((None, AT[0], None), AT[1], (None, AT[2], None))), LINE)


def test_every_order_of_thresholds_has_one_proper_tree_with_it_as_chain() -> None:
    for a, b in permutations(AT, 2):
        left_of, right_of = (((None, b, None), a, None), (None, a, (None, b, None)))
        proper = [is_proper(grown(LINE, shape), LINE) for shape in (left_of, right_of)]
        assert sum(proper) == 1


def test_axiom_1_a_rule_must_be_decided_on_the_samples() -> None:
    stray = Rule(frozenset({0, 9}), (0,))
    assert not ambient_partition(LINE, stray)
    assert not ambient_partition(LINE, Rule(frozenset({0}), (9,)))
    assert not is_proper(grown(LINE, (None, stray, None)), LINE)


def test_axiom_2_leaves_carry_the_intersection_of_their_path() -> None:
    swapped = Node(Leaf(LINE[2:]), AT[1], Leaf(LINE[:2]))
    assert not path_intersection(LINE, swapped)
    assert not is_proper(swapped, LINE)
    assert not is_proper(Leaf(LINE[1:]), LINE)


def test_axiom_3_a_rule_stands_in_the_subtree_where_its_owners_are() -> None:
    misplaced = grown(LINE, (None, AT[1], (None, AT[0], None)))
    assert not generated_within(misplaced)
    assert not is_proper(misplaced, LINE)


def test_axiom_3_a_rule_is_not_below_itself() -> None:
    twice = grown(LINE, ((None, AT[1], None), AT[1], None))
    assert not is_proper(twice, LINE)


def test_axiom_3_must_hold_for_grandparents_too() -> None:
    """Each rule lies on one side of its parent, yet the last one straddles the root."""
    xs = points((0, 0), (3, 0), (3, 2), (1, 2))
    lines = hyperplane_rules(xs)
    a, b, c = through(lines, 0, 1), through(lines, 2, 3), through(lines, 0, 2)
    assert (relation(a, b), relation(b, c), relation(a, c)) == (-1, 1, 0)
    tree = grown(xs, (None, a, ((None, c, None), b, None)))
    assert not transitive(tree)
    assert not is_proper(tree, xs)


def test_axiom_4_fails_for_binary_features() -> None:
    xs = points((0, 0), (0, 1), (1, 0), (1, 1))
    a, b = binary_rules(xs)
    assert not unique_ancestry([a, b])
    assert not is_proper(grown(xs, ((None, b, None), a, None)), xs)
    assert unique_ancestry(axis_rules(xs))
    assert unique_ancestry(hyperplane_rules(xs, "all"))


# --- corrections to the paper ---------------------------------------------------------------------


def test_erratum_14_transitivity_over_a_list_contradicts_axiom_4() -> None:
    """Thresholds may each stand above the other: transitivity would ask K_ii to be non-zero."""
    a, b = AT[0], AT[1]
    assert relation(a, b) == -1
    assert relation(b, a) == 1
    assert relation(a, a) == 0
    assert not transitive_over_list([a, b])
    for shape in ((None, a, (None, b, None)), ((None, a, None), b, None)):
        assert transitive(grown(LINE, shape))
        assert is_proper(grown(LINE, shape), LINE)


def test_erratum_14_transitivity_over_a_list_fails_for_three_lines() -> None:
    """K_ab and K_bc are not zero, K_ac is; the trees that b heads with a or c are proper."""
    xs = points((0, 0), (3, 0), (3, 2), (1, 2))
    lines = hyperplane_rules(xs)
    a, b, c = through(lines, 0, 1), through(lines, 2, 3), through(lines, 0, 2)
    matrix = ancestry([a, b, c])
    assert (matrix[0][1], matrix[1][2], matrix[0][2]) == (-1, 1, 0)
    assert not transitive_over_list([a, b, c])
    assert is_proper(grown(xs, ((None, a, None), b, None)), xs)
    assert is_proper(grown(xs, ((None, c, None), b, None)), xs)
    assert transitive_over_list([])


@pytest.mark.parametrize(
    ("family", "dimension", "connected"),
    [
        ("axis", 2, True),
        ("binary", 3, True),
        (("polynomial", 1), 2, True),
        ("sphere", 1, False),
        ("sphere", 2, True),
        ("axis_quadric", 2, False),
        (("polynomial", 2), 2, False),
        (["axis", "quadric"], 2, False),
        (["axis", "sphere"], 2, True),
    ],
)
def test_connected_sides_belong_to_the_family(
    family: Family, dimension: int, connected: bool
) -> None:
    assert connected_sides(family, dimension) is connected


def test_erratum_14_sides_are_not_connected_from_degree_two_on() -> None:
    """The side xy > 1 of a hyperbola has two pieces: x = -y parts them and lies on the other side.

    On the data: the two ends of a segment against its middle, which no half-space parts off.
    """

    def value(x: int, y: int) -> Number:
        # -1 + xy, with the coefficients in the order of the monomials x, y, xx, xy, yy, 1
        return sum(a * b for a, b in zip((0, 0, 0, 1, 0, -1), embed_m(2, (x, y)), strict=True))

    assert value(2, 2) > 0
    assert value(-2, -2) > 0
    assert all(value(t, -t) == -t * t - 1 for t in range(-5, 6))

    xs = points((-2, -2), (0, 0), (2, 2))
    ends_or_middle = {frozenset({0, 2}), frozenset({1})}
    assert any(r.positive in ends_or_middle for r in dichotomies(xs, "quadric"))
    assert not any(r.positive in ends_or_middle for r in dichotomies(xs, "hyperplane"))
    r = next(r for r in dichotomies(xs, "quadric") if r.positive in ends_or_middle)
    owned = Rule(r.positive, (1,), r.form)
    assert not connected_sides("quadric", 2)
    assert is_proper(grown(xs, (None, owned, None)), xs)


def test_erratum_16_rules_without_ancestry_either_way_may_share_a_tree() -> None:
    """Two triangles straddle each other's planes, and a third plane parts them."""
    flat, upright = [(1, 0, 0), (-1, 1, 0), (2, -1, 0)], [(0, 10, 1), (0, 11, -1), (0, 12, 2)]
    xs = points(*flat, *upright, (0, 5, 0), (7, 5, 1), (3, 5, 9))
    planes = hyperplane_rules(xs)
    a, b, root = through(planes, 0, 1, 2), through(planes, 3, 4, 5), through(planes, 6, 7, 8)
    assert relation(a, b) == relation(b, a) == 0
    below = {relation(root, a): a, relation(root, b): b}
    tree = grown(xs, ((None, below[1], None), root, (None, below[-1], None)))
    assert is_proper(tree, xs)


def test_erratum_16_three_lines_pairwise_related_may_have_no_root() -> None:
    xs = points((3, 2), (4, 1), (4, 3), (3, 4), (2, 0))
    lines = hyperplane_rules(xs)
    three = [through(lines, 0, 1), through(lines, 0, 4), through(lines, 3, 4)]
    matrix = ancestry(three)
    assert all(matrix[i][j] or matrix[j][i] for i, j in combinations(range(3), 2))
    assert all(row.count(0) > 1 for row in matrix)
