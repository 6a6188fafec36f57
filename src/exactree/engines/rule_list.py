"""Rules with owners as arrays: which may stand below which, and the best tree of given rules.

Glossary
    R, k      the number of rules in the list, and of those in a combination
    holds     (R, n): where rule i holds, the left side
    ancestry  (R, R): +1 / -1 if all owners of rule j lie left / right of rule i, else 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.constraints import LeastSide
from exactree.objectives import Objective, Targets
from exactree.partitions import unpacked
from exactree.problem import Limits, ListedSplit, Problem
from exactree.tree import Leaf, Node, Tree

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Signs = NDArray[np.int8]
Numbers = NDArray[Any]
BLOCK = 512
# What a list of rules may take where no limit of memory is given.
MEMORY = 2**30


@dataclass(frozen=True, eq=False)
class Rules:
    """A problem over a list of rules, ready for whole batches of combinations.

    `measures` has a column for every statistic of the objective, and a last one for what the row
    counts towards `least_side`, in the shortest type that keeps their sums exact.
    """

    holds: Bools
    ancestry: Signs
    measures: Numbers
    objective: Objective
    least_side: LeastSide
    penalty: int
    max_depth: int
    targets: Targets

    def __len__(self) -> int:
        return len(self.holds)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.holds.shape[1])

    def leaf_costs(self, sums: Numbers) -> Ints:
        """Give the cost of leaves from their sums of `measures`."""
        return np.asarray(self.objective.leaf_cost(sums[..., :-1].astype(np.int64)))

    def enough(self, sums: Numbers) -> Bools:
        """Tell which sides of splits are large enough, from their sums of `measures`."""
        return self.least_side.allows(sums[..., -1:])

    def sums(self, regions: Bools) -> Numbers:
        """Sum up the measures over each region."""
        return np.asarray(regions.astype(self.measures.dtype) @ self.measures)


def rules_of(problem: Problem, limits: Limits | None = None) -> Rules:
    """Read the list of rules of a problem, and relate every two of them.

    TimeoutError if that takes longer than the limits allow.
    """
    limits = limits or Limits()
    objective = problem.objective
    if objective.task != "classification" or not (objective.additive and objective.integral):
        raise ValueError(
            f"objective {objective.name!r} is not for the engines over rules, which add up integers"
            " of classes: use engine='auto'"
        )
    assert problem.partitions is not None and problem.partitions.owners is not None
    _refuse_large(len(problem.partitions), problem.n_rows, limits.memory or MEMORY)
    holds = unpacked(problem.partitions.masks, problem.n_rows)
    return Rules(
        holds,
        ancestry(holds, problem.partitions.owners, seconds=limits.seconds),
        measures(problem),
        objective,
        problem.least_side,
        int(problem.penalty),
        problem.max_depth,
        problem.targets(),
    )


def _refuse_large(n_rules: int, n_rows: int, memory: int) -> None:
    """Refuse what would not fit: a byte for every two rules, and for every row of a rule."""
    needed = n_rules * (n_rules + n_rows)
    if needed > memory:
        raise ValueError(
            f"{n_rules} rules need {needed >> 20} MB to be related, and memory_limit allows "
            f"{memory >> 20} MB (1024 unless given): use engine='auto', which needs no list, fewer "
            "rows or more memory"
        )


def measures(problem: Problem) -> Numbers:
    """Give the statistics of each row, its weight by class, and its count, in the shortest type.

    >>> columns, labels = np.zeros((1, 2), np.int32), np.array([0, 1], np.int32)
    >>> measures(Problem(columns, labels, 2)).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
    """
    counts = problem.least_side.counted(problem.n_rows)
    table = np.column_stack([problem.objective.statistics(problem.targets()), counts])
    largest = int(table.sum(axis=0).max())
    # Products of matrices are fast for floating point only, and exact while all integers are.
    for dtype, exact in ((np.float32, 2**24), (np.float64, 2**53)):
        if largest <= exact:
            return table.astype(dtype)
    return table


def ancestry(holds: Bools, owners: NDArray[np.int32], *, seconds: float = inf) -> Signs:
    """Relate every two rules; the matrix grows with the list, by the new rows and columns.

    TimeoutError after so many seconds.

    >>> ancestry(np.array([[True, False], [True, True]]), np.array([[0], [1]], np.int32)).tolist()
    [[0, -1], [1, 0]]
    """
    n, started = len(holds), perf_counter()
    matrix = np.zeros((n, n), dtype=np.int8)
    for start in range(0, n, BLOCK):
        if perf_counter() - started >= seconds:
            raise TimeoutError
        stop = min(start + BLOCK, n)
        matrix[:stop, start:stop] = _relations(holds[:stop], owners[start:stop])
        matrix[start:stop, :start] = _relations(holds[start:stop], owners[:start])
    np.fill_diagonal(matrix, 0)
    return matrix


def _relations(holds: Bools, owners: NDArray[np.int32]) -> Signs:
    """Give +1 where all owners are inside, -1 where all are outside; -1 among owners is nobody."""
    inside = np.ones((len(holds), len(owners)), dtype=bool)
    outside = inside.copy()
    for owner in owners.T:
        side = holds[:, owner]
        nobody = owner < 0
        inside &= side | nobody
        outside &= ~side | nobody
    return inside.astype(np.int8) - outside.astype(np.int8)


def best_tree(rules: Rules, chosen: Sequence[int]) -> tuple[float, Tree]:
    """Find a best tree that uses each of the chosen rules once; infinity if there is none.

    This is the recursion of `size_rec` for one combination, with the tree.
    """
    return _best(rules, frozenset(chosen), np.ones(rules.n_rows, dtype=bool), rules.max_depth)


def _best(rules: Rules, chosen: frozenset[int], region: Bools, depth: int) -> tuple[float, Tree]:
    sums = rules.sums(region[None])
    if not chosen:
        value = rules.objective.prediction(rules.targets.take(np.flatnonzero(region)))
        return int(rules.leaf_costs(sums)[0]), Leaf(value)
    best: tuple[float, Tree] = (inf, Leaf(0))
    for r in sorted(chosen) if depth else ():
        left = frozenset(j for j in chosen if rules.ancestry[r, j] > 0)
        right = frozenset(j for j in chosen if rules.ancestry[r, j] < 0)
        sides = [region & rules.holds[r], region & ~rules.holds[r]]
        enough = rules.enough(rules.sums(np.array(sides))).all()
        if len(left) + len(right) < len(chosen) - 1 or not enough:
            continue
        a, u = _best(rules, left, sides[0], depth - 1)
        b, v = _best(rules, right, sides[1], depth - 1)
        if a + b + rules.penalty < best[0]:
            best = a + b + rules.penalty, Node(ListedSplit(r), u, v)
    return best
