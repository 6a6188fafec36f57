"""ThresholdBinarizer: what its columns mean, and that scikit-learn's tools take it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import exactree
from exactree.binarize import ThresholdBinarizer, quantile_thresholds

values = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=60)


@given(values, st.integers(1, 12))
def test_thresholds_part_the_values(column: list[float], n: int) -> None:
    data = np.array(column)
    found = quantile_thresholds(data, n)
    assert len(found) <= n and (np.diff(found) > 0).all()
    for threshold in found:
        assert (data <= threshold).any() and (data > threshold).any()
    if len(np.unique(data)) <= n + 1:
        assert len(found) == len(np.unique(data)) - 1


def test_quantiles_are_even() -> None:
    found = quantile_thresholds(np.arange(100.0), 4)
    assert found.tolist() == [19.5, 39.5, 59.5, 79.5]


def test_columns_answer_the_questions_they_are_named_after() -> None:
    X, _ = load_iris(return_X_y=True, as_frame=True)
    binarizer = ThresholdBinarizer(n_thresholds=3).fit(X)
    out, names = binarizer.transform(X), binarizer.get_feature_names_out()
    assert out.shape == (150, 12) and len(names) == 12
    for j, name in enumerate(names):
        column, threshold = str(name).rsplit(" <= ", 1)
        assert (out[:, j] == (X[column] <= float(threshold))).all()


def test_given_thresholds() -> None:
    binarizer = ThresholdBinarizer(thresholds=[[2.0, 1.0], []])
    out = binarizer.fit_transform([[1.0, 5.0], [2.5, 6.0]])
    assert out.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert binarizer.get_feature_names_out(["a", "b"]).tolist() == ["a <= 1", "a <= 2"]


def test_set_output_gives_a_frame() -> None:
    X, _ = load_iris(return_X_y=True, as_frame=True)
    binarizer = ThresholdBinarizer(n_thresholds=2).set_output(transform="pandas")
    frame = binarizer.fit_transform(X)
    assert list(frame.columns) == binarizer.get_feature_names_out().tolist()
    assert set(np.unique(frame)) == {0.0, 1.0}


def test_scikit_learn_checks() -> None:
    check_estimator(ThresholdBinarizer(), on_skip=None)


def test_the_optimum_is_one_over_the_binarised_features() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    tree = exactree.OptimalTreeClassifier(splits="binary", max_depth=2)
    coarse = make_pipeline(ThresholdBinarizer(4), tree).fit(X, y)
    full = exactree.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert full.objective_ <= coarse[-1].objective_
    every = [np.unique(column)[:-1] for column in X.T]
    fine = make_pipeline(ThresholdBinarizer(thresholds=every), clone(tree)).fit(X, y)
    assert fine[-1].objective_ == full.objective_


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "many"])
def test_a_wrong_number_of_thresholds_is_refused(n: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        ThresholdBinarizer(n_thresholds=n).fit([[1.0], [2.0]])  # type: ignore[arg-type]


def test_wrong_thresholds_and_names_are_refused() -> None:
    with pytest.raises(ValueError, match="one sequence per column"):
        ThresholdBinarizer(thresholds=[[1.0]]).fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="not finite"):
        ThresholdBinarizer(thresholds=[[np.nan]]).fit([[1.0]])
    with pytest.raises(ValueError, match="NaN: column 1, row 0; fill in or drop"):
        ThresholdBinarizer().fit([[1.0, np.nan]])
    fitted = ThresholdBinarizer().fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="2 names"):
        fitted.get_feature_names_out(["a", "b"])
