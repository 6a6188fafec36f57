"""Constraints on the columns of a tree, against all trees there are."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import exactree
from exactree import _native
from exactree.problem import Problem
from exactree.tree import Leaf, Node, Tree, leaves


class Told(NamedTuple):
    """All that the constraints ask of a tree."""

    cost: float
    splits: int
    used: frozenset[int]
    paths: frozenset[frozenset[int]]
    low: float
    high: float
    monotone: bool


def every_tree(
    X: NDArray[Any], y: NDArray[Any], rows: NDArray[Any], depth: int, least: int, way: list[int]
) -> Iterator[Told]:
    """Go through all trees on some rows, leaves with their own mean or majority."""
    regression = y.dtype.kind == "f"
    inside = y[rows]
    value = float(inside.mean()) if regression else float(2 * inside.sum() > len(inside))
    cost = float(((inside - value) ** 2).sum())
    yield Told(cost, 0, frozenset(), frozenset({frozenset()}), value, value, monotone=True)
    if not depth:
        return
    for f in range(X.shape[1]):
        for low in np.unique(X[rows, f])[:-1]:
            goes = X[rows, f] <= low
            if min(goes.sum(), (~goes).sum()) < least:
                continue
            sides = [list(every_tree(X, y, rows[s], depth - 1, least, way)) for s in (goes, ~goes)]
            for a in sides[0]:
                for b in sides[1]:
                    gap = (b.low - a.high) if way[f] > 0 else (a.low - b.high)
                    yield Told(
                        a.cost + b.cost,
                        a.splits + b.splits + 1,
                        a.used | b.used | {f},
                        frozenset(path | {f} for path in a.paths | b.paths),
                        min(a.low, b.low),
                        max(a.high, b.high),
                        a.monotone and b.monotone and (way[f] == 0 or gap >= -1e-12),
                    )


def drawn(
    rng: np.random.Generator, *, regression: bool, depth: int | None = None
) -> dict[str, Any]:
    n, columns = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    if depth is not None:  # all trees of three levels: fewer rows
        n, columns = int(rng.integers(4, 7)), int(rng.integers(1, 3))
    X = rng.integers(0, rng.integers(1, 6), (n, columns)).astype(float)
    y: NDArray[Any] = rng.integers(0, 2, n)
    if regression:
        y = rng.integers(0, 6, n).astype(float)
    depth = int(rng.integers(0, 3)) if depth is None else depth
    return {
        "X": X,
        "y": y,
        "task": "regression" if regression else "classification",
        "max_depth": depth,
        "max_splits": int(rng.integers(0, 2**depth)) if rng.random() < 0.3 else None,
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
        "penalty": float(rng.choice([0, 0, 0.1])),
    }


def check(rng: np.random.Generator, which: str, depth: int | None = None) -> None:
    problem = drawn(rng, regression=bool(rng.random() < 0.5), depth=depth)
    X, y, columns = problem["X"], problem["y"], problem["X"].shape[1]
    way = rng.integers(-1, 2, columns).tolist()
    groups = [rng.choice(columns, int(rng.integers(1, columns + 1)), False).tolist() for _ in "ab"]
    most = int(rng.integers(0, 3))
    listed = [frozenset(g) for g in groups]
    listed.append(frozenset(range(columns)) - listed[0] - listed[1])

    def allowed(told: Told) -> bool:
        if which == "interaction_cst":
            return all(any(path <= group for group in listed) for path in told.paths)
        return told.monotone if which == "monotonic_cst" else len(told.used) <= most

    given = {"monotonic_cst": way, "interaction_cst": groups, "max_features_used": most}[which]
    trees = every_tree(
        X, y, np.arange(len(y)), problem["max_depth"], problem["min_samples_leaf"], way
    )
    splits = 2 ** problem["max_depth"] if problem["max_splits"] is None else problem["max_splits"]
    price = problem["penalty"] * len(y)
    right = min(t.cost + price * t.splits for t in trees if allowed(t) and t.splits <= splits)
    found = exactree.solve(**problem, **{which: given})
    assert found.status == "optimal"
    assert found.objective == pytest.approx(right, rel=1e-9, abs=1e-9)


WHICH = ["monotonic_cst", "interaction_cst", "max_features_used"]


@pytest.mark.parametrize("which", WHICH)
def test_all_trees(which: str) -> None:
    rng = np.random.default_rng(WHICH.index(which))
    for _ in range(60):
        check(rng, which)


@pytest.mark.parametrize("which", WHICH)
def test_all_trees_of_three_levels(which: str) -> None:
    rng = np.random.default_rng(10 + WHICH.index(which))
    for _ in range(40):
        check(rng, which, depth=3)


@pytest.mark.fuzz
@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("seed", range(4))
def test_many_trees(which: str, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(850):
        check(rng, which)


def data(n: int = 120) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=n) / 4


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_a_stopped_monotone_search_has_a_tree_and_a_bound(seconds: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=500)
    way = [1, 1, 0, -1]
    given: dict[str, Any] = {"task": "regression", "max_depth": 3}
    found = exactree.solve(X, y, **given, monotonic_cst=way, time_limit=seconds)
    best = exactree.solve(X, y, **given, monotonic_cst=way)
    assert is_monotone(found.tree, way) and best.status == "optimal"
    assert found.lower_bound <= best.objective * (1 + 1e-9) <= found.objective * (1 + 2e-9)
    assert found.status in ("time_limit", "optimal")


@pytest.mark.parametrize("terms", [{"penalty": 1e-300}, {"max_depth": 30}])
def test_a_stopped_monotone_search_does_not_begin_with_every_depth(
    terms: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went through all of 199 levels, each with a search of its own: ten seconds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0) ^ (rng.random(200) < 0.4)
    began = []
    module = import_module("exactree.engines.shapes.monotone")
    inner = module.monotone

    def counted(problem: Problem, *rest: Any) -> Any:
        began.append(problem.max_depth)
        return inner(problem, *rest)

    monkeypatch.setattr(module, "monotone", counted)
    found = exactree.solve(X, y, monotonic_cst=[1, 1], time_limit=0.0, **terms)
    assert is_monotone(found.tree, [1, 1]) and len(began) <= 1


def test_monotone_subtrees_keep_to_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0) ^ (rng.random(60) < 0.4)
    answers = []

    def huge(*terms: Any) -> tuple[Any, ...]:
        *_, cap, stop = terms
        answers.extend([stop(10**9), stop(10**9 + 1)])
        return False, True, cap, 0, [], []

    monkeypatch.setattr(_native, "monotone_classes", huge)
    terms: dict[str, Any] = {"max_depth": 2, "monotonic_cst": [-1, -1]}
    found = exactree.solve(X, y, **terms, memory_limit=10**9)
    assert answers == [False, True] and found.status == "memory_limit"
    assert is_monotone(found.tree, [-1, -1]) and found.lower_bound < found.objective


def paths(tree: Tree, above: frozenset[int] = frozenset()) -> Iterator[frozenset[int]]:
    if isinstance(tree, Leaf):
        yield above
        return
    here = above | {*tree.split.features()}
    yield from paths(tree.left, here)
    yield from paths(tree.right, here)


def is_monotone(tree: Tree, way: list[int]) -> bool:
    if isinstance(tree, Leaf):
        return True
    assert isinstance(tree, Node)
    left = [leaf.value for leaf in leaves(tree.left)]
    right = [leaf.value for leaf in leaves(tree.right)]
    here = way[tree.split.features()[0]]
    fits = here == 0 or (max(left) <= min(right) if here > 0 else min(left) >= max(right))
    return fits and is_monotone(tree.left, way) and is_monotone(tree.right, way)


def test_monotone_trees_of_some_size() -> None:
    X, y = data()
    free = exactree.OptimalTreeRegressor(max_depth=2).fit(X, y)
    tree = exactree.OptimalTreeRegressor(max_depth=2, monotonic_cst=[1, 1, 0, -1]).fit(X, y)
    assert is_monotone(tree.tree_, [1, 1, 0, -1]) and tree.status_ == "optimal"
    assert tree.objective_ >= free.objective_
    labels = (y > 0.5).astype(int)
    two = exactree.OptimalTreeClassifier(max_depth=2, monotonic_cst={1: -1}).fit(X, labels)
    assert is_monotone(two.tree_, [0, -1, 0, 0])


def test_interactions_of_some_size() -> None:
    X, y = data()
    found = exactree.solve(
        X, y, task="regression", max_depth=3, interaction_cst=[[0, 2], [1, 2], [3]], n_jobs=1
    )
    assert found.status == "optimal"
    assert all(p <= {0, 2} or p <= {1, 2} or p <= {3} for p in paths(found.tree))
    alone = exactree.solve(X, y, task="regression", max_depth=2, interaction_cst="no_interactions")
    assert all(len(p) <= 1 for p in paths(alone.tree))
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = exactree.solve(
        frame, y, task="regression", max_depth=2, interaction_cst=[["a", "b"], ["c", "d"]]
    )
    assert all(p <= {0, 1} or p <= {2, 3} for p in paths(named.tree))


def test_few_features_of_some_size() -> None:
    X, y = data()
    labels = (y > 0).astype(int)
    found = exactree.solve(X, labels, max_depth=3, max_features_used=1)
    by_hand = [exactree.solve(X[:, [i]], labels, max_depth=3).objective for i in range(4)]
    assert found.status == "optimal" and found.objective == min(by_hand)
    path = exactree.size_path(X, labels, max_splits=3, max_depth=2, max_features_used=2)
    assert all(len(frozenset().union(*paths(r.tree))) <= 2 for r in path)
    score = exactree.solve(X, labels, max_depth=2, max_features_used=1, objective="f1")
    assert score.status == "optimal" and len(frozenset().union(*paths(score.tree))) <= 1


@pytest.mark.parametrize("which", WHICH)
def test_a_limit_leaves_a_tree_and_a_bound(which: str) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(2000, 6)), rng.normal(size=2000)
    given: dict[str, Any] = {
        "monotonic_cst": [1] * 6,
        "interaction_cst": "pairwise",
        "max_features_used": 3,
    }
    found = exactree.solve(
        X, y, task="regression", max_depth=3, time_limit=0.5, **{which: given[which]}
    )
    assert found.status == "time_limit" and 0 <= found.lower_bound < found.objective


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"monotonic_cst": [1]}, "1 entries, and X has 2"),
        ({"monotonic_cst": [2, 0]}, "pass 1"),
        ({"monotonic_cst": {"a": 1}}, "'a', which X has not"),
        ({"monotonic_cst": [1, 0], "objective": "f1"}, "two classes"),
        ({"monotonic_cst": [1, 0], "y": [0, 1, 2]}, "two classes"),
        ({"interaction_cst": "triples"}, "no_interactions"),
        ({"interaction_cst": [[0, 7]]}, "column 7, and X has columns 0 to 1"),
        ({"max_features_used": -1}, "max_features_used"),
        ({"max_features_used": 1, "interaction_cst": [[0]]}, "give one of them"),
        ({"max_features_used": 1, "splits": "hyperplane"}, "splits='axis'"),
        ({"max_features_used": 1, "certificate": "x"}, "certificate"),
    ],
)
def test_what_cannot_be_is_refused(more: dict[str, Any], said: str) -> None:
    given = {"X": [[1.0, 2.0], [2.0, 1.0], [3.0, 0.0]], "y": [0, 1, 0], "max_depth": 1}
    with pytest.raises(ValueError, match=said):
        exactree.solve(**{**given, **more})


def test_rows_that_differ_in_other_columns_alone() -> None:
    """Over one column they are equal, and in no order by label: they bounded what they should not.

    Column 1 has one error among the rows of 0 and one among those of 2.
    """
    X = [[0, 0, 1], [1, 2, 1], [0, 1, 1], [1, 2, 1], [0, 0, 0], [2, 1, 1], [1, 2, 2]]
    y = [0, 1, 1, 0, 1, 1, 0]
    for constraint in ({"interaction_cst": "no_interactions"}, {"max_features_used": 1}):
        assert exactree.solve(X, y, max_depth=2, **constraint).objective == 2
