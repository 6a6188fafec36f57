"""Small problems of hyperplanes: how often the local search alone finds the proved optimum."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import table
from benchmarks.suites import Finding, Setting

PROBLEMS, SECONDS = 1000, 0.2


def small_problem(rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any], dict[str, Any]]:
    """Points in general position, on a grid, or repeated; budgets of every kind."""
    n, columns = int(rng.integers(5, 36)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, columns))
    kind = rng.integers(3)
    if kind == 0:
        X = rng.integers(0, 4, (n, columns)).astype(float)
    if kind == 1:
        X = np.round(X, 1)[rng.integers(0, n, n)]
    y = rng.integers(0, int(rng.integers(2, 5)), n)
    how: dict[str, Any] = {"max_depth": int(rng.integers(1, 3)), "splits": "hyperplane"}
    if rng.random() < 0.3:
        how["sample_weight"] = rng.integers(1, 9, n)
    if rng.random() < 0.2:
        how["penalty"] = 0.03
    if rng.random() < 0.2:
        how["max_splits"] = 2
    if rng.random() < 0.2:
        how["min_samples_leaf"] = int(rng.integers(2, 4))
    return X, y, how


def small(setting: Setting) -> Finding:
    """Refused if a tree is better than the optimum, or a bound above it."""
    from exactree import solve

    equal, unproved, wrong, worst = 0, 0, [], 0.0
    for seed in range(PROBLEMS):
        X, y, how = small_problem(np.random.default_rng(seed))
        best = solve(X, y, time_limit=setting.limits.seconds, **how)
        found = solve(X, y, engine="local", time_limit=SECONDS, **how)
        unproved += best.status != "optimal"
        if found.objective < best.lower_bound or found.lower_bound > best.objective:
            wrong.append(seed)
        equal += found.objective <= best.objective
        worst = max(worst, float(found.objective - best.objective))
        if seed % 100 == 99:
            setting.say(f"{seed + 1} problems, {equal} equal to the optimum, {len(wrong)} wrong")
    head = ["problems", "equal to the optimum", "below it", "not proved", "largest difference"]
    row = [str(PROBLEMS), str(equal), str(len(wrong)), str(unproved), f"{worst:g}"]
    return Finding([], table(head, [row]), bool(wrong))
