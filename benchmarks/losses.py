"""Losses of regression beside the squared error, and an objective of one's own in NumPy.

Everything runs in this process, in turns, by processor time: what counts is the ratio.
"""

from dataclasses import dataclass
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np

from benchmarks.data import load
from benchmarks.regression import instances_of
from benchmarks.report import table
from benchmarks.suites import Finding, Setting

DEPTH, TURNS = 3, 3
# How many times the squared error's time each may take.
BARS = {
    "squared_error": 1,
    "poisson": 20,
    "gamma": 20,
    "tweedie": 20,
    "absolute_error": 100,
    "quantile 0.9": 100,
}


def losses(setting: Setting) -> Finding:
    """Every loss at depth three, as a multiple of the squared error; targets are made positive."""
    rows = []
    for instance in instances_of(setting):
        X, y = load(instance, "regression")
        positive = y - min(float(y.min()), 0.0) + (1e-4 if y.min() <= 0 else 0.0)
        best: dict[str, float] = {}
        for _ in range(TURNS):
            for name in BARS:
                seconds = _timed(X, positive, _objective(name), DEPTH)
                best[name] = min(best.get(name, seconds), seconds)
        for name, bar in BARS.items():
            ratio = best[name] / best["squared_error"]
            rows.append([instance.name, name, f"{best[name]:.3f}", f"{ratio:.1f}", str(bar)])
    text = table(["instance", "loss", "seconds", "times squared error", "bar"], rows)
    return Finding([], f"{text}\n\n{_own()}")


def _objective(name: str) -> Any:
    objectives = import_module("exactree.objectives")
    return objectives.Quantile(0.9) if name.startswith("quantile") else name


def _timed(X: Any, y: Any, objective: Any, depth: int, task: str = "regression") -> float:
    solve = import_module("exactree").solve
    start = process_time()
    found = solve(X, y, task=task, objective=objective, max_depth=depth)
    assert found.status == "optimal"
    return process_time() - start


def _own() -> str:
    """Squared error as a user would write it, two levels, 1000 rows of 8 columns."""
    base = import_module("exactree.objectives").Objective

    @dataclass(frozen=True)
    class Own(base):  # type: ignore[misc, valid-type]
        name = "own"
        task = "regression"
        monotone = True
        superadditive = True

        def leaf_cost(self, statistics: Any) -> Any:
            w, s, q = statistics[..., 0], statistics[..., 1], statistics[..., 2]
            return np.maximum(q - s * s / w, 0.0)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 8))
    y = X[:, 0] * (X[:, 1] > 0) + np.abs(X[:, 2]) + rng.normal(size=1000)
    seconds = min(_timed(X, y, Own(), 2) for _ in range(TURNS))
    return f"An objective of one's own, depth 2, 1000 x 8: {seconds:.3f} s."
