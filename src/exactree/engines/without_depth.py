"""Native searches for trees that only their splits limit: so many, or a price for each."""

from __future__ import annotations

from functools import partial
from typing import Any

from exactree.engines.answers import polled, refuse_long_budget, result_of
from exactree.engines.running import run_native
from exactree.engines.upwards import enough_levels
from exactree.engines.watch import RunSplits
from exactree.memory import default_limit
from exactree.objectives.native import ClassWeights
from exactree.problem import Found, Limits, Number, OnProgress, Problem

# What a search of thresholds as columns looks at: so many binary columns, or triples of thresholds
# times rows.
MAX_BINARY = 5000
MAX_TRIPLES = 10**12


def search_sparse(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Found | None:
    """Search few thresholds for a tree that only a penalty limits.

    None: its weights are too large, or its tree would be too deep.
    """
    terms = {
        "max_depth": problem.max_depth,
        "unit": problem.unit,
        "penalty": int(problem.penalty),
        "time_limit": limits.seconds,
        "memory_limit": limits.memory,
        "poll": polled(on_progress),
        **options,
    }
    found = run_native(limits, "sparse", _rows_of(problem), terms)
    if found is None:
        return None
    return result_of(
        problem, found, objective=found.objective, bound=found.lower_bound, tree=found.tree
    )


def by_splits_of(problem: Problem, options: dict[str, Any]) -> RunSplits | None:
    """Give the search for trees that only their splits limit, if the problem is one for it."""
    if problem.partitions is not None or not isinstance(problem.form, ClassWeights):
        return None
    if problem.least_side.binds or not len(problem.columns):
        return None
    return partial(_search_splits, options=options)


def _search_splits(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    below: Number,
    levels: int,
    options: dict[str, Any],
) -> Found | None:
    """Look for a tree below a cost, with at most so many splits or a penalty for each.

    It is known that none of so many levels is.
    """
    refuse_long_budget(problem, sizes=False)
    terms = {
        "max_splits": -1 if problem.max_splits is None else problem.max_splits,
        "unit": problem.unit,
        "penalty": int(problem.penalty),
        "max_depth": levels,
        "lower_bound": min(int(limits.proved), int(below)),
        "upper_bound": int(below),
        "time_limit": limits.seconds,
        "memory_limit": limits.memory or default_limit(),
        "poll": polled(on_progress),
        **options,
    }
    found = run_native(limits, "splits", _rows_of(problem), terms)
    if found is None:
        return None
    return result_of(
        problem, found, objective=found.objective, bound=found.lower_bound, tree=found.tree
    )


def _rows_of(problem: Problem) -> tuple[Any, ...]:
    return problem.columns, problem.labels, problem.n_classes, problem.weights


def is_sparse(problem: Problem) -> bool:
    """Tell whether a penalty is all that limits the tree, and there are few thresholds."""
    if not problem.penalty or problem.max_splits is not None or problem.least_side.binds:
        return False
    if problem.partitions is not None or not isinstance(problem.form, ClassWeights):
        return False
    if not _has_few_thresholds(problem):
        return False
    return problem.max_depth >= enough_levels(problem)


def _has_few_thresholds(problem: Problem) -> bool:
    """Tell whether a table of pairs of thresholds pays: for binary columns nearly always."""
    if not len(problem.columns):
        return False
    thresholds = int(problem.columns.max(axis=1).sum())
    binary = thresholds <= len(problem.columns) <= MAX_BINARY
    return binary or thresholds**3 * problem.n_rows <= MAX_TRIPLES
