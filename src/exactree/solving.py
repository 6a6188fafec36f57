"""solve(): data to Problem, Problem to engine, and the engine's answer back to the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs, tree
from exactree.bounds import useful_splits
from exactree.engines import as_engine, search_sizes
from exactree.objectives import Objective, as_objective
from exactree.problem import Limits, Number, OnProgress, Problem, Progress, Ranks, Result
from exactree.rows import Rows, canonical_rows
from exactree.splits import Sources, SplitFamily, as_family
from exactree.tree import Leaf, Node, Tree
from exactree.weights import (
    IntegerWeights,
    balanced,
    integer_weights,
    penalty_units,
    with_class_weights,
)

TASKS = ("classification",)


@dataclass(frozen=True, eq=False)
class Data:
    """The user's rows that count, with integer weights (None: all one)."""

    X: NDArray[np.float64]
    labels: Ranks
    weights: NDArray[np.int64] | None
    scale: Fraction
    classes: NDArray[Any]
    feature_names: tuple[str, ...] | None


@dataclass(frozen=True)
class Budgets:
    """What limits the tree, as the user gave it."""

    max_depth: int | None
    max_splits: int | None
    min_samples_leaf: int
    penalty: Fraction
    min_weight: Fraction = Fraction(0)


def solve(
    X: Any,
    y: Any,
    *,
    task: str = "classification",
    splits: SplitFamily | str = "axis",
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
        One label per row.
    task : str
        "classification".
    splits : str or split family
        Which splits a tree may use: "axis".
    max_depth, max_splits : int or None
        At most so many splits on a path, and in all. Without either, give a `penalty`.
    min_samples_leaf : int
        At least so many rows (not weight) on each side of every split.
    min_weight_fraction_leaf : float
        At least this share of the total weight on each side of every split.
    penalty : float
        Cost of a split as a share of the total weight.
    objective : Objective, str or None
        The loss; None is the weight of the misclassified rows.
    sample_weight : array or None
        Weight of each row; a row of weight 2 counts as two rows, one of weight 0 is left out.
    class_weight : dict, "balanced" or None
        Factor for the weights of each class; "balanced" gives all classes the same total.
    time_limit, memory_limit : float, int or None
        Stop after so many seconds, or at so many bytes, with the best tree so far.
    n_jobs : int or None
        Threads, as in joblib; the tree does not depend on it.
    engine : str
        "auto", "search" or "brute_force"; all are exact.
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
    chosen = as_engine(engine)
    family, loss = as_family(splits), as_objective(objective, read_task(task))
    budgets = replace(
        read_budgets(max_depth, max_splits, min_samples_leaf, penalty),
        min_weight=inputs.read_share("min_weight_fraction_leaf", min_weight_fraction_leaf),
    )
    limits = read_limits(time_limit, memory_limit, n_jobs)
    data = read_data(X, y, sample_weight, class_weight)
    sources = family.sources(data.X)
    problem = make_problem(data, sources, budgets, loss, family.words)
    found = chosen(problem, _what_is_left(limits, start), _priced(problem, on_progress))
    return translated(found, problem, data, sources, started=start)


def solve_sizes(
    X: Any,
    y: Any,
    *,
    max_splits: int,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    sample_weight: Any = None,
    class_weight: Any = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    on_progress: OnProgress | None = None,
) -> list[Result]:
    """Solve for every number of splits 0, 1, ..., `max_splits` in one search.

    The other parameters are those of `solve`; the k-th result is that of `solve` with `max_splits`
    = k.
    """
    start = perf_counter()
    budgets = read_budgets(
        max_depth, inputs.read_count("max_splits", max_splits, 0), min_samples_leaf, 0.0
    )
    limits = read_limits(time_limit, memory_limit, n_jobs)
    data = read_data(X, y, sample_weight, class_weight)
    family = as_family("axis")
    sources = family.sources(data.X)
    problem = make_problem(data, sources, budgets, as_objective(None), family.words)
    most = min(max_splits, problem.n_rows - 1, 2**problem.max_depth - 1)
    sized = replace(problem, max_splits=most)
    found = search_sizes(sized, _what_is_left(limits, start), _priced(problem, on_progress))
    # More splits than rows or depth allow change nothing.
    found += [found[-1]] * (max_splits - most)
    return [
        translated(
            replace(result, space=in_words(replace(budgets, max_splits=k), family.words)),
            problem,
            data,
            sources,
            started=start,
        )
        for k, result in enumerate(found)
    ]


def _what_is_left(limits: Limits, started: float) -> Limits:
    """Count the preparation against the time limit."""
    return replace(limits, seconds=max(limits.seconds - (perf_counter() - started), 0.0))


def read_limits(time_limit: Any, memory_limit: Any, n_jobs: Any) -> Limits:
    """Check the limits one by one.

    >>> read_limits(2.5, None, None)
    Limits(seconds=2.5, memory=0, threads=1)
    """
    return Limits(
        inputs.read_seconds(time_limit),
        inputs.read_bytes(memory_limit),
        inputs.read_threads(n_jobs),
    )


def read_task(task: str) -> str:
    """Refuse an unknown task.

    >>> read_task("ranking")
    Traceback (most recent call last):
    ...
    ValueError: task='ranking' is unknown: choose one of 'classification'
    """
    if task not in TASKS:
        raise ValueError(f"task={task!r} is unknown: choose one of {', '.join(map(repr, TASKS))}")
    return task


def read_budgets(max_depth: Any, max_splits: Any, min_samples_leaf: Any, penalty: Any) -> Budgets:
    """Check the budgets one by one, and that there is one.

    >>> read_budgets(None, None, 1, 0.0)
    Traceback (most recent call last):
    ...
    ValueError: nothing limits the tree: give max_depth, max_splits or a penalty above 0
    """
    found = Budgets(
        inputs.read_budget("max_depth", max_depth),
        inputs.read_budget("max_splits", max_splits),
        inputs.read_count("min_samples_leaf", min_samples_leaf, 1),
        inputs.read_penalty(penalty),
    )
    if found.max_depth is None and found.max_splits is None and not found.penalty:
        raise ValueError("nothing limits the tree: give max_depth, max_splits or a penalty above 0")
    return found


def read_data(X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Data:
    """Read rows, labels and weights; rows of no weight are dropped."""
    values, names = inputs.read_matrix(X)
    classes, numbers = inputs.read_labels(y, len(values))
    floats = inputs.read_weights(sample_weight, len(values))
    factors = inputs.read_class_weight(class_weight, classes)
    labels = numbers.astype(np.int32)
    if floats is None and factors is None:
        return Data(values, labels, None, Fraction(1), classes, names)
    weights = _weights(floats, numbers, factors)
    kept = weights.values > 0
    if not kept.any():
        raise ValueError("class_weight and sample_weight leave no row any weight: raise some")
    return Data(values[kept], labels[kept], weights.values[kept], weights.scale, classes, names)


def _weights(
    floats: NDArray[np.float64] | None,
    labels: NDArray[np.intp],
    factors: dict[int, Fraction] | str | None,
) -> IntegerWeights:
    weights = integer_weights(np.ones(len(labels)) if floats is None else floats)
    if factors is None:
        return weights
    if isinstance(factors, str):
        factors = balanced(weights.values, labels)
    return with_class_weights(weights, labels, factors)


def make_problem(
    data: Data, sources: Sources, budgets: Budgets, objective: Objective, words: str
) -> Problem:
    """Put together what an engine may look at."""
    present, labels = _renumbered(data.labels, len(data.classes))
    rows = canonical_rows(sources.columns, labels, data.weights, budgets.min_samples_leaf)
    factor, penalty = penalty_units(budgets.penalty, rows.total) if budgets.penalty else (1, 0)
    weights = None if rows.weights is None else rows.weights * factor
    class_totals = np.zeros(len(present), dtype=np.int64)
    np.add.at(class_totals, rows.labels, factor if weights is None else weights)
    leaf_cost = int(objective.leaf_cost(class_totals))
    max_depth, max_splits = _tightened(budgets, rows, useful_splits(leaf_cost, penalty))
    counts, min_rows = _least_side(budgets, rows)
    return Problem(
        columns=rows.columns,
        labels=rows.labels,
        n_classes=len(present),
        weights=weights,
        counts=counts,
        unit=factor,
        # A penalty beyond the leaf's cost forbids all splits, and the depth is 0 then.
        penalty=min(penalty, factor * rows.total),
        objective=objective,
        max_depth=max_depth,
        max_splits=max_splits,
        min_rows=min_rows,
        scale=data.scale * rows.common / factor,
        space=in_words(budgets, words),
    )


def _renumbered(labels: Ranks, n_classes: int) -> tuple[NDArray[np.intp], Ranks]:
    """Number the classes that occur from 0, in the same order."""
    present = np.flatnonzero(np.bincount(labels, minlength=n_classes))
    if len(present) == n_classes:
        return present, labels
    return present, np.searchsorted(present, labels).astype(np.int32)


def _tightened(budgets: Budgets, rows: Rows, useful: int | None) -> tuple[int, int | None]:
    """Give budgets of depth and splits that exclude no tree but hopeless ones.

    n rows take n - 1 splits at most; a tree of depth d has at most 2^d - 1, and one of k splits has
    at most depth k, so a budget of splits that cannot bind is dropped.
    """
    most = len(rows.labels) - 1 if useful is None else min(len(rows.labels) - 1, useful)
    splits = most if budgets.max_splits is None else min(budgets.max_splits, most)
    depth = splits if budgets.max_depth is None else min(budgets.max_depth, splits)
    if budgets.max_splits is None or splits == most or splits >= 2**depth - 1:
        return depth, None
    return depth, splits


def _least_side(budgets: Budgets, rows: Rows) -> tuple[Ranks | None, int]:
    """Give what every row counts on its side of a split, and how much each side needs.

    Unit rows weigh what they count, so both limits are one; among weighted rows either rows or
    weight can be counted.
    """
    least = ceil(budgets.min_weight * rows.total)
    if rows.weights is None:
        return None, max(budgets.min_samples_leaf, least)
    if not budgets.min_weight:
        return (rows.counts if budgets.min_samples_leaf > 1 else None), budgets.min_samples_leaf
    if budgets.min_samples_leaf > 1:
        raise ValueError(
            "min_samples_leaf counts rows and min_weight_fraction_leaf counts weight, and these "
            "rows have unequal weights: give one of the two"
        )
    if rows.total >= 2**31:
        raise ValueError(
            "min_weight_fraction_leaf needs weights that are multiples of a unit with a sum below "
            "2**31 units: round sample_weight to fewer digits, for example to multiples of 2**-10"
        )
    return rows.weights.astype(np.int32), max(least, 1)


def in_words(budgets: Budgets, words: str) -> str:
    """Say which trees compete.

    >>> in_words(Budgets(3, 1, 2, Fraction(0)), "axis-parallel")
    'axis-parallel trees, depth <= 3, at most 1 split, at least 2 rows a side'
    """
    said = [f"{words} trees"]
    if budgets.max_depth is not None:
        said.append(f"depth <= {budgets.max_depth}")
    if budgets.max_splits is not None:
        said.append(f"at most {budgets.max_splits} split{'s' * (budgets.max_splits != 1)}")
    if budgets.min_samples_leaf > 1:
        said.append(f"at least {budgets.min_samples_leaf} rows a side")
    if budgets.min_weight:
        said.append(f"at least {float(budgets.min_weight):g} of the total weight a side")
    if budgets.penalty:
        said.append(f"{float(budgets.penalty):g} of the total weight per split")
    return ", ".join(said)


def _priced(problem: Problem, on_progress: OnProgress | None) -> OnProgress | None:
    """Let the user's callback see the user's units."""
    if on_progress is None:
        return None

    def show(progress: Progress) -> None:
        best, bound = int(progress.objective), int(progress.lower_bound)
        on_progress(Progress(progress.seconds, problem.price(best), problem.price(bound)))

    return show


def translated(
    found: Result, problem: Problem, data: Data, sources: Sources, *, started: float
) -> Result:
    """Turn an engine's result into the user's: splits on values, leaves with their rows, prices.

    The finished tree is run on the training data and its cost counted again, in integers: it has
    to be the objective, to the last unit.
    """
    shaped = _with_splits(found.tree, sources, np.arange(len(data.labels)))
    ends = tree.apply(shaped, data.X)
    table = np.zeros((2 * tree.size(shaped) + 1, len(data.classes)), dtype=np.int64)
    np.add.at(table, (ends, data.labels), 1 if data.weights is None else data.weights)
    _refuse_other_cost(found, problem, data, int(problem.objective.leaf_cost(table).sum()), shaped)
    filled = _with_leaves(shaped, table, np.bincount(ends, minlength=len(table)), problem, data)
    history = tuple(
        (seconds, problem.price(int(best)), problem.price(int(bound)))
        for seconds, best, bound in found.history
    )
    return replace(
        found,
        objective=problem.price(int(found.objective)),
        lower_bound=problem.price(int(found.lower_bound)),
        gap=problem.price(int(found.gap)),
        tree=filled,
        stats={**found.stats, "seconds": perf_counter() - started},
        history=history,
        classes=tuple(data.classes.tolist()),
        feature_names=data.feature_names,
    )


def _with_splits(found: Tree, sources: Sources, rows: NDArray[np.intp]) -> Tree:
    if isinstance(found, Leaf):
        return found
    left = found.split.goes_left(sources.columns[:, rows].T)
    return Node(
        sources.split(found.split, rows),  # type: ignore[arg-type]
        _with_splits(found.left, sources, rows[left]),
        _with_splits(found.right, sources, rows[~left]),
    )


def _refuse_other_cost(
    found: Result, problem: Problem, data: Data, loss: int, shaped: Tree
) -> None:
    # The table counts in the data's units, of which a unit of the problem is a part or a multiple.
    in_units = Fraction(loss) * data.scale / problem.scale
    counted = in_units + problem.penalty * tree.size(shaped)
    if counted != found.objective:
        raise RuntimeError(
            f"the tree costs {float(counted)} on the training data, the engine said "
            f"{found.objective}: please report this as a bug of exactree"
        )


def _with_leaves(
    shaped: Tree, table: NDArray[np.int64], rows: NDArray[np.intp], problem: Problem, data: Data
) -> Tree:
    """Give every leaf its class, rows, weights and loss; numbers in preorder."""
    values = problem.objective.leaf_value(table).tolist()
    costs = problem.objective.leaf_cost(table).tolist()
    whole = data.scale.denominator == 1

    def worth(units: int) -> Number:
        return units * data.scale.numerator if whole else float(units * data.scale)

    numbers = iter([i for i, node in enumerate(tree.nodes(shaped)) if isinstance(node, Leaf)])

    def filled(_: Leaf) -> Leaf:
        i = next(numbers)
        weights = tuple(worth(w) for w in table[i].tolist())
        return Leaf(values[i], int(rows[i]), weights, worth(costs[i]))

    return tree.map_leaves(filled, shaped)
