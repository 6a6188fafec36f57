"""Certificates over columns of two values: both checkers, with all budgets, and damaged plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forging import Table, as_plan, numbers, packed, shown_by_second, unpacked, write_table

import exactree
from exactree.objectives import CostMatrix
from exactree.proof import Rejected, check, checking, checking_binary


def bits(seed: int, *, rows: int = 60, columns: int = 7, classes: int = 2) -> Table:
    """Columns of two values, one of them constant and one the opposite of another."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, columns)) < rng.uniform(0.2, 0.8, columns)).astype(float)
    X[:, 1], X[:, 2] = 1.0, 1 - X[:, 0]
    hidden = X[:, [0, 3, 4]] @ [1, 1, 2] + (rng.random(rows) < 0.3)
    return X, (hidden.astype(int) % classes), None


OPTIONS: dict[str, dict[str, Any]] = {
    "depth2": {"max_depth": 2},
    "depth3": {"max_depth": 3},
    "depth4": {"max_depth": 4},
    "no depth": {"penalty": 0.02},
    "penalty": {"penalty": 0.01, "max_depth": 4},
    "splits": {"max_splits": 4},
    "both": {"max_depth": 3, "max_splits": 5, "penalty": 0.01},
    "rows": {"max_depth": 3, "min_samples_leaf": 5},
    "rows and splits": {"max_depth": 4, "min_samples_leaf": 4, "max_splits": 4},
    "share": {"max_depth": 3, "min_weight_fraction_leaf": 0.1},
    "balanced": {"max_depth": 3, "class_weight": "balanced"},
    "weights": {"max_depth": 3, "sample_weight": True},
    "heavy": {"max_depth": 3, "sample_weight": 2.0**40},
}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", OPTIONS)
def test_both_checkers_show_the_optimum(
    name: str, classes: int, tmp_path: Path, program: Path
) -> None:
    options = dict(OPTIONS[name])
    X, y, _ = bits(len(name), classes=classes)
    scale = options.pop("sample_weight", None)
    weights = None if scale is None else float(scale) * (1.0 + np.arange(len(y)) % 3)
    path = tmp_path / "proof.xz"
    result = exactree.solve(
        X, y, splits="binary", sample_weight=weights, certificate=path, **options
    )
    statement = check(path, X, y, sample_weight=weights)
    assert statement.optimal and statement.header["family"] == "binary"
    assert result.status == "optimal"
    arguments = write_table(tmp_path / "data.csv", (X, y, weights))
    header, plan = unpacked(path)
    shown = shown_by_second(program, json.dumps(header).encode() + b"\n" + plan, arguments)
    assert shown is not None and shown[0] >= statement.results[0].bound


@pytest.mark.parametrize("costs", [[[0, 1], [5, 0]], [[2, 1], [0, 0]]])
def test_costs(costs: list[list[int]], tmp_path: Path, program: Path) -> None:
    X, y, _ = bits(3)
    path = tmp_path / "proof.xz"
    exactree.solve(
        X, y, splits="binary", max_depth=3, objective=CostMatrix(costs), certificate=path
    )
    assert check(path, X, y).header["family"] == "binary"
    header, plan = unpacked(path)
    arguments = write_table(tmp_path / "data.csv", (X, y, None))
    shown = shown_by_second(program, json.dumps(header).encode() + b"\n" + plan, arguments)
    assert shown is not None


def test_whole_paths_of_sizes(tmp_path: Path) -> None:
    X, y, _ = bits(5)
    found = exactree.size_path(X, y, splits="binary", max_depth=3, max_splits=5)
    path = tmp_path / "proof.xz"
    exactree.proof.certify(found, X, y, path, splits="binary", max_depth=3, max_splits=5)
    statement = check(path, X, y)
    assert statement.optimal and len(statement.results) == len(found)


def damaged(plan: bytes, rng: np.random.Generator) -> bytes:
    """Change a plan somewhere: bits, lengths, columns, sides, order."""
    values = numbers(plan)
    i, j = (int(k) for k in rng.integers(0, len(values), 2))
    kind = int(rng.integers(0, 6))
    if kind == 0:
        raw = bytearray(plan)
        raw[rng.integers(len(raw))] ^= 1 << int(rng.integers(8))
        return bytes(raw)
    if kind == 1:
        return plan[: rng.integers(len(plan))]
    if kind == 2:
        return plan + bytes([int(rng.integers(256))])
    if kind == 3:
        values[i] = max(0, values[i] + int(rng.choice([-4, 4])))
    elif kind == 4:
        values[i] &= ~int(rng.integers(1, 4))
    else:
        values[i], values[j] = values[j], values[i]
    return as_plan(values)


@pytest.mark.parametrize("options", [{}, {"min_samples_leaf": 3, "max_splits": 6}], ids=str)
def test_both_checkers_agree_on_damaged_plans(
    options: dict[str, Any], tmp_path: Path, program: Path
) -> None:
    X, y, _ = bits(11, rows=40)
    path = tmp_path / "proof.xz"
    exactree.solve(X, y, splits="binary", max_depth=4, certificate=path, **options)
    header, plan = unpacked(path)
    optimum = int(header["results"][0]["value"])
    header["results"][0]["bound"] = "0"
    line = json.dumps(header).encode() + b"\n"
    arguments = write_table(tmp_path / "data.csv", (X, y, None))
    rng, rejected, lower = np.random.default_rng(12), 0, 0
    for _ in range(500):
        body = damaged(plan, rng)
        bounds = shown_by_second(program, line + body, arguments)
        try:
            rows = checking_binary.Rows(header, X, y.astype(np.int64), None)
            checker = checking_binary.Checker(rows, body, header["work"])
            bound: int | None = int(
                checker.claim(np.arange(len(y)), 4, header["max_splits"])[-1, -1]
            )
            checking_binary.require(next(checker.plan, None) is None, "too long")
        except checking_binary.Rejected:
            bound = None
        assert bounds == (None if bound is None else [bound])
        rejected += bound is None
        lower += bound is not None and bound < optimum
        assert bound is None or bound <= optimum
    assert rejected > 50 and lower > 10


def test_columns_of_more_values_are_refused(tmp_path: Path) -> None:
    X, y, _ = bits(2)
    path = tmp_path / "proof.xz"
    exactree.solve(X, y, splits="binary", max_depth=3, certificate=path)
    header, _ = unpacked(path)
    X[0, 0] = 2.0
    header["data"] = checking_binary.data_digest(X, y.astype(np.int64), None)
    rows = checking_binary.Rows(header, X, y.astype(np.int64), None)
    with pytest.raises(ValueError, match="more than two values"):
        checking_binary.Checker(rows, b"", 1 << 30)
    with pytest.raises(Rejected, match="other data"):
        check(path, X, y)


def test_each_checker_has_its_own_limit_of_work(tmp_path: Path) -> None:
    X, y, _ = bits(3)
    path = tmp_path / "proof.xz"
    exactree.solve(X, y, splits="binary", max_depth=3, certificate=path)
    header, plan = unpacked(path)
    header["work"] = 2 * checking.WORK
    assert header["work"] < checking_binary.WORK
    path.write_bytes(packed(header, plan))
    assert check(path, X, y).optimal
    with pytest.raises(Rejected, match="work is"):
        check(path, X, y, work=1000)
