"""Any workers, in any order, give what one thread gives: objective, bound and tree."""

from __future__ import annotations

from math import inf
from random import Random, SystemRandom
from typing import Any

import numpy as np
import pytest
from shuffled import ShuffledPool, Stepping, compare, random_posing

from exactree import _native
from exactree.cluster import tasks
from exactree.cluster.posing import Posing


def run_shuffled(seed: int) -> ShuffledPool:
    """Solve a random problem by workers that misbehave, and compare it with one thread."""
    posing = random_posing(seed)
    pool = ShuffledPool(seed, Random(seed).randint(1, 9))
    compare(posing, Stepping(posing, pool=pool).run(inf, None))
    return pool


def test_shuffled_workers_give_what_one_thread_gives() -> None:
    pools = [run_shuffled(seed) for seed in range(250)]
    assert sum(pool.partial for pool in pools) > 50
    assert sum(pool.lost for pool in pools) > 20
    assert sum(pool.others for pool in pools) > 500


def test_whoever_waits_gets_pieces_ahead_of_their_turn() -> None:
    dice = np.random.default_rng(0)
    ranks = dice.permuted(np.tile(np.arange(150, dtype=np.int32), (3, 1)), axis=1)
    posing = Posing("columns", (ranks, dice.integers(0, 2, 150, np.int32), 2), {"max_depth": 3})
    asked = [[], []]  # type: list[list[Any]]
    for ahead in (False, True):
        session = _native.Session(posing.pose())
        session.open()
        while isinstance(piece := session.ask(shared=True, ahead=ahead), tuple):
            asked[ahead].append((piece[1]["feature"], piece[1]["position"]))
    assert len(asked[0]) == 3
    assert len(asked[1]) > 10
    assert len({*asked[1]}) == len(asked[1])


@pytest.mark.parametrize(
    ("rows", "workers", "terms"),
    [
        (150, 1, {}),
        (150, 2, {"max_splits": 7}),
        (150, 3, {"penalty": 3}),
        (120, 2, {"max_depth": 5}),
    ],
)
def test_pieces_go_on_with_what_a_slice_came_to(
    rows: int, workers: int, terms: dict[str, Any]
) -> None:
    dice = np.random.default_rng(0)
    X = dice.normal(size=(rows, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (dice.random(rows) < 0.25)
    ranks = np.argsort(np.argsort(X, axis=0), axis=0).T
    given = (np.ascontiguousarray(ranks, np.int32), y.astype(np.int32), 2, None)
    posing = Posing("columns", given, {"max_depth": 4, **terms})
    search = Stepping(posing, pool=ShuffledPool(rows, workers), slice=0.0002)
    compare(posing, search.run(inf, None))
    assert any(not one.complete for one in search.done)


def test_a_tree_has_the_fewest_splits_below_its_first() -> None:
    """Of the tree of one thread some split was not needed, since nobody had asked for fewer."""
    found = compare(random_posing(134), random_posing(134).pose().run())
    assert sum(feature >= 0 for feature in found.tree["feature"]) == 6


@pytest.mark.fuzz
def test_many_shuffled_workers() -> None:
    first = SystemRandom().randrange(10**9)
    for seed in range(first, first + 5000):
        run_shuffled(seed)


def cost_of(posing: Posing, tree: list[list[int]]) -> int:
    """Count what a tree of the native search costs over rank columns, in errors."""
    ranks, labels = posing.rows[:2]
    cost = 0

    def visit(at: int, rows: Any) -> None:
        nonlocal cost
        feature, low, _, left, right, label = tree[at]
        if feature < 0:
            cost += int((labels[rows] != label).sum())
            return
        below = ranks[feature][rows] <= low
        visit(left, rows[below])
        visit(right, rows[~below])

    visit(0, np.arange(len(labels)))
    return cost


def test_a_worker_says_what_its_tree_costs() -> None:
    """Rounds stop at trees that are cheap enough: what is known of a split may be dear."""
    dice = np.random.default_rng(0)
    cheaper = 0
    for _ in range(50):
        rows = int(dice.integers(10, 60))
        ranks = np.stack([dice.permutation(rows) for _ in range(3)]).astype(np.int32)
        labels = dice.integers(0, 2, rows).astype(np.int32)
        posing = Posing("columns", (ranks, labels, 2, None), {"max_depth": 3})
        position = int(dice.integers(1, rows))
        errors = [min(side.sum(), (1 - side).sum()) for side in sides(ranks[0], labels, position)]
        known = [[max(int(e) - 1, 0)] for e in errors]
        wanted: dict[str, Any] = {"budget": 0, "splits": 7, "feature": 0, "position": position}
        wanted |= {"cost": known[0][0] + known[1][0], "sides": known}
        found = tasks.write(posing.key, posing, wanted, inf, 0)
        assert found is not None
        assert found[0] == cost_of(posing, found[1])
        cheaper += found[0] < wanted["cost"]
    assert cheaper > 10


def sides(ranks: Any, labels: Any, position: int) -> tuple[Any, Any]:
    """Part the labels at a position of a column."""
    order = np.argsort(ranks)
    return labels[order[:position]], labels[order[position:]]
