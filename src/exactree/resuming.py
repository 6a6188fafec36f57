"""What runs of one checkpoint ended with: no run ends with less than those before it.

A run takes several searches, and which ones may depend on its limits. So the trees of single
searches in the file are not enough: the result of all is kept too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isclose
from typing import Any, Protocol

from exactree.cluster.ledger import Ledger
from exactree.leaves import counter
from exactree.preparing import Data
from exactree.problem import Number, Problem, Result
from exactree.routing import ends
from exactree.tree import Tree, depth, from_dict, size, to_dict, to_text

# Runs a tree on the data: gives it with its leaves filled in, and what it costs.
Judge = Callable[[Tree], tuple[Tree, Number]]


class Budget(Protocol):
    """What limits a tree: a request, or a problem."""

    @property
    def max_depth(self) -> int | None:
        """The most levels."""

    @property
    def max_splits(self) -> int | None:
        """The most splits."""


def best_so_far(result: Result, ledger: Ledger, judge: Judge) -> Result:
    """Give the best tree and bound of this run and those before."""
    before = ledger.results.get(result.space)
    if before is None:  # or trees of another space, among which its tree may not be
        return result
    try:
        return _better(result, before, judge)
    except (ValueError, TypeError, IndexError, KeyError) as error:
        raise ValueError(
            f"{str(ledger.path)!r} has a result that makes no sense ({error}): it was not "
            "written by this search; remove it, or name another file"
        ) from error


def keep(result: Result, ledger: Ledger) -> None:
    """Keep what a run ended with for those after it, unless its splits cannot be stored."""
    try:
        plain = to_dict(result.tree)
    except TypeError:  # the user's own
        return
    names = result.classes or None
    drawn = to_text(result.tree, feature_names=result.feature_names, class_names=names)
    known = result.objective, result.lower_bound, _fewest(result)
    ledger.result(*known, result.space, plain, drawn)


def _better(result: Result, before: list[Any], judge: Judge) -> Result:
    objective, bound, fewest, _, plain, _ = before
    tree, cost = judge(from_dict(plain))
    if not isclose(cost, objective, rel_tol=1e-9, abs_tol=1e-9):
        raise ValueError("a tree of another cost")
    if not bound <= objective:
        raise ValueError("a bound above the tree")
    # Of trees of the same cost, a longer run ends with that of which more was known.
    known = result.objective, -result.lower_bound, -_fewest(result)
    if (objective, -bound, -fewest) < known:
        stats = {**result.stats, "fewest_splits": fewest}
        result = replace(result, objective=objective, tree=tree, stats=stats)
    elif bound <= result.lower_bound:
        return result
    low = min(max(bound, result.lower_bound), result.objective)
    last = result.history[-1][0] if result.history else 0.0
    return replace(
        result,
        status="optimal" if low == result.objective else result.status,
        lower_bound=low,
        gap=result.objective - low,
        history=(*result.history, (last, result.objective, low)),
    )


def _fewest(result: Result) -> int:
    """Tell whether no tree of that cost has fewer splits: 1 if that is proved."""
    return int(result.stats.get("fewest_splits", 0))


def judge_for(problem: Problem, data: Data) -> Judge:
    """Judge trees of a problem: fill their leaves, and count what they cost."""

    def filled(tree: Tree) -> tuple[Tree, Number]:
        whole, cost = counter(problem, data, ends(tree, data.X)).fill(tree)
        return whole, problem.price(cost)

    return judge_by(filled, problem)


def judge_by(judge: Judge, budget: Budget) -> Judge:
    """Refuse trees that are not within the budget before they are judged."""

    def judged(tree: Tree) -> tuple[Tree, Number]:
        for used, limit in ((depth(tree), budget.max_depth), (size(tree), budget.max_splits)):
            if limit is not None and used > limit:
                raise ValueError("a tree that is too large")
        return judge(tree)

    return judged
