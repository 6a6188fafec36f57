"""Every bound against a brute force of its own, and the cases where a bound must not be used."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.bounds import (
    Influence,
    LeafCost,
    ball_bound,
    classes_bound,
    equivalent_points,
    grouped_kmeans_bound,
    identical_rows,
    influence_squared,
    influence_zero_one,
    interval_bound,
    interval_bound_leaf_size,
    kmeans_1d,
    kmeans_bound,
    lb_split,
    neighbour_bound,
    similarity_bound,
    subset_bound,
    superset_bound,
    ub,
    ub_split,
)
from exactree.spec.constraints import min_leaf
from exactree.spec.data import Number, Rule, Sample, Samples, sides
from exactree.spec.objectives import OBJECTIVES, SQUARED, WEIGHTED_ZERO_ONE, Objective
from exactree.spec.programs import best_value
from exactree.spec.rules import axis_rules

Parts = list[tuple[Samples, Samples]]


def partings(xs: Samples, feature: int | None = None) -> Parts:
    """The axis-parallel splits of the samples, of one feature in ascending order."""
    features = range(len(xs[0].x)) if feature is None else [feature]
    cuts = [(i, t) for i in features for t in sorted({x.x[i] for x in xs})[:-1]]
    return [
        (tuple(x for x in xs if x.x[i] <= t), tuple(x for x in xs if x.x[i] > t)) for i, t in cuts
    ]


class Brute:
    """e(S) and T(t) by trying every tree, with what they depend on fixed."""

    def __init__(self, objective: Objective, penalty: Number = 0, least: int = 1) -> None:
        self.f, self.penalty, self.least = objective.leaf, penalty, least

    def e(self, d: int, k: int, xs: Samples) -> Number:
        costs = [self.f(xs)]
        if d > 0 and k > 0 and xs:
            costs += [self.cost(d, k, p) for p in partings(xs) if min(map(len, p)) >= self.least]
        return min(costs)

    def sides(self, d: int, k: int, left: Samples, right: Samples) -> list[list[Number]]:
        """The optimum of both sides for every budget of splits 0 .. k-1."""
        return [[self.e(d - 1, i, side) for i in range(k)] for side in (left, right)]

    def cost(self, d: int, k: int, parts: tuple[Samples, Samples]) -> Number:
        left, right = self.sides(d, k, *parts)
        return min(left[i] + right[k - 1 - i] for i in range(k)) + self.penalty


@st.composite
def samples(draw: st.DrawFn, least: int = 1, dimension: int = 2, most: int = 5) -> Samples:
    row = st.tuples(
        st.tuples(*[st.integers(0, 3)] * dimension), st.integers(0, 2), st.integers(1, 3)
    )
    rows = draw(st.lists(row, min_size=least, max_size=most))
    return tuple(Sample(i, x, y, w) for i, (x, y, w) in enumerate(rows))


budgets = st.tuples(st.integers(0, 2), st.integers(0, 3))
splitting = st.tuples(st.integers(1, 2), st.integers(1, 3))
penalties = st.sampled_from([0, 1, Fraction(1, 2)])
# an additive objective with its influence; the targets drawn above lie in [0, 2]
losses: st.SearchStrategy[tuple[Objective, Influence]] = st.sampled_from(
    [(WEIGHTED_ZERO_ONE, influence_zero_one), (SQUARED, influence_squared(0, 2))]
)


def line(*ys: int) -> Samples:
    return tuple(Sample(i, (i,), y) for i, y in enumerate(ys))


@given(samples(), budgets, penalties, losses, st.integers(1, 2))
def test_the_brute_force_is_the_budgeted_recursion(
    xs: Samples,
    budget: tuple[int, int],
    penalty: Number,
    loss: tuple[Objective, Influence],
    least: int,
) -> None:
    d, k = budget
    assert Brute(loss[0], penalty, least).e(d, k, xs) == best_value(
        xs,
        axis_rules,
        loss[0],
        max_depth=d,
        max_splits=k,
        penalty=penalty,
        constraint=min_leaf(least),
    )


@given(samples(most=4), st.sampled_from(sorted(OBJECTIVES)), st.integers(0, 2))
def test_the_single_leaf_and_the_single_split_are_upper_bounds(
    xs: Samples, name: str, d: int
) -> None:
    objective = OBJECTIVES[name]
    assert best_value(xs, axis_rules, objective, max_depth=d) <= ub(objective, xs)
    for r in axis_rules(xs):
        best = objective.combine(*(best_optimum(objective, side) for side in sides(xs, r)))
        assert best_optimum(objective, xs) <= best <= ub_split(objective, xs, r)


@given(samples(most=4), losses)
def test_bounds_of_the_sides_bound_the_split(
    xs: Samples, loss: tuple[Objective, Influence]
) -> None:
    objective = loss[0]
    for r in axis_rules(xs):
        best = objective.combine(*(best_optimum(objective, side) for side in sides(xs, r)))
        assert lb_split(objective, lambda s: equivalent_points(objective.leaf, s), xs, r) <= best
        assert lb_split(objective, lambda s: best_optimum(objective, s), xs, r) == best


def best_optimum(objective: Objective, xs: Samples) -> Number:
    return best_value(xs, axis_rules, objective) if xs else 0


def test_a_split_that_parts_nothing_may_cost_more_than_the_leaf() -> None:
    xs = line(0, 0)
    everyone = Rule(frozenset({0, 1}), (1,))
    assert ub_split(OBJECTIVES["worst_path"], xs, everyone) == 1 > ub(OBJECTIVES["worst_path"], xs)


@given(samples(least=0), samples(least=0), losses)
def test_influence_bounds_what_a_leaf_can_gain(
    a: Samples, b: Samples, loss: tuple[Objective, Influence]
) -> None:
    objective, influence = loss
    extra = tuple(x._replace(index=x.index + len(a)) for x in b)
    assert objective.leaf(a) <= objective.leaf(a + extra) <= objective.leaf(a) + influence(extra)


@given(samples(most=6), st.data(), budgets, penalties, losses)
def test_subset_and_superset(
    b: Samples,
    data: st.DataObject,
    budget: tuple[int, int],
    penalty: Number,
    loss: tuple[Objective, Influence],
) -> None:
    a = tuple(x for x in b if data.draw(st.booleans()))
    brute = Brute(loss[0], penalty)
    e_a, e_b = brute.e(*budget, a), brute.e(*budget, b)
    assert e_b >= subset_bound(e_a, a, b)
    assert e_a >= superset_bound(e_b, a, b, loss[1])


@given(samples(most=6), st.data(), budgets, penalties, losses)
def test_similarity(
    xs: Samples,
    data: st.DataObject,
    budget: tuple[int, int],
    penalty: Number,
    loss: tuple[Objective, Influence],
) -> None:
    """Correction 4: a theorem, with the budgets of B within those of A."""
    where = [data.draw(st.sampled_from("AB*")) for _ in xs]
    a = tuple(x for x, side in zip(xs, where, strict=True) if side != "B")
    b = tuple(x for x, side in zip(xs, where, strict=True) if side != "A")
    d, k = budget
    brute = Brute(loss[0], penalty)
    bound = similarity_bound(brute.e(d, k, a), a, b, loss[1])
    assert brute.e(max(d - 1, 0), k, b) >= brute.e(d, k, b) >= bound


def test_similarity_is_tight_and_needs_the_whole_influence() -> None:
    a, b = line(0, 1), line(0, 1)[1:]
    assert similarity_bound(1, a, b, influence_zero_one) == 0 == Brute(WEIGHTED_ZERO_ONE).e(0, 0, b)


def test_similarity_fails_for_larger_budgets() -> None:
    a = line(0, 1)
    brute = Brute(WEIGHTED_ZERO_ONE)
    assert brute.e(1, 1, a) == 0 < similarity_bound(brute.e(0, 0, a), a, a, influence_zero_one)


def test_leaf_sizes_break_subset_monotonicity() -> None:
    """Correction 5: labels 0 0 1 1 and two samples a leaf; without one 0 no split is left."""
    b = line(0, 0, 1, 1)
    brute = Brute(WEIGHTED_ZERO_ONE, least=2)
    e_a, e_b = brute.e(1, 1, b[1:]), brute.e(1, 1, b)
    assert (e_a, e_b) == (1, 0)
    assert e_b < subset_bound(e_a, b[1:], b) == similarity_bound(e_a, b[1:], b, influence_zero_one)
    free = Brute(WEIGHTED_ZERO_ONE)
    assert e_b >= subset_bound(free.e(1, 1, b[1:]), b[1:], b), "bounds without the limit stay sound"


@given(samples(most=6), st.data(), budgets, penalties, losses, st.integers(2, 3))
def test_with_leaf_sizes_the_superset_bound_stays(
    b: Samples,
    data: st.DataObject,
    budget: tuple[int, int],
    penalty: Number,
    loss: tuple[Objective, Influence],
    least: int,
) -> None:
    a = tuple(x for x in b if data.draw(st.booleans()))
    limited, free = Brute(loss[0], penalty, least), Brute(loss[0], penalty)
    assert limited.e(*budget, a) >= superset_bound(limited.e(*budget, b), a, b, loss[1])
    assert limited.e(*budget, b) >= free.e(*budget, b) >= subset_bound(free.e(*budget, a), a, b)


columns = samples(least=2, dimension=1, most=6)


@given(columns, splitting, penalties, losses)
def test_neighbours(
    xs: Samples, budget: tuple[int, int], penalty: Number, loss: tuple[Objective, Influence]
) -> None:
    brute = Brute(loss[0], penalty)
    parts = partings(xs, 0)
    costs = [brute.cost(*budget, p) for p in parts]
    for s, t in product(range(len(parts)), repeat=2):
        between = set(parts[s][0]) ^ set(parts[t][0])
        assert costs[t] >= neighbour_bound(costs[s], tuple(between), loss[1])


@given(columns, splitting, penalties, losses)
def test_sub_intervals(
    xs: Samples, budget: tuple[int, int], penalty: Number, loss: tuple[Objective, Influence]
) -> None:
    d, k = budget
    brute = Brute(loss[0], penalty)
    parts = partings(xs, 0)
    for a, t, b in product(range(len(parts)), repeat=3):
        if a <= t <= b:
            left, right = brute.sides(d, k, parts[a][0], parts[b][1])
            assert brute.cost(d, k, parts[t]) >= interval_bound(left, right, penalty)


def test_sub_intervals_need_the_same_pair_of_budgets() -> None:
    """The best budget of each side on its own would say 1, the least sum of pairs 4."""
    assert interval_bound([4, 1], [3, 0]) == 4 > 1 + 0


@given(columns, splitting, penalties, losses, st.integers(2, 3))
def test_sub_intervals_with_leaf_sizes(
    xs: Samples,
    budget: tuple[int, int],
    penalty: Number,
    loss: tuple[Objective, Influence],
    least: int,
) -> None:
    d, k = budget
    brute = Brute(loss[0], penalty, least)
    parts = partings(xs, 0)
    for a, t, b in product(range(len(parts)), repeat=3):
        if a <= t <= b:
            left, right = brute.sides(d, k, parts[b][0], parts[a][1])
            between = loss[1](tuple(set(parts[b][0]) - set(parts[a][0])))
            bound = interval_bound_leaf_size(left, right, between, penalty)
            assert brute.cost(d, k, parts[t]) >= bound


def test_leaf_sizes_break_neighbours_and_sub_intervals() -> None:
    """Labels 0 0 1 1 0 0, two samples a leaf, depth two: T jumps from 0 to 2 one sample apart."""
    xs = line(0, 0, 1, 1, 0, 0)
    brute = Brute(WEIGHTED_ZERO_ONE, least=2)
    second, third = partings(xs, 0)[1:3]
    assert (brute.cost(2, 3, second), brute.cost(2, 3, third)) == (0, 2)
    assert neighbour_bound(2, xs[2:3], influence_zero_one) == 1 > brute.cost(2, 3, second)
    left, right = brute.sides(2, 2, xs[:3], xs[3:])
    assert interval_bound(left, right) > brute.cost(2, 2, (xs[:4], xs[4:]))


@given(samples(least=2, most=5), splitting, penalties, losses, st.data())
def test_balls(
    xs: Samples,
    budget: tuple[int, int],
    penalty: Number,
    loss: tuple[Objective, Influence],
    data: st.DataObject,
) -> None:
    """Any two dichotomies, not only those of a surface: T is about the two sides alone."""
    brute = Brute(loss[0], penalty)
    one, other = ([data.draw(st.booleans(), label="side") for _ in xs] for _ in range(2))
    moved = tuple(x for x, a, b in zip(xs, one, other, strict=True) if a != b)
    costs = [brute.cost(*budget, parted(xs, where)) for where in (one, other)]
    assert costs[1] >= ball_bound(costs[0], moved, xs, loss[1])


def parted(xs: Samples, where: list[bool]) -> tuple[Samples, Samples]:
    pairs = list(zip(xs, where, strict=True))
    return tuple(x for x, here in pairs if here), tuple(x for x, here in pairs if not here)


def test_exchanged_sides_are_no_neighbours_for_a_fixed_pair_of_budgets() -> None:
    """All samples moved, h = W: T is the same, the cost for (i, j) = (1, 0) is not."""
    xs = line(0, 1, 0)
    brute = Brute(WEIGHTED_ZERO_ONE)
    there, back = (xs[:2], xs[2:]), (xs[2:], xs[:2])
    assert brute.cost(2, 2, there) == brute.cost(2, 2, back) == 0
    fixed = [brute.e(1, 1, left) + brute.e(1, 0, right) for left, right in (there, back)]
    assert fixed == [0, 1]
    assert ball_bound(fixed[1], xs, xs, influence_zero_one) > fixed[0]


@given(samples(most=6), budgets, losses, st.integers(1, 2))
def test_equivalent_points(
    xs: Samples, budget: tuple[int, int], loss: tuple[Objective, Influence], least: int
) -> None:
    twins = tuple(x._replace(x=(x.x[0] // 2, 0)) for x in xs)
    assert Brute(loss[0], 0, least).e(*budget, twins) >= equivalent_points(loss[0].leaf, twins)
    deep = Brute(loss[0]).e(9, 9, twins)
    assert deep == equivalent_points(loss[0].leaf, twins), "and enough splits attain it"


@given(samples(dimension=1))
def test_identical_rows_are_a_partition(xs: Samples) -> None:
    groups = identical_rows(xs)
    assert sorted(x.index for g in groups for x in g) == [x.index for x in xs]
    assert len({g[0].x for g in groups}) == len(groups)
    assert all(len({x.x for x in g}) == 1 for g in groups)


@given(samples(), st.integers(0, 2), penalties)
def test_few_leaves_hold_few_classes(xs: Samples, k: int, penalty: Number) -> None:
    brute = Brute(WEIGHTED_ZERO_ONE, penalty)
    assert brute.e(k, k, xs) >= classes_bound(xs, k, penalty)


def brute_kmeans(k: int, ys: list[int], ws: list[int]) -> Number:
    """Try every assignment of the numbers to k clusters."""

    def cost(labels: tuple[int, ...]) -> Number:
        rows = [Sample(c, (), y, w) for c, y, w in zip(labels, ys, ws, strict=True)]
        return sum(SQUARED.leaf(tuple(x for x in rows if x.index == c)) for c in range(k))

    return min(map(cost, product(range(k), repeat=len(ys))))


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 3)), max_size=5), st.integers(1, 3))
def test_kmeans_is_the_best_clustering(rows: list[tuple[int, int]], k: int) -> None:
    ys, ws = [y for y, _ in rows], [w for _, w in rows]
    assert kmeans_1d(k, ys, ws) == brute_kmeans(k, ys, ws)
    assert kmeans_1d(k, ys) == brute_kmeans(k, ys, [1] * len(ys))


@given(samples(), st.integers(0, 2), penalties)
def test_kmeans_bounds(xs: Samples, k: int, penalty: Number) -> None:
    optimum = Brute(SQUARED, penalty).e(k, k, xs)
    assert optimum >= grouped_kmeans_bound(xs, k, penalty) >= kmeans_bound(xs, k, penalty)


def test_kmeans_with_a_penalty_is_a_minimum_over_sizes() -> None:
    """Correction 18: the largest k alone charges for splits that the optimum does not make."""
    xs = line(0, 0, 1)
    assert kmeans_1d(3, [0, 0, 1]) + 5 * 2 == 10
    optimum = Brute(SQUARED, 5).e(2, 2, xs)
    assert optimum == kmeans_bound(xs, 2, 5) == Fraction(2, 3)


def test_errors_within_groups_do_not_add_to_kmeans_of_the_targets() -> None:
    """Correction 18: two identical rows with targets 0 and 1 cost 1/2, not twice that."""
    xs = (Sample(0, (7,), 0), Sample(1, (7,), 1))
    within = equivalent_points(SQUARED.leaf, xs)
    optimum = Brute(SQUARED).e(0, 0, xs)
    assert optimum == grouped_kmeans_bound(xs, 0) == Fraction(1, 2)
    assert kmeans_bound(xs, 0) + within == 1 > optimum


def test_groups_without_weight_have_no_mean_and_cost_nothing() -> None:
    assert grouped_kmeans_bound((Sample(0, (7,), 3, 0), Sample(1, (8,), 5)), 0) == 0


def test_leaf_costs_are_superadditive() -> None:
    """What equivalent_points rests on fails for a cost that is not."""
    flat: LeafCost = bool
    xs = line(0, 1)
    assert equivalent_points(flat, xs) == 2 > flat(xs)


def test_bad_input_is_refused() -> None:
    a, b = line(0, 1)
    with pytest.raises(ValueError, match=r"\[1\]"):
        subset_bound(0, (a, b), (a,))
    with pytest.raises(ValueError, match=r"\[0\]"):
        superset_bound(0, (a, b), (b,), influence_zero_one)
    with pytest.raises(ValueError, match="between 3 and 2"):
        influence_squared(3, 2)
    with pytest.raises(ValueError, match="2 and 1 given"):
        interval_bound([1, 2], [1])
    with pytest.raises(ValueError, match="0 and 0 given"):
        interval_bound([], [])
    with pytest.raises(ValueError, match="not 0"):
        kmeans_1d(0, [1])
    for bound in (classes_bound, kmeans_bound, grouped_kmeans_bound):
        with pytest.raises(ValueError, match="-1"):
            bound((a, b), -1)
