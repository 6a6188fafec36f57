"""Distances from quantiles in whole numbers, as the native search wants them.

Targets are whole multiples of a step, exactly if they were written down with a few digits, and what
a unit of distance costs on either side is a whole number too. Then nothing else is rounded: the
cost of a leaf is a whole number.

- A target that was moved by r steps changes the cost of every prediction by r steps' worth at most.
- Slopes with more digits than there is room for are rounded, by a share of themselves.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from exactree.engines.whole import SUMS, Floats, Loss, Steps, Whole, in_steps, whole_weights
from exactree.objectives.native import Quantiles
from exactree.problem import Problem

# What slopes are rounded to a multiple of, if they have more digits.
LEAST_DENOMINATOR, MOST_DENOMINATOR = 10**4, 10**9
# Sums of products of distances and weights are 64-bit numbers if they stay below this.
MOST_SUM = 2.0**60


def whole_quantiles(problem: Problem, form: Quantiles) -> Whole:
    """Give the rows of a problem and their slopes in whole numbers."""
    share, moved = _whole_share(problem, form)
    above, below = share.numerator, share.denominator - share.numerator
    slope = (form.above + form.below) / share.denominator
    most = min(SUMS, 2.0**61 / (above + below))
    weights, worth, raised, lowered = whole_weights(problem, most)
    w = np.ones(problem.n_rows) if weights is None else weights
    y = problem.targets().y
    centred = y - np.median(y)
    steps = _fine(in_steps(centred, SUMS), centred, w, above + below)
    price = worth * steps.step * slope
    lost = float(w @ steps.moved) * float(price) * max(above, below) * (1 + 1e-9)
    lost += float(w @ np.abs(centred)) * float(worth * max(form.above, form.below)) * 2.0**-52
    loss = Loss(
        "QuantileLoss",
        (steps.whole.astype(np.int64), None if weights is None else weights.astype(np.int64)),
        {"above": above, "below": below},
    )
    return Whole(loss, price, lost, raised + moved, lowered + moved).in_units(problem.n_rows)


def _whole_share(problem: Problem, form: Quantiles) -> tuple[Fraction, float]:
    """Give the quantile with a denominator that leaves room for weights, and what that changes."""
    total = problem.n_rows if problem.weights is None else int(problem.weights.sum())
    most = max(min(MOST_DENOMINATOR, 2**61 // total), LEAST_DENOMINATOR)
    exact = form.above / (form.above + form.below)
    share = exact.limit_denominator(most)
    if not 0 < share < 1:  # closer to an end than that
        share = Fraction(1, most) if share == 0 else 1 - Fraction(1, most)
    moved = max(abs(share / exact - 1), abs((1 - share) / (1 - exact) - 1))
    return share, 2 * float(moved)


def _fine(steps: Steps, centred: Floats, w: Floats, both: int) -> Steps:
    """Choose steps whose sums are 64-bit numbers, if weights leave room: as fine as that allows."""
    reach = float(np.abs(steps.whole).max()) * float(w.sum()) * both * 2
    if not reach:
        return steps
    room = int(np.floor(np.log2(MOST_SUM / reach)))
    if room < 0 and float(w.sum()) * both < 2.0**24:
        most = float(np.abs(steps.whole).sum()) * 2.0**room
        return in_steps(centred, most)
    room -= 4  # so that no unit has to be larger than one
    if room > 0:  # for what a split costs, which is rounded down
        return Steps(np.ldexp(steps.whole, room), steps.step / 2**room, np.ldexp(steps.moved, room))
    return steps
