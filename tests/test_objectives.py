"""Objectives keep the promises they declare, and false promises are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score

import exactree
from exactree import tree
from exactree.objectives import (
    AbsoluteError,
    CostMatrix,
    MisclassificationError,
    Objective,
    PoissonDeviance,
    SquaredError,
    Targets,
    as_objective,
    check_declarations,
)

OBJECTIVES = [
    MisclassificationError(),
    CostMatrix([[0, 2, 7], [1, 0, 3], [4, 4, 1]]),
    CostMatrix([[0, 0.5, 0.7], [1, 0, 3], [4, 0.1, 1]]),
    SquaredError(),
    AbsoluteError(),
    PoissonDeviance(),
]
each_objective = pytest.mark.parametrize(
    "objective", OBJECTIVES, ids=[f"{o.name}{i}" for i, o in enumerate(OBJECTIVES)]
)


def random_targets(objective: Objective, seed: int, n: int = 12) -> Targets:
    rng = np.random.default_rng(seed)
    if objective.task == "classification":
        weights = rng.integers(1, 6, n)
        return Targets(rng.integers(0, 3, n), weights, np.arange(3))
    values = np.unique(rng.integers(0, 9, 6) * float(rng.choice([1, 0.1, 100])))
    return Targets(rng.integers(0, len(values), n), rng.random(n) + 0.1, values)


def cost(objective: Objective, targets: Targets) -> float:
    return float(objective.leaf_cost(objective.statistics(targets).sum(axis=0)))


def subsets(n: int, rng: np.random.Generator) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for _ in range(30):
        whole = np.flatnonzero(rng.random(n) < rng.random())
        if len(whole) > 1:
            yield whole[: int(rng.integers(1, len(whole)))], whole


@each_objective
@pytest.mark.parametrize("seed", range(10))
def test_declared_properties(objective: Objective, seed: int) -> None:
    targets = random_targets(objective, seed)
    influence = objective.influence(targets)
    rng = np.random.default_rng(seed)
    for part, whole in subsets(len(targets), rng):
        rest = np.setdiff1d(whole, part)
        a, b = cost(objective, targets.take(part)), cost(objective, targets.take(whole))
        slack = 0 if objective.integral else 1e-10 * (1 + b)
        assert objective.monotone and a <= b + slack
        assert objective.superadditive
        assert a + cost(objective, targets.take(rest)) <= b + slack
        if influence is not None:
            assert b <= a + influence[rest].sum() + slack
        if objective.integral:
            assert objective.leaf_cost(objective.statistics(targets)).dtype.kind == "i"


@each_objective
@pytest.mark.parametrize("seed", range(10))
def test_the_prediction_attains_the_cost(objective: Objective, seed: int) -> None:
    """Against the definition: the least sum of losses over one prediction."""
    targets = random_targets(objective, seed)
    y, w = targets.y, targets.weights

    def loss(p: float) -> float:
        if isinstance(objective, MisclassificationError):
            return float(w[y != p].sum())
        if isinstance(objective, CostMatrix):
            return float((w * objective.matrix()[y, int(p)]).sum())
        if isinstance(objective, SquaredError):
            return float(w @ (y - p) ** 2)
        if isinstance(objective, AbsoluteError):
            return float(w @ np.abs(y - p))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(y > 0, y * np.log(y / p), 0)
        return float(2 * w @ (logs - y + p))

    found, value = cost(objective, targets), objective.prediction(targets)
    assert found == pytest.approx(loss(value), rel=1e-9)
    if objective.task == "classification":
        assert found == pytest.approx(min(map(loss, range(3))))
    else:
        best = minimize_scalar(loss, bounds=(y.min() + 1e-12, y.max()), method="bounded")
        assert found <= best.fun * (1 + 1e-9)


@each_objective
def test_true_declarations_pass(objective: Objective) -> None:
    for seed in range(5):
        check_declarations(objective, random_targets(objective, seed, n=60))


# --- False declarations -----------------------------------------------------------------------


@dataclass(frozen=True)
class Gini(Objective):
    """Weight times Gini's impurity: written as a user would."""

    name = "gini"
    monotone = True
    superadditive = True

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        total = statistics.sum(axis=-1)
        return np.asarray(total - (statistics**2).sum(axis=-1) / total)


@dataclass(frozen=True)
class MeanError(Gini):
    name = "mean_error"
    superadditive = False

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(1 - statistics.max(axis=-1) / statistics.sum(axis=-1))


@dataclass(frozen=True)
class Shrugging(Gini):
    name = "shrugging"

    def influence(self, targets: Targets) -> NDArray[Any]:
        return targets.weights / 10


@dataclass(frozen=True)
class Root(Gini):
    name = "root"

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.sqrt(super().leaf_cost(statistics)))


@dataclass(frozen=True)
class Whole(Gini):
    name = "whole"
    integral = True


@dataclass(frozen=True)
class Negative(Gini):
    name = "negative"

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(-statistics.sum(axis=-1))


@dataclass(frozen=True)
class Worst(Gini):
    name = "worst"

    def combine(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.maximum(left, right))


@dataclass(frozen=True)
class Falling(Worst):
    name = "falling"
    additive = False

    def combine(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.where(np.asarray(left) == 0, 100.0, left + right))


@dataclass(frozen=True)
class Least(Worst):
    name = "least"
    additive = False

    def combine(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.minimum(left, right))


@dataclass(frozen=True)
class OneAtATime(Gini):
    name = "one_at_a_time"

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(statistics.sum() - statistics.max())


@dataclass(frozen=True)
class Flat(Gini):
    name = "flat"

    def statistics(self, targets: Targets) -> NDArray[Any]:
        return np.asarray(targets.weights)


FALSE = [
    (MeanError(), r"'mean_error' promises to be monotone, but rows \[.*\] cost .*, rows \[.*\] al"),
    (Shrugging(), r"'shrugging' promises the influence .*, the others are said to add at most"),
    (Root(), r"'root' promises to be superadditive, .*: set superadditive = False"),
    (Whole(), r"'whole' promises integral costs, but rows .*: set integral = False"),
    (Negative(), r"'negative' promises costs that are finite and not negative, but rows"),
    (Worst(), r"'worst' promises to be additive, but combine\(.*: set additive = False"),
    (Falling(), r"'falling' promises a non-decreasing combine, but combine\("),
    (Least(), r"'least' promises to dominate, but combine\(0, .*\) is 0: set dominates = False"),
    (OneAtATime(), r"leaf_cost of objective 'one_at_a_time' gives shape \(\) for 160 leaves"),
    (Flat(), r"statistics of objective 'flat' have shape \(30,\) for 30 rows"),
]


@pytest.mark.parametrize(("objective", "message"), FALSE, ids=[o.name for o, _ in FALSE])
def test_false_declarations_are_refused_with_a_counterexample(
    objective: Objective, message: str
) -> None:
    rng = np.random.default_rng(0)
    data, labels = rng.random((30, 2)), rng.integers(0, 3, 30)
    with pytest.raises(ValueError, match=message):
        exactree.solve(data, labels, max_depth=1, objective=objective)


def test_the_counterexample_is_one() -> None:
    labels = np.array([0, 1, 0, 0, 1, 0])
    targets = Targets(labels, np.ones(6), np.arange(2))
    with pytest.raises(ValueError, match="monotone") as caught:
        check_declarations(MeanError(), targets)
    whole, part = (
        eval(piece.split("]")[0] + "]") for piece in str(caught.value).split("rows ")[1:3]
    )
    assert set(part) < set(whole)
    assert cost(MeanError(), targets.take(part)) > cost(MeanError(), targets.take(whole))


def test_an_objective_of_ones_own() -> None:
    data, labels = load_iris(return_X_y=True)
    found = exactree.solve(data, labels, max_depth=2, objective=Gini())
    assert found.status == "optimal"
    ends = tree.apply(found.tree, data)
    shares = [np.bincount(labels[ends == e]) / (ends == e).sum() for e in np.unique(ends)]
    sizes = [(ends == e).sum() for e in np.unique(ends)]
    gini = sum(n * (1 - s @ s) for n, s in zip(sizes, shares, strict=True))
    assert found.objective == pytest.approx(gini)


# --- Costs and weights ------------------------------------------------------------------------


def test_costs_move_the_prediction() -> None:
    costs = CostMatrix([[0, 1], [10, 0]])
    found = exactree.solve([[0]] * 5, ["a"] * 4 + ["b"], max_depth=1, objective=costs)
    assert (found.tree, found.objective) == (tree.Leaf(1, 5, (4, 1), 4), 4)


def test_named_classes_choose_their_costs() -> None:
    costs = CostMatrix([[0, 1, 9], [2, 0, 9], [5, 5, 0]], classes=["x", "y", "z"])
    line = [[0.0], [0.0], [0.0]]
    found = exactree.solve(line, ["z", "x", "x"], max_depth=1, objective=costs)
    # Predict x: 5 for the z; predict z: 9 for each x.
    assert (found.objective, found.classes) == (5, ("x", "z"))
    with pytest.raises(ValueError, match="no row for class 'w': add it to classes"):
        exactree.solve(line, ["w", "x", "x"], max_depth=1, objective=costs)
    with pytest.raises(ValueError, match=r"costs have 2 rows and y has 3 classes \(a, b, c\)"):
        exactree.solve(line, ["a", "b", "c"], max_depth=1, objective=CostMatrix([[0, 1], [1, 0]]))


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1]], r"shape \(1, 2\): give a square table"),
        ([[0, -1], [1, 0]], "finite and not negative: add a constant"),
        ([["a"]], "no table of numbers"),
    ],
)
def test_bad_costs(costs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CostMatrix(costs)
    with pytest.raises(ValueError, match="are not 2 different ones"):
        CostMatrix([[0, 1], [1, 0]], classes=["a", "a"])


def test_costs_beyond_64_bits() -> None:
    costs = CostMatrix([[0, 2**55], [2**55, 0]])
    with pytest.raises(ValueError, match="leave 64 bits: divide the costs"):
        exactree.solve([[0], [1]], [0, 1], max_depth=1, objective=costs, sample_weight=[300, 1])


def test_balanced_accuracy_through_weights() -> None:
    data, labels = load_iris(return_X_y=True)
    some = np.flatnonzero((labels != 1) | (np.arange(150) % 5 == 0))
    data, labels = data[some, :2], labels[some]
    found = exactree.solve(data, labels, max_depth=2, class_weight="balanced")
    predicted = tree.predict(found.tree, data)
    accuracy = balanced_accuracy_score(labels, predicted)
    assert found.objective == pytest.approx(len(labels) * (1 - accuracy))


def test_names() -> None:
    assert as_objective(None, "regression") == SquaredError()
    assert as_objective("poisson", "regression") == PoissonDeviance()
    with pytest.raises(ValueError, match="objective='gini' is unknown: choose one of 'error', or"):
        as_objective("gini")
    with pytest.raises(ValueError, match="'f1' does not decompose: it is no combination of costs"):
        as_objective("f1")
    with pytest.raises(ValueError, match="is for regression, the task is 'classification': pass"):
        as_objective(SquaredError())
    with pytest.raises(TypeError, match=r"abstract .*leaf_cost"):
        Objective()  # type: ignore[abstract]
