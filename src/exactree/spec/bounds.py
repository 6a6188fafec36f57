"""Bounds on the optimum of a node, each with its proof.

Glossary
    e(S)      the optimum on the samples S within the budgets of a node: depth, k splits, "at most"
    f         the cost of a leaf
    I(Q)      the influence of the samples Q: what they can add to the cost of any leaf
    L_t, R_t  the samples on the left and on the right of threshold t along one feature
    T(t)      the cost of the split t with optimal subtrees, min over i + j = k - 1
    r         a rule; xs+ and xs- its sides

Unless it says otherwise a bound assumes: an additive objective (a penalty per split changes
nothing), budgets that mean "at most", the leaf allowed everywhere, no limit on the size of leaves,
and a family of splits closed under restriction: what parts B also parts every subset of B. All
dichotomies of a surface are; a literal list of rules with owners is not. A split with an empty side
may be replaced by the subtree of its other side, at no more cost and within the same budgets, so it
makes no difference whether such splits are allowed.

The whole section rests on one step. Take a tree that is optimal on one set of samples and send
another set down the same tree: same splits, same budgets, so its cost there is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from exactree.spec.data import Number, Rule, Sample, Samples, sides
from exactree.spec.objectives import Objective, squared_error

LeafCost = Callable[[Samples], Number]
Influence = Callable[[Samples], Number]


def ub(objective: Objective, xs: Samples) -> Number:
    """Pessimistic upper bound of a node: e(xs) <= f(xs), for the single leaf is one of its trees.

    >>> from exactree.spec.objectives import ZERO_ONE
    >>> ub(ZERO_ONE, (Sample(0, (0,), 0), Sample(1, (1,), 1)))
    1
    """
    return objective.leaf(xs)


def ub_split(objective: Objective, xs: Samples, r: Rule) -> Number:
    """Pessimistic upper bound of a split: g(f(xs+), f(xs-)), the tree of one split.

    Better subtrees only lower it, since g is non-decreasing.

    >>> from exactree.spec.objectives import ZERO_ONE
    >>> xs = (Sample(0, (0,), 0), Sample(1, (1,), 1))
    >>> ub_split(ZERO_ONE, xs, Rule(frozenset({0}), (0,)))
    0
    """
    positive, negative = sides(xs, r)
    return objective.combine(objective.leaf(positive), objective.leaf(negative))


def lb_split(objective: Objective, lb: LeafCost, xs: Samples, r: Rule) -> Number:
    """Optimistic lower bound of a split: g(lb(xs+), lb(xs-)).

    If lb bounds every subtree of a side from below, g, non-decreasing, carries that to the split.

    >>> from exactree.spec.objectives import ZERO_ONE
    >>> lb_split(ZERO_ONE, len, (Sample(0, (0,), 0),), Rule(frozenset({0}), (0,)))
    1
    """
    positive, negative = sides(xs, r)
    return objective.combine(lb(positive), lb(negative))


def influence_zero_one(xs: Samples) -> Number:
    """Influence for the 0-1 loss: I(Q) = w(Q).

    Proof: let the leaf keep its label; a new sample adds its weight at most.

    >>> influence_zero_one((Sample(0, (0,), 0, 2), Sample(1, (0,), 1, 3)))
    5
    """
    return sum(x.w for x in xs)


def influence_squared(lo: Number, hi: Number) -> Influence:
    """Influence for the squared loss, targets in [lo, hi]: I(Q) = sum w max((y-lo)^2, (hi-y)^2).

    Proof: let the leaf keep its mean, which lies in [lo, hi] (an empty leaf takes any number
    there); a new sample is no farther from it than from the farther end.

    >>> influence_squared(0, 10)((Sample(0, (0,), 3),))
    49
    """
    if lo > hi:
        raise ValueError(f"the targets cannot lie between {lo} and {hi}: exchange the two")
    return lambda xs: sum(x.w * max((x.y - lo) ** 2, (hi - x.y) ** 2) for x in xs)


def subset_bound(e_a: Number, a: Samples, b: Samples) -> Number:
    """Subset monotonicity: e(B) >= e(A) for A within B.

    Proof: send A down the optimal tree of B. Every leaf receives a subset of its samples of B, and
    the cost of a leaf never rises when samples leave it.

    False with a limit on the size of leaves: labels 0 0 1 1 and at least two samples a leaf cost
    nothing, without one of the 0s they cost one error, since no split is left.

    >>> subset_bound(1, (Sample(0, (0,), 0),), (Sample(0, (0,), 0), Sample(1, (0,), 1)))
    1
    """
    _check_within(a, b)
    return e_a


def similarity_bound(e_a: Number, a: Samples, b: Samples, influence: Influence) -> Number:
    """Similarity: e(B) >= e(A) - I(A - B), for budgets of B within those of A.

    Proof: let t be optimal on A and B together, that is on their intersection C. Sent down t, the
    samples A - C add at most their influence, so e(A) <= e(C) + I(A - B). And e(C) <= e(B) since C
    lies within B. That the optimal tree of A be optimal on C, as the paper fears, is not needed.

    >>> one, two = Sample(0, (0,), 0), Sample(1, (0,), 1)
    >>> similarity_bound(5, (one, two), (two,), influence_zero_one)
    4
    """
    return max(0, e_a - influence(_minus(a, b)))


def superset_bound(e_b: Number, a: Samples, b: Samples, influence: Influence) -> Number:
    """From a set to its subset: e(A) >= e(B) - I(B - A) for A within B, leaf-size limits or not.

    Proof: send B down the optimal tree of A. The samples B - A add at most their influence, and
    every side of every split has at least as many samples as before, so the limit still holds.

    >>> one, two = Sample(0, (0,), 0), Sample(1, (0,), 1)
    >>> superset_bound(5, (two,), (one, two), influence_zero_one)
    4
    """
    _check_within(a, b)
    return similarity_bound(e_b, b, a, influence)


def neighbour_bound(cost_s: Number, between: Samples, influence: Influence) -> Number:
    """Neighbours along a column: T(t) >= T(s) - I(samples between s and t).

    Proof: say s < t. For the best (i, j) of t: e_i(L_t) >= e_i(L_s), for L_s lies within L_t, and
    e_j(R_t) >= e_j(R_s) - I(R_s - R_t). The sum is at least T(s) - I(between). Mirrored for t < s.

    >>> neighbour_bound(5, (Sample(0, (0,), 0),), influence_zero_one)
    4
    """
    return max(0, cost_s - influence(between))


def interval_bound(left: Sequence[Number], right: Sequence[Number], penalty: Number = 0) -> Number:
    """Sub-interval: T(t) >= min over i + j = k - 1 of e_i(L_a) + e_j(R_b), for a <= t <= b.

    left[i] = e_i(L_a) and right[j] = e_j(R_b) for i, j = 0 .. k-1; a budget of depth alone is one
    number on each side. Proof: L_a lies within L_t and R_b within R_t; the bound holds for each
    (i, j), hence for the least.

    >>> interval_bound([4, 1], [3, 2])
    4
    """
    _check_budgets(left, right)
    return min(a + b for a, b in zip(left, reversed(right), strict=True)) + penalty


def interval_bound_leaf_size(
    left: Sequence[Number], right: Sequence[Number], between: Number, penalty: Number = 0
) -> Number:
    """Sub-interval with a limit on the size of leaves: T(t) >= e(L_b) + e(R_a) - I(a..b).

    left[i] = e_i(L_b), right[j] = e_j(R_a), between = I(samples after a and up to b), a <= t <= b.
    Proof: by superset_bound e(L_t) >= e(L_b) - I(L_b - L_t) and e(R_t) >= e(R_a) - I(R_a - R_t);
    the two differences are apart and lie between a and b.

    >>> interval_bound_leaf_size([4, 1], [3, 2], 1)
    3
    """
    return max(penalty, interval_bound(left, right, penalty) - between)


def ball_bound(cost_s: Number, moved: Samples, xs: Samples, influence: Influence) -> Number:
    """Balls of dichotomies: T(t) >= T(s) - min(I(moved), I(xs - moved)).

    moved holds the samples on different sides of s and t. Proof: a moved sample leaves one side,
    whose optimum does not rise, and joins the other, whose optimum rises by its influence at most.
    T is the minimum over all (i, j), so the sides of t may be exchanged, and then the others are
    the ones that moved. For one fixed (i, j) with i != j only I(moved) holds.

    >>> one, two, three = (Sample(i, (0,), 0) for i in range(3))
    >>> ball_bound(5, (one, two), (one, two, three), influence_zero_one)
    4
    """
    return max(0, cost_s - min(influence(moved), influence(_minus(xs, moved))))


def equivalent_points(f: LeafCost, xs: Samples) -> Number:
    """Equivalent points: e(xs) >= sum of f(group) over the groups of identical rows.

    Proof: identical rows reach the same leaf of every tree, and the cost of a leaf is at least the
    sum of what its groups cost on their own, where each could choose its own prediction. It holds
    for any budgets and any limit on the size of leaves.

    >>> from exactree.spec.objectives import errors
    >>> equivalent_points(errors, (Sample(0, (7,), 0), Sample(1, (7,), 1), Sample(2, (8,), 1)))
    1
    """
    return sum(f(group) for group in identical_rows(xs))


def identical_rows(xs: Samples) -> list[Samples]:
    """Group the samples by their coordinates, in order of first appearance.

    >>> [[x.index for x in g] for g in identical_rows((Sample(0, (7,), 0), Sample(1, (7,), 1)))]
    [[0, 1]]
    """
    groups: dict[tuple[Number, ...], list[Sample]] = {}
    for x in xs:
        groups.setdefault(x.x, []).append(x)
    return [tuple(group) for group in groups.values()]


def classes_bound(xs: Samples, max_splits: int, penalty: Number = 0) -> Number:
    """Few leaves, few classes: e >= min over k <= K of the weight outside the k+1 heaviest classes.

    Proof: a tree of k splits has k + 1 leaves and predicts at most k + 1 classes; the samples of
    all others are errors. The penalty of k splits is added for each k.

    >>> classes_bound(tuple(Sample(i, (i,), i) for i in range(4)), 1)
    2
    """
    _check_splits(max_splits)
    heavy = sorted((sum(x.w for x in xs if x.y == c) for c in {x.y for x in xs}), reverse=True)
    return min(sum(heavy[k + 1 :]) + penalty * k for k in range(max_splits + 1))


def kmeans_1d(k: int, ys: Sequence[Number], ws: Sequence[Number] | None = None) -> Number:
    """Exact one-dimensional k-means: the least squared error of at most k clusters.

    cost(j, n) = min over m < n of cost(j-1, m) + error(m..n-1), on the sorted numbers. Clusters are
    intervals there: moving a number to the nearer of two means, and then the means, raises nothing.

    >>> kmeans_1d(2, [0, 10, 1, 11])
    Fraction(1, 1)
    """
    if k < 1:
        raise ValueError(f"k-means needs at least one cluster, not {k}")
    pairs = sorted(zip(ys, [1] * len(ys) if ws is None else ws, strict=True))
    points = tuple(Sample(i, (), y, w) for i, (y, w) in enumerate(pairs))
    ends = range(1, len(points) + 1)
    cost = [squared_error(points[:n]) for n in range(len(points) + 1)]
    for _ in range(k - 1):
        cost = [cost[0]] + [
            min(cost[m] + squared_error(points[m:n]) for m in range(n)) for n in ends
        ]
    return cost[-1]


def kmeans_bound(xs: Samples, max_splits: int, penalty: Number = 0) -> Number:
    """K-means for squared error: e >= min over k <= K of kmeans(k+1, ys) + penalty * k.

    Proof: the leaves of a tree of k splits are a clustering of the targets into k + 1 parts, and
    none is better than the best. With a penalty the tree may have any k up to K, so the least over
    all of them counts: the largest k alone would charge for splits the optimum does not make.

    >>> kmeans_bound(tuple(Sample(i, (i,), y) for i, y in enumerate([0, 0, 6])), 1, 5)
    Fraction(5, 1)
    """
    return _clusters(((x.y, x.w) for x in xs), max_splits, penalty)


def grouped_kmeans_bound(xs: Samples, max_splits: int, penalty: Number = 0) -> Number:
    """K-means of identical rows: their error within + k-means of their weighted means.

    Proof: identical rows share a leaf, and in a leaf of mean mu a group of weight w and mean m
    costs its error about m plus w (m - mu)^2. The first parts are a constant; the second are a
    clustering of the weighted means. Added to the k-means cost of the targets themselves the error
    within would be counted twice.

    >>> grouped_kmeans_bound((Sample(0, (7,), 0), Sample(1, (7,), 2), Sample(2, (8,), 9)), 1)
    Fraction(2, 1)
    """
    groups = [g for g in identical_rows(xs) if sum(x.w for x in g) > 0]
    means = [_mean(g) for g in groups]
    return equivalent_points(squared_error, xs) + _clusters(means, max_splits, penalty)


def _clusters(points: Iterable[tuple[Number, Number]], max_splits: int, penalty: Number) -> Number:
    """The least k-means cost and penalty over all numbers of splits up to the budget."""
    _check_splits(max_splits)
    pairs = list(points)
    ys, ws = [y for y, _ in pairs], [w for _, w in pairs]
    return min(kmeans_1d(k + 1, ys, ws) + penalty * k for k in range(max_splits + 1))


def _mean(xs: Samples) -> tuple[Number, Number]:
    """The weighted mean of the targets, and its weight."""
    w = sum(x.w for x in xs)
    return Fraction(sum(x.w * x.y for x in xs)) / w, w


def _minus(a: Samples, b: Samples) -> Samples:
    """The samples of a that are not in b, by index."""
    there = {x.index for x in b}
    return tuple(x for x in a if x.index not in there)


def _check_within(a: Samples, b: Samples) -> None:
    outside = [x.index for x in _minus(a, b)]
    if outside:
        raise ValueError(f"samples {outside} of the smaller set are not in the larger one")


def _check_budgets(left: Sequence[Number], right: Sequence[Number]) -> None:
    if len(left) != len(right) or not left:
        raise ValueError(
            f"the sides need a value for each budget 0 .. k-1: {len(left)} and {len(right)} given"
        )


def _check_splits(k: int) -> None:
    if k < 0:
        raise ValueError(f"the budget of splits must not be negative, it is {k}")
