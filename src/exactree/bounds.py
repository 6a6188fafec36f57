"""Lower bounds and dominance, each with its proof in words.

Glossary
    S, A, B    sets of samples, A within B
    e(S)       the optimum on S within budgets: depth and number of splits, "at most"
    E(t, S)    the cost of tree t on S
    I(Q)       influence: what the samples Q add at most to the cost of a tree (0-1 loss: weight)
    T(t)       the cost of the split after threshold t with optimal children, its penalty included
    L_t, R_t   the samples left and right of it; L_s lies within L_t for s < t

All functions work on numbers and on arrays. Unless said otherwise a bound needs an additive,
monotone objective, a family whose splits stay splits when samples are removed, and no limit on the
rows of a leaf above one: with labels 0 0 1 1 0 0 on a line and at least two rows a side, T is 0 and
2 at thresholds one sample apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil, comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Objective, Targets
from exactree.problem import Ints, Number, Problem, Ranks

Values = NDArray[Any]
Bound = Number | Values
EPSILON = float(np.finfo(np.float64).eps)
MOST_SETS_OF_CLASSES, MOST_LOOKS = 2000, 2 * 10**6
GROUPED = 512


def neighbour(cost: Values, between: Values) -> Values:
    """Bound T(t) from below by T(s) - I(samples between s and t), on either side of s.

    Proof. Let s < t. L_s lies within L_t, and a tree for L_t is one for L_s that costs no more (its
    splits that no longer part anything are left out): e(L_t) >= e(L_s). R_t is R_s without the
    samples between, and a tree for R_t costs at most I(between) more on R_s: e(R_t) >= e(R_s) -
    I(between). Their sum, and the penalty of the split on both sides, give the claim; mirrored for
    t < s. With a budget of splits the minimum over how it is shared out keeps the inequality, since
    each way of sharing obeys it.

    >>> neighbour(np.array(10), np.array([1, 4, 12])).tolist()
    [9, 6, 0]
    """
    return np.maximum(np.subtract(cost, between), 0)


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


@dataclass(frozen=True)
class EqualRows:
    """What groups of equal rows weigh by class: an entry for each class that a group has.

    >>> points, labels = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])
    >>> rows = EqualRows.of(points, labels, np.array([3, 1, 1, 1]))
    >>> [rows.loss_of(leaves) for leaves in (1, 2, 3)]
    [3, 2, 1]
    """

    starts: NDArray[np.intp]  # the first entry of every group
    classes: Ranks
    weights: Ints

    @classmethod
    def of(cls, points: Ranks, labels: Ranks, weights: Ints) -> EqualRows:
        """Add up the rows with the same number in `points`."""
        order = np.lexsort((labels, points))
        points, labels = points[order], labels[order]
        new_point = np.concatenate([[True], points[1:] != points[:-1]])
        new_entry = new_point.copy()
        new_entry[1:] |= labels[1:] != labels[:-1]
        entries = np.flatnonzero(new_entry)
        by_class = np.add.reduceat(weights[order], entries)
        return cls(np.flatnonzero(new_point[entries]), labels[entries], by_class)

    @cached_property
    def by_class(self) -> list[int]:
        """Give the weight of every class."""
        sums = np.zeros(int(self.classes.max()) + 1, dtype=np.int64)
        np.add.at(sums, self.classes, self.weights)
        return [int(w) for w in sums]

    @cached_property
    def right(self) -> int:
        """Give what is right at most if every class is predicted."""
        return int(np.maximum.reduceat(self.weights, self.starts).sum())

    @cached_property
    def mixed(self) -> EqualRows:
        """Give the groups of several classes."""
        sizes = np.diff(np.append(self.starts, len(self.weights)))
        entries = np.repeat(sizes > 1, sizes)
        starts = np.cumsum(np.append(0, sizes[sizes > 1]))[:-1]
        return EqualRows(starts, self.classes[entries], self.weights[entries])

    def right_with(self, predicted: Sequence[int]) -> int:
        """Give what is right at most if these classes are predicted, where groups are mixed."""
        mixed, among = self.mixed, np.zeros(len(self.by_class), dtype=bool)
        among[list(predicted)] = True
        weights = np.where(among[mixed.classes], mixed.weights, 0)
        lost = int(weights.sum() - np.maximum.reduceat(weights, mixed.starts).sum())
        return sum(self.by_class[c] for c in predicted) - lost

    def loss_of(self, leaves: int) -> int:
        """Bound the 0-1 loss of trees of so many leaves by equal rows and classes without a leaf.

        Proof. Let A be the classes that the leaves predict, at most `leaves` of them. Equal rows
        end in one leaf, so of a group at most the weight of its heaviest class within A is right.
        The best A bounds all of them. Where there are too many sets A to try, what is right is at
        most the heaviest class of every group, and at most the heaviest classes: the lesser of the
        two counts, which is all there is to it if no group has several classes.
        """
        classes, total = len(self.by_class), sum(self.by_class)
        sets, mixed = comb(classes, leaves), len(self.mixed.weights)
        named = sum(sorted(self.by_class)[-leaves:])
        if sets <= 1 or not mixed or sets > MOST_SETS_OF_CLASSES or sets * mixed > MOST_LOOKS:
            return total - min(named, self.right)
        return total - max(map(self.right_with, combinations(range(classes), leaves)))


def with_penalties(bounds: Sequence[Number], penalty: Number) -> Number:
    """Bound trees of any size by bounds[k] on the loss of those of k splits, the last for more.

    Proof. A tree of k splits costs its loss and k penalties; it has some k.

    >>> with_penalties([9, 4, 3], 2)
    6
    """
    return min(bound + k * penalty for k, bound in enumerate(bounds))


def any_tree(problem: Problem) -> int:
    """Bound what any tree within the budgets costs, whatever its splits."""
    points = problem.points
    if points is None:
        points = np.arange(problem.n_rows, dtype=np.int32)
    most = 2**problem.max_depth - 1 if problem.max_depth < 31 else problem.n_rows
    if problem.max_splits is not None:
        most = min(most, problem.max_splits)
    # From as many leaves as classes on, more leaves change nothing.
    sizes = range(min(most, problem.n_classes - 1) + 1)
    if not problem.penalty:
        sizes = range(sizes[-1], sizes[-1] + 1)
    costs = problem.row_costs()
    rows = EqualRows.of(points, problem.labels, costs)
    losses = [rows.loss_of(k + 1) for k in sizes]
    return int(with_penalties(losses, problem.penalty if len(sizes) > 1 else 0))


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
    assert not ((labels[1:] < labels[:-1]) & ~new_row[1:]).any(), "a false bound: rows not sorted"
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
