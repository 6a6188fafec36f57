"""Families of surfaces as hyperplanes of an embedding (the Veronese map for degree M).

family        terms                                     points that define a surface
axis          x_i, one at a time                        1
hyperplane    x_1 .. x_D                                D
sphere        x_1 .. x_D, x_1^2 + .. + x_D^2            D + 1
axis_quadric  x_1 .. x_D, x_1^2 .. x_D^2                2 D
quadric       all monomials of degree 1, 2              C(D + 2, 2) - 1
polynomial    all monomials of degree 1 .. M            C(D + M, D) - 1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations_with_replacement
from operator import add, mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.geometry.watching import Stop, watched

Monomial = tuple[tuple[int, int], ...]  # columns with their powers, in the order of the columns
Term = tuple[Monomial, ...]  # a sum of monomials


@dataclass(frozen=True)
class Kind:
    """What makes a family: its degree (None: any), and its terms for columns and a degree."""

    degree: int | None
    terms: Callable[[int, int], Sequence[Term]]


def _every(columns: int, degree: int) -> list[Term]:
    """All monomials, lowest degree first."""
    return [
        (tuple(sorted(Counter(chosen).items())),)
        for power in range(1, degree + 1)
        for chosen in combinations_with_replacement(range(columns), power)
    ]


def _without_products(columns: int, degree: int) -> list[Term]:
    return [(((j, power),),) for power in range(1, degree + 1) for j in range(columns)]


def _with_the_norm(columns: int, degree: int) -> list[Term]:
    """Single columns, and the sum of all their squares as one term."""
    return [*_every(columns, 1), tuple(((j, degree),) for j in range(columns))]


# All that geometry, stored models and local search know of a family: a new one is a line here.
KINDS: dict[str, Kind] = {
    "hyperplane": Kind(1, _every),
    "sphere": Kind(2, _with_the_norm),
    "axis_quadric": Kind(2, _without_products),
    "polynomial": Kind(None, _every),
}


@dataclass(frozen=True)
class Family:
    """A family of surfaces: sum of coefficients times terms <= threshold."""

    name: str
    degree: int = 1

    @property
    def scales_columns_together(self) -> bool:
        """Tell whether scaling a single column would leave the family, as it does for spheres."""
        return any(len(term) > 1 for term in self.terms(2))

    def terms(self, columns: int) -> tuple[Term, ...]:
        """List the terms for so many columns, the constant left out.

        >>> family_of("sphere").terms(2)
        ((((0, 1),),), (((1, 1),),), (((0, 2),), ((1, 2),)))
        """
        return _terms(self.name, self.degree, columns)

    def has_columns(self, columns: int) -> bool:
        """Tell whether the terms are so many columns themselves, all of them in their order.

        >>> [family_of(name).has_columns(3) for name in ("hyperplane", "sphere")]
        [True, False]
        """
        return _are_columns(self.name, self.degree, columns)

    def names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Name the terms after the columns.

        >>> family_of("sphere").names(["a", "b"])
        ('a', 'b', 'a^2 + b^2')
        """
        terms = self.terms(len(columns))
        return tuple(" + ".join(_named(monomial, columns) for monomial in t) for t in terms)


def _named(monomial: Monomial, columns: Sequence[str]) -> str:
    return " ".join(f"{columns[j]}^{e}" if e > 1 else str(columns[j]) for j, e in monomial)


def family_of(family: str | Family) -> Family:
    """Give the family of a name.

    >>> family_of("quadric")
    Family(name='quadric', degree=2)
    """
    if isinstance(family, Family):
        return family
    degrees = {"axis": 1, **{n: kind.degree for n, kind in KINDS.items()}, "quadric": 2}
    degree = degrees.get(family)
    if degree is None:
        known = ", ".join(name for name, one in degrees.items() if one)
        raise ValueError(f"unknown family {family!r}: choose one of {known}")
    return Family(family, degree)


def polynomial(degree: int) -> Family:
    """Give the family of all surfaces of a degree.

    >>> len(polynomial(3).terms(2))
    9
    """
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree < 1:
        raise ValueError(f"degree {degree!r}: give an integer of at least 1")
    return Family("polynomial", int(degree))


def evaluate(term: Term, columns: Sequence[Any] | NDArray[np.float64]) -> Any:
    """Evaluate a term on numbers, or on whole columns, always in the same order.

    >>> evaluate((((0, 2), (1, 1)), ((1, 3),)), [3, 5])
    170
    """
    products = [
        reduce(mul, [columns[j] for j, power in monomial for _ in range(power)])
        for monomial in term
    ]
    return reduce(add, products)


def columns_of(table: NDArray[np.generic]) -> NDArray[np.float64]:
    """Give the columns of a table, each in one piece: sums over them are faster then."""
    return np.ascontiguousarray(table.T, dtype=np.float64)


def embed(
    terms: Sequence[Term], rows: Sequence[Sequence[int]], stop: Stop = None
) -> list[list[int]]:
    """Evaluate terms on integer rows; TimeoutError as soon as `stop()` is true.

    >>> embed(family_of("sphere").terms(2), [(3, 4)])
    [[3, 4, 25]]
    """
    every = 1 + 1000 // len(terms)
    return [[evaluate(term, row) for term in terms] for row in watched(rows, stop, every)]


@lru_cache(maxsize=64)
def _terms(name: str, degree: int, columns: int) -> tuple[Term, ...]:
    kind = KINDS.get(name, KINDS["polynomial"])  # "axis" and "quadric" are polynomials
    return tuple(kind.terms(columns, degree))


@lru_cache(maxsize=64)
def _are_columns(name: str, degree: int, columns: int) -> bool:
    terms = _terms(name, degree, columns)
    return len(terms) == columns and all(t == (((j, 1),),) for j, t in enumerate(terms))
