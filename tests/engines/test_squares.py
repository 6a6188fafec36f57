"""Squared error on the native search: against the specification, and in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import exactree
from exactree import _native, tree
from exactree.engines import search, squares
from exactree.objectives import CostMatrix
from exactree.objectives.sums import squared_error
from exactree.preparing import make_problem, read_data
from exactree.problem import Limits, Problem
from exactree.request import read_request
from exactree.spec.constraints import min_leaf
from exactree.spec.data import Sample
from exactree.spec.objectives import SQUARED
from exactree.spec.programs import best_value
from exactree.spec.rules import axis_rules
from exactree.splits import Axis

PRUNINGS = list(_native.prunings())
ISAS = _native.instruction_sets()


@dataclass(frozen=True)
class Case:
    """A tiny regression problem with its terms."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    max_depth: int
    max_splits: int | None
    min_samples_leaf: int
    penalty: float

    @property
    def kept(self) -> NDArray[np.intp]:
        """The rows that have any weight."""
        ones = np.ones(len(self.y))
        return np.flatnonzero(ones if self.weights is None else self.weights)

    def posed(self) -> Problem:
        given = {name: of for name, of in vars(self).items() if name not in ("X", "y", "weights")}
        request = read_request({"task": "regression", "sample_weight": self.weights, **given})
        data = read_data(self.X, self.y, request)
        return make_problem(data, Axis().sources(data.X), request)

    def optimum(self) -> Fraction:
        """What the specification says, in exact arithmetic."""
        ones = np.ones(len(self.y))
        weights = (ones if self.weights is None else self.weights)[self.kept].tolist()
        xs = tuple(
            Sample(i, tuple(map(Fraction, x)), Fraction(y), Fraction(w))
            for i, (x, y, w) in enumerate(
                zip(self.X[self.kept].tolist(), self.y[self.kept].tolist(), weights, strict=True)
            )
        )
        penalty = Fraction(self.penalty) * sum((x.w for x in xs), Fraction(0))
        found = best_value(
            xs,
            axis_rules,
            SQUARED,
            max_depth=self.max_depth,
            max_splits=self.max_splits,
            penalty=penalty,
            constraint=min_leaf(self.min_samples_leaf),
        )
        return Fraction(found)

    def total(self) -> float:
        weights = None if self.weights is None else self.weights[self.kept]
        y = self.y[self.kept]
        return float(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)) * (
            len(y) if weights is None else float(weights.sum())
        )


def drawn(seed: int) -> Case:
    """Ties, duplicates, large offsets, targets of many sizes, all kinds of weights and budgets."""
    rng = np.random.default_rng(seed)
    n, columns = int(rng.integers(1, 10)), int(rng.integers(1, 4))
    targets: tuple[NDArray[Any], ...] = (
        rng.integers(0, 4, n).astype(float),
        rng.normal(size=n),
        rng.integers(0, 3, n) + 1e9,
        rng.normal(size=n) * 10.0 ** rng.integers(-6, 7, n),
    )
    weights = (None, None, rng.integers(0, 4, n).astype(float), rng.random(n))
    chosen = weights[int(rng.integers(0, 4))]
    y = targets[int(rng.integers(0, 4))]
    return Case(
        X=rng.integers(0, int(rng.integers(2, 7)), size=(n, columns)).astype(float),
        y=y,
        weights=chosen if chosen is None or chosen.any() else None,
        max_depth=int(rng.integers(1, 4)),
        max_splits=None if rng.random() < 0.5 else int(rng.integers(0, 6)),
        min_samples_leaf=int(rng.choice([1, 1, 2, 3])),
        penalty=0.0 if rng.random() < 0.6 else float(rng.random() * 0.3 * y.var()),
    )


@pytest.mark.parametrize("block", range(10))
def test_equal_to_the_specification(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        case, rng = drawn(seed), np.random.default_rng(seed)
        problem = case.posed()
        if problem.max_depth == 0:
            continue
        off = 0 if rng.random() < 0.5 else int(rng.integers(0, 2 ** len(PRUNINGS)))
        found = search(
            problem,
            Limits(threads=int(rng.integers(1, 3))),
            switches=off,
            isa=ISAS[int(rng.integers(0, len(ISAS)))],
        )
        optimum = float(case.optimum())
        assert found.status == "optimal"
        assert found.objective == pytest.approx(optimum, rel=1e-9, abs=1e-14 * case.total()), seed


def wide(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rows for several words, so that scans by blocks have something to skip."""
    rng = np.random.default_rng(seed)
    n, columns = int(rng.integers(2, 230)), int(rng.integers(1, 4))
    values = rng.integers(0, int(rng.choice([2, 4, 30, 1000])), size=(columns, n))
    ranks = np.stack([np.unique(v, return_inverse=True)[1] for v in values]).astype(np.int32)
    sums = np.rint(rng.normal(size=n) * 2.0 ** rng.choice([2, 20, 38]))
    given = {"ranks": ranks, "sums": sums}
    if seed % 3 == 0:
        given["weights"] = rng.integers(1, 2 ** int(rng.choice([2, 20, 40])), n).astype(float)
        given["counts"] = rng.integers(1, 4, n).astype(np.int32)
    total = float((sums / given.get("weights", 1.0)) @ sums)
    terms = {
        "shift": max(int(np.frexp(total)[1]) - 56, n.bit_length() + 1),
        "max_depth": int(rng.integers(1, 3)),
        "min_rows": int(rng.choice([1, 1, 2, 20])),
        "penalty": int(rng.choice([0, 2**30])),
    }
    if seed % 2:
        terms |= {"max_splits": int(rng.integers(0, 4)), "sizes": True}
    return given, terms


@pytest.mark.parametrize("seed", range(40))
def test_all_instruction_sets_and_switches_agree_to_the_unit(seed: int) -> None:
    given, terms = wide(seed)
    every: list[dict[str, Any]] = [{"isa": isa} for isa in ISAS]
    every += [{"threads": 2}]
    every += [{"switches": 1 << PRUNINGS.index(name)} for name in ("jump", "floor", "sub_interval")]
    results = [_native.search_squares(**given, **terms, **options) for options in every]
    assert {r.status for r in results} == {"optimal"}
    assert len({tuple(r.size_objectives) for r in results}) == 1
    assert all(r.size_objectives == r.size_lower_bounds for r in results)
    assert results[0].tree == results[len(ISAS)].tree  # one thread and two


# --- Stopping, order of rows ------------------------------------------------------------------


def noisy(rows: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4)).round(2)
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + X[:, 2] * (X[:, 3] > 0) + rng.normal(size=rows)


def test_stopped_at_any_time_the_bound_is_valid() -> None:
    X, y = noisy(250)
    terms: dict[str, Any] = {"task": "regression", "max_depth": 3}
    best = exactree.solve(X, y, **terms).objective
    for limit in (0.0, 0.002, 0.01, 0.05):
        found = exactree.solve(X, y, **terms, time_limit=limit)
        assert found.lower_bound <= best * (1 + 1e-9)
        assert best <= found.objective * (1 + 1e-9)
        assert found.status in ("optimal", "time_limit")


def test_interrupted_it_keeps_the_best_tree() -> None:
    def interrupt(progress: exactree.Progress) -> None:
        assert progress.lower_bound <= progress.objective
        raise KeyboardInterrupt

    X, y = noisy(2000)
    found = exactree.solve(X, y, task="regression", max_depth=5, on_progress=interrupt)
    assert found.status == "interrupted"
    # At least the single leaf, whose sum has its digits in another order.
    assert 0 <= found.lower_bound < found.objective < (1 + 1e-12) * ((y - y.mean()) ** 2).sum()


def test_order_repetition_and_threads_change_nothing() -> None:
    X, y = noisy(120)
    rng = np.random.default_rng(1)
    reg = exactree.OptimalTreeRegressor(max_depth=3)
    once = exactree.solve(X, y, task="regression", max_depth=3)
    order = rng.permutation(len(y))
    mixed = exactree.solve(X[order], y[order], task="regression", max_depth=3, n_jobs=2)
    assert mixed.objective == once.objective
    # Means are sums in the order of the rows: their last digits are not compared.
    assert tree.to_text(mixed.tree) == tree.to_text(once.tree)
    weights = rng.integers(0, 3, len(y))
    many = np.repeat(np.arange(len(y)), weights)
    heavy = reg.fit(X, y, sample_weight=weights).objective_
    assert heavy == pytest.approx(reg.fit(X[many], y[many]).objective_, rel=1e-12)


def test_columns_of_two_values_and_mixtures() -> None:
    X, y = noisy(60)
    bits = (X > 0).astype(float)
    for splits in ("binary", ["binary", "axis"]):
        terms: dict[str, Any] = {"task": "regression", "splits": splits, "max_depth": 3}
        found = exactree.solve(bits, y, **terms, engine="search")
        assert found.objective == pytest.approx(
            exactree.solve(bits, y, **terms, engine="generic").objective, rel=1e-9
        )


# --- Whole numbers ----------------------------------------------------------------------------


def test_sums_are_whole_and_add_up_exactly() -> None:
    for seed in range(60):
        case = drawn(seed)
        problem = case.posed()
        found = squares.whole_squares(problem, problem.targets().y)
        assert (found.sums == np.rint(found.sums)).all()
        assert np.abs(found.sums).sum() < 2**53
        assert found.weights is None or found.weights.sum() < 2**53


def test_gaps_are_shortened_without_changing_any_good_leaf() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        y = np.concatenate([rng.normal(size=6), 1e9 + rng.normal(size=5), [-1e12]])
        best = float(rng.uniform(5, 50))
        closer = squares.without_gaps(y, np.ones(len(y)), best)
        assert (np.argsort(closer) == np.argsort(y)).all()
        assert np.ptp(closer) < 100
        for _ in range(20):
            rows = rng.permutation(len(y))[: rng.integers(1, len(y) + 1)]
            ones = np.ones(len(rows))
            before = squared_error(y[rows], ones)
            after = squared_error(closer[rows], ones)
            assert (before > best and after > best) or after == pytest.approx(before, rel=1e-5)


def test_squared_error_keeps_its_digits() -> None:
    y = np.array([0.1, 0.4, 0.5, 7.25])
    exact = [Fraction(v) + 2**30 for v in y.tolist()]
    mean = sum(exact) / 4
    loss = float(sum((v - mean) ** 2 for v in exact))
    assert squared_error(y, np.ones(4)) == pytest.approx(loss, rel=1e-15)


def segmented(y: NDArray[np.float64], parts: int) -> float:
    """The least squared error of that many intervals: every tree of one column is made of them."""
    n = len(y)
    sums, squares_of = (np.concatenate([[0.0], np.cumsum(v)]) for v in (y, y * y))
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    for _ in range(parts):
        ends, best = best, np.full(n + 1, np.inf)
        for b in range(1, n + 1):
            size, total = b - np.arange(b), sums[b] - sums[:b]
            error = squares_of[b] - squares_of[:b] - total * total / size
            best[b] = min(float((ends[:b] + error).min()), ends[b])
        best[0] = 0.0
    return float(best[n])


@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_rows_of_one_column_are_cut_into_the_best_intervals(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(size=220))
    y = np.round(100 * np.sin(3 * x) + 40 * rng.normal(size=220))
    found = exactree.solve(x[:, None], y, max_depth=3, task="regression")
    assert found.objective == pytest.approx(segmented(y, 8), rel=1e-9)


# --- Cost matrices ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_cost_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(2, 16)), int(rng.integers(2, 5))
    X = rng.integers(0, 5, size=(n, int(rng.integers(1, 4)))).astype(float)
    y = np.unique(rng.integers(0, classes, n), return_inverse=True)[1]
    costs = rng.integers(0, 6, size=(y.max() + 1, y.max() + 1))
    terms: dict[str, Any] = {
        "objective": CostMatrix(costs.tolist()),
        "max_depth": int(rng.integers(1, 4)),
        "penalty": float(rng.choice([0.0, 0.1])),
        "min_samples_leaf": int(rng.choice([1, 2])),
        "sample_weight": None if seed % 2 else rng.integers(1, 4, n),
    }
    found = exactree.solve(X, y, **terms, engine="search")
    assert found.objective == exactree.solve(X, y, **terms, engine="generic").objective
    assert found.status == "optimal"
