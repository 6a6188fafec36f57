"""The derived programs against brute force, on random tiny problems."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.constraints import ANY_TREE, Constraint, both, max_leaf_cost, min_leaf
from exactree.spec.data import Number, Rule, Sample, Samples, sides
from exactree.spec.objectives import OBJECTIVES, Objective, errors, penalised
from exactree.spec.programs import best_tree, best_value
from exactree.spec.rules import axis_rules
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


@given(samples(), objectives, constraints, st.integers(0, 2), st.integers(0, 3), st.integers(0, 2))
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
