"""Costs of every row and answer: what a leaf costs that gives all its rows one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.native import PricedRows
from exactree.objectives.scheme import Objective, Targets, Values


@dataclass(frozen=True, eq=False)
class RowCosts(Objective):
    """The costs of the cheapest answer for all rows of a leaf, whole numbers.

    `solve(X, costs=...)` makes it; it belongs to the rows it was made for. Their labels say which
    row of the table is theirs.

    Additive and integral. Superadditive, hence monotone: two leaves may choose an answer each, and
    no cost is negative. A row adds at most its largest cost: keep the answer of the leaf.

    Parameters
    ----------
    table : (rows, answers) int64
        What each answer costs beyond the row's cheapest.

    Examples
    --------
    >>> costs = RowCosts(np.array([[0, 3], [2, 0]]))
    >>> costs.leaf_cost(np.array([[2, 3], [9, 7]])).tolist()
    [2, 7]
    """

    table: NDArray[np.int64]
    name = "costs"
    task = "classification"
    integral = True
    monotone = True
    superadditive = True

    def __repr__(self) -> str:
        rows, answers = self.table.shape
        return f"RowCosts({rows} rows, {answers} answers)"

    def native_form(self) -> PricedRows:
        """Give the table."""
        return PricedRows(self.table)

    def statistics(self, targets: Targets) -> Values:
        """Give the costs of each row, times its weight, for every answer."""
        kind: Any = np.int64 if targets.weights.dtype.kind == "i" else np.float64
        return np.asarray(self.table[targets.y].astype(kind) * targets.weights[:, None])

    def leaf_cost(self, statistics: Values) -> Values:
        """Give the cost of the cheapest answer."""
        return np.asarray(statistics.min(axis=-1))

    def prediction(self, targets: Targets) -> int:
        """Give the cheapest answer, the first of equals."""
        return int(self.statistics(targets).sum(axis=0).argmin())

    def influence(self, targets: Targets) -> Values:
        """Give the largest cost of each row."""
        return np.asarray(self.statistics(targets).max(axis=1))
