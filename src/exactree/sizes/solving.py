"""solve_sizes(): the optimum of every number of splits, in one search where that can be."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from exactree.engines import search, search_sizes, single_leaf, surface_sizes, surfaces
from exactree.interrupts import deferred, interruptible
from exactree.problem import Found, Limits, Problem, Result
from exactree.rare_categories import refuse_left_out
from exactree.request import Request
from exactree.sizes.agreement import never_rising
from exactree.solving import Solving, best_ratio, heard, sources_of
from exactree.splits import Sources
from exactree.starting import read_start
from exactree.tree import size


def solve_sizes(X: Any, y: Any, request: Request, max_splits: int) -> list[Result]:
    """Solve for every number of splits 0, 1, ..., `max_splits`.

    The k-th result is that of `solve` with `max_splits` = k.
    """
    solving = Solving(replace(request, max_splits=max_splits), perf_counter())
    with solving.elsewhere():
        with interruptible():
            solving.read(X, y)
            solving.own_file()
            sources = sources_of(request.splits, solving.data)
            refuse_left_out(sources, solving.data)
            if request.ratio is not None:
                return _ratios(solving, sources, max_splits)
            solving.pose(sources)
        with deferred() as noted:
            found = [solving.watch.ended(result) for result in _all_sizes(solving, max_splits)]
            if (start := solving.start) is not None:
                found = [*found[: size(start.tree)], *map(start.better, found[size(start.tree) :])]
            time = solving.for_fitting(found[-1])
            shown = never_rising([solving.written(result, time) for result in found])
            # More splits than the rows, the depth or the search have use for change nothing.
            shown += [shown[-1]] * (max_splits + 1 - len(shown))
            of_size = [replace(request, max_splits=k) for k in range(len(shown))]
            named = [
                heard(replace(result, space=budget.in_words(sources.remark)), noted)
                for result, budget in zip(shown, of_size, strict=True)
            ]
            return never_rising([solving.never_worse(one, k) for k, one in enumerate(named)])


def _ratios(solving: Solving, sources: Sources, max_splits: int) -> list[Result]:
    """Solve for a ratio of counts and every size; they share the time."""
    found: list[Result] = []
    given = solving.request.start
    start = None if given is None else read_start(given, solving.data.feature_names)
    for k in range(max_splits + 1):
        seconds = solving.left().seconds / (max_splits + 1 - k)
        fits = start if start is not None and size(start) <= k else None
        asked = replace(solving.request, max_splits=k, time_limit=seconds, start=fits)
        one = Solving(asked, perf_counter())
        one.data, one.where = solving.data, solving.where
        with deferred() as noted:
            found.append(heard(best_ratio(one, sources), noted))
    return never_rising(found)


def _all_sizes(solving: Solving, max_splits: int) -> list[Found]:
    """Run the native search once, or an engine that knows one size at a time for each."""
    room = min(max_splits, solving.problem.n_rows - 1, 2**solving.problem.max_depth - 1)
    problem = replace(solving.problem, max_splits=room)
    if (stopped := solving.unlisted()) is not None:
        return [stopped] * (room + 1)
    if not room:
        return [single_leaf(problem, "optimal")]
    if solving.engine is search:
        return search_sizes(problem, _left(solving), solving.show)
    if solving.engine is surfaces:
        return surface_sizes(problem, _left(solving), solving.show)
    return _one_by_one(solving, problem, room)


def _left(solving: Solving) -> Limits:
    """Give the limits for all sizes: a tree to begin with is too large for some of them."""
    return replace(solving.left(), known=None, start=None)


def _one_by_one(solving: Solving, problem: Problem, room: int) -> list[Found]:
    """Run an engine for every size; they share the time."""
    found = [single_leaf(replace(problem, max_splits=0), "optimal")]
    for k in range(1, room + 1):
        left = _left(solving)
        share = replace(left, seconds=left.seconds / (room + 1 - k))
        found.append(solving.engine(replace(problem, max_splits=k), share, solving.show))
        if found[-1].status == "interrupted":
            # What is proved of some splits is not of more; `never_rising` passes the tree on.
            return found + [single_leaf(problem, "interrupted")] * (room + 1 - len(found))
    return found
