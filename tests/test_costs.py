"""Costs per row and answer, and policy trees, as a user meets them."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

import exactree
from exactree.objectives import CostMatrix
from exactree.tree import leaves


def least_cost(
    X: NDArray[Any], costs: list[list[Fraction]], depth: int, least: int, penalty: Fraction
) -> Fraction:
    """Give the least cost of all trees, from the user's numbers as fractions."""

    @cache
    def best(rows: tuple[int, ...], depth: int) -> Fraction:
        found = min(sum((costs[i][a] for i in rows), Fraction(0)) for a in range(len(costs[0])))
        if not depth:
            return found
        for column in X.T:
            for low in np.unique(column[list(rows)])[:-1]:
                left = tuple(i for i in rows if column[i] <= low)
                right = tuple(i for i in rows if column[i] > low)
                if min(len(left), len(right)) >= least:
                    both = best(left, depth - 1) + best(right, depth - 1)
                    found = min(found, both + penalty)
        return found

    return best(tuple(range(len(X))), depth)


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    n, answers = int(rng.integers(1, 8)), int(rng.integers(2, 5))
    costs: NDArray[Any] = rng.integers(-5, 6, (n, answers))
    if rng.random() < 0.4:
        costs = rng.normal(size=(n, answers)) * rng.choice([1e-9, 1.0, 1e9])
    weights = rng.integers(0, 4, n).astype(float) if rng.random() < 0.4 else None
    if weights is not None:
        weights[0] += 1
    return {
        "X": rng.integers(0, rng.integers(1, 7), (n, int(rng.integers(1, 3)))).astype(float),
        "costs": costs,
        "sample_weight": weights,
        "max_depth": int(rng.integers(0, 3)),
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
        "penalty": float(rng.choice([0, 0, 0.25])),
    }


def check(problem: dict[str, Any]) -> None:
    X, costs, weights = problem["X"], problem["costs"], problem["sample_weight"]
    ones = np.ones(len(X)) if weights is None else weights
    kept = np.flatnonzero(ones)
    exact = [[Fraction(c) * Fraction(ones[i]) for c in costs[i].tolist()] for i in kept]
    penalty = Fraction(problem["penalty"]) * Fraction(float(ones.sum()))
    right = least_cost(X[kept], exact, problem["max_depth"], problem["min_samples_leaf"], penalty)
    for engine in ("auto", "generic", "brute_force"):
        found = exactree.solve(**problem, engine=engine)
        assert found.status == "optimal" and found.objective == found.lower_bound
        largest = max(abs(float(max(map(max, exact)))), 1e-300)
        assert found.objective == pytest.approx(float(right), rel=1e-12, abs=1e-12 * largest)
        if costs.dtype.kind == "i" and not problem["penalty"]:
            assert found.objective == right
        paid = sum(leaf.cost for leaf in leaves(found.tree))
        splits = len(leaves(found.tree)) - 1
        assert paid + splits * float(penalty) == pytest.approx(
            found.objective, rel=1e-9, abs=1e-9 * largest
        )


def test_all_engines_against_all_trees() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        check(drawn(rng))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_many_problems_against_all_trees(seed: int) -> None:
    rng = np.random.default_rng(50 + seed)
    for _ in range(1000):
        check(drawn(rng))


def over_surfaces(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a problem whose splits are surfaces, or these beside thresholds."""
    problem = drawn(rng)
    families = ["hyperplane", ["axis", "hyperplane"], "sphere"]
    splits = families[int(rng.integers(len(families)))]
    most = int(rng.integers(0, 4)) if rng.random() < 0.3 else None
    return {**problem, "splits": splits, "max_splits": most}


def agree(problem: dict[str, Any]) -> None:
    """Compare the native search with two engines that know nothing of its bounds."""
    found = [exactree.solve(**problem, engine=e) for e in ("auto", "generic", "brute_force")]
    largest = float(np.abs(problem["costs"]).max())
    for one in found:
        assert one.status == "optimal"
        assert one.objective == pytest.approx(found[-1].objective, rel=1e-12, abs=1e-11 * largest)


def test_surfaces_are_searched_natively() -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        agree(over_surfaces(rng))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_many_surfaces(seed: int) -> None:
    rng = np.random.default_rng(700 + seed)
    for _ in range(1000):
        agree(over_surfaces(rng))


def test_sizes_over_surfaces() -> None:
    rng = np.random.default_rng(8)
    X, costs = rng.normal(size=(14, 2)), rng.integers(0, 9, (14, 3))
    given: dict[str, Any] = {"splits": "hyperplane", "max_depth": 2}
    path = exactree.size_path(X, costs=costs, max_splits=3, **given)
    for k, found in enumerate(path):
        alone = exactree.solve(X, costs=costs, max_splits=k, engine="generic", **given)
        assert found.objective == alone.objective and found.status == "optimal"


def test_surfaces_of_any_size_have_a_local_search() -> None:
    rng = np.random.default_rng(9)
    X, normals = rng.normal(size=(150, 3)), rng.normal(size=(2, 3))
    sides = X @ normals.T > 0
    best = np.where(sides[:, 0], np.where(sides[:, 1], 0, 1), 2)
    costs = rng.normal(size=(150, 12)) / 2
    costs[np.arange(150), best] -= 2
    found = exactree.solve(X, costs=costs, splits="hyperplane", max_depth=2, engine="local")
    axis = exactree.solve(X, costs=costs, max_depth=2)
    ideal = costs[np.arange(150), best].sum()
    assert found.status == "local" and costs.min(axis=1).sum() <= found.lower_bound + 1e-9
    assert found.objective < (axis.objective + 3 * ideal) / 4
    assert sum(leaf.cost for leaf in leaves(found.tree)) == pytest.approx(found.objective)


def table(n: int = 400, answers: int = 3, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draw rows and rewards, mostly noise, whose best action depends on two columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    rewards = rng.normal(size=(n, answers))
    rewards[np.arange(n), np.add(X[:, 0] > 0, X[:, 1] > 0.5, dtype=int)] += 0.7
    return X, rewards


def test_a_cost_matrix_is_a_case_of_it() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 3)), rng.integers(0, 3, 150)
    matrix = np.array([[0, 1, 4], [2, 0, 1], [7, 3, 0]])
    by_class = exactree.solve(X, y, max_depth=2, objective=CostMatrix(matrix.tolist()))
    by_row = exactree.solve(X, costs=matrix[y], max_depth=2)
    assert by_row.objective == by_class.objective
    assert by_row.tree.split == by_class.tree.split  # type: ignore[union-attr]


@pytest.mark.parametrize("matrix", [[[0, 1], [5, 0]], [[0, 0], [3, 0]], [[1, 4], [2, 0]]])
def test_a_matrix_of_two_classes(matrix: list[list[int]]) -> None:
    """Without costs of what is right it is searched as weights, also over binary columns."""
    rng = np.random.default_rng(3)
    for columns in (rng.normal(size=(60, 2)), rng.integers(0, 2, (60, 5))):
        y = rng.integers(0, 2, 60)
        weights = rng.integers(1, 10**6, 60)
        found = exactree.solve(
            columns, y, max_depth=3, objective=CostMatrix(matrix), sample_weight=weights
        )
        costs = np.array(matrix)[y] * weights[:, None]
        assert found.objective == exactree.solve(columns, costs=costs, max_depth=3).objective


def test_a_constant_for_all_answers_changes_the_cost_alone() -> None:
    X, rewards = table()
    shift = np.random.default_rng(2).integers(-1000, 1000, (len(X), 1)) * 2.0**-10
    one, other = (exactree.solve(X, costs=c, max_depth=2) for c in (-rewards, shift - rewards))
    assert other.objective == pytest.approx(one.objective + float(shift.sum()), rel=1e-12)
    assert [leaf.value for leaf in leaves(one.tree)] == [leaf.value for leaf in leaves(other.tree)]


def test_weights_are_repetitions() -> None:
    X, rewards = table(60)
    weights = np.random.default_rng(3).integers(0, 3, 60)
    one = exactree.solve(X, costs=-rewards, max_depth=2, sample_weight=weights)
    rows = np.repeat(np.arange(60), weights)
    other = exactree.solve(X[rows], costs=-rewards[rows], max_depth=2)
    assert one.objective == pytest.approx(other.objective, rel=1e-12)


def test_sizes_and_penalties() -> None:
    X, rewards = table(120)
    path = exactree.size_path(X, costs=-rewards, max_splits=3, max_depth=2)
    for k, found in enumerate(path):
        alone = exactree.solve(X, costs=-rewards, max_splits=k, max_depth=2)
        assert found.objective == alone.objective and found.status == "optimal"
    prices = exactree.penalty_path(X, costs=-rewards, max_splits=3, max_depth=2)
    paid = exactree.solve(X, costs=-rewards, max_depth=2, penalty=0.2)
    chosen = prices.at(0.2)
    assert chosen is not None
    splits = len(leaves(chosen.tree)) - 1
    assert paid.objective == pytest.approx(chosen.objective + splits * 0.2 * 120, rel=1e-9)


def test_no_depth_but_a_penalty() -> None:
    X, rewards = table(40)
    found = exactree.solve(X, costs=-rewards, penalty=0.2)
    assert found.status == "optimal"
    assert found.objective <= exactree.solve(X, costs=-rewards, penalty=0.2, max_depth=1).objective


@pytest.mark.parametrize("splits", ["axis", "hyperplane", ["axis", "sphere"]])
def test_families_agree_with_brute_force(splits: Any) -> None:
    X, rewards = table(9)
    X = np.round(X[:, :2] * 3)
    terms = {"costs": -rewards, "max_depth": 2, "splits": splits}
    best = exactree.solve(X, **terms, engine="brute_force")
    found = exactree.solve(X, **terms)
    assert found.status == "optimal" and found.objective == pytest.approx(best.objective)


def test_categories_and_missing_values() -> None:
    X, rewards = table(60)
    frame = pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(np.where(X[:, 1] > 0.5, "u", "v"))})
    frame.loc[3, "a"] = np.nan
    found = exactree.solve(frame, costs=-rewards, max_depth=2)
    assert found.status == "optimal" and found.feature_names == ("a", "kind")


def test_a_stopped_search_has_a_tree_and_a_bound() -> None:
    X, rewards = table(3000, 5)
    found = exactree.solve(X, costs=-rewards, max_depth=4, time_limit=0.3)
    assert found.status == "time_limit" and found.lower_bound < found.objective
    assert found.lower_bound >= -rewards.max(axis=1).sum() - 1e-6


@pytest.mark.parametrize(
    ("costs", "more", "said"),
    [
        ([[1.0, np.nan], [0.0, 1.0]], {}, r"costs\[0, 1\] is nan"),
        ([[1.0, 2.0], [-np.inf, 1.0]], {}, r"costs\[1, 0\] is -inf"),
        ([[1.0], [2.0]], {}, "one column"),
        ([[], []], {}, "shape"),
        ([1.0, 2.0], {}, "shape"),
        ([[1.0, 2.0]], {}, "1 rows, X has 2"),
        ([["a", "b"], ["c", "d"]], {}, "no table of numbers"),
        ([[0, 1], [1, 0]], {"y": [0, 1]}, "y does not go"),
        ([[0, 1], [1, 0]], {"objective": "error"}, "objective"),
        ([[0, 1], [1, 0]], {"class_weight": "balanced"}, "class_weight"),
        ([[0, 1], [1, 0]], {"task": "regression"}, "task"),
        ([[1e308, -1e308], [1.0, 0.0]], {}, "divide"),
        (None, {}, "y is None"),
    ],
)
def test_bad_costs_are_refused(costs: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        exactree.solve([[1.0], [2.0]], costs=costs, max_depth=1, **more)


def test_weights_of_leaves_need_weights_that_are_one() -> None:
    with pytest.raises(ValueError, match="min_samples_leaf"):
        exactree.solve(
            [[1.0], [2.0]],
            costs=[[0, 1], [1, 0]],
            max_depth=1,
            sample_weight=[1, 2],
            min_weight_fraction_leaf=0.5,
        )


def test_a_policy_tree() -> None:
    X, rewards = table()
    policy = exactree.OptimalPolicyTree(max_depth=2).fit(X, rewards)
    actions = policy.predict(X)
    value = rewards[np.arange(len(X)), actions].mean()
    assert policy.policy_value_ == policy.score(X, rewards) == pytest.approx(value)
    assert policy.objective_ == pytest.approx(-value * len(X), rel=1e-12)
    assert policy.status_ == "optimal" and policy.result_.classes == (0, 1, 2)
    assert value > rewards.mean(axis=0).max()
    fresh = table(seed=1)
    assert policy.policy_value(*fresh) > fresh[1].mean(axis=0).max()
    assert cross_val_score(clone(policy), X, rewards, cv=3).mean() > 0


def test_actions_have_the_names_of_the_columns() -> None:
    X, rewards = table()
    frame = pd.DataFrame(rewards, columns=["none", "drug", "surgery"])
    policy = exactree.OptimalPolicyTree(max_depth=2).fit(X, frame)
    assert set(policy.predict(X)) <= {"none", "drug", "surgery"}
    assert "surgery" in str(policy)
    with pytest.raises(ValueError, match="2 columns"):
        policy.policy_value(X, frame[["none", "drug"]])


class WithoutTreatment(exactree.OptimalPolicyTree):
    """Takes one column of rewards, as scikit-learn's checks make them, beside those of nothing."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X, self._both(y), sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return super().score(X, self._both(y), sample_weight)

    def _both(self, rewards: Any) -> Any:
        if rewards is None:
            raise ValueError("requires y to be passed, but the target y is None")
        column = np.asarray(rewards).reshape(-1, 1)
        return np.hstack([np.zeros_like(column), column])


def test_the_checks_of_scikit_learn() -> None:
    found = check_estimator(WithoutTreatment(max_depth=1), on_fail=None, on_skip=None)
    failed = [(one["check_name"], one["exception"]) for one in found if one["status"] == "failed"]
    assert not failed
