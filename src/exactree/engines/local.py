"""Trees of surfaces of any size: a local search, and an exact one after it where that can be.

The local search (cpp/oblique) looks at the terms of the family as columns of numbers and proves
nothing. What is proved comes from bounds of any tree, and from the exact search over cells, which
is asked for trees below what the local search has found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.bounds import any_tree
from exactree.engines import inseparable
from exactree.engines.generic import generic
from exactree.engines.leaf import single_leaf
from exactree.engines.local_targets import Errors, targets_of
from exactree.engines.search import search, search_sizes
from exactree.engines.squares import is_squared, why_not_whole
from exactree.interrupts import interruptible
from exactree.memory import default_limit
from exactree.objectives.native import ClassWeights
from exactree.partitions import Terms
from exactree.problem import (
    Cut,
    Found,
    Limits,
    Number,
    OnProgress,
    Plane,
    Problem,
    Progress,
    Status,
)
from exactree.tree import Leaf, Node, Tree

Lists = tuple[list[int], list[int], list[list[float]]]  # children and planes in preorder
# Without a limit of time, the search ends after so many rounds in a row without a better tree;
# where rows times terms are few, rounds take no time, and it is more of them.
IDLE_ROUNDS = 100
FEW_NUMBERS, MORE_IDLE_ROUNDS = 2000, 1000
# Where an exact search comes next, which makes up for what is missed.
IDLE_ROUNDS_BEFORE_PROOF = 20
# A tree as good with fewer splits is looked for in so many rounds.
ROUNDS_FOR_FEWER = 20
# The best tree of thresholds is a start where it is found quickly: rows times columns, by depth.
# With a limit of time, it is so for any depth where sorting the columns takes a part of the time.
QUICK_THRESHOLDS = {1: 10**8, 2: 10**7, 3: 10**5}
QUICK_IN_A_SECOND = 5 * 10**6
# So many numbers are sorted in a part of a second that does no harm.
SORTED_IN_A_SECOND = 2 * 10**7
# But first there are so many rounds without it, in this share of the time: of very many terms one
# round takes longer.
FIRST_ROUNDS, FIRST_SHARE = 2, 0.5
THRESHOLDS_SHARE = 0.1
# Where they are better than those rounds, and may become better yet, they get more time.
MORE_FOR_THRESHOLDS = 0.5
# Of the time that is left, what writing the tree down with wide margins may take; and what it takes
# at least, by the number of rows times terms times levels.
WRITING_SHARE = 0.05
WRITING_SECONDS = 0.5
WRITING_A_NUMBER = 4e-8
MOST_FOR_WRITING = 0.5
# A limit that is reached already leaves time for a first tree; one to go on from is made in less.
LEAST_SECONDS, LEAST_AGAIN = 0.03, 0.001
# Deeper trees are within the budget too, but of no use to a search that goes on by trying.
DEEPEST = 16


@dataclass(frozen=True)
class FoundTwice(Found):
    """A tree whose splits take time to be written down, and one for the case that there is none."""

    spare: Found | None = None


def local(problem: Problem, limits: Limits, on_progress: OnProgress | None = None) -> Found:
    """Search until the bound is met, the limit is reached, or nothing better was found for long."""
    run = _Run(problem, limits, on_progress)
    few = run.terms.values.size <= FEW_NUMBERS
    idle_rounds = MORE_IDLE_ROUNDS if few else IDLE_ROUNDS
    if not run.may_prove:
        return run.local(idle_rounds, to_the_end=True)
    found = run.with_sets(run.local(idle_rounds, to_the_end=False))
    if found.status != "local" or limits.seconds == inf:
        return found
    other = replace(run.left(), seed=limits.seed + 1)
    again = _Run(problem, other, run.later()).local(idle_rounds, to_the_end=True)
    return better_of(found, again, run.seconds())


def surfaces(problem: Problem, limits: Limits, on_progress: OnProgress | None = None) -> Found:
    """Search as `local` does; then, where the partitions are within reach, prove or do better."""
    assert problem.partitions is not None
    if not problem.partitions.exhaustive:
        return local(problem, limits, on_progress)
    run = _Run(problem, limits, on_progress)
    found = run.local(IDLE_ROUNDS_BEFORE_PROOF, to_the_end=False)
    if found.status in ("optimal", "interrupted"):
        return found
    if is_squared(problem):
        exact = generic(problem, run.left(), run.later())
    else:
        exact = search(problem, run.left(), run.later(), below=int(found.objective))
    return better_of(found, exact, run.seconds())


def surface_sizes(
    problem: Problem, limits: Limits, on_progress: OnProgress | None = None
) -> list[Found]:
    """Solve for every number of splits from 0 to `max_splits`.

    One exact search does, where the partitions are within reach and it comes to an end; for the
    sizes that it did not prove, and otherwise for all, there is a local search each.
    """
    assert problem.max_splits is not None and problem.partitions is not None
    started = perf_counter()
    sizes = range(1, problem.max_splits + 1)
    found = [single_leaf(replace(problem, max_splits=0), "optimal")]
    exact: list[Found] = []
    if problem.partitions.exhaustive and not is_squared(problem):
        exact = search_sizes(problem, limits, on_progress)
    for k in sizes:
        if exact and exact[k].status == "optimal":
            found.append(exact[k])
            continue
        left = max(limits.seconds - (perf_counter() - started), 0.0)
        time = replace(limits, seconds=left / (len(sizes) + 1 - k))
        result = local(replace(problem, max_splits=k), time, on_progress)
        if exact:
            result = better_of(result, exact[k], perf_counter() - started)
        found.append(result)
        if result.status == "interrupted":
            # `never_rising` passes the tree on.
            return found + [single_leaf(problem, "interrupted")] * (len(sizes) - k)
    return found


class _Run:
    """One solve: its clock, its bound, and the way to the native search and back."""

    def __init__(self, problem: Problem, limits: Limits, on_progress: OnProgress | None) -> None:
        self.problem, self.limits, self.on_progress = problem, limits, on_progress
        self.started = perf_counter()
        self.memory = limits.memory or default_limit()
        assert problem.partitions is not None
        self.terms = problem.partitions.richest
        plain = isinstance(problem.form, ClassWeights)
        self.may_prove = plain and inseparable.applies(problem, self.terms)
        self.targets = targets_of(problem)
        self.rounds = self.line_searches = 0
        self.interrupted = False

    def seconds(self) -> float:
        return perf_counter() - self.started

    def left(self) -> Limits:
        return replace(self.limits, seconds=max(self.limits.seconds - self.seconds(), 0.0))

    def seconds_left(self) -> float:
        return self.left().seconds

    def later(self) -> OnProgress | None:
        """Let a second search tell the time from the start of the first."""
        if self.on_progress is None:
            return None
        show, before = self.on_progress, self.seconds()
        return lambda p: show(replace(p, seconds=p.seconds + before))

    def local(self, idle_rounds: int, *, to_the_end: bool) -> Found:
        """Search; `to_the_end` of a limit of time, if there is one."""
        bound, price = self.targets.bound, self.targets.price
        if to_the_end and self.limits.seconds < inf and self._may_split():
            idle_rounds = 2**31 - 1
        found, costs = self._search(idle_rounds)
        if found.status == "ended":
            found = self._with_fewer_splits(found)
        tree = _tree(*found.tree)
        cost = self.targets.cost(int(found.cost), tree)
        status: Status = "local" if found.status == "ended" else found.status
        if self.interrupted:
            status = "interrupted"
        low = min(bound, cost)
        history = [(seconds, units * price, min(bound, units * price)) for seconds, units in costs]
        return Found(
            status="optimal" if cost <= bound else status,
            space=self.problem.space,
            objective=cost,
            lower_bound=low,
            gap=cost - low,
            tree=tree,
            stats={
                "seconds": self.seconds(),
                "rounds": self.rounds,
                "line_searches": self.line_searches,
            },
            history=(*history, (self.seconds(), cost, low)),
        )

    def _may_split(self) -> bool:
        """Tell whether a split can be within the budgets, and pay: else rounds take no time."""
        problem = self.problem
        rows = problem.least_side.counted(problem.n_rows).sum()
        leaf = single_leaf(problem, "optimal").objective
        return bool(rows >= 2 * problem.least_side.least) and leaf > problem.penalty

    def with_sets(self, found: Found) -> Found:
        """Raise the bound by sets of rows that cannot be parted, where there is one split."""
        problem = self.problem
        if found.status != "local":
            return found
        upper = int(found.objective) - int(problem.penalty)
        try:
            with interruptible():
                loss_of_split = inseparable.one_split(
                    problem, self.terms, upper, lambda: self.left().seconds
                )
        except KeyboardInterrupt:
            return replace(found, status="interrupted")
        leaf = int(single_leaf(problem, "optimal").objective)
        low = min(
            max(found.lower_bound, min(leaf, loss_of_split + problem.penalty)), found.objective
        )
        return replace(
            found,
            status="optimal" if low == found.objective else found.status,
            lower_bound=low,
            gap=found.objective - low,
            history=(*found.history, (self.seconds(), found.objective, low)),
        )

    def _search(self, idle_rounds: int) -> tuple[Any, list[tuple[float, int]]]:
        """Search, and give the history of all costs.

        The best tree of thresholds is looked for only if the first rounds do not meet the bound.
        """
        if not self._quick_thresholds():
            found = self._rounds([], idle_rounds)
            return found, found.history
        first = self._rounds([], FIRST_ROUNDS, share=FIRST_SHARE)
        over = first.status == "interrupted" or self.left().seconds <= 0
        if over or first.cost <= self.targets.bound_units:
            return first, first.history
        starts, cost = self._starts(first.cost * self.targets.price)
        before = self.seconds()
        found = self._rounds([first.tree, *starts], idle_rounds)
        if found.status == "time_limit" and found.cost * self.targets.price > cost:
            found = self._rounds(starts, idle_rounds)  # there was no time to look at it
        later = [(before + t, cost) for t, cost in found.history if cost <= first.cost]
        return found, [*first.history, *later]

    def _with_fewer_splits(self, found: Any) -> Any:
        """Look for a tree that costs no more and has fewer splits, and again from there."""
        if self.problem.penalty or is_squared(self.problem):
            return found  # it would cost less; or costs are rounded
        while (splits := sum(child >= 0 for child in found.tree[0])) > 1:
            fewer = replace(self.problem, max_splits=splits - 1)
            if isinstance(self.targets, Errors) and any_tree(fewer) > found.cost:
                break
            other = self._rounds([found.tree], ROUNDS_FOR_FEWER, splits - 1, int(found.cost))
            self.interrupted = other.status == "interrupted"
            if other.cost > found.cost:
                break
            found = other
            if self.interrupted:
                break
        return found

    def _rounds(
        self,
        starts: list[Any],
        idle_rounds: int,
        max_splits: int | None = None,
        enough: int = 0,
        share: float = 1.0,
    ) -> Any:
        """Search with fewer splits than the problem allows, and until a cost is met, if given.

        It has a share of the time that is left.
        """
        problem, price, before = self.problem, self.targets.price, self.seconds()

        def poll(seconds: float, objective: int, lower_bound: int, *_: int) -> None:
            if self.on_progress is not None:
                # A cost that is enough is no bound, and the tree that has it is still there.
                best = min(objective, enough) if enough else objective
                proved = min(lower_bound, self.targets.bound_units)
                self.on_progress(Progress(before + seconds, best * price, proved * price))

        time = share * self.left().seconds
        most = problem.max_splits if max_splits is None else max_splits
        arguments = self.targets.arguments()
        arguments["lower_bound"] = max(arguments["lower_bound"], enough)
        found = _native.search_oblique(
            self.terms.values,
            **arguments,
            counts=problem.least_side.counts,
            max_depth=min(problem.max_depth, DEEPEST),
            max_splits=-1 if most is None else most,
            min_rows=problem.least_side.least,
            plane_columns=self.terms.most,
            starts=starts,
            seed=self.limits.seed ^ self.rounds << 32,  # others than in the rounds before
            idle_rounds=idle_rounds,
            time_limit=max(time - self._writing(time), LEAST_AGAIN if starts else LEAST_SECONDS),
            threads=self.terms.threads(self.memory, self.limits.threads),
            poll=poll if self.on_progress else None,
        )
        self.rounds += found.rounds
        self.line_searches += found.scans
        return found

    def _writing(self, time: float) -> float:
        """Guess how much of the time is needed after the search."""
        numbers = self.terms.values.size * min(self.problem.max_depth, DEEPEST)
        least = min(WRITING_A_NUMBER * numbers, MOST_FOR_WRITING * time)
        return max(min(WRITING_SHARE * time, WRITING_SECONDS), least)

    def _quick_thresholds(self) -> bool:
        """Tell whether the best tree of thresholds is likely to be found quickly."""
        size, seconds = self.terms.values[: self.terms.linear].size, self.seconds_left()
        quick = QUICK_THRESHOLDS.get(self.problem.max_depth, 0)
        if seconds < inf:
            quick = min(quick, int(SORTED_IN_A_SECOND * seconds))
            quick = max(quick, int(QUICK_IN_A_SECOND * seconds))
        return size <= quick and seconds > 0

    def _starts(self, known: float) -> tuple[list[Any], float]:
        """Find the best tree of thresholds, if there is time: it is one of surfaces too."""
        columns = self.terms.values[: self.terms.linear]
        ranks = _native.rank_columns(np.ascontiguousarray(columns))
        plain = replace(self.problem, columns=ranks, partitions=None)
        if why_not_whole(plain) is not None:
            return [], inf
        less = replace(self.limits, memory=self.terms.room(self.memory))
        found = search(plain, replace(less, seconds=THRESHOLDS_SHARE * self.left().seconds))
        if found.status == "time_limit" and found.objective <= known:
            more = MORE_FOR_THRESHOLDS * self.left().seconds
            found = search(plain, replace(less, seconds=more))
        lists: Lists = ([], [], [])
        _list_planes(found.tree, self.terms, ranks, lists)
        return [lists], float(found.objective)


def better_of(local_result: Found, exact: Found, seconds: float) -> Found:
    """Put together what both searches found and proved."""
    best = exact if exact.objective < local_result.objective else local_result
    bound = min(max(exact.lower_bound, local_result.lower_bound), best.objective)
    status: Status = "optimal" if bound == best.objective else exact.status
    return FoundTwice(
        status=status,
        space=best.space,
        objective=best.objective,
        lower_bound=bound,
        gap=best.objective - bound,
        tree=best.tree,
        stats={**exact.stats, **local_result.stats, "seconds": seconds},
        history=(*local_result.history, (seconds, best.objective, bound)),
        spare=_spare(local_result, bound) if best is exact else None,
    )


def _spare(found: Found, bound: Number) -> Found:
    """Keep a tree of planes: they can be written down at once, those of cells take a program."""
    low = min(bound, found.objective)
    return replace(found, status="time_limit", lower_bound=low, gap=found.objective - low)


def _tree(left: list[int], right: list[int], planes: list[list[float]]) -> Tree:
    """Turn the lists in preorder into a tree; children come after their parent, so backwards."""
    built: list[Tree] = [Leaf(0)] * len(left)
    for i in reversed(range(len(left))):
        if left[i] >= 0:
            built[i] = Node(Plane(tuple(planes[i])), built[left[i]], built[right[i]])
    return built[0]


def _list_planes(
    tree: Tree,
    terms: Terms,
    ranks: NDArray[np.int32],
    lists: Lists,
) -> int:
    """Append a tree of cuts in preorder as planes along the axes; give the number of its root."""
    left, right, planes = lists
    me = len(left)
    left.append(-1)
    right.append(-1)
    planes.append([])
    if isinstance(tree, Leaf):
        return me
    cut = tree.split
    assert isinstance(cut, Cut)
    values, of_column = terms.values[cut.column], ranks[cut.column]
    below, above = values[of_column <= cut.rank].max(), values[of_column > cut.rank].min()
    planes[me] = [0.0] * (len(terms.values) + 1)
    planes[me][cut.column] = 1.0
    planes[me][-1] = -float(below / 2 + above / 2)
    left[me] = _list_planes(tree.left, terms, ranks, lists)
    right[me] = _list_planes(tree.right, terms, ranks, lists)
    return me
