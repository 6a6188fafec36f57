"""The native search for targets that are numbers: whole numbers first, then what they prove.

Each form of loss has a module that makes whole numbers of a problem. A search in whole numbers
gives a tree and a bound; the tree is costed anew with all digits, and if it is not within the
tolerance of the bound, the search is repeated with finer numbers where there are any. What even
those do not prove is left to the engine in NumPy.

Of trees that cost the same, the one with the fewest splits is found by letting a split cost a few
units more (`Ties`): so few that they are far below the tolerance, and are given away by the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from exactree.bounds import equal_rows_cost
from exactree.engines import squares
from exactree.engines.answers import (
    counts_of,
    refuse_long_budget,
    seconds_left,
    start_of,
    stats_of,
    terms_of,
    tree_of,
    what_is_left,
)
from exactree.engines.deviances import whole_deviances
from exactree.engines.fewest import is_small, most_splits
from exactree.engines.generic import generic
from exactree.engines.outputs import whole_outputs
from exactree.engines.quantiles import whole_quantiles
from exactree.engines.squares import Squares
from exactree.engines.whole import Whole, tree_cost
from exactree.objectives.native import Deviances, Outputs, Quantiles
from exactree.objectives.native import Squares as SquaresForm
from exactree.problem import Found, Limits, Number, OnProgress, Problem, Progress
from exactree.tree import Tree

# How often a problem is looked at again with finer numbers.
MAX_PASSES = 4
# Ties are decided where that costs at most this share of the single leaf.
TIES_SHARE = 2.0**-34


@dataclass(frozen=True)
class Ties:
    """What a split costs beside its penalty, in units, and the most splits that a tree can have.

    Proof that of equal trees the one with the fewest splits costs least. In whole numbers each leaf
    is off by less than one unit, up or down, and each penalty is rounded down by less than one. So
    let trees of s and of t > s splits cost the same. The second costs in units more than

        units (t - s) - (s + 1) - (t + 1) - (t - s)  >=  units - 2 (most + 1)  >=  0

    more than the first, if units = 2 (most + 1). The other way round, a search that proves that no
    tree costs less than U proves that without these units none costs less than U - units * most.
    """

    most: int
    units: int

    @property
    def all(self) -> int:
        """What the splits of any tree cost at most."""
        return self.units * self.most


NO_TIES = Ties(0, 0)


def ties_of(problem: Problem, whole: Squares | Whole) -> Ties:
    """Give what decides between equal trees; nothing where it would be too much of the cost."""
    most = most_splits(problem)
    ties = Ties(most, 2 * (most + 1))
    return ties if ties.all <= whole.leaf * TIES_SHARE else NO_TIES


def is_numbers(problem: Problem) -> bool:
    """Tell whether the objective is one of numbers that the native search knows."""
    return isinstance(problem.form, SquaresForm | Deviances | Quantiles | Outputs)


def whole_numbers(problem: Problem, best: float | None = None) -> Squares | Whole | None:
    """Round a problem to whole numbers; to finer ones if a tree of cost `best` is known."""
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
) -> Found:
    """Solve in whole numbers; again with finer ones if few digits are left."""
    refuse_long_budget(problem, sizes=False)
    start = perf_counter()
    whole = whole_numbers(problem)
    if whole is None:
        return _unproved(generic(problem, limits, on_progress))
    ties = ties_of(problem, whole)
    best = _pass(problem, whole, what_is_left(limits, start), on_progress, options, ties)[0]
    if ties.units and best.status == "optimal" and (best.gap or not best.stats["fewest_splits"]):
        # Without ties there is more of a bound; a perfect tree is chosen by rule.
        plain = _pass(problem, whole, what_is_left(limits, start), on_progress, options)[0]
        best = _combined(plain, best, prefer=not best.stats["fewest_splits"])
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


def search_numbers_below(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    below: Number,
    options: dict[str, Any],
) -> Found | None:
    """Bound what trees cost, up to a cost; `options` say that no first tree is looked for."""
    started = perf_counter()
    whole = whole_numbers(problem)
    if whole is None or not (units := whole.units(below)):
        return None
    left = what_is_left(limits, started)
    return _pass(problem, whole, left, on_progress, {**options, "upper_bound": units})[0]


def _unproved(found: Found) -> Found:
    """Say that whole numbers could not prove it."""
    return replace(found, stats={**found.stats, "finished_in_numpy": 1})


def _combined(found: Found, before: Found, *, prefer: bool = False) -> Found:
    """Give what was found last with the better tree and the better bound of both.

    Of equal trees it is the one that was found before, unless the other is preferred.
    """
    better = found.objective < before.objective
    if prefer and found.status == "optimal":
        better = found.objective <= before.objective
    kept = found if better else before
    objective = min(found.objective, before.objective)
    low = min(max(found.lower_bound, before.lower_bound), objective)
    fewest = kept.stats.get("fewest_splits", 0)
    return _settled(
        replace(
            found,
            objective=objective,
            lower_bound=low,
            gap=objective - low,
            tree=kept.tree,
            stats={**found.stats, "fewest_splits": fewest},
        )
    )


def _settled(found: Found) -> Found:
    """Close the gap of a complete search if it is within the tolerance; otherwise it stays open."""
    cost = found.objective
    if found.status != "optimal" or not squares.is_optimal(float(cost), float(found.lower_bound)):
        return found
    history = (*found.history[:-1], (found.history[-1][0], cost, cost)) if found.history else ()
    return replace(found, lower_bound=cost, gap=cost - cost, history=history)


def search_number_sizes(
    problem: Problem, limits: Limits, on_progress: OnProgress | None
) -> list[Found]:
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
    left, ties = what_is_left(limits, start), ties_of(problem, whole)
    found = _pass(problem, whole, left, on_progress, {"sizes": True}, ties)
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
    ties: Ties = NO_TIES,
) -> list[Found]:
    """Search once; one result, or with the option `sizes` one for every number of splits."""

    def poll(seconds: float, objective: int, lower_bound: int, *counted: int) -> None:
        if on_progress is not None:
            best, low = whole.worth(objective), whole.worth(max(lower_bound - ties.all, 0))
            on_progress(Progress(seconds, best, low, *counts_of(*counted)))

    started = perf_counter()
    # A tree that is not above this errs on equal rows alone, whatever its splits.
    perfect = _equal_rows_units(problem, whole) + ties.all
    bound = perfect - ties.all if is_small(problem) else perfect
    terms: dict[str, Any] = {
        **terms_of(problem, limits),
        **start_of(limits),
        "time_limit": seconds_left(limits, started),
    }
    terms |= {
        "penalty": whole.units(problem.penalty) + ties.units,
        "lower_bound": bound,
        "poll": poll if on_progress else None,
        **options,
    }
    found: Any = whole.search(problem, limits, terms)
    solved = zip(found.size_objectives, found.size_lower_bounds, found.size_trees, strict=True)
    results = []
    for k, (o, b, t) in enumerate(solved):
        # With sizes, the tree in place k has at most k splits.
        least = b - ties.units * min(k, ties.most) if options.get("sizes") else b - ties.all
        one = _result(
            problem, whole, found, ties, proved=o == b, units=max(least, 0), tree=tree_of(t)
        )
        fewest = int(ties.units > 0 and o == b and (o > perfect or bound < perfect))
        results.append(replace(one, stats={**one.stats, "fewest_splits": fewest}))
    return results


def _equal_rows_units(problem: Problem, whole: Squares | Whole) -> int:
    """Bound the cost of every tree by the groups of equal rows."""
    cost = equal_rows_cost(problem.keys(), problem.targets(), problem.objective)
    leaves = min(problem.n_rows, 2 ** min(problem.max_depth, 60))
    return whole.bound(float(cost), leaves)


def _result(
    problem: Problem,
    whole: Squares | Whole,
    found: Any,
    ties: Ties,
    *,
    proved: bool,
    units: int,
    tree: Tree,
) -> Found:
    """Cost the tree anew; "optimal" with a gap means that rounding may hide a better one."""
    cost = squares.loss if isinstance(whole, Squares) else tree_cost
    objective = cost(problem, tree)
    bound = min(whole.least_cost(units), objective)
    history = [
        (seconds, whole.worth(cost), whole.worth(max(low - ties.all, 0)))
        for seconds, cost, low in found.history
    ]
    history[-1] = (history[-1][0], objective, bound)
    return _settled(
        Found(
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
