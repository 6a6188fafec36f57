"""The objective scheme: leaf costs against naive definitions, and what g must satisfy."""

from __future__ import annotations

from fractions import Fraction
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.data import Number, Rule, Sample, Samples
from exactree.spec.objectives import (
    MAX_DEVIATION,
    MAX_ERROR,
    OBJECTIVES,
    SQUARED,
    WEIGHTED_ZERO_ONE,
    WORST_PATH,
    ZERO_ONE,
    Objective,
    is_monotone,
    objective,
    penalised,
)
from exactree.spec.programs import best_value
from exactree.spec.rules import axis_rules
from exactree.spec.tree import Leaf, Node, Tree, size

SPLIT = Rule(frozenset(), ())
weights = st.one_of(st.integers(1, 4), st.fractions(0, 3, max_denominator=4))


@st.composite
def samples(draw: st.DrawFn, most: int = 6) -> Samples:
    rows = draw(st.lists(st.tuples(st.integers(-2, 2), weights), max_size=most))
    return tuple(Sample(i, (0,), y, w) for i, (y, w) in enumerate(rows))


trees: st.SearchStrategy[Tree[Rule, Samples]] = st.recursive(
    samples().map(Leaf), lambda t: st.builds(Node, t, st.just(SPLIT), t), max_leaves=5
)


def plain(ys: list[int]) -> Leaf[Samples]:
    return Leaf(tuple(Sample(i, (0,), y) for i, y in enumerate(ys)))


@given(samples())
def test_errors_are_those_of_the_best_constant(xs: Samples) -> None:
    guesses = [sum(x.y != guess for x in xs) for guess in range(-2, 3)]
    assert ZERO_ONE.leaf(xs) == min(guesses)
    heavy = [sum(x.w for x in xs if x.y != guess) for guess in range(-2, 3)]
    assert WEIGHTED_ZERO_ONE.leaf(xs) == MAX_ERROR.leaf(xs) == min(heavy)


@given(samples(), st.fractions(-3, 3, max_denominator=5))
def test_the_mean_is_the_best_constant(xs: Samples, guess: Fraction) -> None:
    assert SQUARED.leaf(xs) <= sum(x.w * (x.y - guess) ** 2 for x in xs)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6))
def test_squared_error_is_the_sum_about_the_mean(ys: list[int]) -> None:
    mu = mean(map(Fraction, ys))
    assert SQUARED(plain(ys)) == sum((y - mu) ** 2 for y in ys)


@given(samples().filter(bool))
def test_deviation_is_the_worst_distance_of_the_best_constant(xs: Samples) -> None:
    middle = Fraction(max(x.y for x in xs) + min(x.y for x in xs)) / 2
    assert MAX_DEVIATION.leaf(xs) == max(abs(x.y - middle) for x in xs)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_an_empty_leaf_costs_nothing(name: str) -> None:
    assert objective(name)(Leaf(())) == 0


def test_a_leaf_without_weight_costs_nothing() -> None:
    assert SQUARED(Leaf((Sample(0, (0,), 1, 0), Sample(1, (0,), 5, 0)))) == 0


def test_splits_combine_as_named() -> None:
    tree = Node(plain([0, 1]), SPLIT, Node(plain([0, 0, 1, 1]), SPLIT, plain([3])))
    assert (ZERO_ONE(tree), MAX_ERROR(tree), WORST_PATH(tree)) == (3, 2, 4)
    assert SQUARED(tree) == Fraction(1, 2) + 1
    assert MAX_DEVIATION(tree) == Fraction(1, 2)


@given(trees, st.integers(0, 5))
def test_a_penalty_is_charged_once_a_split(tree: Tree[Rule, Samples], penalty: int) -> None:
    assert penalised(ZERO_ONE, penalty)(tree) == ZERO_ONE(tree) + penalty * size(tree)


def test_a_penalty_of_nothing_changes_nothing() -> None:
    assert penalised(SQUARED, 0) is SQUARED


@given(st.fractions(0, 4, max_denominator=6))
def test_a_size_off_the_hull_is_no_penaltys_optimum(penalty: Fraction) -> None:
    """Correction 10: labels 0 0 1 1 1 0 0 cost 3, 2, 0 with at most 0, 1, 2 splits.

    One split is the optimum of a budget, but of no penalty: none or two are always cheaper.
    """
    xs = tuple(Sample(i, (i,), y) for i, y in enumerate([0, 0, 1, 1, 1, 0, 0]))
    costs = [best_value(xs, axis_rules, ZERO_ONE, max_splits=k) for k in range(3)]
    assert costs == [3, 2, 0]
    assert costs[1] + penalty > best_value(xs, axis_rules, ZERO_ONE, penalty=penalty)


@pytest.mark.parametrize("penalty", [0, Fraction(1, 3), 2])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_is_monotone(name: str, penalty: Number) -> None:
    values = [Fraction(v, 2) for v in range(12)]
    assert is_monotone(penalised(objective(name), penalty).combine, values) is None


def steep_at_zero(a: Number, b: Number) -> Number:
    return 100 if a == 0 else a + b


def test_at_least_the_maximum_does_not_make_g_monotone() -> None:
    """Correction 13: with the paper's condition the better left subtree makes the worse tree."""
    assert all(steep_at_zero(a, b) >= max(a, b) for a in range(9) for b in range(9))
    assert is_monotone(steep_at_zero, range(9)) == ((0, 0), (1, 0))
    strange = Objective("strange", ZERO_ONE.leaf, steep_at_zero)
    good, bad, rest = plain([0]), plain([0, 1]), plain([1])
    assert strange(good) < strange(bad)
    assert strange(Node(good, SPLIT, rest)) == 100 > strange(Node(bad, SPLIT, rest))


def test_a_counterexample_is_found_in_either_argument() -> None:
    assert is_monotone(lambda a, b: steep_at_zero(b, a), range(3)) == ((0, 0), (0, 1))
    assert is_monotone(lambda a, b: int(a) | int(b), range(4)) == ((1, 2), (2, 2))


def test_monotone_g_need_not_reach_the_maximum() -> None:
    assert is_monotone(min, range(5)) is None
    assert min(0, 1) < max(0, 1)


@given(trees, trees, trees, st.sampled_from(sorted(OBJECTIVES)))
def test_better_subtrees_make_better_trees(
    u: Tree[Rule, Samples], better: Tree[Rule, Samples], v: Tree[Rule, Samples], name: str
) -> None:
    """The lemma of monotonicity, for any roots: it is about values only."""
    e = objective(name)
    low, high = sorted((u, better), key=e)
    assert e(Node(low, SPLIT, v)) <= e(Node(high, SPLIT, v))
    assert e(Node(v, SPLIT, low)) <= e(Node(v, SPLIT, high))


def test_bad_names_and_penalties_are_refused() -> None:
    with pytest.raises(ValueError, match="'accuracy'"):
        objective("accuracy")
    with pytest.raises(ValueError, match="-1"):
        penalised(ZERO_ONE, -1)
