"""Losses of numbers in whole numbers: against brute force, plain recursions and each other."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import loss_oracle
import numpy as np
import pytest
from numpy.typing import NDArray
from regression_oracle import Oracle

import exactree
from exactree.engines.numbers import whole_numbers
from exactree.objectives import (
    AbsoluteError,
    ExponentialSurvival,
    GammaDeviance,
    Objective,
    PoissonDeviance,
    Quantile,
    TweedieDeviance,
)
from exactree.preparing import make_problem, read_data
from exactree.problem import Problem
from exactree.request import read_request
from exactree.splits import Axis

Rng = np.random.Generator
TOLERANCE = 1e-9
SEEDS = 8


def counts(rng: Rng, n: int) -> NDArray[Any]:
    return rng.poisson(rng.choice([0.3, 2.0, 40.0]), n).astype(float)


def amounts(rng: Rng, n: int) -> NDArray[Any]:
    found = np.exp(rng.normal(0, rng.choice([0.1, 1.0, 2.0]), n))
    return np.maximum(np.round(found, 3), 0.001) if rng.random() < 0.5 else found


def amounts_and_zeros(rng: Rng, n: int) -> NDArray[Any]:
    return np.where(rng.random(n) < 0.4, 0.0, amounts(rng, n))


def numbers(rng: Rng, n: int) -> NDArray[Any]:
    if rng.random() < 0.5:
        return rng.integers(-3, 4, n).astype(float)
    return np.asarray(rng.normal(1e6 * rng.random(), 1, n))


def lives(rng: Rng, n: int) -> NDArray[Any]:
    times = np.maximum(np.round(rng.exponential(5.0, n), int(rng.integers(0, 4))), 0.5)
    return np.column_stack([rng.integers(0, 2, n).astype(float), times])


Draw = Callable[[Rng, int], NDArray[Any]]
CASES: list[tuple[Objective, Draw]] = [
    (PoissonDeviance(), counts),
    (PoissonDeviance(), amounts_and_zeros),
    (GammaDeviance(), amounts),
    (TweedieDeviance(1.5), amounts_and_zeros),
    (TweedieDeviance(1.1), counts),
    (TweedieDeviance(1.9), amounts),
    (ExponentialSurvival(), lives),
    (AbsoluteError(), numbers),
    (Quantile(0.5), numbers),
    (Quantile(0.9), amounts),
    (Quantile(0.1234), numbers),
]
NAMES = [f"{o!r}-{draw.__name__}" for o, draw in CASES]


def leaf_of(objective: Objective, y: NDArray[Any], weights: Any) -> Callable[[Any], Fraction]:
    if isinstance(objective, ExponentialSurvival):
        return loss_oracle.survival(y[:, 0], y[:, 1], weights)
    if isinstance(objective, AbsoluteError):
        return loss_oracle.pinball(y, weights, Fraction(1), Fraction(1))
    if isinstance(objective, Quantile):
        share = Fraction(repr(objective.q))
        return loss_oracle.pinball(y, weights, share, 1 - share)
    return loss_oracle.deviance(y, weights, objective.power)  # type: ignore[attr-defined]


def drawn_columns(rng: Rng, n: int) -> NDArray[Any]:
    return rng.integers(0, rng.integers(2, 7), (n, rng.integers(1, 3))).astype(float)


def drawn_weights(rng: Rng, n: int) -> Any:
    kind = rng.integers(3)
    if kind == 0:
        return None
    return rng.integers(1, 6, n).astype(float) if kind == 1 else rng.random(n) + 0.01


def compared(objective: Objective, draw: Draw, seed: int, n: int, depth: int) -> bool:
    """Compare with every tree; tell whether whole numbers were enough for the proof."""
    rng = np.random.default_rng(seed)
    X, y, weights = drawn_columns(rng, n), draw(rng, n), drawn_weights(rng, n)
    terms: dict[str, Any] = {"max_depth": depth}
    if rng.random() < 0.4:
        terms["max_splits"] = int(rng.integers(1, 4))
    if rng.random() < 0.4:
        terms["penalty"] = float(rng.choice([0.01, 0.1, 0.5]))
    if rng.random() < 0.3:
        terms["min_samples_leaf"] = 2
    found = exactree.solve(
        X, y, task="regression", objective=objective, sample_weight=weights,
        n_jobs=int(rng.integers(1, 3)), **terms,
    )  # fmt: skip
    w = np.ones(n) if weights is None else weights
    oracle = Oracle(
        X.T.tolist(),
        leaf_of(objective, y, w.tolist()),
        penalty=Fraction(terms.get("penalty", 0)) * sum(map(Fraction, w.tolist())),
        min_rows=terms.get("min_samples_leaf", 1),
    )
    best = float(oracle.optimum(depth, terms.get("max_splits")))
    assert found.status == "optimal" and found.gap == 0
    assert best * (1 - 1e-10) - 1e-13 <= found.objective <= best * (1 + TOLERANCE) + 1e-13
    return "finished_in_numpy" not in found.stats


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize(("objective", "draw"), CASES, ids=NAMES)
def test_against_every_tree(objective: Objective, draw: Draw, seed: int) -> None:
    assert compared(objective, draw, seed, n=6 + seed % 5, depth=1 + seed % 3)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(SEEDS, 1000))
@pytest.mark.parametrize(("objective", "draw"), CASES, ids=NAMES)
def test_against_every_tree_often(objective: Objective, draw: Draw, seed: int) -> None:
    """Three of these have an optimum so near to zero that NumPy finishes them."""
    compared(objective, draw, seed, n=5 + seed % 8, depth=1 + seed % 3)


def problem_of(objective: Objective, X: Any, y: Any, weights: Any = None, **terms: Any) -> Problem:
    asked = {"task": "regression", "objective": objective, "max_depth": 2, **terms}
    request = read_request({**asked, "sample_weight": weights})
    data = read_data(X, y, request)
    return make_problem(data, Axis().sources(data.X), request)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("objective", "draw"), CASES, ids=NAMES)
def test_whole_errors(objective: Objective, draw: Draw, seed: int) -> None:
    """Superadditive in whole numbers, and as far from the loss as is said."""
    rng = np.random.default_rng(seed)
    n = 40
    X, y, weights = np.arange(n)[:, None], draw(rng, n), drawn_weights(rng, n)
    problem = problem_of(objective, X, y, weights)
    whole = whole_numbers(problem)
    assert whole is not None
    loss, targets = whole.loss.made, problem.targets()  # type: ignore[union-attr]
    worth = float(whole.price) / 2**whole.shift
    for _ in range(40):
        rows = rng.permutation(n)[: rng.integers(2, n)].astype(np.int32)
        cut = int(rng.integers(1, len(rows)))
        one, other, both = (loss.error(part) for part in (rows[:cut], rows[cut:], rows))
        assert one >= 0 and other >= 0 and one + other <= both
        exact = float(objective.cost(targets.take(rows)))
        slack = whole.lost + exact * (whole.raised + whole.lowered + 1e-12)  # type: ignore[union-attr]
        assert abs(both * worth - exact) <= slack + 1e-13 * worth


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("objective", "draw"), CASES, ids=NAMES)
def test_one_column(objective: Objective, draw: Draw, seed: int) -> None:
    """Trees over one column are divisions into runs: dynamic programming, hundreds of rows."""
    rng = np.random.default_rng(seed)
    n, splits = 120, 3
    y = draw(rng, n)
    problem = problem_of(objective, np.arange(n, dtype=float)[:, None], y)
    targets = problem.targets()
    statistics = objective.statistics(targets)
    sums = np.vstack([np.zeros(statistics.shape[1]), statistics.cumsum(axis=0)])
    start, stop = np.triu_indices(n + 1, 1)
    cost = np.full((n + 1, n + 1), np.inf)
    cost[start, stop] = objective.leaf_cost(sums[stop] - sums[start])
    best = cost[0]
    for _ in range(splits):
        best = np.minimum(best, (best[:, None] + cost).min(axis=0))
    found = exactree.solve(
        np.arange(n)[:, None], y, task="regression", objective=objective, max_splits=splits
    )
    assert found.status == "optimal"
    assert found.objective == pytest.approx(best[n], rel=1e-8, abs=1e-9 * float(cost[0, n]))


@pytest.mark.parametrize(("objective", "draw"), CASES, ids=NAMES)
def test_native_and_generic(objective: Objective, draw: Draw) -> None:
    """Two columns, depth two, a hundred rows; threads, instruction sets and sizes agree."""
    rng = np.random.default_rng(7)
    X, y = rng.random((90, 2)), draw(rng, 90)
    terms: dict[str, Any] = {"task": "regression", "objective": objective, "max_depth": 2}
    native = exactree.solve(X, y, **terms)
    assert native.objective == pytest.approx(
        exactree.solve(X, y, engine="generic", **terms).objective, rel=2e-9
    )
    assert exactree.solve(X, y, n_jobs=3, **terms).tree == native.tree
    path = exactree.size_path(X, y, max_splits=3, **terms)
    assert path[-1].objective == pytest.approx(native.objective, rel=2e-9)


def test_predictions() -> None:
    X = [[0.0], [0.0], [1.0], [1.0]]
    zeros = exactree.OptimalTreeRegressor(objective="poisson", max_depth=1).fit(X, [0, 0, 2, 5])
    assert zeros.predict([[0.0], [1.0]]).tolist() == [0.0, 3.5]
    low = exactree.OptimalTreeRegressor(objective=Quantile(0.5), max_depth=1)
    assert low.fit(X, [1, 2, 7, 8]).predict([[0.0], [1.0]]).tolist() == [1.0, 7.0]
    middle = exactree.OptimalTreeRegressor(objective="absolute_error", max_depth=1)
    assert middle.fit(X, [1, 2, 7, 8]).predict([[0.0], [1.0]]).tolist() == [1.5, 7.5]


def test_survival_as_structured_array() -> None:
    X = np.arange(6.0)[:, None]
    event, time = np.array([1, 1, 1, 0, 1, 0], bool), np.array([1.0, 2.0, 1.5, 9.0, 8.0, 12.0])
    y = np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])
    one = exactree.OptimalTreeRegressor(objective="exponential_survival", max_depth=1).fit(X, y)
    two = exactree.solve(
        X, np.column_stack([event, time]), task="regression", max_depth=1,
        objective="exponential_survival",
    )  # fmt: skip
    assert one.tree_ == two.tree
    assert one.predict([[0.0], [5.0]]).tolist() == [3 / 4.5, 1 / 29]


@pytest.mark.parametrize(
    ("objective", "y", "message"),
    [
        ("poisson", [1.0, -2.0], "at least 0, and one is -2"),
        ("tweedie", [1.0, -2.0], "at least 0, and one is -2"),
        ("gamma", [1.0, 0.0], "above 0, and one is 0"),
        ("exponential_survival", [1.0, 2.0], "two columns, event and time"),
        ("exponential_survival", [[1.0, 2.0], [0.0, 0.0]], "above 0"),
        ("exponential_survival", [[-1.0, 2.0], [0.0, 1.0]], "counts events"),
        ("absolute_error", [[1.0, 2.0], [0.0, 1.0]], "one target per row"),
    ],
)
def test_refused_targets(objective: str, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exactree.solve([[0.0], [1.0]], y, task="regression", objective=objective, max_depth=1)


@pytest.mark.parametrize("q", [0, 1, -0.5, 1.5, float("nan"), True])
def test_refused_quantiles(q: float) -> None:
    with pytest.raises(ValueError, match="not above 0 and below 1"):
        Quantile(q)


@pytest.mark.parametrize("power", [0, 0.5, 2.5, 3])
def test_refused_powers(power: float) -> None:
    with pytest.raises(ValueError, match="not from 1 to 2"):
        TweedieDeviance(power)


def test_stopped_searches_have_a_bound() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 10)), rng.poisson(3.0, 3000)
    for objective in ("poisson", "absolute_error"):
        found = exactree.solve(
            X, y, task="regression", objective=objective, max_depth=4, time_limit=0.3
        )
        assert found.status == "time_limit"
        assert 0 <= found.lower_bound <= found.objective
