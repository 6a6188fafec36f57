"""Trees to begin with: they can only help, and say what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    Progress,
    size_path,
    solve,
    tree,
)
from exactree.sizes import choosing
from exactree.splits import AxisSplit
from exactree.starting import read_start
from exactree.tree import Leaf, Node


def errors(found: tree.Tree, X: Any, y: Any) -> int:
    return int((tree.predict(found, X) != y).sum())


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, columns = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    high = draw(st.sampled_from([2, 3, 20]))  # two values: the binary search, equal rows taken out
    return {
        "X": rng.integers(0, high, size=(n, columns)).astype(float),
        "y": rng.integers(0, draw(st.integers(2, 4)), size=n),
        "max_depth": draw(st.integers(1, 3)),
        "penalty": draw(st.sampled_from([0.0, 0.01])),
        "sample_weight": draw(st.sampled_from([None, rng.integers(1, 5, size=n)])),
    }


@settings(max_examples=150, deadline=None)
@given(problems(), st.integers(0, 100))
def test_the_tree_of_a_complete_search_does_not_depend_on_the_start(
    problem: dict[str, Any], seed: int
) -> None:
    plain = solve(**problem)
    X, y, depth = problem["X"], problem["y"], problem["max_depth"]
    cart = DecisionTreeClassifier(max_depth=depth, splitter="random", random_state=seed).fit(X, y)
    for start in (cart, plain, Leaf(0)):
        found = solve(**problem, start=start)
        assert (found.status, found.objective, found.lower_bound) == (
            "optimal",
            plain.objective,
            plain.lower_bound,
        )
        assert tree.size(found.tree) <= 2**depth - 1


@settings(max_examples=100, deadline=None)
@given(problems())
def test_a_search_without_time_returns_the_start(problem: dict[str, Any]) -> None:
    X, y, depth = problem["X"], problem["y"], problem["max_depth"]
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    weights = np.ones(len(y)) if problem["sample_weight"] is None else problem["sample_weight"]
    found = solve(**problem, start=cart, time_limit=0)
    splits = cart.get_n_leaves() - 1
    cost = weights[cart.predict(X) != y].sum() + problem["penalty"] * weights.sum() * splits
    assert found.objective <= cost + 1e-9
    assert found.lower_bound <= solve(**problem).objective + 1e-9


def test_every_form_of_a_start(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    best = solve(X, y, max_depth=2)
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(tree.to_dict(best.tree)))
    fitted = OptimalTreeClassifier(max_depth=2).fit(X, y)
    for start in (best, best.tree, fitted, str(path), path):
        found = solve(X, y, max_depth=3, start=start, time_limit=0)
        assert found.objective <= best.objective
        assert found.status == "time_limit"


def test_a_leaf_is_split_further() -> None:
    X, y = load_iris(return_X_y=True)
    stump = Node(AxisSplit(2, 2.5), Leaf(0), Leaf(1))
    found = solve(X, y, max_depth=3, start=stump, time_limit=0.001)
    assert found.objective <= 6  # 50 without more splits
    assert isinstance(found.tree, Node)
    few = solve(X, y, max_depth=3, max_splits=1, start=stump)
    assert (few.status, few.objective) == ("optimal", 50)


def test_regression_missing_values_and_categories() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    cart = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    stopped = solve(X, y, task="regression", max_depth=2, start=cart, time_limit=0)
    assert stopped.objective <= ((cart.predict(X) - y) ** 2).sum() * (1 + 1e-9)
    whole = solve(X, y, task="regression", max_depth=2, start=cart)
    plain = solve(X, y, task="regression", max_depth=2)
    assert whole.objective == plain.objective
    frame = pd.DataFrame({"a": X[:, 0], "b": rng.choice(["red", "blue"], 60)})
    frame.loc[::7, "a"] = np.nan
    told = rng.integers(0, 3, 60)
    best = solve(frame, told, max_depth=2)
    again = solve(frame, told, max_depth=2, start=best, time_limit=0)
    assert again.objective == best.objective


def test_a_start_of_surfaces() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    best = solve(X, y, splits="hyperplane", max_depth=1)
    assert best.objective == 0
    again = solve(X, y, splits="hyperplane", max_depth=2, start=best, time_limit=0)
    assert (again.objective, again.status) == (0, "optimal")
    axis = solve(X, y, max_depth=2)
    found = solve(X, y, splits="hyperplane", max_depth=2, start=axis, time_limit=0)
    assert found.objective <= axis.objective


def test_progress_is_never_above_a_start() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(np.arange(len(y)) % 9 == 0, 1 - y, y)
    best = solve(X, y, splits="hyperplane", max_depth=1, time_limit=0.3)
    shown: list[float] = []

    def note(progress: Progress) -> bool:
        shown.append(progress.objective)
        return len(shown) == 3

    how: dict[str, Any] = {"splits": "hyperplane", "max_depth": 1, "on_progress": note}
    found = solve(X, y, start=best, **how)
    assert found.status == "stopped" and max(shown) <= best.objective


def test_what_is_wrong_with_a_start_is_said(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    deep = solve(X, y, max_depth=4)
    with pytest.raises(ValueError, match=r"start is \d splits deep, and max_depth=2 allows no"):
        solve(X, y, max_depth=2, start=deep)
    with pytest.raises(ValueError, match=r"start has \d+ splits, and max_splits=2 allows no"):
        solve(X, y, max_depth=4, max_splits=2, start=deep)
    with pytest.raises(ValueError, match=r"start has a split with .* rows on its sides, which"):
        solve(X, y, max_depth=4, min_samples_leaf=40, start=deep)
    with pytest.raises(ValueError, match="start=int has no tree: pass a tree, a Result"):
        solve(X, y, max_depth=2, start=3)
    with pytest.raises(ValueError, match=r"start='.*none.json' is no model file"):
        solve(X, y, max_depth=2, start=str(tmp_path / "none.json"))
    with pytest.raises(ValueError, match="asks for column 3, the data have 2 columns"):
        solve(X[:, :2], y, max_depth=2, start=Node(AxisSplit(3, 1.0), Leaf(0), Leaf(1)))
    named = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.raises(ValueError, match="start was fitted to the columns"):
        solve(pd.DataFrame(X, columns=list("abce")), y, max_depth=2, start=named)
    oblique = solve(X[50:, 2:], y[50:], splits="hyperplane", max_depth=1)
    with pytest.raises(ValueError, match="which is none of the splits of axis-parallel trees"):
        solve(X[50:, 2:], y[50:], max_depth=1, start=oblique)


def test_estimators_take_a_start_through_clones_and_searches() -> None:
    X, y = load_iris(return_X_y=True)
    first = OptimalTreeClassifier(max_depth=1).fit(X, y)
    clf = clone(OptimalTreeClassifier(max_depth=2, start=first.result_)).fit(X, y)
    assert clf.objective_ == 6
    with pytest.raises(ValueError, match=r"start=OptimalTree.* is not fitted: .*result_"):
        clone(OptimalTreeClassifier(max_depth=2, start=first)).fit(X, y)
    search = GridSearchCV(OptimalTreeClassifier(start=first.tree_), {"max_depth": [1, 2]}, cv=2)
    assert search.fit(X, y).best_estimator_.max_depth == 2


def test_the_tree_of_a_fitted_tree_of_scikit_learn_survives_clones() -> None:
    X, y = load_iris(return_X_y=True)
    cart = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert read_start(cart.tree_, None) == read_start(cart, None)
    search = GridSearchCV(OptimalTreeClassifier(start=cart.tree_), {"max_depth": [2, 3]}, cv=2)
    assert search.fit(X, y).best_estimator_.status_ == "optimal"


def test_a_forest_has_no_tree() -> None:
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="start=RandomForestClassifier has no tree: pass a tree"):
        solve(X, y, max_depth=2, start=forest)
    with pytest.raises(ValueError, match="start=RandomForestClassifier is not fitted"):
        solve(X, y, max_depth=2, start=RandomForestClassifier(2))


@pytest.mark.parametrize("max_depth", [4, None])
def test_a_path_has_no_size_that_is_worse_than_its_start(max_depth: int | None) -> None:
    X, y = load_iris(return_X_y=True)
    best = solve(X, y, max_depth=2)
    terms: dict[str, Any] = {"max_splits": 4, "max_depth": max_depth}
    stopped = size_path(X, y, time_limit=0.0, start=best, **terms)
    grown = next(k for k, cost in enumerate(stopped.objectives) if cost < 50)
    assert stopped.objectives[-1] <= best.objective and grown >= tree.size(best.tree)
    complete = size_path(X, y, **terms)
    assert size_path(X, y, start=best, **terms).objectives == complete.objectives
    ratio = size_path(X, y == 1, max_splits=3, max_depth=2, objective="f1", start=best)
    plain = size_path(X, y == 1, max_splits=3, max_depth=2, objective="f1")
    assert ratio.objectives == plain.objectives


def test_cross_validation_starts_with_a_tree_in_the_last_fit_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a fold, a tree that has seen the rows left out would be judged too well."""
    X, y = load_iris(return_X_y=True)
    best = solve(X, y, max_depth=2)
    starts = []

    def recorded(*args: Any, **terms: Any) -> Any:
        starts.append(terms["start"])
        return size_path(*args, **terms)

    monkeypatch.setattr(choosing, "size_path", recorded)
    clf = OptimalTreeClassifierCV(max_splits=3, cv=3, start=best.tree).fit(X, y)
    assert starts == [None, None, None, best.tree]
    assert clf.path_[3].objective <= best.objective
