"""A cluster that is not there: the real coordinator with imagined workers and an imagined clock.

Tasks are run one after the other on this machine, each when a worker of the cluster would begin it
and with what that worker has kept, and take the processor time that they take here. So pieces are
divided, put together and asked for in the order in which as many workers would have it; what the
coordinator itself takes, from the first tree to the last, is on the clock as well. Only the network
and the slowness of some workers are made up.
"""

import heapq
import random
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from math import inf
from time import thread_time
from typing import Any

from exactree import _native
from exactree.cluster.coordinator import Coordinator
from exactree.cluster.posing import Posing

LATENCY = 0.005  # seconds a task spends on its way
STRAGGLERS, SLOWER = 0.02, 3.0  # so many tasks take so many times as long


@dataclass
class ImaginedPool:
    """So many workers of one thread each, as a Dask cluster has them."""

    size: int
    longer: float = 1.0  # so many times as long as here takes every task
    before: Callable[[], None] = lambda: None  # called before every task
    now: float = 0.0
    busy: float = 0.0  # seconds of all workers together
    _back: list[tuple[float, int, Future[Any], Any]] = field(default_factory=list)
    _numbers: Any = field(default_factory=count)

    def __post_init__(self) -> None:
        self._dice = random.Random(0)
        # What a worker keeps belongs to its thread.
        self._threads = [ThreadPoolExecutor(1) for _ in range(self.size)]
        self._free = [(0.0, worker) for worker in range(self.size)]  # from when on
        self._seen = thread_time()

    def workers(self) -> int:
        """All are there from the beginning."""
        return self.size

    def is_near(self) -> bool:
        """Tell that tasks take their time to get there."""
        return False

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a task on the worker that is free first. First come, first served."""
        self.charge()
        self.before()
        free, worker = heapq.heappop(self._free)
        key, posing, what, seconds, memory = args
        longer = self.longer * (SLOWER if self._dice.random() < STRAGGLERS else 1.0)
        if isinstance(what, list):
            what = [{**one, "more": one.get("more", 0.0) / longer} for one in what]
        args = key, posing, what, seconds / longer, memory
        result, used = self._threads[worker].submit(_timed, function, args).result()
        used *= longer
        for reply in result if isinstance(result, list) else ():
            reply["processor_seconds"] *= longer
            reply["seconds"] = reply["processor_seconds"]
        self.busy += used
        end = max(self.now + LATENCY / 2, free) + used
        future: Future[Any] = Future()
        heapq.heappush(self._free, (end, worker))
        heapq.heappush(self._back, (end + LATENCY / 2, next(self._numbers), future, result))
        self._seen = thread_time()
        return future

    def kept(self, posing: Any) -> Any:
        """Give the problem along with every task; a worker reads it once."""
        return posing

    def after(self, error: BaseException) -> bool:
        """Nobody is lost here."""
        return False

    def look_after(self) -> None:
        """Nobody is gone here without notice."""

    def close(self) -> None:
        """End the threads."""
        for thread in self._threads:
            thread.shutdown()

    def charge(self) -> None:
        """Put what the calling thread has used since the last time on the clock."""
        used = thread_time()
        self.now += used - self._seen
        self._seen = used

    def step(self) -> None:
        """Go on to the moment when the next task is back, and hand it over."""
        self.charge()
        if self._back:
            self.now = max(self.now, self._back[0][0])
        while self._back and self._back[0][0] <= self.now:
            _, _, future, result = heapq.heappop(self._back)
            future.set_result(result)
        self._seen = thread_time()


def _timed(function: Callable[..., Any], args: Any) -> tuple[Any, float]:
    start = thread_time()
    return function(*args), thread_time() - start


@dataclass
class ImaginedRun(Coordinator):
    """A coordinator whose waiting takes no time."""

    pool: ImaginedPool = field(kw_only=True)

    def _take(self, seconds: float) -> None:
        self.pool.step()
        super()._take(0.0)


def run(posing: Posing, workers: int) -> tuple[_native.SearchResult, ImaginedRun]:
    """Search with so many imagined workers."""
    search = ImaginedRun(posing, pool=ImaginedPool(workers))
    found = search.run(inf, None)
    search.pool.charge()
    return found, search
