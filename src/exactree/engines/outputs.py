"""The squared error of several targets in whole numbers, as the native search wants it.

Every target is centred on its median and rounded to one step for all, so that errors add up. What
is said in `squares.py` holds for the targets together: the error of a tree is the squared distance
of all targets from their projections on its leaves, so rounding moves its root by the distance
`moved` at most; squares that were rounded up make `excess` units, the same for every tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from exactree.engines.whole import SUMS, Loss, Whole, in_steps, whole_weights
from exactree.problem import Problem


@dataclass(frozen=True, eq=False)
class WholeOutputs(Whole):
    """The same with the distance `moved`, in the user's units, and `excess`, in worth."""

    moved: float = 0.0
    excess: float = 0.0

    def least_cost(self, units: int) -> float:
        """Turn a lower bound in units into a lower bound on the user's cost."""
        cost = max(self.worth(units) * (1 - 1e-14) - self.excess, 0.0)
        share = max(1 - self.moved / sqrt(cost), 0.0) if cost else 0.0
        return cost * share * share / (1 + self.raised)

    def bound(self, cost: float, leaves: int) -> int:
        """Turn a lower bound on the user's cost into one in units, for trees of so many leaves."""
        kept = cost * (1 - self.lowered) * (1 - 1e-9)
        share = max(1 - self.moved / sqrt(kept), 0.0) if kept > 0 else 0.0
        return max(int(Fraction(kept * share * share) / self.price) - 2 * leaves, 0)


def whole_outputs(problem: Problem) -> Whole:
    """Give the rows of a problem in whole numbers: a weight, and a sum for every target."""
    weights, worth, raised, lowered = whole_weights(problem, SUMS)
    w = np.ones((problem.n_rows, 1)) if weights is None else weights[:, None]
    y = problem.targets().y
    centred = y - np.median(y, axis=0)
    steps = in_steps(centred.reshape(-1), SUMS)
    sums, step, excess = w * steps.whole.reshape(y.shape), steps.step, 0
    moved = steps.moved.reshape(y.shape)
    if float(np.abs(sums).sum()) * 1.001 >= SUMS:
        # Products of weights and targets are rounded, not targets; so their squares are rounded up.
        products = in_steps((w * centred).reshape(-1), SUMS)
        sums, step, excess = products.whole.reshape(y.shape), products.step, y.size
        moved = products.moved.reshape(y.shape) / w
    room = int(np.log2(SUMS / max(float(np.abs(sums).sum()) * 1.01, 1.0)))
    if room > 0:  # what leaves and splits cost is rounded down to whole numbers
        sums, step, moved = sums * 2.0**room, step / 2**room, moved * 2.0**room
    price = worth * step**2
    off = moved + np.abs(centred) * 2.0**-51 / float(step)
    distance = sqrt(float((w * off**2).sum()) * float(price)) * (1 + 1e-9)
    whole = np.column_stack([w, sums])
    loss = Loss("OutputLoss", (np.ascontiguousarray(whole),))
    return WholeOutputs(
        loss, price, 0.0, raised, lowered, moved=distance, excess=float(excess * price)
    ).in_units(problem.n_rows)
