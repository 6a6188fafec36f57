"""Processes against threads, and a simulation of many workers from the tasks of real runs.

The tasks are recorded as 64 workers would ask for them (imagined.py), and then replayed on any
number of workers. A piece can start once the one that opened it is done: along a column, the one
whose interval it divides; below a divided piece, that piece, and for its second side all of the
first. How long a piece takes is what was measured; with other workers other bounds would be known,
and other pieces be divided, so this is a simulation and no measurement.
"""

import heapq
import random
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Sequence
from math import inf
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import imagined, plots
from benchmarks.data import Instance, load
from benchmarks.imagined import LATENCY, SLOWER, STRAGGLERS, ImaginedRun
from benchmarks.report import table
from benchmarks.suites import Finding, Setting
from exactree import _native
from exactree.cluster.coordinator import Coordinator, Done
from exactree.cluster.pools import FuturesPool, process_pool
from exactree.cluster.posing import Posing
from exactree.cluster.tasks import answer

PROCESSES = 2
LONG = 200.0  # task seconds: beyond, processes are not compared with threads
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
RECORDED = 64  # as so many would ask


def cluster(setting: Setting) -> Finding:
    """Run, record, replay."""
    parts, series = [], {}
    for instance in setting.instances:
        posing = posed(instance, setting.problem.max_depth or 4)
        setting.say(f"{instance.name}: {RECORDED} imagined workers")
        found, search = imagined.run(posing, RECORDED)
        parts.append(recorded(instance.name, found, search))
        if search.pool.busy <= LONG:
            parts.append(measured(posing, instance.name, found, setting.say))
        series[instance.name] = replayed(search.done)
    rows = [
        [name, *(f"{times[0][1] / seconds:.1f}" for _, seconds in times)]
        for name, times in series.items()
    ]
    head = ["simulated speed-up", *map(str, WORKERS)]
    drawn = {
        name: [(float(workers), times[0][1] / seconds) for workers, seconds in times]
        for name, times in series.items()
    }
    plots.growth(drawn, "workers", setting.plot_file("cluster"), "simulated speed-up")
    return Finding([], "\n\n".join([*parts, table(head, rows)]))


def posed(instance: Instance, depth: int) -> Posing:
    """Put the search of an instance as the native module takes it."""
    X, y = load(instance)
    ranks = [np.unique(column, return_inverse=True)[1] for column in np.asarray(X).T]
    classes, labels = np.unique(y, return_inverse=True)
    rows = (np.stack(ranks).astype(np.int32), labels.astype(np.int32), len(classes))
    return Posing("columns", rows, {"max_depth": depth})


def recorded(name: str, found: _native.SearchResult, search: ImaginedRun) -> str:
    """Tell what the imagined workers did."""
    lengths = sorted(done.processor_seconds for done in search.done)
    pool = search.pool
    return (
        f"{name}: {len(lengths)} pieces, {sum(lengths):.0f} task seconds, the longest "
        f"{lengths[-1]:.2f} s; {found.counters['evaluations']} evaluations. {pool.size} imagined "
        f"workers are done after {pool.now:.1f} s, and busy {pool.busy / pool.size / pool.now:.0%}"
    )


def measured(
    posing: Posing, name: str, expected: _native.SearchResult, say: Callable[[str], None]
) -> str:
    """Compare processes with threads."""
    with process_pool(PROCESSES) as pool:
        list(pool.map(ready, range(4 * PROCESSES)))  # they are there, and have imported all
        say(f"{name}: {PROCESSES} processes")
        coordinator = Coordinator(posing, pool=FuturesPool(pool))
        found, wall, used = timed(lambda: coordinator.run(inf, None))
    work = sum(done.processor_seconds for done in coordinator.done)
    rows = [[f"{PROCESSES} processes", *told(found, wall, used + work)]]
    assert found.tree == expected.tree
    for threads in (1, PROCESSES):
        say(f"{name}: {threads} threads")
        found, wall, used = timed(posing.pose(threads=threads).run)
        rows.append([f"{threads} threads", *told(found, wall, used)])
        assert found.tree == expected.tree
    return table([name, "objective", "seconds", "processor seconds", "evaluations"], rows)


def ready(_: int) -> None:
    """Let a process import what its tasks need."""
    answer("", None, [], 0.0, 0)


def timed(run: Callable[[], Any]) -> tuple[_native.SearchResult, float, float]:
    """Give what a search finds, its seconds and its processor seconds."""
    start, used = perf_counter(), process_time()
    found = run()
    return found, perf_counter() - start, process_time() - used


def told(found: _native.SearchResult, wall: float, used: float) -> list[str]:
    """A line of the table."""
    return [str(found.objective), f"{wall:.1f}", f"{used:.1f}", str(found.counters["evaluations"])]


def replayed(done: Sequence[Done]) -> list[tuple[int, float]]:
    """Give the simulated seconds for every number of workers."""
    after = dependencies(done)
    return [(workers, makespan(done, after, workers)) for workers in WORKERS]


def dependencies(done: Sequence[Done]) -> list[list[int]]:
    """Say for every piece which ones, by place in the list, have to be done before it."""
    order = sorted(range(len(done)), key=lambda i: done[i].number)
    after: list[list[int]] = [[] for _ in done]
    columns: dict[Any, list[tuple[int, int]]] = defaultdict(list)  # positions and their pieces
    divided: dict[Any, int] = {}
    sides: dict[Any, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i in order:
        one = done[i]
        if len(one.place) == 2:
            line = columns[one.path, one.place[0]]
            at = bisect(line, (one.place[1], -1))
            beside = [line[k][1] for k in (at - 1, at) if 0 <= k < len(line)]
            if beside:
                after[i].append(max(beside, key=lambda k: done[k].number))
            line.insert(at, (one.place[1], i))
        if one.path:
            step, above = one.path[-1], one.path[:-1]
            piece = (above, step[:2])
            if piece in divided:
                after[i].append(divided[piece])
            mine = sides[piece]
            mine[step[2]].append(i)
            if len(mine) == 2 and next(iter(mine)) != step[2]:
                after[i].append(max(mine[1 - step[2]], key=lambda k: done[k].number))
        if not one.complete:
            divided[one.path, one.place] = i
    return after


def makespan(done: Sequence[Done], after: Sequence[Sequence[int]], workers: int) -> float:
    """Run the pieces on so many workers, those that were asked first before others."""
    dice = random.Random(0)
    cost = [
        LATENCY / one.together
        + one.processor_seconds * (SLOWER if dice.random() < STRAGGLERS else 1.0)
        for one in done
    ]
    waits = [len(set(before)) for before in after]
    opens: list[list[int]] = [[] for _ in done]
    for i, before in enumerate(after):
        for k in set(before):
            opens[k].append(i)
    ready = [(done[i].number, i) for i in range(len(done)) if not waits[i]]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < workers:
            _, i = heapq.heappop(ready)
            heapq.heappush(running, (now + cost[i], i))
        now, i = heapq.heappop(running)
        for k in opens[i]:
            waits[k] -= 1
            if not waits[k]:
                heapq.heappush(ready, (done[k].number, k))
    return now
