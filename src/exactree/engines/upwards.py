"""From shallow trees to deep ones.

With a budget of splits or a penalty alone, trees may be as deep as they have splits, and a search
of that depth that is stopped has often found less than three levels prove at once. So few levels
are searched first. Up to three splits need no more than three levels: these sizes are proved then.
What is proved of few levels is not proved of all trees: only their trees go on.

A search by splits, where there is one for the problem, then looks for a tree that costs less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isinf
from time import perf_counter

from exactree.bounds import useful_splits
from exactree.engines.improving import better_trees
from exactree.engines.some_rows import bound_by_some, can_leave_rows_out
from exactree.problem import Found, Limits, Number, OnProgress, Problem, Progress, Status
from exactree.tree import DEEPEST, Tree, size

Run = Callable[[Problem, Limits, OnProgress | None], Found]
RunSizes = Callable[[Problem, Limits, OnProgress | None], list[Found]]
# Looks for a tree below a cost; if there is none, that cost is its bound. None: it did not begin.
RunBelow = Callable[[Problem, Limits, OnProgress | None, Number], Found | None]

# Few levels, and the share of the time by which they have to be done.
FEW, FEW_SHARE = 3, 0.7
# One more, if there is a limit of time to be kept.
MORE, MORE_SHARE = 4, 0.95
# A search that needs no levels is given this share before they are tried.
WHOLE_SHARE = 0.75
# The search by splits follows few levels and leaves most of the time to one more level. Its share,
# and the least that it is given.
SPLITS_SHARE, LEAST_SHARE = 0.27, 0.03
# With a time limit, fewer levels are searched first: at four levels only if the table has this many
# numbers (a smaller one is searched quickly anyway), and up to this many levels.
MANY_NUMBERS, MOST_LEVELS = 50_000, 12
# One level less has to be done by this share if there are many: a search of that depth in 0.7 of
# the time would have half of it for bounds.
LAST_SHARE = 0.5
# What a first search of all levels is given, what the best tree may be made better in each time,
# and by when a bound by some rows has to be done.
FIRST_SHARE, IMPROVING_SHARE, BOUND_SHARE = 0.1, 0.05, 0.95
# Of four levels the first plan takes longer, and the search itself proves much.
FIRST_OF_FOUR = 0.4


def is_deep(problem: Problem) -> bool:
    """Tell whether only the number of splits or their penalty limits the depth of many levels."""
    if problem.max_depth <= FEW:
        return False
    if problem.max_splits is not None:
        return problem.max_depth >= problem.max_splits
    return bool(problem.penalty) and problem.max_depth >= enough_levels(problem)


def enough_levels(problem: Problem) -> int:
    """Give a depth at which the penalty, not the depth, limits the tree."""
    leaf = problem.objective.cost(problem.targets())
    number = int(leaf) if problem.objective.integral else float(leaf)
    useful = useful_splits(number, problem.penalty)
    return min(problem.n_rows - 1 if useful is None else useful, problem.n_rows - 1, DEEPEST)


def upwards(
    run: Run,
    problem: Problem,
    limits: Limits,
    show: OnProgress | None = None,
    by_splits: RunBelow | None = None,
) -> Found:
    """Search few levels, then all; the best tree of all, and what the last search proves."""
    watch = _Watch(limits, show)
    few = replace(problem, max_depth=FEW)
    watch.keep(run(few, watch.limits(FEW_SHARE), watch.shown(False)))
    if by_splits is not None:
        found = _by_splits(by_splits, run, problem, watch)
        if found is not None:
            return found
    if problem.max_depth > MORE and not isinf(limits.seconds):
        more = replace(problem, max_depth=MORE)
        watch.keep(run(more, watch.limits(MORE_SHARE), watch.shown(False)))
    return watch.finished(run(problem, watch.limits(1.0), watch.shown(True)))


def _by_splits(by_splits: RunBelow, run: Run, problem: Problem, watch: _Watch) -> Found | None:
    """Search by splits; if there is no time to finish that, one more level with what is left."""
    ends = isinf(watch.all.seconds)
    share = 1.0 if ends else max(SPLITS_SHARE, watch.share_gone() + LEAST_SHARE)
    found = by_splits(problem, watch.limits(share), watch.shown(True), watch.least())
    if found is None:
        return None
    found = watch.finished(found)
    if found.status == "optimal" and not problem.penalty:
        return _fewest(by_splits, problem, found, watch)
    if found.status != "time_limit":
        return found
    more = replace(problem, max_depth=min(MORE, problem.max_depth))
    watch.keep(found, 0.0)
    return watch.with_tree(found, run(more, watch.limits(1.0), watch.shown(False)))


def _fewest(by_splits: RunBelow, problem: Problem, found: Found, watch: _Watch) -> Found:
    """Look for trees of the same cost with fewer splits.

    Those of few splits were all among the trees of few levels: if one of them is optimal, it has
    the fewest splits that do, and if none is, every optimal tree has more.
    """
    proved = True
    while proved and size(found.tree) > FEW + 1:
        fewer = replace(problem, max_splits=size(found.tree) - 1)
        other = by_splits(fewer, watch.limits(1.0), None, found.objective + 1)
        proved = other is not None and other.status == "optimal"
        if other is None or other.objective > found.objective:
            break
        found = replace(found, tree=other.tree)
    return replace(found, stats={**found.stats, "fewest_splits": int(proved)})


def then_few_levels(
    whole: Callable[[Problem, Limits, OnProgress | None], Found | None],
    run: Run,
    problem: Problem,
    limits: Limits,
    show: OnProgress | None = None,
) -> Found | None:
    """Search all trees, and if that takes too long, trees of few levels with the time left.

    For a search that mostly finishes. What it proved holds for the better of the two trees.
    """
    watch = _Watch(limits, show)
    share = 1.0 if isinf(limits.seconds) else WHOLE_SHARE
    found = whole(problem, watch.limits(share), show)
    if found is None or found.status != "time_limit":
        return found
    shallow = replace(problem, max_depth=min(MORE, problem.max_depth))
    watch.keep(found)
    other = run(shallow, watch.limits(1.0), watch.shown(False))
    return watch.with_tree(found, other)


def level_by_level(
    run: Run,
    problem: Problem,
    limits: Limits,
    show: OnProgress | None = None,
    below: RunBelow | None = None,
) -> Found:
    """Search fewer levels between two searches of all, each with a share of a limited time.

    The first search of all levels has a good tree at once, and often the answer. If it has not, a
    search of fewer levels for anything cheaper is over soon if the deep one has any hope to be. So
    a stopped search is no worse than fewer levels in 0.7 of the time. The best tree is made better
    part by part. Before the last search, which proves nothing for long, `below` bounds what trees
    cost by few rows.
    """
    watch = _Watch(limits, show)
    share = FIRST_SHARE if problem.max_depth > MORE else FIRST_OF_FOUR
    first = run(problem, watch.limits(share), watch.shown(True))
    if first.status == "optimal":
        return first
    watch.keep(first, holds=True)
    for levels in range(FEW, problem.max_depth):
        _improve(run, problem, watch)
        last = LAST_SHARE if problem.max_depth > MORE else FEW_SHARE
        share = last * FEW_SHARE ** (problem.max_depth - 1 - levels)
        known = replace(watch.limits(share), known=watch.least())
        watch.keep(run(replace(problem, max_depth=levels), known, watch.shown(False)))
    _improve(run, problem, watch)
    if below is not None and can_leave_rows_out(problem):
        _bound(below, problem, watch)
    known = replace(watch.limits(1.0), known=watch.least(), proved=watch.proved)
    return watch.finished(run(problem, known, watch.shown(True)))


def _improve(run: Run, problem: Problem, watch: _Watch) -> None:
    """Make the best tree better part by part, unless that was done, within some of the time."""
    best = watch.best
    assert best is not None
    if watch.status != "optimal" or best.tree is watch.improved or problem.max_splits is not None:
        return
    until = min(watch.share_gone() + IMPROVING_SHARE, 1.0)

    def solve(part: Problem) -> Found:
        return run(part, watch.limits(until), None)

    for tree, cost in better_trees(best.tree, problem, solve):
        if cost < watch.least():
            watch.took(tree, cost)
        if watch.share_gone() >= until:
            return
    if watch.best is not None:
        watch.improved = watch.best.tree


def _bound(below: RunBelow, problem: Problem, watch: _Watch) -> None:
    """Prove something of all trees in most of the time that is left."""
    best = watch.best
    assert best is not None

    def search(part: Problem, target: int, proved: int) -> Found:
        limits = replace(watch.limits(BOUND_SHARE), proved=proved)
        found = below(part, limits, watch.shown_bound(), target)
        assert found is not None
        watch.prove(found)
        return found

    bound_by_some(problem, best.tree, search)


def goes_level_by_level(problem: Problem, limits: Limits) -> bool:
    """Tell whether a search of many levels over many numbers has only so much time."""
    if isinf(limits.seconds) or limits.elsewhere is not None or problem.partitions is not None:
        return False
    few = problem.max_depth == FEW + 1 and problem.columns.size < MANY_NUMBERS
    return FEW < problem.max_depth <= MOST_LEVELS and not few


def sizes_upwards(
    run: Run,
    run_sizes: RunSizes,
    problem: Problem,
    limits: Limits,
    show: OnProgress | None = None,
    by_splits: RunBelow | None = None,
) -> list[Found]:
    """Search few levels for all sizes, then size by size: the small ones are proved first."""
    watch = _Watch(limits, show)
    most = problem.max_splits or 0
    shallow = replace(problem, max_depth=FEW, max_splits=min(most, 2**FEW - 1))
    few = run_sizes(shallow, watch.limits(FEW_SHARE), watch.shown(False))
    found = few[: FEW + 1]
    for k in range(FEW + 1, most + 1):
        watch.keep(few[min(k, len(few) - 1)])
        sized = replace(problem, max_splits=k, max_depth=k)
        one = None
        if by_splits is not None:
            one = by_splits(sized, watch.limits(1.0), watch.shown(True), watch.least())
        if one is None:
            one = run(sized, watch.limits(1.0), watch.shown(True))
        found.append(watch.finished(one))
        watch.keep(found[-1], 0.0)
    return found


class _Watch:
    """The clock, the best tree so far and its history over several searches."""

    def __init__(self, limits: Limits, show: OnProgress | None) -> None:
        self.all, self.show = limits, show
        self.start = perf_counter()
        self.began = 0.0  # of the last search that was given limits, since the start
        self.best: Found | None = None
        self.status: Status = "optimal"
        self.proved: Number = 0  # of all trees
        self.improved: Tree | None = None  # no better one was found from it

    def limits(self, share: float) -> Limits:
        """Give what is left up to a share of the time: nothing after Ctrl-C."""
        over = self.status == "interrupted"
        self.began = perf_counter() - self.start
        seconds = 0.0 if over else share * self.all.seconds - self.began
        return replace(self.all, seconds=max(seconds, 0.0))

    def shown(self, last: bool) -> OnProgress | None:
        """Let the user see the best of all; a bound only if it holds for all trees."""
        show, before = self.show, perf_counter() - self.start
        if show is None:
            return None

        def poll(progress: Progress) -> None:
            objective = self._least(progress.objective)
            bound = max(progress.lower_bound, self.proved) if last else self.proved
            bound = min(bound, objective)
            show(Progress(before + progress.seconds, objective, bound))

        return poll

    def shown_bound(self) -> OnProgress | None:
        """Let the user see what a search for a bound alone has proved."""
        show, before, best = self.show, perf_counter() - self.start, self.least()
        if show is None:
            return None
        return lambda told: show(
            Progress(before + told.seconds, best, min(max(told.lower_bound, self.proved), best))
        )

    def prove(self, found: Found) -> None:
        """Take what the last search proved of all trees, and nothing else of it."""
        best = self.best
        assert best is not None
        if found.status == "interrupted":
            self.status = found.status
        later = []
        for seconds, _, bound in found.history:
            if self.proved < bound and self.proved < best.objective:
                self.proved = min(bound, best.objective)
                later.append((self.began + seconds, best.objective, self.proved))
        self.best = replace(best, history=(*best.history, *later))

    def keep(self, found: Found, since: float | None = None, *, holds: bool = False) -> None:
        """Take the tree of the last search or of one that began `since`.

        What was proved is taken if it `holds` for all trees.
        """
        if found.status == "interrupted":
            self.status = found.status
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
