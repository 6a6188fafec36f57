"""The bound of inseparable sets: never above the optimum, and exact in all its parts."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from exactree import solve
from exactree.engines.inseparable import exact_set, lightest
from exactree.geometry.separation import separate
from exactree.splits import Hyperplane


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_of_one_split_is_never_above_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 30))
    X = rng.integers(0, 5, (n, int(rng.integers(1, 4)))).astype(float)
    if seed % 2:
        X = rng.normal(size=X.shape)
    how: dict[str, Any] = {"splits": ["hyperplane", "sphere"][seed % 2], "max_depth": 1}
    if rng.random() < 0.4:
        how["sample_weight"] = rng.integers(1, 6, n)
    if rng.random() < 0.3:
        how["penalty"] = 0.05
    y = rng.integers(0, 2, n)
    best, found = solve(X, y, **how), solve(X, y, engine="local", **how)
    assert best.status == "optimal"
    assert found.lower_bound <= best.objective <= found.objective


def test_the_bound_meets_the_optimum_where_errors_are_few() -> None:
    proved = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 3))
        y = X @ [1.0, 2.0, -1.0] > 0.3
        y[rng.integers(0, 80, 3)] ^= True
        found = solve(X, y, splits="hyperplane", max_depth=1, engine="local")
        proved += found.status == "optimal"
        assert found.lower_bound >= 1 or found.objective == 0
    assert proved >= 9


def test_sets_may_use_up_all_rows() -> None:
    X, y = [[0.0], [0.0], [1.0], [1.0], [2.0], [2.0]], [0, 1, 0, 1, 0, 1]
    weights = [1, 2, 2, 1, 1, 2]  # equal rows alone prove three of the four
    found = solve(X, y, splits="hyperplane", max_depth=1, engine="local", sample_weight=weights)
    assert (found.objective, found.status) == (4, "optimal")


@pytest.mark.parametrize("seed", range(20))
def test_sets_are_verified_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = [[Fraction(1), *map(Fraction, row)] for row in rng.integers(-2, 3, (4, 2)).tolist()]
    sign = np.where(rng.integers(0, 2, 4) == 1, 1.0, -1.0)
    found = exact_set(vectors, sign)
    signed = [tuple(int(s) * x for x in v) for v, s in zip(vectors, sign, strict=True)]
    if found is not None:
        assert separate([signed[k] for k in found]) is None
        for some in combinations(found, len(found) - 1):
            assert not some or separate([signed[k] for k in some]) is not None


@pytest.mark.parametrize("seed", range(20))
def test_the_lightest_rows_that_meet_all_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = [tuple(rng.choice(9, int(rng.integers(1, 5)), replace=False)) for _ in range(7)]
    weights = rng.integers(1, 6, 9)
    chosen = lightest(sets, weights)
    assert chosen is not None and all(set(chosen) & set(rows) for rows in sets)
    least = min(
        int(weights[list(some)].sum())
        for k in range(10)
        for some in combinations(range(9), k)
        if all(set(some) & set(rows) for rows in sets)
    )
    assert int(weights[list(chosen)].sum()) == least


def test_sparse_planes_and_more_classes_have_a_bound_too() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
    sparse = solve(X, y, splits=Hyperplane(columns=2), max_depth=1, engine="local")
    dense = solve(X, y, splits="hyperplane", max_depth=1, engine="local")
    assert 0 < dense.lower_bound <= dense.objective <= sparse.objective
    three = solve(X, np.arange(60) % 3, splits="hyperplane", max_depth=1, engine="local")
    assert three.lower_bound == 20
