"""Bad input gets an error that names the column or parameter and the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import exactree

X = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]]
Y = [0, 1, 0]
FRAME = pd.DataFrame({"age": [1.0, 2.0, 3.0], "id": [1, 2, 3]})

DATA: dict[str, tuple[Any, Any, str]] = {
    "inf": ([[1, 2], [-np.inf, 2], [3, 3]], Y, r"infinity: column 0, row 1; fill in or drop"),
    "NA in y": (X, pd.array([0, None, 1]), r"y (has missing labels|contains NaN).*drop"),
    "no rows": (np.empty((0, 2)), [], r"0 sample\(s\) \(shape=\(0, 2\)\); a minimum of 1"),
    "no columns": (np.empty((3, 0)), Y, r"0 feature\(s\) \(shape=\(3, 0\)\)"),
    "one dimension": ([1.0, 2.0, 3.0], Y, r"1 dimensions instead of 2. Reshape your data"),
    "short y": (X, [0, 1], r"y has 2 entries, X has 3 rows.*one entry per row"),
    "wide y": (X, [[0, 1]] * 3, r"y has shape \(3, 2\): it needs one label per row"),
    "nan in y": (X, [0, np.nan, 1], r"y contains NaN or infinity in row 1: drop"),
    "missing label": (X, np.array(["a", None, "b"], object), r"y has missing labels"),
    "mixed labels": (X, np.array(["a", 1, 2], object), r"y mixes labels .*: make them all text"),
    "real targets": (X, [0.5, 1.5, 2.5], r"continuous.*regression.*as text: y.astype\(str\)"),
    "text": ([["a", 1], ["b", 2], ["c", 3]], Y, r"X holds text, such as 'a'"),
    "hidden values": (np.ma.masked_equal(np.array(X), 6), Y, r"masked array.*Imputer"),
    "hidden labels": (X, np.ma.masked_equal(np.array(Y), 1), r"y is a masked array .*drop"),
    "ragged": ([[1, 2], [3], [4, 5]], Y, r"X is no table .*all rows the same length"),
    "two columns of a name": (
        pd.DataFrame(X, columns=["a", "a"]),
        Y,
        r"several columns with the name 'a': rename",
    ),
    "large integers": (
        np.array([[1, 2**53 + 1], [1, 2], [1, 3]]),
        Y,
        r"column 1 of X has the integer 9007199254740993 in row 0, beyond 2\*\*53.*offset",
    ),
    "large integers in a frame": (
        FRAME.assign(id=[1, 2, -(2**60)]),
        Y,
        r"column 'id' of X has the integer -1152921504606846976 in row 2",
    ),
    "large unsigned": (np.array([[2**63], [1], [2]], np.uint64), Y, r"column 0.*beyond 2\*\*53"),
    "large Python integers": (np.array([[2**70], [1], [2]], object), Y, r"column 0.*beyond"),
    "complex": (np.array([[1 + 2j], [1], [2]]), Y, r"Complex data not supported"),
}


HOLES: dict[str, tuple[Any, str]] = {
    "nan": ([[1, np.nan], [2, 2], [3, 3]], r"NaN: column 1, row 0; fill in or drop"),
    "nan in a frame": (FRAME.assign(age=[1, None, 3]), r"NaN: column 'age', row 1; .*Imputer"),
    "NA in a frame": (FRAME.assign(id=pd.array([1, None, 3])), r"NaN: column 'id', row 1"),
}


@pytest.mark.parametrize("name", HOLES)
def test_missing_values_are_refused_if_asked_for(name: str) -> None:
    data, message = HOLES[name]
    with pytest.raises(ValueError, match=message):
        exactree.solve(data, Y, max_depth=1, missing="error")


@pytest.mark.parametrize("name", DATA)
def test_bad_data(name: str) -> None:
    data, labels, message = DATA[name]
    with pytest.raises(ValueError, match=message):
        exactree.solve(data, labels, max_depth=1)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long double is float64 here")
def test_a_longer_type_is_read_where_float64_keeps_its_values_apart() -> None:
    near = np.array([[1], [1 + np.longdouble(2) ** -60], [3]])
    with pytest.raises(ValueError, match=r"column 0 of X has values of type .*tell apart.*ranks"):
        exactree.solve(near, Y, max_depth=2)
    assert exactree.solve(np.array(X, np.longdouble), Y, max_depth=2).objective == 0


def test_large_integers_elsewhere_are_not_called_a_column() -> None:
    with pytest.raises(ValueError, match=r"^y has the integer .* row 2.*offset from all targets"):
        exactree.solve(X, [1, 2, 2**60], task="regression", max_depth=1)
    with pytest.raises(ValueError, match=r"^sample_weight has the integer .*divide all weights"):
        exactree.solve(X, Y, sample_weight=[2**60, 1, 1], max_depth=1)


def test_sparse_data() -> None:
    with pytest.raises(TypeError, match=r"sparse matrix.*pass X.toarray\(\)"):
        exactree.solve(sparse.csr_matrix(X), Y, max_depth=1)


PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"max_depth": None}, "nothing limits the tree: give max_depth, max_splits or a penalty"),
    ({"max_depth": -1}, "max_depth=-1: pass a whole number, at least 0"),
    ({"max_depth": 2.5}, "max_depth=2.5: pass a whole number"),
    ({"max_depth": True}, "max_depth=True: pass a whole number"),
    ({"max_splits": -2}, "max_splits=-2: pass a whole number, at least 0"),
    ({"min_samples_leaf": 0}, "min_samples_leaf=0: pass a whole number, at least 1"),
    ({"min_samples_leaf": 0.1}, "min_samples_leaf=0.1: pass a whole number"),
    ({"min_weight_fraction_leaf": 0.6}, "min_weight_fraction_leaf=0.6: pass a number from 0 to"),
    (
        {"min_weight_fraction_leaf": 0.1, "sample_weight": [0.1, 0.2, 0.3]},
        r"min_weight_fraction_leaf needs weights .* round sample_weight",
    ),
    (
        {"min_weight_fraction_leaf": 0.1, "min_samples_leaf": 2, "sample_weight": [1, 2, 3]},
        "min_samples_leaf counts rows .* unequal weights: give one of the two",
    ),
    ({"penalty": -0.1}, "penalty=-0.1 is negative: pass a number that is at least 0"),
    ({"penalty": np.nan}, "penalty=nan: pass a finite number"),
    ({"penalty": "a lot"}, "penalty='a lot': pass a finite number"),
    ({"time_limit": -1}, "time_limit=-1: pass seconds, at least 0, or None"),
    ({"time_limit": np.nan}, "time_limit=nan: pass seconds"),
    ({"memory_limit": 0}, "memory_limit=0: pass a whole number, at least 1"),
    ({"n_jobs": 0}, "n_jobs=0 has no meaning: pass 1 or more, -1 for all cores"),
    ({"n_jobs": 1.5}, "n_jobs=1.5: pass a whole number"),
    ({"engine": "magic"}, "engine='magic' is unknown: choose one of 'auto', 'search'"),
    ({"splits": "diagonal"}, "splits='diagonal' is unknown: choose one of 'axis'"),
    ({"splits": 7}, "splits=7 is no split family"),
    ({"splits": exactree.splits.Axis}, "is no split family: pass a name or an object"),
    ({"on_progress": 3}, "on_progress=3: pass a function of a Progress, or None"),
    ({"objective": "mcc"}, "objective='mcc' does not decompose.*class_weight or CostMatrix"),
    ({"objective": "gini"}, "objective='gini' is unknown: choose one of 'error'"),
    ({"task": "ranking"}, "task='ranking' is unknown: choose one of 'classification', 'reg"),
    ({"sample_weight": [1, 1]}, "sample_weight has 2 entries, X has 3 rows"),
    ({"sample_weight": [1, -2, 1]}, r"sample_weight is negative in row 1 \(-2\): .* 0 leaves"),
    ({"sample_weight": [1e308, 1e308, 1]}, r"sample_weight reaches 1e\+308: .* by a constant"),
    ({"sample_weight": [5e-324] * 3}, "sample_weight reaches 4.94066e-324: .* by a constant"),
    ({"sample_weight": [0, 0, 0]}, "sample_weight is zero everywhere: at least one row"),
    ({"sample_weight": [1, np.inf, 1]}, "sample_weight contains NaN or infinity in row 1"),
    ({"sample_weight": [[1, 1, 1]]}, r"sample_weight has shape \(1, 3\): pass one weight per row"),
    ({"sample_weight": [1, 1e-20, 1]}, "sample_weight 1e-20 is too small beside the sum 2"),
    ({"class_weight": "heavy"}, "class_weight='heavy': pass None, 'balanced' or a dict"),
    ({"class_weight": {0: -1}}, r"class_weight\[0\] is -1: it must be a number >= 0"),
    ({"class_weight": {"0": 5, "1": 1}}, "names '0', '1', which y does not have, and not 0, 1"),
    ({"class_weight": {0: 5, 2: 1}}, "names 2, which y does not have, and not 1, which it has"),
    ({"class_weight": {0: 0, 1: 0}}, "leave no row any weight: raise some"),
]


@pytest.mark.parametrize(("wrong", "message"), PARAMETERS, ids=[str(p[0]) for p in PARAMETERS])
def test_bad_parameters(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exactree.solve(X, Y, **{"max_depth": 2, **wrong})


def test_a_budget_too_long_for_the_search() -> None:
    line = np.arange(100.0)[:, None]
    with pytest.raises(ValueError, match=r"max_splits=40 is more .* 31: lower it, or limit"):
        exactree.solve(line, np.arange(100) % 2, max_splits=40, engine="search")


def test_a_long_budget_that_limits_nothing() -> None:
    line, labels = np.arange(100.0)[:, None], np.arange(100) % 2
    deep = exactree.solve(line, labels, max_depth=3, engine="search").objective
    found = exactree.solve(line, labels, max_depth=3, max_splits=40, engine="search")
    assert (found.status, found.objective) == ("optimal", deep)
    few = exactree.solve(line[:30], labels[:30], max_splits=40, engine="search")
    assert (few.status, few.objective) == ("optimal", 0)


def test_a_depth_beyond_storage() -> None:
    line = np.arange(300.0)[:, None]
    with pytest.raises(ValueError, match="max_depth=250 is too deep: pass 200 at most"):
        exactree.solve(line, np.arange(300) % 2, max_depth=250)


def test_the_estimator_refuses_the_same() -> None:
    clf = exactree.OptimalTreeClassifier(max_depth=None)
    with pytest.raises(ValueError, match="nothing limits the tree"):
        clf.fit(X, Y)
    strict = exactree.OptimalTreeClassifier(missing="error")
    with pytest.raises(ValueError, match="NaN: column 'age'"):
        strict.fit(FRAME.assign(age=[1, None, 3]), Y)
    fitted = strict.fit(FRAME, Y)
    with pytest.raises(ValueError, match="NaN: column 'age'"):
        fitted.predict(FRAME.assign(age=[1, None, 3]))


# --- No errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "labels"),
    [([[1.0]], ["a"]), (X, [1, 1, 1]), ([[1.0, 2.0]] * 4, [0, 1, 1, 1])],
    ids=["one row", "one class", "constant columns"],
)
def test_nothing_to_split_is_a_leaf(data: Any, labels: Any) -> None:
    result = exactree.solve(data, labels, max_depth=3)
    assert isinstance(result.tree, exactree.Leaf)
    assert result.status == "optimal"
    assert result.objective == len(labels) - max(map(list(labels).count, labels))


def test_zero_weight_hides_no_bad_value() -> None:
    """A row of weight zero is left out of the search, yet its values are still read."""
    with pytest.raises(ValueError, match="infinity: column 0, row 1"):
        exactree.solve([[1.0], [np.inf]], [0, 1], max_depth=1, sample_weight=[1, 0])


@pytest.mark.parametrize("value", [2**31, 2**32, 2**63, 10**30, 10**400])
def test_numbers_longer_than_machine_words_are_numbers(value: int) -> None:
    one = exactree.solve(X, Y, max_depth=2)
    for name in ("max_splits", "memory_limit", "time_limit"):
        how: dict[str, Any] = {"max_depth": 2, name: value}
        found = exactree.solve(X, Y, **how)
        assert (found.status, found.objective) == ("optimal", one.objective)
    for weights in (None, [1, 2, 3]):
        alone = exactree.solve(X, Y, max_depth=2, min_samples_leaf=value, sample_weight=weights)
        assert (alone.status, alone.objective) == ("optimal", 1 if weights is None else 2)
    with pytest.raises(ValueError, match=r"pass a number from 0 to 0\.5"):
        exactree.solve(X, Y, max_depth=2, min_weight_fraction_leaf=value)
    if value < 2**1000:
        assert exactree.solve(X, Y, max_depth=2, penalty=value).objective == 1
    else:
        with pytest.raises(ValueError, match="pass a finite number, at least 0"):
            exactree.solve(X, Y, max_depth=2, penalty=value)


def test_targets_whose_sum_leaves_float64() -> None:
    with pytest.raises(ValueError, match=r"targets y reach 1e\+308, and their sum leaves float64"):
        exactree.solve(X, [1e308] * 3, task="regression", objective="poisson", max_depth=1)
