"""solve(): data to Problem, Problem to engine, and the engine's answer back to the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Unpack

import numpy as np

from exactree.cluster.posing import asked_parts
from exactree.cluster.running import Elsewhere, elsewhere
from exactree.engines import Choice, choose, generic, search, single_leaf
from exactree.engines.local import FoundTwice
from exactree.interrupts import Noted, check, deferred, interruptible
from exactree.memory import default_limit
from exactree.objectives import check_declarations
from exactree.objectives.ratios import Ratio
from exactree.objectives.row_costs import RowCosts
from exactree.parameters import CertifyParameters, SolveParameters, completed, takes
from exactree.preparing import Data, make_problem, read_data, read_priced
from exactree.problem import (
    Found,
    Limits,
    Number,
    OnProgress,
    Plane,
    Problem,
    Progress,
    Result,
    Status,
)
from exactree.progress import ProgressTable, also_to
from exactree.proof import certify, refuse_certificate, refuse_problem
from exactree.rare_categories import refuse_left_out, search_frequent
from exactree.ratios import ratio_of, solved_ratio
from exactree.request import Request, read_request
from exactree.resuming import Judge, best_so_far, judge_by, judge_for, keep
from exactree.shaping import given_shapes, shaped
from exactree.splits import Listing, Sources, SplitFamily, numbers_for
from exactree.splits.binary import OtherValues
from exactree.splits.derived import table_columns
from exactree.splits.family import GIBIBYTE, SecondsLeft
from exactree.starting import Start, make_start, read_start
from exactree.tables import Table
from exactree.translating import no_time, sketch, translated
from exactree.tree import Node, Tree, nodes

# A search that was stopped still has to write its tree down: surfaces take some milliseconds each.
FITTING_SECONDS = 0.25


@takes(SolveParameters)
def solve(X: Any, y: Any = None, **parameters: Unpack[SolveParameters]) -> Result:
    """Find a tree of least loss among all trees within the budgets, with a proof.

    Trees of surfaces (hyperplanes, spheres and so on) are proved optimal where there are few
    enough of them: up to some hundred rows in a few columns. Beyond, a local search finds a good
    tree, with a lower bound; it is seldom proved optimal.

    Parameters
    ----------
    X : array or data frame
        Rows by columns: numbers; in a data frame, categories, dates and durations too. Values may
        be missing. `docs/data.md` has it all.
    y : array
        One label per row, or one number in regression; None with `costs`.

    Examples
    --------
    >>> result = solve([[1.0], [2.0], [3.0]], ["a", "b", "a"], max_depth=2, engine="brute_force")
    >>> print(result)
    optimal: objective 0, 2 splits (axis-parallel trees, depth <= 2)
    x[0] <= 1.5
    ├─ yes: a (1 row)
    └─ no: x[0] <= 2.5
       ├─ yes: b (1 row)
       └─ no: a (1 row)
    """
    start = perf_counter()
    given = completed(solve, parameters)
    request = read_request(given)
    table = ProgressTable() if given["verbose"] else None
    if table is not None:
        request = replace(request, on_progress=also_to(table, request.on_progress))
    if given["certificate"]:
        refuse_certificate(request)
    solving = Solving(request, start)
    with solving.elsewhere():
        with interruptible():
            solving.read(X, y)
            if given["certificate"] and request.costs is None and request.ratio is None:
                refuse_problem(solving.request, solving.data)
            solving.own_file()
            sources = sources_of(solving.request.splits, solving.data)
            if solving.request.ratio is None:
                solving.pose(sources)
        with deferred() as noted:
            if solving.request.ratio is None:
                result = solving.never_worse(heard(solving.written(solving.solved()), noted))
            else:
                result = best_ratio(solving, sources)
    if table is not None:
        table.end(perf_counter() - start, result)
    if certificate := given["certificate"]:
        terms = {name: given[name] for name in CertifyParameters.__annotations__ if name in given}
        certify(result, X, y, certificate, **terms)
    return result


class Solving:
    """One request on its way to a result: the data, the problem, the engine and the clock."""

    data: Data
    problem: Problem
    sources: Sources
    watch: Watch
    start: Start | None = None

    def __init__(self, request: Request, started: float) -> None:
        self.request, self.started = request, started
        self.choice: Choice = self._chosen()
        self.where: Elsewhere | None = None

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Have the workers of the request, and its file, for as long as it takes."""
        asked = self.request
        with elsewhere(asked.executor, asked.checkpoint, asked.memory_limit) as self.where:
            yield

    def read(self, X: Any, y: Any) -> None:
        """Read the data, and let the objective know the classes."""
        if self.request.costs is not None:
            self._read_costs(X, y)
            return
        if y is None:
            raise ValueError("y is None: pass a label, or a number, for each row, or costs")
        self.data = read_data(X, y, self.request)
        fitted = self.request.objective.for_classes(self.data.classes)
        if self.data.task == "regression":
            fitted.check_targets(self.data.classes[self.data.labels])
        if fitted is not self.request.objective:
            self.request = replace(self.request, objective=fitted)
            self.choice = self._chosen()

    def own_file(self) -> None:
        """Let the file of claims be of this problem, or refuse it."""
        if self.where is not None and self.where.ledger is not None:
            self.where.ledger.belong_to(asked_parts(self.request, self.data))

    def _read_costs(self, X: Any, y: Any) -> None:
        if y is not None:
            raise ValueError("y does not go with costs, which stand in its place: pass y=None")
        self.data = read_priced(X, self.request)
        assert self.data.costs is not None
        objective = RowCosts(self.data.costs.table)
        self.request = replace(self.request, objective=objective)
        self.choice = self._chosen()

    def _chosen(self) -> Choice:
        """Choose the engine for the objective and the constraint."""
        asked = self.request
        return choose(asked.engine, asked.objective, constrained=asked.constraint is not None)

    def pose(self, sources: Sources, *, listing: Listing | None = None) -> None:
        """Put the problem together, and choose its engine."""
        self.sources = sources
        self.problem = make_problem(
            self.data,
            sources,
            self.request,
            owned=self.choice.over_rules,
            listing=listing or self._listing(),
        )
        self.engine = self.choice.for_problem(self.problem)
        if sources.left_out and self.engine is not search:
            refuse_left_out(sources, self.data)
        if self.engine is generic:
            objective = self.problem.objective
            check_declarations(objective, self.data.targets(integral=objective.integral))
        self.engine = shaped(self.engine, self.request, self.data, self.problem, sources)
        self.watch = Watch(self.problem, self.request)
        if self.where is not None:
            self.where.sketch = partial(
                sketch, problem=self.problem, data=self.data, sources=sources
            )
        self.show: OnProgress = self.watch
        self.start = self._start()
        self.watch.known = None if self.start is None else self.start.cost

    def _start(self) -> Start | None:
        """Read the tree to begin with; a search over ranks looks for nothing that costs more."""
        if self.request.start is None:
            return None
        if names := given_shapes(self.request):
            raise ValueError(f"start does not go with {names[0]}: leave one of them out")
        given = read_start(self.request.start, self.data.feature_names)
        return make_start(given, self.problem, self.data, self.left())

    def _listing(self) -> Listing:
        """Let the listing of partitions keep to the limits; of memory, to a gibibyte if none."""
        limit = self.request.time_limit
        return Listing(
            self.request.memory_limit or GIBIBYTE,
            lambda: perf_counter() - self.started >= limit,
            needed=not self.choice.over_terms,
            listed=not self.choice.over_cells,
            reach=self.choice.reach,
            room=self.request.memory_limit or default_limit(),
        )

    def left(self) -> Limits:
        """Give the limits; what was done so far counts against the time."""
        passed = perf_counter() - self.started
        limits = self.request.limits
        known = getattr(self, "start", None)
        return replace(
            limits,
            seconds=max(limits.seconds - passed, 0.0),
            elsewhere=self.where,
            known=None if known is None else known.cost,
            start=None if known is None or known.translated else known.tree,
        )

    def unlisted(self) -> Found | None:
        """Give the single leaf if the listing of partitions was stopped."""
        if self.problem.partitions is None or self.problem.partitions.complete:
            return None
        return single_leaf(self.problem, "interrupted" if self.left().seconds else "time_limit")

    def solved(self) -> Found:
        """Let the engine solve the problem."""
        if self.problem.max_depth == 0:
            return single_leaf(self.problem, "optimal")
        if (stopped := self.unlisted()) is not None:
            return stopped
        if self.sources.left_out:
            return self._with_more_categories()
        found = self.watch.ended(self.engine(self.problem, self.left(), self.show))
        return found if self.start is None else self.start.better(found)

    def _with_more_categories(self) -> Found:
        def remake(room: int, also: frozenset[tuple[int, int]]) -> tuple[Problem, Sources]:
            self.pose(table_columns(self.data.X, room, also))
            return self.problem, self.sources

        found, self.problem, self.sources = search_frequent(
            self.problem, self.sources, self.data, remake, self.left, self.show
        )
        return found

    def written(self, found: Found, time: SecondsLeft | None = None) -> Result:
        """Give the engine's result in the user's splits, classes and units."""
        left = self.for_fitting(found) if time is None else time
        if self.where is not None:
            found = replace(found, stats={**found.stats, "by_the_piece": self.where.searches})
        own = self.start is not None and self.start.translated and found.tree is self.start.tree
        result = self._translated(found, left, found.tree if own else None)
        spare = found.spare if isinstance(found, FoundTwice) else None
        if spare is None or result.objective <= self.problem.price(spare.objective):
            return result
        # A split was not written down in time, and the tree ends there.
        other = self._translated(spare, no_time, None)
        return min(result, other, key=lambda one: one.objective)

    def _translated(self, found: Found, left: SecondsLeft, shaped: Tree | None) -> Result:
        return translated(
            found,
            self.problem,
            self.data,
            self.sources,
            started=self.started,
            seconds_left=left,
            shaped=shaped,
        )

    def never_worse(self, result: Result, max_splits: int | None = None) -> Result:
        """Give the best of this run and of those before it that had the same file; keep it."""
        if self.where is None or self.where.ledger is None:
            return result
        found = best_so_far(result, self.where.ledger, self._judge(max_splits))
        keep(found, self.where.ledger)
        return found

    def _judge(self, max_splits: int | None) -> Judge:
        asked, data = self.request, self.data
        if isinstance(asked.ratio, Ratio):
            ratio = asked.ratio
            return judge_by(lambda tree: (tree, ratio_of(tree, ratio, data)), asked)
        most = self.problem.max_splits if max_splits is None else max_splits
        return judge_for(replace(self.problem, max_splits=most), data)

    def for_fitting(self, found: Found) -> SecondsLeft:
        """Give the splits of a tree what is left of the time, or some more if it is over."""
        now, limit = perf_counter(), self.started + self.request.time_limit
        over = found.status in ("time_limit", "interrupted")
        if _has_planes(found.tree):  # which are splits already, if not of widest margin
            return no_time if over else lambda: limit - perf_counter()
        end = now + FITTING_SECONDS if over else max(limit, now + FITTING_SECONDS)
        return lambda: end - perf_counter()


def best_ratio(solving: Solving, sources: Sources) -> Result:
    """Solve for a ratio of counts, by searches that weigh the rows otherwise."""
    ratio = solving.request.ratio

    def run(data: Data, request: Request) -> tuple[Problem, Found, Result]:
        one = Solving(request, perf_counter())
        one.data, one.where = data, solving.where
        with interruptible():
            one.pose(sources)
        found = one.solved()
        result = one.written(found)
        if not isinstance(ratio, Ratio):  # one search, of rows that weigh otherwise, is all
            result = one.never_worse(result)
        return one.problem, found, result

    result = solved_ratio(solving.request, solving.data, run, solving.started)
    return solving.never_worse(result) if isinstance(ratio, Ratio) else result


def heard(result: Result, noted: Noted) -> Result:
    """Say that Ctrl-C came, if it came while the tree was written down, unless it is proved."""
    if not noted.pending or result.status == "optimal":
        return result
    return replace(result, status="interrupted")


def sources_of(family: SplitFamily, data: Data) -> Sources:
    """Ask the family, which does not know the names of the columns."""
    X = data.X
    if isinstance(X, Table) and not getattr(family, "reads_tables", False):
        X = numbers_for(family, X)
    try:
        return family.sources(X)
    except OtherValues as error:
        raise error.named(data.feature_names) from None


def _has_planes(found: Tree) -> bool:
    return any(isinstance(node, Node) and isinstance(node.split, Plane) for node in nodes(found))


class Watch:
    """The callback of a search: shows the user's units, and ends the search where that is asked.

    A search ends when its callback raises KeyboardInterrupt, as Ctrl-C does; why it was raised is
    kept here.
    """

    def __init__(self, problem: Problem, request: Request) -> None:
        self.problem, self.request = problem, request
        self.reason: Status | None = None
        self.known: Number | None = None  # what a tree costs that was there before the search

    def __call__(self, progress: Progress) -> None:
        """Take what the search tells."""
        check()
        if self.reason is not None:  # several searches in a row: the later ones end at once
            raise KeyboardInterrupt
        price, least = self.problem.price, progress.objective
        if self.known is not None:
            least = min(least, self.known)
        best, bound = price(least), price(min(progress.lower_bound, least))
        shown = replace(progress, objective=best, lower_bound=bound)
        if self._stopped_by_user(shown):
            self._end("stopped")
        if shown.gap and shown.gap <= self._gap_limit(shown):
            self._end("gap_limit")

    def ended(self, found: Found) -> Found:
        """Say why a search was stopped, unless it had proved its tree."""
        if found.status != "interrupted" or self.reason is None:
            return found
        return replace(found, status=self.reason)

    def _stopped_by_user(self, shown: Progress) -> bool:
        if self.request.on_progress is None:
            return False
        try:
            answer = self.request.on_progress(shown)
        except StopIteration:
            return True
        return isinstance(answer, bool | np.bool_) and bool(answer)

    def _gap_limit(self, shown: Progress) -> float:
        share = self.request.gap_limit * abs(shown.objective)
        return max(share, self.request.gap_limit_absolute)

    def _end(self, reason: Status) -> None:
        self.reason = reason
        raise KeyboardInterrupt
