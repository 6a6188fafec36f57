"""Columns of numbers as integers: a decimal is what it says on paper.

A float64 is read as the shortest decimal that rounds to it, so 0.1 means one tenth, and each column
is multiplied by the power of ten that makes all its values integers. Read as binary fractions,
points that are collinear on paper would not be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.geometry.watching import Stop, watched

# Wide enough for any float64: nothing is ever rounded.
_EXACT = Context(prec=2000, Emax=10_000, Emin=-10_000)


@dataclass(frozen=True)
class Lifted:
    """Integer columns: the value in row i and column j is rows[i][j] * 10 ** powers[j]."""

    rows: tuple[tuple[int, ...], ...]
    powers: tuple[int, ...]


def lift(X: ArrayLike, common: bool = False, stop: Stop = None) -> Lifted:
    """Lift each column of X to integers by a power of ten, one for all columns if `common`.

    TimeoutError as soon as `stop()` is true.

    >>> lift([[0.1, 200], [0.25, 3000]])
    Lifted(rows=((10, 2), (25, 30)), powers=(-2, 2))
    >>> lift([[0.1, 200], [0.25, 3000]], common=True).rows
    ((10, 20000), (25, 300000))
    """
    table = [[decimal_of(value) for value in row] for row in watched(_checked(X), stop)]
    columns = list(zip(*table, strict=True))
    powers = [_power(watched(column, stop)) for column in columns]
    if common:
        powers = [min(powers)] * len(powers)
    lifted = [
        [int(value.scaleb(-power, _EXACT)) for value in watched(column, stop)]
        for column, power in zip(columns, powers, strict=True)
    ]
    return Lifted(tuple(zip(*lifted, strict=True)), tuple(powers))


def decimal_of(value: object) -> Decimal:
    """Give the shortest decimal that rounds to a number.

    >>> decimal_of(np.float32(0.1)), decimal_of(0.1), decimal_of(True)
    (Decimal('0.1'), Decimal('0.1'), Decimal('1'))
    """
    if isinstance(value, bool | np.bool_):
        return Decimal(int(value))
    return Decimal(str(value))


def fraction_of(value: object) -> Fraction:
    """Give the shortest decimal that rounds to a number as a fraction.

    >>> fraction_of(np.float64(0.1))
    Fraction(1, 10)
    """
    return Fraction(decimal_of(value))


def _checked(X: ArrayLike) -> NDArray[np.generic]:
    """Refuse what is not a table of finite numbers."""
    table = np.asarray(X)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"X has shape {table.shape}: give rows and columns, at least one of each")
    if table.dtype.kind not in "biuf":
        raise ValueError(f"X has dtype {table.dtype}: give numbers")
    for column in np.flatnonzero(~np.isfinite(table).all(axis=0)):
        raise ValueError(f"column {column} of X has NaN or infinity: drop or fill these rows")
    return table


def _power(column: Iterable[Decimal]) -> int:
    """Give the largest power of ten of which every value is a multiple (0 if all are zero).

    >>> _power([Decimal("1200"), Decimal("0"), Decimal("30")])
    1
    """
    exponents = [value.normalize(_EXACT).as_tuple().exponent for value in column if value != 0]
    return min((int(exponent) for exponent in exponents), default=0)
