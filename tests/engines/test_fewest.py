"""Among optimal trees, the one with the fewest splits."""

from typing import Any

import numpy as np
import pytest
from column_pairs import Pairs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

from exactree import solve
from exactree.objectives import CostMatrix
from exactree.tree import depth, size


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, columns = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    classes = draw(st.integers(2, 4))
    X = rng.integers(0, draw(st.sampled_from([2, 4, 9])), size=(n, columns)).astype(float)
    y = rng.integers(0, classes, size=n)
    if draw(st.booleans()):  # a tree without errors
        y = (X[:, 0] > X[0, 0]).astype(int)
    weights = draw(st.sampled_from([None, rng.integers(1, 4, size=n)]))
    return {
        "X": X,
        "y": y,
        "max_depth": draw(st.integers(1, 3)),
        "penalty": draw(st.sampled_from([0.0, 0.0, 0.125])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2])),
        "sample_weight": weights,
    }


@settings(max_examples=300, deadline=None)
@given(problems())
def test_no_tree_of_the_same_cost_has_fewer_splits(problem: dict[str, Any]) -> None:
    found = solve(**problem)
    assert found.status == "optimal" and found.stats.get("fewest_splits", 1) == 1
    splits = size(found.tree)
    best = solve(**problem, engine="brute_force")
    assert found.objective == best.objective
    if splits:
        fewer = solve(**problem, max_splits=splits - 1, engine="brute_force")
        assert fewer.objective > found.objective


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(1, 2))
def test_threads_and_budgets_of_splits(problem: dict[str, Any], threads: int) -> None:
    found = solve(**problem, max_splits=4, n_jobs=threads)
    splits = size(found.tree)
    if splits:
        fewer = solve(**problem, max_splits=splits - 1, engine="brute_force")
        assert fewer.objective > found.objective


def asked_for(kind: str, rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Give an objective of one kind, with few different targets, so that many trees are equal."""
    depth = {"max_depth": int(rng.integers(1, 4))}
    if kind == "costs per row":
        return {"costs": rng.integers(0, 3, (n, 3)).astype(float), **depth}
    if kind == "partitions":
        return {"y": rng.integers(0, 3, n), "splits": ["axis", Pairs()], "max_depth": 2}
    if kind == "several targets":
        return {"y": rng.integers(0, 2, (n, 2)).astype(float), "task": "regression", **depth}
    if kind == "thirds":
        return {"y": rng.integers(0, 3, n) / 3, "task": "regression", **depth}
    y = rng.integers(0, 3, n).astype(float)
    return {"y": y, "task": "regression", "objective": kind, **depth}


@pytest.mark.parametrize(
    "kind",
    [
        "squared_error",
        "thirds",
        "absolute_error",
        "poisson",
        "several targets",
        "costs per row",
        "partitions",
    ],
)
def test_every_kind_of_target(kind: str) -> None:
    """Brute force with one split less finds no tree as good."""
    some = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 10))
        X = rng.integers(0, 4, (n, int(rng.integers(1, 3)))).astype(float)
        problem = {"X": X, **asked_for(kind, rng, n)}
        if seed % 3 == 0:
            problem["sample_weight"] = rng.integers(1, 4, n)
        found = solve(**problem)
        splits = size(found.tree)
        assert found.status == "optimal"
        assert found.stats.get("fewest_splits", 1) == 1 or found.objective == 0
        if splits:
            fewer = solve(**problem, max_splits=splits - 1, engine="brute_force")
            assert fewer.objective > found.objective * (1 + 1e-9)
            some += 1
    assert some > 20


@pytest.mark.parametrize("budget", ["splits", "penalty"])
def test_without_a_depth(budget: str) -> None:
    deep = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(12, 30))
        X = rng.integers(0, int(rng.integers(3, 12)), (n, int(rng.integers(1, 4)))).astype(float)
        y = rng.integers(0, int(rng.integers(2, 4)), n)
        most, price = int(rng.integers(4, 8)), float(rng.choice([0.5, 1, 2]) / n)
        found = solve(X, y, **({"max_splits": most} if budget == "splits" else {"penalty": price}))
        deep += depth(found.tree) > 3
        splits = size(found.tree)
        if splits:
            fewer = solve(
                X,
                y,
                max_depth=splits - 1,
                max_splits=splits - 1,
                penalty=price if budget == "penalty" else 0,
            )
            assert fewer.status == "optimal" and fewer.objective > found.objective
    assert deep > 1


@pytest.mark.parametrize("seed", range(20))
def test_medium_problems(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 30, size=(80, 3)).astype(float)
    y = (X[:, 0] + rng.integers(0, 12, size=80) > 20).astype(int)
    found = solve(X, y, max_depth=3)
    splits = size(found.tree)
    costs = [solve(X, y, max_depth=3, max_splits=k).objective for k in range(splits + 1)]
    assert costs[-1] == found.objective and costs[-2] > found.objective


def test_data_of_the_readme() -> None:
    X, y = load_iris(return_X_y=True)
    assert [size(solve(X, y, max_depth=d).tree) for d in (2, 3, 4)] == [2, 6, 7]
    X, y = load_wine(return_X_y=True)
    found = solve(X, y, max_depth=4)
    assert (found.objective, size(found.tree)) == (0, 5)


def test_a_perfect_tree_of_a_large_table_is_not_made_smaller_and_it_is_said() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 10))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (X[:, 2] > 0)
    found = solve(X, y, max_depth=6)
    if found.objective == 0 and size(found.tree) > 1:
        assert found.status == "optimal"
        assert found.stats["fewest_splits"] == 0


def test_costs_of_ones_own_and_costs_near_the_limit() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    found = solve(X, y, max_depth=2, objective=CostMatrix([[0, 3], [5, 0]]))
    assert (found.objective, size(found.tree), found.stats["fewest_splits"]) == (0, 1, 1)
    huge = solve(X, y, max_depth=2, objective=CostMatrix([[0, 2**57], [2**57, 0]]))
    assert huge.objective == 0  # too large for the finer problem: searched as it is
    heavy = solve(X, [0, 1, 0, 1], max_depth=1, sample_weight=[2.0**40, 1, 1, 2.0**40])
    assert heavy.status == "optimal"


@pytest.mark.parametrize("seed", range(6))
def test_perfect_trees_do_not_depend_on_threads(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, size=(150, 4)).astype(float)
    y = (X[:, 0] > 20) ^ (X[:, 1] > 12)
    one = solve(X, y, max_depth=4)
    assert one.objective == 0
    for threads in (2, 3):
        other = solve(X, y, max_depth=4, n_jobs=threads)
        assert other.tree == one.tree
