"""A guess how long a search may take: orders of magnitude, from measured times.

Easy data are often a hundred times faster than the guess, noise may be ten times slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import Any

from exactree import counting
from exactree.splits import Axis

A_MINUTE = 60.0
HALF_AN_HOUR = 1800.0  # a guess beyond may well be hours
# Thresholds: seconds for a cell of the data at depth three, and how many times longer one more
# level takes where there are that many thresholds to try.
CELL, LEVEL = 1e-5, 130.0
# Surfaces: seconds for a pair of listed partitions at depth two, and the most that one more level
# multiplies; it is about a tenth of the partitions.
PAIR, MASK_LEVEL = 1e-11, 1000.0
# How many times longer losses take that are not searched natively.
GENERIC = 500.0
FOR_EVER = 10**50


def guessed_seconds(
    X: Any,
    max_depth: int | None,
    max_splits: int | None,
    families: Sequence[str] = ("axis",),
    *,
    native: bool = True,
) -> float | None:
    """Guess the seconds of a search; None if nothing limits the depth."""
    depths = [max_depth] if max_depth is not None else []
    if max_splits is not None:
        depths.append(ceil(log2(max_splits + 1)) + (max_depth is None))
    if not depths:
        return None
    slow = 1.0 if native else GENERIC
    ranks = Axis().sources(X).columns
    thresholds = int((ranks.max(axis=1)).sum())
    if all(name in ("axis", "binary") for name in families):
        return float(slow * CELL * ranks.size * min(LEVEL, max(thresholds, 1)) ** (min(depths) - 3))
    ways = float(sum(_partitions(name, X, thresholds) for name in families))
    return float(slow * PAIR * ways**2 * min(MASK_LEVEL, max(ways / 10, 1.0)) ** (min(depths) - 2))


def _partitions(name: str, X: Any, thresholds: int) -> int:
    """Count the partitions of the rows by a family, in general position, up to a limit."""
    if name in ("axis", "binary"):
        return thresholds
    kind, _, degree = name.partition(":")
    kind = "polynomial" if kind == "quadric" else kind
    points = 30  # with more, the guess is "for ever" anyway
    if kind in counting.FAMILIES:
        points = min(points, counting.points_per_rule(kind, X.shape[1], degree=int(degree or 2)))
    return min(counting.dichotomies(len(X), points), FOR_EVER)
