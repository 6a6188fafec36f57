"""The generic engine against the specification: every objective, budget and pruning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, load_iris

import exactree
from exactree import tree
from exactree.engines import choose, generic, screening, search
from exactree.engines.generic import Search
from exactree.objectives import CostMatrix, MisclassificationError, Objective, SquaredError
from exactree.preparing import make_problem, read_data
from exactree.problem import Limits, Problem
from exactree.request import read_request
from exactree.spec import objectives as spec_objectives
from exactree.spec.constraints import min_leaf
from exactree.spec.data import Number, Sample, Samples
from exactree.spec.programs import best_value
from exactree.spec.rules import axis_rules
from exactree.splits import Axis

# --- Objectives beyond those of the library ---------------------------------------------------


@dataclass(frozen=True)
class WorstLeaf(Objective):
    """The errors of the worst leaf: the combination is the maximum."""

    name = "worst_leaf"
    additive = False
    monotone = True
    integral = True

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(statistics.sum(axis=-1) - statistics.max(axis=-1))

    def combine(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.maximum(left, right))


@dataclass(frozen=True)
class Worthless(Objective):
    """Squared error without a single promise: nothing may be pruned by it."""

    name = "worthless"
    task = "regression"

    def leaf_cost(self, statistics: NDArray[Any]) -> NDArray[Any]:
        w, s, q = np.moveaxis(statistics, -1, 0)
        return np.asarray(np.maximum(q - s * s / w, 0))


@dataclass(frozen=True)
class Promising(Worthless):
    """The same with the promises that it keeps."""

    name = "promising"
    monotone = True
    superadditive = True


@dataclass(frozen=True)
class Scaled(Worthless):
    """Half the larger side and all of the smaller one: non-decreasing, and no more."""

    name = "scaled"
    additive = False
    dominates = False

    def combine(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.maximum(left, right) / 2 + np.minimum(left, right) / 4)


def scaled(a: Number, b: Number) -> Number:
    return Fraction(max(a, b)) / 2 + Fraction(min(a, b)) / 4


COSTS = [[0, 2, 7], [1, 0, 3], [4, 4, 1]]


def costs_of(xs: Samples) -> Number:
    return min(sum(x.w * COSTS[int(x.y)][p] for x in xs) for p in range(3))


def absolute(xs: Samples) -> Number:
    targets = {Fraction(x.y) for x in xs}
    sums = [sum((x.w * abs(Fraction(x.y) - p) for x in xs), Fraction(0)) for p in targets]
    return min(sums, default=Fraction(0))


SPEC: list[tuple[Objective | str, spec_objectives.Objective]] = [
    ("error", spec_objectives.WEIGHTED_ZERO_ONE),
    (CostMatrix(COSTS, classes=[0, 1, 2]), spec_objectives.Objective("costs", costs_of, add)),
    (WorstLeaf(), spec_objectives.MAX_ERROR),
    ("squared_error", spec_objectives.SQUARED),
    ("absolute_error", spec_objectives.Objective("absolute", absolute, add)),
    (Worthless(), spec_objectives.SQUARED),
    (Scaled(), spec_objectives.Objective("scaled", spec_objectives.squared_error, scaled)),
]
SWITCHES = [
    frozenset[str](),
    frozenset({"interval"}),
    frozenset({"neighbour"}),
    frozenset({"cache"}),
    frozenset({"screen"}),
    frozenset({"interval", "neighbour", "cache", "screen"}),
]


@dataclass(frozen=True)
class Case:
    X: NDArray[np.float64]
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    max_depth: int | None
    max_splits: int | None
    min_samples_leaf: int
    penalty: float

    def given(self) -> dict[str, Any]:
        given = {name: of for name, of in vars(self).items() if name not in ("X", "y", "weights")}
        return {**given, "sample_weight": self.weights}


def random_case(rng: np.random.Generator, task: str) -> Case:
    n = int(rng.integers(1, 11))
    X = rng.integers(0, int(rng.integers(2, 8)), size=(n, int(rng.integers(1, 3)))).astype(float)
    y: NDArray[Any] = rng.integers(0, 3, n)
    y[: min(n, 3)] = np.arange(min(n, 3))
    if task == "regression":
        y = rng.integers(-8, 9, n) * float(rng.choice([1.0, 0.25, 1e4]))
    depth = int(rng.integers(0, 4)) if rng.random() < 0.8 else None
    splits = int(rng.integers(0, 5)) if depth is None or rng.random() < 0.4 else None
    weights = None
    if rng.random() < 0.5:
        weights = rng.integers(1, 4, n).astype(np.float64) * float(rng.choice([1, 0.25]))
    penalty = float(rng.choice([0.0, 0.0, 0.125, 0.5, 3.0, 50.0]))
    return Case(X, y, weights, depth, splits, int(rng.choice([1, 1, 1, 2, 3])), penalty)


def problem_of(case: Case, objective: Objective) -> Problem:
    request = read_request({**case.given(), "task": objective.task, "objective": objective})
    data = read_data(case.X, case.y, request)
    fitted = replace(request, objective=objective.for_classes(data.classes))
    return make_problem(data, Axis().sources(data.X), fitted)


def optimum(case: Case, objective: spec_objectives.Objective) -> Number:
    weights = np.ones(len(case.y)) if case.weights is None else case.weights
    rows = zip(case.X.tolist(), case.y.tolist(), weights.tolist(), strict=True)
    xs = tuple(
        Sample(i, tuple(map(Fraction, x)), Fraction(y), Fraction(w))
        for i, (x, y, w) in enumerate(rows)
    )
    return best_value(
        xs,
        axis_rules,
        objective,
        max_depth=case.max_depth,
        max_splits=case.max_splits,
        penalty=Fraction(case.penalty) * Fraction(float(weights.sum())),
        constraint=min_leaf(case.min_samples_leaf),
    )


def compare(seed: int, which: int) -> None:
    rng = np.random.default_rng([seed, which])
    given, spec = SPEC[which]
    objective = MisclassificationError() if given == "error" else given
    if isinstance(objective, str):
        objective = exactree.objectives.as_objective(objective, "regression")
    case = random_case(rng, objective.task)
    problem = problem_of(case, objective)
    found = generic(problem, Limits(), without=SWITCHES[int(rng.integers(len(SWITCHES)))])
    exact = optimum(case, spec)
    price = Fraction(problem.price(found.objective))
    tolerance = Fraction(1, 10**11) if objective.integral else Fraction(1, 10**9)
    assert found.status == "optimal"
    assert abs(price - exact) <= tolerance * max(exact, Fraction(1, 10**3)), (case, found)


@pytest.mark.parametrize(
    "which", range(len(SPEC)), ids=[s.name + str(i) for i, (_, s) in enumerate(SPEC)]
)
def test_equal_to_the_specification(which: int) -> None:
    for seed in range(250):
        compare(seed, which)


@pytest.mark.fuzz
@pytest.mark.parametrize("which", range(len(SPEC)))
def test_equal_to_the_specification_at_length(which: int) -> None:
    start = int(np.random.default_rng().integers(10**9))
    for seed in range(start, start + 5000):
        compare(seed, which)


@pytest.mark.parametrize(
    "splits", ["axis", "binary", "hyperplane", "sphere", ["axis", "hyperplane"]], ids=str
)
@pytest.mark.parametrize("seed", range(12))
def test_every_way_through_solve(splits: Any, seed: int) -> None:
    """Split families, weights and leaf limits as a user gives them; brute force is the judge."""
    rng = np.random.default_rng(seed)
    columns = 3 if splits in ("axis", "binary") else 2
    X = rng.integers(0, 2 if splits == "binary" else 4, size=(9, columns)).astype(float)
    budgets: dict[str, Any] = {"max_depth": int(rng.integers(1, 4))}
    budgets["penalty"] = float(rng.choice([0, 0.2]))
    if rng.random() < 0.3:
        budgets["max_splits"] = 2
    if rng.random() < 0.3:
        budgets["min_samples_leaf"] = 2
    weights = rng.integers(0, 3, 9) + (np.arange(9) == 0)
    for y, task, objective in (
        (rng.integers(0, 5, 9), "regression", "poisson"),
        (rng.normal(size=9), "regression", "squared_error"),
        (np.arange(9) % 3, "classification", CostMatrix([[0, 1, 0.1], [0.7, 0, 2], [1, 1, 0]])),
    ):
        given: dict[str, Any] = {**budgets, "task": task, "objective": objective, "splits": splits}
        given["sample_weight"] = weights if task == "regression" else None
        found = exactree.solve(X, y, **given)
        judged = exactree.solve(X, y, **given, engine="brute_force")
        assert found.objective == pytest.approx(judged.objective, rel=1e-9, abs=1e-12)
        assert found.status == judged.status == "optimal"


def test_it_agrees_with_the_native_search() -> None:
    X, y = load_iris(return_X_y=True)
    for budgets in ({"max_depth": 2}, {"max_splits": 3}, {"max_depth": 3, "penalty": 0.01}):
        native = exactree.solve(X, y, **budgets)
        assert exactree.solve(X, y, **budgets, engine="generic").objective == native.objective


def test_a_penalty_that_leaves_use_for_fewer_splits_than_the_budget() -> None:
    rng = np.random.default_rng(0)
    for _ in range(12):
        X, y = rng.integers(0, 7, (14, 3)), rng.integers(0, 3, 14)
        budgets: dict[str, Any] = {"max_splits": 6, "penalty": 0.08}
        native = exactree.solve(X, y, **budgets)
        found = exactree.solve(X, y, **budgets, engine="generic")
        assert found.objective == pytest.approx(native.objective, rel=1e-12)


# --- Prunings ---------------------------------------------------------------------------------


def nodes(problem: Problem, *without: str) -> int:
    return int(generic(problem, Limits(), without=frozenset(without)).stats["nodes"])


def noisy_problem() -> Problem:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 6, size=(30, 3)).astype(float), rng.integers(0, 2, 30)
    return problem_of(Case(X, y, None, 3, None, 1, 0.0), MisclassificationError())


def test_every_pruning_pays_somewhere() -> None:
    X, y = load_iris(return_X_y=True)
    budget = Case(X, y, None, 2, None, 1, 0.0)
    squares = problem_of(Case(X, X[:, 3] ** 2, None, 2, None, 1, 0.0), SquaredError())
    errors = problem_of(budget, MisclassificationError())
    assert nodes(squares, "screen") < nodes(squares, "screen", "interval") / 2
    assert nodes(errors, "screen") < nodes(errors, "screen", "neighbour")
    assert nodes(errors) < nodes(errors, "screen") / 2
    three = noisy_problem()
    assert nodes(three) < nodes(three, "cache")


@pytest.mark.parametrize("block", [1, 3, 16])
@pytest.mark.parametrize("which", range(4))
def test_screening_in_blocks_loses_nothing(
    which: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More rows than a block has, few thresholds at once, ties, weights, least counts."""
    monkeypatch.setattr(screening, "BLOCK", block)
    monkeypatch.setattr(screening, "MOST", 5)
    for seed in range(3):
        rng = np.random.default_rng([seed, which, block])
        case = replace(random_case(rng, "regression"), max_depth=2, max_splits=None)
        n = int(rng.integers(17, 50))
        X = rng.integers(0, int(rng.integers(2, 40)), (n, int(rng.integers(1, 4)))).astype(float)
        y = rng.integers(0, 3, n) if which < 2 else rng.integers(-9, 9, n) + X[:, 0]
        weights = rng.integers(1, 5, n).astype(np.float64) / 4 if rng.random() < 0.5 else None
        case = replace(case, X=X, y=y, weights=weights, penalty=case.penalty / 64)
        objective = [MisclassificationError(), WorstLeaf(), SquaredError(), Promising()][which]
        problem = problem_of(case, objective)
        found = generic(problem, Limits())
        plain = generic(problem, Limits(), without=frozenset({"screen"}))
        assert found.status == plain.status == "optimal"
        assert found.objective == pytest.approx(plain.objective, rel=1e-9, abs=1e-9)


def test_a_full_cache_starts_again() -> None:
    problem = noisy_problem()
    small = generic(problem, Limits(memory=4000))
    assert small.objective == generic(problem, Limits()).objective
    search = Search(problem, Limits(memory=4000), None, frozenset())
    search.run()
    assert len(search.cache) <= 4000 // 600


def test_row_limits_keep_the_interval_bound_through_the_relaxed_problem() -> None:
    X, y = load_diabetes(return_X_y=True)
    problem = problem_of(Case(X[:120, :4], y[:120], None, 2, None, 8, 0.0), SquaredError())
    free, plain = generic(problem, Limits()), generic(problem, Limits(), without=SWITCHES[-1])
    assert free.objective == pytest.approx(plain.objective, rel=1e-9)
    assert free.stats["nodes"] < plain.stats["nodes"] / 2


# --- Stopping ---------------------------------------------------------------------------------


def test_stopped_at_any_time_the_bound_is_valid() -> None:
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:100, :3], y[:100]
    terms: dict[str, Any] = {"task": "regression", "max_depth": 3, "engine": "generic"}
    best = exactree.solve(X, y, **terms).objective
    for limit in (0.0, 0.01, 0.03, 0.1):
        found = exactree.solve(X, y, **terms, time_limit=limit)
        assert found.lower_bound <= best * (1 + 1e-9)
        assert best <= found.objective * (1 + 1e-9)
        seconds, objectives, bounds = zip(*found.history, strict=True)
        assert list(seconds) == sorted(seconds)
        assert (np.diff(objectives) <= 1e-9 * best).all()
        assert bounds[-1] == found.lower_bound


def test_equal_rows_bound_a_stopped_search() -> None:
    found = exactree.solve([[0], [0], [1]], [0.0, 2.0, 5.0], task="regression", max_depth=1)
    assert found.objective == 2
    problem = problem_of(
        Case(np.array([[0.0], [0], [1]]), np.array([0.0, 2, 5]), None, 1, None, 1, 0.0),
        SquaredError(),
    )
    stopped = generic(problem, Limits(seconds=0.0))
    assert stopped.status == "time_limit"
    assert stopped.lower_bound == pytest.approx(2)
    assert stopped.objective == pytest.approx(38 / 3)


def test_interrupted_it_keeps_the_best_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_diabetes(return_X_y=True)
    calls = 0
    evaluate = Search.evaluate

    def interrupted(self: Search, *arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        return evaluate(self, *arguments)

    monkeypatch.setattr(Search, "evaluate", interrupted)
    found = exactree.solve(X, y, task="regression", max_depth=2, engine="generic")
    assert found.status == "interrupted"
    assert found.lower_bound < found.objective
    assert tree.size(found.tree) == 3


def test_a_failing_callback_ends_the_search() -> None:
    def fail(progress: exactree.Progress) -> None:
        raise LookupError(progress.objective)

    line: dict[str, Any] = {"task": "regression", "max_depth": 1, "engine": "generic"}
    with pytest.raises(LookupError):
        exactree.solve([[0], [1]], [0.0, 1.0], on_progress=fail, **line)


def test_auto_chooses_the_native_search_for_what_it_knows() -> None:
    for known in (MisclassificationError(), SquaredError(), CostMatrix([[0, 1], [1, 0]])):
        assert choose("auto", known).engine is search
    assert choose("auto", CostMatrix([[0, 0.5], [1, 0]])).engine is generic
    assert choose("auto", Worthless()).engine is generic
