"""Splitting rules in exact arithmetic: lists owned by data points, and all dichotomies.

Glossary
    xs      the samples; N of them with D coordinates
    x_i, t  a coordinate, and a threshold on it
    owners  the data points that define the surface of a rule
"""

from __future__ import annotations

from numbers import Rational
from operator import ge, le, lt

from exactree.spec.data import Number, Rule, Samples

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
