"""A bound where no search comes to an end: there is no tree below a low cost.

A search for trees below a cost either finds the best one, or has proved that none costs less. The
lower that cost is, the more of the thresholds are ruled out by one of their sides alone; that no
tree of six levels is without an error often takes a second, where half of the best cost would take
days. The same holds for numbers and a small part of the best cost. So targets grow, and each search
is told what the one before has proved. No first tree is looked for, which would take longer than
the first targets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exactree.engines.numbers import is_numbers
from exactree.objectives.native import ClassWeights
from exactree.problem import Found, Number, Problem

# Searches for trees below a cost, told what is proved already; it may stop early. None: it cannot.
SearchBelow = Callable[[Number, Number], Found | None]

# A target is so many times the one before; the first is one error, or one part in so many of the
# best cost. Every search has rounds of lower targets.
GROWTH, LOWEST = 4, 4**6
# What rounding may take of a bound on losses of numbers.
ROUNDING = 1e-6


def has_low_targets(problem: Problem) -> bool:
    """Tell whether a problem is one of classes or numbers over columns."""
    if problem.partitions is not None or problem.least_side.binds:
        return False
    return isinstance(problem.form, ClassWeights) or is_numbers(problem)


def bound_by_targets(problem: Problem, best: Number, proved: Number, below: SearchBelow) -> None:
    """Search below growing costs, up to that of the best tree, until one is not done."""
    targets: Sequence[Number]
    if is_numbers(problem):
        targets = parts_of(float(best))
    else:
        targets = targets_up_to(int(best), int(problem.row_costs().min()))
    for target in targets:
        if target > proved:
            found = below(target, proved)
            proved = proved if found is None else max(proved, found.lower_bound)
            if proved < (target if problem.objective.integral else target * (1 - ROUNDING)):
                return


def parts_of(best: float) -> list[float]:
    """Give growing parts of a cost.

    >>> [1 / part for part in parts_of(1.0)]
    [4096.0, 1024.0, 256.0, 64.0, 16.0, 4.0]
    """
    return [best / GROWTH**k for k in range(6, 0, -1)] if best > 0 else []


def targets_up_to(best: int, least: int) -> list[int]:
    """Give growing costs up to that of the best tree; `least` is what one error costs.

    >>> targets_up_to(20, 1), targets_up_to(3, 3), targets_up_to(0, 1)
    ([1, 4, 16, 20], [3], [])
    """
    targets, target = [], max(least, best // LOWEST, 1)
    while target < best:
        targets.append(target)
        target *= GROWTH
    return [*targets, best] if best else []
