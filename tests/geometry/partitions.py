"""Oracles for dichotomies: a linear program for each partition, and the specification."""

from collections.abc import Callable
from itertools import count, product
from math import prod
from typing import Any

import numpy as np
from scipy.optimize import linprog

from exactree.geometry import Dichotomies, unlisted
from exactree.spec.data import Sample
from exactree.spec.rules import dichotomies as spec_dichotomies

Points = list[tuple[int, ...]]
Partitions = set[frozenset[int]]

MONOMIALS = {"hyperplane": 1, "quadric": 2}


def embedded(x: tuple[int, ...], family: str) -> list[int]:
    """The monomials of a point, written down once more."""
    if family == "sphere":
        return [1, *x, sum(v * v for v in x)]
    if family == "axis_quadric":
        return [1, *x, *(v * v for v in x)]
    degree = MONOMIALS[family]
    exponents = [e for e in product(range(degree + 1), repeat=len(x)) if sum(e) <= degree]
    return [prod(v**k for v, k in zip(x, e, strict=True)) for e in exponents]


def separable(Z: np.ndarray, left: np.ndarray) -> bool:
    """Ask HiGHS for w with w.z >= 1 left and <= -1 right; small integers only."""
    signed = np.where(left, 1.0, -1.0)[:, None] * Z
    result = linprog(np.zeros(Z.shape[1]), A_ub=-signed, b_ub=-np.ones(len(Z)), bounds=(None, None))
    assert result.status in (0, 2)
    return bool(result.status == 0)


def partitions_by_programs(points: Points, family: str) -> Partitions:
    """All partitions of distinct points, as the side of point 0."""
    Z = np.array([embedded(p, family) for p in points], dtype=float)
    n = len(points)
    sides = (np.array([True, *rest]) for rest in product([False, True], repeat=n - 1))
    proper = (side for side in sides if not side.all())
    return {frozenset(np.flatnonzero(s).tolist()) for s in proper if separable(Z, s)}


def partitions_by_specification(points: Points, family: str | tuple[str, int]) -> Partitions:
    xs = tuple(Sample(i, p, 0) for i, p in enumerate(points))
    everyone = frozenset(range(len(points)))
    rules = spec_dichotomies(xs, family)
    return {r.positive if 0 in r.positive else everyone - r.positive for r in rules}


def partitions(found: Dichotomies) -> Partitions:
    """The sides of point 0, with the promises of the list checked: sorted, distinct, proper."""
    words = [tuple(int(w) for w in mask) for mask in found.masks]
    assert words == sorted(set(words))
    numbers = [sum(w << 64 * i for i, w in enumerate(mask)) for mask in words]
    assert all(number & 1 and number != (1 << found.points) - 1 for number in numbers)
    assert all(number < 1 << found.points for number in numbers)
    return {frozenset(i for i in range(found.points) if n >> i & 1) for n in numbers}


def once_lifted(X: Any, family: str) -> Callable[[], bool]:
    """A stop that says so as soon as the rows are lifted and their columns are independent."""
    asked = 0

    def never() -> bool:
        nonlocal asked
        asked += 1
        return False

    unlisted(X, family, never)
    return map(asked.__le__, count()).__next__
