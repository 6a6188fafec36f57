"""Costs per row and ratios of counts: certified as the weighted errors that stand for them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree
from exactree.objectives.ratios import FBeta
from exactree.proof import Rejected, check


def draw(seed: int) -> tuple[Any, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 6, (int(rng.integers(5, 16)), 2)) * 1.0, rng


@pytest.mark.parametrize("seed", range(12))
def test_costs_per_row(seed: int, tmp_path: Path) -> None:
    X, rng = draw(seed)
    path, whole = tmp_path / "proof.xz", seed % 2 == 0
    costs: Any = rng.integers(-4, 9, (len(X), 3))
    costs = costs if whole else costs + rng.random((len(X), 3))
    weight = rng.integers(0, 3, len(X)) + 0.5 if seed % 3 == 0 else None
    how: Any = {"max_depth": int(rng.integers(0, 4)), "sample_weight": weight}
    result = exactree.solve(X, costs=costs, certificate=path, **how)
    shown = check(path, X, costs=costs, sample_weight=weight)
    assert shown.optimal
    # The two differ by what every tree pays.
    times = np.ones(len(X)) if weight is None else weight
    rest = ((costs.max(1)[:, None] - costs) * times[:, None]).sum() - (costs.max(1) * times).sum()
    assert float(shown.results[0].value) == pytest.approx(float(result.objective) + rest, abs=1e-9)
    costs[0, 0] += 1
    with pytest.raises(Rejected):
        check(path, X, costs=costs, sample_weight=weight)


@pytest.mark.parametrize("objective", ["f1", "jaccard", FBeta(beta=2.0), "balanced_error"])
@pytest.mark.parametrize("seed", range(4))
def test_ratios(objective: Any, seed: int, tmp_path: Path) -> None:
    X, rng = draw(100 + seed)
    y = np.append(rng.integers(0, 2, len(X) - 2), [0, 1])
    path = tmp_path / "proof.xz"
    result = exactree.solve(X, y, max_depth=2, objective=objective, certificate=path)
    shown = check(path, X, y)
    assert result.status == "optimal" and shown.optimal


def test_what_an_f1_certificate_says(tmp_path: Path) -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 1, 0, 1, 1]
    path = tmp_path / "proof.xz"
    result = exactree.solve(X, y, max_depth=1, objective="f1", certificate=path)
    shown = check(path, X, y)
    # The loss is 1/7: 8 FN + 6 FP is at least 2 P for every tree, or 4 FN + 3 FP at least 3.
    assert Fraction(result.objective).limit_denominator(100) == Fraction(1, 7)
    assert shown.header["costs"] == [[0, 3], [4, 0]]
    assert shown.results[0].value == shown.results[0].bound == 3


def test_what_has_none_says_what_to_do(tmp_path: Path) -> None:
    X, y, path = [[1.0], [2.0], [3.0]], [0, 1, 0], tmp_path / "proof.xz"
    costs = [[0, 1], [1, 0], [0, 1]]
    limits: list[dict[str, Any]] = [{"penalty": 0.1}, {"min_samples_leaf": 2}]
    for limit in limits:
        (name,) = limit
        with pytest.raises(ValueError, match=f"{name} with costs has no certificates: leave it"):
            exactree.solve(X, costs=costs, max_depth=1, certificate=path, **limit)
    how: Any = {"objective": "f1", "sample_weight": [1.5, 0.5, 1.0]}
    with pytest.raises(ValueError, match="multiply sample_weight by a constant"):
        exactree.solve(X, y, max_depth=1, certificate=path, **how)
    for objective in ("absolute_error", "poisson"):
        how = {"objective": objective, "task": "regression"}
        with pytest.raises(ValueError, match=r"has no certificates.*leave certificate out"):
            exactree.solve(X, y, max_depth=1, certificate=path, **how)
    assert not path.exists()
