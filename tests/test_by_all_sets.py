"""Every objective and constraint against brute force over all sets of rows (`set_oracle.py`)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from set_oracle import Table, Trees, sums, surfaces, thresholds

import exactree
from exactree.objectives import Quantile, TweedieDeviance

Rng = np.random.Generator
Terms = dict[str, Any]
Sides = list[tuple[int, int]]
long = np.longdouble


def table(rng: Rng, most: int = 7, columns: int = 2) -> NDArray[Any]:
    """Draw few rows seldom and constant columns sometimes."""
    n = max(most - int(rng.geometric(0.5)) + 1, 1)
    values = rng.choice([1, 2, 3, 5, 9, 9])
    return rng.integers(0, values, (n, int(rng.integers(1, columns + 1)))).astype(float)


def budget(rng: Rng, n: int, depth: int = 3) -> Terms:
    levels = int(rng.choice([0, 1, 2, 2, depth, depth]))
    return {
        "max_depth": levels,
        "max_splits": int(rng.integers(0, 2**levels)) if rng.random() < 0.3 else None,
        "min_samples_leaf": int(rng.choice([1, 1, 1, 1, 2, 3])),
        "penalty": float(rng.choice([0, 0, 0, 0.125, 0.5])),
        "sample_weight": rng.integers(1, 6, n) if rng.random() < 0.4 else None,
    }


def weights(terms: Terms, n: int) -> NDArray[Any]:
    given = terms["sample_weight"]
    return np.ones(n, np.int64) if given is None else np.asarray(given, np.int64)


def by_columns(X: NDArray[Any]) -> Sides:
    return [(side, c) for c, column in enumerate(X.T) for side in thresholds(column)]


def trees(leaf: Any, sides: Sides, terms: Terms, n: int, **more: Any) -> Trees:
    """Give all trees; `leaf` is a table of all sets, or one for every state."""
    counts = sums(np.ones(n, np.int64))
    fits = counts >= max(terms["min_samples_leaf"], 1)
    price = terms["penalty"] * int(weights(terms, n).sum())
    of_state = leaf if callable(leaf) else lambda _: leaf
    return Trees(of_state, sides, fits, price, **more)


def least(every: Trees, terms: Terms, state: Any = None) -> Any:
    splits = terms["max_splits"]
    depth = terms["max_depth"]
    return every.optimum(depth, 2**depth - 1 if splits is None else splits, state)


def compare(right: Any, scale: Any, **asked: Any) -> None:
    """Solve, and compare with the least cost; `scale` is 0 where both are whole."""
    found = exactree.solve(n_jobs=1, **asked)
    assert found.status == "optimal" and found.lower_bound == found.objective
    if scale:
        assert found.objective == pytest.approx(float(right), rel=1e-9, abs=1e-14 * float(scale))
    else:
        assert found.objective == right


def costs_of(rng: Rng, n: int) -> NDArray[Any]:
    largest = int(rng.choice([1, 5, 1000, 10**12]))
    found = rng.integers(-largest, largest + 1, (n, int(rng.integers(2, 6))))
    return np.repeat(found[:1], n, axis=0) if rng.random() < 0.05 else found


def row_costs(rng: Rng) -> None:
    X = table(rng)
    n = len(X)
    costs, terms = costs_of(rng, n), budget(rng, n)
    leaf = sums(costs * weights(terms, n)[:, None]).min(axis=1)
    right = least(trees(leaf, by_columns(X), terms, n), terms)
    compare(right, np.abs(costs).max() if terms["penalty"] else 0, X=X, costs=costs, **terms)


def row_costs_over_surfaces(rng: Rng) -> None:
    X = table(rng)
    n = len(X)
    costs, terms = costs_of(rng, n), budget(rng, n, depth=2)
    sphere = bool(rng.random() < 0.4)
    mixed = bool(rng.random() < 0.3)
    family = "sphere" if sphere else "hyperplane"
    sides = [(side, 0) for side in surfaces(X, sphere=sphere)]
    if mixed:
        sides += by_columns(X)
    leaf = sums(costs * weights(terms, n)[:, None]).min(axis=1)
    right = least(trees(leaf, sides, terms, n), terms)
    scale = np.abs(costs).max() if terms["penalty"] else 0
    compare(right, scale, X=X, costs=costs, splits=["axis", family] if mixed else family, **terms)


def regression(rng: Rng, y: NDArray[Any], leaf: Any, scale: Any, X: Any, **asked: Any) -> None:
    terms = {**budget(rng, len(X)), "sample_weight": asked.pop("sample_weight")}
    right = least(trees(leaf, by_columns(X), terms, len(X)), terms)
    compare(right, scale, X=X, y=y, task="regression", **terms, **asked)


def some_weights(rng: Rng, n: int) -> tuple[Any, NDArray[Any]]:
    given = rng.integers(1, 6, n) if rng.random() < 0.5 else None
    return given, np.ones(n, np.int64) if given is None else given


def quantiles(rng: Rng) -> None:
    X = table(rng)
    given, w = some_weights(rng, len(X))
    y = rng.integers(-9, 10, len(X)) * int(rng.choice([1, 10**6]))
    tenths = int(rng.integers(1, 10))
    above = y[:, None] - y
    loss = np.where(above > 0, tenths * above, (tenths - 10) * above) * w[:, None]
    leaf = sums(loss).min(axis=1) / 10
    absolute = bool(rng.random() < 0.3)
    if absolute:
        leaf = sums(np.abs(above) * w[:, None]).min(axis=1)
    objective = "absolute_error" if absolute else Quantile(tenths / 10)
    regression(rng, y, leaf, np.abs(y).max() + 1, X, objective=objective, sample_weight=given)


def mean(total: Table, weight: Table) -> Table:
    return total / np.maximum(weight, 1)


def logarithm(x: Table) -> Table:
    return np.log(np.where(x > 0, x, 1))


def amounts(rng: Rng, n: int, *, zeros: bool) -> NDArray[Any]:
    y = rng.poisson(rng.choice([0.5, 3.0, 40.0]), n).astype(float)
    if rng.random() < 0.5:
        y = np.exp(rng.normal(0, rng.choice([0.1, 1.0, 3.0]), n))
        y[rng.random(n) < 0.3] = 0
    return y if zeros else np.maximum(y, 0.25)


def deviances(rng: Rng) -> None:
    X = table(rng)
    given, w = some_weights(rng, len(X))
    power = float(rng.choice([1, 1, 2, 2, 1.5, 1.1, 1.9, 1.7]))
    y = amounts(rng, len(X), zeros=power < 2)
    exact, p = y.astype(long), long(str(power))
    weight, total = sums(w.astype(long)), sums(w * exact)
    m = mean(total, weight)
    if power == 1:
        leaf = sums(w * exact * logarithm(exact)) - total * logarithm(m)
    elif power == 2:
        leaf = weight * logarithm(m) - sums(w * logarithm(exact))
    else:
        own = sums(w * exact ** (2 - p)) / ((1 - p) * (2 - p))
        leaf = own - weight * m ** (2 - p) * (1 / (1 - p) - 1 / (2 - p))
    name = {1.0: "poisson", 2.0: "gamma"}.get(power, TweedieDeviance(power))
    scale = 1e3 * (np.abs(sums(w * exact)).max() + 1)
    regression(rng, y, 2 * np.maximum(leaf, 0), scale, X, objective=name, sample_weight=given)


def survival(rng: Rng) -> None:
    X = table(rng)
    given, w = some_weights(rng, len(X))
    time = np.maximum(np.round(rng.exponential(5.0, len(X)), int(rng.integers(0, 4))), 0.5)
    event = rng.integers(0, 2, len(X)).astype(float)
    events, times = sums(w * event.astype(long)), sums(w * time.astype(long))
    hazard = events / np.maximum(times, long(0.5))
    leaf = -2 * (events * logarithm(hazard) + sums(w * event * np.log(time.astype(long))))
    y = np.column_stack([event, time])
    asked = {"objective": "exponential_survival", "sample_weight": given}
    regression(rng, y, np.maximum(leaf, 0), 1e3 * time.sum(), X, **asked)


def outputs(rng: Rng) -> None:
    X = table(rng)
    given, w = some_weights(rng, len(X))
    y = rng.integers(-9, 10, (len(X), int(rng.integers(2, 5))))
    weight, total = sums(w)[:, None], sums(w[:, None] * y)
    leaf = (sums(w[:, None] * y * y) - mean(total**2, weight).astype(long)).sum(axis=1)
    regression(rng, y, np.maximum(leaf, 0), 81 * len(X), X, sample_weight=given)


def shaped(rng: Rng) -> tuple[NDArray[Any], NDArray[Any], Terms, Table, Table, int]:
    """Draw a problem of two classes or of numbers, with costs and answers of all leaves."""
    numbers = bool(rng.random() < 0.25)
    X = table(rng, 5 if numbers else 7, 3)
    n = len(X)
    terms = budget(rng, n, depth=2)
    w = weights(terms, n)
    y = rng.integers(0, 3 if numbers else 2, n)
    total, ones, squares = sums(w), sums(w * y), sums(w * y * y)
    if not numbers:
        return X, y, terms, np.minimum(ones, total - ones), (2 * ones > total).astype(int), n
    leaf = squares - mean(ones**2, total)
    terms["task"] = "regression"
    # Means as places among all means: equal ones are equal.
    means = [Fraction(int(s), max(int(t), 1)) for s, t in zip(ones, total, strict=True)]
    order = sorted(set(means))
    return X, y.astype(float), terms, leaf, np.array([order.index(m) for m in means]), n


def monotone(rng: Rng) -> None:
    X, y, terms, leaf, answers, n = shaped(rng)
    way = [int(rng.integers(-1, 2)) for _ in range(X.shape[1])]

    def of_state(state: tuple[int, int]) -> Table:
        inside = (answers >= state[0]) & (answers <= state[1])
        return np.where(inside, leaf, np.inf)

    def ways(state: tuple[int, int], column: int) -> list[tuple[Any, Any]]:
        low, high = state
        if not way[column]:
            return [(state, state)]
        pairs = [((low, t), (t, high)) for t in range(low, high + 1)]
        return pairs if way[column] > 0 else [(b, a) for a, b in pairs]

    every = trees(of_state, by_columns(X), terms, n, ways=ways)
    right = least(every, terms, (0, int(answers.max())))
    compare(right, 100, X=X, y=y, monotonic_cst=way, **terms)


def interactions(rng: Rng) -> None:
    X, y, terms, leaf, _, n = shaped(rng)
    columns = X.shape[1]
    groups = [rng.choice(columns, int(rng.integers(1, columns + 1)), False).tolist() for _ in "ab"]
    if rng.random() < 0.3:
        groups = [[c] for c in range(columns)]
    rest = set(range(columns)) - {c for group in groups for c in group}
    listed = [frozenset(group) for group in [*groups, rest]]

    def ways(used: frozenset[int], column: int) -> list[tuple[Any, Any]]:
        below = used | {column}
        return [(below, below)] if any(below <= group for group in listed) else []

    every = trees(leaf, by_columns(X), terms, n, ways=ways)
    right = least(every, terms, frozenset())
    compare(right, 100, X=X, y=y, interaction_cst=groups, **terms)


def few_features(rng: Rng) -> None:
    X, y, terms, leaf, _, n = shaped(rng)
    most = int(rng.choice([0, 1, 1, 1, 2]))
    sides, columns = by_columns(X), X.shape[1]
    right = min(
        least(trees(leaf, [s for s in sides if s[1] in chosen], terms, n), terms)
        for chosen in combinations(range(columns), min(most, columns))
    )
    compare(right, 100, X=X, y=y, max_features_used=most, **terms)


KINDS = [
    row_costs,
    row_costs_over_surfaces,
    quantiles,
    deviances,
    survival,
    outputs,
    monotone,
    interactions,
    few_features,
]


@pytest.mark.parametrize("kind", KINDS)
def test_some(kind: Any) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(40):
        kind(rng)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", KINDS)
def test_many(kind: Any, seed: int) -> None:
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    for _ in range(1000):
        kind(rng)
