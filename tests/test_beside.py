"""The best tree is made better beside the proof: its ends solved, its splits moved, other roots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from medium import PRUNINGS, Generator, Medium, draw_columns, draw_rows

from exactree import Progress, _native, solve

EVERYWHERE = 1 << PRUNINGS
INCUMBENT = 1 << list(_native.prunings()).index("incumbent")


def five_levels(rng: Generator) -> Medium:
    distinct = rng.choice([4, 6, 9], size=4)
    return draw_rows(rng, draw_columns(rng, int(rng.integers(80, 161)), distinct), 5)


def blocks(rows: int, seed: int) -> tuple[Any, Any]:
    """Classes by a chessboard of two columns, and noise: a greedy tree starts badly."""
    rng = np.random.default_rng(seed)
    X = rng.random((rows, 6)).round(2)
    y = (np.floor(3 * X[:, 0]) + np.floor(3 * X[:, 1])).astype(int) % 2
    return X, np.where(rng.random(rows) < 0.1, 1 - y, y)


def test_trees_become_better_and_are_what_they_cost() -> None:
    """Stopped while trees are made better, or not: the tree has the cost that is told."""
    rng, better = np.random.default_rng(5), 0
    for _ in range(20):
        problem = five_levels(rng)
        limit = float(rng.choice([0.003, 0.01, 0.03]))
        part = problem.searched(switches=EVERYWHERE, time_limit=limit)
        assert problem.measured(part.tree)[0] == part.objective
        better += len({cost for _, cost, _ in part.history}) - 1
    assert better > 20


def test_threads_and_improving_decide_nothing() -> None:
    """A tree that is met by chance, at any time, does not become the result."""
    rng = np.random.default_rng(6)
    for _ in range(10):
        problem = five_levels(rng)
        small = replace(problem, depth=3)
        trees = [
            small.searched(switches=switches, threads=threads)
            for switches in (EVERYWHERE, 0, EVERYWHERE | INCUMBENT)
            for threads in (1, 3)
        ]
        assert all(found.status == "optimal" for found in trees)
        assert all(found.tree == trees[0].tree for found in trees[:4]), str(problem)
        assert {found.objective for found in trees} == {trees[0].objective}


def by_a_tree(rng: Generator, X: Any, levels: int) -> Any:
    """Label rows by a random tree."""
    if not levels or len(X) < 2:
        return np.full(len(X), rng.integers(0, 2))
    column = rng.integers(X.shape[1])
    left = X[:, column] <= np.quantile(X[:, column], rng.uniform(0.25, 0.75))
    y = np.empty(len(X), int)
    y[left], y[~left] = by_a_tree(rng, X[left], levels - 1), by_a_tree(rng, X[~left], levels - 1)
    return y


@pytest.mark.parametrize("seed", range(6))
def test_a_perfect_tree_before_the_proof_is_the_same_for_all_threads(seed: int) -> None:
    """Steps before the search end it, and always come in the same order."""
    rng = np.random.default_rng(seed)
    X = rng.random((400, 5)).round(2)
    y = by_a_tree(rng, X, 5)
    one, other = (solve(X, y, max_depth=5, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert one.status == "optimal" and one.objective == 0
    assert one.tree == other.tree


def test_without_a_limit_of_time_the_tree_becomes_better_before_the_first_round_ends() -> None:
    X, y = blocks(1500, 1)
    costs: list[float] = []

    def watch(progress: Progress) -> bool:
        if not costs or progress.objective < costs[-1]:
            costs.append(progress.objective)
        return progress.seconds > 2.0 or len(costs) > 3

    found = solve(X, y, max_depth=5, on_progress=watch)
    assert found.status in ("stopped", "optimal")
    assert found.objective <= costs[0]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_log_has_open_pieces_and_nodes(task: str) -> None:
    X, y = blocks(600, 2)
    told: list[Progress] = []

    def watch(progress: Progress) -> bool:
        told.append(progress)
        return progress.open_pieces is not None or progress.seconds > 5.0

    targets = y + 0.5 * X[:, 2] if task == "regression" else y
    solve(X, targets, max_depth=4, on_progress=watch, task=task)
    assert told[-1].open_pieces and told[-1].nodes


def test_more_classes_than_leaves_are_a_bound_at_once() -> None:
    """What the classes without a leaf weigh is proved before the search begins."""
    rng = np.random.default_rng(7)
    X, y = rng.random((300, 4)), rng.integers(0, 9, 300)
    weights = rng.integers(1, 4, 300)
    by_class = np.sort(np.bincount(y, weights=weights))
    stopped = solve(X, y, max_depth=3, sample_weight=weights, time_limit=0.0)
    assert stopped.lower_bound >= by_class[:-8].sum() > 0
    for depth, splits in ((1, None), (2, None), (2, 2)):
        found = solve(X, y, max_depth=depth, max_splits=splits, sample_weight=weights)
        leaves = 2**depth if splits is None else splits + 1
        assert found.status == "optimal" and found.objective >= by_class[:-leaves].sum()
        plain = solve(
            X, y, max_depth=depth, max_splits=splits, sample_weight=weights, engine="generic"
        )
        assert found.objective == plain.objective


@pytest.mark.parametrize("seed", range(15))
def test_numbers_to_the_unit(seed: int) -> None:
    """Two last leaves may cost a unit more together: no tree from beside is below the optimum."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(20, 50))
    values = rng.integers(0, rng.integers(3, 12), size=(3, rows))
    ranks = np.array([np.unique(v, return_inverse=True)[1] for v in values], np.int32)
    sums = rng.integers(-(2**20), 2**20, rows).astype(np.float64)
    terms: dict[str, Any] = {"max_depth": 3 + seed % 2, "penalty": int(rng.choice([0, 2**30]))}
    terms["shift"] = max(int(np.frexp(float(sums @ sums))[1]) - 56, rows.bit_length() + 1)
    found = [
        _native.search_squares(ranks=ranks, sums=sums, switches=switches, threads=threads, **terms)
        for switches in (EVERYWHERE, 0, EVERYWHERE | INCUMBENT)
        for threads in (1, 2)
    ]
    assert all(r.status == "optimal" and r.objective == r.lower_bound for r in found)
    assert len({r.objective for r in found}) == 1
    assert all(r.tree == found[0].tree for r in found)
