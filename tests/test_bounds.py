"""Every bound against optima by the specification on random subsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import Case, optimum

from exactree import bounds
from exactree.objectives import SquaredError, Targets
from exactree.spec.bounds import equivalent_points
from exactree.spec.data import Sample, Samples
from exactree.spec.objectives import SQUARED, squared_error
from exactree.spec.programs import best_value
from exactree.spec.rules import axis_rules


class Line:
    """Random labelled points on a line or in the plane, their optima and thresholds."""

    def __init__(self, seed: int, min_samples_leaf: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.n = int(rng.integers(4, 10))
        self.X = np.arange(self.n, dtype=float)[:, None]
        if seed % 2:
            self.X = np.hstack([self.X, rng.integers(0, 3, size=(self.n, 1)).astype(float)])
        self.y = rng.integers(0, int(rng.integers(2, 4)), self.n)
        self.weights = rng.integers(1, 5, self.n).astype(float)
        self.budgets = {
            "max_depth": int(rng.integers(1, 3)),
            "max_splits": int(rng.integers(1, 4)),
            "min_samples_leaf": min_samples_leaf,
        }
        self.rng = rng

    def e(self, rows: NDArray[np.intp]) -> Any:
        """The optimum on some rows."""
        if not len(rows):
            return 0
        case = Case(self.X[rows], self.y[rows], self.weights[rows], self.budgets)
        return int(optimum(case))

    def between(self, a: int, b: int) -> int:
        return int(self.weights[a:b].sum())

    def left(self, t: int) -> Any:
        return self.e(np.arange(t))

    def right(self, t: int) -> Any:
        return self.e(np.arange(t, self.n))

    def cost(self, t: int) -> Any:
        return self.left(t) + self.right(t)


each_line = pytest.mark.parametrize("seed", range(30))


@each_line
def test_neighbour(seed: int) -> None:
    line = Line(seed)
    a, t, b = np.sort(line.rng.choice(np.arange(1, line.n), 3, replace=False)).tolist()
    cost = np.array(line.cost(t))
    for s in (a, b):
        gap = line.between(min(s, t), max(s, t))
        assert bounds.neighbour(np.array(line.cost(s)), np.array(gap)) <= cost


def test_a_row_limit_breaks_the_subset_bound() -> None:
    """Labels 0 0 1 1 with two rows a side cost 0; without one of them, 1."""
    budgets = {"max_depth": 1, "min_samples_leaf": 2}
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    assert optimum(Case(X, y, None, budgets)) == 0
    assert optimum(Case(X[1:], y[1:], None, budgets)) == 1


@each_line
def test_equal_rows(seed: int) -> None:
    line = Line(seed)
    columns = line.rng.integers(0, 2, size=(2, line.n)).astype(np.int32)
    order = np.lexsort((line.y, columns[1], columns[0]))
    y, weights = line.y.astype(np.int32), line.weights.astype(np.int64)
    conflicts = bounds.equal_rows(columns[:, order], y[order], weights[order])
    points = np.unique(columns[:, order], axis=1, return_inverse=True)[1].reshape(-1)
    ones = np.ones(line.n, dtype=np.int64)
    plain = bounds.equal_points(points.astype(np.int32), y[order])
    assert plain == bounds.equal_rows(columns[:, order], y[order], ones)
    full = Case(columns.T.astype(float), line.y, line.weights, {})
    assert conflicts == optimum(full), "an unlimited tree errs on conflicts alone"


@each_line
def test_caps(seed: int) -> None:
    """A child at its cap makes no better tree; penalties limit the splits of a better tree."""
    line = Line(seed)
    best, t = line.e(np.arange(line.n)), int(line.rng.integers(1, line.n))
    cap = bounds.child_cap(np.array(best), np.array(line.right(t)))
    assert (line.left(t) >= cap) == (line.cost(t) >= best)
    for leaf in range(12):
        for penalty in range(1, 4):
            k = bounds.useful_splits(leaf, penalty)
            assert k is not None
            assert k == 0 or k * penalty < leaf
            assert (k + 1) * penalty >= leaf


# --- Squared error ----------------------------------------------------------------------------


class Numbers(Line):
    """The same with numbers for labels; the cost is the squared error."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.y = self.rng.integers(-9, 9, self.n)

    def samples(self, rows: NDArray[np.intp]) -> Samples:
        return tuple(
            Sample(i, tuple(map(int, self.X[i])), int(self.y[i]), int(self.weights[i]))
            for i in rows.tolist()
        )

    def e(self, rows: NDArray[np.intp]) -> Any:
        """The optimum on some rows."""
        if not len(rows):
            return 0
        depth, splits = self.budgets["max_depth"], self.budgets["max_splits"]
        xs = self.samples(rows)
        return best_value(xs, axis_rules, SQUARED, max_depth=depth, max_splits=splits)

    def targets(self, rows: NDArray[np.intp]) -> Targets:
        values, places = np.unique(self.y[rows].astype(float), return_inverse=True)
        return Targets(places.reshape(-1), self.weights[rows], values)


@each_line
def test_squared_error_of_equal_rows(seed: int) -> None:
    line = Numbers(seed)
    rows = np.arange(line.n)
    columns = np.sort(line.rng.integers(0, 4, size=(1, line.n)).astype(np.int32))
    found = bounds.equal_rows_cost(columns, line.targets(rows), SquaredError())
    alike = [Sample(i, (int(columns[0, i]),), x.y, x.w) for i, x in enumerate(line.samples(rows))]
    assert found == pytest.approx(float(equivalent_points(squared_error, tuple(alike))), abs=1e-9)


def test_equal_rows_need_additive_and_superadditive_costs() -> None:
    targets = Targets(np.array([0, 1]), np.ones(2), np.array([0.0, 1.0]))
    assert bounds.equal_rows_cost(np.zeros((1, 2), np.int32), targets, SquaredError()) > 0

    class Alone(SquaredError):
        superadditive = False

    assert bounds.equal_rows_cost(np.zeros((1, 2), np.int32), targets, Alone()) == 0
