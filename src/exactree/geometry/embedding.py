"""Terms of a family as columns for a search in floating point, and its planes as surfaces.

Columns are centred and scaled by powers of two, their terms are formed and centred and scaled
again, so that numbers of any size become numbers near one. All factors are powers of two and all
centres multiples of them: the way back to the user's columns is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from exactree.geometry.families import (
    Family,
    Monomial,
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
from exactree.geometry.scaling import Scalings
from exactree.geometry.widening import widened
from exactree.partitions import COPIES

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Polynomial = dict[Monomial, int]
Powers = dict[tuple[int, int], list[tuple[int, int]]]
ZERO = Fraction(0)
# An upper bound on the rounding error of a factor of a term, in units of 2^-53.
ROUNDINGS = 16
# How many planes could be written down in the time that is kept for the wider one and its recount.
PLANES_AFTER = 3


@dataclass(frozen=True, eq=False)
class Embedding:
    """How the terms of a family become columns near one."""

    family: Family
    columns: Scalings
    terms: Scalings

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
        scalings = Scalings.of(columns)
        if family.scales_columns_together:
            scalings = Scalings.of(columns, int(scalings.exponents.max()))
        values = _evaluated(family, columns, scalings)
        near_one = family.degree == 1 and not family.scales_columns_together
        again = Scalings.same(len(values)) if near_one else Scalings.of(values)
        again.apply(values, values)
        return cls(family, scalings, again), values

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
        large = self.columns.sizes(columns_of(X))
        if self.family.has_columns(len(large)):
            return self.terms.sizes(large)
        terms = self.family.terms(X.shape[1])
        sizes = np.empty((len(terms), len(X)))
        for term, out in zip(terms, sizes, strict=True):
            out[:] = evaluate(term, large)
        return self.terms.sizes(sizes)

    def values(self, X: Floats) -> Floats:
        """Give the columns of other rows, terms by rows."""
        values = _evaluated(self.family, columns_of(X), self.columns)
        self.terms.apply(values, values)
        return values

    def _weights(self, plane: Sequence[float]) -> tuple[list[Fraction], Fraction]:
        """Give factors of the family's terms in the user's columns, and the threshold, exactly.

        Factors are divided by the power of two below the largest. All numbers on the way are whole
        ones divided by powers of two: a factor p of a term, divided by its 2^e, by one that is
        common to all, and a product of columns by one that is the same in every term that has it.
        So sums are those of integers.
        """
        terms = self.family.terms(len(self.columns.shifts))
        exponents = self.columns.exponents.tolist()
        shifts = [int(shift) for shift in self.columns.shifts.tolist()]
        of_terms = zip(self.terms.exponents.tolist(), self.terms.shifts.tolist(), strict=True)
        scaled = list(zip(map(_dyadic, plane), terms, of_terms, strict=False))
        whole, halvings = _dyadic(plane[-1])
        common = max(halvings, *(n + max(e, 0) for (_, n), _, (e, _) in scaled), 0)
        total: Polynomial = {(): whole << (common - halvings)}
        powers: Powers = {}
        for (part, n), term, (exponent, shift) in scaled:
            if part:
                total[()] -= (part * int(shift)) << (common - n)
                for monomial in term:
                    _add_expanded(total, part << (common - n - exponent), monomial, shifts, powers)
        constant = total.pop(())
        found = [
            (total.get(term[0], 0), common + sum(exponents[j] * power for j, power in term[0]))
            for term in terms
        ]
        size = max((part.bit_length() - n - 1 for part, n in found if part), default=-1)
        return [_fraction(part, n + size) for part, n in found], _fraction(-constant, common + size)


def _dyadic(factor: float) -> tuple[int, int]:
    """Give a float as a whole number and how often that is halved.

    >>> _dyadic(0.75), _dyadic(6.0)
    ((3, 2), (6, 0))
    """
    above, below = float(factor).as_integer_ratio()
    return above, below.bit_length() - 1


def _fraction(whole: int, halvings: int) -> Fraction:
    """Give a whole number divided by a power of two.

    >>> _fraction(6, 2), _fraction(3, -1)
    (Fraction(3, 2), Fraction(6, 1))
    """
    if not whole:
        return ZERO
    return Fraction(whole << max(-halvings, 0), 1 << max(halvings, 0))


def exact_vectors(X: Floats, family: Family, rows: NDArray[np.intp]) -> list[list[Fraction]]:
    """Give one and the terms of some rows in fractions, values read as decimals.

    >>> from exactree.geometry.families import family_of
    >>> [str(x) for x in exact_vectors(np.array([[0.1]]), family_of("quadric"), np.array([0]))[0]]
    ['1', '1/10', '1/100']
    """
    terms = family.terms(X.shape[1])
    points = [[fraction_of(value) for value in X[i]] for i in rows]
    return [[Fraction(1), *(evaluate(t, x) for t in terms)] for x in points]


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


def _evaluated(family: Family, columns: Floats, scalings: Scalings) -> Floats:
    """Evaluate terms of scaled columns; where they are these columns, without other copies."""
    small = np.empty(columns.shape)
    scalings.apply(columns, small)
    if family.has_columns(len(columns)):
        return small
    terms = family.terms(len(columns))
    values = np.empty((len(terms), columns.shape[1]))
    for term, out in zip(terms, values, strict=True):
        out[:] = evaluate(term, small)
    return values


def _add_expanded(
    total: Polynomial, factor: int, monomial: Monomial, shifts: Sequence[int], powers: Powers
) -> None:
    """Add factor times a product of powers of (x - shift), multiplied out.

    `powers` has those that were multiplied out before, by column and power.

    >>> found = {}
    >>> _add_expanded(found, 1, ((0, 2),), [3], {})  # (x - 3)^2
    >>> found
    {(): 9, ((0, 1),): -6, ((0, 2),): 1}
    """
    if len(monomial) == 1 and monomial[0][1] == 1:  # a column, of which a plane may have thousands
        total[monomial] = total.get(monomial, 0) + factor
        total[()] = total.get((), 0) - factor * shifts[monomial[0][0]]
        return
    parts: Polynomial = {(): factor}
    for j, power in monomial:
        if (j, power) not in powers:
            by_power = ((e, comb(power, e) * (-shifts[j]) ** (power - e)) for e in range(power + 1))
            powers[j, power] = [(e, by) for e, by in by_power if by]
        parts = {
            (*key, (j, e)) if e else key: value * by
            for key, value in parts.items()
            for e, by in powers[j, power]
        }
    for key, value in parts.items():
        total[key] = total.get(key, 0) + value
