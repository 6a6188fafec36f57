"""Results for 0, 1, 2, ... splits, made to agree with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from exactree.problem import Result


def never_rising(results: Sequence[Result]) -> list[Result]:
    """Pass the best tree on to larger sizes, and the best bound to smaller ones.

    A tree of at most k splits is one of at most k + 1, so its cost counts there too; and what no
    tree of k + 1 splits is below, none of k is. Searches that finish need neither. Objectives and
    bounds do not rise along the sizes, and no bound is above its objective.

    >>> from exactree.tree import Leaf
    >>> pairs = (5, 0), (3, 2), (4, 1)
    >>> found = [Result("time_limit", "", c, b, c - b, Leaf(c)) for c, b in pairs]
    >>> [(r.objective, r.lower_bound, r.tree.value) for r in never_rising(found)]
    [(5, 2, 5), (3, 2, 3), (3, 1, 3)]
    """
    best: list[Result] = []
    for result in results:
        least = min((best[-1], result), key=lambda r: r.objective) if best else result
        other = least is not result and least.objective < result.objective
        best.append(
            replace(result, objective=least.objective, tree=least.tree) if other else result
        )
    bound = -float("inf")
    for k in reversed(range(len(best))):
        bound = max(bound, best[k].lower_bound)
        best[k] = _with_bound(best[k], results[k], bound)
    return best


def _with_bound(result: Result, before: Result, bound: float) -> Result:
    """Put in a bound, at most the objective; a result that does not change stays as it is."""
    low = result.objective if bound >= result.objective else bound
    if result is before and low == before.lower_bound:
        return result
    seconds = max((seconds for seconds, _, _ in before.history), default=0.0)
    return replace(
        result,
        status="optimal" if low == result.objective else result.status,
        lower_bound=low,
        gap=result.objective - low,
        history=(*before.history, (seconds, result.objective, low)),
    )
