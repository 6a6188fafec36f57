"""The native search for targets that are numbers: whole numbers first, then what they prove.

Each form of loss has a module that makes whole numbers of a problem. A search in whole numbers
gives a tree and a bound; the tree is costed anew with all digits, and if it is not within the
tolerance of the bound, the search is repeated with finer numbers where there are any. What even
those do not prove is left to the engine in NumPy.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from exactree.bounds import equal_rows_cost
from exactree.engines import squares
from exactree.engines.answers import (
    refuse_long_budget,
    seconds_left,
    stats_of,
    terms_of,
    tree_of,
    what_is_left,
)
from exactree.engines.deviances import whole_deviances
from exactree.engines.generic import generic
from exactree.engines.outputs import whole_outputs
from exactree.engines.quantiles import whole_quantiles
from exactree.engines.squares import Squares
from exactree.engines.whole import Whole, tree_cost
from exactree.objectives.native import Deviances, Outputs, Quantiles
from exactree.objectives.native import Squares as SquaresForm
from exactree.problem import Limits, OnProgress, Problem, Progress, Result
from exactree.tree import Tree

# How often a problem is looked at again with finer numbers.
MAX_PASSES = 4


def is_numbers(problem: Problem) -> bool:
    """Tell whether the objective is one of numbers that the native search knows."""
    return isinstance(problem.form, SquaresForm | Deviances | Quantiles | Outputs)


def whole_numbers(problem: Problem, best: float | None = None) -> Squares | Whole | None:
    """Give a problem in whole numbers, finer ones if a tree of cost `best` is known; None: none."""
    form = problem.form
    if isinstance(form, Deviances):
        return whole_deviances(problem, form, best)
    if isinstance(form, SquaresForm):
        given = problem.targets()
        if best is None:
            return squares.whole_squares(problem, given.y)
        y = squares.without_gaps(given.y, given.weights, best)
        return squares.whole_squares(problem, y, shortened=True)
    if best is not None:
        return None
    return whole_quantiles(problem, form) if isinstance(form, Quantiles) else whole_outputs(problem)


def search_numbers(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Result:
    """Solve in whole numbers; again with finer ones if few digits are left."""
    refuse_long_budget(problem, sizes=False)
    start = perf_counter()
    whole = whole_numbers(problem)
    if whole is None:
        return _unproved(generic(problem, limits, on_progress))
    best = _pass(problem, whole, what_is_left(limits, start), on_progress, options)[0]
    for _ in range(MAX_PASSES - 1):
        if best.status != "optimal" or not best.gap:
            return best
        before = best.objective
        whole = whole_numbers(problem, float(before))
        if whole is None:
            break
        left = what_is_left(limits, start)
        best = _combined(_pass(problem, whole, left, on_progress, options)[0], best)
        if best.objective == before:
            break
    if best.status != "optimal" or not best.gap:
        return best
    found = _combined(generic(problem, what_is_left(limits, start), on_progress), best)
    return _unproved(replace(found, stats=best.stats))


def _unproved(found: Result) -> Result:
    """Say that whole numbers could not prove it."""
    return replace(found, stats={**found.stats, "finished_in_numpy": 1})


def _combined(found: Result, before: Result) -> Result:
    """Give what was found last with the better tree and the better bound of both."""
    tree = found.tree if found.objective < before.objective else before.tree
    objective = min(found.objective, before.objective)
    low = min(max(found.lower_bound, before.lower_bound), objective)
    return _settled(
        replace(found, objective=objective, lower_bound=low, gap=objective - low, tree=tree)
    )


def _settled(found: Result) -> Result:
    """Close the gap of a complete search if it is within the tolerance; otherwise it stays open."""
    cost = found.objective
    if found.status != "optimal" or not squares.is_optimal(float(cost), float(found.lower_bound)):
        return found
    history = (*found.history[:-1], (found.history[-1][0], cost, cost)) if found.history else ()
    return replace(found, lower_bound=cost, gap=cost - cost, history=history)


def search_number_sizes(
    problem: Problem, limits: Limits, on_progress: OnProgress | None
) -> list[Result]:
    """Solve for every size at once; those of few digits once more, by themselves."""
    refuse_long_budget(problem, sizes=True)
    start = perf_counter()
    whole = whole_numbers(problem)
    if whole is None:
        every = range((problem.max_splits or 0) + 1)
        return [
            search_numbers(
                replace(problem, max_splits=k), what_is_left(limits, start), on_progress, {}
            )
            for k in every
        ]
    left = what_is_left(limits, start)
    found = _pass(problem, whole, left, on_progress, {"sizes": True})
    for k, result in enumerate(found):
        if result.status != "optimal" or not result.gap:
            continue
        left = what_is_left(limits, start)
        finer = search_numbers(replace(problem, max_splits=k), left, on_progress, {})
        found[k] = _combined(finer, result)
    return found


def _pass(
    problem: Problem,
    whole: Squares | Whole,
    limits: Limits,
    on_progress: OnProgress | None,
    options: dict[str, Any],
) -> list[Result]:
    """Search once; one result, or with the option `sizes` one for every number of splits."""

    def poll(seconds: float, objective: int, lower_bound: int) -> None:
        if on_progress is not None:
            on_progress(Progress(seconds, whole.worth(objective), whole.worth(lower_bound)))

    started = perf_counter()
    bound = _equal_rows_units(problem, whole)
    terms: dict[str, Any] = {
        **terms_of(problem, limits),
        "time_limit": seconds_left(limits, started),
    }
    terms |= {
        "penalty": whole.units(problem.penalty),
        "lower_bound": bound,
        "poll": poll if on_progress else None,
        **options,
    }
    found: Any = whole.search(problem, limits, terms)
    solved = zip(found.size_objectives, found.size_lower_bounds, found.size_trees, strict=True)
    return [
        _result(problem, whole, found, proved=o == b, units=b, tree=tree_of(t))
        for o, b, t in solved
    ]


def _equal_rows_units(problem: Problem, whole: Squares | Whole) -> int:
    """Bound the cost of every tree by the groups of equal rows."""
    cost = equal_rows_cost(problem.keys(), problem.targets(), problem.objective)
    leaves = min(problem.n_rows, 2 ** min(problem.max_depth, 60))
    return whole.bound(float(cost), leaves)


def _result(
    problem: Problem,
    whole: Squares | Whole,
    found: Any,
    *,
    proved: bool,
    units: int,
    tree: Tree,
) -> Result:
    """Cost the tree anew; "optimal" with a gap means that rounding may hide a better one."""
    cost = squares.loss if isinstance(whole, Squares) else tree_cost
    objective = cost(problem, tree)
    bound = min(whole.least_cost(units), objective)
    history = [
        (seconds, whole.worth(cost), whole.worth(low)) for seconds, cost, low in found.history
    ]
    history[-1] = (history[-1][0], objective, bound)
    return _settled(
        Result(
            status="optimal" if proved else found.status,
            space=problem.space,
            objective=objective,
            lower_bound=bound,
            gap=objective - bound,
            tree=tree,
            stats=stats_of(found),
            history=tuple(history),
        )
    )
