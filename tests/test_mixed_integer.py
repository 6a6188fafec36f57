"""The search against a mixed-integer model of the same problem, which HiGHS solves."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from benchmarks.mixed_integer import TreeProgram, fewest_errors
from exactree import solve
from exactree.geometry import dichotomies

# Rows, columns, values of a column, classes, depth: small integers, so that no tolerance matters.
CASES = [
    (14, 2, 5, 2, 1),
    (14, 3, 4, 3, 1),
    (20, 3, 5, 2, 1),
    (9, 1, 9, 2, 2),
    (10, 2, 5, 2, 2),
    (12, 2, 3, 3, 2),
    (12, 2, 5, 2, 2),
    (10, 3, 3, 2, 2),
    (12, 3, 5, 3, 2),
]


@pytest.mark.parametrize(("n", "columns", "values", "classes", "depth"), CASES)
def test_equal_objectives(n: int, columns: int, values: int, classes: int, depth: int) -> None:
    rng = np.random.default_rng(n + columns)
    X = rng.integers(0, values, (n, columns)).astype(float)
    y = rng.integers(0, classes, n)
    found = solve(X, y, splits="hyperplane", max_depth=depth)
    assert found.objective == fewest_errors(X, y, depth)


def test_the_model_alone() -> None:
    """Exclusive or: no line parts it, two levels of lines do."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert [fewest_errors(X, y, depth) for depth in (1, 2)] == [1, 0]


def test_every_partition_of_a_grid_has_the_margin() -> None:
    points = np.array(list(product(range(-1, 3), repeat=2)))
    promised = TreeProgram.of(points, np.arange(16) % 2, 1).margin
    found = dichotomies(points, "hyperplane")
    margins = [widest(points, found.side(k)) for k in range(len(found))]
    assert promised <= min(margins) < 6 * promised


def widest(points: NDArray[np.int64], left: NDArray[np.bool_]) -> float:
    """The greatest g with s (w.x - h) <= -g and |w_j| <= 1."""
    sign = np.where(left, 1.0, -1.0)[:, None]
    rows = np.hstack([sign * points, -sign, np.ones_like(sign)])
    bounds = [(-1, 1), (-1, 1), (None, None), (None, None)]
    return -float(linprog([0, 0, 0, -1], rows, np.zeros(len(rows)), bounds=bounds).fun)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="tolerance of the solver could decide"):
        TreeProgram.of(np.array([[0, 0], [1000, 1]]), np.array([0, 1]), 1)
    with pytest.raises(ValueError, match="not integers"):
        TreeProgram.of(np.array([[0.5]]), np.array([0]), 1)
