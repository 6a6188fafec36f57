"""All ways in which linear functionals part a finite set of vectors, by recursion into flats.

The vectors are embedded data points (see `embedding`) with a positive last coordinate, scaled to
integers, so that every sign is exact and nothing is perturbed.

Glossary
    v, vs   an integer vector, and a tuple of them, pairwise not parallel
    w       a functional: v lies on the side of the sign of w . v
    flat    the vectors with w . v = 0
    chain   functionals (w1, w2, ..): the side of v is the sign of the first non-zero w . v; it
            is the surface w1 + e w2 + e^2 w3 + .. for every small enough e > 0
    cell    a set of positions {i | vs[i] on the positive side} that some functional makes
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import gcd, lcm
from typing import TypeAlias

from exactree.spec.data import Number

Vector: TypeAlias = tuple[int, ...]
Chain: TypeAlias = tuple[Vector, ...]
Cells: TypeAlias = dict[frozenset[int], Chain]


def to_integers(v: Sequence[Number]) -> Vector:
    """Scale a rational vector by its common denominator, which is positive: no sign changes.

    >>> to_integers((Fraction(1, 2), Fraction(-1, 3), 1))
    (3, -2, 6)
    """
    scale = lcm(*(Fraction(a).denominator for a in v))
    return tuple(int(a * scale) for a in v)


def dot(w: Vector, v: Vector) -> int:
    """Give the product w . v.

    >>> dot((1, 2), (3, 4))
    11
    """
    return sum(a * b for a, b in zip(w, v, strict=True))


def side(chain: Chain, v: Vector) -> int:
    """Give the sign of the first non-zero value of the chain on v, 0 if there is none.

    >>> side(((1, 0), (0, -1)), (0, 5))
    -1
    """
    value = next((a for w in chain if (a := dot(w, v))), 0)
    return (value > 0) - (value < 0)


def _primitive(v: Vector) -> Vector:
    """Divide by the greatest common divisor, so that numbers stay short."""
    g = gcd(*v)
    return tuple(a // g for a in v) if g else v


def _cleared(row: Vector, c: int, pivot: Vector) -> Vector:
    """Make row[c] zero with the help of a row whose c-th entry is not."""
    if not row[c]:
        return row
    return _primitive(tuple(pivot[c] * a - row[c] * b for a, b in zip(row, pivot, strict=True)))


def echelon(rows: Sequence[Vector]) -> dict[int, Vector]:
    """Reduce the rows: {pivot column: row that alone is non-zero there}; its length is the rank.

    >>> echelon([(1, 2), (2, 4), (0, 3)])
    {0: (1, 0), 1: (0, 1)}
    """
    basis: dict[int, Vector] = {}
    for row in rows:
        rest = reduce(lambda r, c: _cleared(r, c, basis[c]), basis, _primitive(row))
        lead = next((c for c, a in enumerate(rest) if a), None)
        if lead is not None:
            basis = {c: _cleared(b, lead, rest) for c, b in basis.items()}
            basis[lead] = rest
    return basis


def rank(rows: Sequence[Vector]) -> int:
    """Give the dimension of the span of the rows.

    >>> rank([(1, 2), (2, 4)])
    1
    """
    return len(echelon(rows))


def null_vector(rows: Sequence[Vector], n: int) -> Vector | None:
    """Give the w with w . v = 0 for n - 1 independent rows of length n; None if they are not.

    Of w and -w it is the one whose first non-zero entry is negative: on a line w . (x, 1) >= 0 then
    means x <= t. No entry is normalised to 1, so surfaces through the origin are not lost.

    >>> null_vector([(3, 1)], 2)
    (-1, 3)
    >>> null_vector([(1, 1, 1), (2, 2, 1)], 3)
    (-1, 1, 0)
    >>> null_vector([(1, 1, 1), (2, 2, 2)], 3) is None
    True
    """
    basis = echelon(rows)
    if len(basis) != n - 1:
        return None
    free = next(c for c in range(n) if c not in basis)
    scale = lcm(*(b[c] for c, b in basis.items()))
    w = [scale if c == free else -basis[c][free] * scale // basis[c][c] for c in range(n)]
    lead = next(a for a in w if a)
    return _primitive(tuple(-a if lead > 0 else a for a in w))


def cells(vs: Sequence[Vector]) -> Cells:
    """List every cell of the vectors, the two trivial ones included, with a chain that makes it.

    cells([]) = {{}}; cells(vs) = {S + T, S' + T | w through rank - 1 independent vectors of vs,
    S, S' = {w > 0}, {w < 0}, T in cells(flat of w)}.
    Why this is all: the functionals that make a cell form an open cone in the dual of the span of
    vs, and the cone is pointed. On an extreme ray w of its closure no vector changes its sign, but
    rank - 1 independent ones become 0, and the cell parts those by a functional on the flat.
    Conversely a chain is a functional (glossary).

    >>> sorted(map(sorted, cells([(0, 1), (1, 1), (2, 1)])))
    [[], [0], [0, 1], [0, 1, 2], [1, 2], [2]]
    """
    return _cells(tuple(vs), {})


def _cells(vs: tuple[Vector, ...], known: dict[tuple[Vector, ...], Cells]) -> Cells:
    """Compute `cells`, once for each of the flats, which many surfaces share."""
    if not vs:
        return {frozenset(): ()}
    if vs not in known:
        out: Cells = {}
        for w, flat in _flats(vs).items():
            for part, chain in _cells(tuple(vs[i] for i in flat), known).items():
                on = {flat[j] for j in part}
                for u in (w, tuple(-a for a in w)):
                    out.setdefault(_strictly_positive(u, vs) | on, (u, *chain))
        known[vs] = out
    return known[vs]


def _flats(vs: Sequence[Vector]) -> dict[Vector, tuple[int, ...]]:
    """Give the positions on the flat of each functional, each functional once."""
    functionals = dict.fromkeys(_functionals(vs, sorted(echelon(vs))))
    return {w: tuple(i for i, v in enumerate(vs) if not dot(w, v)) for w in functionals}


def _functionals(vs: Sequence[Vector], columns: Sequence[int]) -> list[Vector]:
    """List the functionals that vanish on rank - 1 independent vectors of vs.

    Only the pivot columns count: to forget the others is injective on the span of vs.
    """
    short = [tuple(v[c] for c in columns) for v in vs]
    found = (null_vector(rows, len(columns)) for rows in combinations(short, len(columns) - 1))
    lifted = (dict(zip(columns, w, strict=True)) for w in found if w is not None)
    return [tuple(w.get(c, 0) for c in range(len(vs[0]))) for w in lifted]


def _strictly_positive(w: Vector, vs: Sequence[Vector]) -> frozenset[int]:
    """Give the positions of the vectors with w . v > 0."""
    return frozenset(i for i, v in enumerate(vs) if dot(w, v) > 0)
