"""Lower bounds and dominance, each with its proof in words.

Glossary
    S, A, B    sets of samples, A within B
    e(S)       the optimum on S within budgets: depth and number of splits, "at most"
    E(t, S)    the cost of tree t on S
    I(Q)       influence: what the samples Q add at most to the cost of a tree (0-1 loss: weight;
               squared error: `influence_squared`)
    T(t)       the cost of the split after threshold t with optimal children, its penalty included
    L_t, R_t   the samples left and right of it; L_s lies within L_t for s < t

All functions work on numbers and on arrays. Unless said otherwise a bound needs an additive,
monotone objective, a family whose splits stay splits when samples are removed, and no limit on the
rows of a leaf above one: with labels 0 0 1 1 0 0 on a line and at least two rows a side, T is 0 and
2 at thresholds one sample apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil, comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Objective, Targets
from exactree.problem import Ints, Number, Ranks

Values = NDArray[Any]
Bound = Number | Values
EPSILON = float(np.finfo(np.float64).eps)
MOST_SETS_OF_CLASSES = 2000
GROUPED = 512


def subset(*known: Values) -> Values:
    """Bound e(B) from below by e(A) of any subsets A: the largest counts.

    Proof. Let t be optimal on B. It is a tree for A within the same budgets (splits that no longer
    part anything are left out), and fewer samples never cost more: e(A) <= E(t, A) <= E(t, B).

    >>> subset(np.array([1, 5]), np.array([3, 2])).tolist()
    [3, 5]
    """
    return np.asarray(np.maximum.reduce(known))


def similarity(optimum: Values, removed: Values) -> Values:
    """Bound e(A) from below by e(B) - I(B - A), for A within B.

    Proof. Let t be optimal on A. On B it costs at most I(B - A) more: e(B) <= E(t, B) <= e(A) +
    I(B - A). It holds with a limit on the rows of a leaf too: more rows keep t admissible.

    >>> similarity(np.array([7, 2]), np.array([3, 4])).tolist()
    [4, 0]
    """
    return np.maximum(np.subtract(optimum, removed), 0)


def neighbour(cost: Values, between: Values) -> Values:
    """Bound T(t) from below by T(s) - I(samples between s and t), on either side of s.

    Proof. For s < t, L_t = L_s + between, so e(L_t) >= e(L_s) by the subset bound, and R_s = R_t +
    between, so e(R_t) >= e(R_s) - I(between) by similarity. Their sum, and the penalty of the split
    on both sides, give the claim; mirrored for t < s. With a budget of splits the minimum over how
    it is shared out keeps the inequality, since each way of sharing obeys it.

    >>> neighbour(np.array(10), np.array([1, 4, 12])).tolist()
    [9, 6, 0]
    """
    return similarity(cost, between)


def sub_interval(left: Values, right: Values) -> Values:
    """Bound T(t) from below by e(L_a) + e(R_b) for all a < t < b, penalties of the split apart.

    Proof. L_a lies within L_t and R_b within R_t: twice the subset bound. With a budget of splits:
    the minimum over how it is shared out between the two.

    >>> sub_interval(np.array([2, 3]), np.array([4, 0])).tolist()
    [6, 3]
    """
    return np.asarray(np.add(left, right))


def interval_with_row_limit(left: Values, right: Values, between: Values) -> Values:
    """Bound T(t) from below by e(L_b) + e(R_a) - I(a..b) for a <= t <= b, whatever the row limit.

    Proof. L_t lies within L_b and R_t within R_a, and together they lack exactly the samples
    between a and b once: twice similarity, which survives a limit on the rows of a leaf.

    >>> interval_with_row_limit(np.array(6), np.array(5), np.array(4)).tolist()
    7
    """
    return similarity(np.add(left, right), between)


def child_cap(best: Bound, other: Bound, penalty: Number = 0) -> Values:
    """Give the cost at which a child no longer helps: best - penalty - lower bound of the other.

    Proof. The split costs at least child + other + penalty; from the cap on, that is no better than
    the tree already at hand. A child that proves "at least the cap" has said enough.

    >>> child_cap(np.array(10), np.array([3, 9]), penalty=2).tolist()
    [5, -1]
    """
    return np.asarray(np.subtract(best, np.add(other, penalty)))


def useful_splits(leaf_cost: Number, penalty: Number) -> int | None:
    """Bound the splits of a tree that beats the single leaf; None without a penalty.

    Proof. k splits cost at least k * penalty, and ties go to fewer splits, so k * penalty must stay
    below the cost of the leaf.

    >>> useful_splits(10, 3), useful_splits(9, 3), useful_splits(0, 3), useful_splits(9, 0)
    (3, 2, 0, None)
    """
    return max(ceil(Fraction(leaf_cost) / Fraction(penalty)) - 1, 0) if penalty else None


def leaves_name_classes(class_weights: Ints, max_splits: int) -> int:
    """Bound 0-1 loss by the weight outside the heaviest max_splits + 1 classes.

    Proof. A tree of k splits has k + 1 leaves and predicts no more classes than that; every sample
    of another class is an error.

    >>> leaves_name_classes(np.array([5, 1, 7, 2]), 1)
    3
    """
    heaviest = np.sort(class_weights)[::-1]
    return int(heaviest[max_splits + 1 :].sum())


def leaves_and_equal_rows(points: Ranks, labels: Ranks, weights: Ints, leaves: int) -> int:
    """Bound the 0-1 loss of trees of so many leaves by equal rows and classes without a leaf.

    Proof. Let A be the classes that the leaves predict, at most `leaves` of them. Equal rows end in
    one leaf, so of a group at most the weight of its heaviest class within A is right. The best A
    bounds all of them. Where there are too many sets A to try, what is right is at most the
    heaviest class of every group, and at most the heaviest classes: the lesser of the two counts.

    >>> points, labels = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])
    >>> [leaves_and_equal_rows(points, labels, np.array([3, 1, 1, 1]), k) for k in (1, 2, 3)]
    [3, 2, 1]
    """
    classes = int(labels.max()) + 1
    total = int(weights.sum())
    table = np.zeros((int(points.max()) + 1, classes), dtype=np.int64)
    np.add.at(table, (points, labels), weights)
    heaviest = int(table.max(axis=1).sum())
    if leaves >= classes:
        return total - heaviest
    named = int(np.sort(table.sum(axis=0))[-leaves:].sum())
    if comb(classes, leaves) > MOST_SETS_OF_CLASSES:
        return total - min(named, heaviest)
    # Groups of one class need no table: whoever names the class has them.
    mixed = table[(table > 0).sum(axis=1) > 1]
    alone = table.sum(axis=0) - mixed.sum(axis=0)
    right = (
        int(alone[list(some)].sum()) + int(mixed[:, list(some)].max(axis=1).sum())
        for some in combinations(range(classes), leaves)
    )
    return total - max(right)


def with_penalties(bounds: Sequence[Number], penalty: Number) -> Number:
    """Bound trees of any size by bounds[k] on the loss of those of k splits, the last for more.

    Proof. A tree of k splits costs its loss and k penalties; it has some k.

    >>> with_penalties([9, 4, 3], 2)
    6
    """
    return min(bound + k * penalty for k, bound in enumerate(bounds))


def equal_rows(columns: Ranks, labels: Ranks, weights: Ints) -> int:
    """Bound 0-1 loss by the conflicts among equal rows, for any tree of any size.

    The rows are sorted by ranks and then by label, as in every Problem.

    Proof. Rows with equal values take the same path whatever the splits, so they end in one leaf
    and all classes of the group but one are errors; groups are disjoint.

    >>> columns = np.array([[0, 0, 0, 1]], np.int32)
    >>> equal_rows(columns, np.array([0, 1, 1, 0], np.int32), np.array([3, 1, 1, 9]))
    2
    """
    new_row = np.concatenate([[True], (columns[:, 1:] != columns[:, :-1]).any(axis=0)])
    if new_row.all():
        return 0
    new_class = new_row.copy()
    new_class[1:] |= labels[1:] != labels[:-1]
    starts = np.flatnonzero(new_class)
    by_class = np.add.reduceat(weights, starts)
    heaviest = np.maximum.reduceat(by_class, np.flatnonzero(new_row[starts]))
    return int(by_class.sum() - heaviest.sum())


def equal_points(points: Ranks, labels: Ranks) -> int:
    """Give the same for rows of weight one, of which equal ones have the same number in `points`.

    For few classes: it fills a table of all of them for every point.

    >>> equal_points(np.array([0, 0, 0, 1], np.int32), np.array([0, 1, 1, 0], np.int32))
    1
    """
    if int(points[-1]) + 1 == len(points):
        return 0
    size, classes = int(points[-1]) + 1, int(labels.max()) + 1
    counts = np.bincount(points * np.int64(classes) + labels, minlength=size * classes)
    return len(points) - int(counts.reshape(size, classes).max(axis=1).sum())


def equal_rows_cost(columns: Ranks, targets: Targets, objective: Objective) -> Number:
    """Bound the cost of any tree by what the groups of equal rows cost as leaves of their own.

    It needs an additive and superadditive objective, else it is 0. The rows are sorted by ranks.

    Proof. Equal rows end in one leaf whatever the splits, and a leaf costs no less than its groups
    would as leaves of their own; the leaves of a tree add up.

    >>> from exactree.objectives import SquaredError
    >>> targets = Targets(np.array([0, 1, 1]), np.ones(3), np.array([1.0, 3.0]))
    >>> round(equal_rows_cost(np.array([[0, 0, 1]], np.int32), targets, SquaredError()), 9)
    2.0
    """
    if not (objective.additive and objective.superadditive) or not len(targets):
        return 0
    new = np.concatenate([[True], (columns[:, 1:] != columns[:, :-1]).any(axis=0)])
    number = np.cumsum(new) - 1
    shared = np.bincount(number)[number] > 1
    if not shared.any():
        return 0
    rows, starts = np.flatnonzero(shared), np.flatnonzero(new[shared])
    cost = sum(_group_costs(objective, targets.take(rows), starts))
    if objective.integral:
        return int(cost)
    # Sums of floats are wrong by some units in the last place of the cost of the single leaf.
    whole = float(objective.cost(targets.take(rows)))
    return max(float(cost) - 8 * EPSILON * len(rows) * whole, 0.0)


def _group_costs(objective: Objective, targets: Targets, starts: Values) -> Iterator[Any]:
    """Cost the groups of rows that begin at `starts`, some hundred rows at a time.

    Statistics may be as many as the targets of the rows they are asked for.
    """
    ends = np.append(starts[1:], len(targets))
    first = 0
    while first < len(starts):
        begin = starts[first]
        last = max(int(np.searchsorted(ends, begin + GROUPED, side="right")), first + 1)
        inside = targets.take(np.arange(begin, ends[last - 1]))
        if last == first + 1:
            yield objective.cost(inside)
        else:
            sums = np.add.reduceat(objective.statistics(inside), starts[first:last] - begin, axis=0)
            yield objective.leaf_cost(sums).sum()
        first = last


def influence_squared(targets: Targets, low: float, high: float) -> Values:
    """Bound what each sample adds to the squared error of a leaf whose targets lie in [low, high].

    It is w max((y - low)^2, (high - y)^2), and takes the place of the weight in the similarity and
    neighbour bounds.

    Proof. Let the leaf keep its mean, which lies in [low, high]: a new sample is no farther from it
    than from the farther end, and the best number for all of them costs no more.

    >>> influence_squared(Targets(np.array([0]), np.ones(1), np.array([3.0])), 0, 10).tolist()
    [49.0]
    """
    y = targets.y
    return np.asarray(targets.weights * np.maximum(y - low, high - y) ** 2)


def kmeans(targets: Targets, max_splits: int, penalty: Number = 0) -> float:
    """Bound the squared error of trees of k <= max_splits splits, their penalties included.

    It is the least over k of the exact one-dimensional k-means cost of k + 1 clusters of the
    targets and k penalties: cost(j, n) = min over m < n of cost(j-1, m) + error(m..n-1) on the
    sorted targets, O(max_splits V^2) for V different ones. Rounded down by what sums of floats may
    be wrong.

    Proof. The leaves of a tree of k splits are a clustering of the targets into at most k + 1
    parts, and none is better than the best. The tree may have any k, so the least counts.

    >>> three = Targets(np.array([0, 1, 2]), np.ones(3), np.array([0.0, 1.0, 7.0]))
    >>> [round(kmeans(three, k), 9) for k in (1, 2)], round(kmeans(three, 2, penalty=0.4), 9)
    ([0.5, 0.0], 0.8)
    """
    merged = targets.merged()
    kept = merged.take(np.flatnonzero(merged.weights > 0))
    w = kept.weights.astype(np.float64)
    d = kept.y - np.average(kept.y, weights=w)
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(np.stack([w, w * d, w * d * d], 1), axis=0)])
    cost = _errors(sums, slice(1, None), 0)
    slack = 8 * EPSILON * len(w) * float(cost[-1])
    best = float(cost[-1])
    for k in range(1, min(max_splits, len(w) - 1) + 1):
        before = np.concatenate([[0.0], cost])
        cost = np.array(
            [(before[:n] + _errors(sums, n, slice(0, n))).min() for n in range(1, len(w) + 1)]
        )
        best = min(best, float(cost[-1]) + k * penalty)
    return max(best - slack, 0.0)


def _errors(sums: Values, end: int | slice, start: int | slice) -> Values:
    """Give the squared error of runs of sorted targets from prefix sums of w, w d, w d^2."""
    w, s, q = np.moveaxis(sums[end] - sums[start], -1, 0)
    return np.asarray(np.maximum(q - s * s / w, 0.0))
