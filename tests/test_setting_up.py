"""Limits and Ctrl-C while partitions are listed and the tree of masks is set up.

Where the clock is looked at, it is in comparison with what the whole takes on the same machine.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import count, pairwise
from time import process_time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from exactree import _native, solve
from exactree.geometry import dichotomies, unlisted


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
        if len(times) == 13:
            raise KeyboardInterrupt

    found = _native.search_masks(*long_list, 2, max_depth=2, poll=poll)
    times.append(process_time())
    assert found.status == "interrupted" and len(times) == 14
    assert longest(times) < (times[-1] - times[0]) / 2


def test_the_caller_may_stop_the_set_up(long_list: tuple[Any, Any]) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    found = _native.search_masks(*long_list, 2, max_depth=2, poll=stop)
    assert found.status == "interrupted" and len(found.tree["feature"]) == 1


@pytest.mark.parametrize("limit", [0.0, 0.02, 0.1])
def test_time_for_the_set_up_is_limited(long_list: tuple[Any, Any], limit: float) -> None:
    found = _native.search_masks(*long_list, 2, max_depth=2, time_limit=limit)
    assert found.status == "time_limit" and found.lower_bound < found.objective


def test_memory_is_counted_before_it_is_used(long_list: tuple[Any, Any]) -> None:
    masks, labels = long_list
    found = _native.search_masks(masks, labels, 2, max_depth=2, memory_limit=masks.nbytes)
    assert found.status == "memory_limit" and len(found.tree["feature"]) == 1


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
    signal.setitimer(signal.ITIMER_REAL, 0.03)
    assert _native.search_masks(*long_list, 2, max_depth=2).status == "interrupted"


def test_ctrl_c_during_a_listing() -> None:
    X = np.random.default_rng(1).normal(size=(120, 3)).round(3)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        if asked == 40:
            signal.raise_signal(signal.SIGINT)
        return False

    with pytest.raises(KeyboardInterrupt):
        dichotomies(X, "hyperplane", stop=stop)
    assert asked == 40


@pytest.mark.parametrize("rows", [120, 520])  # more than eight words are sorted in another way
def test_a_listing_asks_all_the_time(rows: int) -> None:
    X = np.random.default_rng(1).normal(size=(rows, 3 if rows < 512 else 2)).round(3)
    calls, lifting = 0, 0

    def count_calls() -> bool:
        nonlocal calls
        calls += 1
        return False

    found = dichotomies(X, "hyperplane", stop=count_calls)
    assert found.complete and calls >= 30
    known = set(map(bytes, found.masks))

    def count_lifting() -> bool:
        nonlocal lifting
        lifting += 1
        return False

    assert unlisted(X, "hyperplane", count_lifting) is not None
    for share in (0.0, 0.3, 0.6, 0.9):  # the last is while the masks are sorted
        first = lifting + share * (calls - lifting)
        asked = map(first.__le__, count(0))
        stopped = dichotomies(X, "hyperplane", stop=asked.__next__)
        assert share > 0 or not stopped.complete
        assert set(map(bytes, stopped.masks)) <= known


def test_all_preparations_ask_all_the_time() -> None:
    """Lifting, embedding and elimination: wherever it is stopped, they end there."""
    X = np.random.default_rng(0).normal(size=(150, 5)).round(2)
    asked = 0

    def never() -> bool:
        nonlocal asked
        asked += 1
        return False

    whole = unlisted(X[:, :3], "hyperplane", never)
    assert whole is not None and asked >= 20
    asked = 0
    # 21 coefficients: too many for anything but a list, which is not reached.
    assert unlisted(X, "quadric", never) is None
    assert asked >= 100
    for moment in (1, 2, 3, 10, 20, 40, 60, 80, asked - 1, asked):
        calls = count(1)
        reached = map(moment.__le__, calls)
        with pytest.raises(TimeoutError):
            unlisted(X, "quadric", reached.__next__)
        assert next(calls) == moment + 1


@pytest.mark.parametrize("splits", ["quadric", "hyperplane"])
def test_a_limit_that_ends_while_the_rows_are_lifted(splits: str) -> None:
    """Thirty columns: the elimination of 496 terms would take minutes."""
    X, y = load_breast_cancer(return_X_y=True)
    y = np.random.default_rng(0).permutation(y)  # as they are, one plane parts them
    found = solve(X, y, splits=splits, max_depth=1, time_limit=0.05)
    assert found.status == "time_limit" and found.objective <= 212
    # That of 31 may be over before the limit, and then a list is refused.
    for engine in ("size_rec", "generic") if splits == "quadric" else ():
        found = solve(X, y, splits=splits, max_splits=1, time_limit=0.05, engine=engine)
        assert found.status == "time_limit"


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_while_the_rows_are_lifted() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    y = np.random.default_rng(0).permutation(y)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    found = solve(X, y, splits="quadric", max_depth=1)
    assert found.status == "interrupted"
