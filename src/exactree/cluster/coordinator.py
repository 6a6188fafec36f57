"""Asks workers for the open pieces of a search, and takes over what they prove.

What it does with time: a task gets a slice. A piece that is not done by then comes back with what
is proved. If all workers have something to do, it is asked again with that, as the same piece with
the best cost of now. If some have nothing to do, it is divided: its sides become frontiers of their
own, whose pieces are asked for next. These are hundreds and short, and all pass through here, so
that no more pieces are divided than can be served. So no worker is busy with one piece for long,
better trees reach all of them with the next slice, and a lost task is a lost slice. Nothing depends
on timing but how long it takes.
"""

from __future__ import annotations

import warnings
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from exactree import _native
from exactree.cluster import tasks
from exactree.cluster.keeping import KeptSearch
from exactree.cluster.pools import LostPool, Pool
from exactree.cluster.posing import OVER_MASKS

# Seconds: what a piece may take before it is divided, what one that cannot be divided gets at
# first, how long short pieces are put together to be, and how long they are at least: with shorter
# ones workers go on by themselves, for so long if somebody else waits for work.
SLICE = 1.0
WHOLE_SLICE = 8.0
TASK = 0.1
LEAST_TASK = 0.02
MOST_AT_ONCE = 64
NEVER = 1000  # no piece has so many splits above it
# Seconds that it takes here to ask for a piece and to take the reply over: so many short pieces at
# a time can be served.
SERVING = 0.0003
# How much longer the next slice of a piece is that is not divided, up to so many seconds: whoever
# waits for work then waits for them.
LONGER = 1.5
LONGEST = 3.0
FACTS = ("left_facts", "right_facts")
OF_THE_TASK = ("neighbours", "run", "more")  # of a question, and not in a file
PART = ("complete", "lo", "hi", "counters", *FACTS)  # what a file has of a piece under way
# Tasks that wait for workers that are far, if there are as many of these: else each of few workers
# would often wait for one to arrive.
LEAST_WAITING = 2
# How often a task is tried that fails by itself, and how many pools in a row may break.
TRIES = 3
# Seconds between looks at the clock, and without an answer until workers are looked after.
POLL = 0.02
SILENCE = 5.0


class ClusterWarning(UserWarning):
    """Something went wrong elsewhere; the result says what is proved all the same."""


@dataclass
class Task:
    """Pieces that were sent together, or a tree to be written."""

    numbers: list[int]
    questions: list[dict[str, Any]]
    seconds: float
    wanted: dict[str, Any] | None = None
    tries: int = 0
    posing: Any = None  # sent along if the worker did not know it
    future: Any = None
    counted: list[int] = field(default_factory=list)  # by earlier slices of its one piece


@dataclass(frozen=True)
class Done:
    """A piece that was answered: where it is, how long it took, and whether it was divided."""

    number: int
    path: tuple[tuple[int, ...], ...]
    place: tuple[int, ...]
    seconds: float
    processor_seconds: float
    complete: bool
    together: int = 1  # pieces that were sent at once

    @classmethod
    def of(
        cls, number: int, question: dict[str, Any], reply: dict[str, Any], together: int
    ) -> Done:
        """Read it off a question and its reply."""
        path = tuple(tuple(step) for step in question.get("path", ()))
        place = tuple(
            question["branch"]
            if "branch" in question
            else (question["feature"], question["position"])
        )
        times = reply["seconds"], reply["processor_seconds"]
        return cls(number, path, place, *times, reply["complete"], together)


def level_of(question: dict[str, Any]) -> int:
    """Tell how many splits are above a piece."""
    return len(question.get("path", ()))


def continued(question: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    """Ask for the same piece with what is known of it by now."""
    own = [
        (question["position"], side, reply[name])
        for side, name in enumerate(FACTS)
        if name in reply
    ]
    near = [*own, *question.get("neighbours", [])]
    return {**question, "lo": reply["lo"], "hi": reply["hi"], "neighbours": near}


@dataclass
class Coordinator(KeptSearch):
    """One search, its workers and its ledger."""

    pool: Pool = field(kw_only=True)
    slice: float = SLICE
    done: list[Done] = field(default_factory=list)  # for benchmarks: what took how long

    def run(self, time_limit: float, poll: Any) -> _native.SearchResult:
        """Search until nothing is open, or a limit is reached."""
        self._done: SimpleQueue[tuple[Any, Task]] = SimpleQueue()
        self._waiting: deque[Task] = deque()
        self._running: dict[int, Task] = {}
        self._workers: set[str] = set()
        self._broken = 0
        self._hungry = False  # somebody has nothing to do
        self._starved = False  # somebody had nothing to do before
        self._lengths: dict[int, float] = {}  # seconds of a piece, by the level it is at
        self._heard = monotonic()
        try:
            if self._begin(time_limit, poll, self.memory_limit):
                self._search()
        except LostPool as lost:
            self._give_up(str(lost))
        finally:
            for task in self._running.values():
                with suppress(Exception):  # of a pool that is lost
                    task.future.cancel()
            self.pool.close()
        return self._finish(len(self._workers))

    # The search.

    def _search(self) -> None:
        more = True
        while not self._session.poll():
            more = self._fill()
            self._write_trees()
            if not more and not self._running and not self._waiting:
                return
            self._take(POLL)
            self._note()
            if monotonic() > self._heard + SILENCE:
                self._heard = monotonic()
                self.pool.look_after()

    def _fill(self) -> bool:
        """Send what is open to whoever is free; False if nothing is open any more."""
        room = self._room()
        while self._waiting and len(self._running) < room:
            self._send(self._waiting.popleft())
        self._starved = self._hungry
        self._hungry = False
        free = room - len(self._running)
        if free <= 0:
            return True
        asked, more = self._ask(free)
        for task in self._together(asked, free):
            self._send(task)
        return more or bool(asked)

    def _room(self) -> int:
        """Keep as many tasks as workers, and some more that wait for them if they are far."""
        workers = self.pool.workers()
        if self.pool.is_near():
            return workers
        return workers + max(min(workers, LEAST_WAITING), (workers + 3) // 4)

    def _ask(self, free: int) -> tuple[list[tuple[int, dict[str, Any]]], bool]:
        """Ask for what is open, as much as so many tasks hold; False: nothing is any more."""
        pieces: list[tuple[int, dict[str, Any]]] = []
        near, length = self.pool.is_near(), 0.0
        workers = self.pool.workers()
        short = [level for level, seconds in self._lengths.items() if seconds < LEAST_TASK]
        lent_from = min(short, default=NEVER) if workers > 1 else NEVER
        more = LEAST_TASK if self._starved else TASK
        while len(pieces) < free or (not near and length < free * TASK):
            idle = workers > len(self._running) + len(pieces)
            asked: Any = self._session.ask(workers > 1, workers > 1 and idle, lent_from)
            if isinstance(asked, bool):
                self._hungry = True
                return pieces, asked
            if "run" in asked[1]:
                asked[1]["more"] = more
            pieces.append(asked)
            length += self._length_of(asked[1])
            if len(pieces) >= free * MOST_AT_ONCE:
                break
        return pieces, True

    def _together(self, pieces: list[tuple[int, dict[str, Any]]], free: int) -> list[Task]:
        """Put pieces together if they are short, and workers are far: to the same for each."""
        lengths = [self._length_of(question) for _, question in pieces]
        enough = 0.0 if self.pool.is_near() else max(LEAST_TASK, min(TASK, sum(lengths) / free))
        tasks: list[Task] = []
        room = 0.0
        for (number, question), length in zip(pieces, lengths, strict=True):
            if room < length / 2 or not tasks or len(tasks[-1].numbers) == MOST_AT_ONCE:
                tasks.append(Task([], [], self.slice))
                room = enough
            room -= length
            tasks[-1].numbers.append(number)
            tasks[-1].questions.append(question)
            if not question["divisible"]:
                tasks[-1].seconds = WHOLE_SLICE
        return tasks

    def _send(self, task: Task) -> None:
        seconds = max(min(task.seconds, self._ends - monotonic()), 0.0)
        function: Any = tasks.answer if task.wanted is None else tasks.write
        what: Any = task.questions if task.wanted is None else task.wanted
        try:
            head = (self.posing.key, task.posing or self.pool.kept(self.posing))
            future = self.pool.submit(function, *head, what, seconds, self.memory_limit)
        except LostPool:
            raise
        except Exception as error:  # the problem was on a worker that is lost
            self._failed(task, error)
            return
        task.future = future
        self._running[id(task)] = task
        answers = self._done  # not all of this: some executors keep what they are told to call
        future.add_done_callback(lambda done: answers.put((done, task)))

    # What comes back.

    def _take(self, seconds: float) -> None:
        """Take over what is done; wait so long for the first."""
        try:
            future, task = self._done.get(timeout=seconds)
            self._heard = monotonic()
            while True:
                self._take_one(future, task)
                future, task = self._done.get_nowait()
        except Empty:
            return

    def _take_one(self, future: Any, task: Task) -> None:
        if id(task) not in self._running:
            return
        del self._running[id(task)]
        try:
            found: Any = future.result()
        except Exception as error:
            self._failed(task, error)
            return
        if found is None:  # nobody has sent this worker the problem
            task.posing = self.posing
            self._waiting.append(task)
            return
        task.posing = None
        self._broken = 0
        if task.wanted is not None:
            self._written(task.wanted["budget"], *found)
        else:
            self._replies(task, found)

    def _replies(self, task: Task, replies: list[dict[str, Any]]) -> None:
        for number, question, reply in zip(task.numbers, task.questions, replies, strict=False):
            self._workers.add(reply["worker"])
            if task.counted:
                added = zip(task.counted, reply["counters"], strict=True)
                reply["counters"] = [a + b for a, b in added]
            self.done.append(Done.of(number, question, reply, len(task.questions)))
            self._learn(level_of(question), reply["seconds"] / (1 + len(reply.get("others", ()))))
            if reply["complete"]:
                self._session.tell(number, reply)
                if reply.get("trees"):
                    self._keep_trees()
            else:
                self._not_done(Task([number], [question], task.seconds, tries=task.tries), reply)
        left = slice(len(replies), None)
        if task.numbers[left]:
            rest = Task(task.numbers[left], task.questions[left], task.seconds, tries=task.tries)
            self._waiting.appendleft(rest)
        self._keep_claims()

    def _learn(self, level: int, seconds: float) -> None:
        """Note how long pieces take."""
        self._lengths[level] = 0.8 * self._length(level) + 0.2 * seconds

    def _length_of(self, question: dict[str, Any]) -> float:
        more: float = question.get("more", 0.0)
        return max(more, self._length(level_of(question)))

    def _length(self, level: int) -> float:
        return self._lengths.get(level, TASK)

    def _not_done(self, task: Task, reply: dict[str, Any]) -> None:
        """Divide a piece that took too long, or give it more time."""
        question = task.questions[0]
        full = reply.get("why") == "memory_limit"
        divisible = question["divisible"]
        short = not full and "position" in question and task.seconds < WHOLE_SLICE
        if divisible and short and not self._may_divide(level_of(question)):
            self._go_on(task, reply)
            return
        if divisible and self._session.divide(task.numbers[0], reply):
            return
        task.tries += full
        if task.tries >= TRIES:
            self._session.stop("memory_limit")
            return
        task.seconds *= 1 if full else 2
        self._waiting.append(task)

    def _go_on(self, task: Task, reply: dict[str, Any]) -> None:
        """Ask for the same piece again, and keep what is known of it."""
        question = task.questions[0]
        if self.ledger is not None:
            known = {name: reply[name] for name in PART if name in reply}
            plain = {name: told for name, told in question.items() if name not in OF_THE_TASK}
            self.ledger.claims([(plain, known)])
        again, longer = continued(question, reply), min(LONGER * task.seconds, LONGEST)
        self._waiting.append(Task(task.numbers, [again], longer, counted=reply["counters"]))

    def _may_divide(self, level: int) -> bool:
        """Tell whether somebody waits for work, and the short pieces of one more can be served."""
        served = {
            str(question["path"])
            for task in self._running.values()
            for question in task.questions
            if level_of(question) == level + 1
        }
        length = self._lengths.get(level + 1, SERVING)
        return self._hungry and len(served) < length / SERVING

    def _failed(self, task: Task, error: Exception) -> None:
        """Send it again: to others where a worker was lost, a few times where it failed itself."""
        if self.pool.after(error):
            self._broken += 1
            if self._broken > TRIES * max(4, self.pool.workers()):
                raise LostPool(f"workers are lost again and again: {error!r}")
        else:
            task.tries += 1
            if task.tries >= TRIES:
                raise LostPool(f"a task failed {TRIES} times: {error!r}")
        task.posing = None
        self._waiting.append(task)

    # Trees.

    def _write_trees(self) -> None:
        """Have the trees of better splits written down, which only a stopped search needs."""
        while (wanted := self._session.next_unwritten()) is not None:
            if self.posing.kind not in OVER_MASKS:
                self._waiting.appendleft(Task([], [], WHOLE_SLICE, wanted=wanted))

    def _written(self, budget: int, cost: int, tree: list[list[int]]) -> None:
        """Take a tree; it may cost less than the split was known to."""
        if tree:
            self._session.written(budget, cost, tree)
            self._keep_trees()

    def _give_up(self, why: str) -> None:
        warnings.warn(
            f"{why}. The result has the best tree and the bound until then", ClusterWarning, 4
        )
        self._session.stop("interrupted")
