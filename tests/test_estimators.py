"""OptimalTreeClassifier at home in scikit-learn."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import exactree
from exactree import OptimalTreeClassifier, estimators, tree
from exactree.problem import Result

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, IRIS.target


@parametrize_with_checks([OptimalTreeClassifier(), OptimalTreeClassifier(max_splits=4)])  # type: ignore[untyped-decorator]
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def iris() -> OptimalTreeClassifier:
    return OptimalTreeClassifier(max_depth=2).fit(X, Y)


def test_fitted_attributes(iris: OptimalTreeClassifier) -> None:
    assert iris.status_ == "optimal"
    assert (iris.objective_, iris.lower_bound_, iris.gap_) == (6, 6, 0)
    assert iris.tree_ is iris.result_.tree
    assert iris.classes_.tolist() == [0, 1, 2]
    assert iris.n_features_in_ == 4
    assert iris.feature_names_in_.tolist() == list(X.columns)
    assert (iris.get_depth(), iris.get_n_leaves()) == (2, 3)
    assert (iris.predict(X) != Y).sum() == iris.objective_
    assert iris.score(X, Y) == 1 - 6 / 150


def test_probabilities_are_shares_of_the_leaf(iris: OptimalTreeClassifier) -> None:
    shares = iris.predict_proba(X)
    assert shares.shape == (150, 3)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (iris.classes_[shares.argmax(axis=1)] == iris.predict(X)).all()
    ends = iris.apply(X)
    for leaf in np.unique(ends):
        inside = Y[ends == leaf]
        expected = [(inside == c).mean() for c in iris.classes_]
        assert np.allclose(shares[ends == leaf][0], expected)
    assert np.exp(iris.predict_log_proba(X)) == pytest.approx(shares)


def test_paths_end_where_apply_says(iris: OptimalTreeClassifier) -> None:
    path = iris.decision_path(X)
    assert path.shape == (150, 5)
    last = [path[i].indices.max() for i in range(150)]
    assert last == iris.apply(X).tolist()


def test_importances() -> None:
    clf = OptimalTreeClassifier(max_depth=2)
    with pytest.raises(NotFittedError):
        _ = clf.feature_importances_
    exclusive_or = [[0, 0, 9], [0, 1, 9], [1, 0, 9], [1, 1, 9]]
    clf.fit(exclusive_or, [0, 1, 1, 0])
    assert clf.feature_importances_.sum() == pytest.approx(1)
    assert clf.feature_importances_[2] == 0
    leaf = OptimalTreeClassifier(max_depth=0).fit(exclusive_or, [0, 1, 1, 0])
    assert leaf.feature_importances_.tolist() == [0, 0, 0]


def test_text(iris: OptimalTreeClassifier) -> None:
    text = str(iris)
    assert text.startswith("OptimalTreeClassifier(max_depth=2)\noptimal: objective 6, 2 splits")
    assert "petal" in text
    assert repr(iris) == "OptimalTreeClassifier(max_depth=2)"
    assert str(OptimalTreeClassifier()) == "OptimalTreeClassifier()"


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [-1, 1], [True, False], [-7.0, 3.0]], ids=lambda v: str(v[0])
)
def test_labels_of_any_kind(labels: list[Any]) -> None:
    y = np.array(labels)[[0, 1, 0, 1]]
    clf = OptimalTreeClassifier(max_depth=2).fit([[1], [2], [3], [4]], y)
    assert clf.predict([[1.2], [1.8], [9]]).tolist() == [labels[0], labels[1], labels[1]]
    assert clf.classes_.tolist() == sorted(labels)


def test_weight_two_is_the_row_twice() -> None:
    rng = np.random.default_rng(1)
    data, y = rng.integers(0, 5, size=(40, 2)).astype(float), rng.integers(0, 2, 40)
    weights = rng.integers(0, 3, 40)
    for class_weight in (None, "balanced", {0: 0.3, 1: 2}):
        clf = OptimalTreeClassifier(max_depth=2, class_weight=class_weight)
        weighted = clone(clf).fit(data, y, sample_weight=weights)
        twice = np.repeat(np.arange(40), weights)
        repeated = clone(clf).fit(data[twice], y[twice])
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-12)
        assert (weighted.apply(data) == repeated.apply(data)).all()
        assert np.allclose(weighted.predict_proba(data), repeated.predict_proba(data))


def test_class_weight_moves_the_leaf() -> None:
    clf = OptimalTreeClassifier(max_depth=0, class_weight={"rare": 10})
    assert clf.fit([[0]] * 5, ["rare", *["often"] * 4]).predict([[0]]).tolist() == ["rare"]


def test_pickle_and_clone(iris: OptimalTreeClassifier) -> None:
    stored = pickle.dumps(iris)
    assert b"_native" not in stored
    again = pickle.loads(stored)
    assert (again.predict(X) == iris.predict(X)).all()
    assert again.result_ == iris.result_
    assert clone(iris).get_params() == iris.get_params()
    assert not hasattr(clone(iris), "tree_")


def test_grid_search_and_pipeline() -> None:
    grid = GridSearchCV(OptimalTreeClassifier(max_depth=2), {"max_splits": [0, 1, 2]}, cv=3)
    grid.fit(X, Y)
    assert grid.best_params_ == {"max_splits": 2}
    pipe = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=2))
    assert cross_val_score(pipe, X, Y, cv=3).mean() > 0.9


def test_feature_names_are_checked(iris: OptimalTreeClassifier) -> None:
    with pytest.raises(ValueError, match="feature names should match"):
        iris.predict(X.rename(columns={X.columns[0]: "other"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        iris.predict(X.to_numpy())


def test_pandas_series_and_read_only_input() -> None:
    data = X.to_numpy().copy()
    data.flags.writeable = False
    weights = pd.Series(np.ones(150), index=np.arange(1000, 1150))
    clf = OptimalTreeClassifier(max_depth=1)
    first = clf.fit(data, Y).tree_
    assert clf.fit(np.asfortranarray(data), pd.Series(Y), sample_weight=weights).tree_ == first
    assert clf.fit(np.repeat(data, 2, axis=1)[:, ::2], Y).tree_ == first


# --- Stopping ---------------------------------------------------------------------------------


def stopped(status: Any) -> Any:
    def solve(*_: Any, **__: Any) -> Result:
        return Result(status, "some trees", 5, 2, 3, tree.Leaf(0, 2, (1, 1)), classes=(0, 1))

    return solve


@pytest.mark.parametrize("status", ["time_limit", "memory_limit"])
def test_a_limit_warns(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimators, "solve", stopped(status))
    clf = OptimalTreeClassifier()
    with pytest.warns(ConvergenceWarning, match=f"stopped at its {status}.*5, proved >= 2; raise"):
        clf.fit([[0], [1]], [0, 1])
    assert (clf.status_, clf.gap_) == (status, 3)


def test_an_optimal_tree_does_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier(max_depth=1).fit(X, Y)


def test_an_interrupted_fit_keeps_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimators, "solve", stopped("interrupted"))
    clf = OptimalTreeClassifier()
    with pytest.raises(KeyboardInterrupt, match=r"keeps its best tree: objective .* tree_ and"):
        clf.fit([[0], [1]], [0, 1])
    assert clf.status_ == "interrupted"
    assert clf.predict([[0.5]]).tolist() == [0]


def test_public_names() -> None:
    assert set(exactree.__all__) <= set(dir(exactree))
