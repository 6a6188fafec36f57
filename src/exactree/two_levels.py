"""The best tree of two levels over all categories of a table, however many there are.

A category is a column of two ranks, but its column need not be there: what the questions for all
categories of a column split off is counted by one pass over the rows, as for a column of numbers.
So a first split, whatever it is, takes a pass over each column of the table. Few first splits are
looked at, since two facts bound the others (e: the least cost of some rows with one split more):

Subset.     Of fewer rows e is no more.
Similarity. Of rows that weigh w less, e is less by w at most.

Along a column of numbers, what is right of a threshold shrinks and what is left grows. Between two
thresholds that were looked at, no split costs less than the left side of the first and the right
side of the second; near one that costs more than what is sought, none costs less either, until rows
of that weight have changed sides. A first split by a category of weight w costs no less than e of
all rows, less w. Where few second splits come near that, what each of them costs on the rows of no
category but one is counted for all categories at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.tables import Column, Table

Ints = NDArray[np.int64]
# Sums of weights are made in float64, and have to be exact.
MOST_WEIGHT = 2**53
# So many second splits are counted for all categories at once.
FEW = 500


@dataclass(frozen=True)
class Asked:
    """A question for a category: a column of the table, and its number there, -1 if missing."""

    feature: int
    code: int


@dataclass(frozen=True)
class Second:
    """What a side costs with a split at most, and the category that this asks for, if it does."""

    cost: int
    asked: Asked | None = None


@dataclass(frozen=True)
class Best:
    """The least cost below what was sought, and the categories of that tree; None: none below."""

    cost: int | Fraction | None
    asked: frozenset[Asked] = frozenset()


class _Questions:
    """All questions of a column: thresholds of its ranks, or its categories one by one."""

    def __init__(self, feature: int, values: NDArray[Any], ordered: bool, labels: Any, k: int):
        self.feature, self.ordered, self.values = feature, ordered, values
        self.ranks = int(values.max()) + 1
        self.keys = values.astype(np.intp) * k + labels
        self.classes = k

    def counts(self, rows: Any, weights: Any) -> NDArray[Any]:
        """Give the weight of every class on the "yes" side of every question."""
        keys, most = self.keys[rows], self.ranks * self.classes
        picked = None if weights is None else weights[rows]
        found = np.bincount(keys, picked, most).reshape(self.ranks, self.classes)
        return np.cumsum(found, axis=0) if self.ordered else found

    def best(self, yes: NDArray[Any], all_of: NDArray[Any]) -> tuple[int, Asked | None]:
        """Give the least cost of two leaves after one of the questions, and what it asks."""
        right = yes.max(axis=1) + (all_of - yes).max(axis=1)
        at = int(right.argmax())
        asked = None if self.ordered else Asked(self.feature, at - 1)
        return int(all_of.sum() - right[at]), asked

    def costs(self, yes: NDArray[Any], all_of: NDArray[Any]) -> NDArray[Any]:
        """Give the cost of two leaves after each of the questions."""
        return np.asarray(all_of.sum() - yes.max(axis=1) - (all_of - yes).max(axis=1))

    def says_yes(self, question: int) -> NDArray[np.bool_]:
        """Tell which rows are on the "yes" side of a question."""
        found = self.values <= question if self.ordered else self.values == question
        return np.asarray(found)


class TwoLevels:
    """Searches all trees of two levels, for costs below a given one.

    Parameters
    ----------
    table, labels, weights
        The rows; weights are costs of an error, None: `unit` each.
    unit, penalty : int
        Cost of a row, and of a split.
    most_splits : int
        1 to 3.
    time_left : callable
        Whether to go on.
    """

    def __init__(
        self,
        table: Table,
        labels: NDArray[Any],
        weights: Ints | None,
        *,
        unit: int,
        penalty: int,
        most_splits: int,
        time_left: Callable[[], bool],
    ) -> None:
        k = int(labels.max()) + 1
        self._labels, self._weights, self._classes = labels, weights, k
        self._unit, self._penalty, self._most_splits = unit, penalty, most_splits
        self._time_left = time_left
        self._columns = [
            _Questions(j, values, ordered, labels, k)
            for j in range(table.shape[1])
            for values, ordered in _columns(table.column(j))
        ]
        rows = np.arange(len(labels))
        self._yes = [column.counts(rows, weights) for column in self._columns]
        self._all = np.bincount(labels, weights, k)

    def below(self, sought: int) -> Best | None:
        """Find the least cost below the one sought; None if time was over before."""
        if self._all.sum() * self._unit >= MOST_WEIGHT:
            return None
        best = Best(None)
        self._sought = sought
        whole = self._second(self._yes, self._all)
        if self._most_splits > 0 and whole.cost < self._sought:
            best = self._take(best, whole.cost, whole)
        if self._most_splits > 1:
            for column, yes in zip(self._columns, self._yes, strict=True):
                search = self._thresholds if column.ordered else self._categories
                for cost, sides in search(column, yes, whole):
                    if cost < self._sought:
                        best = self._take(best, cost, *sides)
                if not self._time_left():
                    return None
        return best

    def _take(self, best: Best, cost: int, *sides: Second | Asked | None) -> Best:
        self._sought = cost
        named = [side.asked if isinstance(side, Second) else side for side in sides]
        return Best(cost, frozenset(asked for asked in named if asked is not None))

    def _second(self, yes: list[NDArray[Any]], all_of: NDArray[Any]) -> Second:
        """Give what some rows cost with a split at most."""
        leaf = int(all_of.sum() - all_of.max()) * self._unit
        found = Second(leaf)
        for column, counts in zip(self._columns, yes, strict=True):
            cost, asked = column.best(counts, all_of)
            cost = cost * self._unit + self._penalty
            if cost < found.cost:
                found = Second(cost, asked)
        return found

    def _split(self, rows: NDArray[np.intp]) -> tuple[tuple[Second, Second], tuple[int, int]]:
        """Look at a first split, given by the rows of one side: that one first."""
        yes = [column.counts(rows, self._weights) for column in self._columns]
        here = np.bincount(
            self._labels[rows],
            None if self._weights is None else self._weights[rows],
            self._classes,
        )
        rest = [all_of - some for all_of, some in zip(self._yes, yes, strict=True)]
        sides = self._second(yes, here), self._second(rest, self._all - here)
        leaves = (here, self._all - here)
        costs = tuple(int(side.sum() - side.max()) * self._unit for side in leaves)
        return sides, (costs[0], costs[1])

    def _joined(self, sides: tuple[Second, Second], leaves: tuple[int, int]) -> Any:
        """Give the cost of the split with the second splits that there may be, and these."""
        if self._most_splits > 2:
            return self._penalty + sides[0].cost + sides[1].cost, sides
        if sides[0].cost + leaves[1] <= leaves[0] + sides[1].cost:
            return self._penalty + sides[0].cost + leaves[1], sides[:1]
        return self._penalty + leaves[0] + sides[1].cost, sides[1:]

    def _categories(
        self, column: _Questions, yes: NDArray[Any], whole: Second
    ) -> Iterator[tuple[int, Any]]:
        weights = yes.sum(axis=1) * self._unit
        order = np.argsort(column.values, kind="stable")
        ends = np.cumsum(np.bincount(column.values, minlength=column.ranks))
        least = None
        for code in np.argsort(-weights, kind="stable").tolist():
            if self._penalty + whole.cost - weights[code] >= self._sought:
                return  # Similarity, and the others weigh less
            if not weights[code] or not self._time_left():
                return
            if least is None:
                least = self._without_each(column, yes, int(weights[code]))
            if least is not None and least[code] >= self._sought:
                continue
            begin = ends[code - 1] if code else 0
            cost, sides = self._joined(*self._split(order[begin : ends[code]]))
            yield cost, (*sides, Asked(column.feature, code - 1))

    def _without_each(
        self, column: _Questions, yes: NDArray[Any], heaviest: int
    ) -> NDArray[Any] | None:
        """Bound first splits by categories up to a weight by what the "no" side costs.

        Second splits that cost more by that weight on all rows are of no use. None: too many do
        not.
        """
        most = self._sought + heaviest - 2 * self._penalty
        near = [
            (other, np.flatnonzero(other.costs(counts, self._all) * self._unit < most))
            for other, counts in zip(self._columns, self._yes, strict=True)
        ]
        if sum(len(questions) for _, questions in near) > FEW:
            return None
        rest = self._all - yes  # without each category
        least = (rest.sum(axis=1) - rest.max(axis=1)) * self._unit
        for other, questions in near:
            for question in questions.tolist():
                if not self._time_left():
                    return None
                inside = np.flatnonzero(other.says_yes(question))
                held = column.counts(inside, self._weights)
                here = held.sum(axis=0)
                sides = (here - held, self._all - here - (yes - held))
                cost = sum(side.sum(axis=1) - side.max(axis=1) for side in sides)
                least = np.minimum(least, cost * self._unit + self._penalty)
        return np.asarray(least + self._penalty)

    def _thresholds(
        self, column: _Questions, yes: NDArray[Any], whole: Second
    ) -> Iterator[tuple[int, Any]]:
        """Look at the thresholds after each rank but the last, by intervals."""
        del whole
        order = np.argsort(column.values, kind="stable")
        ends = np.cumsum(np.bincount(column.values, minlength=column.ranks))
        weight = np.rint(yes.sum(axis=1)).astype(np.int64) * self._unit  # up to each rank
        last = column.ranks - 1
        # What the left and the right side of a threshold cost at least, and the split.
        known = {-1: (0, 0, 0), last: (0, 0, 0)}
        open_ = [(-1, last)]
        while open_ and self._time_left():
            low, high = open_.pop()
            if self._penalty + known[low][0] + known[high][1] >= self._sought:
                continue  # Subset
            # Similarity: nothing better until rows of that weight have changed sides.
            first, end = low + 1, high
            if low >= 0:
                over = known[low][2] - self._sought
                first = max(first, int(np.searchsorted(weight, weight[low] + over, "right")))
            if high < last:
                over = known[high][2] - self._sought
                end = min(end, int(np.searchsorted(weight, weight[high] - over, "left")))
            if first >= end:
                continue
            at = int(np.searchsorted(weight, (weight[first] + weight[end - 1]) // 2))
            at = min(max(at, first), end - 1)
            left_is_smaller = 2 * ends[at] <= len(order)
            rows = order[: ends[at]] if left_is_smaller else order[ends[at] :]
            sides, leaves = self._split(rows)
            if not left_is_smaller:
                sides, leaves = sides[::-1], leaves[::-1]
            cost, picked = self._joined(sides, leaves)
            known[at] = (sides[0].cost, sides[1].cost, cost)
            yield cost, picked
            open_ += [(low, at), (at, high)]


def _columns(column: Column) -> Iterator[tuple[NDArray[Any], bool]]:
    """Give the ranks of a column and whether they are asked in their order.

    With missing values an order is two, as in `splits/derived.py`; a missing category is one more.
    """
    values, missing = column.values, column.missing
    if column.kind.name in ("category", "boolean"):
        yield values + 1, False  # the number of a missing one is -1
        return
    if missing.all():
        return
    ranks = np.zeros(len(values), dtype=np.intp)
    ranks[~missing] = np.unique(values[~missing], return_inverse=True)[1].reshape(-1)
    if not missing.any():
        yield ranks, True
        return
    yield np.where(missing, 0, ranks + 1), True
    yield np.where(missing, int(ranks[~missing].max()), ranks), True
