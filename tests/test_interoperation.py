"""Data frames in, names out; grid searches, pipelines and stored models."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import DecisionTreeRegressor
from sklearn.tree import export_text as sklearn_text

import exactree
from exactree import OptimalTreeClassifier, OptimalTreeRegressor

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, IRIS.target
NAME = "petal width (cm)"


def every_text(model: Any) -> list[str]:
    exports: list[Any] = [exactree.export_text, exactree.export_rules, exactree.export_dot, str]
    return [write(model) for write in (*exports, exactree.export_python)]


def test_pandas_names_are_everywhere() -> None:
    clf = OptimalTreeClassifier(max_depth=2).fit(X, pd.Series(Y))
    assert all(NAME in text for text in every_text(clf))
    assert NAME in exactree.to_sklearn(clf, X).feature_names_in_
    assert exactree.size_path(X, Y, max_splits=1)[1].feature_names == tuple(X.columns)
    chosen = exactree.OptimalTreeClassifierCV(max_splits=2, cv=3).fit(X, Y)
    assert chosen.feature_names_in_.tolist() == list(X.columns)


def test_polars_is_read_like_pandas() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: X[name].to_numpy() for name in X.columns})
    labels = polars.Series(Y.to_numpy())
    clf = OptimalTreeClassifier(max_depth=2).fit(frame, labels)
    like = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    assert clf.tree_ == like.tree_
    assert all(NAME in text for text in every_text(clf))
    assert (clf.predict(frame) == like.predict(X)).all()
    assert (exactree.to_sklearn(clf, frame).predict(frame) == like.predict(X)).all()


def test_skops_stores_it() -> None:
    io = pytest.importorskip("skops.io")
    clf = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    stored = io.dumps(clf)
    kinds = io.get_untrusted_types(data=stored)
    assert all(kind.startswith("exactree.") for kind in kinds)
    again = io.loads(stored, trusted=kinds)
    assert (again.predict(X) == clf.predict(X)).all()
    assert again.tree_ == clf.tree_


def test_grid_search_over_sizes() -> None:
    grid = GridSearchCV(OptimalTreeClassifier(max_depth=None), {"max_splits": [0, 1, 2, 3]}, cv=3)
    grid.fit(X, Y)
    assert grid.best_params_["max_splits"] >= 2
    assert all(NAME in text for text in every_text(grid.best_estimator_))


def test_categories_by_a_column_transformer() -> None:
    frame = pd.DataFrame(
        {"colour": ["red", "blue", "green", "blue"] * 6, "weight": np.arange(24.0)}
    )
    y = (frame["colour"] == "green") | (frame["weight"] > 18.5)
    encode = ColumnTransformer(
        [("categories", OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["colour"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipe = make_pipeline(encode, OptimalTreeClassifier(max_depth=2)).fit(frame, y)
    assert pipe[-1].objective_ == 0
    assert all("colour_green" in text for text in every_text(pipe[-1]))
    assert pipe.predict(frame).tolist() == y.tolist()
    with pytest.raises(ValueError, match=r"'colour' of X holds text.*OneHotEncoder"):
        OptimalTreeClassifier(categorical_features=None).fit(frame, y)
    # The pipeline finds what is found without it.
    assert OptimalTreeClassifier(max_depth=2).fit(frame, y).objective_ == 0
    assert exactree.export_text(pipe) == exactree.export_text(pipe[-1])
    other = make_pipeline(encode, DecisionTreeRegressor()).fit(frame, y)
    with pytest.raises(ValueError, match="pass a fitted estimator, a pipeline or a search"):
        exactree.export_text(other)


def test_missing_values_name_the_column() -> None:
    holes = X.copy()
    holes.loc[3, NAME] = np.nan
    with pytest.raises(ValueError, match=r"'petal width \(cm\)', row 3;.*SimpleImputer"):
        OptimalTreeClassifier(missing="error").fit(holes, Y)


def test_no_warning_about_names_that_are_there() -> None:
    clf = OptimalTreeClassifier(max_depth=1).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exactree.to_sklearn(clf, X).predict(X)


# --- Readers of scikit-learn's trees ----------------------------------------------------------


def handed_over(task: str) -> tuple[Any, Any]:
    """Ours and scikit-learn's, for classes or for numbers."""
    if task == "classification":
        clf = OptimalTreeClassifier(max_depth=2).fit(X, Y)
        return clf, exactree.to_sklearn(clf, X)
    reg = OptimalTreeRegressor(max_depth=2).fit(X.iloc[:, :3], X[NAME])
    return reg, exactree.to_sklearn(reg, X.iloc[:, :3])


def test_a_regressor_is_handed_over() -> None:
    ours, theirs = handed_over("regression")
    rows = X.iloc[:, :3]
    assert isinstance(theirs, DecisionTreeRegressor)
    assert theirs.predict(rows) == pytest.approx(ours.predict(rows), rel=1e-12)
    spread = theirs.tree_.impurity * theirs.tree_.weighted_n_node_samples
    assert spread[theirs.tree_.feature < 0].sum() == pytest.approx(ours.objective_)
    assert "petal length (cm)" in sklearn_text(theirs, feature_names=list(rows.columns))


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_shap_explains_it(task: str) -> None:
    shap = pytest.importorskip("shap")
    ours, theirs = handed_over(task)
    rows = X.iloc[::10, : ours.n_features_in_]
    found = shap.TreeExplainer(theirs)(rows)
    answers = ours.predict_proba(rows) if task == "classification" else ours.predict(rows)
    # The shares of the columns add up to the answer.
    total = found.base_values + found.values.sum(axis=1)
    assert total.reshape(answers.shape) == pytest.approx(answers, abs=1e-6)


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_onnx_runs_it(task: str) -> None:
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    ours, theirs = handed_over(task)
    rows = X.iloc[:, : ours.n_features_in_].to_numpy(np.float32)
    stored = skl2onnx.to_onnx(theirs, rows[:1]).SerializeToString()
    session = runtime.InferenceSession(stored, providers=["CPUExecutionProvider"])
    answers = session.run(None, {session.get_inputs()[0].name: rows})[0]
    expected = ours.predict(X.iloc[:, : ours.n_features_in_])
    assert answers.ravel() == pytest.approx(expected, rel=1e-6)


def test_skops_and_pickle_store_every_kind_of_model() -> None:
    rows = X.iloc[::5, 2:]
    models = [
        OptimalTreeClassifier(splits=["axis", "hyperplane"], max_depth=1).fit(rows, Y[::5]),
        OptimalTreeRegressor(max_depth=1).fit(rows, X[NAME][::5]),
        exactree.OptimalTreeRegressorCV(max_splits=1, cv=2).fit(rows, X[NAME][::5]),
    ]
    for model in models:
        again = pickle.loads(pickle.dumps(model))
        assert (again.predict(rows) == model.predict(rows)).all()
    io = pytest.importorskip("skops.io")
    for model in models:
        stored = io.dumps(model)
        kinds = io.get_untrusted_types(data=stored)
        again = io.loads(stored, trusted=kinds)
        assert (again.predict(rows) == model.predict(rows)).all()


def test_missing_values_by_an_imputer() -> None:
    holes = X.copy()
    holes.loc[3, NAME] = np.nan
    fill = SimpleImputer(strategy="median", add_indicator=True).set_output(transform="pandas")
    pipe = make_pipeline(fill, OptimalTreeClassifier(max_depth=2)).fit(holes, Y)
    assert f"missingindicator_{NAME}" in pipe[-1].feature_names_in_
    assert pipe[-1].objective_ <= 7
    with pytest.raises(ValueError, match=r"'petal width \(cm\)', row 3;.*SimpleImputer"):
        exactree.OptimalTreeRegressorCV(missing="error").fit(holes, Y)


def test_pipelines_and_searches_are_unwrapped(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": rng.normal(size=40), "colour": rng.choice(["red", "blue"], 40), "w": range(40)}
    )
    sold = np.where((frame["size"] > 0) & (frame["colour"] == "red"), "yes", "no")
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour"]), remainder="passthrough"
    )
    pipe = make_pipeline(encode, OptimalTreeClassifier(max_depth=2)).fit(frame, sold)
    alone = pipe[-1]
    assert alone.objective_ == 0 and not hasattr(alone, "feature_names_in_")
    names = list(encode.get_feature_names_out())
    assert exactree.export_text(pipe) == exactree.export_text(alone, feature_names=names)
    assert "remainder__size" in exactree.export_rules(pipe)
    grid = GridSearchCV(pipe, {"optimaltreeclassifier__max_depth": [1, 2]}, cv=2).fit(frame, sold)
    assert "onehotencoder__colour_" in exactree.export_dot(grid)
    again = make_pipeline(grid.best_estimator_[:-1], grid.best_estimator_[-1])
    assert exactree.export_text(again) == exactree.export_text(grid)
    for name, model in (("pipe", pipe), ("grid", grid)):
        path = tmp_path / f"{name}.html"
        exactree.write_report(model, frame, sold, path)
        assert "remainder__size" in path.read_text(encoding="utf-8")
    same = exactree.to_sklearn(pipe, frame)
    rows = pd.DataFrame(encode.transform(frame).astype(float), columns=names)
    assert (same.predict(rows) == sold).all()
    unnamed = make_pipeline(FunctionTransformer(lambda rows: rows[["size", "w"]].to_numpy()), alone)
    unnamed.fit(frame, sold)
    assert "x[0]" in exactree.export_text(unnamed)
