"""solve(): data to Problem, Problem to engine, and the engine's answer back to the data."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import parameters
from exactree.by_size import never_rising
from exactree.engines import (
    OVER_RULES,
    as_engine,
    for_problem,
    generic,
    search,
    search_sizes,
    single_leaf,
)
from exactree.falling_back import by_thresholds
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
from exactree.problem import Engine, Limits, OnProgress, Problem, Progress, Result, Status
from exactree.recounting import counter
from exactree.routing import ends
from exactree.splits import Listing, Sources, SplitFamily, Splits, as_family
from exactree.splits.binary import OtherValues
from exactree.splits.family import GIBIBYTE, SecondsLeft, no_limit
from exactree.tree import Leaf, Node, Split, Tree

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
    on_progress: OnProgress | None = None,
) -> Result:
    """Find a tree of least loss among all trees within the budgets, with a proof.

    Parameters
    ----------
    X : array or data frame
        Rows by columns, finite numbers.
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
        exact; "auto" is the fastest.
    on_progress : callable or None
        Called with a Progress every now and then. Ctrl-C ends the search with the best tree so far
        and the status "interrupted".

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
    limits = read_limits(time_limit, memory_limit, n_jobs)
    with interruptible():
        data = read_data(X, y, sample_weight, class_weight, task)
        loss = loss.for_classes(data.classes)
        sources = _sources(family, data)
        problem = make_problem(
            data,
            sources,
            budgets,
            loss,
            family.words,
            owned=engine in OVER_RULES,
            listing=_listing(limits, start, chosen, loss),
        )
        chosen = for_problem(chosen, engine, problem)
        if chosen is generic:
            check_declarations(loss, data.targets(integral=loss.integral))
        show = _priced(problem, on_progress)
    with deferred() as noted:
        left = _what_is_left(limits, start)
        if problem.max_depth == 0:
            found = single_leaf(problem, "optimal")
        elif problem.sides is not None and not problem.sides.complete:
            found = single_leaf(problem, "interrupted" if left.seconds else "time_limit")
        else:
            found = chosen(problem, left, show)
        if engine not in OVER_RULES:
            found, problem, sources = by_thresholds(found, problem, data, sources)
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
    on_progress: OnProgress | None = None,
) -> list[Result]:
    """Solve for every number of splits 0, 1, ..., `max_splits`, in one search where that can be.

    The other parameters are those of `solve`; the k-th result is that of `solve` with `max_splits`
    = k.
    """
    start = perf_counter()
    family, loss = as_family(splits), as_objective(objective, read_task(task))
    most = parameters.read_count("max_splits", max_splits, 0)
    budgets = read_budgets(max_depth, most, min_samples_leaf, 0.0, min_weight_fraction_leaf)
    limits = read_limits(time_limit, memory_limit, n_jobs)
    with interruptible():
        data = read_data(X, y, sample_weight, class_weight, task)
        loss = loss.for_classes(data.classes)
        sources = _sources(family, data)
        listing = _listing(limits, start, as_engine("auto", loss), loss)
        problem = make_problem(data, sources, budgets, loss, family.words, listing=listing)
        most = min(most, problem.n_rows - 1, 2**problem.max_depth - 1)
        sized = replace(problem, max_splits=most)
        show = _priced(problem, on_progress)
    with deferred() as noted:
        found = _all_sizes(sized, data, limits, start, show)
        time = _for_fitting(limits, start, found[-1])
        ways = (
            by_thresholds(result, replace(problem, max_splits=k), data, sources, 1 / len(found))
            for k, result in enumerate(found)
        )
        shown = never_rising(
            [
                translated(result, problem_of, data, sources_of, started=start, seconds_left=time)
                for result, problem_of, sources_of in ways
            ]
        )
        # More splits than the rows, the depth or the search have use for change nothing.
        shown += [shown[-1]] * (max_splits + 1 - len(shown))
        spaces = [in_words(replace(budgets, max_splits=k), family.words) for k in range(len(shown))]
        return [
            _heard(replace(result, space=space), noted)
            for result, space in zip(shown, spaces, strict=True)
        ]


def _sources(family: SplitFamily, data: Data) -> Sources:
    """Ask the family, which does not know the names of the columns."""
    try:
        return family.sources(data.X)
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
    over = found.status in ("time_limit", "interrupted")
    end = now + FITTING_SECONDS if over else max(started + limits.seconds, now + FITTING_SECONDS)
    return lambda: end - perf_counter()


def _listing(limits: Limits, started: float, engine: Engine, loss: Objective) -> Listing:
    """Let the listing of partitions keep to the limits; without one of memory, to a gibibyte."""
    return Listing(
        limits.memory or GIBIBYTE,
        lambda: perf_counter() - started >= limits.seconds,
        needed=engine is not search or type(loss) is not MisclassificationError,
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


def translated(
    found: Result,
    problem: Problem,
    data: Data,
    sources: Sources,
    *,
    started: float,
    seconds_left: SecondsLeft = no_limit,
) -> Result:
    """Turn an engine's result into the user's: splits on values, leaves with their rows, prices.

    The finished tree is run on the training data and its cost counted again: it has to be the
    objective, to the last unit where costs are integers. Where there is no time for a split to be
    fitted, the tree ends.
    """
    fitting = _Fitting(problem, sources, seconds_left)
    shaped = _known(found.tree, sources)
    if shaped is None:
        shaped = fitting.fitted(found.tree, np.arange(problem.n_rows))
    filled, cost = counter(problem, data, ends(shaped, data.X)).fill(shaped)
    if fitting.stopped is not None and cost > found.objective:
        gap = cost - found.lower_bound
        found = replace(found, status=fitting.stopped, objective=cost, gap=gap)
    _refuse_other_cost(found, problem, cost)
    history = tuple(
        (seconds, problem.price(best), problem.price(bound))
        for seconds, best, bound in found.history
    )
    return replace(
        found,
        objective=problem.price(found.objective),
        lower_bound=problem.price(found.lower_bound),
        gap=problem.price(found.gap),
        tree=filled,
        stats={**found.stats, "seconds": perf_counter() - started},
        history=history,
        classes=tuple(data.classes.tolist()) if data.task == "classification" else (),
        feature_names=data.feature_names,
    )


def _known(found: Tree, sources: Sources) -> Tree | None:
    """Write down the splits if the engine's answer is enough for all of them."""
    if isinstance(found, Leaf):
        return found
    split = sources.known(found.split)
    left = None if split is None else _known(found.left, sources)
    right = None if left is None else _known(found.right, sources)
    return None if split is None or left is None or right is None else Node(split, left, right)


class _Fitting:
    """Writes the splits of an engine's tree down, until there is no time left or Ctrl-C comes."""

    def __init__(self, problem: Problem, sources: Sources, seconds_left: SecondsLeft) -> None:
        self.problem, self.sources, self.seconds_left = problem, sources, seconds_left
        self.stopped: Status | None = None

    def fitted(self, found: Tree, rows: NDArray[np.intp]) -> Tree:
        """Give the tree with the user's splits; it ends where a split was not fitted."""
        if isinstance(found, Leaf):
            return found
        left = self.problem.goes_left(found.split, rows)
        split = self._split(found.split, rows, left)
        if split is None:
            return Leaf(0)
        return Node(
            split, self.fitted(found.left, rows[left]), self.fitted(found.right, rows[~left])
        )

    def _split(self, cut: Split, rows: NDArray[np.intp], left: NDArray[np.bool_]) -> Split | None:
        assert self.problem.origin is not None
        if self.stopped is None:
            try:
                with interruptible():
                    origin = self.problem.origin[rows]
                    return self.sources.split(cut, origin, left, self.seconds_left)
            except TimeoutError:
                self.stopped = "time_limit"
            except KeyboardInterrupt:
                self.stopped = "interrupted"
        return None


def _refuse_other_cost(found: Result, problem: Problem, counted: Fraction | float) -> None:
    # Sums of floats in another order differ in their last digits.
    slack = 0.0 if problem.objective.integral else 1e-9 * max(abs(float(counted)), _tiny(problem))
    if abs(counted - found.objective) > slack:
        raise RuntimeError(
            f"the tree costs {float(counted)} on the training data, the engine said "
            f"{found.objective}: please report this as a bug of exactree"
        )


def _tiny(problem: Problem) -> float:
    """Give a cost that is nothing beside that of the single leaf."""
    return 1e-12 * abs(float(problem.objective.cost(problem.targets())))
