"""The native search for costs per row, against every tree there is."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree import _native

INFINITE = 2**60
EVERYWHERE = 1 << len(_native.prunings())
ALL = EVERYWHERE - 1


def optima(
    ranks: NDArray[np.int32],
    costs: NDArray[np.int64],
    counts: NDArray[np.int32],
    depth: int,
    min_rows: int,
    penalty: int,
) -> list[int]:
    """Give the least cost with at most 0, 1, ... splits, by trying all splits of all sets."""

    @cache
    def best(rows: tuple[int, ...], depth: int, splits: int) -> int:
        inside = list(rows)
        least = int(costs[inside].sum(axis=0).min())
        if not depth or not splits:
            return least
        for column in ranks:
            for low in np.unique(column[inside])[:-1]:
                left = tuple(i for i in rows if column[i] <= low)
                right = tuple(i for i in rows if column[i] > low)
                if min(counts[list(left)].sum(), counts[list(right)].sum()) < min_rows:
                    continue
                for k in range(splits):
                    both = best(left, depth - 1, k) + best(right, depth - 1, splits - 1 - k)
                    least = min(least, both + penalty)
        return least

    everything = tuple(range(len(costs)))
    return [best(everything, depth, k) for k in range(2**depth)]


def tree_cost(
    tree: dict[str, list[int]],
    ranks: NDArray[np.int32],
    costs: NDArray[np.int64],
    penalty: int,
    node: int = 0,
    rows: NDArray[np.intp] | None = None,
) -> int:
    """Add up what the leaves of a tree cost with the answers they give."""
    rows = np.arange(len(costs)) if rows is None else rows
    column = tree["feature"][node]
    if column < 0:
        return int(costs[rows, tree["label"][node]].sum())
    goes_left = ranks[column, rows] <= tree["low"][node]
    assert goes_left.any() and not goes_left.all()
    sides = (tree["left"][node], rows[goes_left]), (tree["right"][node], rows[~goes_left])
    return penalty + sum(tree_cost(tree, ranks, costs, penalty, *side) for side in sides)


def drawn(rng: np.random.Generator, rows: int) -> dict[str, Any]:
    """Draw a problem: few or many values, answers, ties, equal rows, columns without a use."""
    columns, answers = int(rng.integers(1, 4)), int(rng.choice([1, 2, 3, 8, 9, 20]))
    values = rng.integers(0, rng.integers(1, rows + 2), (columns, rows))
    ranks = np.stack([np.unique(v, return_inverse=True)[1] for v in values]).astype(np.int32)
    largest = int(rng.choice([1, 3, 1000, 2**40]))
    costs = rng.integers(0, largest + 1, (rows, answers))
    if rng.random() < 0.3:  # as doubly robust scores are: mostly noise
        costs = costs // 2 + largest // 3 * (rng.random((1, answers)) < 0.5)
    return {
        "ranks": ranks,
        "costs": costs.astype(np.int64),
        "counts": rng.integers(1, 4, rows).astype(np.int32) if rng.random() < 0.3 else None,
        "min_rows": int(rng.choice([1, 1, 1, 2, 3])),
        "penalty": int(rng.choice([0, 0, 1, largest // 2])),
        "switches": EVERYWHERE * int(rng.integers(0, 2)),
    }


def check(problem: dict[str, Any], depth: int, isa: str) -> None:
    ranks, costs, counts = problem["ranks"], problem["costs"], problem["counts"]
    ones = np.ones(len(costs), np.int32)
    terms = {name: problem[name] for name in ("min_rows", "penalty")}
    right = optima(ranks, costs, ones if counts is None else counts, depth, **terms)
    search = {**problem, "max_depth": depth, "isa": isa}
    one = _native.search_costs(**search)
    assert one.objective == one.lower_bound == right[-1]
    assert tree_cost(one.tree, ranks, costs, terms["penalty"]) == right[-1]
    every = _native.search_costs(**search, max_splits=2**depth - 1, sizes=True)
    most = min(len(right), len(every.size_objectives))
    assert every.size_objectives[:most] == every.size_lower_bounds[:most] == right[:most]
    for found, cost in zip(every.size_trees, every.size_objectives, strict=True):
        assert tree_cost(found, ranks, costs, terms["penalty"]) == cost


@pytest.mark.parametrize("isa", ["plain", "auto"])
def test_every_tree(isa: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        check(drawn(rng, int(rng.integers(1, 9))), int(rng.integers(0, 4)), isa)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_many_trees(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(1000):
        check(drawn(rng, int(rng.integers(1, 9))), int(rng.integers(0, 4)), "auto")


def two_levels(ranks: NDArray[np.int32], costs: NDArray[np.int64]) -> int:
    """Give the least cost of two levels, from running sums for every first split."""

    def one_level(rows: NDArray[np.bool_]) -> int:
        least = int(costs[rows].sum(axis=0).min())
        for column in ranks:
            order = np.argsort(column[rows], kind="stable")
            sums, ranked = costs[rows][order].cumsum(axis=0), column[rows][order]
            ends = np.flatnonzero(ranked[1:] != ranked[:-1])
            if len(ends):
                both = sums[ends].min(axis=1) + (sums[-1] - sums[ends]).min(axis=1)
                least = min(least, int(both.min()))
        return least

    everything = np.ones(len(costs), bool)
    least = one_level(everything)
    for column in ranks:
        for rank in range(int(column.max())):
            left = column <= rank
            least = min(least, one_level(left) + one_level(~left))
    return least


@pytest.mark.parametrize(("answers", "off"), [(2, 0), (20, 0), (40, 0), (2, ALL), (20, ALL)])
def test_two_levels_of_some_hundred_rows(answers: int, off: int) -> None:
    rng = np.random.default_rng(answers)
    rows = 300
    ranks = np.stack([rng.permutation(rows), rng.integers(0, 40, rows)]).astype(np.int32)
    ranks[1] = np.unique(ranks[1], return_inverse=True)[1]
    costs = rng.integers(0, 10**6, (rows, answers))
    costs[ranks[0] < 140, 0] //= 2
    costs[(ranks[0] >= 140) & (ranks[1] > 20), 1] //= 2
    right = two_levels(ranks, costs)
    found = _native.search_costs(ranks, costs, max_depth=2, switches=off)
    assert found.objective == found.lower_bound == right
    assert tree_cost(found.tree, ranks, costs, 0) == right
    if not off:
        assert found.counters["jump"] > 0


@pytest.mark.parametrize("bit", range(len(_native.prunings())))
def test_each_pruning_can_be_switched_off(bit: int) -> None:
    rng = np.random.default_rng(bit)
    for _ in range(6):
        problem = drawn(rng, 8)
        problem["switches"] |= 1 << bit
        check(problem, 2, "auto")


def test_limits_leave_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(3)
    ranks = np.stack([rng.permutation(4000) for _ in range(8)]).astype(np.int32)
    costs = rng.integers(0, 10**9, (4000, 5))
    found = _native.search_costs(ranks, costs, max_depth=3, time_limit=0.3)
    assert found.status == "time_limit"
    assert 0 <= found.lower_bound < found.objective <= int(costs.sum(axis=0).min())
    assert tree_cost(found.tree, ranks, costs, 0) == found.objective


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(4)
    ranks = np.stack([rng.permutation(120) for _ in range(3)]).astype(np.int32)
    costs = rng.integers(0, 10**9, (120, 3))
    one, four = (_native.search_costs(ranks, costs, max_depth=3, threads=n) for n in (1, 4))
    assert (one.objective, one.tree) == (four.objective, four.tree)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        (np.array([[1, -1]]), "negative"),
        (np.array([[1, INFINITE]]), "2\\*\\*60"),
        (np.zeros((2, 2), np.int64), "every row"),
        (np.zeros((1, 0), np.int64), "answers"),
    ],
)
def test_bad_costs_are_refused(costs: NDArray[np.int64], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _native.search_costs(np.zeros((1, 1), np.int32), costs, max_depth=1)
