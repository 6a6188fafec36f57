"""Tables of so many categories that not all of them can have a rank column.

The search then looks at the questions for the most frequent categories and all other questions.
That the best tree among those, of cost U, is optimal among all trees is proved from what smaller
trees cost:

Let T be a tree within the budgets of K splits, j >= 1 of which ask for categories that were left
out. Replace each of these by its "no" side: T' has at most K - j splits, all of them searched, and
is no deeper. The sides of its splits have the rows that they had in T, and more, so that it keeps
to the least number of rows a side as well. Rows that went to a "yes" side now end elsewhere, where
each costs its weight at most; all others end where they did, with the same answer. The rows on the
"yes" sides of j questions have at most j of the categories left out, and weigh at most W_j, the sum
of the j largest weights of these. A split costs p. So

    cost(T) >= cost(T') + j p - W_j >= optimum of K - j splits + j p - W_j.

If that is U or more for all j, nothing left out is of use. Else trees of two levels are searched
over all categories (`two_levels.py`), and those of a better tree get a column; for deeper trees,
more and more of the frequent ones do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from exactree.engines import search
from exactree.objectives.native import is_error
from exactree.preparing import Data
from exactree.problem import Found, Limits, OnProgress, Problem
from exactree.splits import Sources
from exactree.splits.derived import FIRST, MOST, TableColumns
from exactree.two_levels import Best, TwoLevels

GROWTH = 3  # times the categories of the last try

MOST_STEPS = 15
# Makes the problem with columns for so many categories, and for some by their feature and code.
Remake = Callable[[int, frozenset[tuple[int, int]]], tuple[Problem, Sources]]


def refuse_left_out(sources: Sources, data: Data) -> None:
    """Refuse a table whose categories do not all have columns where the proof does not hold."""
    if sources.left_out:
        j = sources.left_out[0][0]
        count = len(np.unique(data.X.column(j).values))
        raise ValueError(
            f"column {data.X.name(j)} of X has {count} categories in {len(data.X)} rows, too many "
            "for this kind of search, which needs a column for each: merge rare ones, or use "
            "solve() or OptimalTreeClassifier with objective='error'"
        )


def search_frequent(
    problem: Problem,
    sources: Sources,
    data: Data,
    remake: Remake,
    limits: Callable[[], Limits],
    show: OnProgress | None,
) -> tuple[Found, Problem, Sources]:
    """Search with columns for more and more categories until the others are proved of no use.

    Without a proof at the most columns there may be, the status is "memory_limit" and the bound
    that of the proof.
    """
    plain = is_error(problem.objective) and isinstance(sources, TableColumns)
    if not plain or problem.partitions is not None:
        refuse_left_out(sources, data)
    room = FIRST
    while True:
        found = search(problem, limits(), show)
        if found.status == "optimal" and sources.left_out:
            found = _bounded(found, problem, _weights(problem, sources, data), limits)
        elif sources.left_out:  # stopped: nothing is known of what was left out
            found = replace(found, lower_bound=0, gap=found.objective)
        if found.status == "memory_limit" and sources.left_out and problem.max_depth <= 2:
            best = _over_all(found, problem, data, limits)
            if best is None or best.cost is None or problem.least_side.binds:
                return _with_bound(found, best), problem, sources
            asked = frozenset((a.feature, a.code) for a in best.asked)
            cost = best.cost * problem.scale
            problem, sources = remake(FIRST, asked)
            again = search(problem, limits(), show)
            return _checked(again, ceil(cost / problem.scale)), problem, sources
        if found.status != "memory_limit" or room >= MOST or not limits().seconds:
            return found, problem, sources
        room = min(GROWTH * room, MOST)
        problem, sources = remake(room, frozenset())


def _over_all(
    found: Found, problem: Problem, data: Data, limits: Callable[[], Limits]
) -> Best | None:
    """Look for a better tree of two levels over all categories, in the problem's units."""
    # Units of the problem for one of the data's, which need not be whole: rows were merged.
    unit = data.scale / problem.scale
    parts = unit.denominator
    over_all = TwoLevels(
        data.X,
        data.labels,
        data.weights,
        unit=unit.numerator,
        penalty=int(problem.penalty) * parts,
        most_splits=problem.max_splits or 2**problem.max_depth - 1,
        time_left=lambda: limits().seconds > 0,
    ).below(int(found.objective) * parts)
    if over_all is None or over_all.cost is None:
        return over_all
    return replace(over_all, cost=over_all.cost / Fraction(parts))


def _with_bound(found: Found, best: Best | None) -> Found:
    """Say what is proved where the tree stays; None: there was no time for anything.

    With a least number of rows on a side, what is better need not keep to it: then it is a bound.
    """
    if best is None:
        return found
    if best.cost is None:
        return replace(found, status="optimal", lower_bound=found.objective, gap=0)
    bound = max(int(best.cost), found.lower_bound)
    return replace(found, lower_bound=bound, gap=found.objective - bound)


def _checked(found: Found, cost: int) -> Found:
    """Compare the tree with what the best one costs, or say how far the search got."""
    if found.status != "optimal":
        return replace(found, lower_bound=cost, gap=found.objective - cost)
    if found.objective != cost:
        raise RuntimeError(
            f"the best tree over all categories costs {cost}, and {found.objective} with columns "
            "for those it asks for; please report this"
        )
    return found


def _bounded(
    found: Found, problem: Problem, heaviest: NDArray[np.int64], limits: Callable[[], Limits]
) -> Found:
    """Give the result its bound over all categories."""
    most = problem.max_splits or 2**problem.max_depth - 1
    bound = found.lower_bound
    # One more step than this, and all that have as many splits or fewer are taken together.
    for j in range(1, min(most, MOST_STEPS) + 1):
        last = most if j == MOST_STEPS else j
        smaller = search(_of_size(problem, most - j), limits())
        weight = int(heaviest[:last].sum())
        bound = min(bound, smaller.lower_bound + j * problem.penalty - weight)
    bound = max(bound, 0)
    if bound >= found.objective:
        return found
    gap = found.objective - bound
    return replace(found, status="memory_limit", lower_bound=bound, gap=gap)


def _of_size(problem: Problem, splits: int) -> Problem:
    """Allow so many splits, and as many on a path at most."""
    depth = min(problem.max_depth, splits)
    return replace(problem, max_depth=depth, max_splits=splits if splits < 2**depth - 1 else None)


def _weights(problem: Problem, sources: Sources, data: Data) -> NDArray[np.int64]:
    """Give the weights of the categories left out, in the problem's units, the largest first."""
    unit = data.scale / problem.scale
    found: list[int] = []
    for feature in sorted({j for j, _ in sources.left_out}):
        codes = data.X.column(feature).values + 1  # a missing one is -1
        totals = np.zeros(int(codes.max()) + 1, dtype=np.int64)
        np.add.at(totals, codes, 1 if data.weights is None else data.weights)
        found += [ceil(int(totals[c + 1]) * unit) for j, c in sources.left_out if j == feature]
    return np.sort(np.array(found, dtype=np.int64))[::-1]
