"""A bound where no search comes to an end: there is no tree below a low cost.

A search for trees below a cost either finds the best one, or has proved that none costs less. The
lower that cost is, the more of the thresholds are ruled out by one of their sides alone; that no
tree of six levels is without an error often takes a second, where half of the best cost would take
days. So targets grow, and each search is told what the one before has proved. No first tree is
looked for, which would take longer than the first targets.
"""

from __future__ import annotations

from collections.abc import Callable

from exactree.objectives.native import ClassWeights
from exactree.problem import Found, Problem

# Searches for trees below a cost, told what is proved already; it may stop early.
SearchBelow = Callable[[int, int], Found]

# A target is so many times the one before; the first is one error, or one part in so many of the
# best cost. Every search has rounds of lower targets.
GROWTH, LOWEST = 4, 4**6


def counts_errors(problem: Problem) -> bool:
    """Tell whether the cost of a problem counts errors of classes over columns."""
    return (
        isinstance(problem.form, ClassWeights)
        and problem.partitions is None
        and not problem.least_side.binds
    )


def bound_by_targets(best: int, least: int, proved: int, below: SearchBelow) -> None:
    """Search below growing costs, up to that of the best tree, until one is not done.

    `least` is what one error costs.
    """
    for target in targets_up_to(best, least):
        if target > proved:
            found = below(target, proved)
            proved = max(proved, int(found.lower_bound))
            if proved < target:
                return


def targets_up_to(best: int, least: int) -> list[int]:
    """Give growing costs up to that of the best tree.

    >>> targets_up_to(20, 1), targets_up_to(3, 3), targets_up_to(0, 1)
    ([1, 4, 16, 20], [3], [])
    """
    targets, target = [], max(least, best // LOWEST, 1)
    while target < best:
        targets.append(target)
        target *= GROWTH
    return [*targets, best] if best else []
