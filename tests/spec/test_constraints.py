"""Separable filters and budgets: what each accepts, and which of them may be fused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.constraints import (
    ANY_TREE,
    Constraint,
    Predicate,
    both,
    is_prefix_closed,
    max_depth,
    max_leaf_cost,
    max_size,
    min_leaf,
    min_leaf_weight,
    only_rules,
    reaching,
)
from exactree.spec.data import Number, Rule, Sample, Samples
from exactree.spec.tree import Leaf, Node, Tree, depth, leaves, rules, size


def line(*ys: int) -> Samples:
    return tuple(Sample(i, (i,), y, 1 + i % 2) for i, y in enumerate(ys))


def cut(t: int) -> Rule:
    """The samples up to position t, on a line of ten."""
    return Rule(frozenset(range(t + 1)), (t,), t)


def grow(xs: Samples, cuts: list[int]) -> Tree[Rule, Samples]:
    """Split by the first cut, and by the others where they fall."""
    if not cuts:
        return Leaf(xs)
    t, rest = cuts[0], cuts[1:]
    left = tuple(x for x in xs if x.index <= t)
    right = tuple(x for x in xs if x.index > t)
    return Node(
        grow(left, [c for c in rest if c < t]), cut(t), grow(right, [c for c in rest if c > t])
    )


ROW = line(0, 1, 0, 1, 1, 0)
NOBODY: Leaf[Samples] = Leaf(())
trees = st.permutations(range(5)).flatmap(
    lambda p: st.integers(0, 5).map(lambda k: grow(ROW, p[:k]))
)


@given(trees)
def test_reaching_gathers_every_sample_once(tree: Tree[Rule, Samples]) -> None:
    assert reaching(tree) == ROW


@given(trees, st.integers(0, 3))
def test_min_leaf_counts_the_rows_of_every_leaf(tree: Tree[Rule, Samples], n: int) -> None:
    assert min_leaf(n)(tree) == (size(tree) == 0 or all(len(xs) >= n for xs in leaves(tree)))


def test_the_single_leaf_is_always_allowed() -> None:
    assert min_leaf(9)(Leaf(ROW[:2]))
    assert min_leaf_weight(9)(Leaf(ROW[:1]))


@given(trees, st.fractions(0, 5, max_denominator=2))
def test_min_leaf_weight_weighs_every_leaf(tree: Tree[Rule, Samples], w: Fraction) -> None:
    heavy = all(sum(x.w for x in xs) >= w for xs in leaves(tree))
    assert min_leaf_weight(w)(tree) == (size(tree) == 0 or heavy)


@given(trees, st.sets(st.integers(0, 4)))
def test_only_rules_looks_at_every_split(tree: Tree[Rule, Samples], cuts: set[int]) -> None:
    allowed = [cut(t) for t in cuts]
    assert only_rules(allowed)(tree) == (set(rules(tree)) <= set(allowed))


@given(trees, st.integers(1, 6))
def test_max_leaf_cost_looks_at_every_leaf(tree: Tree[Rule, Samples], limit: int) -> None:
    assert max_leaf_cost(len, limit)(tree) == all(len(xs) <= limit for xs in leaves(tree))


@given(trees)
def test_both_is_the_conjunction(tree: Tree[Rule, Samples]) -> None:
    few, short = min_leaf(2), max_leaf_cost(len, 4)
    assert both(few, short)(tree) == (few(tree) and short(tree))
    assert ANY_TREE(tree)


@given(trees, st.integers(0, 5))
def test_budgets_count(tree: Tree[Rule, Samples], n: int) -> None:
    assert max_size(n)(tree) == (size(tree) <= n)
    assert max_depth(n)(tree) == (depth(tree) <= n)


@given(trees, st.integers(0, 5))
def test_depth_d_allows_two_to_the_d_less_one_splits(tree: Tree[Rule, Samples], d: int) -> None:
    """Correction 8: not 2^(d+1) - 1; the perfect tree attains the bound."""
    assert not max_depth(d)(tree) or max_size(2**d - 1)(tree)
    perfect = grow(ROW, [2, 0, 3])
    assert max_depth(2)(perfect)
    assert (max_size(2)(perfect), max_size(3)(perfect)) == (False, True)


FILTERS: list[Constraint] = [
    ANY_TREE,
    min_leaf(2),
    min_leaf_weight(3),
    only_rules([cut(1), cut(3)]),
    max_leaf_cost(len, 3),
]
BUDGETS: list[Predicate] = [max_size(2), max_depth(2)]


@given(st.lists(trees, max_size=5), st.sampled_from([*FILTERS, *BUDGETS]))
def test_filters_and_budgets_are_prefix_closed(ts: list[Tree[Rule, Samples]], p: Predicate) -> None:
    assert is_prefix_closed(p, ts)


def test_an_exact_size_is_not_prefix_closed() -> None:
    assert not is_prefix_closed(lambda t: size(t) == 2, [grow(ROW, [1, 3])])


@given(trees, trees, st.sampled_from(FILTERS))
def test_separable_filters_do_not_care_which_subtrees(
    a: Tree[Rule, Samples], b: Tree[Rule, Samples], p: Constraint
) -> None:
    """Swapping admissible subtrees over the same samples never changes the answer."""
    apart = cut(5)
    one, other = Node(a, apart, NOBODY), Node(b, apart, NOBODY)
    assert not (p(a) and p(b)) or p(one) == p(other)


@pytest.mark.parametrize("p", BUDGETS)
def test_budgets_are_not_separable(p: Predicate) -> None:
    """Correction 1: both pairs of subtrees pass over the same samples, only one pair together."""
    small, large = grow(ROW, [4]), grow(ROW, [1, 3])
    apart = cut(5)
    assert p(small)
    assert p(large)
    assert p(Node(small, apart, NOBODY))
    assert not p(Node(large, apart, NOBODY))


@pytest.mark.parametrize("make", [min_leaf, min_leaf_weight, max_size, max_depth])
@pytest.mark.parametrize("value", [-1, -7])
def test_negative_numbers_are_refused(make: object, value: Number) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=str(value)):
        make(value)
