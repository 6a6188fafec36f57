"""The native branch and bound: `best(samples, depth, splits, budget)` over columns and sides."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.bounds import any_tree, equal_points, equal_rows, equal_rows_cost
from exactree.engines.answers import (
    polled,
    refuse_long_budget,
    result_of,
    seconds_left,
    start_of,
    terms_of,
)
from exactree.engines.fewest import search_fewest
from exactree.engines.numbers import (
    is_numbers,
    search_number_sizes,
    search_numbers,
    search_numbers_below,
)
from exactree.engines.running import run_native
from exactree.engines.upwards import (
    Run,
    RunBelow,
    goes_level_by_level,
    is_deep,
    level_by_level,
    sizes_upwards,
    then_few_levels,
    upwards,
)
from exactree.engines.without_depth import by_splits_of, is_sparse, search_sparse
from exactree.objectives.native import ClassWeights, CostTable, PricedRows
from exactree.problem import Found, Limits, Number, OnProgress, Problem

FEW_CLASSES = 16
# Without a limit of memory, a search that makes its partitions itself keeps to this.
GIBIBYTE = 2**30
NO_FIRST_TREE = 1 << _native.prunings().index("incumbent")


def search(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None = None,
    *,
    switches: int = 0,
    isa: str = "auto",
    below: int | None = None,
) -> Found:
    """Solve the problem, or stop at a limit with the best tree and a proved bound.

    `below` is the cost of a tree that is known, for problems with sides: if none is below it, the
    single leaf comes back, and the cost as lower bound.

    `switches` turns prunings off, and `isa` chooses the instruction set; they are for tests and
    benchmarks, and neither changes the result.
    """
    options = {"switches": switches, "isa": isa}
    if _leaves_cost_classes(problem):
        limits = replace(limits, proved=max(limits.proved, any_tree(problem)))
    searched_below: RunBelow = _search_below
    if is_numbers(problem):
        one: Run = partial(search_numbers, options=options)
        improve: Run = partial(search_numbers, options={**options, "prove": False})
        searched_below = partial(search_numbers_below, options={"switches": NO_FIRST_TREE})
    else:
        if below is not None:
            options = {**options, "upper_bound": below}
            return _search_once(problem, limits, on_progress, options)
        if problem.penalty and (is_sparse(problem) or is_deep(problem)):
            least = _conflicts(problem)
            whole = _search_priced
            found = search_fewest(whole, problem, limits, on_progress, options, equal_rows=least)
            return _with_bound(found, limits.proved)
        one = partial(_search_one, options=options)
        improve = partial(_search_one, options={**options, "prove": False})
    if is_deep(problem):
        by_splits = by_splits_of(problem, options)
        return upwards(one, problem, limits, on_progress, by_splits, switches=switches)
    if goes_level_by_level(problem, limits):
        return level_by_level(
            one, problem, limits, on_progress, improve=improve, below=searched_below
        )
    return one(problem, limits, on_progress)


def _with_bound(found: Found, proved: Number) -> Found:
    """Raise the bound to what was proved before, as not all searches do."""
    bound = min(max(found.lower_bound, proved), found.objective)
    status = "optimal" if bound == found.objective else found.status
    return replace(found, lower_bound=bound, status=status)


def _search_priced(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Found:
    """Search for a tree that its penalty limits, and no depth."""
    one = partial(_search_once, options=options)
    plain = {name: options[name] for name in ("switches", "isa")}
    if is_sparse(problem):
        sparse = partial(search_sparse, options=plain)
        found = then_few_levels(sparse, one, problem, limits, on_progress)
        if found is not None:
            return found
    if is_deep(problem):
        by_splits, switches = by_splits_of(problem, plain), plain["switches"]
        return upwards(one, problem, limits, on_progress, by_splits, switches=switches)
    return one(problem, limits, on_progress)


def search_sizes(
    problem: Problem, limits: Limits, on_progress: OnProgress | None = None
) -> list[Found]:
    """Solve the problem for every number of splits from 0 to `max_splits`.

    It takes one search if a depth limits the trees, else one for few levels and one per size.
    """
    if is_numbers(problem):
        one, every = partial(search_numbers, options={}), search_number_sizes
    else:
        options = {"switches": 0, "isa": "auto"}
        one, every = partial(_search_one, options=options), _search_every_size
    if is_deep(problem):
        by_splits = by_splits_of(problem, {})
        return sizes_upwards(one, every, problem, limits, on_progress, by_splits)
    return every(problem, limits, on_progress)


def _search_one(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Found:
    started = perf_counter()
    bound = _conflicts(problem)
    left = replace(limits, seconds=seconds_left(limits, started))
    return search_fewest(_search_once, problem, left, on_progress, options, equal_rows=bound)


def _search_once(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Found:
    found = _run(problem, limits, on_progress, sizes=False, options=options)
    return result_of(
        problem, found, objective=found.objective, bound=found.lower_bound, tree=found.tree
    )


def _search_every_size(
    problem: Problem, limits: Limits, on_progress: OnProgress | None
) -> list[Found]:
    found = _run(problem, limits, on_progress, sizes=True, options={})
    solved = zip(found.size_objectives, found.size_lower_bounds, found.size_trees, strict=True)
    return [result_of(problem, found, objective=o, bound=b, tree=t) for o, b, t in solved]


def _search_below(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, below: Number
) -> Found:
    """Bound what trees cost, up to a cost; no first tree is looked for."""
    options = {"switches": NO_FIRST_TREE, "upper_bound": int(below)}
    return _search_once(problem, limits, on_progress, options)


def _run(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    *,
    sizes: bool,
    options: dict[str, Any],
) -> Any:
    refuse_long_budget(problem, sizes=sizes)
    started = perf_counter()
    terms: dict[str, Any] = {
        **terms_of(problem, limits),
        **({} if sizes or problem.partitions is not None else start_of(limits)),
        "penalty": int(problem.penalty),
        "sizes": sizes,
        "poll": polled(on_progress),
        **options,
    }
    if "lower_bound" not in terms:
        terms["lower_bound"] = max(_conflicts(problem), int(limits.proved))
    if isinstance(problem.form, PricedRows):
        table, counts = table_of(problem, problem.form), problem.least_side.counts
        terms["time_limit"] = seconds_left(limits, started)
        if problem.partitions is None:
            return run_native(limits, "costs", (problem.columns, table, counts), terms)
        terms |= _splits_of(problem, limits)
        return run_native(limits, "mask_costs", (problem.partitions.masks, table, counts), terms)
    terms["unit"] = problem.unit
    if isinstance(problem.form, CostTable):
        priced, terms["costs"] = _priced_rows(problem, problem.form)
        terms["time_limit"] = seconds_left(limits, started)
        return run_native(limits, "columns", (problem.columns, *priced), terms)
    if problem.partitions is None and limits.known is not None and not sizes:
        terms.setdefault("upper_bound", int(limits.known) + 1)
    terms["time_limit"] = seconds_left(limits, started)
    rows = (problem.labels, problem.n_classes, problem.weights, problem.least_side.counts)
    if problem.partitions is None:
        return run_native(limits, "columns", (problem.columns, *rows), terms)
    terms |= _splits_of(problem, limits)
    return run_native(limits, "masks", (problem.partitions.masks, *rows), terms)


def _splits_of(problem: Problem, limits: Limits) -> dict[str, Any]:
    """Give the splits beside the listed ones: thresholds, and partitions that the search makes."""
    assert problem.partitions is not None
    made = [(cells.vectors, cells.rows) for cells in problem.partitions.cells]
    terms = {"ranks": problem.columns if len(problem.columns) else None, "cells": made}
    return terms | {"memory_limit": GIBIBYTE} if made and not limits.memory else terms


def table_of(problem: Problem, form: PricedRows) -> NDArray[np.int64]:
    """Give what each answer costs for every row, in units of the problem."""
    return np.ascontiguousarray(form.table[problem.targets().y] * problem.unit)


def _priced_rows(problem: Problem, form: CostTable) -> tuple[tuple[Any, ...], Any]:
    """Give the rows with the numbers of their classes in the table of costs, and the table.

    Of two classes each has one mistake, and what that costs is a weight: no table is left.
    """
    labels, table, weights = problem.targets().y.astype(np.int32), form.whole(), problem.row_costs()
    rows = (labels, len(table), weights, problem.least_side.counts)
    if len(table) == 2 and not table.diagonal().any():
        return (*rows[:2], weights * table[labels, 1 - labels], rows[3]), None
    return rows, table


def _leaves_cost_classes(problem: Problem) -> bool:
    """Tell whether some class has no leaf in any tree, or the leaves of many classes a price."""
    if problem.penalty and problem.n_classes > 2:
        return isinstance(problem.form, ClassWeights)
    splits = problem.n_rows - 1 if problem.max_splits is None else problem.max_splits
    leaves = min(2 ** min(problem.max_depth, 31), splits + 1)
    return isinstance(problem.form, ClassWeights) and leaves < problem.n_classes


def _conflicts(problem: Problem) -> int:
    if isinstance(problem.form, CostTable | PricedRows):
        return int(equal_rows_cost(problem.keys(), problem.targets(), problem.objective))
    plain = problem.weights is None and problem.n_classes <= FEW_CLASSES
    if plain and problem.points is not None:
        return problem.unit * equal_points(problem.points, problem.labels)
    return equal_rows(problem.keys(), problem.labels, problem.row_costs())
