"""The clock, the best tree so far and what is proved, over several searches of one problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from exactree.problem import Found, Limits, Number, OnProgress, Problem, Progress, Status
from exactree.tree import Tree

# Looks for a tree below a cost, where none of so many levels is; if there is none, that cost is its
# bound. None: it did not begin.
RunSplits = Callable[[Problem, Limits, OnProgress | None, Number, int], Found | None]


class Watch:
    """The clock, the best tree so far and its history over several searches."""

    def __init__(self, limits: Limits, show: OnProgress | None, switches: int = 0) -> None:
        self.all, self.show = limits, show
        self.switches = switches  # what is turned off of the bounds between searches
        self.counts: dict[str, Number] = {}  # how often they proved something
        self.start = perf_counter()
        self.began = 0.0  # of the last search that was given limits, since the start
        self.best: Found | None = None
        self.status: Status = "optimal"
        self.proved: Number = 0  # of all trees
        self.proved_after = 0.0  # seconds, if that was beside a search of them
        self.improved: Tree | None = None  # no better one was found from it
        self.nodes = 0  # of the searches that are over

    def limits(self, share: float) -> Limits:
        """Give what is left up to a share of the time: nothing after Ctrl-C."""
        over = self.status == "interrupted"
        self.began = perf_counter() - self.start
        seconds = 0.0 if over else share * self.all.seconds - self.began
        return replace(self.all, seconds=max(seconds, 0.0))

    def known(self, share: float) -> Limits:
        """Give the same, with the best tree to begin with, and what is proved of all trees."""
        best = self.best
        assert best is not None
        limits = self.limits(share)
        return replace(limits, known=best.objective, start=best.tree, proved=self.proved)

    def shown(self, last: bool) -> OnProgress | None:
        """Let the user see the best of all; a bound only if it holds for all trees."""
        show, before = self.show, perf_counter() - self.start
        if show is None:
            return None

        def poll(told: Progress) -> None:
            objective = self._least(told.objective)
            bound = max(told.lower_bound, self.proved) if last else self.proved
            bound = min(bound, objective)
            show(self._counted(Progress(before + told.seconds, objective, bound), told, last))

        return poll

    def still(self) -> OnProgress | None:
        """Let the user see what is known while something is searched that tells nothing of it."""
        show, before = self.show, perf_counter() - self.start
        if show is None:
            return None

        def poll(told: Progress) -> None:
            now = Progress(before + told.seconds, self.least(), min(self.proved, self.least()))
            show(self._counted(now, told, last=False))

        return poll

    def shown_bound(self) -> OnProgress | None:
        """Let the user see what a search for a bound alone has proved."""
        show, before, best = self.show, perf_counter() - self.start, self.least()
        if show is None:
            return None

        def poll(told: Progress) -> None:
            bound = min(max(told.lower_bound, self.proved), best)
            show(self._counted(Progress(before + told.seconds, best, bound), told, last=False))

        return poll

    def _counted(self, shown: Progress, told: Progress, last: bool) -> Progress:
        """Add what all searches so far counted; pieces only of the search of all trees."""
        nodes = None if told.nodes is None else self.nodes + told.nodes
        return replace(shown, open_pieces=told.open_pieces if last else None, nodes=nodes)

    def prove(self, found: Found) -> None:
        """Take what the last search proved of all trees, and nothing else of it."""
        best = self.best
        assert best is not None
        self.ends(found)
        later = []
        for seconds, _, bound in found.history:
            if self.proved < bound and self.proved < best.objective:
                self.proved = min(bound, best.objective)
                later.append((self.began + seconds, best.objective, self.proved))
        self.best = replace(best, history=(*best.history, *later))

    def proves(self, bound: int) -> None:
        """Take what is proved of all trees now."""
        best = self.best
        assert best is not None
        bound = min(bound, int(best.objective))
        if bound <= self.proved:
            return
        self.proved = bound
        now = (perf_counter() - self.start, best.objective, bound)
        self.best = replace(best, history=(*best.history, now))
        if self.show is not None:
            self.show(Progress(*now))

    def proves_beside(self, bound: int) -> None:
        """Take what is proved of all trees while a search of them waits."""
        self.proved, self.proved_after = bound, perf_counter() - self.start

    def with_bound(self, found: Found) -> Found:
        """Give what a search found with what was proved beside it."""
        if found.lower_bound >= self.proved:
            return found
        bound = min(self.proved, found.objective)
        return replace(
            found,
            status="optimal" if bound == found.objective else found.status,
            lower_bound=bound,
            gap=found.objective - bound,
            history=tuple(
                (s, cost, max(low, min(bound, cost)) if s >= self.proved_after else low)
                for s, cost, low in found.history
            ),
        )

    def keep(self, found: Found, since: float | None = None, *, holds: bool = False) -> None:
        """Take the tree of the last search or of one that began `since`.

        What was proved is taken if it `holds` for all trees.
        """
        self.ends(found)
        if holds:
            self.proved = max(self.proved, found.lower_bound)
        if self.best is None or found.objective < self.best.objective:
            before = () if self.best is None else self.best.history
            since = self.began if since is None else since
            history = (
                (since + s, cost, low if holds else type(cost)(min(self.proved, cost)))
                for s, cost, low in found.history
            )
            better = (told for told in history if holds or not before or told[1] < before[-1][1])
            self.best = replace(found, history=(*before, *better))

    def ends(self, found: Found) -> None:
        """Note that a search is over."""
        self.nodes += int(found.stats.get("nodes", 0))
        if found.status == "interrupted":
            self.status = found.status

    def took(self, tree: Tree, cost: Number) -> None:
        """Take a tree that costs less than the best so far."""
        best = self.best
        assert best is not None
        now = (perf_counter() - self.start, cost, type(cost)(min(self.proved, cost)))
        self.best = replace(best, tree=tree, objective=cost, history=(*best.history, now))
        if self.show is not None:
            self.show(Progress(*now))

    def finished(self, found: Found) -> Found:
        """Join the last search with the best tree of those before."""
        best = self.best
        assert best is not None
        objective = self._least(found.objective)
        bound = min(max(found.lower_bound, self.proved), objective)
        status: Status = "optimal" if bound == objective else found.status
        if status != "optimal" and self.status == "interrupted":
            status = self.status
        later = tuple(
            (self.began + s, self._least(cost), max(low, self.proved))
            for s, cost, low in found.history
        )
        return replace(
            found,
            status=status,
            objective=objective,
            lower_bound=bound,
            gap=objective - bound,
            tree=found.tree if found.objective <= objective else best.tree,
            history=(*best.history, *later[:-1], (later[-1][0], objective, bound)),
        )

    def found(self, status: Status) -> Found:
        """Give the best tree with what is proved; `status` if that is not all."""
        best = self.best
        assert best is not None
        status = "optimal" if self.proved == best.objective else status
        gap = best.objective - self.proved
        return replace(best, status=status, lower_bound=self.proved, gap=gap)

    def is_over(self) -> bool:
        """Tell whether nothing is left to be searched, or no time.

        Without time another search would only begin: on a large table that alone takes long.
        """
        proved = self.least() <= self.proved
        return proved or self.status == "interrupted" or self.share_gone() >= 1.0

    def ended(self, first: Found) -> Found:
        """Join a search of all trees with the best tree since; nothing follows."""
        self.began = perf_counter() - self.start
        end = (0.0, first.objective, first.lower_bound)
        return self.finished(replace(first, history=(end,)))

    def with_tree(self, found: Found, other: Found) -> Found:
        """Give what was proved of all trees with the better tree of two searches."""
        objective = min(found.objective, other.objective)
        status: Status = "interrupted" if other.status == "interrupted" else found.status
        end = (perf_counter() - self.start, objective, found.lower_bound)
        return replace(
            found,
            status="optimal" if objective == found.lower_bound else status,
            objective=objective,
            gap=objective - found.lower_bound,
            tree=other.tree if other.objective < found.objective else found.tree,
            history=(*found.history, end),
        )

    def share_gone(self) -> float:
        """Give the share of the time that is over."""
        return (perf_counter() - self.start) / self.all.seconds if self.all.seconds else 1.0

    def least(self) -> Number:
        """Give the cost of the best tree so far."""
        assert self.best is not None
        return self.best.objective

    def _least(self, objective: Number) -> Number:
        return objective if self.best is None else min(objective, self.best.objective)
