"""Among optimal trees, one with the fewest splits.

Let S be the most splits that an optimal tree of the problem can have. In the finer problem a tree
of cost c and s splits costs c (S + 1) + s. An optimal tree of cost c costs at most c (S + 1) + S
there, and all that are not optimal cost more: at least (c + 1) (S + 1). Of those that are, the one
with the fewest splits costs least. So one search of the finer problem finds both. Its costs are
whole numbers like any others: weights are S + 1 times as large, and every split costs one more.

What is known of the finer problem says as much of the coarser one: a cost of at least b there is
one of at least b // (S + 1) here.

A tree that errs on nothing but equal rows ends a search at once, and to prove that it has the
fewest splits may take far longer. So that is asked for in problems of few numbers only; for others
`stats["fewest_splits"]` is 0 if such a tree was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from exactree import _native
from exactree.bounds import useful_splits
from exactree.objectives.native import ClassWeights, CostTable, PricedRows
from exactree.problem import Found, Limits, OnProgress, Problem, Progress
from exactree.tree import size

# How many numbers (rows times columns) a table may have, by depth, for smaller trees to be looked
# for when one is perfect: that takes some tenths of a second.
PERFECT = {1: 10**7, 2: 10**6, 3: 10**5, 4: 10**4, 5: 10**3}

Native = Callable[[Problem, Limits, OnProgress | None, dict[str, Any]], Found]


def most_splits(problem: Problem) -> int:
    """Give the most splits that a tree of the problem can have and be optimal."""
    room = problem.n_rows - 1
    if problem.max_depth < 31:
        room = min(room, 2**problem.max_depth - 1)
    if problem.max_splits is not None:
        room = min(room, problem.max_splits)
    if problem.penalty and problem.objective.integral:
        leaf = int(problem.objective.cost(problem.targets()))
        useful = useful_splits(leaf, problem.penalty)
        room = room if useful is None else min(room, useful)
    return room


def finer(problem: Problem) -> tuple[Problem, int] | None:
    """Give the problem in which a split costs one more, and by what its other costs are multiplied.

    None: its costs would be too large.
    """
    factor = most_splits(problem) + 1
    if (_dearest(problem) + int(problem.penalty) * factor + 1) * factor >= _native.COST_LIMIT:
        return None
    made = replace(
        problem,
        unit=problem.unit * factor,
        weights=None if problem.weights is None else problem.weights * np.int64(factor),
        penalty=int(problem.penalty) * factor + 1,
    )
    return made, factor


def _dearest(problem: Problem) -> int:
    """Bound what all rows together cost, whatever they are answered."""
    form = problem.form
    if isinstance(form, PricedRows):
        dearest: list[int] = form.table[problem.labels].max(axis=1).tolist()
        return problem.unit * sum(dearest)
    rows = problem.unit * problem.n_rows if problem.weights is None else int(problem.weights.sum())
    return rows * (int(form.costs.max()) if isinstance(form, CostTable) else 1)


def search_fewest(
    run: Native,
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    options: dict[str, Any],
    *,
    equal_rows: int,
) -> Found:
    """Search for the cheapest tree, and of those for one with the fewest splits."""
    made = finer(problem)
    if made is None:
        return run(problem, limits, on_progress, options)
    other, factor = made
    known = None if limits.known is None else int(limits.known) * factor + factor - 1
    show = None if on_progress is None else _coarser_progress(on_progress, factor)
    # A tree of no more than this cost errs on equal rows alone, whatever its splits.
    perfect = equal_rows * factor + factor - 1
    small = is_small(problem)
    _count_in(limits, factor)
    least = max(equal_rows * factor if small else perfect, int(limits.proved) * factor)
    mine = {**options, "lower_bound": least}
    found = run(other, replace(limits, known=known), show, mine)
    told = coarser(found, factor)
    if small or found.status != "optimal" or found.objective > perfect:
        return told
    # Which perfect tree was met first may depend on threads: the coarser search decides by rule.
    left = max(limits.seconds - float(found.stats.get("seconds", 0.0)), 0.0)
    _count_in(limits, 1)
    plain = run(problem, replace(limits, seconds=left), None, options)
    _count_in(limits, factor)
    if plain.status != "optimal" or plain.objective != told.objective:
        return replace(told, stats={**told.stats, "fewest_splits": 0})
    fewest = size(plain.tree) <= _least_splits(problem, equal_rows)
    return replace(told, tree=plain.tree, stats={**told.stats, "fewest_splits": int(fewest)})


def is_small(problem: Problem) -> bool:
    """Tell whether smaller trees are looked for even if one is perfect."""
    listed, numbers = problem.partitions, problem.columns.size
    if listed is not None:
        if listed.cells:  # the search makes them: nobody knows how many there are
            return False
        numbers += len(listed) * problem.n_rows
    return numbers <= PERFECT.get(problem.max_depth, 0)


def _least_splits(problem: Problem, equal_rows: int) -> int:
    """Give what a perfect tree that is no leaf has at least: a leaf for each class of some cost."""
    plain = isinstance(problem.form, ClassWeights) and problem.weights is None
    if equal_rows or not plain:
        return 1
    return max(len(np.unique(problem.labels)) - 1, 1)


def _count_in(limits: Limits, units: int) -> None:
    """Tell those who watch a search elsewhere in what it counts."""
    if limits.elsewhere is not None:
        limits.elsewhere.units = units


def coarser(found: Found, factor: int) -> Found:
    """Give the result in the units of the coarser problem."""
    objective, bound = int(found.objective) // factor, int(found.lower_bound) // factor
    return replace(
        found,
        status="optimal" if objective == bound else found.status,
        objective=objective,
        lower_bound=bound,
        gap=objective - bound,
        stats={**found.stats, "fewest_splits": int(found.objective == found.lower_bound)},
        history=tuple(
            (t, int(best) // factor, int(low) // factor) for t, best, low in found.history
        ),
    )


def _coarser_progress(on_progress: OnProgress, factor: int) -> OnProgress:
    def show(told: Progress) -> object:
        best, bound = int(told.objective) // factor, int(told.lower_bound) // factor
        return on_progress(replace(told, objective=best, lower_bound=bound))

    return show
