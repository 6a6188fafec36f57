"""Whether some tree gets every row right: against all trees of tiny tables, and optimal ones."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from exactree import _native, solve


def never() -> bool:
    return False


def brute(ranks: Any, labels: Any, depth: int) -> bool:
    """Try every tree."""

    @cache
    def perfect(rows: tuple[int, ...], levels: int) -> bool:
        if len({int(labels[i]) for i in rows}) <= 1:
            return True
        if levels == 0:
            return False
        for column in ranks:
            for value in {int(column[i]) for i in rows}:
                left = tuple(i for i in rows if column[i] <= value)
                right = tuple(i for i in rows if column[i] > value)
                if right and perfect(left, levels - 1) and perfect(right, levels - 1):
                    return True
        return False

    return perfect(tuple(range(len(labels))), depth)


def table(rng: np.random.Generator, most: int) -> tuple[Any, Any]:
    n, d = int(rng.integers(1, most)), int(rng.integers(1, 4))
    ranks = rng.integers(0, int(rng.integers(1, 9)), (d, n)).astype(np.int32)
    return ranks, rng.integers(0, int(rng.integers(1, 7)), n).astype(np.int32)


@pytest.mark.parametrize("seed", range(20))
def test_tiny_tables_against_all_trees(seed: int) -> None:
    rng, seen = np.random.default_rng(seed), set()
    for _ in range(100):
        ranks, labels = table(rng, 12)
        depth = int(rng.integers(0, 4))
        found, _ = _native.perfect_tree(ranks, labels, depth, never)
        assert found == brute(ranks, labels, depth)
        seen.add((depth, found))
    assert len(seen) >= 7  # all but no splits at all for rows that need some, at most


@pytest.mark.parametrize("seed", range(10))
def test_every_rule_off_and_alone(seed: int) -> None:
    """Rules are the bits of `switches`; some tables have more classes than leaves."""
    rng, acted = np.random.default_rng(100 + seed), np.zeros(4, int)
    for _ in range(60):
        ranks, labels = table(rng, 20)
        depth = int(rng.integers(1, 5))
        found, counts = _native.perfect_tree(ranks, labels, depth, never)
        acted += counts
        assert found == brute(ranks, labels, depth)
        for rule in range(4):
            for switches in (1 << rule, 15 ^ 1 << rule, 15):
                other, some = _native.perfect_tree(ranks, labels, depth, never, switches=switches)
                assert other == found
                assert not any(n for k, n in enumerate(some) if switches >> k & 1)
    assert acted[0] and acted[1] and acted[3]


def test_sets_met_before_serve_other_orders_of_the_same_splits() -> None:
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((6, 80)), axis=1).astype(np.int32)
    labels = rng.integers(0, 3, 80).astype(np.int32)
    found, (*_, met, bits) = _native.perfect_tree(ranks, labels, 5, never)
    assert not bits and met > 0
    for switches in (4, 7):
        other, (*_, met, _) = _native.perfect_tree(ranks, labels, 5, never, switches=switches)
        assert other == found
        assert met == 0


@pytest.mark.parametrize("seed", range(30))
def test_medium_tables_against_optimal_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, depth = int(rng.integers(20, 150)), int(rng.integers(1, 20)), int(rng.integers(2, 5))
    X = rng.integers(0, int(rng.integers(2, 40)), (n, d))
    leaf = np.zeros(n, int)
    for _ in range(depth):  # a planted tree, with some labels wrong in half of the cases
        leaf = 2 * leaf + (X[np.arange(n), rng.integers(0, d, 2**depth)[leaf]] > np.median(X))
    y = leaf % int(rng.integers(2, 9))
    if seed % 2:
        y[rng.integers(0, n, 2)] = 0
    ranks = np.ascontiguousarray(np.array([np.unique(x, return_inverse=True)[1] for x in X.T]))
    found, _ = _native.perfect_tree(ranks.astype(np.int32), y.astype(np.int32), depth, never)
    assert found == (solve(X, y, max_depth=depth).objective == 0)


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_two_values_against_all_trees(seed: int) -> None:
    rng, seen = np.random.default_rng(200 + seed), set()
    for _ in range(60):
        n, d, depth = int(rng.integers(1, 20)), int(rng.integers(1, 7)), int(rng.integers(1, 5))
        ranks = (rng.random((d, n)) < rng.random()).astype(np.int32)
        labels = rng.integers(0, int(rng.integers(1, 7)), n).astype(np.int32)
        found, (*_, bits) = _native.perfect_tree(ranks, labels, depth, never)
        assert bits == 1 and found == brute(ranks, labels, depth)
        seen.add((depth, found))
    assert len(seen) >= 7


@pytest.mark.parametrize("seed", range(40))
def test_many_columns_of_two_values_against_optimal_trees(seed: int) -> None:
    """More rows than are looked at first, more columns than a word has bits, sparse ones."""
    rng = np.random.default_rng(seed)
    n, d, depth = int(rng.integers(50, 400)), int(rng.integers(2, 150)), int(rng.integers(1, 4))
    X = (rng.random((n, d)) < rng.uniform(0.1, 0.9, d)).astype(int)
    leaf = np.zeros(n, int)
    for _ in range(depth):
        leaf = 2 * leaf + X[np.arange(n), rng.integers(0, d, 2**depth)[leaf]]
    y = leaf % int(rng.integers(2, 6))
    if seed % 2:
        y[rng.integers(0, n, 1 + seed % 3)] = 0
    ranks, labels = np.ascontiguousarray(X.T).astype(np.int32), y.astype(np.int32)
    optimum = solve(X, y, max_depth=depth).objective
    for switches in (0, 8):
        found, (*_, bits) = _native.perfect_tree(ranks, labels, depth, never, switches=switches)
        assert found == (optimum == 0) and bits == (0 if switches else 1)


def test_it_can_be_stopped_and_refuses_what_does_not_fit() -> None:
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((8, 400)), axis=1).astype(np.int32)
    labels = rng.integers(0, 2, 400).astype(np.int32)
    assert _native.perfect_tree(ranks, labels, 6, lambda: True)[0] is None
    bits = rng.integers(0, 2, (200, 400)).astype(np.int32)
    assert _native.perfect_tree(bits, labels, 4, lambda: True)[0] is None
    with pytest.raises(ValueError, match="a label for every row"):
        _native.perfect_tree(ranks, labels[:-1], 2, never)
