"""The native branch and bound: `best(samples, depth, splits, budget)` over columns and sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from exactree import _native
from exactree.bounds import equal_points, equal_rows, equal_rows_cost
from exactree.engines import squares as fixed
from exactree.engines.generic import generic
from exactree.engines.upwards import (
    Run,
    enough_levels,
    is_deep,
    sizes_upwards,
    then_few_levels,
    upwards,
)
from exactree.memory import default_limit
from exactree.objectives import CostMatrix, MisclassificationError
from exactree.problem import Cut, Limits, OnProgress, Part, Problem, Progress, Result, Status
from exactree.tree import Leaf, Node, Split, Tree

MAX_BUDGET = 31
FEW_CLASSES = 16
# What a search without depth looks at: so many binary columns, or triples of thresholds times rows.
MAX_BINARY = 5000
MAX_TRIPLES = 10**12
# How often a regression problem is looked at again with finer steps.
MAX_PASSES = 4
# Without a limit of memory, a search that makes its partitions itself keeps to this.
GIBIBYTE = 2**30


def search(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None = None,
    *,
    switches: int = 0,
    isa: str = "auto",
    below: int | None = None,
) -> Result:
    """Solve the problem, or stop at a limit with the best tree and a proved bound.

    `below` is the cost of a tree that is known, for problems with sides: if none is below it, the
    single leaf comes back, and the cost as lower bound.

    `switches` turns prunings off, and `isa` chooses the instruction set; they are for tests and
    benchmarks, and neither changes the result.
    """
    options = {"switches": switches, "isa": isa}
    if fixed.is_squared(problem):
        one: Run = partial(_search_squares, options=options)
    else:
        if below is not None:
            options = {**options, "upper_bound": below}
            return _search_one(problem, limits, on_progress, options)
        one = partial(_search_one, options=options)
        if _is_sparse(problem):
            sparse = partial(_search_sparse, options=options)
            found = then_few_levels(sparse, one, problem, limits, on_progress)
            if found is not None:
                return found
    if is_deep(problem):
        return upwards(one, problem, limits, on_progress)
    return one(problem, limits, on_progress)


def search_sizes(
    problem: Problem, limits: Limits, on_progress: OnProgress | None = None
) -> list[Result]:
    """Solve the problem for every number of splits from 0 to `max_splits`.

    It takes one search if a depth limits the trees, else one for few levels and one per size.
    """
    if fixed.is_squared(problem):
        one, every = partial(_search_squares, options={}), _search_squared_sizes
    else:
        options = {"switches": 0, "isa": "auto"}
        one, every = partial(_search_one, options=options), _search_every_size
    if is_deep(problem):
        return sizes_upwards(one, every, problem, limits, on_progress)
    return every(problem, limits, on_progress)


def _search_one(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Result:
    found = _run(problem, limits, on_progress, sizes=False, options=options)
    return _result(
        problem, found, objective=found.objective, bound=found.lower_bound, tree=found.tree
    )


def _search_every_size(
    problem: Problem, limits: Limits, on_progress: OnProgress | None
) -> list[Result]:
    found = _run(problem, limits, on_progress, sizes=True, options={})
    solved = zip(found.size_objectives, found.size_lower_bounds, found.size_trees, strict=True)
    return [_result(problem, found, objective=o, bound=b, tree=t) for o, b, t in solved]


def _search_sparse(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Result | None:
    """Search few thresholds for a tree that only a penalty limits.

    None: its weights are too large, or its tree would be too deep.
    """
    found: Any = _native.search_sparse(
        problem.columns,
        problem.labels,
        problem.n_classes,
        problem.weights,
        max_depth=problem.max_depth,
        unit=problem.unit,
        penalty=int(problem.penalty),
        time_limit=limits.seconds,
        memory_limit=limits.memory,
        poll=_poll(on_progress),
        **options,
    )
    if found is None:
        return None
    return _result(
        problem, found, objective=found.objective, bound=found.lower_bound, tree=found.tree
    )


def _is_sparse(problem: Problem) -> bool:
    """Tell whether a penalty is all that limits the tree, and there are few thresholds."""
    if not problem.penalty or problem.max_splits is not None or problem.min_rows > 1:
        return False
    if problem.sides is not None or type(problem.objective) is not MisclassificationError:
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


def _poll(on_progress: OnProgress | None) -> Any:
    """Give the native search something to call, if there is anybody to show it to."""
    if on_progress is None:
        return None

    def poll(seconds: float, objective: int, lower_bound: int) -> None:
        on_progress(Progress(seconds, objective, lower_bound))

    return poll


def _run(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    *,
    sizes: bool,
    options: dict[str, Any],
) -> Any:
    _refuse_long_budget(problem, sizes=sizes)
    started = perf_counter()
    terms: dict[str, Any] = {
        **_terms(problem, limits),
        "unit": problem.unit,
        "penalty": int(problem.penalty),
        "sizes": sizes,
        "lower_bound": _conflicts(problem),
        "poll": _poll(on_progress),
        **options,
    }
    if isinstance(problem.objective, CostMatrix):
        priced = _priced_rows(problem, terms)
        terms["time_limit"] = _seconds_left(limits, started)
        return _native.search_columns(problem.columns, *priced, **terms)
    terms["time_limit"] = _seconds_left(limits, started)
    rows = (problem.labels, problem.n_classes, problem.weights, problem.counts)
    if problem.sides is None:
        return _native.search_columns(problem.columns, *rows, **terms)
    ranks = problem.columns if len(problem.columns) else None
    cells = [(cells.vectors, cells.rows) for cells in problem.sides.cells]
    if cells and not limits.memory:
        terms["memory_limit"] = GIBIBYTE
    return _native.search_masks(problem.sides.masks, *rows, ranks=ranks, cells=cells, **terms)


def _priced_rows(problem: Problem, terms: dict[str, Any]) -> tuple[Any, ...]:
    """Give the rows with the numbers of their classes in the table of costs, and the table."""
    table = problem.objective.matrix(np.int64)  # type: ignore[attr-defined]
    terms["costs"] = np.ascontiguousarray(table)
    return problem.targets().y.astype(np.int32), len(table), problem.row_costs(), problem.counts


def _conflicts(problem: Problem) -> int:
    if isinstance(problem.objective, CostMatrix):
        return int(equal_rows_cost(problem.keys(), problem.targets(), problem.objective))
    plain = problem.weights is None and problem.n_classes <= FEW_CLASSES
    if plain and problem.points is not None:
        return problem.unit * equal_points(problem.points, problem.labels)
    return equal_rows(problem.keys(), problem.labels, problem.row_costs())


def _terms(problem: Problem, limits: Limits) -> dict[str, Any]:
    """Name the budgets and limits as the native module does."""
    return {
        "max_depth": problem.max_depth,
        "max_splits": -1 if problem.max_splits is None else problem.max_splits,
        "min_rows": problem.min_rows,
        "time_limit": limits.seconds,
        "memory_limit": limits.memory or default_limit(),
        "threads": limits.threads,
    }


def _seconds_left(limits: Limits, started: float) -> float:
    """Count what was done before the native search against the limit."""
    return max(limits.seconds - (perf_counter() - started), 0.0)


def _search_squares(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, options: dict[str, Any]
) -> Result:
    """Solve for squared error in whole numbers; again with finer steps if few digits are left."""
    _refuse_long_budget(problem, sizes=False)
    start, given = perf_counter(), problem.targets()
    squares = fixed.whole_squares(problem, given.y)
    best = _pass(problem, squares, limits, on_progress, options)[0]
    for _ in range(MAX_PASSES - 1):
        if best.status != "optimal" or not best.gap:
            return best
        before = best.objective
        y = fixed.without_gaps(given.y, given.weights, float(before))
        squares = fixed.whole_squares(problem, y, shortened=True)
        left = _what_is_left(limits, start)
        best = _combined(_pass(problem, squares, left, on_progress, options)[0], best)
        if best.objective == before:
            break
    if best.status != "optimal" or not best.gap:
        return best
    return _in_numpy(problem, best, _what_is_left(limits, start), on_progress)


def _what_is_left(limits: Limits, start: float) -> Limits:
    return replace(limits, seconds=_seconds_left(limits, start))


def _in_numpy(
    problem: Problem, best: Result, limits: Limits, on_progress: OnProgress | None
) -> Result:
    """Leave what whole numbers cannot prove to the other engine, and say so."""
    found = _combined(generic(problem, limits, on_progress), best)
    return replace(found, stats={**best.stats, "finished_in_numpy": 1})


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
    if found.status != "optimal" or not fixed.is_optimal(float(cost), float(found.lower_bound)):
        return found
    history = (*found.history[:-1], (found.history[-1][0], cost, cost)) if found.history else ()
    return replace(found, lower_bound=cost, gap=cost - cost, history=history)


def _search_squared_sizes(
    problem: Problem, limits: Limits, on_progress: OnProgress | None
) -> list[Result]:
    """Solve for squared error and every size; those of few digits once more, by themselves."""
    _refuse_long_budget(problem, sizes=True)
    start = perf_counter()
    squares = fixed.whole_squares(problem, problem.targets().y)
    found = _pass(problem, squares, limits, on_progress, {"sizes": True})
    for k, result in enumerate(found):
        if result.status != "optimal" or not result.gap:
            continue
        left = _what_is_left(limits, start)
        finer = _search_squares(replace(problem, max_splits=k), left, on_progress, {})
        found[k] = _combined(finer, result)
    return found


def _pass(
    problem: Problem,
    squares: fixed.Squares,
    limits: Limits,
    on_progress: OnProgress | None,
    options: dict[str, Any],
) -> list[Result]:
    """Search once; one result, or with the option `sizes` one for every number of splits."""

    def poll(seconds: float, objective: int, lower_bound: int) -> None:
        if on_progress is not None:
            worth = squares.worth(objective), squares.worth(lower_bound)
            on_progress(Progress(seconds, *worth))

    started = perf_counter()
    bound = fixed.equal_rows_units(problem, squares)
    terms = {**_terms(problem, limits), "time_limit": _seconds_left(limits, started)}
    found: Any = _native.search_squares(
        problem.columns,
        squares.sums,
        squares.weights,
        problem.counts,
        shift=squares.shift,
        penalty=squares.units(problem.penalty),
        lower_bound=bound,
        poll=poll if on_progress else None,
        **terms,
        **options,
    )
    solved = zip(found.size_objectives, found.size_lower_bounds, found.size_trees, strict=True)
    return [
        _squared_result(problem, squares, found, proved=o == b, units=b, tree=_translated(t))
        for o, b, t in solved
    ]


def _squared_result(
    problem: Problem, squares: fixed.Squares, found: Any, *, proved: bool, units: int, tree: Tree
) -> Result:
    """Cost the tree anew; "optimal" with a gap means that rounding may hide a better one."""
    objective = fixed.loss(problem, tree)
    bound = min(squares.least_cost(units), objective)
    history = [
        (seconds, squares.worth(cost), squares.worth(low)) for seconds, cost, low in found.history
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
            stats=_stats(found),
            history=tuple(history),
        )
    )


def _stats(found: Any) -> dict[str, Any]:
    """Name what was counted; `threads` took part, which may be fewer than were asked for."""
    return {
        "seconds": found.seconds,
        "peak_bytes": found.peak_bytes,
        "threads": found.threads,
        **found.counters,
    }


def _refuse_long_budget(problem: Problem, *, sizes: bool) -> None:
    if problem.max_splits is None or problem.max_splits <= MAX_BUDGET:
        return
    room = min(problem.n_rows - 1, 2**problem.max_depth - 1)
    if sizes or problem.max_splits < room:  # else it limits nothing
        raise ValueError(
            f"max_splits={problem.max_splits} is more than this engine can budget, which is "
            f"{MAX_BUDGET}: lower it, or limit the tree by max_depth or penalty alone"
        )


def _result(problem: Problem, found: Any, *, objective: int, bound: int, tree: Any) -> Result:
    parts = [Part(source, tuple(left)) for source, left in found.parts]
    # A search for all sizes may stop after it has proved some of them.
    status: Status = "optimal" if bound == objective else found.status
    return Result(
        status=status,
        space=problem.space,
        objective=objective,
        lower_bound=bound,
        gap=objective - bound,
        tree=_translated(
            tree, 0 if problem.sides is None else len(problem.sides), len(problem.columns), parts
        ),
        stats=_stats(found),
        history=tuple(found.history),
    )


def _translated(
    lists: dict[str, list[int]], sides: int = 0, columns: int = 0, parts: Sequence[Part] = ()
) -> Tree:
    """Turn the lists in preorder into a tree; children come after their parent, so backwards.

    Splits below `sides` are listed partitions, then come columns, then the `parts`.
    """

    def split(number: int, low: int, high: int) -> Split:
        if number < sides:
            return Part(number)
        if parts and number >= sides + columns:
            return parts[number - sides - columns]
        return Cut(number - sides, low, high)

    names = ("feature", "low", "high", "left", "right", "label")
    feature, low, high, left, right, label = (lists[name] for name in names)
    built: list[Tree] = [Leaf(0)] * len(feature)
    for i in reversed(range(len(feature))):
        if feature[i] < 0:
            built[i] = Leaf(label[i])
        else:
            cut = split(feature[i], low[i], high[i])
            built[i] = Node(cut, built[left[i]], built[right[i]])
    return built[0]
