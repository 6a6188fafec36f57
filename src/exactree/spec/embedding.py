"""Embeddings that turn every surface of a family into a hyperplane.

Glossary
    x, D     a data point and its number of coordinates
    M        the degree of a polynomial
    rho      an embedding; rho(x) ends with the constant 1, so that a surface is w . rho(x) = 0
    G        the number of points a surface needs, len(rho(x)) - 1
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations_with_replacement
from math import prod
from typing import TypeAlias

from exactree.spec.data import Number

Point: TypeAlias = tuple[Number, ...]
Embedding: TypeAlias = Callable[[Point], Point]


def embed_m(m: int, x: Point) -> Point:
    """Give all monomials of degree 1..M of the coordinates, then 1: rho_M(x), G + 1 numbers.

    G = C(D + M, D) - 1; for M = 1 this is the point in homogeneous coordinates.

    >>> embed_m(1, (2, 3))
    (2, 3, 1)
    >>> embed_m(2, (2, 3))
    (2, 3, 4, 6, 9, 1)
    """
    if not isinstance(m, int) or m < 1:
        raise ValueError(f"degree {m!r}: give a whole number of at least 1")
    monomials = (prod(c) for d in range(1, m + 1) for c in combinations_with_replacement(x, d))
    return (*monomials, 1)


def embed_sphere(x: Point) -> Point:
    """Give (x, |x|^2, 1): spheres become hyperplanes, and D + 1 points define one.

    >>> embed_sphere((2, 3))
    (2, 3, 13, 1)
    """
    return (*x, sum(v * v for v in x), 1)


def embed_axis_quadric(x: Point) -> Point:
    """Give (x, x_1^2, .., x_D^2, 1): quadrics along the axes, which 2D points define.

    >>> embed_axis_quadric((2, 3))
    (2, 3, 4, 9, 1)
    """
    return (*x, *(v * v for v in x), 1)


EMBEDDINGS: dict[str, Embedding] = {
    "hyperplane": partial(embed_m, 1),
    "sphere": embed_sphere,
    "axis_quadric": embed_axis_quadric,
    "quadric": partial(embed_m, 2),
}


def embedding(family: str | tuple[str, int]) -> Embedding:
    """Give the embedding of a family of surfaces: a name, or ("polynomial", M).

    >>> embedding(("polynomial", 3))((2,))
    (2, 4, 8, 1)
    """
    if isinstance(family, tuple) and len(family) == 2 and family[0] == "polynomial":
        embed_m(family[1], ())
        return partial(embed_m, family[1])
    if isinstance(family, str) and family in EMBEDDINGS:
        return EMBEDDINGS[family]
    raise ValueError(
        f"unknown family {family!r}: choose 'axis', 'binary', {', '.join(map(repr, EMBEDDINGS))}, "
        "('polynomial', degree) or a list of these"
    )
