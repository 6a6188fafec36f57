"""Classes that no leaf is left for bound what a side costs: compared with the plain oracle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from medium import draw_columns, draw_rows

from exactree import _native, solve

MAJORITY = 1 << list(_native.prunings()).index("majority")


def test_more_classes_than_leaves_never_prove_too_much() -> None:
    """With one cost per number of splits or one for all, weights, penalties, limits on leaves."""
    rng, acted, fewer, compared = np.random.default_rng(8), 0, 0, 0
    while compared < 300:
        ranks = draw_columns(rng, int(rng.integers(20, 90)), rng.choice([3, 5, 8], size=3))
        problem = draw_rows(rng, ranks, int(rng.integers(1, 4)))
        if problem.classes < 3 or problem.costs is not None:
            continue
        compared += 1
        penalty = int(rng.integers(0, 4)) * problem.unit
        splits = int(rng.integers(-1, 2**problem.depth))
        terms = {"max_splits": splits, "penalty": penalty}
        with_it, without = (
            problem.searched(switches=switches, **terms) for switches in (0, MAJORITY)
        )
        expected = problem.optimum(splits, penalty)
        assert with_it.objective == with_it.lower_bound == expected, str(problem)
        assert without.objective == expected and with_it.tree == without.tree, str(problem)
        assert without.counters["majority"] == 0
        acted += with_it.counters["majority"] > 0
        fewer += with_it.counters["scans"] < without.counters["scans"]
        sizes = problem.searched(sizes=True, max_splits=2**problem.depth - 1)
        every = [problem.optimum(k, 0) for k in range(2**problem.depth)]
        assert sizes.size_objectives == sizes.size_lower_bounds == every, str(problem)
    assert acted > 100 and fewer > 20


def test_costs_of_wrong_answers_are_left_alone() -> None:
    rng, compared = np.random.default_rng(9), 0
    while compared < 20:
        ranks = draw_columns(rng, 50, rng.choice([3, 5, 8], size=3))
        problem = draw_rows(rng, ranks, 2)
        if problem.classes < 3 or problem.classes > 9:
            continue
        compared += 1
        weights = np.ones(50, dtype=np.int64) if problem.weights is None else problem.weights
        costs = rng.integers(0, 6, (problem.classes, problem.classes))
        priced = replace(problem, costs=costs, weights=weights, unit=1)
        found = priced.searched()
        assert found.objective == found.lower_bound == priced.optimum(-1, 0)
        assert found.counters["majority"] == 0


def test_a_price_for_the_leaf_of_every_class_is_proved_at_once() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 5)
    found = solve(rng.normal(size=(300, 2)), y, penalty=0.01, time_limit=0.0)
    # A leaf for a class saves 5 errors and costs 3; without a split 295 are wrong.
    assert found.status == "time_limit"
    assert found.lower_bound == pytest.approx(59 * 3)
