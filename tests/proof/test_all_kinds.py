"""Certificates of every kind of problem: solved, certified, checked; and forged."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from corners import Corners
from forging import packed, unpacked

import exactree
from exactree.objectives import CostMatrix
from exactree.proof import Rejected, certify, check, read_statement
from exactree.splits import Hyperplane


@dataclass
class Posed:
    """A problem: data and the parameters of `solve`."""

    X: Any
    y: Any
    how: dict[str, Any] = field(default_factory=dict)
    weights: Any = None

    def solve(self, path: Path | None = None, **more: Any) -> exactree.Result:
        weights = {} if self.weights is None else {"sample_weight": self.weights}
        return exactree.solve(self.X, self.y, certificate=path, **self.how, **weights, **more)

    def check(self, path: Path) -> exactree.proof.Statement:
        return check(path, self.X, self.y, sample_weight=self.weights)


def budgets(rng: np.random.Generator, deepest: int) -> dict[str, Any]:
    found: dict[str, Any] = {"max_depth": int(rng.integers(1, deepest + 1))}
    if rng.random() < 0.3:
        found["max_splits"] = int(rng.integers(0, 5))
    if rng.random() < 0.3:
        found["penalty"] = float(rng.choice([0.01, 0.07, 0.3]))
    if rng.random() < 0.3:
        found["min_samples_leaf"] = int(rng.integers(1, 4))
    return found


def weights(rng: np.random.Generator, n: int) -> Any:
    kind = rng.choice(["none", "none", "whole", "real"])
    if kind == "none":
        return None
    return rng.integers(0, 3, n) + (np.arange(n) == 0) if kind == "whole" else rng.random(n)


def table(rng: np.random.Generator) -> Posed:
    """Missing values, categories, an order, dates."""
    n = int(rng.integers(2, 25))
    letters = np.array(list("abcdef"))[: int(rng.integers(1, 7))]
    sizes = pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 5, n).astype(float),
            "c": pd.Categorical(rng.choice(letters, n)),
            "s": pd.Series(rng.choice(["S", "M", "L"], n), dtype=sizes),
            "d": pd.Timestamp("2024-02-28") + pd.to_timedelta(rng.integers(0, 4, n), unit="D"),
            "b": rng.random(n) < 0.5,
        }
    )
    chosen = rng.choice(frame.columns, int(rng.integers(1, 4)), replace=False)
    frame = frame[list(chosen)]
    for name in chosen:
        if name != "b" and rng.random() < 0.6:
            frame.loc[rng.random(n) < 0.3, name] = None
    how = {**budgets(rng, 3), "categories": str(rng.choice(["equality", "subset"]))}
    return Posed(frame, rng.integers(0, 3, n), how, weights(rng, n))


def regression(rng: np.random.Generator) -> Posed:
    posed = table(rng)
    n = len(posed.y)
    y = {
        "few": rng.integers(0, 4, n) / 4,
        "real": rng.normal(size=n) * 1e3,
        "far": 1e6 + rng.random(n),
    }
    how = {**posed.how, "task": "regression"}
    if rng.random() < 0.5:
        X = rng.integers(0, 9, (n, 2)).astype(float)
        return Posed(X, y[str(rng.choice(list(y)))], how, posed.weights)
    return Posed(posed.X, y[str(rng.choice(list(y)))], how, posed.weights)


def partitions(rng: np.random.Generator) -> Posed:
    n = int(rng.integers(2, 11))
    X = rng.integers(0, 6, (n, 2)) / 10
    families = ["hyperplane", "sphere", Hyperplane(columns=1), Corners(), ["axis", "hyperplane"]]
    splits = families[int(rng.integers(len(families)))]
    y = rng.integers(0, 3, n)
    how = {**budgets(rng, 2), "splits": splits}
    if rng.random() < 0.2:
        how["objective"] = CostMatrix([[0, 1, 2], [5, 0, 1], [1, 1, 0]])
        y[:3] = [0, 1, 2][:n]
        if n < 3:
            del how["objective"]
    return Posed(X, y, how, weights(rng, n))


KINDS: dict[str, Callable[[np.random.Generator], Posed]] = {
    "table": table,
    "regression": regression,
    "partitions": partitions,
}


def judge(kind: str, seed: int, path: Path) -> None:
    posed = KINDS[kind](np.random.default_rng(seed))
    result = posed.solve(path)
    statement = posed.check(path)
    assert result.status == "optimal" and statement.optimal
    value = float(statement.results[0].value)
    assert value == pytest.approx(float(result.objective), rel=1e-9, abs=1e-12)
    assert str(statement) and statement.trees()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_random_problems(kind: str, seed: int, tmp_path: Path) -> None:
    judge(kind, seed, tmp_path / "p.xz")


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_many_random_problems(kind: str, tmp_path: Path) -> None:
    first = int(np.random.SeedSequence().generate_state(1)[0])
    for seed in range(first, first + 2000):
        judge(kind, seed, tmp_path / "p.xz")


def larger(kind: str) -> Posed:
    """A problem with something to prove."""
    rng = np.random.default_rng(5)
    n = 16 if kind == "partitions" else 60
    X: Any = rng.integers(0, 9, (n, 2)) * 1.0
    y = (X[:, 0] > 4) ^ (X[:, 1] > 4) ^ (rng.random(n) < 0.2)
    if kind == "partitions":
        return Posed(X, y, {"splits": "hyperplane", "max_depth": 2})
    if kind == "regression":
        return Posed(X, y * 2.0 + rng.random(n), {"task": "regression", "max_depth": 3})
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["c"] = pd.Categorical(rng.choice(list("abc"), n))
    frame.loc[rng.random(n) < 0.1, "a"] = None
    return Posed(frame, y, {"max_depth": 3})


@pytest.mark.parametrize("kind", KINDS)
def test_stopped_searches_have_their_gap_certified(kind: str, tmp_path: Path) -> None:
    posed, path = larger(kind), tmp_path / "p.xz"
    best = posed.solve()
    bound = float(best.objective) / 2
    stopped = exactree.Result("time_limit", best.space, best.objective, bound, bound, best.tree)
    certify(stopped, posed.X, posed.y, path, **posed.how)
    statement = posed.check(path)
    assert not statement.optimal
    assert float(statement.results[0].bound) == pytest.approx(bound, rel=1e-8, abs=1)
    assert "a gap of" in str(statement)


@pytest.mark.parametrize("kind", KINDS)
def test_size_paths_have_one_certificate(kind: str, tmp_path: Path) -> None:
    posed, path = larger(kind), tmp_path / "p.xz"
    sizes = exactree.size_path(posed.X, posed.y, max_splits=3, **posed.how)
    certify(sizes, posed.X, posed.y, path, max_splits=3, **posed.how)
    statement = posed.check(path)
    assert statement.optimal and len(statement.results) == 4
    values = [float(found.value) for found in statement.results]
    assert values == pytest.approx([float(value) for value in sizes.objectives])


# --- Forgeries --------------------------------------------------------------------------------


def changed(value: Any) -> list[Any]:
    """Other values of the same kind."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, -1, None]
    if isinstance(value, str):
        return [value + "1", "", 7]
    if isinstance(value, list) and value:
        return [value[:-1], value[::-1], None]
    return [1, "1", [], {}]


# What is not part of the statement, or may change without making it false.
HARMLESS = {
    "feature_names",
    "target",
    "work",
    "classes",
    "kinds",
    "min_weight_leaf",
    "costs",
    "min_samples_leaf",
    "rounded",
}


def forged(header: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Headers that say something else, one field at a time."""
    out = {}
    for name, value in header.items():
        for i, other in enumerate(changed(value)):
            if other != value:
                out[f"{name} {i}"] = {**header, name: other}
        out[f"no {name}"] = {k: v for k, v in header.items() if k != name}
    [result] = header["results"]
    for key, change in (
        ("bound", lambda v: f"1{v}"),
        ("value", lambda v: "0"),
        ("tree", lambda v: {"leaf": 0}),
        ("tree", lambda v: v["left"]),
        ("tree", lambda v: {**v, "left": v["right"], "right": v["left"]}),
        ("tree", lambda v: None),
        ("max_splits", lambda v: 1),
    ):
        other = copy.deepcopy(result)
        other[key] = change(other[key])
        out[f"result {len(out)} {key}"] = {**header, "results": [other]}
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_no_forged_header_says_more(kind: str, tmp_path: Path) -> None:
    """It is rejected, or what it says is true: the bound is not above the optimum."""
    posed, path = larger(kind), tmp_path / "p.xz"
    best = float(posed.solve(path).objective)
    header, plan = unpacked(path)
    accepted = set()
    for name, forgery in forged(header).items():
        path.write_bytes(packed(forgery, plan))
        try:
            statement = posed.check(path)
        except Rejected:
            continue
        accepted.add(name.split()[0 if name.split()[0] != "no" else 1])
        assert all(float(found.bound) <= best * (1 + 1e-9) for found in statement.results), name
    assert accepted <= HARMLESS, accepted


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_plans(kind: str, tmp_path: Path) -> None:
    """Bits, lengths: rejected, or still a proof of what is said."""
    posed, path = larger(kind), tmp_path / "p.xz"
    posed.solve(path)
    header, plan = unpacked(path)
    rng = np.random.default_rng(1)
    lower = {
        **header,
        "results": [{**header["results"][0], "bound": header["results"][0]["value"]}],
    }
    rejected = 0
    for i in range(24):
        raw = bytearray(plan)
        raw[rng.integers(len(raw))] ^= 1 << int(rng.integers(8))
        body = [bytes(raw), plan[: rng.integers(len(plan))], plan + b"\0"][i % 3]
        path.write_bytes(packed(lower if kind != "regression" else header, body))
        try:
            posed.check(path)
        except Rejected:
            rejected += 1
    assert rejected >= 12


def test_other_problems_are_refused(tmp_path: Path) -> None:
    posed = larger("partitions")
    with pytest.raises(ValueError, match="has no certificates"):
        Posed(posed.X, posed.y * 1.0, {**posed.how, "task": "regression"}).solve(tmp_path / "p.xz")
    both = np.stack([posed.y, posed.y], 1) * 1.0
    with pytest.raises(ValueError, match="several outputs have no certificates"):
        Posed(posed.X, both, {"task": "regression", "max_depth": 1}).solve(tmp_path / "p.xz")
    how = {"task": "regression", "objective": "absolute_error", "max_depth": 1}
    with pytest.raises(ValueError, match="has no certificates"):
        Posed(posed.X, posed.y * 1.0, how).solve(tmp_path / "p.xz")


def test_statements_in_words(tmp_path: Path) -> None:
    path = tmp_path / "p.xz"
    said = []
    for kind in KINDS:
        larger(kind).solve(path)
        said.append(str(read_statement(path)))
    assert said[0].startswith("no axis-parallel tree of depth <= 3 makes fewer than")
    assert "regression tree" in said[1] and "optimal to within a billionth" in said[1]
    assert said[2].startswith("no hyperplane tree of depth <= 2 makes fewer than")


def test_what_no_checker_would_read_is_refused_before_the_search(tmp_path: Path) -> None:
    X, y = np.arange(300.0)[:, None], np.arange(300)
    shown: list[object] = []
    with pytest.raises(ValueError, match="300 classes have no certificates: 256 at most do"):
        exactree.solve(X, y, max_depth=2, certificate=tmp_path / "a.xz", on_progress=shown.append)
    assert not shown
    with pytest.raises(ValueError, match="penalty=1e-300 has no certificates"):
        exactree.solve(
            [[1.0], [2.0], [3.0]],
            [1.0, 2.0, 3.0],
            task="regression",
            max_depth=2,
            penalty=1e-300,
            certificate=tmp_path / "a.xz",
        )


def test_a_depth_beyond_any_tree_is_certified_as_the_deepest(tmp_path: Path) -> None:
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "a"]
    found = exactree.solve(X, y, max_depth=10**6, certificate=tmp_path / "a.xz")
    assert found.status == "optimal"
    assert "depth <= 200" in str(check(tmp_path / "a.xz", X, y))
