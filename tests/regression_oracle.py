"""Optimal regression trees by plain recursion, in exact numbers; imports nothing of the package.

Every subset of the rows that splits can make is solved once, for every depth and number of splits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Rows = frozenset[int]


@dataclass
class Oracle:
    """Columns of values, what leaves cost, and the terms of the tree.

    A split is the last where the depth or the splits allow one and no more.
    """

    columns: Sequence[Sequence[float]]
    leaf: Callable[[Rows], Fraction | int]
    # What the two leaves of a last split cost together, if not what they cost one by one.
    pair: Callable[[Rows, Rows], int] | None = None
    penalty: Fraction | int = 0
    min_rows: int = 1
    counts: Sequence[int] | None = None
    known: dict[tuple[Rows, int, int | None], Fraction | int] = field(default_factory=dict)
    leaves: dict[Rows, Fraction | int] = field(default_factory=dict)
    sides: dict[Rows, list[tuple[Rows, Rows]]] = field(default_factory=dict)

    def optimum(self, depth: int, splits: int | None = None) -> Fraction | int:
        """The least cost of a tree with so many levels and splits; None: as many as fit."""
        return self._best(frozenset(range(len(self.columns[0]))), depth, splits)

    def _best(self, rows: Rows, depth: int, splits: int | None) -> Fraction | int:
        key = (rows, depth, splits)
        if rows not in self.leaves:
            self.leaves[rows] = self.leaf(rows)
        if key not in self.known:
            self.known[key] = min([self.leaves[rows], *self._split(rows, depth, splits)])
        return self.known[key]

    def _split(self, rows: Rows, depth: int, splits: int | None) -> Iterator[Fraction | int]:
        if depth == 0 or splits == 0:
            return
        shares = [(None, None)] if splits is None else [(k, splits - 1 - k) for k in range(splits)]
        if rows not in self.sides:
            self.sides[rows] = list(self._sides(rows))
        for left, right in self.sides[rows]:
            if self.pair is not None and (depth == 1 or splits == 1):
                yield self.penalty + self.pair(left, right)
                continue
            for a, b in shares:
                yield (
                    self.penalty + self._best(left, depth - 1, a) + self._best(right, depth - 1, b)
                )

    def _sides(self, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
        seen = set()
        for column in self.columns:
            for value in sorted({column[i] for i in rows})[:-1]:
                left = frozenset(i for i in rows if column[i] <= value)
                right = rows - left
                if left not in seen and self._allowed(left) and self._allowed(right):
                    seen.add(left)
                    yield left, right

    def _allowed(self, rows: Rows) -> bool:
        count = len(rows) if self.counts is None else sum(self.counts[i] for i in rows)
        return count >= self.min_rows


def units(
    sums: Sequence[int], weights: Sequence[int], shift: int
) -> tuple[Callable[[Rows], int], Callable[[Rows, Rows], int]]:
    """What leaves and last pairs cost, as cpp/search/targets/squares.hpp defines it."""
    squares = [_up(p * p, w) for p, w in zip(sums, weights, strict=True)]

    def error(rows: Rows) -> int:
        total, weight = sum(sums[i] for i in rows), sum(weights[i] for i in rows)
        return sum(squares[i] for i in rows) - _up(total * total, weight)

    return lambda rows: error(rows) >> shift, lambda a, b: (error(a) + error(b)) >> shift


def squared_error(y: Sequence[float], weights: Sequence[float]) -> Callable[[Rows], Fraction]:
    """Weighted squared deviations from the mean, without any rounding."""
    targets, heavy = [Fraction(v) for v in y], [Fraction(v) for v in weights]

    def leaf(rows: Rows) -> Fraction:
        weight = sum((heavy[i] for i in rows), Fraction(0))
        mean = sum((heavy[i] * targets[i] for i in rows), Fraction(0)) / weight
        return sum((heavy[i] * (targets[i] - mean) ** 2 for i in rows), Fraction(0))

    return leaf


def _up(a: int, b: int) -> int:
    return -(-a // b)
