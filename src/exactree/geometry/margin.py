"""The surface of widest margin for a partition of rows, and its exact evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.geometry.families import (
    Family,
    Term,
    columns_of,
    evaluate,
    family_of,
)
from exactree.geometry.lifting import fraction_of, lift
from exactree.geometry.separation import separate
from exactree.geometry.watching import Stop, watched
from exactree.programs import solved

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
SecondsLeft = Callable[[], float]
# Rows are evaluated so many at a time.
BLOCK_ROWS = 4096


@dataclass(frozen=True)
class Surface:
    """A split by a surface: left where sum of coefficients[k] * term k <= threshold.

    With float64 coefficients a row is evaluated term by term in a fixed order, so that its side
    does not depend on the other rows of the batch. With `exact`, coefficients and threshold are
    integers and a row is evaluated in fractions, its values read as decimals.
    """

    family: Family
    coefficients: tuple[float, ...] | tuple[int, ...]
    threshold: float | int
    exact: bool = False

    def left(self, X: ArrayLike) -> Bools:
        """Tell for each row whether it goes left."""
        table = np.asarray(X)
        if not self.exact:
            return np.asarray(_values(self.family, self.coefficients, table) <= self.threshold)
        terms = self.family.terms(table.shape[1])
        return np.array([self._exact_left(terms, row) for row in table], dtype=bool)

    def decision(self, X: ArrayLike) -> Floats:
        """Give a number for each row that is 0 on the surface and grows towards the right.

        It is rounded, for pictures: `left` decides.
        """
        size = max((abs(x) for x in (*self.coefficients, self.threshold)), default=0) or 1
        scaled = [_share(c, size) for c in self.coefficients]
        values = _values(self.family, scaled, np.asarray(X))
        return np.asarray(values - _share(self.threshold, size))

    def strengths(self, X: ArrayLike) -> tuple[float, ...]:
        """Give how much each weighted term varies among the rows, as a share of the most.

        >>> Surface(family_of("hyperplane"), (2.0, 3.0), 0.0).strengths([[0, 0], [4, 2]])
        (1.0, 0.75)
        """
        table = np.asarray(X)
        size = max((abs(c) for c in self.coefficients), default=0) or 1
        with np.errstate(over="ignore", invalid="ignore"):
            values = _terms(self.family, table)
            spreads = np.std(np.asarray(values, dtype=np.float64), axis=1).tolist()
        shares = [_share(abs(c), size) for c in self.coefficients]
        spread = [share * s for share, s in zip(shares, spreads, strict=True)]
        most = max(spread, default=0.0)
        return tuple(s / most for s in spread) if 0 < most < inf else ()

    def _exact_left(self, terms: Sequence[Term], row: NDArray[np.generic]) -> bool:
        x = [fraction_of(value) for value in row]
        weighted = (c * evaluate(t, x) for c, t in zip(self.coefficients, terms, strict=True) if c)
        return bool(sum(weighted, Fraction(0)) <= self.threshold)


def no_limit() -> float:
    """No time limit."""
    return inf


def widest_margin(
    X: ArrayLike,
    left: ArrayLike,
    family: str | Family,
    *,
    seconds_left: SecondsLeft = no_limit,
) -> Surface:
    """Find the surface that parts the rows as given and leaves the widest margin.

    The margin is that of a linear program: the embedded columns are scaled to [-1, 1], and the
    smallest distance of a row in the maximum norm is made largest. If neither the solution in
    floating point nor the one in fractions, rounded, reproduces the partition by float64
    arithmetic, the latter is kept in integers.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        The rows of a node.
    left : array-like of bool
        The rows that go left; neither side may be empty.
    family : str or Family
        The kind of surface, anything but "axis".
    seconds_left : callable
        Tells how much time is left; TimeoutError is raised when there is none.

    Examples
    --------
    >>> surface = widest_margin([[0, 0], [0, 2], [4, 1]], [True, True, False], "hyperplane")
    >>> surface.coefficients, surface.threshold
    ((0.5, 0.0), 1.0)
    """
    kind = family_of(family)
    table = np.asarray(X)
    goes_left = np.asarray(left, dtype=bool)
    _check_partition(table, goes_left, kind)
    problem = _Separation.of(table, goes_left, kind, lambda: seconds_left() <= 0)
    # If the one uses its half of the time up for nothing, the other is quicker as a rule.
    ways = ((problem.approximate, lambda: seconds_left() / 2), (problem.exact, seconds_left))
    for solve, time in ways:
        weights = solve(time)
        surface = weights and fitting_threshold(kind, weights, table, goes_left)
        if surface:
            return surface
    if weights is None:
        raise ValueError(f"no surface of the family {kind.name!r} parts the rows like this")
    return _integral(kind, weights, table, goes_left)


def _check_partition(table: NDArray[np.generic], left: Bools, family: Family) -> None:
    """Refuse what is no partition of the rows into two sides."""
    if family.name == "axis":
        raise ValueError("an axis-parallel split is a threshold: use the family 'hyperplane'")
    if left.shape != table.shape[:1]:
        raise ValueError(f"left has shape {left.shape}, X {len(table)} rows: give one side per row")
    if left.all() or not left.any():
        raise ValueError("all rows are on one side: a surface parts two non-empty sides")


@dataclass(frozen=True)
class _Separation:
    """Embedded rows in integers. The linear program sees every column scaled to [-1, 1]."""

    columns: list[list[int]]
    left: Bools
    units: list[Fraction]  # of each column: what one is worth in X

    @classmethod
    def of(cls, table: NDArray[np.generic], left: Bools, family: Family, stop: Stop) -> _Separation:
        terms = family.terms(table.shape[1])
        lifted = lift(table, any(len(term) > 1 for term in terms), stop)
        columns = [[evaluate(term, row) for row in watched(lifted.rows, stop)] for term in terms]
        tens = [Fraction(10) ** power for power in lifted.powers]
        units = [prod(tens[j] ** power for j, power in term[0]) for term in terms]
        return cls(columns, left, [Fraction(unit) for unit in units])

    def scaled(self, quotient: Callable[[int, int], Fraction | float]) -> list[list[Any]]:
        """Give the rows with columns scaled to [-1, 1], those that are constant to 0."""
        return [
            list(row) for row in zip(*(_scaled(c, quotient) for c in self.columns), strict=True)
        ]

    def approximate(self, seconds_left: SecondsLeft) -> list[Fraction] | None:
        """Solve max g, w.x - t <= -g on the left, >= g on the right, |w|_1 <= 1, by HiGHS."""
        _some(seconds_left)
        rows = np.array(self.scaled(lambda a, b: a / b))
        sign = np.where(self.left, 1.0, -1.0)[:, None]
        n, d = rows.shape
        parted = np.hstack([sign * rows, -sign * rows, -sign, np.ones((n, 1))])
        norm = np.r_[np.ones(2 * d), 0.0, 0.0]
        result = solved(
            np.r_[np.zeros(2 * d + 1), -1.0],
            seconds_left,
            A_ub=np.vstack([parted, norm]),
            b_ub=np.r_[np.zeros(n), 1.0],
            bounds=[(0, None)] * (2 * d) + [(None, None), (0, None)],
        )
        if result is None:
            return None
        weights = result.x[:d] - result.x[d : 2 * d]
        return self._unscaled([Fraction(float(w)) for w in weights])

    def exact(self, seconds_left: SecondsLeft) -> list[Fraction] | None:
        """Solve a like problem in fractions; None if the rows cannot be parted."""
        signed = {
            tuple(-x if side else x for x in (*row, Fraction(1)))
            for row, side in zip(self.scaled(Fraction), self.left, strict=True)
        }
        weights = separate(sorted(signed), partial(_some, seconds_left))
        return None if weights is None else self._unscaled(weights[:-1])

    def _unscaled(self, weights: Sequence[Fraction]) -> list[Fraction]:
        spans = (max(column) - min(column) for column in self.columns)
        scales = [2 / (s * u) if s else 0 for s, u in zip(spans, self.units, strict=True)]
        return [w * scale for w, scale in zip(weights, scales, strict=True)]


def _scaled(column: list[int], quotient: Callable[[int, int], Fraction | float]) -> list[Any]:
    low, high = min(column), max(column)
    return [quotient(2 * x - low - high, high - low) if high > low else 0 for x in column]


def _some(seconds_left: SecondsLeft) -> float:
    """Give the time that is left; none is an error."""
    seconds = seconds_left()
    if seconds <= 0:
        raise TimeoutError("no time left to fit a surface")
    return seconds


def _values(
    family: Family, coefficients: Sequence[float | int], table: NDArray[np.generic]
) -> Floats:
    """Evaluate the weighted terms of each row by float64 operations in a fixed order.

    A block of rows at a time, so that no copy of a large table is made.
    """
    found = np.zeros(len(table))
    terms = family.terms(table.shape[1])
    plain = family.has_columns(table.shape[1])
    used = [(k, c) for k, c in zip(range(len(terms)), coefficients, strict=True) if c]
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(table), BLOCK_ROWS):
            columns = columns_of(table[start : start + BLOCK_ROWS])
            total = found[start : start + BLOCK_ROWS]
            for k, coefficient in used:
                total += coefficient * (columns[k] if plain else evaluate(terms[k], columns))
    return found


def _share(part: float | int, whole: float | int) -> float:
    """Divide, also whole numbers that no float holds; floats are divided as they are.

    >>> _share(10**400, 4 * 10**400), _share(0.3, 0.6)
    (0.25, 0.5)
    """
    if isinstance(part, float) and isinstance(whole, float):
        return part / whole
    return float(Fraction(part) / Fraction(whole)) if part else 0.0


def _terms(family: Family, table: NDArray[np.generic]) -> ArrayLike:
    """Evaluate terms one by one, terms by rows, without a copy where they are the columns."""
    if family.has_columns(table.shape[1]):
        return table.T
    columns = columns_of(table)
    return [evaluate(term, columns) for term in family.terms(table.shape[1])]


def fitting_threshold(
    family: Family, weights: Sequence[Fraction], table: NDArray[np.generic], left: Bools
) -> Surface | None:
    """Give the surface with float64 coefficients if it reproduces the partition."""
    if left.all() or not left.any():
        return None
    try:
        coefficients = tuple(float(w) for w in weights)
    except OverflowError:
        return None
    values = _values(family, coefficients, table)
    below, above = float(values[left].max()), float(values[~left].min())
    if not below < above:  # also if one is NaN
        return None
    middle = below / 2 + above / 2
    threshold = middle if below <= middle < above else below
    if not np.array_equal(values <= threshold, left):
        return None
    return Surface(family, coefficients, threshold)


def _integral(
    family: Family, weights: Sequence[Fraction], table: NDArray[np.generic], left: Bools
) -> Surface:
    """Give the surface with integer coefficients that parts the rows exactly."""
    values = _exact_values(family, weights, table)
    below = max(v for v, side in zip(values, left, strict=True) if side)
    above = min(v for v, side in zip(values, left, strict=True) if not side)
    return with_integers(family, weights, Fraction(below + above) / 2)


def _exact_values(
    family: Family, weights: Sequence[Fraction], table: NDArray[np.generic]
) -> list[Fraction]:
    terms = family.terms(table.shape[1])
    values = []
    for row in table:
        x = [fraction_of(value) for value in row]
        weighted = (w * evaluate(t, x) for w, t in zip(weights, terms, strict=True) if w)
        values.append(sum(weighted, Fraction(0)))
    return values


def with_integers(family: Family, weights: Sequence[Fraction], threshold: Fraction) -> Surface:
    """Give the surface with integer coefficients.

    >>> found = with_integers(family_of("sphere"), [Fraction(1, 2), Fraction(1)], Fraction(1, 3))
    >>> found.coefficients, found.threshold, found.exact
    ((3, 6), 2, True)
    """
    scale = lcm(threshold.denominator, *(w.denominator for w in weights))
    return Surface(family, tuple(int(w * scale) for w in weights), int(threshold * scale), True)
