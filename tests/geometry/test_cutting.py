"""Cells that are cut one by one against the list of partitions."""

from __future__ import annotations

import random
from math import comb
from typing import Any

import numpy as np
import pytest

from exactree import _native
from exactree.geometry import dichotomies, unlisted

ISAS = _native.instruction_sets()
FAMILIES = ["hyperplane", "sphere", "axis_quadric", "quadric"]


def check(X: Any, family: str, isa: str) -> None:
    """Every partition once, and the one that parts nothing."""
    given = unlisted(X, family)
    assert given is not None
    vectors, _ = given
    cut = _native.cut_cells(vectors, isa).tolist()
    listed = dichotomies(X, family).masks.tolist()
    n = len(vectors)
    everything = [min(2**64, 2 ** (n - 64 * w)) - 1 for w in range(-(-n // 64))]
    assert sorted(cut) == sorted([*listed, everything])


def degenerate(dice: random.Random) -> list[list[float]]:
    """Points of a small grid, some of them on a line or repeated, some far away."""
    columns = dice.choice([1, 2, 2, 3, 3, 4])
    reach = dice.randrange(1, 5)
    scale = dice.choice([1, 1, 0.1, 1e9])
    points = []
    for _ in range(dice.randrange(1, 12)):
        point = [dice.randrange(reach + 1) * scale for _ in range(columns)]
        if columns > 1 and dice.random() < 0.3:
            point[1] = point[0]
        if dice.random() < 0.1:
            point[-1] += dice.choice([1e-6, 12345.678])
        points.append(point)
    return points


@pytest.mark.parametrize("block", range(4))
def test_degenerate_points(block: int) -> None:
    dice = random.Random(block)
    for _ in range(150):
        X = degenerate(dice)
        family = dice.choice(FAMILIES) if len(X[0]) == 2 else "hyperplane"
        check(X, family, dice.choice(ISAS))


@pytest.mark.parametrize(("n", "columns"), [(130, 1), (90, 2), (25, 3), (14, 5)])
def test_general_position_in_several_words(n: int, columns: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, columns))
    given = unlisted(X, "hyperplane")
    assert given is not None
    cut = [_native.cut_cells(given[0], isa) for isa in ISAS]
    assert len(cut[0]) == sum(comb(n - 1, d) for d in range(columns + 1))
    assert all(np.array_equal(cut[0], other) for other in cut)
    check(X, "hyperplane", "auto")


def test_a_cell_with_many_corners() -> None:
    """Points in convex position: the cell of the empty partition touches all of them."""
    angle = 2 * np.pi * np.arange(80) / 80
    check(np.column_stack([np.cos(angle), np.sin(angle)]).round(9), "hyperplane", "auto")


def test_too_many_coefficients_are_listed() -> None:
    assert unlisted(np.random.default_rng(0).normal(size=(30, 10)), "hyperplane") is None
    assert unlisted([[1.0], [2.0]], "axis") is None
