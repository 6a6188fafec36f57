"""Losses of numbers and costs per row, by the piece: the same optimum as in one process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree
from exactree.objectives import Quantile

LOSSES: list[Any] = ["absolute_error", Quantile(0.9), "poisson", "gamma", "tweedie", "outputs"]


def problem(which: Any) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    if which == "costs":
        return {"X": X, "costs": rng.normal(size=(60, 3)), "max_depth": 3}
    if which in ("hyperplane", "mixed", "sphere"):  # costs over surfaces, rows that weigh something
        few = {"X": X[:14, :2], "costs": rng.normal(size=(14, 3)), "max_depth": 3}
        splits = ["axis", "hyperplane"] if which == "mixed" else which
        return {**few, "splits": splits, "sample_weight": rng.integers(1, 5, 14)}
    y = rng.integers(1, 9, (60, 2) if which == "outputs" else 60) + 3.0 * (X[:, :1] > 0).ravel()[0]
    objective = "squared_error" if which == "outputs" else which
    return {"X": X, "y": y, "task": "regression", "objective": objective, "max_depth": 3}


@pytest.mark.parametrize("which", [*LOSSES, "costs", "hyperplane", "mixed", "sphere"], ids=str)
def test_elsewhere_is_the_same(which: Any, tmp_path: Path) -> None:
    given = problem(which)
    here = exactree.solve(**given)
    with ThreadPoolExecutor(2) as threads:
        there = exactree.solve(**given, executor=threads)
    ledger = tmp_path / "ledger"
    kept = exactree.solve(**given, checkpoint=ledger)
    again = exactree.solve(**given, checkpoint=ledger)
    for found in (there, kept, again):
        assert found.status == "optimal"
        assert found.objective == pytest.approx(here.objective, rel=1e-9)
