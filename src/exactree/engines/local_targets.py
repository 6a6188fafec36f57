"""What a tree of surfaces costs, as the native local search counts it, and bounds of any tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from exactree.bounds import any_tree, equal_rows_cost
from exactree.engines.search import table_of
from exactree.engines.squares import is_squared, loss
from exactree.objectives.native import PricedRows
from exactree.problem import Problem
from exactree.tree import Tree


def targets_of(problem: Problem) -> Errors | Prices | Squares:
    """Choose by the objective."""
    if is_squared(problem):
        return Squares(problem)
    return Prices(problem) if isinstance(problem.form, PricedRows) else Errors(problem)


class Errors:
    """The 0-1 loss: costs are the problem's own."""

    price = 1

    def __init__(self, problem: Problem) -> None:
        self.problem, self.bound = problem, any_tree(problem)
        self.bound_units = self.bound

    def arguments(self) -> dict[str, Any]:
        """Give what the native search has to know."""
        problem = self.problem
        return {
            "labels": problem.labels,
            "n_classes": problem.n_classes,
            "costs": problem.weights,
            "unit": problem.unit,
            "penalty": int(problem.penalty),
            "lower_bound": self.bound_units,
        }

    def cost(self, units: int, tree: Tree) -> int:
        """Give the cost: the native search counts in whole numbers."""
        return units


class Prices:
    """Costs of every row and answer, in whole numbers too."""

    price = 1

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.bound = int(equal_rows_cost(problem.keys(), problem.targets(), problem.objective))
        self.bound_units = self.bound

    def arguments(self) -> dict[str, Any]:
        """Give what the native search has to know."""
        assert isinstance(self.problem.form, PricedRows)
        return {
            "prices": table_of(self.problem, self.problem.form),
            "penalty": int(self.problem.penalty),
            "lower_bound": self.bound_units,
        }

    def cost(self, units: int, tree: Tree) -> int:
        """Give the cost: the native search counts in whole numbers."""
        return units


class Squares:
    """The squared error: that of the single leaf is 2^50 units."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        targets = problem.targets()
        self.masses = np.asarray(targets.weights, dtype=np.float64)
        centred = targets.y - np.average(targets.y, weights=self.masses)
        self.targets = np.ascontiguousarray(centred)
        self.price = max(float(self.masses @ centred**2), 1e-300) / 2**50
        self.bound = float(equal_rows_cost(problem.keys(), targets, problem.objective))
        self.bound_units = int(self.bound / self.price)

    def arguments(self) -> dict[str, Any]:
        """Give what the native search has to know."""
        return {
            "targets": self.targets,
            "masses": self.masses,
            "scale": 1 / self.price,
            "penalty": round(min(self.problem.penalty / self.price, 2.0**58)),
            "lower_bound": self.bound_units,
        }

    def cost(self, units: int, tree: Tree) -> float:
        """Add up what the tree costs: units are rounded."""
        return loss(self.problem, tree)
