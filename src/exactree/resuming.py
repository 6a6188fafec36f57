"""What runs of one checkpoint ended with: no run ends with less than those before it.

A run takes several searches, and which ones may depend on its limits. So the trees of single
searches in the file are not enough: the result of all is kept too.
"""

from __future__ import annotations

from dataclasses import replace
from math import isclose
from typing import Any

from exactree.cluster.ledger import Ledger
from exactree.leaves import counter
from exactree.preparing import Data
from exactree.problem import Problem, Result
from exactree.routing import ends
from exactree.tree import Tree, depth, from_dict, size, to_dict, to_text


def never_worse(result: Result, ledger: Ledger, problem: Problem, data: Data) -> Result:
    """Give the best tree and bound of this run and those before, and keep it for those after."""
    if ledger.latest is not None:
        try:
            result = _better(result, ledger.latest, problem, data)
        except (ValueError, TypeError, IndexError, KeyError) as error:
            raise ValueError(
                f"{str(ledger.path)!r} has a result that makes no sense ({error}): it was not "
                "written by this search; remove it, or name another file"
            ) from error
    try:
        plain = to_dict(result.tree)
    except TypeError:  # splits of the user's own that cannot be stored
        return result
    names = result.classes or None
    drawn = to_text(result.tree, feature_names=result.feature_names, class_names=names)
    known = result.objective, result.lower_bound, _fewest(result)
    ledger.result(*known, result.space, plain, drawn)
    return result


def _better(result: Result, before: list[Any], problem: Problem, data: Data) -> Result:
    objective, bound, fewest, space, plain, _ = before
    if space != result.space:  # its tree may be none of these
        return result
    tree = _checked(from_dict(plain), objective, problem, data)
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


def _checked(tree: Tree, objective: Any, problem: Problem, data: Data) -> Tree:
    """Give the tree with its leaves filled in, if it is within the budgets and costs that."""
    limit = problem.max_splits
    if depth(tree) > problem.max_depth or (limit is not None and size(tree) > limit):
        raise ValueError("a tree that is too large")
    filled, cost = counter(problem, data, ends(tree, data.X)).fill(tree)
    if not isclose(problem.price(cost), objective, rel_tol=1e-9, abs_tol=1e-9):
        raise ValueError("a tree of another cost")
    return filled
