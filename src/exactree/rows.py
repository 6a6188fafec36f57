"""Canonical rows: the same problem whatever the order or repetition of the rows.

Rows are sorted by their ranks, column by column, then by label; equal rows are merged where they
carry weights, and written out one by one where their weights are small whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Ints, Ranks

# Writing out a row of weight w as w unit rows pays while the total stays near these.
EXPAND_TOTAL = 4096
EXPAND_RATIO = 4


@dataclass(frozen=True, eq=False)
class Rows:
    """Sorted rows as an engine takes them; `common` divides every original weight.

    `origin` says which of the given rows each one is, the first of several equal ones.
    """

    columns: Ranks
    labels: Ranks
    origin: NDArray[np.intp]
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
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    steps = np.zeros(values.shape, dtype=np.int32)
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, dtype=np.int32, out=steps[..., 1:])
    ranks = np.empty(values.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, steps, axis=-1)
    return ranks


def lexicographic(columns: Ranks, labels: Ranks) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Give the order of the rows by ranks, then label, and mark the first of each run of equals.

    As many columns as fit are packed into one 64-bit key; once the keys are all different, the
    other columns cannot matter.

    >>> order, first = lexicographic(np.array([[1, 0, 1]], np.int32), np.zeros(3, np.int32))
    >>> order[:1].tolist(), first.tolist()
    ([1], [True, True, False])
    """
    key = np.zeros(labels.shape, dtype=np.int64)
    limit, n = 1, len(labels)
    every = np.vstack([columns, labels])
    for values, group in _runs(every):
        block = int(values) ** len(group)
        if limit * block >= 2**62:
            key = dense_ranks(key).astype(np.int64)
            limit = int(key.max()) + 1
            if limit == n:
                break
        # A run of columns with equally many values is a number in that base.
        digits = values ** np.arange(len(group) - 1, -1, -1, dtype=np.int64)
        key = key * block + digits @ group
        limit *= block
    order = np.argsort(key)
    ordered = key[order]
    return order, np.concatenate([[True], ordered[1:] != ordered[:-1]])


def _runs(columns: Ranks) -> Iterator[tuple[np.int64, Ranks]]:
    """Give the columns in their order, several at once where they have equally many values."""
    values = columns.max(axis=1).astype(np.int64) + 1
    start = 0
    while start < len(values):
        base = values[start]
        most = max(1, int(30 / np.log2(base)) if base > 1 else 64)
        same = np.flatnonzero(values[start : start + most] != base)
        stop = start + (int(same[0]) if len(same) else min(most, len(values) - start))
        yield base, columns[start:stop]
        start = stop


def canonical_rows(columns: Ranks, labels: Ranks, weights: Ints | None, min_rows: int = 1) -> Rows:
    """Sort the rows, merge equal ones, and choose between unit rows and weights.

    Unit rows are what the engines are fastest on. They are no choice where `min_rows` counts rows
    and the weights say something else.

    >>> rows = canonical_rows(np.array([[1, 0]], np.int32), np.array([0, 1]), np.array([2, 4]))
    >>> rows.columns.tolist(), rows.labels.tolist(), rows.weights, rows.common
    ([[0, 0, 1]], [1, 1, 0], None, 2)
    """
    order, first = lexicographic(columns, labels)
    if weights is None:
        return Rows(np.ascontiguousarray(columns[:, order]), _labels(labels, order), order)
    starts = np.flatnonzero(first)
    merged = np.add.reduceat(weights[order], starts)
    counts = np.diff(starts, append=len(order))
    common = int(np.gcd.reduce(merged))
    merged //= common
    kept = order[starts]
    if _worth_expanding(merged, counts, min_rows):
        kept = np.repeat(kept, merged)
        sorted_columns = np.ascontiguousarray(columns[:, kept])
        return Rows(sorted_columns, _labels(labels, kept), kept, common=common)
    return Rows(
        np.ascontiguousarray(columns[:, kept]),
        _labels(labels, kept),
        kept,
        merged,
        counts.astype(np.int32),
        common,
    )


def _labels(labels: NDArray[Any], kept: NDArray[np.intp]) -> Ranks:
    return np.ascontiguousarray(labels[kept], dtype=np.int32)


def _worth_expanding(merged: Ints, counts: NDArray[np.intp], min_rows: int) -> bool:
    if np.array_equal(merged, counts):
        return True
    return min_rows <= 1 and int(merged.sum()) <= max(EXPAND_RATIO * len(merged), EXPAND_TOTAL)
