"""Tests what an objective declares on the data it is about to be used on.

A false promise makes a pruning throw away the optimum, so every declaration is tried on random
sets of rows and on the costs they have, small sets first, before a search begins. Passing is no
proof, failing is a counterexample, and the error shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.scheme import Objective, Targets, Values

# So many rows are drawn from the data, and so many pairs of sets A within B from them.
ROWS = 48
PAIRS = 160
# What rounding may do to a float cost, relative to the largest.
ROUNDING = 1e-9


def check_declarations(objective: Objective, targets: Targets, seed: int = 0) -> None:
    """Refuse an objective that breaks a promise, with the rows or costs that show it.

    >>> from exactree.objectives.classification import MisclassificationError
    >>> check_declarations(MisclassificationError(), Targets(np.array([0]), np.ones(1), np.ones(1)))
    """
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(targets))[:ROWS])
    trial = Trial(objective, targets.take(rows), rows, _nested_sets(rng, len(rows)))
    trial.check_leaves(objective.influence(targets))
    _check_combine(objective, np.unique(np.concatenate([trial.part_costs, trial.whole_costs])))


def _nested_sets(rng: np.random.Generator, n: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Draw non-empty sets A within B as rows of two tables, the smallest B first."""
    sizes = np.sort(np.minimum(1 + rng.geometric(0.15, PAIRS), n))
    places = rng.random((PAIRS, n)).argsort(axis=1).argsort(axis=1)
    large = places < sizes[:, None]
    small = places < np.maximum(1, (sizes * rng.random(PAIRS)).astype(int))[:, None]
    return small, large


class Trial:
    """Sets of rows, a part within a whole, and what they cost as leaves."""

    def __init__(
        self,
        objective: Objective,
        targets: Targets,
        rows: NDArray[np.intp],
        sets: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    ) -> None:
        self.objective, self.rows = objective, rows
        self.parts, self.wholes = sets
        self.statistics = objective.statistics(targets)
        self._check_statistics()
        self.part_costs, self.whole_costs = self.costs(self.parts), self.costs(self.wholes)
        largest = float(np.abs(self.whole_costs).max())
        self.slack = 0.0 if objective.integral else ROUNDING * largest

    def _check_statistics(self) -> None:
        shape, n = self.statistics.shape, len(self.rows)
        if len(shape) != 2 or shape[0] != n:
            raise ValueError(
                f"statistics of objective {self.objective.name!r} have shape {shape} for {n} rows: "
                "give a row of statistics for each"
            )

    def costs(self, sets: NDArray[np.bool_]) -> Values:
        """Give the cost of each set of rows as a leaf."""
        leaves = sets.astype(self.statistics.dtype) @ self.statistics
        found = np.asarray(self.objective.leaf_cost(leaves))
        if found.shape != (len(sets),):
            raise ValueError(
                f"leaf_cost of objective {self.objective.name!r} gives shape {found.shape} for "
                f"{len(sets)} leaves: it must work on many leaves at once, statistics last"
            )
        return found

    def check_leaves(self, influence: Values | None) -> None:
        """Check what is promised of the costs of leaves."""
        part, whole, rest = self.part_costs, self.whole_costs, self.wholes & ~self.parts
        sound = np.isfinite(whole) & (whole >= -self.slack)
        self.refuse(
            ~sound, "costs that are finite and not negative", "add a constant for each sample"
        )
        if self.objective.integral:
            self.refuse(whole != np.rint(whole), "integral costs", "set integral = False")
        if self.objective.monotone:
            self.refuse(part > whole + self.slack, "to be monotone", "set monotone = False")
        if influence is not None:
            added = rest @ influence[self.rows]
            self.refuse(
                whole > part + added + self.slack,
                "the influence of its samples",
                "raise influence or return None",
                others=("are said to add at most", added),
            )
        if self.objective.superadditive:
            apart = np.where(rest.any(axis=1), self.costs(rest | self._none_left(rest)), 0)
            self.refuse(
                part + apart > whole + self.slack,
                "to be superadditive",
                "set superadditive = False",
                others=("cost", apart),
            )

    def _none_left(self, rest: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark one row where none is left: an objective need not have a cost for no samples."""
        first = np.arange(len(self.rows)) == 0
        return np.asarray(~rest.any(axis=1, keepdims=True) & first)

    def refuse(
        self,
        guilty: NDArray[np.bool_],
        promise: str,
        remedy: str,
        others: tuple[str, Values] | None = None,
    ) -> None:
        """Show the first pair, that of the smallest sets, that breaks the promise."""
        if not guilty.any():
            return
        i = int(np.flatnonzero(guilty)[0])
        whole, part = self.rows[self.wholes[i]].tolist(), self.rows[self.parts[i]].tolist()
        told = f"rows {whole} cost {self.whole_costs[i]:.10g}"
        if whole != part:
            told += f", rows {part} alone cost {self.part_costs[i]:.10g}"
        if others is not None:
            told += f", the others {others[0]} {others[1][i]:.10g}"
        raise ValueError(
            f"objective {self.objective.name!r} promises {promise}, but {told}: {remedy}"
        )


def _check_combine(objective: Objective, costs: Values) -> None:
    few = costs[np.linspace(0, len(costs) - 1, min(len(costs), 12)).astype(int)]
    values = np.unique(np.concatenate([np.zeros(1, few.dtype), few]))
    table = np.asarray(objective.combine(values[:, None], values[None, :]))
    slack = 0.0 if objective.integral else ROUNDING * float(values.max())
    for promise, guilty, remedy in _promises(objective, values, table, slack):
        if guilty.any():
            i, j = (int(x) for x in np.argwhere(guilty)[0])
            raise ValueError(
                f"objective {objective.name!r} promises {promise}, but combine({values[i]:.10g}, "
                f"{values[j]:.10g}) is {table[i, j]:.10g}: {remedy}"
            )


def _promises(
    objective: Objective, values: Values, table: Values, slack: float
) -> Iterator[tuple[str, NDArray[Any], str]]:
    """Give each promise about combine, where in the table it is broken, and what to do."""
    if objective.additive:
        broken = np.abs(table - (values[:, None] + values)) > slack
        yield "to be additive", broken, "set additive = False"
    falls = np.zeros(table.shape, dtype=bool)
    falls[1:] |= table[1:] < table[:-1] - slack
    falls[:, 1:] |= table[:, 1:] < table[:, :-1] - slack
    why = "less than for smaller costs; without this best subtrees make no best tree"
    yield "a non-decreasing combine", falls, why
    yield "a combine that is not negative", table < -slack, "add a constant"
    if objective.dominates:
        larger = np.maximum(values[:, None], values)
        yield "to dominate", table < larger - slack, "set dominates = False"
