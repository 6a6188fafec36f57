"""Threads of this process that search by the piece, so that what they prove can be kept in a file.

They share the session as the threads of the native search share its root: what one has solved helps
the others at once. The lock is held while a piece is taken or given back, not while it is solved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from threading import Condition, Thread
from time import monotonic, thread_time
from typing import Any

from exactree import _native
from exactree.cluster.keeping import KeptSearch

# Seconds: what a piece may take before it is divided, and between looks at the clock and signals.
SLICE = 0.5
POLL = 0.02
# How often claims are written, so what a killed run loses: every such share of the time so far, but
# so that writing takes no more than this share of a processor, and at least every so many seconds.
# Of a run that is killed a hundred times, 1.25 % is lost that way on average.
SHARE = 0.0005
COST = 0.012
SELDOM = 1.0
# Seconds that a thread may take to tell what it knows of its piece.
TELLING = 0.01
PIECE, BUSY = 0, 1  # what a helper takes


@dataclass
class Crew(KeptSearch):
    """One search, the threads of this process, and the ledger."""

    threads: int = 1
    helpers: list[_native.Helper] = field(default_factory=list)
    slice: float = SLICE

    def run(self, time_limit: float, poll: Any) -> _native.SearchResult:
        """Search until nothing is open, or a limit is reached."""
        self._wake = Condition()
        self._failure: BaseException | None = None
        self._worked: set[int] = set()
        self._next_claims = self._cost = 0.0
        share = self.memory_limit // (self.threads + 1)
        if self._begin(time_limit, poll, share):
            helpers = [_native.Helper(self._session, share) for _ in range(self.threads)]
            self.helpers = helpers
            threads = [Thread(target=self._work, args=(one,), daemon=True) for one in helpers]
            try:
                for thread in threads:
                    thread.start()
                self._watch(threads)
            finally:
                _end(threads, helpers)
                self._keep_claims()
                self.helpers = []
        if self._failure is not None:
            raise self._failure
        return self._finish(len(self._worked))

    def _watch(self, threads: list[Thread]) -> None:
        """Look at the clock and at signals while they work."""
        while any(thread.is_alive() for thread in threads):
            with self._wake:
                if self._session.poll():
                    return
                self._note()
                self._keep_all()
                self._wake.wait(min(POLL, max(self._next_claims - monotonic(), 0.0001)))

    def _work(self, helper: _native.Helper) -> None:
        try:
            with self._wake:
                while not self._session.stopped and self._work_once(helper):
                    pass
        except BaseException as error:  # told by the calling thread
            self._failure = error
            with self._wake:
                self._session.stop("interrupted")
        finally:
            with self._wake:
                self._wake.notify_all()

    def _work_once(self, helper: _native.Helper) -> bool:
        """Answer a piece. The lock is held before and after; False: nothing is open."""
        taken = helper.take()
        if taken == BUSY:
            self._wake.wait(POLL)
            return True
        if taken != PIECE:
            return False
        self._worked.add(id(helper))
        seconds = self.slice if helper.divisible else inf
        while True:
            self._unlocked(helper.answer, seconds)
            if helper.give() or self._session.stopped:
                break
            seconds = inf  # it cannot be divided: what was begun is lost
        while not self._session.stopped and helper.take_unwritten():
            self._unlocked(helper.write, inf)
            if helper.give_written():
                self._keep_trees()
        self._wake.notify_all()
        return True

    def _keep_all(self) -> None:
        """Keep what is proved, and what is known of the pieces that are under way.

        A piece may be done by the time that its part is taken: the claim of that comes later.
        """
        if self.ledger is None or monotonic() < self._next_claims:
            return
        start = thread_time()
        for helper in self.helpers:
            helper.want_part()
        with self._without_lock():
            parts = [helper.take_part(TELLING) for helper in self.helpers]
        self.ledger.claims([*filter(None, parts), *self._session.take_claims()])
        self._cost += 0.1 * (thread_time() - start - self._cost)
        seconds = max(SHARE * self.ledger.seconds, self._cost / COST)
        self._next_claims = monotonic() + min(SELDOM, seconds)

    def _unlocked(self, function: Any, seconds: float) -> None:
        with self._without_lock():
            function(max(min(seconds, self._ends - monotonic()), 0.0))

    @contextmanager
    def _without_lock(self) -> Iterator[None]:
        self._wake.release()
        try:
            yield
        finally:
            self._wake.acquire()


def _end(threads: list[Thread], helpers: list[_native.Helper]) -> None:
    """Wait for the threads. A helper that has not begun its piece has not seen the first word."""
    while any(thread.is_alive() for thread in threads):
        for helper in helpers:
            helper.stop()
        for thread in threads:
            thread.join(POLL)
