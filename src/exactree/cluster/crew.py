"""Threads of this process that search by the piece, so that what they prove can be kept in a file.

They share the session as the threads of the native search share its root: what one has solved helps
the others at once. The lock is held while a piece is taken or given back, not while it is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from threading import Condition, Thread
from time import monotonic
from typing import Any

from exactree import _native
from exactree.cluster.keeping import KeptSearch

# Seconds: what a piece may take before it is divided, and between looks at the clock and signals.
SLICE = 0.5
POLL = 0.02
# How often claims are written, so what a killed run loses: this share of the time so far, but not
# more often and not less often than so many seconds. Of a run that is killed a hundred times, 2.5 %
# is lost that way on average.
SHARE = 0.001
OFTEN, SELDOM = 0.01, 1.0
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
        self._next_claims = self._next_parts = 0.0
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
                self._keep_now()
                self._wake.wait(min(POLL, self._every()))

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
            if (tree := helper.give_written()) is not None:
                self._keep_tree(*tree)
        self._keep_solved()
        self._wake.notify_all()
        return True

    def _every(self) -> float:
        seconds = inf if self.ledger is None else SHARE * self.ledger.seconds
        return max(OFTEN, min(SELDOM, seconds))

    def _keep_solved(self) -> None:
        if monotonic() >= self._next_claims:
            self._next_claims = monotonic() + self._every()
            self._keep_claims()

    def _keep_now(self) -> None:
        """Keep what is known of the pieces that are under way, too."""
        self._keep_solved()
        if self.ledger is None or monotonic() < self._next_parts:
            return
        self._next_parts = monotonic() + self._every()
        parts = (helper.take_part() for helper in self.helpers)
        self.ledger.claims([part for part in parts if part is not None])

    def _unlocked(self, function: Any, seconds: float) -> None:
        self._wake.release()
        try:
            function(max(min(seconds, self._ends - monotonic()), 0.0))
        finally:
            self._wake.acquire()


def _end(threads: list[Thread], helpers: list[_native.Helper]) -> None:
    """Wait for the threads. A helper that has not begun its piece has not seen the first word."""
    while any(thread.is_alive() for thread in threads):
        for helper in helpers:
            helper.stop()
        for thread in threads:
            thread.join(POLL)
