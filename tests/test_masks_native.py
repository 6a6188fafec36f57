"""Trees over side masks, native, against brute force on small problems."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from exactree import _native
from exactree.geometry import dichotomies, unlisted

ISAS = _native.instruction_sets()
PRUNINGS = list(_native.prunings())
Tree = Mapping[str, list[int]]


@dataclass(frozen=True)
class Small:
    """A problem that brute force can solve: sets of rows are integers, row i is bit i."""

    masks: tuple[int, ...]
    labels: tuple[int, ...]
    classes: int
    weights: tuple[int, ...] | None = None
    counts: tuple[int, ...] | None = None
    ranks: tuple[tuple[int, ...], ...] = ()
    points: tuple[tuple[tuple[int, ...], ...], ...] = ()  # per arrangement: of every row
    min_rows: int = 1
    unit: int = 1
    penalty: int = 0
    prices: tuple[tuple[int, ...], ...] | None = None  # per row: what each class costs as answer

    def cost(self, row: int, answer: int) -> int:
        if self.prices is not None:
            return self.prices[row][answer]
        if self.labels[row] == answer:
            return 0
        return self.unit if self.weights is None else self.weights[row]

    def rows_in(self, rows: int) -> int:
        members = [i for i in range(len(self.labels)) if rows >> i & 1]
        return sum(1 if self.counts is None else self.counts[i] for i in members)

    def leaf(self, rows: int) -> int:
        members = [i for i in range(len(self.labels)) if rows >> i & 1]
        return min(sum(self.cost(i, a) for i in members) for a in range(self.classes))

    def partings(self, rows: int) -> set[int]:
        """The left sides of all splits of these rows."""
        sides = {mask & rows for mask in (*self.masks, *lines(self.points))}
        for column in self.ranks:
            for limit in column:
                left = sum(1 << i for i, rank in enumerate(column) if rank < limit)
                sides.add(left & rows)
        return {s for s in sides if self.allowed(s, rows & ~s)}

    def allowed(self, left: int, right: int) -> bool:
        return min(self.rows_in(left), self.rows_in(right)) >= self.min_rows


@cache
def lines(points: tuple[tuple[tuple[int, ...], ...], ...]) -> tuple[int, ...]:
    """All partitions by hyperplanes, listed."""
    found = []
    for table in points:
        listed = dichotomies(table, "hyperplane")
        sides = [listed.side(k).tolist() for k in range(len(listed))]
        found += [sum(1 << i for i, inside in enumerate(side) if inside) for side in sides]
    return tuple(found)


def optimum(small: Small, depth: int, splits: int) -> int:
    """The least cost of a tree within both budgets, by trying all trees."""

    @cache
    def best(rows: int, d: int, k: int) -> int:
        costs = [small.leaf(rows)]
        if d > 0 and k > 0:
            for left in small.partings(rows):
                costs.extend(
                    small.penalty + best(left, d - 1, i) + best(rows & ~left, d - 1, k - 1 - i)
                    for i in range(k)
                )
        return min(costs)

    return best((1 << len(small.labels)) - 1, depth, splits)


def pack(masks: tuple[int, ...], rows: int) -> npt.NDArray[np.uint64]:
    words = (rows + 63) // 64
    table = [[mask >> (64 * w) & (2**64 - 1) for w in range(words)] for mask in masks]
    return np.array(table, dtype=np.uint64).reshape(len(masks), words)


def search(small: Small, **terms: Any) -> _native.SearchResult:
    def column(values: tuple[int, ...] | None, kind: type) -> npt.NDArray[Any] | None:
        return None if values is None else np.array(values, dtype=kind)

    rows = len(small.labels)
    ranks = np.array(small.ranks, dtype=np.int32).reshape(len(small.ranks), rows)
    masks, counts = pack(small.masks, rows), column(small.counts, np.int32)
    terms |= {
        "ranks": ranks if small.ranks else None,
        "cells": [given for table in small.points if (given := unlisted(table, "hyperplane"))],
        "min_rows": small.min_rows,
        "penalty": small.penalty,
    }
    if small.prices is not None:
        costs = np.array(small.prices, dtype=np.int64)
        return _native.search_mask_costs(masks, costs, counts, **terms)
    labels, weights = np.array(small.labels, dtype=np.int32), column(small.weights, np.int64)
    return _native.search_masks(
        masks, labels, small.classes, weights, counts, unit=small.unit, **terms
    )


Parts = Sequence[tuple[int, list[int]]]


def measure(small: Small, tree: Tree, parts: Parts = ()) -> tuple[int, int, int]:
    """The cost, depth and number of splits of a tree; every split must be one."""

    def visit(node: int, rows: int) -> tuple[int, int, int]:
        feature = int(tree["feature"][node])
        if feature < 0:
            members = [i for i in range(len(small.labels)) if rows >> i & 1]
            return sum(small.cost(i, int(tree["label"][node])) for i in members), 0, 0
        left = side(node, feature, rows)
        assert left in small.partings(rows)
        sides = [
            visit(int(tree["left"][node]), left),
            visit(int(tree["right"][node]), rows & ~left),
        ]
        costs, depths, splits = zip(*sides, strict=True)
        return sum(costs) + small.penalty, max(depths) + 1, sum(splits) + 1

    def side(node: int, feature: int, rows: int) -> int:
        low, high = int(tree["low"][node]), int(tree["high"][node])
        if feature < len(small.masks):
            assert low == high == 0
            return small.masks[feature] & rows
        if feature >= len(small.masks) + len(small.ranks):
            source, words = parts[feature - len(small.masks) - len(small.ranks)]
            left = sum(word << 64 * w for w, word in enumerate(words)) & rows
            sides = {mask & rows for mask in lines(small.points[source : source + 1])}
            assert left in sides or rows & ~left in sides
            return left
        column = small.ranks[feature - len(small.masks)]
        ranks = [column[i] for i in range(len(column)) if rows >> i & 1]
        assert low in ranks
        assert high in ranks
        assert not any(low < r < high for r in ranks)
        return rows & sum(1 << i for i, rank in enumerate(column) if rank <= low)

    return visit(0, (1 << len(small.labels)) - 1)


def draw_masks(dice: random.Random, rows: int) -> tuple[int, ...]:
    if dice.random() < 0.4:
        points = [[dice.randrange(4), dice.randrange(4)] for _ in range(rows)]
        masks = lines((tuple(map(tuple, points)),))
        return tuple(dice.sample(masks, min(len(masks), 20)))
    return tuple(dice.getrandbits(rows) for _ in range(dice.randrange(0, 14)))


def draw_points(dice: random.Random, rows: int) -> tuple[tuple[int, ...], ...]:
    columns, reach = dice.choice([1, 2, 2, 3]), dice.choice([1, 2, 3, 50])
    draws = [[dice.randrange(reach + 1) for _ in range(columns)] for _ in range(rows)]
    return tuple(map(tuple, draws))


def draw(seed: int) -> tuple[Small, random.Random]:
    dice = random.Random(seed)
    rows = dice.randrange(1, 10)
    classes = dice.choice([1, 2, 2, 2, 3, 4])
    weighted = dice.random() < 0.4
    counted = weighted and dice.random() < 0.5
    columns = dice.choice([0, 0, 1, 2])
    ranks = []
    for _ in range(columns):
        values = [dice.randrange(4) for _ in range(rows)]
        dense = {v: r for r, v in enumerate(sorted(set(values)))}
        ranks.append(tuple(dense[v] for v in values))
    cells = dice.choice([0, 0, 1, 1, 2])
    small = Small(
        masks=() if cells == 1 and not columns else draw_masks(dice, rows),
        points=tuple(draw_points(dice, rows) for _ in range(cells)),
        labels=tuple(dice.randrange(classes) for _ in range(rows)),
        classes=classes,
        weights=tuple(dice.randrange(1, 9) for _ in range(rows)) if weighted else None,
        counts=tuple(dice.randrange(1, 4) for _ in range(rows)) if counted else None,
        ranks=tuple(ranks),
        min_rows=dice.choice([1, 1, 1, 2, 3]),
        unit=1 if weighted else dice.choice([1, 1, 3]),
        penalty=dice.choice([0, 0, 1, 2, 5]),
    )
    return small, dice


def with_prices(small: Small, dice: random.Random) -> Small:
    """Give every row costs of its own: few answers or more than a register has, ties, noise."""
    answers = dice.choice([1, 2, 3, 4, 8, 9, 25])
    largest = dice.choice([1, 3, 100, 2**40])
    prices = tuple(tuple(dice.randrange(largest + 1) for _ in range(answers)) for _ in small.labels)
    penalty = dice.choice([0, 0, 1, largest // 2])
    counts = small.counts or (dice.random() < 0.3 and (2,) * len(small.labels)) or None
    return replace(
        small, classes=answers, prices=prices, penalty=penalty, weights=None, unit=1, counts=counts
    )


@pytest.mark.parametrize("block", range(6))
def test_optimal_for_every_budget(block: int) -> None:
    check_budgets(range(250 * block, 250 * (block + 1)))


def test_costs_per_row_for_every_budget() -> None:
    check_budgets(range(20000, 20300), prices=True)


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(10))
def test_costs_per_row_many_times(block: int) -> None:
    check_budgets(range(30000 + 1000 * block, 31000 + 1000 * block), prices=True)


def check_budgets(seeds: range, *, prices: bool = False) -> None:
    for seed in seeds:
        small, dice = draw(seed)
        small = with_prices(small, dice) if prices else small
        depth = dice.randrange(0, 5)
        splits = dice.choice([-1, -1, 0, 1, 2, 3, 4, 5, 9])
        off = dice.choice([0, 0, dice.getrandbits(len(PRUNINGS))])
        found = search(
            small,
            max_depth=depth,
            max_splits=splits,
            switches=off,
            isa=dice.choice(ISAS),
            threads=dice.choice([1, 1, 2]),
        )
        most = 2**depth if splits < 0 else splits
        expected = optimum(small, depth, most)
        assert (found.status, found.objective) == ("optimal", expected), seed
        assert found.lower_bound == expected
        cost, tree_depth, tree_splits = measure(small, found.tree, found.parts)
        assert cost == expected, seed
        assert tree_depth <= depth
        assert tree_splits <= most


@pytest.mark.parametrize("prices", [False, True])
def test_optimal_for_every_size(prices: bool) -> None:
    for seed in range(5000, 5100 if prices else 5200):
        small, dice = draw(seed)
        small = with_prices(small, dice) if prices else small
        most, depth = dice.randrange(0, 6), dice.randrange(0, 5)
        found = search(small, max_depth=depth, max_splits=most, sizes=True)
        # Sizes that the depth does not allow have no entry of their own.
        sizes = range(len(found.size_objectives))
        expected = [optimum(small, depth, k) for k in sizes]
        assert list(found.size_objectives) == expected, seed
        assert list(found.size_lower_bounds) == expected
        for k, tree in zip(sizes, found.size_trees, strict=True):
            cost, _, splits = measure(small, tree, found.parts)
            assert cost == expected[k]
            assert splits <= k
        if sizes.stop <= most:
            assert expected[-1] == optimum(small, depth, most)


# --- More rows than a word has ----------------------------------------------------------------


def noisy(seed: int, n: int, classes: int = 2) -> tuple[npt.NDArray[np.uint64], Any]:
    """All lines among points of the plane, and labels by two of them with noise."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2)).round(3)
    labels = (points[:, 0] * points[:, 1] > 0).astype(np.int32)
    flipped = rng.random(n) < 0.2
    labels[flipped] = rng.integers(0, classes, int(flipped.sum()))
    return dichotomies(points, "hyperplane").expanded(), labels


def two_levels(masks: npt.NDArray[np.uint64], labels: Any, weights: Any) -> int:
    """The optimum of depth two: all first splits, and for each side all second ones."""
    octets = masks.astype("<u8").view(np.uint8)
    left = np.unpackbits(octets, axis=1, count=len(labels), bitorder="little").astype(np.int64)
    by_class = weights * (labels == np.arange(labels.max() + 1)[:, None])

    def single(rows: Any) -> int:
        inside = left @ (by_class * rows).T
        outside = (by_class * rows).sum(axis=1) - inside
        kept = inside.max(axis=1) + outside.max(axis=1)
        return int((by_class * rows).sum() - kept.max())

    return min(single(side) + single(1 - side) for side in left)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_several_words(isa: str, classes: int, weighted: bool) -> None:
    n = 75
    masks, labels = noisy(classes, n, classes)
    masks = masks[:: len(masks) // 400].copy()
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 6, n) if weighted else np.ones(n, dtype=np.int64)
    given = weights if weighted else None
    found = _native.search_masks(masks, labels, classes, given, max_depth=2, isa=isa)
    assert found.status == "optimal"
    assert found.objective == two_levels(masks, labels, weights)


# --- What must not matter ---------------------------------------------------------------------


@pytest.mark.parametrize("terms", [{}, {"max_splits": 4}, {"min_rows": 4}, {"penalty": 2}])
def test_threads_and_instruction_sets_change_nothing(terms: dict[str, Any]) -> None:
    masks, labels = noisy(5, 66, 3)
    masks = masks[::5].copy()

    def tree(**how: Any) -> list[list[int]]:
        switches = 1 << PRUNINGS.index("incumbent")  # the search has to find the tree itself
        found = _native.search_masks(
            masks, labels, 3, max_depth=3, switches=switches, **terms, **how
        )
        return [column for _, column in sorted(found.tree.items())]

    first = tree()
    assert all(tree(threads=threads) == first for threads in (2, 3, 3))
    assert all(tree(isa=isa) == first for isa in ISAS)


# --- Limits and bad input ---------------------------------------------------------------------


def test_limits_leave_a_tree_and_a_bound() -> None:
    masks, labels = noisy(1, 150)
    limits: list[tuple[dict[str, Any], str]] = [
        ({"time_limit": 0.0}, "time_limit"),
        ({"time_limit": 0.05}, "time_limit"),
        ({"memory_limit": 1000}, "memory_limit"),
    ]
    for limit, status in limits:
        found = _native.search_masks(masks, labels, 2, max_depth=4, **limit)
        assert found.status == status
        assert 0 <= found.lower_bound < found.objective
        assert found.seconds < 5


def test_interrupts_and_errors_of_the_caller() -> None:
    masks, labels = noisy(1, 150)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def fail(*_: object) -> None:
        raise ArithmeticError

    stopped = _native.search_masks(masks, labels, 2, max_depth=4, poll=interrupt)
    assert stopped.status == "interrupted"
    with pytest.raises(ArithmeticError):
        _native.search_masks(masks, labels, 2, max_depth=4, poll=fail)


def test_wrong_masks_are_refused() -> None:
    labels = np.zeros(3, dtype=np.int32)
    with pytest.raises(ValueError, match="have 1 words, not 2"):
        _native.search_masks(np.zeros((4, 2), np.uint64), labels, 1, max_depth=1)
    with pytest.raises(ValueError, match="mask 1 has bits beyond the last row"):
        _native.search_masks(np.array([[7], [8]], np.uint64), labels, 1, max_depth=1)
