"""Partitions of rows as packed bit sets: row i is bit i % 64 of word i // 64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Masks = NDArray[np.uint64]
Bools = NDArray[np.bool_]


def packed(left: NDArray[Any]) -> Masks:
    """Pack partitions, one in each row of a table of booleans, into 64-bit words.

    >>> packed(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    table = np.asarray(left, dtype=bool)
    words = -(-table.shape[1] // 64)
    room = np.zeros((len(table), 8 * words), dtype=np.uint8)
    room[:, : -(-table.shape[1] // 8)] = np.packbits(table, axis=1, bitorder="little")
    return room.view("<u8").astype(np.uint64, copy=False)


def packed_numbers(masks: Sequence[int], n_rows: int) -> Masks:
    """Pack partitions given as numbers whose bit i is row i.

    >>> packed_numbers([5, 1 << 64], 65).tolist()
    [[5, 0], [0, 1]]
    """
    words = -(-n_rows // 64)
    data = b"".join(mask.to_bytes(8 * words, "little") for mask in masks)
    return np.frombuffer(data, dtype="<u8").astype(np.uint64).reshape(len(masks), words)


def members(mask: Masks, rows: NDArray[np.intp]) -> Bools:
    """Tell which of the rows a mask has.

    >>> members(np.array([5], np.uint64), np.array([0, 1])).tolist()
    [True, False]
    """
    bits = mask[rows // 64] >> (rows % 64).astype(np.uint64)
    return np.asarray(bits & np.uint64(1), dtype=bool)


def unpacked(masks: Masks, n_rows: int) -> Bools:
    """Undo `packed`.

    >>> unpacked(np.array([[5]], np.uint64), 3).tolist()
    [[True, False, True]]
    """
    if not masks.size:
        return np.zeros((len(masks), n_rows), dtype=bool)
    octets = np.ascontiguousarray(masks).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_rows, bitorder="little").astype(bool)


@dataclass(frozen=True, eq=False)
class Cells:
    """Points whose partitions by linear functions nobody has listed.

    Parameters
    ----------
    vectors : (P, C, words) uint64
        The distinct points, a constant among their coordinates: integers as words of two's
        complement, the lowest first.
    rows : (n,) uint32
        The point of every row, numbered in the order of the rows.
    """

    vectors: NDArray[np.uint64]
    rows: NDArray[np.uint32]


# A search over terms takes about so many times their own memory: the columns are made, searched by
# one thread and written down as surfaces.
COPIES = 9
# What every other thread takes for a row, beside another copy.
BYTES_A_ROW = 200


@dataclass(frozen=True, eq=False)
class Terms:
    """Columns of numbers whose linear functions are splits: a row goes left unless it is above 0.

    They are those of the family, centred and scaled, in floating point: for a local search.

    Parameters
    ----------
    values : (T, n) float64
        A column for each term of the family.
    linear : int
        So many of the first terms are columns of the data.
    most : int
        At most so many terms in a split; 0: all of them.
    exact : callable or None
        Gives the vectors of some rows in fractions: one, and the family's terms.
    """

    values: NDArray[np.float64]
    linear: int
    most: int = 0
    exact: Callable[[NDArray[np.intp]], list[list[Fraction]]] | None = None

    def room(self, limit: int) -> int:
        """Give what a limit of memory leaves; one thread and its terms are counted already."""
        return max(limit - COPIES * int(self.values.nbytes), 1)

    def threads(self, limit: int, most: int) -> int:
        """Give as many threads as there is memory for: each has a copy of a node's rows."""
        each = int(self.values.nbytes) + BYTES_A_ROW * self.values.shape[1]
        return max(min(most, 1 + int(self.room(limit) // each)), 1)

    def vectors(self, rows: NDArray[np.intp]) -> list[list[Fraction]]:
        """Give the vectors of some rows, exactly; of centred and scaled terms if need be.

        >>> Terms(np.array([[1.0, 3.0]]), 1).vectors(np.array([1]))
        [[Fraction(1, 1), Fraction(3, 1)]]
        """
        if self.exact is not None:
            return self.exact(rows)
        return [[Fraction(1), *map(Fraction, self.values[:, i].tolist())] for i in rows]

    def above(self, plane: Sequence[float], rows: NDArray[np.intp]) -> Bools:
        """Tell which rows are above 0, summed in the order of the native search.

        >>> Terms(np.array([[1.0, 3.0]]), 1).above((1.0, -2.0), np.arange(2)).tolist()
        [False, True]
        """
        every = np.arange(self.values.shape[1])
        values = self.values if np.array_equal(rows, every) else self.values[:, rows]
        score = np.full(values.shape[1], plane[-1])
        for factor, column in zip(plane, values, strict=False):
            if factor:
                score += factor * column
        return np.asarray(score > 0)


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions of a problem's rows: a mask has the rows that go left.

    Parameters
    ----------
    masks : (M, words) uint64
        One packed bit set for each partition.
    owners : (M, G) int32 or None
        For a list of rules: the rows that own each of them, which decide what may stand below what;
        -1 fills up rules of fewer owners. None: all partitions of a family, usable anywhere.
    complete : bool
        False if the listing was stopped.
    cells : tuple of Cells
        Further partitions, which are not listed; for the native search.
    terms : tuple of Terms
        What a local search looks at; some of the partitions may be of no other kind.
    exhaustive : bool
        False if masks, cells and rank columns are not all partitions: only a local search is left.
    """

    masks: Masks
    owners: NDArray[np.int32] | None = None
    complete: bool = True
    cells: tuple[Cells, ...] = ()
    terms: tuple[Terms, ...] = ()
    exhaustive: bool = True

    @property
    def richest(self) -> Terms:
        """Give the terms whose splits include those of all others.

        Families of surfaces are nested: each has the terms of the smaller ones and more.
        """
        return max(self.terms, key=lambda terms: (terms.most == 0, terms.most, len(terms.values)))

    def __len__(self) -> int:
        return len(self.masks)

    def among(self, index: int, rows: NDArray[np.intp]) -> Bools:
        """Tell which of the rows go left in partition `index`.

        >>> Partitions(np.array([[5]], np.uint64)).among(0, np.array([0, 1])).tolist()
        [True, False]
        """
        return members(self.masks[index], rows)
