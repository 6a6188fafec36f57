"""A cluster that is not there finds what one thread finds, and keeps its own time."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import imagined
from benchmarks.cluster import WORKERS, recorded, replayed
from exactree.cluster.posing import Posing


def posing() -> Posing:
    dice = np.random.default_rng(0)
    ranks = dice.permuted(np.tile(np.arange(150, dtype=np.int32), (3, 1)), axis=1)
    return Posing("columns", (ranks, dice.integers(0, 2, 150, np.int32), 2), {"max_depth": 3})


@pytest.mark.parametrize("workers", [1, 8])
def test_imagined_workers_find_the_tree_of_one_thread(workers: int) -> None:
    found, search = imagined.run(posing(), workers)
    expected = posing().pose().run()
    assert (found.objective, found.lower_bound) == (expected.objective, expected.lower_bound)
    assert found.tree == expected.tree
    assert 0 < search.pool.busy <= workers * search.pool.now
    assert f"{workers} imagined workers are done" in recorded("dice", found, search)


def test_more_workers_replay_no_slower_than_the_longest_piece() -> None:
    _, search = imagined.run(posing(), 8)
    times = dict(replayed(search.done))
    assert set(times) == set(WORKERS)
    longest = max(done.processor_seconds for done in search.done)
    assert times[1] >= times[1024] >= longest
