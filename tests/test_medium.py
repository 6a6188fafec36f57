"""The native search on hundreds and thousands of rows, against plain dynamic programming.

The problems of test_search_exact.py are tiny: a mistake that needs a second word of rows, a second
byte of ranks or three hundred classes does not show there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from medium import (
    Generator,
    Medium,
    check,
    check_sizes,
    check_solve,
    dense,
    draw_columns,
    draw_rows,
    draw_weights,
    edge_of_a_byte,
    listed,
    many_rows,
    thresholds,
    two_values,
)
from numpy.typing import NDArray
from plain_trees import Costs, interval_costs

from exactree import _native

# How many problems a run draws of each kind, in blocks, and how much the oracle may do for each.
KINDS: dict[str, tuple[Callable[[Generator, float], Medium], int, float]] = {
    "thresholds": (thresholds, 80, 1e6),
    "two values": (two_values, 80, 1e6),
    "listed": (listed, 60, 1e6),
    "edge of a byte": (edge_of_a_byte, 12, 1e6),
    "many rows": (many_rows, 6, 4e6),
}
BLOCKS = 10
FUZZ = 30  # times as much for the oracle


def compare(kind: str, seed: int, more: float = 1.0, certified: float = 0.25) -> None:
    make, _, most = KINDS[kind]
    rng = np.random.default_rng(seed)
    problem = make(rng, most * more)
    check(problem, rng)
    if rng.random() < 0.3:
        check_sizes(problem, rng)
    if problem.costs is None and problem.counts is None and not problem.masks:
        check_solve(problem, rng, certified)


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("kind", KINDS)
def test_equals_the_plain_oracle(kind: str, block: int) -> None:
    size = KINDS[kind][1]
    for seed in range(block * size, (block + 1) * size):
        compare(kind, seed)


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_equals_the_plain_oracle_on_other_seeds(kind: str) -> None:
    """As many as hypothesis would draw, larger ones among them."""
    start = int(np.random.default_rng().integers(2**40))
    assert settings.default is not None
    for seed in range(start, start + settings.default.max_examples):
        try:
            compare(kind, seed, more=FUZZ if seed % 20 == 0 else 1, certified=1.0)
        except Exception as error:
            raise AssertionError(f"compare({kind!r}, {seed})") from error


# --- The oracle itself ------------------------------------------------------------------------


def by_all_trees(problem: Medium, rows: NDArray[np.intp], depth: int, splits: int) -> int:
    """The least cost of a tree on these rows, each tried one after another."""
    best = min(problem.leaf_cost(rows, label) for label in range(problem.classes))
    for column in problem.ranks if depth > 0 and splits > 0 else ():
        for threshold in range(int(column.max())):
            left, right = rows[column[rows] <= threshold], rows[column[rows] > threshold]
            if min(problem.counted(left), problem.counted(right)) < max(problem.least, 1):
                continue
            for k in range(splits):
                sides = (
                    by_all_trees(problem, left, depth - 1, k),
                    by_all_trees(problem, right, depth - 1, splits - 1 - k),
                )
                best = min(best, sum(sides))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_the_oracle_equals_all_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns, depth = int(rng.integers(1, 9)), int(rng.integers(1, 3)), int(rng.integers(0, 4))
    ranks = draw_columns(rng, rows, rng.integers(1, 5, columns))
    problem = draw_rows(rng, ranks, depth)
    everything = np.arange(rows)
    assert problem.best == [by_all_trees(problem, everything, depth, k) for k in range(2**depth)]


@pytest.mark.parametrize("seed", range(40))
def test_the_oracle_of_intervals_equals_that_of_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, depth = int(rng.integers(1, 40)), int(rng.integers(0, 4))
    problem = draw_rows(rng, draw_columns(rng, rows, rng.integers(1, 30, 1)), depth)
    assert intervals(problem, 2**depth) == [*problem.best]


def intervals(problem: Medium, most: int) -> list[int]:
    """The least cost of so many intervals and fewer, of a problem of one column."""
    costs = interval_costs(
        most, problem.ranks[0], problem.labels, problem.classes, **terms(problem)
    )
    single = min(
        problem.leaf_cost(np.arange(len(problem.labels)), c) for c in range(problem.classes)
    )
    # The root may have fewer rows than a leaf must have; it is a tree all the same.
    return [min(int(cost), single) for cost in costs[:, -1]]


def terms(problem: Medium) -> dict[str, Any]:
    weights = np.full(len(problem.labels), problem.unit)
    weights = weights if problem.weights is None else problem.weights
    return {
        "weights": weights,
        "counts": problem.counts,
        "costs": problem.costs,
        "least": problem.least,
    }


# --- Numbers of values at the edge of two bytes -----------------------------------------------

# With all prunings on: without them two levels look at every pair of thresholds.


@pytest.mark.parametrize("distinct", [65_534, 65_535, 65_536, 65_537, 70_000])
def test_one_column_of_many_values(distinct: int) -> None:
    """Trees on one column are partitions into intervals."""
    rng = np.random.default_rng(distinct)
    rows = distinct + int(rng.choice([0, 5000]))
    ranks = rng.permutation(np.arange(rows, dtype=np.int32) % distinct)[None, :]
    steps = ranks[0] * int(rng.integers(3, 9)) // distinct
    classes = int(rng.choice([2, 5]))
    labels = np.where(rng.random(rows) < 0.3, rng.integers(0, classes, rows), steps % classes)
    for depth in (1, 2):
        problem = Medium(
            np.ascontiguousarray(ranks),
            labels.astype(np.int32),
            classes,
            depth,
            weights=draw_weights(rng, rows),
            least=int(rng.choice([1, 5000])),
        )
        expected = intervals(problem, 2**depth)[-1]
        found = problem.searched(isa=str(rng.choice(_native.instruction_sets())))
        assert found.objective == found.lower_bound == expected, (distinct, depth)
        assert problem.measured(found.tree)[0] == expected


def beside_a_column_of_two_values(problem: Medium) -> int:
    """The optimum of two levels, where the second column has two values."""
    order = np.argsort(problem.ranks[0], kind="stable")
    rows = len(order)
    weights = np.full(rows, problem.unit) if problem.weights is None else problem.weights
    one_hot = np.zeros((rows, problem.classes), dtype=np.int64)
    one_hot[np.arange(rows), problem.labels] = weights

    def best_of_ends(order: NDArray[np.intp]) -> tuple[Costs, Costs]:
        """Of the first i rows in this order: the cost of a leaf, and that of up to one split."""
        high = problem.ranks[1][order] > 0
        parts = [one_hot[order] * side[:, None] for side in (~high, high)]
        below = [np.concatenate([np.zeros_like(p[:1]), p.cumsum(axis=0)]) for p in parts]
        leaf = (sum_of := below[0] + below[1]).sum(axis=1) - sum_of.max(axis=1)
        by_second = sum(b.sum(axis=1) - b.max(axis=1) for b in below)
        place = np.empty(rows, dtype=np.int32)
        place[order] = np.arange(rows)
        by_first = interval_costs(2, place, problem.labels, problem.classes, **terms(problem))[1]
        return leaf, np.minimum(np.minimum(leaf, by_second), by_first)

    (leaf, near), (_, far) = best_of_ends(order), best_of_ends(order[::-1])
    first = (near + far[::-1])[1:-1].min()
    # The second column first: either side is a problem of one column.
    second = 0
    for value in (0, 1):
        side = problem.ranks[1] == value
        given = {**terms(problem), "weights": weights[side]}
        second += int(
            interval_costs(
                2, dense(problem.ranks[0][side]), problem.labels[side], problem.classes, **given
            )[1, -1]
        )
    return min(int(leaf[-1]), int(first), second)


@pytest.mark.parametrize("rows", [65_535, 65_536, 65_537])
def test_many_values_beside_two(rows: int) -> None:
    rng = np.random.default_rng(rows)
    ranks = np.array([rng.permutation(rows), rng.integers(0, 2, rows)], dtype=np.int32)
    for classes in (2, 3, 5, 8, 9):
        steps = ranks[0] * 3 // rows + ranks[1]
        noisy = rng.random(rows) < 0.3
        labels = np.where(noisy, rng.integers(0, classes, rows), steps % classes).astype(np.int32)
        weights = draw_weights(rng, rows) if classes < 5 else None
        problem = Medium(ranks, labels, classes, 2, weights=weights)
        expected = beside_a_column_of_two_values(problem)
        found = problem.searched(isa=str(rng.choice(_native.instruction_sets())))
        assert found.objective == found.lower_bound == expected, (rows, classes)
