"""Real executors: processes, Dask, threads; and what is done when they fail."""

from __future__ import annotations

import gc
import os
import signal
import struct
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from threading import Timer
from time import sleep
from typing import Any

import pytest
from joblib.externals.loky import get_reusable_executor
from shuffled import same, table
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import exactree
from exactree import OptimalTreeClassifier, size_path, solve, using
from exactree.cluster.coordinator import ClusterWarning, Coordinator
from exactree.cluster.pools import process_pool


def test_processes_give_the_tree_of_one_thread() -> None:
    X, y = table()
    with process_pool(2) as pool:
        found = solve(X, y, max_depth=4, executor=pool)
        same(found, solve(X, y, max_depth=4))
        # The first of them may have answered everything before the second had started.
        assert found.stats["by_the_piece"] == 1 and found.stats["threads"] in (1, 2)
        z = X[:, 0] * 2 + X[:, 1] ** 2
        same(
            solve(X[:60], z[:60], task="regression", max_depth=3, executor=pool),
            solve(X[:60], z[:60], task="regression", max_depth=3),
        )
        B = (X[:, :, None] > [-0.5, 0, 0.5]).reshape(len(X), -1).astype(int)
        same(
            solve(B, y, max_depth=4, splits="binary", executor=pool),
            solve(B, y, max_depth=4, splits="binary"),
        )
        same(
            solve(X[:25, :2], y[:25], max_depth=2, splits="hyperplane", executor=pool),
            solve(X[:25, :2], y[:25], max_depth=2, splits="hyperplane"),
        )
        path = size_path(X[:80], y[:80], max_splits=4, max_depth=3, executor=pool)
        for one, other in zip(
            path, size_path(X[:80], y[:80], max_splits=4, max_depth=3), strict=True
        ):
            same(one, other)


def kill(process: int) -> None:
    with suppress(ProcessLookupError):  # a broken pool ends the others itself
        os.kill(process, signal.SIGKILL)


def test_killed_processes_are_replaced() -> None:
    X, y = table(500, 6)
    expected = solve(X, y, max_depth=4)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(abs, range(4)))
        victims = list(pool._processes)
        timers = [Timer(0.05 + 0.1 * i, kill, (pid,)) for i, pid in enumerate(victims)]
        for timer in timers:
            timer.start()
        same(solve(X, y, max_depth=4, executor=pool), expected)
        for timer in timers:
            timer.join()


def test_loky_and_its_killed_processes() -> None:
    X, y = table(300, 6)
    expected = solve(X, y, max_depth=4)
    pool: Any = get_reusable_executor(2)
    same(solve(X, y, max_depth=4, executor=pool), expected)
    timer = Timer(0.1, kill, (next(iter(pool._processes)),))
    timer.start()
    same(solve(X, y, max_depth=4, executor=pool), expected)
    timer.join()
    get_reusable_executor(2).shutdown(wait=True)


def loky(workers: int) -> Any:
    return get_reusable_executor(workers)


def spawned(workers: int) -> Any:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@pytest.mark.parametrize("made", [loky, spawned])
def test_a_process_killed_in_the_middle_of_its_answer(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pool waits for the rest of the answer, and would do so for ever."""
    monkeypatch.setattr("exactree.cluster.coordinator.SILENCE", 0.3)
    X, y = table(300, 6)
    expected = solve(X, y, max_depth=3)
    pool = made(2)
    list(pool.map(abs, range(4)))
    os.write(pool._result_queue._writer.fileno(), struct.pack("!i", 1000) + b"the first bytes")
    sleep(0.2)  # now the pool reads
    kill(next(iter(pool._processes)))
    same(solve(X, y, max_depth=3, executor=pool), expected)
    pool.shutdown(wait=True)
    if made is loky:  # what took its place is everybody's
        loky(2).shutdown(wait=True)


def test_no_session_is_left_behind() -> None:
    X, y = table(60, 3)
    with ThreadPoolExecutor(1) as pool:
        solve(X, y, max_depth=3, executor=pool)
    gc.collect()
    assert not any(isinstance(one, Coordinator) for one in gc.get_objects())


class Failing(Executor):
    """Runs some tasks here; then they raise, or it takes no more."""

    def __init__(self, good: int, *, closes: bool) -> None:
        self.good, self.closes = good, closes

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.good -= 1
        future: Future[Any] = Future()
        if self.good >= 0:
            future.set_result(function(*args, **kwargs))
        elif self.closes:
            raise RuntimeError("cannot schedule new futures after shutdown")
        else:
            future.set_exception(ZeroDivisionError("of a task"))
        return future


@pytest.mark.parametrize("closes", [False, True])
def test_what_is_lost_leaves_the_best_tree_and_a_true_bound(closes: bool) -> None:
    X, y = table(200, 5)
    expected = solve(X, y, max_depth=4)
    with pytest.warns(ClusterWarning, match="best tree"):
        found = solve(X, y, max_depth=4, executor=Failing(5, closes=closes))
    assert found.status == "interrupted"
    assert found.lower_bound <= expected.objective <= found.objective


def test_limits_end_a_search_that_runs_elsewhere() -> None:
    X, y = table(3000, 8)
    with ThreadPoolExecutor(2) as pool:
        found = solve(X, y, max_depth=5, time_limit=0.3, executor=pool)
    assert found.status == "time_limit"
    assert found.stats["seconds"] < 5
    seen = []

    def stop(progress: Any) -> None:
        seen.append(progress)
        if len(seen) > 3:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool:
        found = solve(X, y, max_depth=5, on_progress=stop, executor=pool)
    assert found.status == "interrupted"


def test_workers_keep_their_memory_limit() -> None:
    X, y = table(2000, 10)
    with ThreadPoolExecutor(1) as pool:
        found = solve(X, y, max_depth=4, memory_limit=400_000, executor=pool)
    assert found.status == "memory_limit"
    assert found.lower_bound <= found.objective


def test_estimators_use_the_executor_of_the_block() -> None:
    X, y = table(60, 3)
    search = GridSearchCV(OptimalTreeClassifier(max_depth=3), {"penalty": [0.0, 0.05]}, cv=2)
    expected = clone(search).fit(X, y)
    with ThreadPoolExecutor(2) as pool, using(pool):
        found = search.fit(X, y)
    assert found.cv_results_["mean_test_score"].tolist() == (
        expected.cv_results_["mean_test_score"].tolist()
    )
    assert found.best_estimator_.tree_ == expected.best_estimator_.tree_


def test_what_is_no_executor_is_refused() -> None:
    with pytest.raises(ValueError, match="pass a concurrent"):
        solve([[1], [2]], [0, 1], max_depth=1, executor="dask")
    with pytest.raises(ValueError, match="pass a concurrent"), using(4):
        pass
    assert exactree.using is using
