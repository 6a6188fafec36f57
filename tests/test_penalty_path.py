"""The optimum for every penalty, against one solve for each of many penalties."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from exactree import penalty_path, solve
from exactree.problem import Result
from exactree.sizes.prices import lower_hull
from exactree.tree import Leaf, Node, Tree, size


def draw(seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(24, 2)).astype(float)
    y = (X[:, 0] > 1) ^ (X[:, 1] > 2) ^ (rng.random(24) < 0.2)
    weights = rng.integers(1, 4, 24) if seed % 2 else None
    return X, y.astype(int), weights


@pytest.mark.parametrize("seed", range(6))
def test_every_penalty_has_the_tree_that_solve_finds(seed: int) -> None:
    X, y, weights = draw(seed)
    path = penalty_path(X, y, max_splits=5, sample_weight=weights)
    total = float(len(y) if weights is None else weights.sum())
    inside = [p for s in path for p in (s.low, (s.low + min(s.high, 1.0)) / 2)]
    checked = 0
    for penalty in {p for p in [*inside, *np.linspace(0.005, 0.3, 8)] if p > 0}:
        result = path.at(float(penalty))
        if result is None:
            assert penalty < path.unknown_below
            continue
        cost = result.objective + penalty * total * size(result.tree)
        best = solve(X, y, penalty=float(penalty), sample_weight=weights)
        assert best.status == "optimal"
        assert cost == pytest.approx(best.objective, rel=1e-9)
        checked += 1
    assert checked > 5


def test_regression_has_a_path_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(20, 2)).astype(float)
    y = X[:, 0] * 2 + (X[:, 1] > 2) + rng.normal(size=20) / 4
    path = penalty_path(X, y, max_splits=4, task="regression")
    step = path[1]
    penalty = (step.low + step.high) / 2
    best = solve(X, y, task="regression", penalty=penalty)
    assert size(best.tree) == step.splits
    assert best.objective == pytest.approx(step.result.objective + penalty * 20 * step.splits)


def test_the_steps_follow_each_other() -> None:
    X, y, _ = draw(0)
    path = penalty_path(X, y, max_splits=5)
    assert path[0].high == inf and path[0].splits == 0
    assert [s.low for s in path[:-1]] == [s.high for s in path[1:]]
    assert path.penalties[-1] == path.unknown_below
    assert path.at(path.unknown_below / 2) is None or path.unknown_below == 0
    assert path.objectives == sorted(path.objectives, reverse=True)
    assert str(path).endswith(f"unknown below {path.unknown_below:.6g}")


def _results(*losses: int) -> list[Result]:
    tree: Tree = Leaf(0)
    found = []
    for loss in losses:
        found.append(Result("optimal", "", loss, loss, 0, tree))
        tree = Node(None, tree, Leaf(0))  # type: ignore[arg-type]
    return found


def test_points_above_the_hull_are_passed_over() -> None:
    path = lower_hull(_results(10, 9, 2, 2), Fraction(0), Fraction(100))
    assert [step.splits for step in path] == [0, 2]
    assert path.penalties == [0.04, 0.01] and path.unknown_below == 0.01


def test_where_few_sizes_are_proved_low_penalties_are_unknown() -> None:
    path = lower_hull(_results(10), Fraction(4), Fraction(100))
    assert [(step.low, step.splits) for step in path] == [(0.06, 0)]
    assert path.at(0.05) is None
    assert path.at(0.07) is not None
