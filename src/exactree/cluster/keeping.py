"""A session and the file of its claims: what all who run searches by the piece share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from exactree import _native
from exactree.cluster.ledger import Ledger, planned, with_facts
from exactree.cluster.posing import Posing

# Seconds between lines for those who watch.
WATCH = 1.0


@dataclass
class KeptSearch:
    """One search and its ledger, if it has one."""

    posing: Posing
    ledger: Ledger | None = None
    memory_limit: int = 0  # bytes; 0: none
    sketch: Callable[[list[list[int]]], str | None] | None = None
    units: int = 1

    def _begin(self, time_limit: float, poll: Any, memory: int) -> bool:
        """Start the session and tell it what is known; False: there is nothing to search."""
        keep = self.ledger is not None
        self._session = _native.Session(
            self.posing.pose(), time_limit=time_limit, memory_limit=memory, poll=poll, keep=keep
        )
        self._ends = monotonic() + time_limit
        self._next_watch = monotonic() + WATCH
        known = [] if self.ledger is None else self.ledger.begin(self.posing)
        plans = [content for kind, *content in known if kind == "plan"]
        with self._sense():
            open_now = self._session.open(planned(*plans[-1]) if plans else None)
        if self.ledger is not None and not plans and self._session.plan is not None:
            self.ledger.plan(self._session.plan)
        self._restore(known, claims=open_now)
        self._keep_trees()
        return open_now

    def _restore(self, known: list[list[Any]], *, claims: bool) -> None:
        """Tell what the file has: trees also if time was over while the search was opened."""
        self._kept: dict[int, int] = {}  # what the best tree of a budget costs in the file
        for kind, *content in known:
            with self._sense():
                if kind == "claim" and claims:
                    question, reply = content
                    self._session.restore(question, with_facts(reply))
                elif kind == "tree":
                    budget, cost = content[:2]
                    self._session.written(*content[:3])
                    self._kept[budget] = min(cost, self._kept.get(budget, cost))

    @contextmanager
    def _sense(self) -> Iterator[None]:
        """Say of which file a claim is that makes no sense."""
        try:
            yield
        except (ValueError, TypeError, IndexError, KeyError) as error:
            if self.ledger is None:
                raise
            raise ValueError(
                f"{str(self.ledger.path)!r} has a claim that makes no sense ({error}): it was "
                "not written by this search; remove it, or name another file"
            ) from error

    def _keep_claims(self) -> None:
        if self.ledger is not None:
            self.ledger.claims(self._session.take_claims())

    def _keep_trees(self) -> None:
        """Keep trees that are better than those of the file, whoever found them."""
        if self.ledger is None:
            return
        for budget, cost, whole, tree in self._session.trees():
            if budget not in self._kept or cost < self._kept[budget]:
                self._kept[budget] = cost
                drawn = self.sketch(tree) if self.sketch is not None else None
                self.ledger.tree(budget, cost, tree, whole // self.units, drawn)

    def _note(self) -> None:
        """Write a line for those who watch, now and then."""
        if self.ledger is None or monotonic() < self._next_watch:
            return
        self._next_watch = monotonic() + WATCH
        self._keep_trees()
        best, bound = self._session.objective, self._session.lower_bound
        self.ledger.bound(best // self.units, bound // self.units)

    def _finish(self, workers: int) -> _native.SearchResult:
        self._keep_trees()
        found = self._session.finish(max(1, workers))
        if self.ledger is not None:
            note = self.ledger.end if found.objective == found.lower_bound else self.ledger.bound
            note(found.objective // self.units, found.lower_bound // self.units)
        del self._session  # it holds those who poll, and they us
        return found
