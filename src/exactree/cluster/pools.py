"""Who answers: executors of the standard library and those like it, Dask, threads of our own."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from multiprocessing import get_context
from time import monotonic
from typing import Any, Protocol

# Seconds after which the workers of a cluster are counted again.
RECOUNT = 1.0
# Seconds that the scheduler may take to find a worker for the problem: a search keeps its limits.
SCATTER = 1.0


class LostPool(Exception):
    """There is nobody left to answer, and nobody will come."""


class Pool(Protocol):
    """What the coordinator needs of an executor."""

    def workers(self) -> int:
        """Tell how many tasks can run at a time."""

    def is_near(self) -> bool:
        """Tell whether a task starts at once, so that none need wait for a worker."""

    def submit(self, function: Callable[..., Any], *args: Any) -> Any:
        """Start a task; what comes back has `result`, `cancel` and `add_done_callback`."""

    def kept(self, posing: Any) -> Any:
        """Give what stands for a problem in the arguments of a task; None: send it on demand."""

    def after(self, error: BaseException) -> bool:
        """Make good for a failure that is not the task's own; False: there was none."""

    def look_after(self) -> None:
        """See to workers that are gone without anybody noticing; called after a long silence."""

    def close(self) -> None:
        """End what was started here."""


class FuturesPool:
    """Any `concurrent.futures.Executor`."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self._own = False

    def workers(self) -> int:
        """Ask the executor, or count processors."""
        told = getattr(self.executor, "_max_workers", None)  # the standard library, loky
        told = told or getattr(self.executor, "num_workers", None)  # mpi4py
        return int(told or os.cpu_count() or 1)

    def is_near(self) -> bool:
        """Tell whether the workers are threads of this process."""
        return isinstance(self.executor, ThreadPoolExecutor)

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Start a task."""
        try:
            return self.executor.submit(function, *args)
        except (BrokenExecutor, RuntimeError) as error:
            if not self.after(error):
                raise LostPool(f"the executor takes no more tasks: {error}") from error
            return self.executor.submit(function, *args)

    def kept(self, posing: Any) -> None:
        """Send problems on demand: executors have no place for them."""

    def after(self, error: BaseException) -> bool:
        """Replace a pool of processes of which one was killed: it takes no more tasks."""
        if not isinstance(error, BrokenExecutor):
            return False
        if not _is_broken(self.executor):
            return True  # replaced already
        fresh = _like(self.executor)
        if fresh is None:
            raise LostPool(f"the executor is broken, and cannot be replaced: {error}") from error
        self.close()
        self.executor, self._own = fresh, type(fresh) is ProcessPoolExecutor
        return True

    def look_after(self) -> None:
        """End a pool of processes of which one was killed in the middle of an answer.

        The rest of that answer is waited for then, and the pool sees neither that the process is
        gone nor what others answer. Without any process, and without its own end for writing, it
        finds that nothing can come, and says that it is broken.
        """
        processes = list((getattr(self.executor, "_processes", None) or {}).values())
        writer = getattr(getattr(self.executor, "_result_queue", None), "_writer", None)
        if writer is None or all(process.exitcode in (None, 0) for process in processes):
            return
        for process in processes:
            process.terminate()
        if not writer.closed:
            writer.close()

    def close(self) -> None:
        """End a pool that took the place of a broken one."""
        if self._own:
            self.executor.shutdown(wait=False, cancel_futures=True)


def _is_broken(executor: Executor) -> bool:
    flags = getattr(executor, "_flags", None)  # loky
    return bool(getattr(executor, "_broken", True) if flags is None else flags.broken)


def _like(executor: Executor) -> Executor | None:
    """Make a pool of processes like one that is broken."""
    known = vars(executor)
    again = getattr(type(executor), "get_reusable_executor", None)
    if again is not None:  # loky replaces its own
        fresh: Executor = again(max_workers=known["_max_workers"])[0]
        return fresh
    if type(executor) is not ProcessPoolExecutor:
        return None
    return ProcessPoolExecutor(
        known["_max_workers"],
        mp_context=known["_mp_context"],
        initializer=known["_initializer"],
        initargs=known["_initargs"],
    )


def process_pool(processes: int) -> ProcessPoolExecutor:
    """Start processes on this machine, which share nothing with this one."""
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"))


class DaskPool:
    """A `dask.distributed.Client`: its scheduler starts tasks of lost workers again."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._kept: dict[str, Any] = {}
        self._counted, self._next_count = 1, 0.0

    def workers(self) -> int:
        """Count the threads of the workers that are there; once a second, since they are asked."""
        if monotonic() >= self._next_count:
            self._counted = self._count()
            self._next_count = monotonic() + RECOUNT
        return self._counted

    def _count(self) -> int:
        if self.client.status != "running":
            raise LostPool(self._lost())
        try:
            threads: dict[str, int] = self.client.nthreads()
            return max(1, sum(threads.values()))
        except Exception as error:
            raise LostPool(f"the scheduler does not answer: {error}") from error

    def _lost(self) -> str:
        return f"the Dask scheduler is lost (the client is {self.client.status!r})"

    def is_near(self) -> bool:
        """Tell that tasks take their time to get there."""
        return False

    def submit(self, function: Callable[..., Any], *args: Any) -> Any:
        """Start a task. It is never taken for the same as an earlier one."""
        if self.client.status != "running":
            raise LostPool(self._lost())
        return self.client.submit(function, *args, pure=False, retries=10)

    def kept(self, posing: Any) -> Any:
        """Put the problem on the cluster once, where workers get it from each other.

        The scheduler passes it to a worker it believes to be there. If that one has just been
        lost, the problem goes along with a task to whichever worker does not know it.
        """
        if posing.key not in self._kept:
            try:
                self._kept[posing.key] = self.client.scatter(posing, hash=False, timeout=SCATTER)
            except (OSError, TimeoutError):
                return None
        return self._kept[posing.key]

    def after(self, error: BaseException) -> bool:
        """Try again what was lost with its workers, and put the problem there anew."""
        if self.client.status != "running":
            raise LostPool(self._lost()) from error
        lost = "KilledWorker", "CancelledError", "FutureCancelledError", "CommClosedError"
        if type(error).__name__ not in lost:
            return False
        self._kept.clear()
        return True

    def look_after(self) -> None:
        """Leave that to the scheduler."""

    def close(self) -> None:
        """Let the cluster forget the problem."""
        self._kept.clear()


def dask_client(address: str) -> Any:
    """Connect to the scheduler of a Dask cluster."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("Dask is not installed: pip install 'exactree[dask]'") from error
    try:
        connect: Any = Client
        return connect(address)
    except (OSError, ValueError) as error:
        raise ValueError(f"there is no Dask scheduler at {address!r}: {error}") from error


def as_pool(executor: Any) -> Pool:
    """Read what the user gives as `executor`."""
    if isinstance(executor, Executor):
        return FuturesPool(executor)
    if hasattr(executor, "scheduler_info") and hasattr(executor, "scatter"):
        return DaskPool(executor)
    raise ValueError(
        f"executor={executor!r}: pass a concurrent.futures.Executor, such as "
        "ProcessPoolExecutor(), a dask.distributed.Client, or None"
    )
