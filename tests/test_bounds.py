"""Every bound against optima by the specification on random subsets."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import Case, optimum

from exactree import bounds


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

    def e(self, rows: NDArray[np.intp]) -> int:
        """The optimum on some rows."""
        if not len(rows):
            return 0
        case = Case(self.X[rows], self.y[rows], self.weights[rows], self.budgets)
        return int(optimum(case))

    def between(self, a: int, b: int) -> int:
        return int(self.weights[a:b].sum())

    def left(self, t: int) -> int:
        return self.e(np.arange(t))

    def right(self, t: int) -> int:
        return self.e(np.arange(t, self.n))

    def cost(self, t: int) -> int:
        return self.left(t) + self.right(t)


each_line = pytest.mark.parametrize("seed", range(30))


@each_line
def test_subset_and_similarity(seed: int) -> None:
    line = Line(seed)
    everything = np.arange(line.n)
    part = np.flatnonzero(line.rng.random(line.n) < 0.6)
    removed = int(line.weights.sum() - line.weights[part].sum())
    whole, some = line.e(everything), line.e(part)
    assert bounds.subset(np.array(some), np.array(0)) <= whole
    assert bounds.similarity(np.array(whole), np.array(removed)) <= some


@each_line
def test_neighbour_and_sub_interval(seed: int) -> None:
    line = Line(seed)
    a, t, b = np.sort(line.rng.choice(np.arange(1, line.n), 3, replace=False)).tolist()
    cost = np.array(line.cost(t))
    for s in (a, b):
        gap = line.between(min(s, t), max(s, t))
        assert bounds.neighbour(np.array(line.cost(s)), np.array(gap)) <= cost
    assert bounds.sub_interval(np.array(line.left(a)), np.array(line.right(b))) <= cost


@each_line
def test_with_a_row_limit_only_removal_is_bounded(seed: int) -> None:
    line = Line(seed, min_samples_leaf=2)
    a, t, b = np.sort(line.rng.choice(np.arange(1, line.n), 3, replace=False)).tolist()
    left, right, lost = line.left(b), line.right(a), line.between(a, b)
    bound = bounds.interval_with_row_limit(np.array(left), np.array(right), np.array(lost))
    assert bound <= line.cost(t)
    part = np.flatnonzero(line.rng.random(line.n) < 0.6)
    removed = line.weights.sum() - line.weights[part].sum()
    whole = np.array(line.e(np.arange(line.n)))
    assert bounds.similarity(whole, removed) <= line.e(part)


def test_a_row_limit_breaks_the_subset_bound() -> None:
    """Labels 0 0 1 1 with two rows a side cost 0; without one of them, 1."""
    budgets = {"max_depth": 1, "min_samples_leaf": 2}
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    assert optimum(Case(X, y, None, budgets)) == 0
    assert optimum(Case(X[1:], y[1:], None, budgets)) == 1


@each_line
def test_bounds_for_any_tree(seed: int) -> None:
    line = Line(seed)
    classes = np.bincount(line.y, weights=line.weights, minlength=2).astype(np.int64)
    best = line.e(np.arange(line.n))
    assert bounds.leaves_name_classes(classes, line.budgets["max_splits"]) <= best
    columns = line.rng.integers(0, 2, size=(2, line.n)).astype(np.int32)
    order = np.lexsort((line.y, columns[1], columns[0]))
    y, weights = line.y.astype(np.int32), line.weights.astype(np.int64)
    conflicts = bounds.equal_rows(columns[:, order], y[order], weights[order])
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
