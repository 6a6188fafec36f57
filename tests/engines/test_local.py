"""The local search over surfaces against exact optima, its budgets, its bounds and its limits."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations, product
from math import inf
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

import exactree
from benchmarks.oblique_small import small_problem
from exactree import _native, solve, tree
from exactree.bounds import EqualRows
from exactree.splits import Hyperplane, Polynomial, SurfaceSplit

FAMILIES: list[Any] = ["hyperplane", "sphere", "axis_quadric", "quadric", Polynomial(3)]


def test_nearly_all_small_problems_are_solved_and_none_is_better_than_the_optimum() -> None:
    equal = 0
    for seed in range(100):
        X, y, how = small_problem(np.random.default_rng(seed))
        best = solve(X, y, **how)
        found = solve(X, y, engine="local", **how)
        assert best.status == "optimal" and found.status in ("optimal", "local")
        assert found.lower_bound <= best.objective <= found.objective
        assert (found.status == "optimal") == (found.lower_bound == found.objective)
        equal += found.objective == best.objective
    assert equal >= 97


@pytest.mark.parametrize("splits", FAMILIES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_does_what_the_result_says(splits: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4)) * [1, 1e3, 1e-3, 1] + [0, 0, 1e3, -50]
    y = rng.integers(0, 3, 150)
    weights = rng.integers(1, 4, 150)
    how: dict[str, Any] = {"max_depth": 3, "max_splits": 5, "min_samples_leaf": 7, "penalty": 0.002}
    found = solve(X, y, splits=splits, sample_weight=weights, time_limit=0.2, **how)
    ends = tree.apply(found.tree, X)
    lost = weights[tree.predict(found.tree, X) != y].sum()
    splits_made = tree.size(found.tree)
    assert np.isclose(found.objective, lost + 0.002 * weights.sum() * splits_made)
    assert 1 <= splits_made <= 5 and tree.depth(found.tree) <= 3
    assert np.bincount(ends)[np.unique(ends)].min() >= 7
    assert found.lower_bound <= found.objective


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rows", [500, 7000])
def test_there_is_a_tree_even_if_time_is_over_before_the_first_sample(
    rows: int, threads: int
) -> None:
    """From 6,000 rows on trees are grown on samples; without one the search had no root."""
    z = np.random.default_rng(0).normal(size=(2, rows))
    labels = (z[0] > 0).astype(np.int32)
    how: dict[str, Any] = {"max_depth": 2, "time_limit": 0.0, "threads": threads}
    found = _native.search_oblique(z, labels, 2, **how)
    assert found.status == "time_limit" and found.cost <= rows
    numbers = {"targets": z[0], "masses": np.ones(rows), "scale": 1.0}
    found = _native.search_oblique(z, **numbers, **how)
    assert found.status == "time_limit" and len(found.tree[0]) >= 1


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_and_instruction_sets_do_not_change_the_tree(threads: int) -> None:
    rng = np.random.default_rng(3)
    z = np.ascontiguousarray(rng.normal(size=(4, 200)))
    labels = rng.integers(0, 3, 200).astype(np.int32)
    how: dict[str, Any] = {"max_depth": 3, "idle_rounds": 25, "seed": 5}
    one = _native.search_oblique(z, labels, 3, **how)
    for isa in _native.instruction_sets():
        other = _native.search_oblique(z, labels, 3, threads=threads, isa=isa, **how)
        assert (other.cost, other.tree, other.rounds) == (one.cost, one.tree, one.rounds)
    assert _native.search_oblique(z, labels, 3, **{**how, "seed": 6}).tree != one.tree


def test_the_order_of_the_rows_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 6)), rng.integers(0, 2, 300)
    order = rng.permutation(300)
    how: dict[str, Any] = {"splits": "hyperplane", "max_depth": 1, "engine": "local"}
    plain, other = solve(X, y, **how), solve(X[order], y[order], **how)
    assert plain.tree == other.tree
    assert solve(X, y, random_state=1, **how).status == "local"


@pytest.mark.parametrize(
    ("load", "splits", "depth", "errors"),
    [
        (load_wine, "hyperplane", 1, 48),
        (load_wine, "hyperplane", 2, 0),
        (load_breast_cancer, "hyperplane", 1, 0),
        (load_iris, "sphere", 2, 0),
    ],
)
def test_data_sets_that_are_proved_at_once(load: Any, splits: str, depth: int, errors: int) -> None:
    X, y = load(return_X_y=True)
    found = solve(X, y, splits=splits, max_depth=depth)
    assert (found.status, found.objective, found.lower_bound) == ("optimal", errors, errors)
    assert (tree.predict(found.tree, X) != y).sum() == errors


@pytest.mark.parametrize(
    ("load", "depth", "splits"),
    [(load_breast_cancer, 2, 1), (load_breast_cancer, 3, 1), (load_wine, 3, 2)],
)
def test_no_more_splits_than_it_takes(load: Any, depth: int, splits: int) -> None:
    X, y = load(return_X_y=True)
    for seed in range(3):
        found = solve(X, y, splits="hyperplane", max_depth=depth, random_state=seed)
        assert (found.status, found.objective, tree.size(found.tree)) == ("optimal", 0, splits)


def test_thresholds_get_more_time_where_they_are_better_than_first_planes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    y = (X[:, :3] > 0).sum(axis=1) % 2  # which thresholds part without an error
    times: list[float] = []
    module = sys.modules["exactree.engines.local"]
    real = module.search

    def search(problem: Any, limits: Any) -> Any:
        times.append(limits.seconds)
        return replace(real(problem, replace(limits, seconds=inf)), status="time_limit")

    monkeypatch.setattr(module, "search", search)
    found = solve(X, y, splits="hyperplane", max_depth=3, time_limit=2.0)
    assert found.objective == 0
    assert len(times) == 2 and times[0] <= 0.2 < times[1] <= 1


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_of_leaves_and_equal_rows(seed: int) -> None:
    """All ways to name a class for every group of equal rows, with as many classes as leaves."""
    rng = np.random.default_rng(seed)
    n, groups, classes = int(rng.integers(1, 9)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    points = np.unique(rng.integers(0, groups, n), return_inverse=True)[1].astype(np.int32)
    labels = rng.integers(0, classes, n).astype(np.int32)  # some classes may have no row
    weights = rng.integers(1, 5, n)
    leaves = int(rng.integers(1, 4))
    named = product(range(labels.max() + 1), repeat=int(points.max()) + 1)
    least = min(
        int(weights[np.array(name)[points] != labels].sum())
        for name in named
        if len(set(name)) <= leaves
    )
    assert EqualRows.of(points, labels, weights).loss_of(leaves) == least


def test_a_bound_of_many_classes_tries_no_sets() -> None:
    rng = np.random.default_rng(0)
    points = rng.integers(0, 150, 400).astype(np.int32)
    labels = rng.integers(0, 26, 400).astype(np.int32)
    weights = np.ones(400, dtype=np.int64)
    bound = EqualRows.of(points, labels, weights).loss_of(8)
    table = np.zeros((150, 26), dtype=int)
    np.add.at(table, (points, labels), 1)
    assert bound == 400 - min(table.max(1).sum(), np.sort(table.sum(0))[-8:].sum()) > 0


def test_a_penalty_counts_in_the_bound() -> None:
    X = [[float(i), float(i % 7)] for i in range(40)]
    y = [i % 4 for i in range(40)]
    found = solve(X, y, splits="quadric", max_depth=3, penalty=0.05, engine="local")
    # Four classes of ten rows: k splits name k + 1 of them, each split costs two rows.
    assert found.lower_bound == min(10 * (3 - k) + 2 * k for k in range(4)) == 6


def test_regression_is_near_the_optimum_and_never_below() -> None:
    near = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(12, 2)), rng.normal(size=12)
        how: dict[str, Any] = {"task": "regression", "splits": "hyperplane", "max_depth": 2}
        best, found = solve(X, y, **how), solve(X, y, engine="local", **how)
        assert best.status == "optimal" and found.status == "local"
        assert best.objective <= found.objective * (1 + 1e-9)
        near += found.objective <= 1.05 * best.objective
        leaf = tree.predict(found.tree, X)
        assert np.isclose(((leaf - y) ** 2).sum(), found.objective)
    assert near >= 17


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_limit_leaves_a_tree(task: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    y = (X @ rng.normal(size=20) > 0).astype(int)
    for limit in (0.0, 0.1):
        found = solve(X, y, task=task, splits="hyperplane", max_depth=2, time_limit=limit)
        assert found.status in ("time_limit", "optimal")
        assert 0 <= found.lower_bound <= found.objective < 0.5 * len(y)
        assert tree.size(found.tree) >= 1


@pytest.mark.parametrize("how", [{"min_samples_leaf": 3}, {"penalty": 100.0}])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_limit_ends_a_search_where_no_split_can_be(task: str, how: dict[str, Any]) -> None:
    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [3.0, 4.0], [4.0, 2.0]], [0, 1, 2, 3, 0]
    how = {"task": task, "splits": "hyperplane", "engine": "local", "max_depth": 2, **how}
    found = solve(X, y, time_limit=0.1, **how)
    assert isinstance(found.tree, tree.Leaf) and found.stats["seconds"] < 5


def test_ctrl_c_keeps_the_best_tree() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 12)), rng.integers(0, 2, 500)
    seen: list[exactree.Progress] = []

    def stop_soon(progress: exactree.Progress) -> None:
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    found = solve(X, y, splits="hyperplane", max_depth=2, on_progress=stop_soon)
    assert found.status == "interrupted"
    assert found.objective <= seen[-1].objective < 250
    assert isinstance(found.tree, tree.Node)


def test_numbers_that_floats_can_hardly_part() -> None:
    """Spheres far from the origin: their squares have no digits left for the rows."""
    rng = np.random.default_rng(1)
    X = 1e9 + rng.integers(0, 50, (60, 2)).astype(float)
    y = ((X - 1e9 - 25) ** 2).sum(axis=1) < 300
    found = solve(X, y, splits="sphere", max_depth=1, engine="local", time_limit=1.0)
    assert found.objective == 0 == (tree.predict(found.tree, X) != y).sum()
    assert isinstance(found.tree, tree.Node)
    split = found.tree.split
    assert isinstance(split, SurfaceSplit) and split.surface.exact


def test_mixtures_take_the_richest_family() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 12))
    y = (X**2).sum(axis=1) < 11
    found = solve(X, y, splits=["axis", "sphere", "hyperplane"], max_depth=1)
    assert (found.status, found.objective) == ("optimal", 0)


def test_estimators_say_that_nothing_is_proved() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(120, 12)), rng.integers(0, 3, 120)
    model = exactree.OptimalTreeClassifier(splits="hyperplane", max_depth=2, random_state=3)
    with pytest.warns(ConvergenceWarning, match="best of a local search, not proved optimal"):
        model.fit(X, y)
    assert model.status_ == "local"
    assert (model.predict(X) != y).sum() == model.objective_


def test_every_size_has_a_tree() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(120, 12)), rng.integers(0, 3, 120)
    path = exactree.size_path(X, y, max_splits=3, splits="hyperplane", time_limit=0.5)
    assert [r.status for r in path] == ["optimal", *["time_limit"] * 3]
    assert path.objectives == sorted(path.objectives, reverse=True)
    assert all(tree.size(result.tree) <= k for k, result in enumerate(path))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"splits": "axis", "engine": "local"}, "engine='local' searches surfaces"),
        ({"random_state": 1.5}, "random_state=1.5: pass a whole number"),
        ({"random_state": -1}, "random_state=-1: pass a number from 0"),
    ],
)
def test_what_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve([[0.0], [1.0]], [0, 1], max_depth=1, **how)


def test_an_unknown_objective_is_refused() -> None:
    with pytest.raises(ValueError, match="engine='local' searches for 'error'"):
        solve(
            [[0.0], [1.0]],
            [0.0, 1.0],
            task="regression",
            objective="absolute_error",
            splits="hyperplane",
            max_depth=1,
            engine="local",
        )


# --- Hyperplanes of few columns ---------------------------------------------------------------


def best_of_pairs(X: NDArray[Any], y: NDArray[Any], columns: int) -> float:
    """One split: the best over all sets of columns, each solved by itself."""
    sets = combinations(range(X.shape[1]), columns)
    return min(
        solve(X[:, list(some)], y, splits="hyperplane", max_depth=1).objective for some in sets
    )


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_hyperplanes_of_few_columns(columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (25, 4)).astype(float), rng.integers(0, 2, 25)
    how: dict[str, Any] = {"splits": Hyperplane(columns=columns), "max_depth": 1}
    best = solve(X, y, **how)
    assert (best.status, best.objective) == ("optimal", best_of_pairs(X, y, columns))
    listed, found = solve(X, y, engine="generic", **how), solve(X, y, engine="local", **how)
    assert listed.objective == best.objective <= found.objective
    for result in (best, listed, found):
        assert (tree.predict(result.tree, X) != y).sum() == result.objective
        assert isinstance(result.tree, tree.Node)
        assert len(result.tree.split.features()) <= columns


def test_few_of_many_columns() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 30))
    y = (X[:, 3] - 0.7 * X[:, 11] > 0.2) ^ (X[:, 20] + X[:, 5] > 1)
    found = solve(X, y, splits=[Hyperplane(columns=2), "axis"], max_depth=2, time_limit=1.0)
    splits = [n.split for n in tree.nodes(found.tree) if isinstance(n, tree.Node)]
    assert splits and all(len(split.features()) <= 2 for split in splits)
    assert found.space == "2-column hyperplane or axis-parallel trees, depth <= 2"


@pytest.mark.parametrize("columns", [0, -1, 1.5, True])
def test_columns_that_are_no_number(columns: Any) -> None:
    with pytest.raises(ValueError, match="pass a whole number of at least 1, or None"):
        solve([[0.0, 1.0], [1.0, 0.0]], [0, 1], splits=Hyperplane(columns=columns), max_depth=1)


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 400)), rng.integers(0, 2, 30)
    found = solve(X, y, splits="hyperplane", max_depth=1)
    assert (found.objective, found.status) == (0, "optimal")
    again = SurfaceSplit.from_dict(found.tree.split.to_dict())  # type: ignore[union-attr]
    assert (again.goes_left(X) == found.tree.split.goes_left(X)).all()  # type: ignore[union-attr]


def test_a_first_split_that_gains_nothing_by_itself() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 25))
    y = (X[:, 0] > 0) ^ (X[:, 1:5].sum(axis=1) > 0)
    how: dict[str, Any] = {"max_depth": 2, "idle_rounds": 8}
    z, labels = np.ascontiguousarray(X.T), y.astype(np.int32)
    assert _native.search_oblique(z, labels, 2, **how).cost <= 15


def test_a_tree_that_cannot_be_written_down_in_time_has_a_spare(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(*_: Any, **__: Any) -> None:
        raise TimeoutError

    spared = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
        with monkeypatch.context() as patch:
            patch.setattr(sys.modules["exactree.engines.local"], "IDLE_ROUNDS_BEFORE_PROOF", 1)
            best = solve(X, y, splits="hyperplane", max_depth=2)
            patch.setattr("exactree.splits.surface.widest_margin", late)
            found = solve(X, y, splits="hyperplane", max_depth=2)
        alone = min((y == 0).sum(), (y == 1).sum())
        assert best.objective <= found.objective < alone
        assert found.lower_bound <= best.objective
        spared += found.objective > best.objective
    assert spared
