"""The scheme E(f, g): what a leaf costs, how costs combine, what licenses a pruning.

`leaf_cost` is f, `combine` is g. Every row has statistics that add up over the rows of a leaf, and
`leaf_cost` sees nothing else, for many candidate leaves at once.

Always asked, and checked: costs are finite and not negative; combine is non-decreasing in both
arguments, and combine(0, 0) is not negative. Properties are promises on top of that; a pruning asks
for those it needs, and `check_declarations` tries them on the data before a search:

    additive       combine is the sum
    dominates      combine gives no less than either argument
    integral       integer weights give integer costs, so "optimal" is bound equal to objective
    monotone       more samples never cost less (without it the subset bound fails)
    superadditive  two sets of samples cost no more in two leaves than in one
    influence      what each sample adds at most to the cost of a leaf
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.native import NativeForm

Values = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Targets:
    """What an objective knows of some rows.

    Parameters
    ----------
    labels : (n,) ints
        For every row, where its target stands in `values`.
    weights : (n,) ints or floats
        The weight of every row, positive.
    values : (V,) array
        The targets that occur in the problem, in order; in classification the class numbers.
    """

    labels: NDArray[np.integer[Any]]
    weights: Values
    values: Values

    @cached_property
    def y(self) -> Values:
        """The target of every row; in classification its class number."""
        return np.asarray(self.values[self.labels])

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: NDArray[Any]) -> Targets:
        """Give the targets of some rows.

        >>> three = Targets(np.array([0, 1, 0]), np.ones(3), np.array([2.5, 7.0]))
        >>> three.take(np.array([1, 2])).y.tolist()
        [7.0, 2.5]
        """
        return Targets(self.labels[rows], self.weights[rows], self.values)

    def merged(self) -> Targets:
        """Give one row for every value, with the weight of all its rows.

        >>> Targets(np.array([1, 1]), np.array([3, 5]), np.array([2.5, 4.5])).merged().weights
        array([0, 8])
        """
        weights = np.zeros(len(self.values), dtype=self.weights.dtype)
        np.add.at(weights, self.labels, self.weights)
        return Targets(np.arange(len(self.values)), weights, self.values)

    def table(self) -> Values:
        """Give the weight of every row in the column of its target: rows by V.

        >>> Targets(np.array([1, 0]), np.array([3, 5]), np.arange(2)).table().tolist()
        [[0, 3], [5, 0]]
        """
        found = np.zeros((len(self.labels), len(self.values)), dtype=self.weights.dtype)
        found[np.arange(len(self.labels)), self.labels] = self.weights
        return found


class Objective(ABC):
    """Base of all objectives. Subclasses are best frozen dataclasses; see docs/objectives.md."""

    name: str = ""
    task: str = "classification"
    additive: bool = True
    dominates: bool = True
    integral: bool = False
    monotone: bool = False
    superadditive: bool = False
    many_targets: bool = False

    def __init_subclass__(cls, **options: Any) -> None:
        """Let no class inherit a native form: what it overrides may be what the form is about."""
        super().__init_subclass__(**options)
        if "native_form" not in vars(cls):
            cls.native_form = Objective.native_form  # type: ignore[method-assign]

    def native_form(self) -> NativeForm | None:
        """Give what the native search knows of the objective; None: nothing."""
        return None

    def statistics(self, targets: Targets) -> Values:
        """Give what adds up over the rows of a leaf: rows by statistics.

        By default the weight by class, or (w, w y, w y^2). It is asked for the rows of each node
        anew, and may centre on them: only sums over the same answer are ever taken.
        """
        if self.task == "classification":
            return targets.table()
        w, y = targets.weights, targets.y
        return np.stack([w, w * y, w * y * y], axis=-1)

    @abstractmethod
    def leaf_cost(self, statistics: Values) -> Values:
        """Give the cost of the best single prediction for every leaf, statistics last."""

    def cost(self, targets: Targets) -> Any:
        """Give the cost of these rows as one leaf: `leaf_cost` of their statistics.

        An objective with many statistics may know a shorter way to the same number.
        """
        by_class = type(self).statistics is Objective.statistics and self.task == "classification"
        if by_class and targets.weights.dtype.kind in "iu":
            targets = targets.merged()  # many rows times many classes would be a large table
        return self.leaf_cost(self.statistics(targets).sum(axis=0))

    def running_costs(self, targets: Targets, orders: NDArray[np.intp]) -> Values | None:
        """Give what the first 1, 2, ..., n rows of each order cost as a leaf: orders by n.

        None, as here, has it computed from sums of statistics. It is for objectives whose
        statistics are many, and may be wrong by what sums of floats are.
        """
        return None

    def prediction(self, targets: Targets) -> int | float | tuple[float, ...]:
        """Give that prediction for the rows of one leaf: a class number, or a number.

        By default the heaviest class, the lowest of equals, or the weighted mean.
        """
        if self.task == "classification":
            return int(targets.values[targets.table().sum(axis=0).argmax()])
        return mean(targets)

    def combine(self, left: Values, right: Values) -> Values:
        """Put the costs of two subtrees together."""
        return np.asarray(np.add(left, right))

    def influence(self, targets: Targets) -> Values | None:
        """Bound what each of the problem's rows can add to the cost of a leaf; None: no bound."""
        return None

    def check_targets(self, y: Values) -> None:
        """Refuse targets of a regression that it is not for: different ones, in order.

        Several columns are refused unless `many_targets` says that it takes them.
        """
        if y.ndim > 1 and not self.many_targets:
            raise ValueError(
                f"objective {self.name!r} needs one target per row of X, and y has {y.shape[1]} "
                "columns: fit a tree for each, or use 'squared_error'"
            )

    def for_classes(self, classes: NDArray[Any]) -> Self:
        """Give the objective for these classes, the user's, in order; refuse what does not fit."""
        return self


def mean(targets: Targets) -> float:
    """Give the weighted mean, from deviations, so that large targets lose no digits.

    >>> mean(Targets(np.array([0, 1]), np.array([1, 3]), np.array([1e9, 1e9 + 4])))
    1000000003.0
    """
    weights = targets.weights.astype(np.float64)
    first = float(targets.y[0])
    # Not by the product of vectors, for which NumPy starts threads.
    middle = first + float((weights * (targets.y - first)).sum()) / float(weights.sum())
    return min(max(middle, float(targets.y.min())), float(targets.y.max()))
