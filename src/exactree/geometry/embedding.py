"""Terms of a family as columns for a search in floating point, and its planes as surfaces.

Columns are centred and scaled by powers of two, their terms are formed and centred and scaled
again, so that numbers of any size become numbers near one. All factors are powers of two and all
centres multiples of them: the way back to the user's columns is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, frexp, inf
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from exactree.geometry.families import (
    Family,
    Monomial,
    Term,
    are_columns,
    columns_of,
    evaluate,
)
from exactree.geometry.lifting import fraction_of
from exactree.geometry.margin import (
    SecondsLeft,
    Surface,
    fitting_threshold,
    no_limit,
    with_integers,
)
from exactree.geometry.widening import widened
from exactree.partitions import COPIES

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Polynomial = dict[Monomial, Fraction]
Powers = dict[tuple[int, int], list[tuple[int, Fraction]]]
# Exponents of the powers of two that columns may be scaled by: their reciprocals are floats too.
LARGEST_EXPONENT = 1000
# An upper bound on the rounding error of a factor of a term, in units of 2^-53.
ROUNDINGS = 16
# How many planes could be written down in the time that is kept for the wider one and its recount.
PLANES_AFTER = 3


@dataclass(frozen=True, eq=False)
class Embedding:
    """How the terms of a family become columns near one."""

    family: Family
    columns: tuple[Scaling, ...]
    terms: tuple[Scaling, ...]

    @classmethod
    def of(cls, X: Floats, family: Family, memory_limit: float = inf) -> tuple[Embedding, Floats]:
        """Choose the scalings for these rows; give the columns (terms by rows) too.

        Refused if a search over these columns takes more than the limit.

        >>> from exactree.geometry.families import family_of
        >>> Embedding.of(np.array([[1e9], [1e9 + 4]]), family_of("sphere"))[1].tolist()
        [[-1.0, 1.0], [0.0, 0.0]]
        """
        _refuse_too_large(X, family, memory_limit)
        columns = columns_of(X)
        scalings = [Scaling.of(column) for column in columns]
        if family.scales_columns_together:
            common = max(scaling.exponent for scaling in scalings)
            scalings = [Scaling.of(column, common) for column in columns]
        terms = family.terms(X.shape[1])
        values = _evaluated(terms, columns, scalings)
        near_one = family.degree == 1 and not family.scales_columns_together
        again = [SAME if near_one else Scaling.of(column) for column in values]
        for column, scaling in zip(values, again, strict=True):
            scaling.apply(column, column)
        return cls(family, tuple(scalings), tuple(again)), values

    def surface(
        self,
        plane: Sequence[float],
        X: Floats,
        left: Bools,
        seconds_left: SecondsLeft = no_limit,
    ) -> Surface:
        """Write a plane over the columns down as a surface that parts the rows of a node alike.

        While there is time, another plane that does, of widest margin, takes its place. If float64
        cannot tell the sides of either, the surface has integers. `left` is what the search thinks,
        in floating point; the surface parts the rows as the plane does in exact arithmetic, so that
        there is no tree whose partitions no surface makes.
        """
        started = perf_counter()
        X = np.asfortranarray(X)  # its columns are looked at several times
        values = self.values(X)
        weights, threshold = self._weights(plane)
        exactly = left ^ self._misjudged(plane, weights, threshold, X, values, left)
        # What a wider plane needs to be written down takes no longer than this plane did so far.
        after = PLANES_AFTER * (perf_counter() - started)
        wide = widened(plane, values, exactly, lambda: seconds_left() - after)
        if wide != tuple(plane):
            surface = fitting_threshold(self.family, self._weights(wide)[0], X, exactly)
            if surface is not None:
                return surface
        surface = fitting_threshold(self.family, weights, X, exactly)
        return surface or with_integers(self.family, weights, threshold)

    def _misjudged(
        self,
        plane: Sequence[float],
        weights: Sequence[Fraction],
        threshold: Fraction,
        X: Floats,
        values: Floats,
        left: Bools,
    ) -> Bools:
        """Tell which rows are on the other side of the plane in exact arithmetic.

        Only those near it need a look. The score of a row, sum w_k z_k + b, is wrong by at most
        `ROUNDINGS` units (2^-53) for each factor, and as many as there are sums, of the sum of
        |w_k| Z_k + |b|; Z_k is z_k computed from |x| and |shift| with all signs positive. Each x
        itself is the nearest float64 of the decimal it stands for, one more such unit.
        """
        factors = np.abs(np.array(plane[:-1]))
        unit = (len(plane) + ROUNDINGS * self.family.degree) * 2.0**-53
        score = np.array(plane[:-1]) @ values + plane[-1]
        # The largest of each column bounds it for all rows: few are nearer than that.
        ends = [side(axis=0, initial=0.0, keepdims=True) for side in (X.max, X.min)]
        largest = np.maximum(ends[0], -ends[1])
        room = (factors @ self._sizes(largest) + abs(plane[-1])) * unit
        near = np.flatnonzero(~(np.abs(score) > room))
        room = (factors @ self._sizes(X[near]) + abs(plane[-1])) * unit
        near = near[~(np.abs(score[near]) > room)]
        wrong = np.zeros(len(X), dtype=bool)
        terms = self.family.terms(X.shape[1])
        for i in near:
            x = [fraction_of(value) for value in X[i]]
            weighted = (w * evaluate(t, x) for w, t in zip(weights, terms, strict=True) if w)
            wrong[i] = (sum(weighted, Fraction(0)) <= threshold) != left[i]
        return wrong

    def _sizes(self, X: Floats) -> Floats:
        """Give the columns with all signs positive, which bounds what is rounded on the way."""
        large = [
            np.abs(column * 2.0**-s.exponent) + abs(s.shift)
            for column, s in zip(columns_of(X), self.columns, strict=True)
        ]
        terms = self.family.terms(X.shape[1])
        sizes = np.empty((len(terms), len(X)))
        for term, s, out in zip(terms, self.terms, sizes, strict=True):
            out[:] = evaluate(term, large) * 2.0**-s.exponent + abs(s.shift)
        return sizes

    def values(self, X: Floats) -> Floats:
        """Give the columns of other rows, terms by rows."""
        terms = self.family.terms(X.shape[1])
        values = _evaluated(terms, columns_of(X), self.columns)
        for column, scaling in zip(values, self.terms, strict=True):
            scaling.apply(column, column)
        return values

    def _weights(self, plane: Sequence[float]) -> tuple[list[Fraction], Fraction]:
        """Give factors of the family's terms in the user's columns, and the threshold, exactly."""
        terms = self.family.terms(len(self.columns))
        if are_columns(terms, len(self.columns)) and all(scaling == SAME for scaling in self.terms):
            return self._of_columns(plane)
        total: Polynomial = {}
        powers: Powers = {}
        constant = Fraction(plane[-1])
        for factor, term, scaling in zip(plane, terms, self.terms, strict=False):
            if factor:
                part = Fraction(factor) / scaling.unit
                constant -= part * scaling.centre
                for monomial in term:
                    _add_expanded(total, part, monomial, self.columns, powers)
        constant += total.pop((), Fraction(0))
        weights = [total.get(term[0], Fraction(0)) for term in terms]
        largest = max(map(abs, weights), default=Fraction(0))
        size = Fraction(2) ** (largest.numerator.bit_length() - largest.denominator.bit_length())
        return [weight / size for weight in weights], -constant / size

    def _of_columns(self, plane: Sequence[float]) -> tuple[list[Fraction], Fraction]:
        """Give the same where terms are columns: the sum of p (x / 2^e - shift) and a constant.

        Factors are divided by the power of two below the largest; floats are whole numbers divided
        by powers of two, so integers are enough for all of it.
        """
        scaled = list(zip(plane, self.columns, strict=False))
        size = max((frexp(p)[1] - 1 - s.exponent for p, s in scaled if p), default=-1)
        weights = [_times_power(p, -s.exponent - size) for p, s in scaled]
        common = max(p.as_integer_ratio()[1] for p in map(float, plane))
        total = 0
        for factor, shift in [*((p, -s.shift) for p, s in scaled), (plane[-1], 1.0)]:
            if factor:
                above, below = float(factor).as_integer_ratio()
                total += above * int(shift) * (common // below)
        return weights, -Fraction(total, common) * Fraction(2) ** -size


def _times_power(factor: float, power: int) -> Fraction:
    """Give a float times a power of two, exactly.

    >>> _times_power(0.75, -2)
    Fraction(3, 16)
    """
    above, below = float(factor).as_integer_ratio()
    return Fraction(above << max(power, 0), below << max(-power, 0))


def exact_vectors(X: Floats, family: Family, rows: NDArray[np.intp]) -> list[list[Fraction]]:
    """Give one and the terms of some rows in fractions, values read as decimals.

    >>> from exactree.geometry.families import family_of
    >>> [str(x) for x in exact_vectors(np.array([[0.1]]), family_of("quadric"), np.array([0]))[0]]
    ['1', '1/10', '1/100']
    """
    terms = family.terms(X.shape[1])
    points = [[fraction_of(value) for value in X[i]] for i in rows]
    return [[Fraction(1), *(evaluate(t, x) for t in terms)] for x in points]


@dataclass(frozen=True)
class Scaling:
    """From x to x / 2^exponent - shift."""

    exponent: int
    shift: float

    @classmethod
    def of(cls, column: Floats, exponent: int | None = None) -> Scaling:
        """Make the spread about one and the mean about zero.

        >>> Scaling.of(np.array([1e6, 1e6 + 4]))
        Scaling(exponent=1, shift=500001.0)
        """
        largest = float(np.abs(column).max(initial=0.0))
        if exponent is None:
            rough = int(np.frexp(largest)[1])
            spread = float(_halved(column, rough).std())
            exponent = rough + int(np.frexp(spread)[1]) - 1 if spread else 0
            exponent = max(min(exponent, LARGEST_EXPONENT), -LARGEST_EXPONENT)
        return cls(exponent, float(np.rint(_halved(column, exponent).mean())))

    def apply(self, column: Floats, out: Floats) -> None:
        """Write the scaled column; both may be the same."""
        if self != SAME or out is not column:
            np.multiply(column, 2.0**-self.exponent, out=out)
            np.subtract(out, self.shift, out=out)

    @property
    def unit(self) -> Fraction:
        """What one is worth in the user's column."""
        return Fraction(2) ** self.exponent

    @property
    def centre(self) -> Fraction:
        """What becomes zero."""
        return Fraction(self.shift) * self.unit

    def power(self, n: int) -> list[tuple[int, Fraction]]:
        """Multiply the n-th power of a scaled x out: exponents of x with their factors."""
        shift, unit = Fraction(-self.shift), self.unit
        found = [(e, comb(n, e) * shift ** (n - e) / unit**e) for e in range(n + 1)]
        return [(e, factor) for e, factor in found if factor]


SAME = Scaling(0, 0.0)


def _refuse_too_large(X: Floats, family: Family, memory_limit: float) -> None:
    terms = len(family.terms(X.shape[1]))
    needed = COPIES * 8 * len(X) * terms
    if needed > memory_limit:
        raise ValueError(
            f"{len(X)} rows with {terms} terms of the surfaces each take about "
            f"{needed / 2**20:.0f} MB to search, and memory_limit allows "
            f"{memory_limit / 2**20:.0f} MB: use fewer rows or columns, a simpler family, or more "
            "memory"
        )


def _halved(column: Floats, times: int) -> Floats:
    """Divide by a power of two; a product is faster, but not all of these are floats."""
    if abs(times) > LARGEST_EXPONENT:
        return np.ldexp(column, -times)
    return column * 2.0**-times


def _evaluated(
    terms: Sequence[Term], columns: Sequence[Floats], scalings: Sequence[Scaling]
) -> Floats:
    """Evaluate terms of scaled columns; where they are these columns, without other copies."""
    small = np.empty((len(columns), len(columns[0])))
    for column, scaling, out in zip(columns, scalings, small, strict=True):
        scaling.apply(column, out)
    if are_columns(terms, len(columns)):
        return small
    values, small_columns = np.empty((len(terms), len(columns[0]))), list(small)
    for term, out in zip(terms, values, strict=True):
        out[:] = evaluate(term, small_columns)
    return values


def _add_expanded(
    total: Polynomial,
    factor: Fraction,
    monomial: Monomial,
    columns: Sequence[Scaling],
    powers: Powers,
) -> None:
    """Add factor times a product of powers of (x - centre) / unit, multiplied out.

    `powers` has those that were multiplied out before, by column and power.

    >>> found = {}
    >>> _add_expanded(found, Fraction(1), ((0, 2),), [Scaling(1, 3.0)], {})  # (x / 2 - 3)^2
    >>> {key: str(value) for key, value in found.items()}
    {(): '9', ((0, 1),): '-3', ((0, 2),): '1/4'}
    """
    parts: Polynomial = {(): factor}
    for j, power in monomial:
        if (j, power) not in powers:
            powers[j, power] = columns[j].power(power)
        parts = {
            (*key, (j, e)) if e else key: value * by
            for key, value in parts.items()
            for e, by in powers[j, power]
        }
    for key, value in parts.items():
        total[key] = total.get(key, Fraction(0)) + value
