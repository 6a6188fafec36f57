"""Every objective with every family and budget that is certified, by both checkers; or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from corners import Corners
from forging import shown_by_second, unpacked, write_table

import exactree
from exactree.objectives import CostMatrix, FBeta
from exactree.proof import check
from exactree.splits import Hyperplane

FAMILIES: dict[str, Any] = {
    "axis": "axis",
    "binary": "binary",
    "table": "axis",
    "hyperplane": "hyperplane",
    "lines": Hyperplane(columns=1),
    "sphere": "sphere",
    "mixture": ["axis", "hyperplane"],
    "own": Corners(),
}
OBJECTIVES: dict[str, dict[str, Any]] = {
    "errors": {},
    "balanced": {"class_weight": "balanced"},
    "weights": {"sample_weight": True},
    "cost matrix": {"objective": CostMatrix([[0, 2], [3, 0]])},
    "costs": {"costs": True},
    "f1": {"objective": "f1"},
    "jaccard": {"objective": "jaccard"},
    "f2": {"objective": FBeta(beta=2)},
    "balanced error": {"objective": "balanced_error"},
    "squared": {"task": "regression"},
}
BUDGETS: dict[str, dict[str, Any]] = {
    "depth": {"max_depth": 2},
    "splits": {"max_splits": 2},
    "both": {"max_depth": 2, "max_splits": 2},
    "penalty": {"max_depth": 2, "penalty": 0.04},
    "rows": {"max_depth": 2, "min_samples_leaf": 2},
    "share": {"max_depth": 2, "min_weight_fraction_leaf": 0.15},
}


def table(family: str) -> tuple[Any, Any]:
    """A small problem with something to prove."""
    rng = np.random.default_rng(7)
    n = 14 if family in ("axis", "binary", "table") else 9
    X: Any = rng.integers(0, 2 if family == "binary" else 6, (n, 3 if n == 14 else 2)) * 1.0
    y = (X[:, 0] > X[:, 0].mean()) ^ (X[:, 1] > X[:, 1].mean()) ^ (rng.random(n) < 0.2)
    if family == "table":
        X = pd.DataFrame(X, columns=["a", "b", "c"]).astype({"c": "category"})
        X.loc[3, "a"] = None
    return X, y.astype(int)


def certified(family: str, objective: str, budget: str) -> bool:
    """What docs/certificates.md says."""
    if objective == "squared":
        return family in ("axis", "binary", "table")
    ratio = objective in ("f1", "jaccard", "f2")
    if (ratio and budget == "penalty") or (
        budget == "share" and (ratio or objective == "balanced error")
    ):
        return False  # not even solved
    return objective != "costs" or budget in ("depth", "splits", "both")


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("family", FAMILIES)
def test_certified_and_checked(
    family: str, objective: str, budget: str, tmp_path: Path, program: Path
) -> None:
    X, y = table(family)
    rng = np.random.default_rng(3)
    how = {**OBJECTIVES[objective], **BUDGETS[budget], "splits": FAMILIES[family]}
    weights = rng.integers(1, 4, len(y)) * 1.0 if how.pop("sample_weight", False) else None
    costs = rng.integers(0, 4, (len(y), 3)) * 1.0 if how.pop("costs", False) else None
    target = {"y": y * 1.0 + rng.random(len(y)) if objective == "squared" else y}
    given: dict[str, Any] = {"costs": costs} if costs is not None else target
    path = tmp_path / "p.xz"
    if weights is not None:
        how["sample_weight"] = weights
    if not certified(family, objective, budget):
        with pytest.raises(ValueError, match=r"no certificates|does not go with"):
            exactree.solve(X, **given, certificate=path, **how)
        return
    result = exactree.solve(X, **given, certificate=path, **how)
    statement = check(path, X, **given, sample_weight=weights)
    assert result.status == "optimal" and statement.optimal
    header, plan = unpacked(path)
    if header["family"] in ("axis", "binary") and header.get("kinds") is None and costs is None:
        arguments = write_table(tmp_path / "data.csv", (X, y, weights))
        raw = json.dumps(header).encode() + b"\n" + plan
        assert shown_by_second(program, raw, arguments) == [f.bound for f in statement.results]
