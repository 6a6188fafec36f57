"""All partitions of the rows that some surface of a family makes, each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, gcd, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree import _native
from exactree.geometry.families import Family, embed, family_of
from exactree.geometry.lifting import lift
from exactree.geometry.watching import Stop, watched

Masks = NDArray[np.uint64]
Rows = Sequence[Sequence[int]]

GIBIBYTE = 2**30
# With more coefficients, cells have thousands of corners, and a cut would take too long.
MOST_UNLISTED = 10
FEW_ROWS = 200


@dataclass(frozen=True)
class Dichotomies:
    """Partitions of the distinct rows into two non-empty sides, unordered, sorted, each once.

    masks[k] has the side of point 0 as a packed bit set: point i is bit i % 64 of word i // 64.
    Row j is where point rows[j] is. A mask is all that is needed to rebuild a surface:
    `widest_margin(X, side(k), family)` finds one. `complete` is False if `stop` ended the listing.
    """

    masks: Masks
    rows: NDArray[np.uint32]
    points: int
    complete: bool

    def __len__(self) -> int:
        return len(self.masks)

    def expanded(self) -> Masks:
        """Give the masks over rows instead of points."""
        if np.array_equal(self.rows, np.arange(self.points)):
            return self.masks
        return _native.expand_masks(self.masks, self.rows)

    def side(self, k: int) -> NDArray[np.bool_]:
        """Tell for each row whether partition k has it on the side of point 0."""
        bits = np.unpackbits(self.masks[k].astype("<u8").view(np.uint8), bitorder="little")
        return bits[self.rows].astype(bool)


def dichotomies(
    X: ArrayLike,
    family: str | Family,
    *,
    memory_limit: int = GIBIBYTE,
    stop: Callable[[], bool] | None = None,
    isa: str = "auto",
) -> Dichotomies:
    """List every partition of the distinct rows of X that a surface of the family makes.

    The list is complete for every data set: surfaces that contain more points than they need part
    these in every way that the flat of these points admits. Sides are decided exactly, in integers.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Finite numbers, read as the shortest decimals that round to them.
    family : str or Family
        The kind of surface.
    memory_limit : int
        Bytes. What could need more is refused before it starts.
    stop : callable, optional
        Asked every few milliseconds; True ends the listing early, or is a TimeoutError while there
        is nothing to list yet.
    isa : str
        The instruction set, for tests.

    Examples
    --------
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> [len(dichotomies(square, f)) for f in ("axis", "hyperplane", "quadric")]
    [2, 6, 7]
    """
    kind = family_of(family)
    points, rows = distinct_rows(lift(X, kind.scales_columns_together, stop).rows)
    if kind.name == "axis":
        return _axis_dichotomies(points, rows)
    vectors = independent_columns(homogeneous(points, kind, stop), stop)
    expected = _refuse_too_many(kind, len(points), len(vectors[0]), memory_limit)
    masks, complete = _native.dichotomies(pack(vectors), expected, stop, isa)
    return Dichotomies(masks, rows, len(points), complete)


def unlisted(
    X: ArrayLike, family: str | Family, stop: Stop = None, reach: float = inf
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]] | None:
    """Give the vectors of the distinct rows, packed, and where each row is among them.

    The partitions of `dichotomies` are those of the vectors by linear functions; the native search
    finds them by itself. None for axis-parallel splits, where surfaces have so many coefficients
    that cells are too many-sided, and where there could be more partitions than `reach`.
    TimeoutError as soon as `stop()` is true.

    >>> vectors, rows = unlisted([[0], [2], [0]], "hyperplane")
    >>> vectors.tolist(), rows.tolist()
    ([[[1], [0]], [[1], [1]]], [0, 1, 0])
    >>> unlisted([[0], [2], [0]], "hyperplane", reach=0) is None
    True
    """
    kind = family_of(family)
    if kind.name == "axis":
        return None
    points, rows = distinct_rows(lift(X, kind.scales_columns_together, stop).rows)
    vectors = independent_columns(homogeneous(points, kind, stop), stop)
    coefficients = len(vectors[0])
    if coefficients > MOST_UNLISTED or count_bound(len(points), coefficients) > reach:
        return None
    return pack(vectors), rows


def surely_more(columns: NDArray[np.float64], reach: float) -> bool:
    """Tell quickly whether linear functions of the columns part the rows in more ways than `reach`.

    False does not mean that there are fewer. There are at least as many points as a column has
    values, and at least as many coefficients as a few rows are independent.

    >>> surely_more(np.array([[1.0, 2.0, 3.0]]), 2), surely_more(np.array([[1.0, 2.0, 3.0]]), 1)
    (False, True)
    """
    some = columns[:, :: max(columns.shape[1] // FEW_ROWS, 1)]
    if _rank(some[: 2 * MOST_UNLISTED]) > MOST_UNLISTED:  # that of all columns is no lower
        return True
    rank = _rank(some)
    points = max(len(np.unique(column)) for column in columns)
    return rank > MOST_UNLISTED or count_bound(points, rank) > reach


def _rank(columns: NDArray[np.float64]) -> int:
    """Give the rank of some columns and a constant, in floating point."""
    return int(np.linalg.matrix_rank(np.vstack([np.ones(columns.shape[1]), columns])))


def surface_sides(X: ArrayLike, family: str | Family, owners: ArrayLike) -> tuple[Masks, Masks]:
    """Give the rows on the positive side of the surface through owners, and those on it, packed.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Finite numbers, read as the shortest decimals that round to them.
    family : str or Family
        The kind of surface.
    owners : array-like of shape (n_surfaces, points needed)
        Row numbers. The sign is that of det(owners, row) with (1, terms) as rows of the matrix, so
        it depends on their order. Owners that define no surface have every row on it.

    Examples
    --------
    >>> positive, on = surface_sides([[0, 0], [1, 1], [2, 2], [1, 0]], "hyperplane", [[1, 0]])
    >>> [int(positive[0, 0]), int(on[0, 0])]
    [8, 7]
    """
    kind = family_of(family)
    if kind.name == "axis":
        raise ValueError("axis-parallel splits are thresholds, not surfaces through rows")
    vectors = homogeneous(lift(X, common=kind.scales_columns_together).rows, kind)
    chosen = np.ascontiguousarray(owners, dtype=np.uint32)
    if chosen.ndim != 2:
        raise ValueError(f"owners has shape {chosen.shape}: give one list of rows per surface")
    return _native.surface_sides(pack(vectors), chosen)


def count_bound(points: int, coefficients: int) -> int:
    """Count the dichotomies in general position (Cover), the trivial one left out.

    Data in any position have at most so many. `coefficients` includes the constant.

    >>> count_bound(100, 4), count_bound(100, 5)
    (161799, 3926175)
    """
    return sum(comb(points - 1, d) for d in range(coefficients)) - 1


def distinct_rows(rows: Rows) -> tuple[list[tuple[int, ...]], NDArray[np.uint32]]:
    """Give the distinct rows in order of appearance, and where each row is among them.

    >>> distinct_rows([(1, 2), (3, 4), (1, 2)])
    ([(1, 2), (3, 4)], array([0, 1, 0], dtype=uint32))
    """
    position: dict[tuple[int, ...], int] = {}
    where = [position.setdefault(tuple(row), len(position)) for row in rows]
    return list(position), np.array(where, dtype=np.uint32)


def homogeneous(rows: Rows, family: Family, stop: Stop = None) -> list[list[int]]:
    """Embed integer rows and put the constant 1 in front, in coordinates that are small.

    TimeoutError as soon as `stop()` is true.

    Every family is invariant under translation and under a common scale, all but spheres under a
    scale per column; the embedded columns may be scaled and shifted by the constant as one likes.

    >>> homogeneous([(10,), (20,), (40,)], family_of("quadric"))
    [[1, -1, 0], [1, 0, -1], [1, 2, 3]]
    """
    centred = [_centred(column) for column in zip(*rows, strict=True)]
    together = gcd(*(x for column in centred for x in column)) or 1
    scales = [
        together if family.scales_columns_together else gcd(*column) or 1 for column in centred
    ]
    small = [[x // s for x in column] for column, s in zip(centred, scales, strict=True)]
    embedded = embed(family.terms(len(small)), list(zip(*small, strict=True)), stop)
    columns = [_centred(column) for column in watched(zip(*embedded, strict=True), stop, 1)]
    factors = [gcd(*column) or 1 for column in columns]
    pairs = watched(zip(columns, factors, strict=True), stop, 1)
    divided = [[x // f for x in column] for column, f in pairs]
    return [[1, *row] for row in zip(*divided, strict=True)]


def _centred(column: Sequence[int]) -> list[int]:
    """Subtract the value nearest to the middle of the range."""
    twice = min(column) + max(column)
    middle = min(column, key=lambda x: (abs(2 * x - twice), x))
    return [x - middle for x in column]


def independent_columns(rows: list[list[int]], stop: Stop = None) -> list[list[int]]:
    """Keep columns that are independent on these rows and determine the others.

    TimeoutError as soon as `stop()` is true.

    >>> independent_columns([[1, 0, 0], [1, 1, 2], [1, 2, 4]])
    [[1, 0], [1, 1], [1, 2]]
    """
    pivots: dict[int, list[int]] = {}
    for row in watched(rows, stop):
        rest = reduced(row, pivots, stop)
        column = next((c for c, x in enumerate(rest) if x), None)
        if column is not None:
            pivots[column] = rest
            if len(pivots) == len(row):
                break
    kept = sorted(pivots)
    return [[row[c] for c in kept] for row in rows]


def reduced(row: Sequence[int], pivots: dict[int, list[int]], stop: Stop = None) -> list[int]:
    """Eliminate a row by earlier ones, in integers."""
    rest = list(row)
    for column, pivot in watched(pivots.items(), stop, 8):
        if rest[column]:
            a, b = pivot[column], rest[column]
            rest = [a * x - b * y for x, y in zip(rest, pivot, strict=True)]
    common = gcd(*rest) or 1
    return [x // common for x in rest]


def pack(rows: Rows) -> NDArray[np.uint64]:
    """Give integers as 64-bit words of two's complement, the lowest first, for the native core.

    >>> pack([[1, -2]]).tolist()
    [[[1], [18446744073709551614]]]
    """
    words = max(x.bit_length() for row in rows for x in row) // 64 + 1
    data = b"".join(x.to_bytes(8 * words, "little", signed=True) for row in rows for x in row)
    table = np.frombuffer(data, dtype="<u8").astype(np.uint64)
    return table.reshape(len(rows), len(rows[0]), words)


def _bytes_needed(points: int, coefficients: int) -> int:
    """Bound the memory of a listing: what is reserved, and beyond 8 words a copy for sorting."""
    words = -(-points // 64)
    masks = sum(comb(points, d) for d in range(coefficients))
    return masks * (8 * words if words <= 8 else 16 * words + 8)


def _refuse_too_many(family: Family, points: int, coefficients: int, memory_limit: int) -> int:
    """Refuse a listing that could need too much memory; else tell how many masks to reserve."""
    needed = _bytes_needed(points, coefficients)
    if needed > memory_limit:
        fits = coefficients
        while _bytes_needed(fits + 1, coefficients) <= memory_limit:
            fits += 1
        raise ValueError(
            f"{points} distinct rows have up to {count_bound(points, coefficients)} dichotomies of "
            f"the family {family.name!r} ({coefficients} coefficients), {needed // 2**20 + 1} MB, "
            f"and memory_limit allows {memory_limit // 2**20} MB (1024 unless given): {fits} rows "
            "would fit; or use fewer columns, a simpler family, or more memory"
        )
    return sum(comb(points, d) for d in range(coefficients))


def _axis_dichotomies(points: list[tuple[int, ...]], rows: NDArray[np.uint32]) -> Dichotomies:
    """List the partitions by thresholds on single columns."""
    everyone = (1 << len(points)) - 1
    found = set()
    for column in zip(*points, strict=True):
        side = 0
        values = sorted(zip(column, range(len(points)), strict=True))
        for (x, i), (following, _) in pairwise(values):
            side |= 1 << i
            if x < following:
                found.add(side if side & 1 else everyone ^ side)
    words = -(-len(points) // 64)
    table = np.array(
        [[mask >> 64 * w & (2**64 - 1) for w in range(words)] for mask in found], dtype=np.uint64
    ).reshape(-1, words)
    order = np.lexsort(table.T[::-1])
    return Dichotomies(np.ascontiguousarray(table[order]), rows, len(points), True)
