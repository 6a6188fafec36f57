"""Any workers, in any order, give what one thread gives: objective, bound and tree."""

from __future__ import annotations

from math import inf
from random import Random, SystemRandom

import pytest
from shuffled import ShuffledPool, Stepping, compare, random_posing


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


@pytest.mark.fuzz
def test_many_shuffled_workers() -> None:
    first = SystemRandom().randrange(10**9)
    for seed in range(first, first + 5000):
        run_shuffled(seed)
