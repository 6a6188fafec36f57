"""The problems as brute force: their agreement, the simplified problem, budgets and refusals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.constraints import ANY_TREE, Predicate, max_depth, max_size, min_leaf
from exactree.spec.data import Number, Rule, Sample, Samples
from exactree.spec.fusion import odt_thin_fdom, odt_thin_gub, sodt_filt_kperms, sodt_filt_vec
from exactree.spec.generators import (
    DTree,
    GenTrees,
    Rules,
    gen_dtbfs,
    gen_dts_rec,
    gen_dts_vec,
    gen_dtss,
    gen_dtss_upto,
)
from exactree.spec.objectives import OBJECTIVES, Objective, penalised
from exactree.spec.permutations import gen_dts_by_kperms
from exactree.spec.problems import (
    brute_bf,
    brute_depth,
    brute_kperms,
    brute_rec,
    brute_size,
    brute_vec,
    simplified,
)
from exactree.spec.programs import odt_bf, odt_depth, sodt_kperms, sodt_rec, sodt_vec
from exactree.spec.rules import axis_rules
from exactree.spec.select import min_by
from exactree.spec.tree import depth, size

N = 5
PROBLEMS = {"kperms": brute_kperms, "rec": brute_rec, "vec": brute_vec, "bf": brute_bf}
GENERATORS: dict[str, GenTrees] = {
    "kperms": gen_dts_by_kperms,
    "rec": gen_dts_rec,
    "vec": gen_dts_vec,
    "bf": gen_dtbfs,
}
PREDICATES: list[Predicate] = [ANY_TREE, min_leaf(1), min_leaf(2), max_size(1), max_depth(2)]
objectives = st.sampled_from(sorted(OBJECTIVES)).map(OBJECTIVES.__getitem__)
predicates = st.sampled_from(PREDICATES)
names = st.sampled_from(sorted(PROBLEMS))


@st.composite
def samples(draw: st.DrawFn) -> Samples:
    row = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.integers(1, 3))
    rows = draw(st.lists(row, min_size=N, max_size=N))
    return tuple(Sample(i, (a, b), y, w) for i, (a, b, y, w) in enumerate(rows))


@st.composite
def rule_lists(draw: st.DrawFn) -> Rules:
    """Draw arbitrary rules on N points with one or two owners."""
    index = st.integers(0, N - 1)
    pair = st.tuples(st.frozensets(index), st.lists(index, min_size=1, max_size=2, unique=True))
    drawn = draw(st.lists(pair, max_size=4))
    return tuple(Rule(holds, tuple(owners), form) for form, (holds, owners) in enumerate(drawn))


def values(e: Objective, trees: list[DTree]) -> list[Number]:
    return [e(t) for t in trees]


@given(samples(), rule_lists(), objectives, predicates, st.booleans(), st.data())
def test_rec_vec_and_kperms_are_one_problem(
    xs: Samples, rs: Rules, e: Objective, p: Predicate, at_most: bool, data: st.DataObject
) -> None:
    k = data.draw(st.integers(0, len(rs)))
    found = [
        problem(k, xs, rs, e, p=p, at_most=at_most)
        for problem in (brute_kperms, brute_rec, brute_vec)
    ]
    assert len({tuple(values(e, trees)) for trees in found}) == 1
    for t in found[0]:
        assert p(t)
        assert size(t) <= k
        assert at_most or size(t) == k


@given(samples(), rule_lists(), objectives, predicates, names, st.data())
def test_at_most_is_the_best_of_the_exact_sizes(
    xs: Samples, rs: Rules, e: Objective, p: Predicate, name: str, data: st.DataObject
) -> None:
    k = data.draw(st.integers(0, len(rs)))
    exact = [v for i in range(k + 1) for v in values(e, PROBLEMS[name](i, xs, rs, e, p=p))]
    assert values(e, PROBLEMS[name](k, xs, rs, e, p=p, at_most=True)) == sorted(exact)[:1]


@given(samples(), rule_lists(), objectives, st.integers(0, 2), names, st.booleans(), st.data())
def test_the_simplified_problem_has_the_same_optimum(
    xs: Samples,
    rs: Rules,
    e: Objective,
    penalty: Number,
    name: str,
    at_most: bool,
    data: st.DataObject,
) -> None:
    k = data.draw(st.integers(0, len(rs)))
    e = penalised(e, penalty)

    def sodt(xs: Samples, chosen: Rules) -> list[DTree]:
        return min_by(e, GENERATORS[name](xs, chosen))

    whole = brute_size(k, xs, rs, e, GENERATORS[name], at_most=at_most)
    assert values(e, simplified(k, xs, rs, e, sodt, at_most=at_most)) == values(e, whole)
    space = (gen_dtss_upto if at_most else gen_dtss)(k, xs, rs, GENERATORS[name])
    assert values(e, whole) == sorted(values(e, space))[:1]


@given(samples(), objectives, st.integers(0, 2))
def test_at_most_a_depth_is_never_worse_than_perfect_trees(
    xs: Samples, e: Objective, d: int
) -> None:
    loose = brute_depth(d, xs, axis_rules, e, at_most=True)
    assert len(loose) == 1
    assert depth(loose[0]) <= d
    # A rule that leaves a side empty costs a split where the objective counts splits.
    for i in range(d + 1):
        for t in brute_depth(i, xs, axis_rules, e):
            assert e(loose[0]) <= e(t)


def test_a_space_may_be_empty() -> None:
    xs = (Sample(0, (0,), 0), Sample(1, (1,), 1))
    across = (Rule(frozenset({0}), (0, 1), "a"), Rule(frozenset({1}), (0, 1), "b"))
    for problem in (brute_kperms, brute_rec, brute_vec):
        assert problem(2, xs, across, "zero_one") == []
        assert values(OBJECTIVES["zero_one"], problem(2, xs, across, "zero_one", at_most=True)) == [
            0
        ]
    assert brute_rec(1, xs, across, "zero_one", p=min_leaf(2)) == []


XS = tuple(Sample(i, (i,), i % 2) for i in range(4))
RS = tuple(axis_rules(XS))


@pytest.mark.parametrize("problem", [*PROBLEMS.values(), partial(simplified, sodt=gen_dts_rec)])
def test_size_problems_refuse_bad_input(problem: Callable[..., list[DTree]]) -> None:
    with pytest.raises(ValueError, match="-1"):
        problem(-1, XS, RS, "zero_one")
    with pytest.raises(ValueError, match="5 splits asked for, but there are only 4 rules"):
        problem(5, XS, RS, "zero_one")
    with pytest.raises(ValueError, match="empty"):
        problem(1, (), RS, "zero_one")
    with pytest.raises(ValueError, match="gini"):
        problem(1, XS, RS, "gini")
    with pytest.raises(ValueError, match="max_trees = 3;"):
        problem(2, XS, RS, "zero_one", max_trees=3)
    with pytest.raises(ValueError, match="max_trees = 3;"):
        problem(2, XS, RS, "zero_one", at_most=True, max_trees=3)
    assert problem(2, XS, RS, "zero_one", max_trees=None)


GROWING: list[Callable[..., object]] = [
    *GENERATORS.values(),
    partial(sodt_kperms, e="zero_one"),
    partial(sodt_vec, e="zero_one"),
    partial(sodt_filt_vec, e="zero_one", p=ANY_TREE),
    partial(sodt_filt_kperms, e="zero_one", p=ANY_TREE),
]


@pytest.mark.parametrize("program", GROWING)
def test_programs_that_list_trees_refuse_too_many_rules(program: Callable[..., object]) -> None:
    many = tuple(Rule(frozenset({0, 1, 2, 3}), (0,), form) for form in range(12))
    with pytest.raises(
        ValueError, match=r"12 rules may hold \d+ trees, more than max_trees = 1000000"
    ):
        program(XS, many)
    with pytest.raises(ValueError, match="max_trees = 1;"):
        program(XS, RS[:3], max_trees=1)
    assert program(XS, RS[:3], max_trees=None) == program(XS, RS[:3])


@pytest.mark.parametrize(
    "program",
    [
        partial(sodt_rec, XS, RS, "zero_one"),
        partial(odt_bf, XS, RS, "zero_one"),
        partial(odt_depth, 2, XS, axis_rules, "zero_one"),
        partial(odt_thin_gub, 2, XS, axis_rules, "zero_one", lambda d, xs: 0),
        partial(odt_thin_fdom, 2, XS, axis_rules, "zero_one", lambda d, xs: 0, lambda d, xs: 9),
    ],
)
def test_programs_that_store_subproblems_refuse_too_many(program: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="more than max_subproblems = 2 subproblems"):
        program(max_subproblems=2)
    assert program(max_subproblems=None) == program()


def test_the_depth_problem_refuses_bad_input() -> None:
    with pytest.raises(ValueError, match="the depth is -2"):
        brute_depth(-2, XS, axis_rules, "zero_one")
    with pytest.raises(ValueError, match="empty"):
        brute_depth(1, (), axis_rules, "zero_one")
    with pytest.raises(ValueError, match="gini"):
        brute_depth(1, XS, axis_rules, "gini")
    with pytest.raises(ValueError, match="4 trees, more than max_trees = 3;"):
        brute_depth(1, XS, axis_rules, "zero_one", max_trees=3)
