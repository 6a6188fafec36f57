"""Splitting rules in exact arithmetic: lists owned by data points, and all dichotomies.

There are two spaces of rules. A *list* has rules that are owned by G data points each, and the
owners decide ancestry: it is what the K-combination programs take, and no rule of it may be dropped
because another one has the same sides. The *dichotomies* of a set are the partitions that surfaces
of the family make of it, each once, without owners: it is what the depth-constrained programs ask
for anew at every node.

Where the points on a surface belong is its boundary convention:
    "positive"  the paper's list: the G-combinations of the data, one rule each, all points on the
                surface on its positive side; which side that is, is the arbitrary sign of w
    "both"      the rules of w and of -w, with the points on the surface on the positive side
    "all"       the complete list, from which the K-combination programs reach the optimum over all
                dichotomies: the points on the surface fall on either side, and regions that span
                less than the space have rules that fewer points own
Unordered partitions are meant throughout: a rule and its mirror image make the same trees but for
left and right.

Glossary
    xs       the samples; N of them with D coordinates
    x_i, t   a coordinate, and a threshold on it
    G        the number of points that a surface of the family needs
    w        the coefficients of a surface w . rho(x) = 0 over the embedded points
    owners   the data points that define the surface of a rule
    form     (family, chain): the sign of the first non-zero w . rho(x) of the chain is the side
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from numbers import Rational
from operator import ge, le, lt
from typing import TypeAlias, cast

from exactree.spec.data import Number, Rule, Samples
from exactree.spec.embedding import embedding
from exactree.spec.flats import Chain, Vector, cells, null_vector, rank, side, to_integers

OneFamily: TypeAlias = str | tuple[str, int]
Family: TypeAlias = "OneFamily | Sequence[Family]"

BOUNDARIES = ("positive", "both", "all")


def _checked(xs: Samples) -> Samples:
    """Refuse samples for which no rule can be stated exactly."""
    if not xs:
        raise ValueError("xs is empty: rules are made from at least one sample")
    for s in xs:
        if not s.x or len(s.x) != len(xs[0].x):
            raise ValueError(
                f"sample {s.index} has {len(s.x)} coordinates, sample {xs[0].index} has "
                f"{len(xs[0].x)}: give every sample the same positive number"
            )
        for value in s.x:
            if not isinstance(value, Rational):
                raise ValueError(f"sample {s.index} has {value!r}: give an int or a Fraction")
    if len({s.index for s in xs}) < len(xs):
        raise ValueError(f"indices repeat: {sorted(s.index for s in xs)}; give each sample its own")
    return xs


def _checked_boundary(boundary: str) -> str:
    """Refuse an unknown boundary convention."""
    if boundary not in BOUNDARIES:
        raise ValueError(f"unknown boundary {boundary!r}: choose one of {BOUNDARIES}")
    return boundary


def each_family(family: Family) -> list[OneFamily]:
    """Flatten a family or a mixture of families, and refuse unknown ones.

    >>> each_family(["axis", ("polynomial", 2)])
    ['axis', ('polynomial', 2)]
    """
    if isinstance(family, list | tuple) and family[:1] != ("polynomial",):
        if not family:
            raise ValueError(f"{family!r} names no family: give at least one")
        return [f for part in family for f in each_family(part)]
    one = cast(OneFamily, family)
    if one not in ("axis", "binary"):
        embedding(one)
    return [one]


def axis_rules(xs: Samples, boundary: str = "positive") -> list[Rule]:
    """List the axis-parallel rules, one per point and coordinate: [x_i <= p_i | i, p <- xs].

    The owner p lies on the positive side. This list of N * D rules is already complete: the split
    of a region by x_i <= t is owned by the region's point with the largest coordinate up to t.
    "both" adds the reversed rules x_i >= p_i, "all" the owner on the other side, x_i < p_i.

    >>> from exactree.spec.data import Sample
    >>> [r.form for r in axis_rules((Sample(0, (3,), 0), Sample(1, (5,), 1)))]
    [('axis', 0, '<=', 3), ('axis', 0, '<=', 5)]
    """
    signs = {"positive": ["<="], "both": ["<=", ">="], "all": ["<=", "<"]}
    return [
        Rule(_where(xs, i, sign, p.x[i]), (p.index,), ("axis", i, sign, p.x[i]))
        for p in _checked(xs)
        for i in range(len(p.x))
        for sign in signs[_checked_boundary(boundary)]
    ]


def _where(xs: Samples, i: int, sign: str, t: Number) -> frozenset[int]:
    """Give the indices of the samples for which x_i stands in the relation `sign` to t."""
    holds = {"<=": le, "<": lt, ">=": ge}[sign]
    return frozenset(s.index for s in xs if holds(s.x[i], t))


def binary_rules(xs: Samples) -> list[Rule]:
    """List the questions "is feature i present?", one per feature: [x_i = 1 | i <- 1..D].

    They have no owners: any of them may stand anywhere in a tree.

    >>> from exactree.spec.data import Sample
    >>> [sorted(r.positive) for r in binary_rules((Sample(0, (0, 1), 0), Sample(1, (1, 1), 1)))]
    [[1], [0, 1]]
    """
    for s in _checked(xs):
        for value in s.x:
            if value not in (0, 1):
                raise ValueError(f"sample {s.index} has {value!r}: a binary feature is 0 or 1")
    return [
        Rule(frozenset(s.index for s in xs if s.x[i] == 1), (), ("binary", i))
        for i in range(len(xs[0].x))
    ]


def hyperplane_rules(xs: Samples, boundary: str = "positive") -> list[Rule]:
    """List the hyperplanes through G = D points: [w | s <- kcombs(D, xs), w . (p, 1) = 0, p <- s].

    >>> from exactree.spec.data import Sample
    >>> triangle = tuple(Sample(i, x, 0) for i, x in enumerate([(0, 0), (1, 0), (0, 1)]))
    >>> [(r.owners, sorted(r.positive)) for r in hyperplane_rules(triangle)]
    [((0, 1), [0, 1]), ((0, 2), [0, 2]), ((1, 2), [0, 1, 2])]
    """
    return surface_rules(xs, "hyperplane", boundary)


def polynomial_rules(xs: Samples, degree: int, boundary: str = "positive") -> list[Rule]:
    """List the surfaces of degree M through G = C(D + M, D) - 1 points: hyperplanes of rho_M(xs).

    >>> from exactree.spec.data import Sample
    >>> line = tuple(Sample(i, (i,), 0) for i in range(3))
    >>> [(r.owners, sorted(r.positive)) for r in polynomial_rules(line, 2)]
    [((0, 1), [0, 1, 2]), ((0, 2), [0, 2]), ((1, 2), [0, 1, 2])]
    """
    return surface_rules(xs, ("polynomial", degree), boundary)


def sphere_rules(xs: Samples, boundary: str = "positive") -> list[Rule]:
    """List the spheres through G = D + 1 points.

    >>> from exactree.spec.data import Sample
    >>> len(sphere_rules(tuple(Sample(i, (i, i * i), 0) for i in range(4))))
    4
    """
    return surface_rules(xs, "sphere", boundary)


def axis_quadric_rules(xs: Samples, boundary: str = "positive") -> list[Rule]:
    """List the quadrics along the axes through G = 2D points.

    >>> from exactree.spec.data import Sample
    >>> len(axis_quadric_rules(tuple(Sample(i, (i, i**3), 0) for i in range(5))))
    5
    """
    return surface_rules(xs, "axis_quadric", boundary)


def mixed_rules(xs: Samples, families: Family, boundary: str = "positive") -> list[Rule]:
    """Concatenate the lists of several families: concat [gen_splits_M(xs) | M <- Ms].

    >>> from exactree.spec.data import Sample
    >>> len(mixed_rules((Sample(0, (0, 0), 0), Sample(1, (1, 2), 1)), ["axis", "hyperplane"]))
    5
    """
    makers: dict[OneFamily, Callable[[], list[Rule]]] = {
        "axis": lambda: axis_rules(xs, boundary),
        "binary": lambda: binary_rules(xs),
    }
    lists = (makers.get(f, partial(surface_rules, xs, f, boundary)) for f in each_family(families))
    return [r for make in lists for r in make()]


def surface_rules(xs: Samples, family: OneFamily, boundary: str = "positive") -> list[Rule]:
    """List the rules of any embedded family by one of the boundary conventions (see above).

    >>> from exactree.spec.data import Sample
    >>> two = (Sample(0, (0, 0), 0), Sample(1, (1, 2), 1))
    >>> [sorted(r.positive) for r in surface_rules(two, "hyperplane", "all")]
    [[], [1], [0], [0, 1]]
    """
    vs = _vectors(xs, family)
    owned = {"positive": _literal, "both": _both, "all": _complete}[_checked_boundary(boundary)]
    return [Rule(_positive(vs, c), owners, (family, c)) for owners, c in owned(vs)]


Owned: TypeAlias = Iterator[tuple[tuple[int, ...], Chain]]


def _vectors(xs: Samples, family: OneFamily) -> dict[int, Vector]:
    """Give the embedded point of each sample as an integer vector, by index."""
    rho = embedding(family)
    return {s.index: to_integers(rho(s.x)) for s in _checked(xs)}


def _positive(vs: dict[int, Vector], chain: Chain) -> frozenset[int]:
    """Give the indices on the positive side of the chain."""
    return frozenset(i for i, v in vs.items() if side(chain, v) > 0)


def _width(vs: dict[int, Vector]) -> int:
    """Give G + 1, the length of an embedded point."""
    return len(next(iter(vs.values())))


def _constant(n: int) -> Vector:
    """Give the functional that is positive on every point."""
    return (*(0 for _ in range(n - 1)), 1)


def _literal(vs: dict[int, Vector]) -> Owned:
    """Yield each combination of G points that defines a surface, the points on it positive."""
    n = _width(vs)
    for owners in combinations(vs, n - 1):
        w = null_vector([vs[i] for i in owners], n)
        if w is not None:
            yield owners, (w, _constant(n))


def _both(vs: dict[int, Vector]) -> Owned:
    """Yield each surface of the literal list with w and with -w."""
    for owners, (w, one) in _literal(vs):
        yield owners, (w, one)
        yield owners, (tuple(-a for a in w), one)


def _complete(vs: dict[int, Vector]) -> Owned:
    """Yield surfaces such that every dichotomy of every region has one owned by that region.

    Let S be the distinct points of a region. If S spans the space, a surface that parts it can be
    moved onto G independent points of S without another point of S changing sides (see `cells`),
    and parts the points on it like some cell of theirs. If S does not, take a basis of its span as
    owners, and a cell of all points in that span. Duplicates stay together, so one owner stands for
    them. In general position these are C(N, G) 2^G rules through G points, and for each 2 <= g < G
    C(N, g) (2^(g-1) - 1) rules that g points own; a single point cannot be parted.
    """
    n = _width(vs)
    first = {v: i for i, v in reversed(vs.items())}
    points = {i: v for i, v in vs.items() if first[v] == i}
    for g in range(min(2, n - 1), n):
        for owners in combinations(points, g):
            basis = [points[i] for i in owners]
            if rank(basis) == g:
                flat = [v for v in points.values() if rank([*basis, v]) == g]
                yield from ((owners, chain) for chain in _chains(basis, flat, n))


def _chains(basis: list[Vector], flat: list[Vector], n: int) -> Iterator[Chain]:
    """Yield the chains that part a flat in every way, owned by a basis of it.

    If the basis defines a surface, this is the first of the chain and also places the points off
    the flat; these count, so trivial parts of the flat do too. Else only the flat counts.
    """
    w = null_vector(basis, n)
    for part, chain in cells(flat).items():
        if w is not None:
            yield (w, *chain)
        elif 0 in part and len(part) < len(flat):
            yield (*chain, _constant(n))


def dichotomies(xs: Samples, family: Family) -> list[Rule]:
    """List every partition of xs into two non-empty sides by a surface of the family, each once.

    The partitions are unordered, equal points stay together, and the list is complete for every
    finite data set, degenerate or not: surfaces with more points on them than they need part those
    points by all cells of the flat (see `cells`). The rules have no owners.

    >>> from exactree.spec.data import Sample
    >>> square = [(0, 0), (0, 1), (1, 0), (1, 1)]
    >>> xs = tuple(Sample(i, x, 0) for i, x in enumerate(square))
    >>> [len(dichotomies(xs, f)) for f in ("axis", "hyperplane", "quadric")]
    [2, 6, 7]
    """
    everyone = frozenset(s.index for s in _checked(xs))
    found: dict[frozenset[int], Rule] = {}
    for positive, form in (c for f in each_family(family) for c in _candidates(xs, f)):
        named = positive if xs[0].index in positive else everyone - positive
        if named != everyone:
            found.setdefault(named, Rule(positive, (), form))
    return list(found.values())


def _candidates(xs: Samples, family: OneFamily) -> Iterable[tuple[frozenset[int], object]]:
    """Yield the sides and forms of all rules of one family, repeated or trivial ones too."""
    if family == "axis":
        return ((r.positive, r.form) for r in axis_rules(xs))
    if family == "binary":
        return ((r.positive, r.form) for r in binary_rules(xs))
    vs = _vectors(xs, family)
    chains = cells(list(dict.fromkeys(vs.values()))).values()
    return ((_positive(vs, chain), (family, chain)) for chain in chains)


def gen_splits(family: Family) -> Callable[[Samples], list[Rule]]:
    """Give the function from samples to all their dichotomies: gen_splits of the depth programs.

    >>> from exactree.spec.data import Sample
    >>> len(gen_splits("axis")((Sample(0, (0,), 0), Sample(1, (1,), 1), Sample(2, (2,), 0))))
    2
    """
    each_family(family)
    return partial(dichotomies, family=family)
