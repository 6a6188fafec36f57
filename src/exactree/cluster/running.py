"""Native searches by the piece: on the workers of an executor, or on threads with a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactree.cluster.coordinator import Coordinator
from exactree.cluster.crew import Crew
from exactree.cluster.ledger import Ledger
from exactree.cluster.pools import as_pool
from exactree.cluster.posing import OVER_MASKS, Posing, of_problem

# Trees of fewer levels are found before a task has reached its worker.
FEWEST_LEVELS = 3
# What the file calls a search that runs in this process and leaves no claims.
HERE = "here"

_current: ContextVar[Any] = ContextVar("exactree_executor", default=None)


@contextmanager
def using(executor: Any) -> Iterator[None]:
    """Let the searches of this block run on an executor, those of estimators too.

    An executor is a `concurrent.futures.Executor`, a `dask.distributed.Client` or None. An
    estimator does not hold it, so it can be cloned, stored and searched over: `with using(client):
    GridSearchCV(...).fit(X, y)` fits one tree after the other, each on all workers.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from exactree import OptimalTreeClassifier, using
    >>> with ThreadPoolExecutor(2) as threads, using(threads):
    ...     OptimalTreeClassifier(max_depth=3).fit([[1], [2], [3]], [0, 1, 0]).score([[2]], [1])
    1.0
    """
    if executor is not None:
        as_pool(executor)  # or refuse it
    token = _current.set(executor)
    try:
        yield
    finally:
        _current.reset(token)


def current_executor() -> Any:
    """Give the executor of the innermost `using`, or None."""
    return _current.get()


@dataclass
class Elsewhere:
    """What runs native searches, one after the other, instead of the native module itself."""

    executor: Any = None
    ledger: Ledger | None = None
    worker_memory: int = 0  # bytes, 0: what is free where the worker is
    sketch: Callable[[list[list[int]]], str | None] | None = None  # draws a tree for the ledger
    units: int = 1  # by which costs are divided for those who watch
    coordinator: Coordinator | None = None  # of the latest search
    searches: int = 0  # that were run by the piece; what needs no search, or cannot, runs here

    def __call__(self, kind: str, rows: tuple[Any, ...], terms: dict[str, Any]) -> Any:
        """Run a search, by the piece if it is long enough."""
        posing = Posing(kind, rows, of_problem(terms))
        limits = {name: terms[name] for name in ("time_limit", "memory_limit", "poll")}
        if terms["max_depth"] < FEWEST_LEVELS and kind not in OVER_MASKS:
            if self.ledger is not None:
                self.ledger.begin(posing)
            return posing.pose(threads=terms["threads"]).run(**limits)
        self.searches += 1
        how: Any = {"sketch": self.sketch, "units": self.units}
        search: Crew | Coordinator
        if self.executor is None:
            memory = limits["memory_limit"]
            search = Crew(posing, self.ledger, memory, **how, threads=terms["threads"])
        else:
            pool = as_pool(self.executor)
            search = Coordinator(posing, self.ledger, self.worker_memory, **how, pool=pool)
            self.coordinator = search
        return search.run(limits["time_limit"], limits["poll"])

    def watched(self, best: float, bound: float, *, begins: bool) -> None:
        """Say in the file what is known when a search that leaves no claims begins or ends."""
        if self.ledger is None:
            return
        if begins:
            self.ledger.turn_to(HERE)
        note = self.ledger.bound if begins or bound < best else self.ledger.end
        note(best, min(best, bound))


@contextmanager
def elsewhere(
    executor: Any, checkpoint: str | Path | None, memory_limit: int
) -> Iterator[Elsewhere | None]:
    """Give what is to run native searches; None: the native module itself."""
    executor = current_executor() if executor is None else executor
    if executor is None and checkpoint is None:
        yield None
        return
    if executor is not None:
        as_pool(executor)  # or refuse it
    ledger = None if checkpoint is None else Ledger(checkpoint)
    try:
        yield Elsewhere(executor, ledger, memory_limit)
    finally:
        if ledger is not None:
            ledger.close()
