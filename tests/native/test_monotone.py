"""The native search for monotone trees, with nothing known beforehand, against all trees."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from set_oracle import Table, Trees, sums, thresholds

from exactree import _native

Rng = np.random.Generator


class Drawn:
    """Few rows of two classes, or of numbers, with all terms; what leaves cost and predict."""

    def __init__(self, rng: Rng) -> None:
        self.numbers = bool(rng.random() < 0.5)
        n = int(rng.integers(2, 6 if self.numbers else 8))
        columns = int(rng.integers(1, 4))
        values = rng.integers(0, rng.integers(2, 9), (columns, n))
        self.ranks = np.stack([np.unique(v, return_inverse=True)[1] for v in values])
        self.ways = rng.integers(-1, 2, columns)
        self.weights = rng.integers(1, 4, n)
        self.y = rng.integers(0, 3 if self.numbers else 2, n)
        self.min_rows = int(rng.choice([1, 1, 1, 2]))
        self.depth = int(rng.integers(1, 4 if n < 6 else 3))
        most = 2**self.depth - 1
        self.splits = most if rng.random() < 0.7 else int(rng.integers(1, most + 1))
        self.penalty = int(rng.choice([0, 0, 1]))
        w, y = self.weights, self.y
        total, ones, squares = sums(w), sums(w * y), sums(w * y * y)
        if self.numbers:
            means = [Fraction(int(s), max(int(t), 1)) for s, t in zip(ones, total, strict=True)]
            order = sorted(set(means))
            self.answers = np.array([order.index(m) for m in means])
            self.leaf: Table = squares - ones**2 / np.maximum(total, 1)
        else:
            self.answers = (2 * ones > total).astype(int)
            self.leaf = np.minimum(ones, total - ones)

    def optimum(self) -> float:
        """Try all trees that begin with a split or are a leaf."""

        def leaf(state: tuple[int, int]) -> Table:
            inside = (self.answers >= state[0]) & (self.answers <= state[1])
            return np.where(inside, self.leaf, np.inf)

        def ways(state: tuple[int, int], column: int) -> list[tuple[Any, Any]]:
            low, high = state
            if not self.ways[column]:
                return [(state, state)]
            pairs = [((low, t), (t, high)) for t in range(low, high + 1)]
            return pairs if self.ways[column] > 0 else [(b, a) for a, b in pairs]

        sides = [(side, c) for c, column in enumerate(self.ranks) for side in thresholds(column)]
        fits = sums(np.ones(len(self.y), np.int64)) >= self.min_rows
        every = Trees(leaf, sides, fits, self.penalty, ways)
        return float(every.optimum(self.depth, self.splits, (0, int(self.answers.max()))))

    def search(self, cap: float, stop: Any = lambda _: False) -> tuple[Any, ...]:
        terms = (
            self.ranks.astype(np.int32),
            self.ways.astype(np.int8),
            np.ones(len(self.y), np.int64),
            self.min_rows,
            self.depth,
            self.splits,
        )
        w, y = self.weights.astype(np.int64), self.y.astype(np.int64)
        if not self.numbers:
            zeros, ones = w * (1 - y), w * y
            return _native.monotone_classes(*terms, zeros, ones, self.penalty, int(cap), stop)
        numbers = w.astype(float), y - y.mean(), 1e-12 * float(np.ptp(y))
        return _native.monotone_numbers(*terms, *numbers, float(self.penalty), float(cap), stop)

    def cost(self, columns: list[int], ranks: list[int]) -> float:
        """Add up what the leaves of a tree in preorder cost; its splits must part and fit."""
        nodes = iter(zip(columns, ranks, strict=True))

        def visit(rows: int) -> tuple[float, int, int]:
            column, rank = next(nodes)
            if column < 0:
                return float(self.leaf[rows]), int(self.answers[rows]), int(self.answers[rows])
            low = rows & sum(1 << i for i, r in enumerate(self.ranks[column]) if r <= rank)
            assert 0 < low < rows
            (a, first, last), (b, third, fourth) = visit(low), visit(rows & ~low)
            way = self.ways[column]
            assert way == 0 or (last <= third if way > 0 else first >= fourth)
            return a + b + self.penalty, min(first, third), max(last, fourth)

        return visit(2 ** len(self.y) - 1)[0]


def check(rng: Rng) -> None:
    problem = Drawn(rng)
    right, leaf = problem.optimum(), float(problem.leaf[-1])
    for cap in (10.0**6, leaf, right):
        better, stopped, cost, bound, columns, ranks = problem.search(cap)
        assert not stopped
        if right < leaf and right < cap:
            assert better and cost == bound == pytest.approx(right, abs=1e-9)
            assert problem.cost(columns, ranks) == pytest.approx(right, abs=1e-9)
        elif better:  # a split that costs no less than the leaf, or rounding
            assert cost >= right - 1e-9
        else:
            assert bound == cost == pytest.approx(cap)
    better, stopped, _, bound, *_ = problem.search(leaf, lambda _: True)
    assert stopped and not better and 0 <= bound <= right


def test_every_tree() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        check(rng)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_many_trees(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    for _ in range(1000):
        check(rng)


def test_what_subtrees_take_is_told() -> None:
    rng = np.random.default_rng(3)
    ranks = np.array([rng.permutation(150) for _ in range(4)], np.int32)
    y, one = ranks.sum(axis=0) + rng.normal(size=150), np.ones(150)
    told: list[int] = []

    def stop(taken: int) -> bool:
        told.append(taken)
        return taken > 5000

    ways, counts = np.ones(4, np.int8), np.ones(150, np.int64)
    y -= y.mean()
    terms = (ranks, ways, counts, 1, 4, 15, one, y, 1e-9, 0.0, float(y @ y))
    assert _native.monotone_numbers(*terms, stop)[1]
    assert told == sorted(told) and told[0] == 0 and told[-1] > 5000


def test_bad_arrays_are_refused() -> None:
    ranks, one = np.zeros((1, 2), np.int32), np.ones(2, np.int64)
    ways: NDArray[np.int8] = np.zeros(2, np.int8)
    with pytest.raises(ValueError, match="direction"):
        _native.monotone_classes(ranks, ways, one, 1, 1, 1, one, one, 0, 9, lambda _: False)
    with pytest.raises(ValueError, match="count"):
        _native.monotone_classes(ranks, ways[:1], one[:1], 1, 1, 1, one, one, 0, 9, lambda _: False)
    with pytest.raises(ValueError, match="weights"):
        _native.monotone_classes(ranks, ways[:1], one, 1, 1, 1, one, one[:1], 0, 9, lambda _: False)
