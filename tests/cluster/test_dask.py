"""Real Dask workers, each a process of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from threading import Timer
from typing import Any

import pytest
from shuffled import same, table

from exactree import solve
from exactree.cluster.coordinator import ClusterWarning

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_dask_gives_the_tree_of_one_thread(client: Any) -> None:
    X, y = table()
    found = solve(X, y, max_depth=4, executor=client)
    same(found, solve(X, y, max_depth=4))
    assert found.stats["threads"] >= 1


def kill_all(client: Any, left: int, killed: list[int]) -> None:
    """Kill the workers there are, one after the other; others come for them."""
    for info in client.scheduler_info()["workers"].values():
        process = process_of(client, info)
        if process is None:  # on its way
            continue
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            continue
        killed.append(process)
        break
    if left > 1:
        timer = Timer(0.3, kill_all, (client, left - 1, killed))
        timer.daemon = True
        timer.start()


def process_of(client: Any, info: dict[str, Any]) -> int | None:
    nanny = client.cluster.workers.get(info["name"])
    return getattr(getattr(nanny, "process", None), "pid", None)


def test_killed_workers_do_not_matter(client: Any) -> None:
    X, y = table(400, 6)
    expected = solve(X, y, max_depth=4)
    killed: list[int] = []
    timer = Timer(0.2, kill_all, (client, 3, killed))
    timer.start()
    same(solve(X, y, max_depth=4, executor=client), expected)
    timer.join()
    assert killed


def test_a_lost_scheduler_leaves_the_best_tree_and_a_true_bound() -> None:
    X, y = table(400, 6)
    expected = solve(X, y, max_depth=4)
    cluster = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address=":0",
        silence_logs=50,
    )
    with cluster, distributed.Client(cluster) as client:
        timer = Timer(0.2, client.close)
        timer.start()
        with pytest.warns(ClusterWarning, match="lost.*best tree|not answer.*best tree"):
            found = solve(X, y, max_depth=4, executor=client)
        timer.join()
    assert found.status == "interrupted"
    assert found.lower_bound <= expected.objective <= found.objective
