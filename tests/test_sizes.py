"""Optima of all sizes, and the choice among them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from exactree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    size_path,
    solve,
    tree,
)
from exactree.engines import generic
from exactree.objectives import CostMatrix
from exactree.problem import Result, Status
from exactree.sizes import SizePath, choosing
from exactree.sizes.agreement import never_rising
from exactree.sizes.choosing import chosen_size
from exactree.splits import Axis, Sources
from exactree.tree import Leaf, size

X, Y = load_iris(return_X_y=True)


@dataclass(frozen=True)
class OneColumn:
    """A family of one's own: thresholds on the first column."""

    name: ClassVar[str] = "one_column"
    words: ClassVar[str] = "one-column"

    def sources(self, X: NDArray[Any]) -> Sources:
        return Axis().sources(X[:, :1])


def test_the_path_is_what_solving_each_size_gives() -> None:
    weights = np.random.default_rng(0).integers(1, 4, len(X))
    path = size_path(X, Y, max_splits=4, max_depth=3, sample_weight=weights)
    each = [solve(X, Y, max_splits=k, max_depth=3, sample_weight=weights) for k in range(5)]
    assert path.objectives == [r.objective for r in each]
    assert path.lower_bounds == path.objectives
    assert [r.space for r in path] == [r.space for r in each]
    assert all(size(result.tree) <= k for k, result in enumerate(path))
    assert len(path) == 5
    assert path[1:3] == path.results[1:3]


@pytest.mark.parametrize("depth", [None, 1, 3])
@pytest.mark.parametrize("most", [0, 1, 4, 10])
def test_a_path_has_every_size_even_if_none_helps(depth: int | None, most: int) -> None:
    rows = np.array([[0, 0], [0, 0], [1, 1], [1, 0], [1, 1], [1, 0], [1, 0]])
    labels = [0, 1, 0, 1, 1, 0, 1]
    path = size_path(rows, labels, max_splits=most, max_depth=depth, splits="binary")
    assert path.objectives == [3] * (most + 1)
    assert path[most].space.endswith(f"at most {most} splits" if most != 1 else "at most 1 split")
    same = OptimalTreeClassifierCV(splits="binary", max_splits=most, cv=2).fit(rows * 0, labels)
    assert same.errors_.shape == (2, most + 1)


def test_a_long_path_costs_no_more_than_its_first_sizes() -> None:
    path = size_path([[1.0], [2.0], [3.0]], [0, 1, 0], max_splits=20_000)
    assert len(path) == 20_001
    assert path[2].tree is path[-1].tree
    assert path[-1].space == "axis-parallel trees, at most 20000 splits"


def test_other_families_are_solved_size_by_size() -> None:
    path = size_path(X, Y, max_splits=2, splits=OneColumn())
    assert path.objectives == size_path(X[:, :1], Y, max_splits=2).objectives
    assert "one-column trees" in path[2].space


@pytest.mark.parametrize("splits", ["hyperplane", "sphere", ["axis", "hyperplane"], "binary"])
def test_every_family_has_a_path(splits: Any) -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2 if splits == "binary" else 5, (14, 2)).astype(float)
    labels, weights = rng.integers(0, 3, 14), rng.integers(1, 3, 14)
    how: dict[str, Any] = {"splits": splits, "sample_weight": weights, "min_samples_leaf": 2}
    path = size_path(rows, labels, max_splits=3, **how)
    each = [solve(rows, labels, max_splits=k, **how) for k in range(4)]
    assert path.objectives == [r.objective for r in each]
    assert [r.space for r in path] == [r.space for r in each]
    assert size_path(rows, labels, max_splits=0, **how).objectives == path.objectives[:1]


@pytest.mark.parametrize("objective", [None, "absolute_error", "poisson"])
def test_regression_has_a_path(objective: str | None) -> None:
    rng = np.random.default_rng(4)
    rows, y = rng.integers(0, 5, (12, 2)).astype(float), rng.integers(0, 4, 12).astype(float)
    how: dict[str, Any] = {"task": "regression", "objective": objective, "max_depth": 2}
    path = size_path(rows, y, max_splits=4, **how)
    each = [solve(rows, y, max_splits=k, **how).objective for k in range(5)]
    assert path.objectives == pytest.approx(each)
    assert len(path) == 5 and path[4].status == "optimal"


@pytest.mark.parametrize("seed", range(6))
def test_squared_error_has_a_path_in_one_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, y = rng.integers(0, 9, (30, 2)).astype(float), rng.normal(size=30)
    if seed % 2:  # targets so far from others that few digits are left: sizes are solved again
        y += rng.choice([0.0, 1e9], 30)
    weights = rng.integers(1, 4, 30) if seed > 3 else None
    how: dict[str, Any] = {"task": "regression", "max_depth": 3, "sample_weight": weights}
    path = size_path(rows, y, max_splits=5, **how)
    each = [solve(rows, y, max_splits=k, **how) for k in range(6)]
    assert path.objectives == pytest.approx([r.objective for r in each], rel=1e-9)
    assert [r.space for r in path] == [r.space for r in each]
    assert all(r.status == "optimal" and r.gap == 0 for r in path)
    assert all(size(result.tree) <= k for k, result in enumerate(path))
    assert seed % 2 or len({r.stats["nodes"] for r in path[1:]}) == 1


def test_squared_errors_of_a_stopped_search_have_bounds() -> None:
    rng = np.random.default_rng(7)
    rows, y = rng.normal(size=(300, 5)), rng.normal(size=300)
    how: dict[str, Any] = {"task": "regression", "max_depth": 4, "max_splits": 6}
    path = size_path(rows, y, time_limit=0.2, **how)
    assert path[0].status == path[1].status == "optimal"
    assert path[6].status == "time_limit" and path[6].gap > 0
    one = solve(rows, y, max_splits=1, task="regression").objective
    assert path[1].objective == pytest.approx(one)
    for smaller, larger in itertools.pairwise(path):
        assert smaller.objective >= larger.objective
        assert larger.lower_bound <= smaller.objective


def test_a_cost_matrix_has_a_path() -> None:
    costs = CostMatrix([[0, 1, 5], [1, 0, 1], [2, 1, 0]])
    path = size_path(X[::5], Y[::5], max_splits=2, objective=costs)
    each = [solve(X[::5], Y[::5], max_splits=k, objective=costs).objective for k in range(3)]
    assert path.objectives == each


def test_a_path_in_words() -> None:
    text = str(size_path(X, Y, max_splits=2))
    assert [line.split() for line in text.splitlines()] == [
        ["splits", "objective", "proved", "status"],
        ["0", "100", "100", "optimal"],
        ["1", "50", "50", "optimal"],
        ["2", "6", "6", "optimal"],
    ]


def test_bad_sizes() -> None:
    with pytest.raises(ValueError, match="max_splits=-1: pass a whole number"):
        size_path(X, Y, max_splits=-1)
    with pytest.raises(ValueError, match="max_splits=None: pass a whole number"):
        OptimalTreeClassifierCV(max_splits=None).fit(X, Y)
    with pytest.raises(ValueError, match="rule='most'"):
        OptimalTreeClassifierCV(rule="most").fit(X, Y)


# --- Choosing ---------------------------------------------------------------------------------


def test_errors_are_those_of_fitting_each_size_in_each_fold() -> None:
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    clf = OptimalTreeClassifierCV(max_splits=3, max_depth=2, cv=folds).fit(X, Y)
    assert clf.errors_.shape == (4, 4)
    for row, (train, test) in zip(clf.errors_, folds.split(X, Y), strict=True):
        for k in (0, 1, 2):
            one = size_path(X[train], Y[train], max_splits=k, max_depth=2)[k]
            fitted = OptimalTreeClassifier(max_depth=2, max_splits=k).fit(X[train], Y[train])
            assert one.objective == fitted.objective_
            assert row[k] == pytest.approx(1 - fitted.score(X[test], Y[test]))
    assert clf.mean_error_ == pytest.approx(clf.errors_.mean(axis=0))


def test_the_chosen_tree_is_optimal_for_all_rows() -> None:
    clf = OptimalTreeClassifierCV(max_splits=4).fit(X, Y)
    alone = OptimalTreeClassifier(max_splits=clf.max_splits_).fit(X, Y)
    assert clf.objective_ == alone.objective_
    assert clf.status_ == "optimal"
    assert clf.path_[clf.max_splits_].tree is clf.tree_
    assert clf.predict(X).shape == (150,)
    best = OptimalTreeClassifierCV(max_splits=4, rule="best").fit(X, Y)
    assert clf.max_splits_ <= best.max_splits_ == int(np.argmin(best.mean_error_))


@pytest.mark.parametrize(
    ("errors", "one_error", "best"),
    [
        ([[0.5, 0.1, 0.1], [0.5, 0.1, 0.1]], 1, 1),
        ([[0.5, 0.3, 0.1], [0.5, 0.3, 0.3]], 1, 2),
        ([[0.5, 0.4, 0.1], [0.5, 0.4, 0.3]], 2, 2),
        ([[0.0, 0.0]], 0, 0),
        ([[0.2, 0.1]], 1, 1),
    ],
)
def test_one_standard_error(errors: list[list[float]], one_error: int, best: int) -> None:
    assert chosen_size(np.array(errors), "one_standard_error") == one_error
    assert chosen_size(np.array(errors), "best") == best


def test_noise_gets_a_leaf() -> None:
    rng = np.random.default_rng(0)
    data, y = rng.normal(size=(60, 2)), rng.permutation([0] * 36 + [1] * 24)
    assert OptimalTreeClassifierCV(max_splits=4).fit(data, y).max_splits_ == 0


def test_rows_of_no_weight_and_classes_missing_from_a_fold() -> None:
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 3, len(X)).astype(float)
    kept = weights > 0
    clf = OptimalTreeClassifierCV(max_splits=3, cv=3)
    with_zeros = clone(clf).fit(X, Y, sample_weight=weights)
    without = clone(clf).fit(X[kept], Y[kept], sample_weight=weights[kept])
    assert (with_zeros.errors_ == without.errors_).all()
    assert with_zeros.objective_ == without.objective_
    # The rows are in order of their class, so that a fold has none of one.
    by_class = [
        (np.flatnonzero(apart), np.flatnonzero(~apart)) for apart in (np.arange(3)[:, None] != Y)
    ]
    assert (OptimalTreeClassifierCV(cv=by_class).fit(X, Y).errors_ == 1).all()


def test_listed_folds_have_numbers_of_the_users_rows() -> None:
    weights = np.ones(len(X))
    weights[::7] = 0
    kept = np.flatnonzero(weights)
    listed = list(KFold(4, shuffle=True, random_state=0).split(X))
    clf = OptimalTreeClassifierCV(max_splits=3, cv=listed).fit(X, Y, sample_weight=weights)
    where = {row: place for place, row in enumerate(kept.tolist())}
    same = [[[where[i] for i in part.tolist() if i in where] for part in fold] for fold in listed]
    without = OptimalTreeClassifierCV(max_splits=3, cv=same).fit(X[kept], Y[kept])
    assert (clf.errors_ == without.errors_).all()
    truths = [[np.isin(np.arange(150), part) for part in fold] for fold in listed]
    masked = OptimalTreeClassifierCV(max_splits=3, cv=truths).fit(X, Y, sample_weight=weights)
    assert (masked.errors_ == clf.errors_).all()


@pytest.mark.parametrize(
    ("cv", "told"),
    [
        ([(range(100), [150])], "fold 0 has row 150, and X has the rows 0 to 149"),
        ([(range(100), [0.5])], "fold 0 is no list of row numbers"),
        ([(range(1, 100), [0])], "fold 0 has no row with a weight to test with"),
        ([([0], range(1, 100))], "fold 0 has no row with a weight to train with"),
        ([], "cv has no folds"),
    ],
)
def test_bad_folds(cv: Any, told: str) -> None:
    weights = np.ones(150)
    weights[0] = 0
    with pytest.raises(ValueError, match=told):
        OptimalTreeClassifierCV(cv=cv).fit(X, Y, sample_weight=weights)


def test_groups_stay_together() -> None:
    groups = np.arange(150) % 5
    weights = np.where(np.arange(150) % 11, 1.0, 0.0)
    clf = OptimalTreeClassifierCV(max_splits=2, cv=GroupKFold(5))
    clf.fit(X, Y, sample_weight=weights, groups=groups)
    listed = [(groups != g, groups == g) for g in range(5)]
    by_hand = OptimalTreeClassifierCV(max_splits=2, cv=listed).fit(X, Y, sample_weight=weights)
    assert sorted(clf.errors_.tolist()) == sorted(by_hand.errors_.tolist())
    with pytest.raises(ValueError, match="groups"):
        clf.fit(X, Y)
    with pytest.raises(ValueError, match=r"groups has shape \(3,\)"):
        clf.fit(X, Y, groups=[1, 2, 3])


def test_scores_are_those_of_a_grid_search() -> None:
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    how: dict[str, Any] = {"scoring": "neg_log_loss", "cv": folds}
    labels = np.array(["a", "b", "c"])[Y]
    ours = OptimalTreeClassifierCV(max_splits=3, **how).fit(X, labels)
    grid = GridSearchCV(OptimalTreeClassifier(), {"max_splits": [0, 1, 2, 3]}, **how).fit(X, labels)
    # Of larger trees there are several that are optimal.
    for name in ("mean_test_score", "std_test_score", "split1_test_score"):
        assert ours.cv_results_[name][:2] == pytest.approx(grid.cv_results_[name][:2])
    assert ours.cv_results_["rank_test_score"].tolist() == [
        1 + sum(other > mean for other in ours.cv_results_["mean_test_score"])
        for mean in ours.cv_results_["mean_test_score"]
    ]
    assert ours.cv_results_["params"] == grid.cv_results_["params"]
    assert (
        ours.errors_ == -np.array([ours.cv_results_[f"split{i}_test_score"] for i in range(3)])
    ).all()
    reg = OptimalTreeRegressorCV(max_splits=2, scoring="r2", cv=3).fit(X, X[:, 2] * 2)
    assert -1 < reg.mean_error_[-1] < reg.mean_error_[0]


def test_scores_count_weights() -> None:
    weights = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    how: dict[str, Any] = {"max_splits": 2, "cv": 3}
    loss = OptimalTreeClassifierCV(**how).fit(X, Y, sample_weight=weights)
    score = OptimalTreeClassifierCV(scoring="accuracy", **how).fit(X, Y, sample_weight=weights)
    assert score.errors_ == pytest.approx(loss.errors_ - 1)

    def unweighted(model: Any, rows: Any, y: Any) -> float:
        return float(model.score(rows, y))

    own = OptimalTreeClassifierCV(scoring=unweighted, **how)
    assert own.fit(X, Y).errors_ == pytest.approx(
        OptimalTreeClassifierCV(**how).fit(X, Y).errors_ - 1
    )
    with pytest.raises(ValueError, match="scoring takes no sample_weight"):
        own.fit(X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match="chosen by one score"):
        OptimalTreeClassifierCV(scoring=["accuracy"]).fit(X, Y)
    with pytest.raises(ValueError, match=r"scoring=3: pass a name"):
        OptimalTreeClassifierCV(scoring=3).fit(X, Y)


def test_refit() -> None:
    none = OptimalTreeClassifierCV(max_splits=2, refit=False).fit(X, Y)
    assert none.max_splits_ == 2 and not hasattr(none, "path_")
    with pytest.raises(NotFittedError):
        none.predict(X)
    smallest = OptimalTreeClassifierCV(
        max_splits=2, refit=lambda found: found["param_max_splits"][1]
    )
    assert smallest.fit(X, Y).max_splits_ == 1 and tree.size(smallest.tree_) == 1
    with pytest.raises(ValueError, match=r"refit returned 3: .* whole number from 0 to 2"):
        OptimalTreeClassifierCV(max_splits=2, refit=lambda _: 3).fit(X, Y)


def test_class_weights_count_in_the_errors() -> None:
    rare = np.array([0] * 90 + [1] * 10)
    data = np.arange(100)[:, None] % 10
    heavy = OptimalTreeClassifierCV(class_weight="balanced", max_splits=1).fit(data, rare)
    assert heavy.mean_error_[0] == pytest.approx(0.5)
    by_hand = OptimalTreeClassifierCV(class_weight={1: 9}, max_splits=1).fit(data, rare)
    assert by_hand.mean_error_ == pytest.approx(heavy.mean_error_)
    in_part = OptimalTreeClassifierCV(class_weight={1: 9}, cv=[(np.arange(90), np.arange(90, 100))])
    assert in_part.fit(data, rare).errors_.min() == 1  # the class with a weight is not in the fold
    plain = OptimalTreeClassifierCV(max_splits=1).fit(data, rare)
    assert plain.mean_error_[0] == pytest.approx(0.1)


def test_a_regressor_chooses_by_the_loss_on_rows_left_out() -> None:
    rng = np.random.default_rng(5)
    rows = np.arange(40.0)[:, None]
    y = np.where(rows[:, 0] > 25, 3.0, 0.0) + rng.normal(0, 0.1, 40)
    weights = rng.integers(1, 3, 40).astype(float)
    folds = KFold(4, shuffle=True, random_state=1)
    reg = OptimalTreeRegressorCV(max_splits=2, cv=folds).fit(rows, y, sample_weight=weights)
    assert (reg.max_splits_, reg.status_, reg.errors_.shape) == (1, "optimal", (4, 3))
    train, test = next(iter(folds.split(rows)))
    alone = OptimalTreeRegressor(max_splits=1).fit(rows[train], y[train], weights[train])
    errors = (alone.predict(rows[test]) - y[test]) ** 2
    assert reg.errors_[0, 1] == pytest.approx(np.average(errors, weights=weights[test]))
    for objective in ("absolute_error", "poisson"):
        other = OptimalTreeRegressorCV(max_splits=1, cv=folds, objective=objective)
        assert other.fit(rows, np.abs(y)).max_splits_ == 1
    with pytest.raises(ValueError, match="objective='gini': choose one of 'squared_error'"):
        OptimalTreeRegressorCV(objective="gini").fit(rows, y)


def stopped(status: Any) -> Any:
    def path(*_: Any, max_splits: int, **__: Any) -> SizePath:
        leaf = Leaf(0, 2, (1, 1))
        one = Result(status, "some trees", 5, 2, 3, leaf, classes=(0, 1, 2))
        return SizePath((one,) * (max_splits + 1))

    return path


def test_a_limit_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "size_path", stopped("time_limit"))
    with pytest.warns(ConvergenceWarning) as caught:
        OptimalTreeClassifierCV(cv=3).fit(X, Y)
    texts = [str(warning.message) for warning in caught]
    assert "the searches of 3 of 3 folds stopped at a limit" in texts[0]
    assert "stopped at its time_limit" in texts[1]


def test_ctrl_c_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "size_path", stopped("interrupted"))
    with pytest.raises(KeyboardInterrupt, match="fold 1 of the cross-validation: no size"):
        OptimalTreeClassifierCV(cv=3).fit(X, Y)


def test_ctrl_c_after_the_folds_keeps_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def path(*given: Any, max_splits: int, **parameters: Any) -> SizePath:
        found = size_path(*given, max_splits=max_splits, **parameters)
        if len(given[0]) < len(X):
            return found
        return SizePath((*found[:-1], replace(found[-1], status="interrupted")))

    monkeypatch.setattr(choosing, "size_path", path)
    model = OptimalTreeClassifierCV(max_splits=2, cv=3, refit=lambda results: 1)
    with pytest.raises(KeyboardInterrupt, match="was proved: the estimator keeps it, and path_"):
        model.fit(X, Y)
    assert len(model.path_) == 3 and size(model.tree_) == 1
    assert model.score(X, Y) == pytest.approx(2 / 3)


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        OptimalTreeClassifierCV(max_splits=3, cv=2),
        OptimalTreeRegressorCV(max_splits=3, cv=2),
    ],
)
# For estimators that take categories, the checks round their data to a few whole numbers.
@pytest.mark.filterwarnings("ignore:The least populated class in y has only 1 members")
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


# --- Stopped paths ----------------------------------------------------------------------------


@pytest.mark.parametrize("splits", ["axis", "binary", "hyperplane"])
@pytest.mark.parametrize("limit", [0.0, 0.01, 0.05])
def test_a_stopped_path_never_rises(splits: str, limit: float) -> None:
    rng = np.random.default_rng(5)
    rows = 60 if splits == "hyperplane" else 700
    X = rng.integers(0, 2 if splits == "binary" else 9, (rows, 12 if splits != "hyperplane" else 3))
    y = (X[:, 0] + X[:, 1] + X[:, 2] + rng.integers(0, 2, rows) > X.max() * 1.6).astype(int)
    path = size_path(X, y, max_splits=5, splits=splits, time_limit=limit)
    assert path.objectives == sorted(path.objectives, reverse=True)
    assert path.lower_bounds == sorted(path.lower_bounds, reverse=True)
    for result in path:
        assert result.gap == result.objective - result.lower_bound >= 0
        assert (result.status == "optimal") == (result.gap == 0)
        assert result.objective == (tree.predict(result.tree, X) != y).sum()
    # A local search may find a tree without errors before the first look at the clock.
    assert limit > 0 or splits == "hyperplane" or path[-1].status == "time_limit"


@pytest.mark.parametrize("seed", range(30))
def test_results_that_agree_along_the_sizes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    best = np.sort(rng.integers(0, 20, 5))[::-1]
    found = []
    for k, optimum in enumerate(best.tolist()):
        cost = optimum + int(rng.integers(0, 4))
        bound = max(optimum - int(rng.integers(0, 4)), 0)
        status: Status = "optimal" if cost == bound else "time_limit"
        found.append(Result(status, "", cost, bound, cost - bound, Leaf(k)))
    agreed = never_rising(found)
    costs, bounds = [r.objective for r in agreed], [r.lower_bound for r in agreed]
    assert costs == [min(r.objective for r in found[: k + 1]) for k in range(5)]
    assert bounds == [max(r.lower_bound for r in found[k:]) for k in range(5)]
    for k, result in enumerate(agreed):
        assert bounds[k] <= best[k] <= costs[k] and result.gap == costs[k] - bounds[k]
        assert (result.status == "optimal") == (result.gap == 0)
        assert isinstance(result.tree, Leaf)
        assert found[int(result.tree.value)].objective == costs[k]


def test_sizes_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each gets an equal part of what is left; what it does not use goes to the others."""
    now, given = 100.0, []

    def engine(problem: Any, limits: Any, show: Any) -> Any:
        nonlocal now
        given.append(limits.seconds)
        now += limits.seconds / (2 if problem.max_splits == 2 else 1)
        return generic(problem, limits, show)

    monkeypatch.setattr("exactree.engines.Choice.for_problem", lambda *_: engine)
    monkeypatch.setattr("exactree.solving.perf_counter", lambda: now)
    monkeypatch.setattr("exactree.sizes.solving.perf_counter", lambda: now)
    X = np.arange(12.0)[:, None]
    y = np.array([1.0, 5, 2, 8, 3, 3, 9, 1, 7, 4, 4, 6])
    size_path(X, y, max_splits=5, task="regression", objective="absolute_error", time_limit=10.0)
    assert given == pytest.approx([2.0, 2.0, 7 / 3, 7 / 3, 7 / 3])
