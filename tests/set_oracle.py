"""Optimal trees by brute force over all sets of rows at once; imports nothing of the package.

A set of rows is a number whose bits are the rows; tables have an entry for each of the 2^n sets.
The side of a split that a set has is its intersection with the side that all rows have, so one
table gives the next: the least cost of every set with one more level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[Any]
Vector = tuple[int, ...]


def bits(n: int) -> NDArray[np.int64]:
    """Give which rows every set has: sets by rows."""
    return (np.arange(2**n)[:, None] >> np.arange(n)) & 1


def sums(values: NDArray[Any]) -> Table:
    """Add up the lines of a table over the rows of every set."""
    return np.asarray(bits(len(values)) @ values)


def thresholds(column: NDArray[Any]) -> list[int]:
    """Give the left sides of a column's thresholds."""
    ones = 1 << np.arange(len(column))
    return [int(ones[column <= low].sum()) for low in np.unique(column)[:-1]]


def surfaces(points: NDArray[Any], *, sphere: bool) -> list[int]:
    """Give one side of all partitions by hyperplanes, or by spheres; the points are whole."""
    whole = points.astype(np.int64)
    terms = [np.ones((len(whole), 1), np.int64), whole]
    if sphere:
        terms.append((whole**2).sum(axis=1, keepdims=True))
    lifted = np.concatenate(terms, axis=1)
    ones = 1 << np.arange(len(whole))
    return sorted({int(ones @ np.array(c)) for c in cells(tuple(map(tuple, lifted.tolist())))})


@cache
def cells(vectors: tuple[Vector, ...]) -> frozenset[tuple[bool, ...]]:
    """Give which of some vectors, none zero, have a positive product with a w, for every w that
    is orthogonal to none.

    The w of one answer are a cell between the hyperplanes orthogonal to the vectors. It has a
    facet, on that of some v. Near a point of the facet, v has either sign, and so have, with it or
    against it, its multiples; the others have the signs of that point, which lies in a cell of
    what they are within the hyperplane.
    """
    if not vectors:
        return frozenset({()})
    found = set()
    for v in vectors:
        p = next(i for i, entry in enumerate(v) if entry)
        within = [_without(u, v, p) for u in vectors]
        others = tuple(u for u in within if any(u))
        for signs in cells(others):
            for side in (True, False):
                rest = iter(signs)
                found.add(
                    tuple(
                        next(rest) if any(w) else (u[p] * v[p] > 0) == side
                        for u, w in zip(vectors, within, strict=True)
                    )
                )
    return frozenset(found)


def _without(u: Vector, v: Vector, p: int) -> Vector:
    """Write u, on the vectors orthogonal to v, in all coordinates but p."""
    way = 1 if v[p] > 0 else -1
    return tuple(
        abs(v[p]) * a - way * u[p] * b for i, (a, b) in enumerate(zip(u, v, strict=True)) if i != p
    )


@dataclass
class Trees:
    """All trees for n rows, as far as a few terms tell them apart.

    A state is what a constraint has to know of a subtree's place in the tree: None without one.
    """

    leaf: Callable[[Any], Table]  # of a state: what the leaf of every set costs
    sides: Sequence[tuple[int, int]]  # left sides of splits, each with its column
    fits: Table  # which sets a split may leave
    price: Any = 0
    ways: Callable[[Any, int], Sequence[tuple[Any, Any]]] = lambda state, _: [(state, state)]
    known: dict[tuple[int, Any], list[Table]] = field(default_factory=dict)

    def optimum(self, depth: int, splits: int, state: Any = None) -> Any:
        """Give the least cost of all rows with so many levels and splits at most."""
        everything = np.arange(len(self.fits))[-1:]
        return self._costs(depth, state, everything, min(splits, 2**depth - 1))[-1][0]

    def _tables(self, depth: int, state: Any) -> list[Table]:
        """Give the least costs of all sets with at most 0, 1, ... splits."""
        if (depth, state) not in self.known:
            sets = np.arange(len(self.fits))
            self.known[depth, state] = self._costs(depth, state, sets, 2**depth - 1)
        return self.known[depth, state]

    def _costs(self, depth: int, state: Any, sets: Table, splits: int) -> list[Table]:
        found = [self.leaf(state)[sets]]
        for k in range(1, splits + 1):
            best = found[-1]
            for side, column in self.sides:
                left, right = sets & side, sets & ~side
                may = self.fits[left] & self.fits[right]
                for one, other in self.ways(state, column):
                    a, b = self._tables(depth - 1, one), self._tables(depth - 1, other)
                    for i in range(max(0, k - len(b)), min(k, len(a))):
                        both = a[i][left] + b[k - 1 - i][right] + self.price
                        best = np.where(may, np.minimum(best, both), best)
            found.append(best)
        return found
