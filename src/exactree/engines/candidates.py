"""What the generic engine knows of candidate splits, whatever their source.

A scan has candidate splits of a node with the cost of each as the only split, all computed at once
from sums of statistics. A group keeps what is known of candidates while the search goes on: lower
bounds of their left and right sides, which spread from an evaluated candidate to the others where
the objective allows it. `columns` and `partitions` are the sources.

Glossary
    L_t, R_t   the rows left and right of candidate t
    T(t)       the cost of candidate t with optimal subtrees
    share      a way to share out the splits still allowed between the two sides
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.bounds import EPSILON, neighbour
from exactree.objectives import Objective, Targets
from exactree.problem import Number, Problem
from exactree.tree import Split

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Values = NDArray[Any]
# Below this share of the leaf's cost a difference of sums has lost too many digits.
CANCELLED = 1e-2
NEVER = inf


class Costs:
    """The objective on the rows of one problem, and which bounds it allows."""

    def __init__(self, problem: Problem, *, without: frozenset[str] = frozenset()) -> None:
        self.objective: Objective = problem.objective
        self.targets: Targets = problem.targets()
        self.penalty: Number = problem.penalty
        self.integral = self.objective.integral
        self.dtype = np.int64 if self.integral else np.float64
        self.limit = problem.side_limit
        # The subset bound: fewer samples never cost more, and a split that parts nothing any more
        # can go, since its subtree costs no more than it did.
        subset = self.objective.monotone and self.objective.dominates
        self.subset = subset and "interval" not in without
        self.influence = self._influence(subset and "neighbour" not in without)

    def _influence(self, licensed: bool) -> Values | None:
        """Give the influence of the rows where the neighbour bound holds."""
        if not licensed or not self.objective.additive or self.limit.binding:
            return None
        return self.objective.influence(self.targets)

    def leaf(self, rows: Rows) -> Number:
        """Give the cost of these rows as a leaf, from statistics of their own."""
        return self.number(self.objective.cost(self.targets.take(rows)))

    def sample(self, rows: Rows) -> Sample:
        """Give what the objective knows of the rows of a node."""
        return Sample(self, rows, self.targets.take(rows))

    def number(self, cost: Any) -> Number:
        """Turn a cost into a plain number."""
        return int(cost) if self.integral else float(cost)

    def combined(self, left: Any, right: Any) -> Values:
        """Give the cost of splits whose sides cost this, penalty included."""
        return np.asarray(self.objective.combine(left, right)) + self.penalty

    def split(self, left: Number, right: Number) -> Number:
        """Give the cost of one split."""
        return self.number(self.combined(left, right))

    def singles(self, left: Values, right: Values) -> Values:
        """Give the cost of single splits from the statistics of their sides."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.combined(self.objective.leaf_cost(left), self.objective.leaf_cost(right))

    def slack(self, cost: Number) -> Number:
        """Give what two float costs may differ by and count as equal."""
        return 0 if self.integral else 1e-12 * abs(cost)


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of a node; statistics, which may be many, are made when they are asked for."""

    costs: Costs
    rows: Rows
    targets: Targets

    @cached_property
    def statistics(self) -> Values:
        """The statistics of every row."""
        return self.costs.objective.statistics(self.targets)

    @cached_property
    def leaf(self) -> Number:
        """The cost of the rows as a leaf."""
        objective = self.costs.objective
        if type(objective).cost is not Objective.cost:
            return self.costs.number(objective.cost(self.targets))
        return self.costs.number(objective.leaf_cost(self.statistics.sum(axis=0)))


class Group(ABC):
    """Candidates of a node and what is known of them, for every share of the splits."""

    def __init__(self, costs: Costs, single: Values, allowed: Mask, shares: int) -> None:
        self.costs, self.single, self.allowed = costs, single, allowed
        self.open = allowed.copy()
        # Bounds of the two sides without a limit on rows, which the subset bound would not survive.
        self.left = np.zeros((shares, len(single)), dtype=costs.dtype)
        self.right = np.zeros((shares, len(single)), dtype=costs.dtype)
        # Bounds of the candidates themselves, the limit on rows included.
        self.proved = np.zeros(len(single), dtype=costs.dtype)
        self.evaluated = 0

    def relaxed(self) -> Values:
        """Bound the cost of every candidate from its sides: the best share counts."""
        return np.asarray(self.costs.combined(self.left, self.right).min(axis=0))

    def bounds(self) -> Values:
        """Bound the cost of every candidate."""
        return np.maximum(self.relaxed(), self.proved)

    def lowest(self) -> Number:
        """Bound the cost of all candidates that a tree may use."""
        return self.costs.number(self.bounds()[self.allowed].min())

    def lowest_relaxed(self) -> Number:
        """Bound the cost of all candidates, allowed or not."""
        return self.costs.number(self.relaxed().min())

    def best_single(self) -> Number:
        """Give the cost of the best candidate as a single split."""
        return self.costs.number(self.single[self.allowed].min())

    def n_skipped(self) -> int:
        """Count the candidates that were never evaluated."""
        return int(self.allowed.sum()) - self.evaluated

    def next(self, limit: Number) -> int | None:
        """Choose the next candidate that may be below the limit; None if there is none."""
        self.open &= self.bounds() < limit
        return self.choose() if self.open.any() else None

    def choose(self) -> int:
        """Choose among the open candidates: the best as a single split."""
        found = np.flatnonzero(self.open)
        return int(found[self.single[found].argmin()])

    def learn(self, share: int, t: int, left: Number, right: Number) -> None:
        """Take in bounds of the sides of a candidate, and of all those that contain them."""
        for known, value, wider in (
            (self.left[share], left, self.wider(t, on_left=True)),
            (self.right[share], right, self.wider(t, on_left=False)),
        ):
            if self.costs.subset:
                np.maximum(known, value, out=known, where=wider)
            known[t] = max(known[t], value)

    def prove(self, t: int, cost: Number) -> None:
        """Take in a bound of a candidate, for its neighbours less what is between."""
        self.proved[t] = max(self.proved[t], cost)
        self.open[t] = False
        self.evaluated += 1
        if self.costs.influence is not None:
            np.maximum(self.proved, neighbour(self.proved[t], self.between(t)), out=self.proved)

    @abstractmethod
    def wider(self, t: int, *, on_left: bool) -> Mask:
        """Mark the candidates whose left (right) side contains that of t."""

    @abstractmethod
    def between(self, t: int) -> Values:
        """Give the influence of the rows on different sides of t and of each candidate."""

    @abstractmethod
    def sides(self, t: int) -> tuple[Rows, Rows]:
        """Give the rows left and right of a candidate."""

    @abstractmethod
    def split(self, t: int) -> Split:
        """Name a candidate."""


@dataclass(frozen=True, eq=False)
class Scan(ABC):
    """Candidates of a node of `rows` rows as single splits.

    `cost` includes the penalty; `allowed` says whether the constraints allow both sides.
    """

    costs: Costs
    rows: int
    cost: Values
    allowed: Mask

    def least(self) -> Any:
        """Give the cost of the best split, allowed or not."""
        return self.cost.min(initial=self.cost.max(initial=0))

    def best(self, leaf: Number) -> tuple[Number, Split] | None:
        """Give the best allowed single split and its cost, the first among equals.

        Sums of floats are wrong by some units in the last place of the cost of the leaf. Where the
        best split costs far less than the leaf, those that could be best are costed once more, each
        side from its own rows.
        """
        allowed = np.flatnonzero(self.allowed)
        if not len(allowed):
            return None
        cost = self.cost[allowed]
        least = int(cost.argmin())
        i, found = int(allowed[least]), self.costs.number(cost[least])
        if not self.costs.integral and found < CANCELLED * leaf:
            close = allowed[cost <= found + 8 * EPSILON * self.rows * leaf]
            again = [self.costs.split(*map(self.costs.leaf, self.sides(int(i)))) for i in close]
            found = min(again)
            i = int(close[again.index(found)])
        return found, self.split(i)

    @abstractmethod
    def sides(self, i: int) -> tuple[Rows, Rows]:
        """Give the rows left and right of a candidate."""

    @abstractmethod
    def split(self, i: int) -> Split:
        """Name a candidate."""

    @abstractmethod
    def groups(self, shares: int) -> list[Group]:
        """Put the candidates that can learn from each other together."""
