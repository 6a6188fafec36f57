"""The derived programs against brute force, on random tiny problems."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.constraints import ANY_TREE, Constraint, both, max_leaf_cost, min_leaf
from exactree.spec.data import Number, Rule, Sample, Samples, sides
from exactree.spec.generators import DTree, Rules
from exactree.spec.objectives import OBJECTIVES, Objective, errors, penalised
from exactree.spec.problems import (
    brute_bf,
    brute_depth,
    brute_kperms,
    brute_rec,
    brute_vec,
    simplified,
)
from exactree.spec.programs import (
    best_tree,
    best_value,
    odt_bf,
    odt_depth,
    partings,
    sodt_kperms,
    sodt_rec,
    sodt_vec,
)
from exactree.spec.rules import axis_rules, binary_rules, gen_splits
from exactree.spec.tree import Leaf, Node, Tree, depth, leaves, rules, size

CONSTRAINTS: list[Constraint] = [
    ANY_TREE,
    min_leaf(2),
    max_leaf_cost(errors, 1),
    both(min_leaf(2), max_leaf_cost(errors, 1)),
]
objectives = st.sampled_from(sorted(OBJECTIVES)).map(OBJECTIVES.__getitem__)
constraints = st.sampled_from(CONSTRAINTS)


@st.composite
def samples(draw: st.DrawFn, most: int = 5, values: int = 4) -> Samples:
    """Draw a few weighted points of the plane with ties, and labels among three."""
    point = st.tuples(*[st.integers(0, values - 1)] * 2)
    rows = draw(
        st.lists(st.tuples(point, st.integers(0, 2), st.integers(1, 3)), min_size=1, max_size=most)
    )
    return tuple(Sample(i, x, y, w) for i, (x, y, w) in enumerate(rows))


@st.composite
def rule_lists(draw: st.DrawFn, n: int = 5, most: int = 4) -> Rules:
    """Draw arbitrary rules on n points with one or two owners: their ancestry may be anything."""
    index = st.integers(0, n - 1)
    pair = st.tuples(st.frozensets(index), st.lists(index, min_size=1, max_size=2, unique=True))
    drawn = draw(st.lists(pair, max_size=most))
    return tuple(Rule(holds, tuple(owners), form) for form, (holds, owners) in enumerate(drawn))


def values(e: Objective, trees: list[DTree]) -> list[Number]:
    return [e(t) for t in trees]


def line(labels: str) -> Samples:
    """Place samples with these labels on a line."""
    return tuple(Sample(i, (i,), int(y)) for i, y in enumerate(labels))


def every_tree(d: int, xs: Samples) -> list[Tree[Rule, Samples]]:
    """List every axis-parallel tree of depth at most d whose splits part their samples."""
    trees: list[Tree[Rule, Samples]] = [Leaf(xs)]
    if d > 0:
        for r in axis_rules(xs):
            left, right = sides(xs, r)
            if left and right:
                pairs = product(every_tree(d - 1, left), every_tree(d - 1, right))
                trees += [Node(u, r, v) for u, v in pairs]
    return trees


@given(samples(), objectives, constraints, st.integers(0, 3), st.integers(0, 4), st.integers(0, 2))
def test_best_is_the_least_of_all_trees_within_the_budgets(
    xs: Samples, e: Objective, p: Constraint, d: int, k: int, penalty: Number
) -> None:
    e_penalised = penalised(e, penalty)
    within = [t for t in every_tree(d, xs) if p(t) and size(t) <= k]
    if not within:
        with pytest.raises(ValueError, match="no tree within"):
            best_tree(xs, axis_rules, e, max_depth=d, max_splits=k, penalty=penalty, constraint=p)
        return
    t = best_tree(xs, axis_rules, e, max_depth=d, max_splits=k, penalty=penalty, constraint=p)
    assert p(t)
    assert size(t) <= k
    assert depth(t) <= d
    assert sorted(x for leaf in leaves(t) for x in leaf) == sorted(xs)
    least = min(e_penalised(t) for t in within)
    assert e_penalised(t) == least
    assert least == best_value(
        xs, axis_rules, e, max_depth=d, max_splits=k, penalty=penalty, constraint=p
    )


@given(samples(most=4), objectives, st.integers(0, 2))
def test_no_budget_means_as_many_splits_as_samples_allow(
    xs: Samples, e: Objective, penalty: Number
) -> None:
    n = len(xs)
    least = min(penalised(e, penalty)(t) for t in every_tree(n - 1, xs))
    assert best_value(xs, axis_rules, e, penalty=penalty) == least
    assert best_value(xs, axis_rules, e, penalty=penalty, max_depth=n, max_splits=n) == least


@pytest.mark.parametrize(
    ("budgets", "message"),
    [
        ({"max_depth": -1}, "max_depth is -1"),
        ({"max_splits": -2}, "max_splits is -2"),
        ({"penalty": -3}, "-3"),
        ({"max_subproblems": 2}, "max_subproblems = 2"),
    ],
)
def test_best_refuses_bad_budgets(budgets: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_value(line("010"), axis_rules, "zero_one", **budgets)  # type: ignore[arg-type]


def test_best_refuses_bad_data_and_unknown_objectives() -> None:
    with pytest.raises(ValueError, match=r"empty: \(\)"):
        best_tree((), axis_rules, "zero_one")
    with pytest.raises(ValueError, match="index 7"):
        best_tree((Sample(7, (0,), 0), Sample(7, (1,), 0)), axis_rules, "zero_one")
    with pytest.raises(ValueError, match="gini"):
        best_tree(line("01"), axis_rules, "gini")


def test_best_on_a_line_uses_one_split_for_each_change_of_label() -> None:
    t = best_tree(line("0011100"), axis_rules, "zero_one", max_splits=2)
    assert [len(leaf) for leaf in leaves(t)] == [2, 3, 2]
    assert len(rules(t)) == 2


@pytest.mark.parametrize("labels", ["00010", "01000"])
def test_all_splits_may_be_on_one_side(labels: str) -> None:
    """The first split is forced, so the second and third are needed below it, left or right."""

    def halves_first(xs: Samples) -> list[Rule]:
        rs = axis_rules(xs)
        return rs if len(xs) < 5 else [rs[3 if labels[1] == "1" else 0]]

    xs = line(labels)
    assert [best_value(xs, halves_first, "zero_one", max_splits=k) for k in (2, 3)] == [1, 0]


@given(samples(), rule_lists(), objectives, st.integers(0, 2))
def test_programs_for_given_rules_equal_brute_force(
    xs: Samples, rs: Rules, e: Objective, penalty: Number
) -> None:
    e = penalised(e, penalty)
    expected = values(e, brute_rec(len(rs), xs, rs, e))
    assert values(e, sodt_rec(xs, rs, e)) == expected
    assert values(e, sodt_vec(xs, rs, e)) == expected
    assert values(e, sodt_kperms(xs, rs, e)) == expected
    assert values(e, odt_bf(xs, rs, e)) == values(e, brute_bf(len(rs), xs, rs, e))


@given(samples(), rule_lists(), objectives, constraints)
def test_separable_filters_may_be_fused(
    xs: Samples, rs: Rules, e: Objective, p: Constraint
) -> None:
    k = len(rs)
    by_rec = sodt_rec(xs, rs, e, constraint=p)
    assert values(e, by_rec) == values(e, brute_rec(k, xs, rs, e, p=p))
    by_bf = odt_bf(xs, rs, e, constraint=p)
    assert values(e, by_bf) == values(e, brute_bf(k, xs, rs, e, p=p))
    assert all(p(t) for t in by_rec + by_bf)


@given(samples(), rule_lists(), objectives, st.booleans(), st.data())
def test_one_best_tree_for_each_combination_is_enough(
    xs: Samples, rs: Rules, e: Objective, at_most: bool, data: st.DataObject
) -> None:
    k = data.draw(st.integers(0, len(rs)))
    pairs = [(sodt_rec, brute_rec), (sodt_vec, brute_vec), (sodt_kperms, brute_kperms)]
    for program, problem in [*pairs, (odt_bf, brute_bf)]:

        def sodt(xs: Samples, chosen: Rules, solve: object = program) -> list[DTree]:
            assert callable(solve)
            return list(solve(xs, chosen, e))

        found = simplified(k, xs, rs, e, sodt, at_most=at_most)
        assert values(e, found) == values(e, problem(k, xs, rs, e, at_most=at_most))


@given(samples(), objectives, constraints, st.integers(0, 2))
def test_odt_depth_equals_brute_force(xs: Samples, e: Objective, p: Constraint, d: int) -> None:
    found = odt_depth(d, xs, axis_rules, e, constraint=p)
    assert values(e, found) == values(e, brute_depth(d, xs, axis_rules, e, p=p))


@given(samples(), objectives, constraints, st.integers(0, 2))
def test_best_equals_the_brute_force_of_at_most_a_depth(
    xs: Samples, e: Objective, p: Constraint, d: int
) -> None:
    expected = values(e, brute_depth(d, xs, axis_rules, e, p=p, at_most=True))
    if expected:
        assert [best_value(xs, axis_rules, e, max_depth=d, constraint=p)] == expected


@given(samples(most=4), objectives, constraints, st.integers(0, 3), st.integers(0, 2))
def test_axis_parallel_rules_lose_nothing_to_all_dichotomies(
    xs: Samples, e: Objective, p: Constraint, k: int, penalty: Number
) -> None:
    """The list of rules with ancestry is complete for axis-parallel splits, and at-most budgets."""
    e = penalised(e, penalty)
    rs = tuple(axis_rules(xs))

    def sodt(xs: Samples, chosen: Rules) -> list[DTree]:
        return sodt_rec(xs, chosen, e, constraint=p)

    k = min(k, len(rs))
    by_list = simplified(k, xs, rs, e, sodt, at_most=True)
    if by_list:
        assert best_value(xs, gen_splits("axis"), e, max_splits=k, constraint=p) == e(by_list[0])


def test_partings_leave_out_rules_that_do_not_part_and_splits_not_allowed() -> None:
    xs = line("0101")
    assert [len(left) for left, _, _ in partings(xs, axis_rules)] == [1, 2, 3]
    assert [len(left) for left, _, _ in partings(xs, axis_rules, min_leaf(2))] == [2]


def test_odt_depth_refuses_a_negative_depth() -> None:
    with pytest.raises(ValueError, match="the depth is -1"):
        odt_depth(-1, line("01"), axis_rules, "zero_one")


def test_programs_answer_for_exclusive_or() -> None:
    xs = tuple(Sample(i, (i // 2, i % 2), i // 2 ^ i % 2) for i in range(4))
    assert best_value(xs, binary_rules, "zero_one", max_splits=3) == 0
    assert best_value(xs, binary_rules, "zero_one", max_splits=2) == 1
    assert best_value(xs, binary_rules, "zero_one", max_depth=2, penalty=1) == 2
