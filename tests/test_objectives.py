"""Objectives keep the promises they declare, and false promises are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum, inf
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score

import exactree
from exactree import _native, tree
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
from exactree.objectives.running import running_quantiles
from exactree.objectives.sums import FEW, exact_sum
from exactree.tree import size
from exactree.weights import COST_LIMIT

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
    assert not isinstance(value, tuple)
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


def test_costs_beyond_60_bits() -> None:
    costs = CostMatrix([[0, 2**55], [2**55, 0]])
    with pytest.raises(ValueError, match=r"below 1.153e.18, 60 bits: divide the costs"):
        exactree.solve([[0], [1]], [0, 1], max_depth=1, objective=costs, sample_weight=[300, 1])


def test_what_the_search_takes_for_infinity_is_what_is_refused() -> None:
    assert _native.COST_LIMIT == COST_LIMIT


@pytest.mark.parametrize("cost", [2**58, 2**59, 2**62, 2**64, 1e30, 1e300])
@pytest.mark.parametrize("engine", ["auto", "generic", "brute_force"])
def test_costs_near_the_limit(cost: float, engine: str) -> None:
    """Four rows: up to a fourth of the limit it is solved, from there on refused."""
    line, labels = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match="have to stay below"):
        exactree.solve(
            line, labels, max_depth=2, objective=CostMatrix([[0, cost], [cost, 0]]), engine=engine
        )
    most = 2**58 - 2**6
    costs = CostMatrix([[0, most], [most, 0]])
    for depth, errors in ((0, 2), (1, 1), (2, 0)):
        found = exactree.solve(line, labels, max_depth=depth, objective=costs, engine=engine)
        assert (found.status, found.objective) == ("optimal", errors * most)
    path = exactree.size_path(line, labels, max_splits=3, objective=costs)
    assert path.objectives == [2 * most, most, most, 0]


@pytest.mark.parametrize("penalty", [5e-324, 1e-300, 1e-18, 1e18, 1e300, 1e308])
@pytest.mark.parametrize("most", [1, 2**57])
def test_penalties_that_are_tiny_or_huge_beside_the_costs(penalty: float, most: int) -> None:
    line, labels = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    costs = CostMatrix([[0, most], [most, 0]])
    found = exactree.solve(line, labels, max_depth=2, penalty=penalty, objective=costs)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(0 if penalty < 1 and most > 4 * penalty else 2 * most)
    for loss in ("absolute_error", "poisson"):
        how: Any = {"task": "regression", "objective": loss, "penalty": penalty}
        found = exactree.solve(line, labels, max_depth=2, **how)
        assert found.status == "optimal"
        assert (size(found.tree) == 0) == (penalty > 1)


def test_a_cost_of_ones_own_is_refused_at_the_limit_too() -> None:
    class Most(Objective):
        name = "most"
        integral = True
        additive = False

        def __init__(self, unit: int) -> None:
            self.unit = unit

        def leaf_cost(self, statistics: Any) -> Any:
            return (statistics.sum(axis=-1) - statistics.max(axis=-1)) * self.unit

        def combine(self, left: Any, right: Any) -> Any:
            return np.maximum(left, right)

    line, labels = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    found = exactree.solve(line, labels, max_depth=1, objective=Most(2**58), penalty=1e30)
    assert found.objective == 2**59
    with pytest.raises(ValueError, match=r"'most' times the weights add up to 1.153e"):
        exactree.solve(line, labels, max_depth=1, objective=Most(2**59))


def test_a_cost_that_is_no_float_is_not_rounded_in_silence() -> None:
    with pytest.raises(ValueError, match="the cost 9007199254740993 is no float64"):
        CostMatrix([[0, 2**53 + 1], [1, 0]])


def running(targets: Targets, orders: Any) -> Any:
    """The costs of all first parts, each by itself, from the definition."""
    y, w = targets.y, targets.weights
    return np.array(
        [
            [
                min(float(w[o[:k]] @ np.abs(y[o[:k]] - m)) for m in y[o[:k]])
                for k in range(1, len(o) + 1)
            ]
            for o in orders
        ]
    )


@pytest.mark.parametrize("seed", range(40))
def test_running_medians(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, values = int(rng.integers(1, 40)), int(rng.integers(1, 12))
    numbers = np.sort(rng.normal(size=values) * 10.0 ** rng.integers(-3, 4)) + rng.choice([0, 1e6])
    weights = rng.choice([np.ones(n), rng.integers(1, 4, n), rng.random(n) + 0.01])
    targets = Targets(rng.integers(0, values, n), weights, np.unique(numbers))
    orders = np.stack([rng.permutation(n) for _ in range(3)])
    wanted = running(targets, orders)
    assert np.allclose(
        running_quantiles(targets, orders), wanted, rtol=0, atol=1e-12 * wanted.max()
    )
    for k in range(1, n + 1):
        assert AbsoluteError().cost(targets.take(orders[0, :k])) == pytest.approx(wanted[0, k - 1])


@pytest.mark.parametrize("seed", range(12))
def test_absolute_error_is_the_same_with_and_without_statistics(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, (30, 3)).astype(float)
    y = rng.choice([rng.integers(0, 5, 30), rng.normal(size=30), rng.integers(0, 2, 30) * 1e9])
    how: Any = {
        "task": "regression",
        "objective": "absolute_error",
        "max_depth": 3,
        "min_samples_leaf": int(rng.integers(1, 3)),
        "sample_weight": rng.choice([np.ones(30), rng.integers(1, 4, 30)]),
    }
    plain = exactree.solve(X, y, **how)
    monkeypatch.setattr("exactree.objectives.quantiles.FEW_ROWS", 0)
    found = exactree.solve(X, y, **how)
    assert found.status == plain.status == "optimal"
    assert found.objective == pytest.approx(plain.objective, rel=1e-9)


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
    with pytest.raises(
        ValueError, match="objective='gini' is unknown: choose one of 'error', 'f1', "
    ):
        as_objective("gini")
    with pytest.raises(ValueError, match="'mcc' does not decompose: it is no combination of costs"):
        as_objective("mcc")
    with pytest.raises(ValueError, match="is for regression, the task is 'classification': pass"):
        as_objective(SquaredError())
    with pytest.raises(TypeError, match=r"abstract .*leaf_cost"):
        Objective()  # type: ignore[abstract]


def test_a_subclass_of_absolute_error_keeps_its_own_cost() -> None:
    class Squeezed(AbsoluteError):
        name = "squeezed"
        monotone = superadditive = False

        def leaf_cost(self, statistics: Any) -> Any:
            return np.sqrt(super().leaf_cost(statistics))

        def influence(self, targets: Any) -> Any:
            return None

    rng = np.random.default_rng(0)
    X, y = rng.random((60, 1)), rng.random(60)
    found = exactree.solve(X, y, task="regression", objective=Squeezed(), max_depth=1)
    leaf = float(np.sqrt(np.abs(y - np.median(y)).sum()))
    assert found.objective == pytest.approx(leaf) and size(found.tree) == 0


@pytest.mark.parametrize("seed", range(40))
def test_sums_have_all_digits(seed: int) -> None:
    """Numbers of like and of unlike size, that nearly cancel out, and the smallest there are."""
    rng = np.random.default_rng(seed)
    n = FEW + seed
    spread = float(rng.choice([0, 3, 30, 300, 900]))
    values = rng.normal(size=n) * 2.0 ** np.rint(rng.uniform(-spread, spread, n))
    for given in (
        values,
        np.concatenate([values, -values[::-1], [1e-20]]),
        rng.integers(-5, 6, n) * 5e-324,
        np.full(n, 1e300),
        np.append(values, inf),
        np.arange(n),
    ):
        assert exact_sum(given) == fsum(given)
