"""From data to Problem: reading, exact weights, canonical rows, budgets that can bind."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs
from exactree.bounds import useful_splits
from exactree.constraints import LeastSide
from exactree.costs import Costs, read_costs, whole_costs
from exactree.objectives import Objective, Targets
from exactree.objectives.native import is_error
from exactree.partitions import Partitions, packed
from exactree.problem import Problem, Ranks
from exactree.request import Request
from exactree.rows import Rows, canonical_rows, dense_ranks
from exactree.splits import Listing, Sources
from exactree.tables import Kind, Table, read_training
from exactree.tree import DEEPEST
from exactree.weights import (
    COST_LIMIT,
    LEAST_BITS,
    REGRESSION_BITS,
    IntegerWeights,
    balanced,
    integer_weights,
    penalty_units,
    with_class_weights,
)

# The most partitions by surfaces that are searched exactly, for one, two, three and more levels:
# that takes seconds, or a minute. Where there are more, only a local search is made. Objectives
# other than the 0-1 loss need a list.
REACH = (10**8, 10**8, 3 * 10**6, 2 * 10**5)
REACH_LISTED = (10**6, 2 * 10**4)


@dataclass(frozen=True, eq=False)
class Data:
    """The user's rows that count, with integer weights (None: all one).

    In regression the "classes" are the different targets; with costs there is one for each row, and
    a unit of weight is one of cost. X is an array of complete numbers, or a
    table.
    """

    X: Any
    labels: Ranks
    weights: NDArray[np.int64] | None
    scale: Fraction
    classes: NDArray[Any]
    feature_names: tuple[str, ...] | None
    task: str = "classification"
    costs: Costs | None = None

    @property
    def kinds(self) -> tuple[Kind, ...] | None:
        """What the columns hold, if they are not all complete numbers."""
        return self.X.kinds if isinstance(self.X, Table) else None

    @property
    def answers(self) -> NDArray[Any]:
        """What the leaves of a tree may answer."""
        return self.classes if self.costs is None else self.costs.answers

    def targets(self, *, integral: bool) -> Targets:
        """Give what an objective looks at: integer weights, or the user's own as floats."""
        weights: NDArray[Any] = self.weights if self.weights is not None else self._ones()
        if not integral:
            weights = weights * float(self.scale)
        values = np.arange(len(self.classes)) if self.task == "classification" else self.classes
        return Targets(self.labels, weights, values)

    def _ones(self) -> NDArray[np.int64]:
        return np.ones(len(self.labels), dtype=np.int64)


def read_data(X: Any, y: Any, request: Request) -> Data:
    """Read rows, labels or targets, and weights; rows of no weight are dropped."""
    task = request.task
    values, names = read_training(X, request.reading)
    classes, numbers = _read_y(y, len(values), task, request.class_weight)
    floats = inputs.read_weights(request.sample_weight, len(values))
    if floats is not None and task == "regression":
        inputs.refuse_extreme_weights(floats, classes)
    factors = inputs.read_class_weight(request.class_weight, classes)
    labels = numbers.astype(np.int32)
    if floats is None and factors is None:
        return Data(values, labels, None, Fraction(1), classes, names, task)
    weights = _weights(floats, numbers, factors, task)
    kept = weights.values > 0
    if not kept.any():
        raise ValueError("class_weight and sample_weight leave no row any weight: raise some")
    heavy = weights.values[kept]
    return Data(values[kept], labels[kept], heavy, weights.scale, classes, names, task)


def read_priced(X: Any, request: Request) -> Data:
    """Read rows and what each answer costs for them; rows of no weight are dropped."""
    values, names = read_training(X, request.reading)
    table, answers = read_costs(request.costs, len(values))
    weights = inputs.read_weights(request.sample_weight, len(values))
    if weights is not None:
        if request.min_weight_fraction_leaf:
            raise ValueError(
                "min_weight_fraction_leaf does not go with costs and sample_weight: use "
                "min_samples_leaf"
            )
        kept = weights > 0
        values, table, weights = values[kept], table[kept], weights[kept]
    costs = whole_costs(table, weights, answers)
    rows = np.arange(len(table), dtype=np.int32)
    return Data(values, rows, None, costs.unit, rows, names, costs=costs)


def _read_y(
    y: Any, n_rows: int, task: str, class_weight: Any
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Give the classes or the different targets in order, and where each row's stands."""
    if task == "classification":
        return inputs.read_labels(y, n_rows)
    if class_weight is not None:
        raise ValueError(f"class_weight={class_weight!r} is for classes: pass sample_weight")
    targets = inputs.read_targets(y, n_rows)
    axis = 0 if targets.ndim == 2 else None
    values, places = np.unique(targets, return_inverse=True, axis=axis)
    return values, places.reshape(-1)


def _weights(
    floats: NDArray[np.float64] | None,
    labels: NDArray[np.intp],
    factors: dict[int, Fraction] | str | None,
    task: str,
) -> IntegerWeights:
    kept = REGRESSION_BITS if task == "regression" else LEAST_BITS
    weights = integer_weights(np.ones(len(labels)) if floats is None else floats, kept)
    if factors is None:
        return weights
    if isinstance(factors, str):
        factors = balanced(weights.values, labels)
    return with_class_weights(weights, labels, factors)


def make_problem(
    data: Data,
    sources: Sources,
    request: Request,
    *,
    owned: bool = False,
    listing: Listing | None = None,
) -> Problem:
    """Put together what an engine may look at; `owned` asks for a list of rules with owners."""
    present, labels = _renumbered(data.labels, len(data.classes))
    keys = _keys(data.X) if sources.has_partitions else sources.columns
    counted = request.constraint is not None or request.min_samples_leaf > 1
    rows = canonical_rows(keys, labels, data.weights, counted=counted)
    problem = Problem(
        columns=np.take(sources.columns, rows.origin, axis=1),
        labels=rows.labels,
        n_classes=len(present),
        weights=rows.weights,
        objective=request.objective,
        constraint=request.constraint,
        copies=rows.counts if request.constraint is not None else None,
        least_side=_least_side(request, rows),
        scale=data.scale * rows.common,
        offset=Fraction(0) if data.costs is None else data.costs.worth_of_least(),
        values=present if data.task == "classification" else data.classes[present],
        points=rows.points,
        origin=rows.origin,
    )
    weight = rows.total if data.costs is None else data.costs.weight / data.costs.unit
    problem = _with_penalty(problem, request.penalty * weight, _most_cost(problem, rows.total))
    most = _useful_splits(problem)
    max_depth, max_splits = _tightened(request, rows, most)
    listing = listing or Listing()
    listing = replace(listing, reach=min(listing.reach, _reach(max_depth, request.objective)))
    partitions = _partitions(sources, rows, owned, listing) if max_depth else None
    space = request.in_words(sources.remark, deepest=max_depth == DEEPEST)
    if owned and partitions is not None:
        space += f", combined from {len(partitions)} rules by ancestry"
    return replace(
        problem, max_depth=max_depth, max_splits=max_splits, partitions=partitions, space=space
    )


def _keys(X: Any) -> Ranks:
    """Rank every column, so that only equal rows agree in all."""
    return X.keys() if isinstance(X, Table) else dense_ranks(X.T)


def _with_penalty(problem: Problem, penalty: Fraction, most: int) -> Problem:
    """Put in what a split costs; for integral costs, all weights are multiplied for it.

    `penalty` is in units of the weights, and no leaf costs more than `most` of them.
    """
    if not penalty:
        return problem
    if not problem.objective.integral:
        largest = Fraction(sys.float_info.max)
        return replace(problem, penalty=float(min(penalty * problem.scale, largest)))
    factor, cost = penalty_units(penalty, 1, most)
    return replace(
        problem,
        weights=None if problem.weights is None else problem.weights * factor,
        unit=factor,
        # A penalty above the cost of any leaf forbids all splits: larger ones are the same.
        penalty=min(cost, COST_LIMIT - 1),
        scale=problem.scale / factor,
    )


def _useful_splits(problem: Problem) -> int | None:
    """Bound the splits of a tree that beats the single leaf, if anything does."""
    if not problem.objective.additive:
        return None
    if not problem.penalty:
        return None
    cost = problem.objective.cost(problem.targets().merged())
    whole = int(cost) if problem.objective.integral else float(cost)
    return useful_splits(whole, problem.penalty)


def _most_cost(problem: Problem, total: int) -> int:
    """Bound integer costs, rounded up; refuse those that could reach the limit.

    That is what the engines take for infinity. The cost of the single leaf is looked at, and what
    all rows add at most where that is known: one row for each label will do for both. Errors cost
    less than the weights, which were made to fit.
    """
    objective = problem.objective
    if not objective.integral or is_error(objective):
        return total
    merged = problem.targets().merged()
    floats = Targets(merged.labels, merged.weights.astype(np.float64), merged.values)
    bound, cost = objective.influence(floats), float(objective.cost(floats))
    most = max(cost, 0.0 if bound is None else float(bound.sum()))
    if not most < COST_LIMIT:
        raise ValueError(
            f"the costs of objective {objective.name!r} times the weights add up to {most:.4g}, "
            f"and have to stay below {COST_LIMIT:.4g}, 60 bits: divide the costs by a constant, or "
            "round sample_weight to fewer digits"
        )
    return max(ceil(most), total)


def _reach(max_depth: int, objective: Objective) -> int:
    """Give how many partitions are few enough for an exact search of trees of this depth."""
    by_depth = REACH if is_error(objective) else REACH_LISTED
    return by_depth[max(min(max_depth, len(by_depth)), 1) - 1]


def _partitions(sources: Sources, rows: Rows, owned: bool, listing: Listing) -> Partitions | None:
    """List partitions of the sorted rows, so that their order does not depend on the user's.

    Ctrl-C leaves none, like a limit that has been reached.
    """
    try:
        return (sources.rules if owned else sources.partitions)(rows.origin, listing)
    except KeyboardInterrupt:
        return Partitions(packed(np.zeros((0, len(rows.labels)), dtype=bool)), complete=False)


def _renumbered(labels: Ranks, n_classes: int) -> tuple[NDArray[np.intp], Ranks]:
    """Number the classes that occur from 0, in the same order."""
    present = np.flatnonzero(np.bincount(labels, minlength=n_classes))
    if len(present) == n_classes:
        return present, labels
    return present, np.searchsorted(present, labels).astype(np.int32)


def _tightened(request: Request, rows: Rows, useful: int | None) -> tuple[int, int | None]:
    """Tighten the budgets of depth and splits, without excluding a tree that could be optimal.

    n rows take n - 1 splits at most; a tree of depth d has at most 2^d - 1, and one of k splits has
    at most depth k, so a budget of splits that cannot bind is dropped.
    """
    most = len(rows.labels) - 1 if useful is None else min(len(rows.labels) - 1, useful)
    splits = most if request.max_splits is None else min(request.max_splits, most)
    depth = splits if request.max_depth is None else min(request.max_depth, splits)
    if depth > DEEPEST and request.max_depth is not None:
        raise ValueError(f"max_depth={request.max_depth} is too deep: pass {DEEPEST} at most")
    depth = min(depth, DEEPEST)
    if request.max_splits is None or splits == most or splits >= 2**depth - 1:
        return depth, None
    return depth, splits


def _least_side(request: Request, rows: Rows) -> LeastSide:
    """Give what every row counts on its side of a split, and how much each side needs.

    Unit rows weigh what they count, so both limits are one; among weighted rows either rows or
    weight can be counted.
    """
    least = ceil(request.min_weight_fraction_leaf * rows.total)
    # No side has more rows than the native module can count.
    least_rows = min(request.min_samples_leaf, 2**31 - 1)
    if rows.weights is None:
        return LeastSide(max(least_rows, least))
    if not request.min_weight_fraction_leaf:
        return LeastSide(least_rows, rows.counts if least_rows > 1 else None)
    if request.min_samples_leaf > 1:
        raise ValueError(
            "min_samples_leaf counts rows and min_weight_fraction_leaf counts weight, and these "
            "rows have unequal weights: give one of the two"
        )
    if rows.total >= 2**31:
        raise ValueError(
            "min_weight_fraction_leaf needs weights that are multiples of a unit with a sum below "
            "2**31 units: round sample_weight to fewer digits, for example to multiples of 2**-10"
        )
    return LeastSide(max(least, 1), rows.weights.astype(np.int32))
