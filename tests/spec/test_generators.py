"""The search spaces: counts, distinctness, validity, and agreement of independent definitions."""

from __future__ import annotations

from itertools import pairwise
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.ancestry import relation
from exactree.spec.axioms import is_proper
from exactree.spec.data import Rule, Sample, Samples
from exactree.spec.generators import (
    DTree,
    Rules,
    bound_size,
    candidates,
    count_depth,
    gen_dtbfs,
    gen_dtds_depth,
    gen_dtds_upto,
    gen_dts_rec,
    gen_dts_vec,
    gen_dtss,
    gen_dtss_upto,
    node_rules,
    splits,
    update,
    updates,
)
from exactree.spec.permutations import (
    gen_dts_by_kperms,
    gen_dts_kperms,
    gen_dtss_kperms,
    is_valid,
    n_permutations,
    permutations_of_tree,
    shuffles,
    tree_of_permutation,
)
from exactree.spec.rules import axis_rules, hyperplane_rules
from exactree.spec.tree import Leaf, depth, leaves, rules, size

N = 6
POINTS: Samples = tuple(Sample(i, (i * i, (5 * i) % 7), i % 2) for i in range(N))


@st.composite
def rule_lists(draw: st.DrawFn, most: int = 4) -> Rules:
    """Draw arbitrary rules on N points with one or two owners: their ancestry may be anything."""
    index = st.integers(0, N - 1)
    drawn = draw(
        st.lists(
            st.tuples(st.frozensets(index), st.lists(index, min_size=1, max_size=2, unique=True)),
            max_size=most,
        )
    )
    return tuple(Rule(holds, tuple(owners), form) for form, (holds, owners) in enumerate(drawn))


def on_a_line(n: int) -> tuple[Samples, Rules]:
    """Give n points on a line and the rules x <= p that they own."""
    xs = tuple(Sample(i, (i,), 0) for i in range(n))
    return xs, tuple(axis_rules(xs)) if xs else ()


def chain(n: int) -> Rules:
    """Give rules each of which has all others on its positive side."""
    return tuple(Rule(frozenset(range(n)), (i,), i) for i in range(n))


def catalan(k: int) -> int:
    return comb(2 * k, k) // (k + 1)


def is_proper_for(tree: DTree, xs: Samples) -> bool:
    """Check ancestry and the samples of the leaves from the definition, node by node."""
    if isinstance(tree, Leaf):
        return tree.value == xs
    return (
        all(relation(tree.rule, r) == 1 for r in rules(tree.left))
        and all(relation(tree.rule, r) == -1 for r in rules(tree.right))
        and is_proper_for(tree.left, tuple(x for x in xs if tree.rule.holds(x)))
        and is_proper_for(tree.right, tuple(x for x in xs if not tree.rule.holds(x)))
    )


@given(rule_lists())
def test_rec_vec_and_kperms_list_the_same_trees(rs: Rules) -> None:
    by_rec = gen_dts_rec(POINTS, rs)
    by_vec = gen_dts_vec(POINTS, rs)
    assert set(by_rec) == set(by_vec) == set(gen_dts_by_kperms(POINTS, rs))
    assert len(by_rec) == len(by_vec) == len(set(by_rec))


def test_the_same_trees_for_lines_in_the_plane() -> None:
    rs = tuple(hyperplane_rules(POINTS))[:8]
    spaces = [gen_dtss(3, POINTS, rs, gen) for gen in (gen_dts_rec, gen_dts_vec)]
    assert set(spaces[0]) == set(spaces[1]) == set(gen_dtss(3, POINTS, rs, gen_dts_by_kperms))
    assert spaces[0]


@given(rule_lists())
def test_every_tree_is_proper_and_uses_every_rule_once(rs: Rules) -> None:
    for t in gen_dts_rec(POINTS, rs):
        assert is_proper_for(t, POINTS)
        assert is_proper(t, POINTS)
        assert sorted(rules(t), key=rs.index) == list(rs)


@given(rule_lists())
def test_a_tree_stands_for_k_factorial_over_its_subtree_sizes_permutations(rs: Rules) -> None:
    trees = gen_dts_rec(POINTS, rs)
    listed = {t: permutations_of_tree(t) for t in trees}
    for t, permutations in listed.items():
        assert len(permutations) == len(set(permutations)) == n_permutations(t)
        assert all(tree_of_permutation(POINTS, p) == [t] for p in permutations)
    valid = gen_dts_kperms(rs)
    assert len(valid) == len(set(valid)) == sum(n_permutations(t) for t in trees)
    assert set(valid) == {p for permutations in listed.values() for p in permutations}


@given(rule_lists())
def test_a_permutation_is_valid_if_its_rules_can_sink_one_after_the_other(rs: Rules) -> None:
    grown: list[DTree] = [Leaf(POINTS)]
    for r in rs:
        grown = updates(r, grown)
    assert grown == tree_of_permutation(POINTS, rs)
    assert is_valid(rs) == bool(grown)


@given(rule_lists())
def test_splits_keeps_every_other_rule_on_one_side(rs: Rules) -> None:
    for positive, r, negative in splits(rs):
        assert sorted([*positive, r, *negative], key=rs.index) == list(rs)
        assert all(relation(r, s) == 1 for s in positive)
        assert all(relation(r, s) == -1 for s in negative)
    roots = {r for _, r, _ in splits(rs)}
    assert roots == {r for r in rs if all(relation(r, s) for s in rs if s != r)}


@pytest.mark.parametrize("k", range(5))
def test_rules_on_a_line_make_search_trees(k: int) -> None:
    xs, rs = on_a_line(k)
    assert len(gen_dts_rec(xs, rs)) == len(gen_dts_vec(xs, rs)) == catalan(k)
    assert len(gen_dts_kperms(rs)) == factorial(k)


@pytest.mark.parametrize("k", range(5))
def test_chains_are_the_worst_case_of_k_factorial_trees(k: int) -> None:
    trees = gen_dts_rec(POINTS, chain(k))
    assert len(trees) == len(set(trees)) == factorial(k)
    assert all(n_permutations(t) == 1 for t in trees)


@pytest.mark.parametrize("k", range(5))
def test_binary_features_make_every_labelled_binary_tree(k: int) -> None:
    rs = tuple(Rule(frozenset({i}), (), i) for i in range(k))
    trees = gen_dtbfs(POINTS, rs)
    assert len(trees) == len(set(trees)) == factorial(k) * catalan(k)
    assert all(sorted(r.form for r in rules(t)) == list(range(k)) for t in trees)  # type: ignore[type-var]
    assert all(sorted(x for leaf in leaves(t) for x in leaf) == list(POINTS) for t in trees)


@given(rule_lists(most=4), st.data())
def test_spaces_of_exactly_and_of_at_most_k_splits(rs: Rules, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, len(rs)))
    exact = [gen_dtss(i, POINTS, rs) for i in range(k + 1)]
    assert all(size(t) == i for i, trees in enumerate(exact) for t in trees)
    upto = gen_dtss_upto(k, POINTS, rs)
    assert upto == [t for trees in exact for t in trees]
    assert len(set(upto)) == len(upto)
    assert all(len(trees) <= bound_size(i, len(rs)) for i, trees in enumerate(exact))
    assert set(gen_dtss_kperms(k, rs)) == {p for t in exact[k] for p in permutations_of_tree(t)}


def test_size_bounds_are_attained() -> None:
    rs = chain(4)
    features = tuple(Rule(frozenset({i}), (), i) for i in range(4))
    for k in range(4):
        assert len(gen_dtss(k, POINTS, rs)) == bound_size(k, 4)
        assert len(gen_dtss(k, POINTS, features, gen_dtbfs)) == bound_size(k, 4, gen_dtbfs)


def all_leaves_at(d: int, tree: DTree) -> bool:
    if isinstance(tree, Leaf):
        return d == 0
    return all_leaves_at(d - 1, tree.left) and all_leaves_at(d - 1, tree.right)


@pytest.mark.parametrize("d", range(4))
def test_trees_of_a_depth_are_perfect(d: int) -> None:
    xs = POINTS[:4]
    trees = gen_dtds_depth(d, xs, axis_rules)
    assert len(trees) == len(set(trees)) == count_depth(d, xs, axis_rules, at_most=False)
    assert all(all_leaves_at(d, t) for t in trees)


@pytest.mark.parametrize("d", range(3))
def test_trees_of_at_most_a_depth_may_have_a_leaf_anywhere(d: int) -> None:
    xs = POINTS[:4]
    trees = gen_dtds_upto(d, xs, axis_rules)
    assert len(trees) == len(set(trees)) == count_depth(d, xs, axis_rules, at_most=True)
    assert all(depth(t) <= d for t in trees)
    assert all(len(leaf) > 0 for t in trees for leaf in leaves(t))
    parting = [
        t for t in gen_dtds_depth(d, xs, axis_rules) if all(len(leaf) > 0 for leaf in leaves(t))
    ]
    assert set(parting) <= set(trees)
    assert {t for t in trees if all_leaves_at(d, t)} == set(parting)


def test_a_node_without_samples_has_no_rules() -> None:
    assert node_rules((), axis_rules, parting=False) == []
    assert len(node_rules(POINTS, axis_rules, parting=False)) == 2 * N
    assert len(node_rules(POINTS, axis_rules, parting=True)) == 2 * (N - 1)


def test_update_follows_the_owners_and_gives_up_where_they_part() -> None:
    xs, (a, b, c) = on_a_line(3)
    both_sides = Rule(frozenset({0}), (0, 2), "wide")
    t = tree_of_permutation(xs, (b, c))[0]
    grown = update(a, t)
    assert grown is not None
    assert rules(grown) == [b, a, c]
    assert update(both_sides, t) is None
    assert (
        update(Rule(frozenset({2}), (1, 2), "right"), tree_of_permutation(xs, (a, c))[0])
        is not None
    )
    assert update(Rule(frozenset({1}), (0, 1), "low"), tree_of_permutation(xs, (c, a))[0]) is None


def test_candidates_and_shuffles() -> None:
    rs = chain(3)
    assert [r for r, _ in candidates(rs)] == list(rs)
    assert all(len({r, *rest}) == 3 for r, rest in candidates(rs))
    merged = shuffles("abc", "xy")
    assert len(merged) == len(set(merged)) == comb(5, 2)
    for m in merged:
        assert all(m.index(p) < m.index(q) for p, q in [*pairwise("abc"), *pairwise("xy")])


@pytest.mark.parametrize("generate", [gen_dtss, gen_dtss_upto])
def test_size_spaces_refuse_bad_budgets(generate: object) -> None:
    assert callable(generate)
    with pytest.raises(ValueError, match="-1"):
        generate(-1, POINTS, chain(2))
    with pytest.raises(ValueError, match="3 splits asked for, but there are only 2"):
        generate(3, POINTS, chain(2))
    with pytest.raises(ValueError, match="max_trees = 10;"):
        generate(4, POINTS, chain(4), max_trees=10)
    assert generate(4, POINTS, chain(4), max_trees=None)


def test_the_refusal_of_a_large_space_names_both_numbers() -> None:
    with pytest.raises(ValueError, match=r"24 trees, more than max_trees = 23"):
        gen_dtss(4, POINTS, chain(4), max_trees=23)
    with pytest.raises(ValueError, match=r"24 trees, more than max_trees = 23"):
        gen_dtss_kperms(4, chain(4), max_trees=23)
    count = count_depth(2, POINTS, axis_rules, at_most=True)
    with pytest.raises(ValueError, match=f"{count} trees, more than max_trees = {count - 1}"):
        gen_dtds_upto(2, POINTS, axis_rules, max_trees=count - 1)
    assert len(gen_dtds_upto(2, POINTS, axis_rules, max_trees=count)) == count
    with pytest.raises(ValueError, match="more than max_trees = 1;"):
        gen_dtds_depth(1, POINTS, axis_rules, max_trees=1)


def test_spaces_far_too_large_are_refused_at_once() -> None:
    xs, rs = on_a_line(40)
    with pytest.raises(ValueError, match="max_trees = 1000000"):
        gen_dtss(20, xs, rs)
    with pytest.raises(ValueError, match="max_trees = 1000000"):
        gen_dtds_upto(6, xs, axis_rules)


@pytest.mark.parametrize("generate", [gen_dtds_depth, gen_dtds_upto])
def test_depth_spaces_refuse_negative_depths(generate: object) -> None:
    assert callable(generate)
    with pytest.raises(ValueError, match="the depth is -1"):
        generate(-1, POINTS, axis_rules)
