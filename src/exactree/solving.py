"""solve(): data to Problem, Problem to engine, and the engine's answer back to the data."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf
from time import perf_counter
from typing import Any

from exactree import parameters
from exactree.bounds import equal_rows_cost
from exactree.by_size import never_rising
from exactree.engines import (
    OVER_RULES,
    as_engine,
    for_problem,
    generic,
    is_local,
    local,
    search,
    search_sizes,
    single_leaf,
    surface_sizes,
    surfaces,
)
from exactree.interrupts import Noted, check, deferred, interruptible
from exactree.objectives import (
    MisclassificationError,
    Objective,
    as_objective,
    check_declarations,
)
from exactree.preparing import (
    Data,
    in_words,
    make_problem,
    read_budgets,
    read_data,
    read_limits,
    read_task,
)
from exactree.problem import (
    Engine,
    Limits,
    Number,
    OnProgress,
    Plane,
    Problem,
    Progress,
    Result,
)
from exactree.rare_categories import refuse_left_out, search_frequent
from exactree.splits import Listing, Sources, SplitFamily, Splits, as_family, numbers_for
from exactree.splits.binary import OtherValues
from exactree.splits.derived import table_columns
from exactree.splits.family import GIBIBYTE, SecondsLeft
from exactree.tables import Reading, Table
from exactree.translating import translated
from exactree.tree import Node, Tree, nodes

# A search that was stopped still has to write its tree down: surfaces take some milliseconds each.
FITTING_SECONDS = 0.25


def solve(
    X: Any,
    y: Any,
    *,
    task: str = "classification",
    splits: Splits = "axis",
    max_depth: int | None = None,
    max_splits: int | None = None,
    min_samples_leaf: int = 1,
    min_weight_fraction_leaf: float = 0.0,
    penalty: float = 0.0,
    objective: Objective | str | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    engine: str = "auto",
    random_state: int = 0,
    on_progress: OnProgress | None = None,
    missing: str = "split",
    categorical_features: Any = "from_dtype",
    categories: str = "equality",
) -> Result:
    """Find a tree of least loss among all trees within the budgets, with a proof.

    Trees of surfaces (hyperplanes, spheres and so on) are proved optimal where there are few
    enough of them: up to some hundred rows in a few columns. Beyond, a local search finds a good
    tree, and the result has a lower bound, which only now and then meets its objective.

    Parameters
    ----------
    X : array or data frame
        Rows by columns: numbers; in a data frame, categories, dates and durations too. Values may
        be missing. `docs/data.md` has it all.
    y : array
        One label per row, or one number in regression.
    task : str
        "classification" or "regression".
    splits : str, split family or list of these
        Which splits a tree may use: "axis" (thresholds on single columns), "binary" (columns of two
        values), "hyperplane", "sphere", "axis_quadric", "quadric" or `Polynomial(degree)` (all
        surfaces of that kind), a family of one's own, or a list of these, which are mixed.
    max_depth, max_splits : int or None
        At most so many splits on a path, and in all. Without either, give a `penalty`.
    min_samples_leaf : int
        At least so many rows (not weight) on each side of every split.
    min_weight_fraction_leaf : float
        At least this share of the total weight on each side of every split.
    penalty : float
        Cost of a split as a share of the total weight.
    objective : Objective, str or None
        The loss; None is the weight of the misclassified rows, or the squared error. Names are
        "error"; "squared_error", "absolute_error", "poisson".
    sample_weight : array or None
        Weight of each row; a row of weight 2 counts as two rows, one of weight 0 is left out.
    class_weight : dict, "balanced" or None
        Factor for the weights of each class; "balanced" gives all classes the same total.
    time_limit, memory_limit : float, int or None
        Stop after so many seconds, or at so many bytes, with the best tree so far. Without a
        limit of memory a search keeps to three quarters of what is free.
    n_jobs : int or None
        Threads, as in joblib; the tree does not depend on it.
    engine : str
        "auto", "search" (native, objectives "error" and "squared_error"), "generic" (any
        objective) or "brute_force" for the best tree of all; "size_rec", "size_vec" or
        "size_kperms" for the best combination of rules from a list (as `space` says). All are
        exact; "auto" is the fastest. "local" is not: it searches trees of surfaces and proves
        nothing beyond a simple bound; "auto" does the same where exact search is out of reach.
    random_state : int
        Where the local search over surfaces takes its random choices from. The tree depends on it,
        not on `n_jobs`. With `time_limit` that search goes on to the end of it; without, it ends
        with the status "local" after 100 rounds in a row without a better tree (1000 where rows
        times terms are at most 2000).
    on_progress : callable or None
        Called with a Progress every now and then. Ctrl-C ends the search with the best tree so far
        and the status "interrupted".
    missing : str
        "split": a missing value is an answer of its own, on either side of every threshold.
        "error": refuse missing values.
    categorical_features : str, list or None
        Which columns hold categories: "from_dtype" goes by the types of a data frame's columns; or
        names, numbers, or a truth for each column; None: none do.
    categories : str
        How categories are asked for: "equality" (is it this one?), or "subset" (is it one of
        these?), for up to 10 categories a column.

    Examples
    --------
    >>> result = solve([[1.0], [2.0], [3.0]], ["a", "b", "a"], max_depth=2, engine="brute_force")
    >>> print(result)
    optimal: objective 0, 2 splits (axis-parallel trees, depth <= 2)
    x[0] <= 1.5
    ├─ yes: a (1 row)
    └─ no: x[0] <= 2.5
       ├─ yes: b (1 row)
       └─ no: a (1 row)
    """
    start = perf_counter()
    family, loss = as_family(splits), as_objective(objective, read_task(task))
    chosen = as_engine(engine, loss)
    budgets = read_budgets(
        max_depth, max_splits, min_samples_leaf, penalty, min_weight_fraction_leaf
    )
    limits = read_limits(time_limit, memory_limit, n_jobs, random_state)
    with interruptible():
        reading = Reading(missing, categorical_features, categories)
        data = read_data(X, y, sample_weight, class_weight, task, reading)
        loss = loss.for_classes(data.classes)
        listing = _listing(limits, start, chosen, loss)

        def posed(sources: Sources) -> tuple[Problem, Sources]:
            owned = engine in OVER_RULES
            made = make_problem(
                data, sources, budgets, loss, family.words, owned=owned, listing=listing
            )
            return made, sources

        problem, sources = posed(_sources(family, data))
        chosen = for_problem(chosen, engine, problem)
        if sources.left_out and chosen is not search:
            refuse_left_out(sources, data)
        if chosen is generic:
            check_declarations(loss, data.targets(integral=loss.integral))
        show = _priced(problem, on_progress)
    with deferred() as noted:
        left = _what_is_left(limits, start)
        if problem.max_depth == 0:
            found = single_leaf(problem, "optimal")
        elif problem.sides is not None and not problem.sides.complete:
            found = single_leaf(problem, "interrupted" if left.seconds else "time_limit")
        elif sources.left_out:
            remake = lambda room: posed(table_columns(data.X, room))  # noqa: E731
            of_time = partial(_what_is_left, limits, start)
            found, problem, sources = search_frequent(problem, sources, data, remake, of_time, show)
        else:
            found = chosen(problem, left, show)
        time = _for_fitting(limits, start, found)
        found = translated(found, problem, data, sources, started=start, seconds_left=time)
        return _heard(found, noted)


def solve_sizes(
    X: Any,
    y: Any,
    *,
    max_splits: int,
    task: str = "classification",
    splits: Splits = "axis",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    min_weight_fraction_leaf: float = 0.0,
    objective: Objective | str | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
    missing: str = "split",
    categorical_features: Any = "from_dtype",
    categories: str = "equality",
) -> list[Result]:
    """Solve for every number of splits 0, 1, ..., `max_splits`, in one search where that can be.

    The other parameters are those of `solve`; the k-th result is that of `solve` with `max_splits`
    = k.
    """
    start = perf_counter()
    family, loss = as_family(splits), as_objective(objective, read_task(task))
    most = parameters.read_count("max_splits", max_splits, 0)
    budgets = read_budgets(max_depth, most, min_samples_leaf, 0.0, min_weight_fraction_leaf)
    limits = read_limits(time_limit, memory_limit, n_jobs, random_state)
    with interruptible():
        reading = Reading(missing, categorical_features, categories)
        data = read_data(X, y, sample_weight, class_weight, task, reading)
        loss = loss.for_classes(data.classes)
        sources = _sources(family, data)
        refuse_left_out(sources, data)
        listing = _listing(limits, start, as_engine("auto", loss), loss)
        problem = make_problem(data, sources, budgets, loss, family.words, listing=listing)
        most = min(most, problem.n_rows - 1, 2**problem.max_depth - 1)
        sized = replace(problem, max_splits=most)
        show = _priced(problem, on_progress)
    with deferred() as noted:
        found = _all_sizes(sized, data, limits, start, show)
        time = _for_fitting(limits, start, found[-1])
        shown = never_rising(
            [
                translated(result, problem, data, sources, started=start, seconds_left=time)
                for result in found
            ]
        )
        # More splits than the rows, the depth or the search have use for change nothing.
        shown += [shown[-1]] * (max_splits + 1 - len(shown))
        of_size = [replace(budgets, max_splits=k) for k in range(len(shown))]
        spaces = [in_words(budget, family.words, sources.remark) for budget in of_size]
        return [
            _heard(replace(result, space=space), noted)
            for result, space in zip(shown, spaces, strict=True)
        ]


def bound_and_weight(
    X: Any,
    y: Any,
    *,
    task: str = "classification",
    splits: Splits = "axis",
    min_samples_leaf: int = 1,
    min_weight_fraction_leaf: float = 0.0,
    objective: Objective | str | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
) -> tuple[Number, Number]:
    """Bound the loss of all trees by that of the groups of equal rows; and give the total weight.

    The parameters are those of `solve`.

    >>> bound_and_weight([[1.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[1, 3, 1])
    (1, 5)
    """
    family, loss = as_family(splits), as_objective(objective, read_task(task))
    budgets = read_budgets(1, None, min_samples_leaf, 0.0, min_weight_fraction_leaf)
    data = read_data(X, y, sample_weight, class_weight, task)
    loss = loss.for_classes(data.classes)
    sources = _sources(family, data)
    nothing = Listing(0, lambda: True, needed=False)
    problem = make_problem(data, sources, budgets, loss, family.words, listing=nothing)
    bound = equal_rows_cost(problem.keys(), problem.targets(), loss)
    weight = Fraction(int(problem.row_costs().sum())) * problem.scale
    total = int(weight) if weight.denominator == 1 else float(weight)
    return problem.price(bound), total


def _sources(family: SplitFamily, data: Data) -> Sources:
    """Ask the family, which does not know the names of the columns."""
    X = data.X
    if isinstance(X, Table) and not getattr(family, "reads_tables", False):
        X = numbers_for(family, X)
    try:
        return family.sources(X)
    except OtherValues as error:
        raise error.named(data.feature_names) from None


def _all_sizes(
    problem: Problem, data: Data, limits: Limits, started: float, show: OnProgress | None
) -> list[Result]:
    """Run the native search once, or an engine that knows one size at a time for each."""
    left = _what_is_left(limits, started)
    sizes = range(1 + (problem.max_splits or 0))
    if problem.sides is not None and not problem.sides.complete:
        return [single_leaf(problem, "interrupted" if left.seconds else "time_limit")] * len(sizes)
    if not problem.max_splits:
        return [single_leaf(problem, "optimal")]
    engine = for_problem(as_engine("auto", problem.objective), "auto", problem)
    if engine is search:
        return search_sizes(problem, left, show)
    if engine is surfaces:
        return surface_sizes(problem, left, show)
    if engine is generic:
        check_declarations(problem.objective, data.targets(integral=problem.objective.integral))
    found = [single_leaf(replace(problem, max_splits=0), "optimal")]
    for k in sizes[1:]:
        seconds = _what_is_left(limits, started).seconds / (len(sizes) - k)
        found.append(engine(replace(problem, max_splits=k), replace(limits, seconds=seconds), show))
        if found[-1].status == "interrupted":
            # What is proved of some splits is not of more; `never_rising` passes the tree on.
            return found + [single_leaf(problem, "interrupted")] * (len(sizes) - len(found))
    return found


def _heard(result: Result, noted: Noted) -> Result:
    """Say that Ctrl-C came, if it came while the tree was written down, unless it is proved."""
    if not noted.pending or result.status == "optimal":
        return result
    return replace(result, status="interrupted")


def _what_is_left(limits: Limits, started: float) -> Limits:
    """Count the preparation against the time limit."""
    return replace(limits, seconds=max(limits.seconds - (perf_counter() - started), 0.0))


def _for_fitting(limits: Limits, started: float, found: Result) -> SecondsLeft:
    """Give the splits of a tree what is left of the time, or some of their own if it is over."""
    now = perf_counter()
    if _has_planes(found.tree):  # which are splits already, if not of widest margin
        return lambda: started + limits.seconds - perf_counter()
    over = found.status in ("time_limit", "interrupted")
    end = now + FITTING_SECONDS if over else max(started + limits.seconds, now + FITTING_SECONDS)
    return lambda: end - perf_counter()


def _has_planes(found: Tree) -> bool:
    return any(isinstance(node, Node) and isinstance(node.split, Plane) for node in nodes(found))


def _listing(limits: Limits, started: float, engine: Engine, loss: Objective) -> Listing:
    """Let the listing of partitions keep to the limits; without one of memory, to a gibibyte."""
    return Listing(
        limits.memory or GIBIBYTE,
        lambda: perf_counter() - started >= limits.seconds,
        needed=engine not in (search, local) or not is_local(loss),
        listed=type(loss) is not MisclassificationError,
        reach=0 if engine is local else inf,
    )


def _priced(problem: Problem, on_progress: OnProgress | None) -> OnProgress:
    """Let the user's callback see the user's units. It is a search's poll: Ctrl-C ends it here."""
    if on_progress is not None and not callable(on_progress):
        raise ValueError(f"on_progress={on_progress!r}: pass a function of a Progress, or None")

    def show(progress: Progress) -> None:
        check()
        if on_progress is not None:
            best, bound = problem.price(progress.objective), problem.price(progress.lower_bound)
            on_progress(Progress(progress.seconds, best, bound))

    return show
