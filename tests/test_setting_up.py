"""Limits and Ctrl-C while partitions are listed and the tree of masks is set up.

Times are those of the processor, so that other programs on the machine do not matter.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np
import pytest

from exactree import _native
from exactree.geometry import dichotomies

LATE = 0.1


@pytest.fixture(scope="module")
def long_list() -> tuple[Any, Any]:
    """So many masks that copying them takes a while."""
    rng = np.random.default_rng(0)
    masks = rng.integers(0, 2**63, (1_500_000, 7), dtype=np.uint64)
    return masks, rng.integers(0, 2, 7 * 64).astype(np.int32)


def longest(times: list[float]) -> float:
    return max(after - before for before, after in pairwise(times))


def test_the_caller_is_asked_all_the_time(long_list: tuple[Any, Any]) -> None:
    times = [process_time()]

    def poll(*_: object) -> None:
        times.append(process_time())
        if len(times) == 10:
            raise KeyboardInterrupt

    found = _native.search_masks(*long_list, 2, max_depth=2, poll=poll)
    times.append(process_time())
    assert found.status == "interrupted" and len(found.tree["feature"]) == 1
    assert len(times) == 11 and longest(times) < LATE


@pytest.mark.parametrize("limit", [0.0, 0.02, 0.1])
def test_time_for_the_set_up_is_limited(long_list: tuple[Any, Any], limit: float) -> None:
    start = process_time()
    found = _native.search_masks(*long_list, 2, max_depth=2, time_limit=limit)
    assert process_time() - start < limit + LATE
    assert found.status == "time_limit" and found.lower_bound < found.objective


def test_memory_is_counted_before_it_is_used(long_list: tuple[Any, Any]) -> None:
    masks, labels = long_list
    start = process_time()
    found = _native.search_masks(masks, labels, 2, max_depth=2, memory_limit=masks.nbytes)
    assert found.status == "memory_limit" and process_time() - start < LATE


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """A signal every millisecond that raises what Ctrl-C does."""

    def stop(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_during_the_set_up(long_list: tuple[Any, Any]) -> None:
    start = process_time()
    signal.setitimer(signal.ITIMER_REAL, 0.03)
    found = _native.search_masks(*long_list, 2, max_depth=2)
    assert found.status == "interrupted" and process_time() - start < 0.03 + LATE


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_during_a_listing() -> None:
    X = np.random.default_rng(1).normal(size=(200, 3)).round(3)
    start = process_time()
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    with pytest.raises(KeyboardInterrupt):
        dichotomies(X, "hyperplane")
    assert process_time() - start < 0.1 + LATE


@pytest.mark.parametrize("rows", [120, 520])  # more than eight words are sorted in another way
def test_a_listing_asks_all_the_time(rows: int) -> None:
    X = np.random.default_rng(1).normal(size=(rows, 3 if rows < 512 else 2)).round(3)
    times = [process_time()]

    def stop() -> bool:
        times.append(process_time())
        return False

    found = dichotomies(X, "hyperplane", stop=stop)
    times.append(process_time())
    assert found.complete and longest(times) < LATE
    known = set(map(bytes, found.masks))
    calls = len(times)
    for share in (0.0, 0.3, 0.6, 0.9):  # the last is while the masks are sorted
        asked = map((share * calls).__le__, range(calls + 1))
        stopped = dichotomies(X, "hyperplane", stop=asked.__next__)
        assert share > 0 or not stopped.complete
        assert set(map(bytes, stopped.masks)) <= known
