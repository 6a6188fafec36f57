"""Columns that become numbers near one: scaled by powers of two, then centred, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Exponents of the powers of two that columns may be scaled by: their reciprocals are floats too.
LARGEST_EXPONENT = 1000
# So many numbers are scaled in one step: they are in the cache for the next.
NUMBERS_AT_ONCE = 2**17


@dataclass(frozen=True, eq=False)
class Scalings:
    """From x to x / 2^exponent - shift for every column; shifts are whole numbers."""

    exponents: NDArray[np.int64]
    shifts: Floats

    @classmethod
    def of(cls, columns: Floats, exponent: int | None = None) -> Scalings:
        """Make spreads about one, unless there is an exponent for all, and means about zero.

        >>> found = Scalings.of(np.array([[1e6, 1e6 + 4], [0.0, 1.0]]))
        >>> found.exponents.tolist(), found.shifts.tolist()
        ([1, -1], [500001.0, 1.0])
        """
        exponents = np.zeros(len(columns), dtype=np.int64)
        shifts = np.zeros(len(columns))
        for some in _blocks(columns):
            block = columns[some]
            exponents[some] = _exponents(block) if exponent is None else exponent
            shifts[some] = np.rint(_halved(block, exponents[some]).mean(axis=1))
        return cls(exponents, shifts)

    @classmethod
    def same(cls, n: int) -> Scalings:
        """Leave so many columns as they are."""
        return cls(np.zeros(n, dtype=np.int64), np.zeros(n))

    def apply(self, columns: Floats, out: Floats) -> None:
        """Write the scaled columns; both may be the same."""
        if columns is out and not self.exponents.any() and not self.shifts.any():
            return
        factors = np.ldexp(1.0, -self.exponents)[:, None]
        for some in _blocks(columns):
            np.multiply(columns[some], factors[some], out=out[some])
            np.subtract(out[some], self.shifts[some, None], out=out[some])

    def sizes(self, columns: Floats) -> Floats:
        """Give the scaled columns with all signs positive."""
        large = np.abs(columns * np.ldexp(1.0, -self.exponents)[:, None])
        return np.add(large, np.abs(self.shifts)[:, None], out=large)


def _exponents(columns: Floats) -> NDArray[np.int64]:
    rough = np.frexp(np.abs(columns).max(axis=1, initial=0.0))[1].astype(np.int64)
    spread = _halved(columns, rough).std(axis=1)
    found = rough + np.frexp(spread)[1] - 1
    return np.where(spread, np.clip(found, -LARGEST_EXPONENT, LARGEST_EXPONENT), 0)


def _halved(columns: Floats, times: NDArray[np.int64]) -> Floats:
    """Divide by powers of two; a product is faster, but not all of these are floats."""
    if np.abs(times).max(initial=0) > LARGEST_EXPONENT:
        return np.ldexp(columns, -times[:, None])
    return columns * np.ldexp(1.0, -times)[:, None]


def _blocks(columns: Floats) -> Iterator[slice]:
    width = max(1, NUMBERS_AT_ONCE // max(columns.shape[1], 1))
    return (slice(start, start + width) for start in range(0, len(columns), width))
