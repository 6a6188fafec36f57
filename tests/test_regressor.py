"""OptimalTreeRegressor at home in scikit-learn, and regression through solve()."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import exactree
from exactree import OptimalTreeRegressor, tree

DIABETES = load_diabetes(as_frame=True, scaled=False)
X, Y = DIABETES.data, DIABETES.target


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [OptimalTreeRegressor(max_depth=2), OptimalTreeRegressor(max_depth=None, max_splits=2)]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def diabetes() -> OptimalTreeRegressor:
    return OptimalTreeRegressor(max_depth=2).fit(X, Y)


def test_fitted_attributes(diabetes: OptimalTreeRegressor) -> None:
    assert diabetes.status_ == "optimal"
    assert diabetes.objective_ == diabetes.lower_bound_
    assert diabetes.gap_ == 0
    assert diabetes.feature_names_in_.tolist() == list(X.columns)
    assert (diabetes.get_depth(), diabetes.get_n_leaves()) == (2, 4)
    loss = ((diabetes.predict(X) - Y) ** 2).sum()
    assert diabetes.objective_ == pytest.approx(loss, rel=1e-12)
    assert diabetes.score(X, Y) == pytest.approx(1 - loss / ((Y - Y.mean()) ** 2).sum())
    assert not diabetes.result_.classes


def test_leaves_hold_means(diabetes: OptimalTreeRegressor) -> None:
    ends = diabetes.apply(X)
    for number, node in enumerate(tree.nodes(diabetes.tree_)):
        if isinstance(node, tree.Leaf):
            inside = Y[ends == number]
            assert node.value == pytest.approx(inside.mean())
            assert node.rows == len(inside)
            assert node.weights == (len(inside),)
            assert node.cost == pytest.approx(((inside - inside.mean()) ** 2).sum())


def test_importances(diabetes: OptimalTreeRegressor) -> None:
    with pytest.raises(NotFittedError):
        _ = OptimalTreeRegressor().feature_importances_
    stump = OptimalTreeRegressor(max_depth=1).fit(X, Y)
    cart = DecisionTreeRegressor(max_depth=1).fit(X, Y)
    assert np.allclose(stump.feature_importances_, cart.feature_importances_)
    assert diabetes.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_never_worse_than_cart(depth: int) -> None:
    rng = np.random.default_rng(depth)
    for _ in range(2):
        data = rng.normal(size=(60, 3)).round(1)
        y = np.sin(3 * data[:, 0]) * data[:, 1] + 0.1 * rng.normal(size=60)
        weights = rng.integers(1, 4, 60)
        ours = OptimalTreeRegressor(max_depth=depth).fit(data, y, sample_weight=weights)
        cart = DecisionTreeRegressor(max_depth=depth).fit(data, y, sample_weight=weights)
        loss = weights @ (cart.predict(data) - y) ** 2
        assert ours.status_ == "optimal"
        assert ours.objective_ <= loss * (1 + 1e-9)


def test_in_a_grid(diabetes: OptimalTreeRegressor) -> None:
    assert cross_val_score(clone(diabetes), X, Y, cv=3).mean() > 0.2
    text = str(diabetes)
    assert text.startswith("OptimalTreeRegressor(max_depth=2)\noptimal: objective ")
    assert "bmi" in text or "s5" in text


# --- Numbers ----------------------------------------------------------------------------------


def two_scales(rng: np.random.Generator, n: int = 30) -> tuple[NDArray[Any], NDArray[Any]]:
    data = rng.integers(0, 9, size=(n, 3)).astype(float)
    return data, rng.integers(0, 50, n).astype(float)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("depth", [1, 2])
def test_a_shift_of_the_targets_changes_nothing(seed: int, depth: int) -> None:
    """Naive sums of squares would lose all digits: 1e18 against differences of about one."""
    data, y = two_scales(np.random.default_rng(seed))
    plain = exactree.solve(data, y, task="regression", max_depth=depth)
    for shift in (1e9, -1e9, 2.0**40):
        moved = exactree.solve(data, y + shift, task="regression", max_depth=depth)
        assert moved.objective == pytest.approx(plain.objective, rel=1e-12, abs=0)
        same = tree.predict(moved.tree, data) - shift
        assert np.abs(same - tree.predict(plain.tree, data)).max() < 1e-3


def test_an_outlier_drowns_nothing() -> None:
    """Beside 1e18 a single sum of squares cannot see which of the other splits is better."""
    data = np.array([[0, 0], [1, 1], [2, 0], [3, 1], [9, 9]], dtype=float)
    y = np.array([0.0, 1.0, 0.0, 1.0, 1e9])
    found = exactree.solve(data, y, task="regression", max_depth=2)
    assert found.objective == 0
    near = np.array([1e9, 1e9 + 1, 1e9, 1e9 + 1, 0.0])
    assert exactree.solve(data, near, task="regression", max_depth=2).objective == 0


def test_equal_targets_are_a_leaf() -> None:
    for y in ([0.1] * 7, [1e300] * 7, [0] * 7):
        found = exactree.solve(np.arange(7.0)[:, None], y, task="regression", max_depth=3)
        assert isinstance(found.tree, tree.Leaf)
        assert (found.status, found.objective, found.tree.value) == ("optimal", 0.0, float(y[0]))


def test_weight_two_is_the_row_twice_and_zero_is_none() -> None:
    rng = np.random.default_rng(5)
    data, y = two_scales(rng, 20)
    weights = rng.integers(0, 3, 20)
    twice = np.repeat(np.arange(20), weights)
    for objective in ("squared_error", "absolute_error", "poisson"):
        reg = OptimalTreeRegressor(max_depth=2, penalty=0.1, objective=objective)
        heavy = clone(reg).fit(data, y, sample_weight=weights)
        many = clone(reg).fit(data[twice], y[twice])
        assert heavy.objective_ == pytest.approx(many.objective_, rel=1e-12)
        assert np.allclose(heavy.predict(data), many.predict(data))


def test_penalty_is_on_the_mean_loss() -> None:
    y = [0.0, 0.0, 3.0, 3.0]
    line = np.arange(4.0)[:, None]
    cheap = exactree.solve(line, y, task="regression", penalty=2.2, sample_weight=[0.5] * 4)
    assert cheap.objective == pytest.approx(2.2 * 2)
    dear = exactree.solve(line, y, task="regression", penalty=2.3, sample_weight=[0.5] * 4)
    assert isinstance(dear.tree, tree.Leaf)
    assert dear.objective == pytest.approx(4.5)


# --- Stopping ---------------------------------------------------------------------------------


def test_a_time_limit_keeps_a_tree_and_a_bound() -> None:
    seen: list[exactree.Progress] = []
    cart = DecisionTreeRegressor(max_depth=4).fit(X, Y)
    loss = ((cart.predict(X) - Y) ** 2).sum()
    deep = exactree.solve(
        X, Y, task="regression", max_depth=4, time_limit=0.3, on_progress=seen.append
    )
    assert deep.status == "time_limit"
    assert 0 <= deep.lower_bound < deep.objective <= loss * (1 + 1e-9)
    assert seen
    assert all(p.lower_bound <= deep.objective for p in seen)
    with pytest.warns(ConvergenceWarning, match="stopped at its time_limit"):
        OptimalTreeRegressor(max_depth=4, time_limit=0.0).fit(X, Y)


# --- Bad input --------------------------------------------------------------------------------

LINE = [[1.0], [2.0], [3.0]]


class Listed:
    """A family of one's own: the search knows listed partitions for classes alone."""

    def partitions(self, X: NDArray[np.float64]) -> Any:
        return [X[:, 0] < 2]

    def split(self, X: NDArray[np.float64], left: NDArray[np.bool_], index: int) -> tree.Split:
        raise AssertionError("never asked for")


BAD: list[tuple[Any, dict[str, Any], str]] = [
    ([1.0, np.nan, 2.0], {}, "Input y contains NaN in row 1: drop"),
    ([1.0, 2.0, np.inf], {}, "Input y contains infinity in row 2: drop"),
    ([1.0, None, 2.0], {}, "Input y contains NaN in row 1"),
    ([1.0, 2.0], {}, "y has 2 entries, X has 3 rows"),
    ([[1.0, 2.0]] * 3, {"objective": "poisson"}, "needs one target per row of X, and y has 2"),
    ([[[1.0, 2.0]]] * 3, {}, r"y has shape \(3, 1, 2\): it needs one target per row"),
    (["a", "b", "c"], {}, "y holds text"),
    ([1, 2, 2**60], {}, "y has the integer 1152921504606846976 in row 2"),
    ([0.0, 1.0, 1e200], {}, r"spread over 1e\+200.*multiply y"),
    ([0.0, 1e-200, 0.0], {}, "spread over 1e-200.*multiply y"),
    ([0.0, 1e100, 0.0], {"sample_weight": [1e99] * 3}, r"reaches 1e\+99 and .* over 1e\+100: "),
    ([1.0, 2.0, 3.0], {"class_weight": "balanced"}, "is for classes: pass sample_weight"),
    ([1.0, 2.0, 3.0], {"sample_weight": [1, -1, 1]}, "sample_weight is negative in row 1"),
    ([1.0, 2.0, 3.0], {"sample_weight": [0, 0, 0]}, "sample_weight is zero everywhere"),
    ([1.0, 2.0, 3.0], {"objective": "error"}, "'error' is for classification, the task is"),
    (
        [1.0, 2.0, 3.0],
        {"engine": "search", "splits": Listed()},
        "engine='search' does not solve this problem: its splits are listed",
    ),
    (
        [1.0, 1e6, 3.0],
        {"engine": "search", "sample_weight": [1.0, 1e-10, 1 / 3]},
        "sample_weight 1e-10 is too small beside the sum",
    ),
    ([1.0, 2.0, 3.0], {"objective": "r2"}, "'r2' is unknown: choose one of 'squared_error'"),
    ([-1.0, 2.0, 3.0], {"objective": "poisson"}, "at least 0, and one is -1: use 'squared_error'"),
]


@pytest.mark.parametrize(("y", "wrong", "message"), BAD)
def test_bad_input(y: Any, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exactree.solve(LINE, y, task="regression", **{"max_depth": 2, **wrong})
