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
from functools import partial
from math import isinf
from typing import Any

from exactree.bounds import useful_splits
from exactree.engines.close_pairs import bounds_at_once
from exactree.engines.low_targets import bound_by_targets, has_low_targets
from exactree.engines.numbers import is_numbers
from exactree.engines.perfect import no_perfect_tree
from exactree.engines.priced_sizes import by_sizes
from exactree.engines.some_rows import every
from exactree.engines.subproblems import subproblem
from exactree.engines.watch import RunSplits, Watch
from exactree.problem import Found, Limits, Number, OnProgress, Problem, Progress
from exactree.tree import DEEPEST, size

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
# What is proved before it has this share, the linear programs most of it.
AT_ONCE_SHARE = 0.1
# With a time limit, fewer levels are searched first: at four levels only if the table has this many
# numbers (a smaller one is searched quickly anyway), and up to this many levels.
MANY_NUMBERS, MOST_LEVELS = 50_000, 12
# One level less has to be done by this share if there are many: a search of that depth in 0.7 of
# the time would have half of it for bounds.
LAST_SHARE = 0.65
# What a first search of all levels is given (of four levels it solves thresholds exactly, too);
# first plans take so many seconds, and where time is short, they may have this share of it.
FIRST_SHARE, FIRST_OF_FOUR = 0.2, 0.3
FIRST_SECONDS, FIRST_MOST = 0.5, 0.5
# What the best tree may be made better in each time (of four levels, where the search itself does
# that, too), and by when a bound by low targets has to be done.
IMPROVING_SHARE, IMPROVING_OF_FOUR, BOUND_SHARE = 0.4, 0.05, 0.95
# Up to so many levels the rounds of a search for numbers prove more than low targets, which have
# this share there.
ROUNDS_END, LITTLE_SHARE = 5, 0.05
# Of more levels and so many rows, some of the rows come first, so many, in this part of the time.
MANY_ROWS, SOME_ROWS, SOME_SHARE = 8000, 4000, 0.9
# Of so many classes it is tried first to show that every tree errs, in this part of the time.
SEVERAL, PERFECT_SHARE = 3, 0.9
# Where all columns have two values, that has to be done by this share.
BITS_SHARE = 0.8


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
    by_splits: RunSplits | None = None,
    *,
    switches: int = 0,
) -> Found:
    """Search few levels, then all; the best tree of all, and what the last search proves."""
    watch = Watch(limits, show, switches)
    found = _upwards(run, problem, watch, by_splits)
    return replace(found, stats={**found.stats, **watch.counts})


def _upwards(run: Run, problem: Problem, watch: Watch, by_splits: RunSplits | None) -> Found:
    few = replace(problem, max_depth=FEW)
    found: Found | None = run(few, watch.limits(FEW_SHARE), watch.shown(False))
    assert found is not None
    watch.keep(found)
    if by_splits is not None:
        _tell(watch.all, watch.least(), watch.proved, begins=True)
        found = _by_splits(by_splits, run, problem, watch, levels_of(found))
        if found is not None:
            _tell(watch.all, found.objective, found.lower_bound, begins=False)
            return found
    if problem.max_depth > MORE and not isinf(watch.all.seconds) and not watch.is_over():
        more = replace(problem, max_depth=MORE)
        watch.keep(run(more, watch.limits(MORE_SHARE), watch.shown(False)))
    return watch.finished(run(problem, watch.limits(1.0), watch.shown(True)))


def _tell(limits: Limits, best: Number, bound: Number, *, begins: bool) -> None:
    """Let those who watch the file of a search know of one by splits, which leaves no claims."""
    if limits.elsewhere is not None:
        limits.elsewhere.watched(best, bound, begins=begins)


def levels_of(few: Found) -> int:
    """Tell up to how many levels no tree is below the best of few."""
    return FEW if few.status == "optimal" else 0


def _by_splits(
    by_splits: RunSplits, run: Run, problem: Problem, watch: Watch, levels: int
) -> Found | None:
    """Search by splits; if there is no time to finish that, one more level with what is left.

    If that is searched as well, only trees of more levels are left for the rest of the time.
    """
    _prove_at_once(problem, watch, AT_ONCE_SHARE)
    if watch.is_over():
        return watch.found("interrupted" if watch.status == "interrupted" else "time_limit")
    ends = isinf(watch.all.seconds)
    share = 1.0 if ends else max(SPLITS_SHARE, watch.share_gone() + LEAST_SHARE)
    found = _deeper(by_splits, problem, watch, levels, share)
    if found is None or found.status != "time_limit" or watch.is_over():
        return found
    more = replace(problem, max_depth=min(MORE, problem.max_depth))
    watch.keep(found, 0.0)
    watch.proved = max(watch.proved, found.lower_bound)
    other = run(more, watch.limits(1.0), watch.shown(False))
    if other.status != "optimal":
        return watch.with_tree(found, other)
    watch.keep(other)
    if more.max_depth == problem.max_depth:
        watch.proves(int(watch.least()))
        return watch.found("optimal")
    return _deeper(by_splits, problem, watch, MORE, 1.0) or watch.found("time_limit")


def _deeper(
    by_splits: RunSplits, problem: Problem, watch: Watch, levels: int, share: float
) -> Found | None:
    """Search trees of more levels by splits, within a share of the time."""
    found = by_sizes(by_splits, problem, watch, levels, share) if problem.penalty else None
    if found is None:
        limits = replace(watch.limits(share), proved=watch.proved)
        found = by_splits(problem, limits, watch.shown(True), watch.least(), levels)
        if found is None:
            return None
        found = watch.finished(found)
    if found.status == "optimal" and not problem.penalty:
        return _fewest(by_splits, problem, found, watch)
    return found


def _prove_at_once(problem: Problem, watch: Watch, share: float) -> None:
    """Prove something of all trees before they are searched, within a share of the time."""
    best, until = watch.best, watch.share_gone() + share
    assert best is not None
    terms: dict[str, Any] = {"switches": watch.switches, "counts": watch.counts}
    for bound in bounds_at_once(problem, best.tree, lambda: watch.limits(until).seconds, **terms):
        watch.proves(bound)


def _fewest(by_splits: RunSplits, problem: Problem, found: Found, watch: Watch) -> Found:
    """Look for trees of the same cost with fewer splits.

    Those of few splits were all among the trees of few levels: if one of them is optimal, it has
    the fewest splits that do, and if none is, every optimal tree has more.
    """
    proved = True
    while proved and size(found.tree) > FEW + 1:
        fewer = replace(problem, max_splits=size(found.tree) - 1)
        other = by_splits(fewer, watch.limits(1.0), None, found.objective + 1, 0)
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
    watch = Watch(limits, show)
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
    *,
    improve: Run | None = None,
    below: RunBelow | None = None,
) -> Found:
    """Search fewer levels between two searches of all, each with a share of a limited time.

    The first search of all levels has a good tree at once, and often the answer. If it has not, a
    search of fewer levels for anything cheaper is over soon if the deep one has any hope to be. So
    a stopped search is no worse than fewer levels in 0.7 of the time. `improve` makes the best tree
    better. Before the last search, which proves little for long, `below` bounds what trees cost by
    low targets.
    """
    watch = Watch(limits, show)
    if problem.max_depth == MORE and not limits.memory:
        return _few_between(run, problem, watch)
    last = LAST_SHARE if problem.max_depth > MORE else FEW_SHARE
    first = run(problem, _first_limits(problem, watch), watch.shown(True))
    if first.status == "optimal":
        return first
    watch.keep(first, holds=True)
    for levels in range(FEW, problem.max_depth):
        if watch.is_over():
            return watch.ended(first)
        if levels > FEW:  # these are over soon, and may be what is best of a large table
            _improve(improve, problem, watch)
        share = last * FEW_SHARE ** (problem.max_depth - 1 - levels)
        if watch.share_gone() < share:
            fewer = replace(problem, max_depth=levels)
            watch.keep(run(fewer, watch.known(share), watch.shown(False)))
    _improve(improve, problem, watch)
    if watch.is_over():
        return watch.ended(first)
    if below is not None and has_low_targets(problem):
        _bound(below, problem, watch)
        if watch.is_over():
            return watch.ended(first)
    return watch.finished(run(problem, watch.known(1.0), watch.shown(True)))


def _few_between(run: Run, problem: Problem, watch: Watch) -> Found:
    """Search all levels, and fewer while that waits: what it knows by then is not lost.

    Meanwhile nothing may be proved where columns have two values, and then it is tried to show that
    every tree errs.

    Both have memory of their own, so this is not for searches that have only so much of it.
    """
    show, few = watch.shown(True), replace(problem, max_depth=FEW)
    found: list[Found] = []

    def poll(told: Progress) -> None:
        if show is not None:
            show(told)
        if not found and FIRST_OF_FOUR <= watch.share_gone() < FEW_SHARE:
            known = replace(watch.limits(FEW_SHARE), known=told.objective)
            wait = None if show is None else partial(_wait, show, told)
            found.append(run(few, known, wait))
            if found[0].status == "interrupted":
                raise KeyboardInterrupt
            if told.lower_bound == 0 and _may_all_err(problem):
                left = BITS_SHARE - watch.share_gone()
                if no_perfect_tree(_some_rows(problem), left * watch.all.seconds, wait):
                    watch.proves_beside(int(problem.row_costs().min()))

    whole = watch.with_bound(run(problem, watch.limits(1.0), poll))
    return watch.with_tree(whole, found[0]) if found else whole


def _wait(show: OnProgress, told: Progress, other: Progress) -> None:
    """Show what a search was told before it had to wait for another."""
    show(replace(told, seconds=told.seconds + other.seconds))


def _first_limits(problem: Problem, watch: Watch) -> Limits:
    """Give the first search of all levels its share, and time for a first plan where there is."""
    share = FIRST_SHARE if problem.max_depth > MORE else FIRST_OF_FOUR
    limits = watch.limits(share)
    least = min(FIRST_SECONDS, FIRST_MOST * watch.all.seconds)
    return replace(limits, seconds=max(limits.seconds, least))


def _improve(improve: Run | None, problem: Problem, watch: Watch) -> None:
    """Make the best tree better, unless that was done, within some of the time."""
    best = watch.best
    assert best is not None
    if improve is None or best.tree is watch.improved or problem.max_splits is not None:
        return
    if watch.is_over():
        return
    share = IMPROVING_SHARE if problem.max_depth > MORE else IMPROVING_OF_FOUR
    until = min(watch.share_gone() + share, 1.0)
    watch.keep(improve(problem, watch.known(until), watch.shown(False)))
    best = watch.best
    assert best is not None
    watch.improved = best.tree


def _bound(below: RunBelow, problem: Problem, watch: Watch) -> None:
    """Prove something of all trees in most of the time that is left."""
    best = watch.best
    assert best is not None

    until = BOUND_SHARE
    if is_numbers(problem) and problem.max_depth <= ROUNDS_END:
        until = min(watch.share_gone() + LITTLE_SHARE, BOUND_SHARE)

    def search(target: Number, proved: Number) -> Found | None:
        limits = replace(watch.limits(until), proved=proved)
        found = below(problem, limits, watch.shown_bound(), target)
        if found is None:
            return None
        watch.prove(found)
        if found.objective < watch.least():
            watch.took(found.tree, found.objective)  # the best of all: it is below the target
        return found

    if not is_numbers(problem):
        _bound_by_one(below, problem, watch, until)
        if watch.is_over():
            return
    bound_by_targets(problem, watch.least(), watch.proved, search)


def _bound_by_one(below: RunBelow, problem: Problem, watch: Watch, until: float) -> None:
    """Prove the cost of one error: a tree without any has none on some of the rows either.

    What a tree costs on some rows is no more than on all, so the least on these is a bound; that
    there is no perfect tree takes half of the time on 4,000 of 19,000 rows.
    """
    least = int(problem.row_costs().min())
    if watch.proved >= least:
        return
    some = _some_rows(problem)
    if problem.n_classes >= SEVERAL or problem.columns.max() == 1:
        _none_is_perfect(some, watch, least, until)
    elif some is not problem and problem.max_depth > ROUNDS_END:
        _none_is_below(below, some, watch, least, until)


def _may_all_err(problem: Problem) -> bool:
    """Tell whether rows are right or wrong, whatever they cost, and columns have two values."""
    counted = has_low_targets(problem) and not is_numbers(problem)
    return counted and problem.columns.max() == 1


def _some_rows(problem: Problem) -> Problem:
    if problem.n_rows < MANY_ROWS:
        return problem
    rows = every(problem.n_rows, SOME_ROWS)
    return subproblem(problem, rows, problem.max_depth, problem.max_splits)


def _none_is_perfect(some: Problem, watch: Watch, least: int, until: float) -> None:
    """Refute all trees without an error: where there are several classes, that is soon done."""
    gone = watch.share_gone()
    seconds = watch.limits(gone + PERFECT_SHARE * (until - gone)).seconds
    try:
        if no_perfect_tree(some, seconds, watch.still()):
            watch.proves(least)
    except KeyboardInterrupt:
        watch.status = "interrupted"


def _none_is_below(below: RunBelow, some: Problem, watch: Watch, least: int, until: float) -> None:
    """Search for trees below the cost of one error."""
    gone = watch.share_gone()
    limits = watch.limits(gone + SOME_SHARE * (until - gone))
    alone = replace(limits, proved=0, known=None, start=None)  # those are of all rows
    found = below(some, alone, watch.still(), least)
    assert found is not None
    watch.ends(found)
    watch.proves(int(found.lower_bound))


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
    by_splits: RunSplits | None = None,
) -> list[Found]:
    """Search few levels for all sizes, then size by size: the small ones are proved first."""
    watch = Watch(limits, show)
    most = problem.max_splits or 0
    shallow = replace(problem, max_depth=FEW, max_splits=min(most, 2**FEW - 1))
    few = run_sizes(shallow, watch.limits(FEW_SHARE), watch.shown(False))
    found = few[: FEW + 1]
    if by_splits is not None:
        _tell(limits, few[-1].objective, 0, begins=True)
    for k in range(FEW + 1, most + 1):
        shallow_one = few[min(k, len(few) - 1)]
        watch.keep(shallow_one)
        sized = replace(problem, max_splits=k, max_depth=k)
        one = None
        if by_splits is not None:
            watch.proved, watch.counts = 0, {}  # of fewer splits
            _prove_at_once(sized, watch, AT_ONCE_SHARE / (most - FEW))
            told, levels = replace(watch.limits(1.0), proved=watch.proved), levels_of(shallow_one)
            one = by_splits(sized, told, watch.shown(True), watch.least(), levels)
        if one is None:
            one = run(sized, watch.limits(1.0), watch.shown(True))
        one = watch.finished(one)
        found.append(replace(one, stats={**one.stats, **watch.counts}))
        watch.keep(found[-1], 0.0)
    if by_splits is not None:
        _tell(limits, found[-1].objective, found[-1].lower_bound, begins=False)
    return found
