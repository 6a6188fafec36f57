"""Canonical rows: the same problem whatever the order or repetition of the rows.

Rows are sorted by their ranks, column by column, then by label; equal rows are merged where they
carry weights, and written out one by one where their weights are small whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.problem import Ints, Ranks

Floats = NDArray[np.float64]
# A row of weight w is written out as w unit rows while the total stays near these numbers.
EXPAND_TOTAL = 4096
EXPAND_RATIO = 4


@dataclass(frozen=True, eq=False)
class Rows:
    """Sorted rows as an engine takes them; `common` divides every original weight.

    `origin` says which of the given rows each one is, the first of several equal ones; rows of the
    same number in `points` have the same ranks.
    """

    labels: Ranks
    origin: NDArray[np.intp]
    points: Ranks
    weights: Ints | None = None
    counts: Ranks | None = None
    common: int = 1

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return len(self.labels) if self.weights is None else int(self.weights.sum())


def dense_ranks(values: NDArray[Any]) -> Ranks:
    """Rank every row of a matrix on its own: equal values share a rank, no rank is left out.

    >>> dense_ranks(np.array([[2.5, -1.0, 2.5], [0.0, -0.0, 1.0]])).tolist()
    [[1, 0, 1], [0, 0, 1]]
    """
    return _native.rank_columns(np.ascontiguousarray(values, dtype=np.float64))


def two_values(X: NDArray[Any]) -> tuple[Floats, Floats, Ranks, int]:
    """Tell two values of every column apart: the lower, the higher, and who has the higher.

    The last number is the first column of more than two values, or -1.

    >>> low, high, columns, other = two_values(np.array([[0.0, 5.0], [1.0, 5.0], [0.0, 3.0]]))
    >>> low.tolist(), high.tolist(), columns.tolist(), other
    ([0.0, 3.0], [1.0, 5.0], [[0, 1, 0], [1, 1, 0]], -1)
    """
    return _native.two_values(np.ascontiguousarray(X, dtype=np.float64))


def canonical_rows(
    columns: Ranks, labels: Ranks, weights: Ints | None, *, counted: bool = False
) -> Rows:
    """Sort the rows, merge equal ones, and choose between unit rows and weights.

    Unit rows are what the engines are fastest on. They are no choice where rows are `counted` and
    the weights say something else.

    >>> rows = canonical_rows(np.array([[1, 0]], np.int32), np.array([0, 1]), np.array([2, 4]))
    >>> rows.origin.tolist(), rows.labels.tolist(), rows.points.tolist(), rows.weights, rows.common
    ([1, 1, 0], [1, 1, 0], [0, 0, 1], None, 2)
    """
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    order, points, first = _native.sort_rows(columns, labels)
    if weights is None:
        return Rows(labels[order], order, points)
    starts = np.flatnonzero(first)
    merged = np.add.reduceat(weights[order], starts)
    counts = np.diff(starts, append=len(order))
    common = int(np.gcd.reduce(merged))
    merged //= common
    kept, distinct = order[starts], points[starts]
    if _worth_expanding(merged, counts, counted):
        kept = np.repeat(kept, merged)
        return Rows(labels[kept], kept, np.repeat(distinct, merged), common=common)
    return Rows(labels[kept], kept, distinct, merged, counts.astype(np.int32), common)


def _worth_expanding(merged: Ints, counts: NDArray[np.intp], counted: bool) -> bool:
    if np.array_equal(merged, counts):
        return True
    return not counted and int(merged.sum()) <= max(EXPAND_RATIO * len(merged), EXPAND_TOTAL)
