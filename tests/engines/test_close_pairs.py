"""What close rows of different classes prove: never more than the optimum."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from exactree import solve
from exactree.engines.brute_force import brute_force
from exactree.engines.close_pairs import bound_by, bounds_at_once, close_pairs
from exactree.problem import Limits, Problem
from exactree.tree import Leaf


def random_problem(rng: np.random.Generator) -> Problem:
    rows, classes = int(rng.integers(3, 13)), int(rng.choice([2, 2, 3]))
    X = rng.integers(0, rng.integers(2, 8), size=(rows, int(rng.integers(1, 4))))
    y = rng.integers(0, classes, rows)
    order = np.lexsort((y, *X.T[::-1]))
    columns = np.stack([np.unique(c, return_inverse=True)[1] for c in X[order].T]).astype(np.int32)
    labels = np.unique(y[order], return_inverse=True)[1].astype(np.int32)
    top = int(rng.choice([0, 0, 5, 10**15]))
    return Problem(
        columns,
        labels,
        int(labels.max()) + 1,
        weights=rng.integers(1, top + 1, rows) if top else None,
        unit=1 if top else int(rng.integers(1, 4)),
        penalty=int(rng.integers(0, max(top, 2))) if rng.random() < 0.5 else 0,
        max_depth=rows,
    )


def check(seed: int, count: int) -> int:
    """Compare bounds with brute force. How often one was above 0."""
    rng = np.random.default_rng(seed)
    some = 0
    for _ in range(count):
        problem = random_problem(rng)
        if not problem.penalty or rng.random() < 0.5:
            problem = replace(problem, max_splits=int(rng.integers(0, 4)))
        least = brute_force(problem, Limits()).objective
        found = list(bounds_at_once(problem, Leaf(0), lambda: 60.0))
        assert all(0 <= bound <= least for bound in found), problem
        some += any(bound > 0 for bound in found[1:])
    return some


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold(seed: int) -> None:
    assert check(seed, 80) > 20


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 120))
def test_bounds_hold_at_length(seed: int) -> None:
    check(seed, 300)


def test_alternating_classes_on_a_line() -> None:
    # Each threshold parts one of ten pairs, or none: three splits leave seven.
    ranks, labels = np.arange(20, dtype=np.int32)[None], (np.arange(20) % 2).astype(np.int32)
    problem = Problem(ranks, labels, 2, max_depth=3, max_splits=3)
    pairs = close_pairs(problem, np.arange(20))
    assert bound_by(problem, np.arange(20).reshape(-1, 2), lambda: 9.0) == 7
    assert len(np.unique(pairs)) == 2 * len(pairs)
    # With a price of half an error for a split, each of ten pairs costs half an error.
    priced = replace(problem, max_splits=None, unit=2, penalty=1)
    assert bound_by(priced, np.arange(20).reshape(-1, 2), lambda: 9.0) == 10


def test_a_search_that_nothing_stops_needs_no_pairs() -> None:
    ranks, labels = np.arange(20, dtype=np.int32)[None], (np.arange(20) % 2).astype(np.int32)
    problem = Problem(ranks, labels, 2, max_depth=3, max_splits=3)
    assert list(bounds_at_once(problem, Leaf(0), lambda: inf)) == [0]
    assert list(bounds_at_once(problem, Leaf(0), lambda: 0.0)) == [0]
    assert bound_by(problem, np.arange(20).reshape(-1, 2), lambda: 0.0) == 0


@pytest.mark.parametrize("budget", [{"max_splits": 4}, {"penalty": 0.02}])
def test_rows_of_real_data(budget: dict[str, Any]) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, least = X[:, [7, 22]], solve(X[:, [7, 22]], y, **budget)
    stopped = solve(X, y, time_limit=0.05, **budget)
    assert stopped.lower_bound <= least.objective <= stopped.objective


def test_classes_without_a_leaf_are_errors() -> None:
    X, y = load_wine(return_X_y=True)
    labels = np.arange(len(y)) % 9
    found = solve(X, labels, max_splits=4, time_limit=0.01)
    assert found.lower_bound >= sum(sorted(np.bincount(labels))[:4])
