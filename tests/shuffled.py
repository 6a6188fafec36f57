"""Workers that misbehave by a seed: they answer in any order, late, in part, or never."""

from __future__ import annotations

from concurrent.futures import Future
from random import Random
from typing import Any

import numpy as np

from exactree import _native
from exactree.cluster import tasks
from exactree.cluster.coordinator import Coordinator
from exactree.cluster.posing import Posing


class WorkerLost(Exception):
    """What a pool says of a task whose worker died."""


class Killed(BaseException):
    """What ends a coordinator in the middle of everything."""


class ShuffledPool:
    """Runs tasks in this thread, when `run_some` is called."""

    def __init__(
        self, seed: int, workers: int = 4, *, kill_after: int | None = None, steady: bool = False
    ) -> None:
        self.dice = Random(seed)
        self.size = workers
        self.pending: list[tuple[Future[Any], Any]] = []
        self.lost = self.partial = self.evaluations = self.latest = self.others = 0
        self.kill_after = kill_after
        self.steady = steady  # it behaves, until it is killed

    def workers(self) -> int:
        return self.size

    def is_near(self) -> bool:
        return self.steady

    def kept(self, posing: Any) -> Any:
        return posing if self.dice.random() < 0.5 else None

    def after(self, error: BaseException) -> bool:
        return isinstance(error, WorkerLost)

    def look_after(self) -> None:
        """Nobody is gone here without notice."""

    def close(self) -> None:
        self.pending.clear()

    def submit(self, function: Any, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.pending.append((future, (function, args)))
        return future

    def run_some(self) -> None:
        """Finish some tasks, at least one if there are any."""
        some = self.dice.randint(1, len(self.pending)) if self.pending else 0
        for _ in range(some):
            future, (function, args) = self.pending.pop(self.dice.randrange(len(self.pending)))
            if not self.steady and self.dice.random() < 0.1:
                self.lost += 1
                future.set_exception(WorkerLost("gone"))
                continue
            found = function(*args) if function is tasks.write else self._answer(function, args)
            if self.kill_after is not None:
                self.kill_after -= 1
                if self.kill_after < 0:
                    raise Killed
            future.set_result(found)

    def _answer(self, function: Any, args: Any) -> Any:
        replies = function(*args)
        self.latest = 0
        if replies is None:
            return None
        for i, question in enumerate(args[2]):
            self.evaluations += replies[i]["counters"][1]
            self.latest += replies[i]["counters"][1]
            self.others += len(replies[i].get("others", ()))
            if question["divisible"] and not self.steady and self.dice.random() < 0.4:
                self.partial += 1
                half = {"complete": False, "lo": question["lo"], "hi": question["hi"]}
                times = {"seconds": 0.0, "processor_seconds": 0.0, "worker": "w"}
                replies[i] = {**half, **times, "counters": [0] * len(replies[i]["counters"])}
        return replies


class Stepping(Coordinator):
    """Lets the pool work whenever it would wait."""

    def _take(self, seconds: float) -> None:
        self.pool.run_some()  # type: ignore[attr-defined]
        super()._take(0)


HERE: dict[str, Any] = {"columns": _native.search_columns, "squares": _native.search_squares}


def random_posing(seed: int) -> Posing:
    """Draw a tiny problem: classes or numbers, binary or not, weights, limits and prices."""
    dice = np.random.default_rng(seed)
    rows, columns = int(dice.integers(2, 30)), int(dice.integers(1, 5))
    values = int(dice.choice([2, 2, 3, 6, 30]))
    drawn = dice.integers(0, values, (columns, rows))
    ranks = np.stack([np.unique(x, return_inverse=True)[1] for x in drawn]).astype(np.int32)
    terms: dict[str, Any] = {
        "max_depth": int(dice.integers(3, 6)),
        "min_rows": int(dice.choice([1, 1, 1, 2, 3])),
        "penalty": int(dice.choice([0, 0, 0, 1, 2])),
    }
    if dice.random() < 0.4:
        terms["max_splits"] = int(dice.integers(1, 9))
        terms["sizes"] = bool(dice.random() < 0.5)
    weights = dice.integers(1, 4, rows)
    if dice.random() < 0.25:
        sums = (dice.integers(-9, 10, rows) * weights).astype(np.float64)
        return Posing("squares", (ranks, sums, weights.astype(np.float64)), {"shift": 0, **terms})
    classes = int(dice.choice([2, 2, 3]))
    labels = dice.integers(0, classes, rows).astype(np.int32)
    given = weights.astype(np.int64) if dice.random() < 0.3 else None
    return Posing("columns", (ranks, labels, classes, given), terms)


def compare(posing: Posing, found: Any) -> Any:
    """Require what one thread finds."""
    search = HERE[posing.kind]
    expected = search(*posing.rows, **posing.terms)
    assert found.status == expected.status == "optimal"
    assert found.size_objectives == expected.size_objectives
    assert found.size_lower_bounds == expected.size_lower_bounds
    assert found.size_trees == expected.size_trees
    return expected


def table(rows: int = 300, columns: int = 5, seed: int = 0) -> tuple[Any, Any]:
    dice = np.random.default_rng(seed)
    X = dice.normal(size=(rows, columns))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (dice.random(rows) < 0.2)
    return X, y.astype(int)


def same(found: Any, expected: Any) -> None:
    assert (found.status, found.objective, found.lower_bound, found.tree) == (
        expected.status,
        expected.objective,
        expected.lower_bound,
        expected.tree,
    )
