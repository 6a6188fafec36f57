"""Native searches by the piece: on the workers of an executor, or on threads with a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactree import _native
from exactree.cluster.coordinator import Coordinator
from exactree.cluster.crew import Crew
from exactree.cluster.ledger import Ledger
from exactree.cluster.pools import as_pool
from exactree.cluster.posing import OVER_MASKS, Posing, of_problem

# Trees of fewer levels are found before a task has reached its worker.
FEWEST_LEVELS = 3
# What the file calls a search that runs in this process and leaves no claims.
HERE = "here"
# Searches by splits and by penalties stay in this process.
UNDIVIDED: dict[str, Any] = {"splits": _native.search_splits, "sparse": _native.search_sparse}
# The lists of a tree, as the native search writes it.
TREE = ("feature", "low", "high", "left", "right", "label")

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


@dataclass(frozen=True)
class Ended:
    """What a search that was not divided ended with in an earlier run: as its native result."""

    objective: int
    lower_bound: int
    tree: Any
    counters: dict[str, int]
    status: str = "optimal"
    seconds: float = 0.0
    peak_bytes: int = 0
    threads: int = 1
    parts: tuple[()] = ()

    @property
    def history(self) -> list[tuple[float, int, int]]:
        """All was known at once."""
        return [(0.0, self.objective, self.lower_bound)]

    @staticmethod
    def plain(found: Any) -> list[Any]:
        """Write it as plain data."""
        return [found.objective, found.lower_bound, found.tree, found.counters]

    @classmethod
    def of(cls, plain: Any, path: Path) -> Ended:
        """Read it; its tree is run on the data later, as every tree is."""
        try:
            objective, lower_bound, tree, counters = plain
            if not isinstance(counters, dict) or not {*map(type, counters.values())} <= {int}:
                raise TypeError("counters are numbers")
            return cls(int(objective), int(lower_bound), _checked_lists(tree), counters)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f"{str(path)!r} has a search that makes no sense ({error}): it was not written by "
                "this search; remove it, or name another file"
            ) from error


def _checked_lists(tree: dict[str, list[int]]) -> dict[str, list[int]]:
    """Refuse lists that are no tree: there is one of each kind, and children follow parents."""
    lists = {name: [int(number) for number in tree[name]] for name in TREE}
    nodes = len(lists["feature"])
    if not nodes or any(len(one) != nodes for one in lists.values()):
        raise ValueError("lists of different lengths")
    for i, split in enumerate(lists["feature"]):
        children = lists["left"][i], lists["right"][i]
        if split >= 0 and not all(i < child < nodes for child in children):
            raise ValueError("a node without its children")
    return lists


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
        """Run a search, by the piece if it is long enough and can be divided."""
        if kind in UNDIVIDED:
            return self._undivided(kind, rows, terms)
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

    def _undivided(self, kind: str, rows: tuple[Any, ...], terms: dict[str, Any]) -> Any:
        """Run a search that is not divided, unless the file has what it ended with.

        What is proved beforehand is no part of the question: it does not change the answer.
        """
        if self.ledger is None:
            return UNDIVIDED[kind](*rows, **terms)
        asked = {name: told for name, told in of_problem(terms).items() if name != "lower_bound"}
        key = Posing(kind, rows, asked).key
        if key in self.ledger.ended:
            return Ended.of(self.ledger.ended[key], self.ledger.path)
        found = UNDIVIDED[kind](*rows, **terms)
        if found is not None and found.status == "optimal":
            self.ledger.keep_ended(key, Ended.plain(found))
        return found

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
