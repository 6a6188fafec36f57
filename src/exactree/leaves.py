"""What a finished tree does to the training data: the rows, weights and losses of its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Targets
from exactree.objectives.native import is_error
from exactree.preparing import Data
from exactree.problem import Number, Problem
from exactree.tree import Leaf, Node, Tree


def counter(problem: Problem, data: Data, ends: NDArray[np.intp]) -> LeafCounter:
    """Count for the rows of the data, which end in these leaves."""
    if data.costs is not None:
        return CostCounter(problem, data, ends)
    return (ErrorCounter if is_error(problem.objective) else LeafCounter)(problem, data, ends)


class LeafCounter:
    """Gives every leaf its value, rows, weights and loss, and adds the losses up."""

    def __init__(self, problem: Problem, data: Data, at: NDArray[np.intp]) -> None:
        self.data, self.ends, self.penalty = data, at, problem.penalty
        self.objective = problem.objective
        # Units of the problem, of which one of the data's is a part or a multiple.
        self.units = data.scale / problem.scale if self.objective.integral else Fraction(1)
        self.numerator, self.denominator = data.scale.as_integer_ratio()
        self.numbers = iter(range(2 * len(at) + 1))

    def fill(self, shaped: Tree) -> tuple[Tree, Any]:
        """Fill the leaves; give the cost in the problem's units too, penalties included."""
        number = next(self.numbers)
        if isinstance(shaped, Leaf):
            return self._leaf(number)
        left, a = self.fill(shaped.left)
        right, b = self.fill(shaped.right)
        return Node(shaped.split, left, right), self._combined(a, b) + self.penalty

    def _combined(self, a: Any, b: Any) -> Any:
        if self.objective.additive:
            return a + b
        both = self.objective.combine(a, b)
        return both.item() if hasattr(both, "item") else both

    def _leaf(self, number: int) -> tuple[Leaf, Any]:
        rows = np.flatnonzero(self.ends == number)
        inside = self._targets.take(rows)
        cost = np.asarray(self.objective.cost(inside)).item()
        value = self.objective.prediction(inside)
        return self._filled(value, len(rows), self._weights(inside), cost)

    @cached_property
    def _targets(self) -> Targets:
        return self.data.targets(integral=self.objective.integral)

    def _weights(self, inside: Targets) -> list[Number]:
        """Give the weight by class, or the whole weight in regression."""
        if self.data.task == "regression":
            return [inside.weights.sum().item()]
        by_class = np.zeros(len(self.data.classes), dtype=inside.weights.dtype)
        np.add.at(by_class, inside.labels, inside.weights)
        return by_class.tolist()

    def _filled(
        self, value: Any, rows: int, weights: Sequence[Number], cost: Number
    ) -> tuple[Leaf, Any]:
        return Leaf(value, rows, tuple(map(self._worth, weights)), self._worth(cost)), (
            self._units(cost)
        )

    def _worth(self, units: Number) -> Number:
        """Give the user's weight: integers stay integers, and floats are the user's already."""
        if not self.objective.integral:
            return units
        worth = int(units) * self.numerator
        return worth if self.denominator == 1 else worth / self.denominator

    def _units(self, cost: Number) -> Fraction | float:
        """Give the problem's units."""
        if self.units.denominator == 1:
            return cost * self.units.numerator
        units = Fraction(cost) * self.units
        return units.numerator if units.denominator == 1 else units


class ErrorCounter(LeafCounter):
    """The same for the weight outside the heaviest class, for all leaves at once."""

    def __init__(self, problem: Problem, data: Data, at: NDArray[np.intp]) -> None:
        super().__init__(problem, data, at)
        classes = len(data.classes)
        cells = at * classes + data.labels
        size = (int(at.max()) + 1) * classes
        counts = np.bincount(cells, minlength=size)
        weights: NDArray[Any] = counts
        if data.weights is not None:
            weights = np.zeros(size, dtype=np.int64)
            np.add.at(weights, cells, data.weights)
        self.weights: list[list[int]] = weights.reshape(-1, classes).tolist()
        self.counts: list[list[int]] = counts.reshape(-1, classes).tolist()

    def _leaf(self, number: int) -> tuple[Leaf, Any]:
        weights = self.weights[number]
        most = max(weights)
        return self._filled(
            weights.index(most), sum(self.counts[number]), weights, sum(weights) - most
        )


class CostCounter(LeafCounter):
    """The same for costs of every answer: what a leaf costs, and which answers would be best.

    The weights of a leaf are those of its rows by their cheapest answer, the first of equals.
    """

    def _leaf(self, number: int) -> tuple[Leaf, Any]:
        costs, rows = self.data.costs, np.flatnonzero(self.ends == number)
        assert costs is not None
        sums = costs.table[rows].sum(axis=0)
        answer = int(sums.argmin())
        paid = int(sums[answer]) * costs.unit + costs.worth_of_least(rows)
        cost = int(paid) if paid.denominator == 1 else float(paid)
        weights = None if costs.weights is None else costs.weights[rows]
        cheapest = costs.table[rows].argmin(axis=1)
        by_answer = np.bincount(cheapest, weights=weights, minlength=len(costs.answers))
        leaf = Leaf(answer, len(rows), tuple(by_answer.tolist()), cost)
        return leaf, self._units(int(sums[answer]))
