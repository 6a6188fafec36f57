"""Random combinations of tables and parameters that no issue names, stopped after a moment."""

import json
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.large import MEGABYTE, resident
from benchmarks.report import table
from benchmarks.suites import Finding, Setting

CASES = 60
LATE = 0.15  # seconds of processor time beyond the limit and reading that are worth a line
# Rows, columns, and what the columns are.
TABLES = [
    (100_000, 10, "numbers"),
    (100_000, 10, "few values"),
    (100_000, 10, "holes"),
    (200_000, 10, "two values"),
    (20_000, 100, "holes"),
    (5_000, 30, "holes"),
    (3_000, 1_000, "two values"),
    (1_000, 2_000, "numbers"),
    (300, 8_000, "numbers"),
]
TREES: list[dict[str, Any]] = [
    {"max_depth": 2},
    {"max_depth": 3},
    {"max_depth": 5},
    {"max_depth": 8},
    {"max_splits": 4},
    {"max_splits": 12},
    {"penalty": 0.01},
    {"max_depth": 4, "min_samples_leaf": 20},
    {"max_depth": 3, "max_splits": 4, "penalty": 0.001},
]
TARGETS = ["two classes", "five classes", "300 classes", "a rare class", "numbers"]
WEIGHTS = ["none", "none", "whole", "real"]
SPLITS: list[Any] = ["axis", "axis", "axis", "hyperplane", ["axis", "hyperplane"]]


def hostile(setting: Setting) -> Finding:
    """Run random cases, each in a process of its own; the data sets of the setting are not used."""
    rows = []
    for case in drawn(np.random.default_rng(), CASES):
        found = run(case)
        setting.say(f"{case}: {found}")
        rows.append([json.dumps(case), *(str(found.get(key, "")) for key in HEAD[1:])])
    return Finding([], table(HEAD, rows))


HEAD = ["case", "status", "objective", "bound", "late, s", "grown, MB", "remarks"]


def drawn(rng: np.random.Generator, many: int) -> list[dict[str, Any]]:
    """Draw cases that make sense: surfaces need numbers."""

    def one_of(choices: Any) -> Any:
        return choices[int(rng.integers(len(choices)))]

    cases = []
    for _ in range(many):
        shape, splits = one_of(TABLES), one_of(SPLITS)
        case = {"table": shape, "target": one_of(TARGETS), "weights": one_of(WEIGHTS)}
        options = {**one_of(TREES), "time_limit": one_of([0.3, 1.0])}
        if shape[2] != "holes":
            options["splits"] = splits
        cases.append({**case, "options": options, "seed": int(rng.integers(1000))})
    return cases


def run(case: dict[str, Any]) -> dict[str, Any]:
    """Solve a case elsewhere; what it took, and what is strange about that."""
    words = [sys.executable, "-m", "benchmarks.hostile", json.dumps(case)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return {"remarks": "no end"}
    if done.returncode:
        return {"remarks": f"exit {done.returncode}: {done.stderr[-200:]}"}
    found: dict[str, Any] = json.loads(done.stdout)
    allowed = 80 * case["table"][0] * case["table"][1] / MEGABYTE + 100
    remarks = [
        *(["late"] if found["late, s"] > LATE else []),
        *(["memory"] if found["grown, MB"] > allowed else []),
        *(["nothing proved"] if found["bound"] == 0 < found["objective"] else []),
    ]
    return {**found, "remarks": ", ".join(remarks)}


def measured(case: dict[str, Any]) -> dict[str, Any]:
    """Solve it here; reading is what the same takes with a single leaf to be found."""
    import exactree

    X, y, weights = made(case)
    options: dict[str, Any] = {"sample_weight": weights, **case["options"]}
    options["task"] = "regression" if case["target"] == "numbers" else "classification"
    exactree.solve(X[:60, :2], y[:60], max_depth=1, task=options["task"])
    before, start = resident(), process_time()
    found = exactree.solve(X, y, **options)
    took, grown = process_time() - start, resident() - before
    start = perf_counter()
    leaf = {key: options[key] for key in ("sample_weight", "task")}
    exactree.solve(X, y, **leaf, max_depth=0)
    reading = perf_counter() - start
    return {
        "status": found.status,
        "objective": float(found.objective),
        "bound": float(found.lower_bound),
        "late, s": round(took - reading - case["options"]["time_limit"], 2),
        "grown, MB": round(grown),
    }


def made(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Three columns say something of the target, the others nothing."""
    rng = np.random.default_rng(case["seed"])
    rows, columns, kind = case["table"]
    X = rng.normal(size=(rows, columns))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=rows)
    if kind == "two values":
        X = (X > 0).astype(float)
    if kind == "few values":
        X = np.round(3 * X)
    if kind == "holes":
        X[rng.random(X.shape) < 0.1] = np.nan
    targets: dict[str, Callable[[], Any]] = {
        "two classes": lambda: (signal > 0).astype(int),
        "five classes": lambda: np.digitize(signal, [-1.5, -0.5, 0.5, 1.5]),
        "300 classes": lambda: rng.integers(0, 300, rows),
        "a rare class": lambda: (rng.random(rows) < 0.01).astype(int),
        "numbers": lambda: signal,
    }
    weights: dict[str, Callable[[], Any]] = {
        "none": lambda: None,
        "whole": lambda: rng.integers(1, 1000, rows),
        "real": lambda: 0.1 + rng.random(rows),
    }
    return X, targets[case["target"]](), weights[case["weights"]]()


if __name__ == "__main__":
    print(json.dumps(measured(json.loads(sys.argv[1]))))
