"""Filters and bounds inside the recursion equal the same filters and no bounds outside."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.combinatorics import ins
from exactree.spec.constraints import (
    ANY_TREE,
    Predicate,
    max_depth,
    max_leaf_cost,
    max_size,
    min_leaf,
)
from exactree.spec.data import Number, Rule, Sample, Samples
from exactree.spec.fusion import (
    Bound,
    gen_filt_kperms,
    gen_filt_vec,
    is_update_closed,
    odt_thin_fdom,
    odt_thin_gub,
    sodt_filt_kperms,
    sodt_filt_vec,
)
from exactree.spec.generators import DTree, Rules, candidates, gen_dts_vec, update
from exactree.spec.nonexistence import (
    fused_kperms,
    fused_vec,
    kperms_counterexample,
    vec_counterexample,
)
from exactree.spec.objectives import OBJECTIVES, ZERO_ONE, Objective, errors
from exactree.spec.permutations import gen_dts_kperms, tree_of_permutation
from exactree.spec.problems import brute_rec
from exactree.spec.programs import best_tree, best_value, sodt_rec
from exactree.spec.rules import axis_rules
from exactree.spec.tree import Leaf

N = 5
UPDATE_CLOSED: list[Predicate] = [ANY_TREE, min_leaf(1), min_leaf(2), max_size(2), max_depth(2)]
objectives = st.sampled_from(sorted(OBJECTIVES)).map(OBJECTIVES.__getitem__)
predicates = st.sampled_from(UPDATE_CLOSED)


@st.composite
def samples(draw: st.DrawFn) -> Samples:
    row = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.integers(1, 3))
    rows = draw(st.lists(row, min_size=N, max_size=N))
    return tuple(Sample(i, (a, b), y, w) for i, (a, b, y, w) in enumerate(rows))


@st.composite
def rule_lists(draw: st.DrawFn) -> Rules:
    index = st.integers(0, N - 1)
    pair = st.tuples(st.frozensets(index), st.lists(index, min_size=1, max_size=2, unique=True))
    drawn = draw(st.lists(pair, max_size=4))
    return tuple(Rule(holds, tuple(owners), form) for form, (holds, owners) in enumerate(drawn))


def values(e: Objective, trees: list[DTree]) -> list[Number]:
    return [e(t) for t in trees]


@given(samples(), rule_lists(), objectives, predicates)
def test_sequential_filters_may_be_fused(
    xs: Samples, rs: Rules, e: Objective, p: Predicate
) -> None:
    expected = values(e, brute_rec(len(rs), xs, rs, e, p=p))
    assert values(e, sodt_filt_vec(xs, rs, e, p)) == expected
    assert values(e, sodt_filt_kperms(xs, rs, e, p)) == expected
    assert set(gen_filt_vec(xs, rs, p)) == {t for t in gen_dts_vec(xs, rs) if p(t)}


@given(samples(), rule_lists())
def test_validity_may_be_fused_with_appending(xs: Samples, rs: Rules) -> None:
    appended = gen_filt_kperms(xs, rs, ANY_TREE)
    assert sorted(appended, key=str) == sorted(gen_dts_kperms(rs), key=str)


@given(samples(), rule_lists(), predicates)
def test_budgets_and_leaf_sizes_are_closed_under_update(
    xs: Samples, rs: Rules, p: Predicate
) -> None:
    trees = [t for k in range(len(rs)) for t in gen_dts_vec(xs, rs[:k])]
    assert is_update_closed(p, rs, trees)


def test_a_limit_on_the_cost_of_leaves_is_not_closed_under_update() -> None:
    xs = (Sample(0, (0,), 0), Sample(1, (1,), 1))
    pure = max_leaf_cost(errors, 0)
    rs = tuple(axis_rules(xs))[:1]
    assert not is_update_closed(pure, rs, [Leaf(xs)])
    assert sodt_filt_vec(xs, rs, "zero_one", pure) == []
    # It is separable, however, so the recursion with the minimum inside may use it.
    assert values(ZERO_ONE, sodt_rec(xs, rs, "zero_one", constraint=pure)) == [0]


def scaled_bounds(e: Objective, share: Fraction) -> tuple[Bound, Bound]:
    """Make bounds between the trivial ones (share 0) and the optimum itself (share 1)."""

    def lb(d: int, xs: Samples) -> Number:
        return share * best_value(xs, axis_rules, e, max_depth=d)

    def ub(d: int, xs: Samples) -> Number:
        best = best_value(xs, axis_rules, e, max_depth=d)
        return best + (1 - share) * (e.leaf(xs) - best)

    return lb, ub


@given(samples(), objectives, st.integers(0, 3), st.sampled_from([0, 1, 2]))
def test_thinning_loses_no_optimum(xs: Samples, e: Objective, d: int, halves: int) -> None:
    lb, ub = scaled_bounds(e, Fraction(halves, 2))
    least = best_value(xs, axis_rules, e, max_depth=d)
    assert e(odt_thin_fdom(d, xs, axis_rules, e, lb, ub)) == least
    assert e(odt_thin_gub(d, xs, axis_rules, e, lb)) == least
    given_best = best_tree(xs, axis_rules, e, max_depth=d)
    assert odt_thin_gub(d, xs, axis_rules, e, lb, incumbent=given_best) == given_best


def test_a_tight_bound_drops_every_split_but_never_the_incumbent() -> None:
    xs = tuple(Sample(i, (i,), y) for i, y in enumerate([0, 0, 1, 1]))
    asked: list[int] = []

    def rules_with_count(ys: Samples) -> list[Rule]:
        asked.append(len(ys))
        return axis_rules(ys)

    incumbent = best_tree(xs, axis_rules, "zero_one", max_depth=2)
    found = odt_thin_gub(2, xs, rules_with_count, "zero_one", lambda d, ys: 0, incumbent=incumbent)
    assert found == incumbent
    assert asked == [4]


@pytest.mark.parametrize("d", [-1, -5])
def test_thinning_refuses_negative_depths(d: int) -> None:
    xs = (Sample(0, (0,), 0),)
    with pytest.raises(ValueError, match=f"the depth is {d}"):
        odt_thin_gub(d, xs, axis_rules, "zero_one", lambda d, ys: 0)
    with pytest.raises(ValueError, match=f"the depth is {d}"):
        odt_thin_fdom(d, xs, axis_rules, "zero_one", lambda d, ys: 0, lambda d, ys: 9)


# The non-existence theorem: the same steps with the minimum inside.


def plane(*rows: tuple[int, int, int]) -> Samples:
    return tuple(Sample(i, (a, b), y) for i, (a, b, y) in enumerate(rows))


def owned(xs: Samples, *which: tuple[int, int]) -> Rules:
    """Pick the axis-parallel rules of these owners and coordinates."""
    rs = axis_rules(xs)
    return tuple(rs[len(xs[0].x) * owner + i] for owner, i in which)


def test_the_minimum_inside_vec_loses_the_optimum() -> None:
    xs = plane((1, 0, 1), (1, 3, 0), (2, 1, 1), (3, 0, 0))
    rs = owned(xs, (3, 1), (0, 0), (1, 0))
    assert values(ZERO_ONE, sodt_rec(xs, rs, "zero_one")) == [0]
    assert values(ZERO_ONE, fused_vec(xs, rs, "zero_one")) == [1]
    assert vec_counterexample(xs, rs, "zero_one") is not None


def test_the_minimum_inside_kperms_loses_the_optimum() -> None:
    xs = plane((0, 3, 1), (3, 1, 1), (1, 0, 1), (2, 3, 0))
    rs = owned(xs, (0, 0), (3, 0), (1, 1))
    assert values(ZERO_ONE, sodt_rec(xs, rs, "zero_one")) == [0]
    (fused,) = fused_kperms(xs, rs, "zero_one")
    assert values(ZERO_ONE, tree_of_permutation(xs, fused)) == [1]
    assert kperms_counterexample(xs, rs, "zero_one") is not None


def test_a_worse_tree_that_stays_worse_is_no_counterexample() -> None:
    xs = plane((0, 2, 1), (2, 2, 1), (3, 0, 0), (3, 1, 0), (2, 0, 0))
    rs = owned(xs, (3, 1), (4, 0), (1, 1))
    before = {ZERO_ONE(t) for r, rest in candidates(rs) for t in gen_dts_vec(xs, rest)}
    assert len(before) > 1
    assert vec_counterexample(xs, rs, "zero_one") is None
    assert kperms_counterexample(xs, rs, "zero_one") is None


@given(samples(), rule_lists(), objectives)
def test_counterexamples_are_what_they_say(xs: Samples, rs: Rules, e: Objective) -> None:
    by_vec = vec_counterexample(xs, rs, e)
    if by_vec is not None:
        r, t, other = by_vec
        after, other_after = update(r, t), update(r, other)
        assert after is not None
        assert other_after is not None
        assert e(t) <= e(other)
        assert e(after) > e(other_after)
    by_kperms = kperms_counterexample(xs, rs, e)
    if by_kperms is not None:
        r, first, second = by_kperms
        before = [e(tree_of_permutation(xs, q)[0]) for q in (first, second)]
        after_all = [
            min(e(t) for q in ins(r, [p]) for t in tree_of_permutation(xs, q))
            for p in (first, second)
        ]
        assert before[0] <= before[1]
        assert after_all[0] > after_all[1]


@given(samples(), rule_lists(), objectives)
def test_fused_programs_answer_with_trees_of_the_space(
    xs: Samples, rs: Rules, e: Objective
) -> None:
    assert set(fused_vec(xs, rs, e)) <= set(gen_dts_vec(xs, rs))
    assert set(fused_kperms(xs, rs, e)) <= set(gen_dts_kperms(rs))
