"""Leaves and single splits of some rows with what they predict: all thresholds at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree.engines.shapes.restricting import Inner, Rows
from exactree.problem import Cut, Number
from exactree.tree import Leaf, Tree

# Means that differ by less than this share of the range of all targets count as equal.
EQUAL = 1e-12


class Entry(NamedTuple):
    """A subtree with its cost, its lowest and its highest prediction."""

    cost: Number
    low: float
    high: float
    tree: Tree


class SingleSplits:
    """Trees of at most one split; `directions` has 1, 0 or -1 for every rank column."""

    def __init__(self, inner: Inner, directions: Sequence[int]) -> None:
        self.inner, self.problem, self.directions = inner, inner.problem, directions
        targets = self.problem.targets()
        self.regression = self.problem.objective.task == "regression"
        self.weights = targets.weights
        self.y: NDArray[Any] = targets.labels
        self.slack = 0.0
        if self.regression:
            self.y = targets.y - targets.y.mean()
            self.slack = EQUAL * float(np.ptp(targets.y))

    def leaf(self, rows: Rows) -> Entry:
        """Give the leaf for some rows."""
        cost, leaf = self.inner.leaf(rows)
        assert isinstance(leaf, Leaf)
        sums = self._sums(rows[None], np.array([0]), np.array([len(rows) - 1]))[0]
        value = float(self._value(sums)[0])
        return Entry(cost, value, value, leaf)

    def best(self, cost: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> list[int]:
        """Give the places of those that no other dominates."""
        left = np.lexsort((high, -low, cost))
        found = []
        while len(left):
            i = left[0]
            found.append(int(i))
            left = left[(low[left] > low[i]) | (high[left] < high[i])]
        return found

    def _sums(
        self, orders: Rows, column: NDArray[Any], last: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Add up what the first and the remaining rows of orders have: weight, w y, w y^2."""
        w, y = self.weights[orders], self.y[orders]
        running = np.stack([w, w * y, w * y * y], axis=-1).cumsum(axis=1)
        left = running[column, last]
        return left, running[column, -1] - left

    def _value(self, sums: NDArray[Any]) -> NDArray[Any]:
        """Give what leaves of such sums predict: the mean, or the heavier class."""
        if self.regression:
            return np.asarray(sums[..., 1] / sums[..., 0])
        return np.asarray(2 * sums[..., 1] > sums[..., 0]).astype(np.int64)

    def _cost(self, sums: NDArray[Any]) -> NDArray[Any]:
        if self.regression:
            return np.asarray(np.maximum(sums[..., 2] - sums[..., 1] ** 2 / sums[..., 0], 0.0))
        return np.asarray(np.minimum(sums[..., 1], sums[..., 0] - sums[..., 1]))

    def _thresholds(self, rows: Rows) -> tuple[Rows, NDArray[Any], NDArray[Any], NDArray[np.int32]]:
        """Order some rows by every column; give where a threshold is, and the ranks in order."""
        ranks = self.problem.columns[:, rows]
        order = np.argsort(ranks, axis=1, kind="stable")
        sorted_ranks = np.take_along_axis(ranks, order, axis=1)
        column, last = np.nonzero(sorted_ranks[:, 1:] != sorted_ranks[:, :-1])
        return rows[order], column, last, sorted_ranks

    def cheapest(self, rows: Rows) -> Cut | None:
        """Give the single split of least cost whose sides are in order, if there is any."""
        orders, column, last, sorted_ranks = self._thresholds(rows)
        if not len(column):
            return None
        left, right = self._sums(orders, column, last)
        way = np.array(self.directions)[column]
        allowed = way * (self._value(left) - self._value(right)) <= self.slack
        allowed &= self._large_enough(orders, column, last)
        if not allowed.any():
            return None
        cost = np.where(allowed, (self._cost(left) + self._cost(right)).astype(float), np.inf)
        i = int(cost.argmin())
        return Cut(int(column[i]), int(sorted_ranks[column[i], last[i]]))

    def _large_enough(
        self, orders: Rows, column: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[np.bool_]:
        limit = self.problem.least_side
        running = limit.counted(self.problem.n_rows)[orders].cumsum(axis=1)
        left = running[column, last]
        right = running[column, -1] - left
        return limit.allows(left[:, None]) & limit.allows(right[:, None])


def table(entries: list[Entry]) -> NDArray[Any]:
    """Give cost, lowest and highest prediction of every entry."""
    return np.array([entry[:3] for entry in entries])


def undominated(entries: list[Entry]) -> list[Entry]:
    """Leave out what is no better than another in cost, lowest and highest prediction."""
    kept: list[Entry] = []
    for one in sorted(entries, key=lambda e: (e.cost, -e.low, e.high)):
        if not any(other.low >= one.low and other.high <= one.high for other in kept):
            kept.append(one)
    return kept
