"""Splits by a surface, a weighted sum of terms against a threshold: what such families share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import gcd, isfinite
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from exactree.geometry import (
    Embedding,
    Family,
    Surface,
    Term,
    dichotomies,
    exact_vectors,
    family_of,
    owned_rules,
    surely_more,
    unlisted,
    widest_margin,
)
from exactree.partitions import Cells, Partitions, Terms, packed
from exactree.problem import Plane, Ranks
from exactree.splits.family import Listing, SecondsLeft, Sources, no_limit
from exactree.splits.stored_surface import read_surface
from exactree.tree import Split

BOUNDARIES = ("all", "both", "positive")
# So many digits of a float64 are all of it.
EXACT_DIGITS = 17
# A formula of more terms than this is folded to the strongest.
MOST_TERMS = 8
STRONGEST_TERMS = 6


@dataclass(frozen=True)
class SurfaceSplit(Split):
    """Is the sum of coefficients times terms at most the threshold?

    Parameters
    ----------
    surface : Surface
        The kind of surface, its coefficients and its threshold.
    columns : int
        How many columns the data has.
    strengths : tuple of float
        How much each term moves the sum from row to row: where there are many terms, a formula has
        the strongest. Nothing else depends on it; of many terms their order is stored.

    Examples
    --------
    >>> from exactree.geometry import family_of
    >>> plane = SurfaceSplit(Surface(family_of("hyperplane"), (0.5, -1.0), 2.0), 2)
    >>> plane.formula(["a", "b"]), plane.goes_left(np.array([[4.0, 0.0], [5.0, 0.0]])).tolist()
    ('0.5 a - b <= 2', [True, False])
    """

    surface: Surface
    columns: int
    strengths: tuple[float, ...] = field(default=(), compare=False, repr=False)
    kind: ClassVar[str] = "surface"

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X, whatever other rows there are."""
        return self.surface.left(X)

    def decision(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Give a number for each row that is 0 on the boundary and above on the right, rounded."""
        return self.surface.decision(X)

    def formula(
        self,
        feature_names: Sequence[str] | None = None,
        *,
        holds: bool = True,
        digits: int = 6,
        terms: int | None = None,
    ) -> str:
        """Write the question down, or its opposite if not `holds`; 17 `digits` are exact.

        With fewer, both sides are divided by the largest coefficient that is written, of a sphere
        by that of the squares, so that a reader has small numbers before them; integers by their
        common factor.
        Of more than eight terms the six strongest are written, the strongest first, and the others
        counted; with `terms`, at most so many.
        """
        given = feature_names or [f"x[{j}]" for j in range(self.columns)]
        names = self.surface.family.names(given[: self.columns])
        total = ""
        written, folded = self._written(digits, terms)
        *coefficients, threshold = self._readable(digits, written)
        for k in written:
            total += _summand(coefficients[k], names[k], first=not total, digits=digits)
        if folded:
            total += f" + ({folded} weaker term{'s' * (folded > 1)})"
        sign = "<=" if holds else ">"
        return f"{total or '0'} {sign} {_shown(threshold, digits)}"

    def _written(self, digits: int, terms: int | None) -> tuple[list[int], int]:
        """Choose the terms of a formula, and count those that are left out."""
        sizes = [abs(value) for value in self.surface.coefficients]
        used = [k for k, value in enumerate(sizes) if value]
        if len(used) <= (terms or MOST_TERMS) or digits >= EXACT_DIGITS:
            return used, 0
        strength = self.strengths or sizes
        strongest = sorted(used, key=lambda k: -strength[k])[: terms or STRONGEST_TERMS]
        return strongest, len(used) - len(strongest)

    def _readable(self, digits: int, written: Sequence[int]) -> list[float] | list[int]:
        """Give the coefficients and the threshold, scaled for a reader of some of the terms."""
        surface = self.surface
        numbers = [*surface.coefficients, surface.threshold]
        if surface.exact:
            common = gcd(*map(int, numbers)) or 1
            return [int(value) // common for value in numbers]
        last = abs(surface.coefficients[-1])
        by = last if surface.family.scales_columns_together else 0
        by = by or max((abs(numbers[k]) for k in written), default=0)
        if digits >= EXACT_DIGITS or not by:
            return numbers
        scaled = [value / by for value in numbers]
        return scaled if all(map(isfinite, scaled)) else numbers

    def features(self) -> tuple[int, ...]:
        """Name the columns with a coefficient that is not 0."""
        terms = zip(self.surface.coefficients, self._terms(), strict=True)
        used = {j for c, term in terms if c for monomial in term for j, _ in monomial}
        return tuple(sorted(used))

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data: the terms that count, as powers of columns, and the threshold.

        Integers of any length, where float64 could not part the training rows, are kept as text. Of
        many terms it is told which are the strongest.
        """
        surface = self.surface
        found: dict[str, Any] = {
            "kind": self.kind,
            "family": surface.family.name,
            "degree": surface.family.degree,
            "columns": self.columns,
        }
        terms = zip(surface.coefficients, self._terms(), strict=True)
        listed = [[c, [list(map(list, monomial)) for monomial in term]] for c, term in terms if c]
        if self.strengths and len(listed) > MOST_TERMS:
            strengths = [s for s, c in zip(self.strengths, surface.coefficients, strict=True) if c]
            found["strongest"] = sorted(range(len(listed)), key=lambda k: -strengths[k])
        if not surface.exact:
            return {**found, "terms": listed, "at_most": surface.threshold}
        exact = [[str(c), term] for c, term in listed]
        return {**found, "exact_terms": exact, "exact_at_most": str(surface.threshold)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        return cls(*read_surface(data))

    def to_python(self) -> str:
        """Write the question as an expression in x that means the same to the last digit."""
        if self.surface.exact:
            raise ValueError(
                f"the split {self.formula()} needs longer numbers than floats have: round the data "
                "to fewer digits, or evaluate the tree itself"
            )
        terms = zip(self.surface.coefficients, self._terms(), strict=True)
        summands = [f"{c!r} * {_product(term)}" for c, term in terms if c]
        return f"{' + '.join(summands) or '0.0'} <= {self.surface.threshold!r}"

    def _terms(self) -> tuple[Term, ...]:
        return self.surface.family.terms(self.columns)


def _shown(value: float | int, digits: int) -> str:
    return str(value) if isinstance(value, int) else f"{value:.{digits}g}"


def _summand(value: float | int, name: str, *, first: bool, digits: int) -> str:
    """Write a coefficient with its sign and term; a coefficient of 1 goes without saying."""
    sign = ("-" if first else " - ") if value < 0 else ("" if first else " + ")
    size = _shown(abs(value), digits)
    return f"{sign}{'' if size == '1' else f'{size} '}{f'({name})' if ' + ' in name else name}"


def _product(term: Term) -> str:
    """Write a term with the operations, and in the order, that evaluate it."""
    products = [
        " * ".join(f"x[{j}]" for j, power in monomial for _ in range(power)) for monomial in term
    ]
    return f"({' + '.join(products)})"


@dataclass(eq=False)
class SurfaceSources(Sources):
    """Rows whose partitions by surfaces are listed when they are asked for."""

    X: NDArray[np.float64]
    family: Family
    boundary: str
    columns: Ranks
    embedding: Embedding | None = None  # of the rows that `sides` was asked for

    @property
    def has_partitions(self) -> bool:
        """Say that there are splits beside rank columns."""
        return True

    def partitions(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List every partition that a surface of the family makes, or leave that to the search.

        The search cuts cells, where there are not too many partitions to look for the best one.
        """
        X = rows_of(self.X, rows)
        if listing.needed:
            return self._listed(X, listing)
        self.embedding, values = Embedding.of(X, self.family, listing.room)
        found = self._within_reach(X, values, listing)
        exact = partial(exact_vectors, X, self.family)
        return replace(found, terms=(Terms(values, X.shape[1], exact=exact),))

    def _within_reach(
        self, X: NDArray[np.float64], values: NDArray[np.float64], listing: Listing
    ) -> Partitions:
        """Give the partitions if there are few enough for an exact search."""
        nothing = packed(np.zeros((0, len(X)), dtype=bool))
        beyond = Partitions(nothing, exhaustive=False)
        try:
            if surely_more(values, listing.reach):
                return beyond
            cells = unlisted(X, self.family, listing.stop, listing.reach)
        except TimeoutError:
            return beyond
        if cells is None:
            return beyond
        if not listing.listed:
            return Partitions(nothing, cells=(Cells(*cells),))
        listed = self._listed(X, listing)
        return listed if listed.complete else beyond

    def _listed(self, X: NDArray[np.float64], listing: Listing) -> Partitions:
        try:
            found = dichotomies(X, self.family, memory_limit=listing.memory, stop=listing.stop)
        except TimeoutError:
            return Partitions(packed(np.zeros((0, len(X)), dtype=bool)), complete=False)
        return Partitions(found.expanded(), complete=found.complete)

    def rules(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List the surfaces through data points, with these as owners."""
        try:
            found = owned_rules(
                self.X[rows],
                self.family,
                boundary=self.boundary,
                memory_limit=listing.memory,
                stop=listing.stop,
            )
        except TimeoutError:
            return Partitions(packed(np.zeros((0, len(rows)), dtype=bool)), complete=False)
        return Partitions(found.masks, found.owners, found.complete)

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> SurfaceSplit:
        """Find the surface of widest margin between the two sides of the node's rows."""
        X = rows_of(self.X, rows)
        if isinstance(cut, Plane):
            assert self.embedding is not None
            surface = self.embedding.surface(cut.plane, X, left, seconds_left)
        else:
            surface = widest_margin(X, left, self.family, seconds_left=seconds_left)
        return SurfaceSplit(surface, X.shape[1], surface.strengths(X))


class SurfaceFamily:
    """What families of surfaces share: a name among the kinds of geometry is all they need."""

    name: ClassVar[str]
    boundary: str

    @property
    def surface(self) -> Family:
        """The kind of surface, with its degree."""
        return family_of(self.name)

    def sources(self, X: NDArray[Any]) -> Sources:
        """Hold the rows for the listing of their partitions."""
        return surface_sources(X, self.surface, self.boundary)


def rows_of(X: NDArray[np.float64], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Give some rows; their columns are in one piece, since these are looked at one by one."""
    return np.take(X.T, rows, axis=1).T


def surface_sources(X: NDArray[Any], family: Family, boundary: str) -> SurfaceSources:
    """Hold the rows for the listing; `boundary` is checked here, where an error has a use."""
    if boundary not in BOUNDARIES:
        known = ", ".join(map(repr, BOUNDARIES))
        raise ValueError(f"boundary={boundary!r} is unknown: choose one of {known}")
    values = np.asfortranarray(X, dtype=np.float64)
    return SurfaceSources(values, family, boundary, np.zeros((0, len(values)), dtype=np.int32))
