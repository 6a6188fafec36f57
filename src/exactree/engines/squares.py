"""Squared error in whole numbers, as the native search wants it.

A row of weight w and target y becomes a whole weight w' and a whole sum p, nearly w' (y - c) / step
for the median c, with the sums of |p| and of w' below 2^53, so that adding them in float64 is
exact. Costs are squares of steps in units of 2^shift; cpp/search/targets/squares.hpp has what the
search does with them.

Targets that are whole multiples of a power of ten (all that were written down with a few digits)
are taken as they are: step is that power, halved as often as there is room, shift is 0, and nothing
is lost. Others get a step as
fine as the sums allow, and units of about 2^-56 of the error T of the single leaf.

What "optimal" means: the cost of the tree is at most 1 + TOLERANCE times that of any other. It is
checked after every search, from what the search proved: no tree costs less than U units.

- Leaves and the penalty are rounded down, so in the rounded numbers no tree costs less than
  V = U units less `excess`, by which squares p^2 / w' were rounded up. That is the same for every
  tree, and known nearly exactly: it costs next to nothing of the bound.
- The error of a tree is the squared distance, in the norm of the weights w', of the targets from
  their projection on its leaves. All targets together were moved by rho, so with the user's
  targets no tree costs less than (sqrt(V) - rho)^2.
- Weights were rounded down, and each leaf costs at least as much with larger ones; where one would
  have become zero it was raised, by the share `raised` at most, for which 1 + raised divides.
- Before that, weights with more than 60 digits in all were rounded (exactree/weights.py), by a
  share below 2^-33 each, which makes as much of every cost.

The cost of the tree found is added up anew, with all digits. If it is farther above that bound, the
gaps that no leaf of a tree as good can span are shortened (`without_gaps`), and the search is
repeated with finer steps; what even that does not prove is left to the engine in NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import frexp, ldexp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engines.running import run_native
from exactree.engines.whole import tree_cost
from exactree.objectives.native import Squares as SquaresForm
from exactree.objectives.sums import exact_sum, squared_error
from exactree.problem import Limits, Number, Problem
from exactree.tree import Tree

Floats = NDArray[np.float64]

SUMS = 2.0**53
UNIT_BITS = 56
LEAST_UNIT_BITS = 42
MOST_DECIMALS = 9
# "Optimal" is within this share of the optimum; see docs/objectives.md.
TOLERANCE = 1e-9
# The relative error from rounding weights to 60 digits, counted twice: down and up.
WEIGHTS_SHARE = 2.0**-32


@dataclass(frozen=True, eq=False)
class Squares:
    """Whole weights (None: one each) and sums; one unit of cost is worth `price`.

    The single leaf costs about `leaf` units. `excess` units, the distance `moved` and the shares by
    which weights were `raised` and `lowered` at most are what rounding did: see above.
    """

    sums: Floats
    weights: Floats | None
    shift: int
    price: Fraction
    leaf: float
    excess: float = 0.0
    moved: float = 0.0
    raised: float = 0.0
    lowered: float = 0.0

    def units(self, cost: Number) -> int:
        """Round a penalty down to units; one above any possible error is capped."""
        return min(int(Fraction(cost) / self.price), 2**59)

    def worth(self, units: int) -> float:
        """Give what so many units are worth."""
        return float(units * self.price)

    def least_cost(self, units: int) -> float:
        """Turn a lower bound in units into a lower bound on the user's cost."""
        cost = max(float((units - Fraction(self.excess)) * self.price), 0.0)
        if cost == 0:
            return 0.0
        share = max(1 - self.moved / sqrt(cost), 0.0)
        return cost * share * share / (1 + self.raised) * (1 - 1e-14)

    def bound(self, cost: float, leaves: int) -> int:
        """Turn a lower bound on the user's cost into one in units, for trees of so many leaves.

        The inequalities of `least_cost`, reversed; each leaf and each split is rounded down.
        """
        kept = cost * (1 - self.lowered) * (1 - 1e-9)
        if kept <= 0:
            return 0
        share = max(1 - self.moved / sqrt(kept), 0.0)
        return max(int(Fraction(kept * share * share) / self.price) - 2 * leaves, 0)

    def search(self, problem: Problem, limits: Limits, terms: dict[str, Any]) -> Any:
        """Search natively."""
        rows = (problem.columns, self.sums, self.weights, problem.least_side.counts)
        return run_native(limits, "squares", rows, {**terms, "shift": self.shift})


def is_optimal(cost: float, least: float) -> bool:
    """Tell whether a tree of this cost is optimal if none is below `least`: the tolerance.

    >>> is_optimal(1 + 1e-10, 1.0), is_optimal(1 + 1e-9, 1.0), is_optimal(0.0, 0.0)
    (True, False, True)
    """
    return cost <= least * (1 + TOLERANCE - WEIGHTS_SHARE)


def why_not_whole(problem: Problem) -> str | None:
    """Say why the native search cannot take a problem; None if it can."""
    if problem.partitions is not None and not (problem.form and problem.form.over_partitions):
        return (
            "its splits are listed partitions, which it knows for 'error' and costs per row alone"
        )
    return None


def is_squared(problem: Problem) -> bool:
    """Tell whether the objective is the squared error itself."""
    return isinstance(problem.form, SquaresForm)


def whole_squares(problem: Problem, y: Floats, *, shortened: bool = False) -> Squares:
    """Give targets in whole numbers, multiples of a power of ten if they are and not `shortened`.

    >>> from exactree.objectives import SquaredError
    >>> from exactree.problem import Problem
    >>> line = np.arange(3, dtype=np.int32)
    >>> p = Problem(line[None], line, 3, objective=SquaredError(), values=np.array([0.1, 0.2, 0.9]))
    >>> squares = whole_squares(p, p.targets().y)
    >>> (squares.sums / 2**25).tolist(), squares.price * 4**25, squares.shift
    ([-1.0, 0.0, 7.0], Fraction(1, 100), 0)
    """
    weights, worth = _whole_weights(problem)
    centre = _median(y, weights)
    exact = None if shortened else _decimal(y, centre, weights, worth)
    found = exact or _finest(y, centre, weights, worth, shortened)
    if weights is None:
        return found
    raised, lowered = _rounded(problem, weights, worth)
    return replace(found, raised=raised, lowered=lowered)


def _whole_weights(problem: Problem) -> tuple[Floats | None, Fraction]:
    """Give whole weights, and what one is worth."""
    if problem.weights is None:
        return None, problem.scale * problem.unit
    total = int(problem.weights.sum())
    if total < SUMS:
        return problem.weights.astype(np.float64), problem.scale
    # Rounded down with room for those that are raised to one.
    factor = (2**53 - problem.n_rows - 1) / total
    weights = np.floor(problem.weights.astype(np.float64) * (factor * (1 - 1e-15)))
    return np.maximum(weights, 1.0), problem.scale / Fraction(factor)


def _rounded(problem: Problem, weights: Floats, worth: Fraction) -> tuple[float, float]:
    """Give the shares by which weights were raised and lowered at most."""
    assert problem.weights is not None
    if worth == problem.scale:
        return 0.0, 0.0
    ratio = weights / (problem.weights * float(problem.scale / worth))
    return max(float(ratio.max()) * (1 + 1e-15) - 1, 0.0), 1 - float(ratio.min())


def _decimal(y: Floats, centre: float, weights: Floats | None, worth: Fraction) -> Squares | None:
    """Take targets that are whole multiples of a power of ten as they are."""
    w = np.ones(len(y)) if weights is None else weights
    for digits in range(MOST_DECIMALS + 1):
        tens = y * 10.0**digits
        whole = np.rint(tens)
        off = np.abs(tens - whole) + 2.0**-52 * np.abs(tens)
        if float(np.abs(whole).max()) >= 2.0**50:
            return None
        if float(off.max()) > 2.0**-24:
            continue
        steps = whole - np.rint(centre * 10.0**digits)
        square = float((w * steps) @ steps)
        if float(w @ np.abs(steps)) * 1.001 >= SUMS or square >= 2.0**57:
            return None
        # Whole numbers of up to ten digits and no decimals are exactly what they are.
        off = np.zeros(len(y)) if digits == 0 and (tens == whole).all() else off
        price = worth / 100**digits
        moved = sqrt(float(w @ (off * off)) * float(price))
        finer = _room(float(w @ np.abs(steps)), square)
        sums = np.ldexp(w * steps, finer)
        return Squares(sums, weights, 0, price / 4**finer, _leaf(sums, w), moved=moved)
    return None


def _room(total: float, square: float) -> int:
    """Give how often steps can be halved: what is rounded to whole units is so much less then."""
    by_sums = 52 - frexp(total)[1]
    return max(min(by_sums, (UNIT_BITS - frexp(square)[1]) // 2), 0)


def _finest(
    y: Floats, centre: float, weights: Floats | None, worth: Fraction, shortened: bool
) -> Squares:
    """Round to the finest steps, powers of two."""
    d, w = y - centre, np.ones(len(y)) if weights is None else weights
    place = 54 - frexp(float(w @ np.abs(d)))[1]
    while True:
        sums = np.rint(np.ldexp(w * d, place))
        if float(np.abs(sums).sum()) < SUMS:
            break
        place -= 1
    # In steps: what rounding moved, and what differences, products and quotients had lost.
    lost = np.ldexp(np.abs(d) + np.abs(y) * shortened, place - 51)
    off = np.abs(np.ldexp(d, place) - sums / w) + lost
    total = _leaf(sums, w)
    # Rows of equal targets and different weights are rounded differently. Units are made large
    # enough to hide that, unless they would be too coarse.
    hiding = 0 if weights is None else len(d).bit_length() + 1
    bits = frexp(total)[1]
    shift = max(bits - UNIT_BITS, min(hiding, bits - LEAST_UNIT_BITS), 0)
    step = Fraction(2) ** -place
    moved = sqrt(float(w @ (off * off)) * float(worth)) * float(step)
    excess = 0.0 if weights is None else ldexp(_rounded_up(sums, w), -shift)
    price = worth * step**2 * 2**shift
    return Squares(sums, weights, shift, price, ldexp(total, -shift), excess, moved)


def _leaf(sums: Floats, weights: Floats) -> float:
    """Give what the single leaf costs, nearly."""
    return float((sums / weights) @ sums) - float(sums.sum()) ** 2 / float(weights.sum())


def _rounded_up(sums: Floats, weights: Floats) -> float:
    """Bound what rounding the squares up to whole numbers adds, from above.

    A square in float64 is off by a share of 2^-52 at most. Where that could hide that a whole
    number is passed, the square counts as rounded up by one.

    >>> round(_rounded_up(np.array([1.0, 4.0]), np.array([2.0, 3.0])), 6)
    1.166667
    """
    squares = sums * sums / weights
    unsure = squares * 2.0**-51
    up = np.ceil(squares) - squares
    sure = (up > unsure) & (up + unsure < 1)
    return exact_sum(np.where(sure, up + unsure, 1.0))


def _median(y: Floats, weights: Floats | None) -> float:
    order = np.argsort(y)
    if weights is None:
        return float(y[order[len(y) // 2]])
    below = np.cumsum(weights[order])
    return float(y[order[np.searchsorted(below, below[-1] / 2)]])


def loss(problem: Problem, tree: Tree) -> float:
    """Add up squared deviations from the means of the leaves, and penalties, with all digits."""
    return tree_cost(problem, tree, lambda inside: squared_error(inside.y, inside.weights))


def without_gaps(y: Floats, weights: NDArray[Any], best: float) -> Floats:
    """Shorten the gaps between targets that no leaf spans in a tree of error `best` or less.

    Proof. A leaf with rows on both sides of a gap g has an error of at least g^2 ab / (a + b), a
    and b their weights, hence at least g^2 times half the least weight. Where that is above
    `best`, before and after, no such tree has a leaf that spans the gap, and the error of any other
    leaf does not change by moving the targets beyond it together.

    >>> without_gaps(np.array([0.0, 1.0, 1e9, 1e9 + 1]), np.ones(4), 2.0).tolist()
    [0.0, 1.0, 8.0, 9.0]
    """
    widest = 1.5 * float(np.sqrt(2 * best / float(weights.min())))
    least = ldexp(1.0, frexp(widest)[1])
    values, place = np.unique(y, return_inverse=True)
    gaps = np.diff(values)
    short = np.minimum(gaps, least)
    if (short == gaps).all():
        return y
    # From gap to gap the targets keep their differences; what is added is a multiple of a power of
    # two, so that a target is rounded once.
    block = np.concatenate([[0], np.cumsum(short < gaps)])
    starts = np.searchsorted(block, np.arange(block[-1] + 1))
    inside = values - values[starts][block]
    ends = np.append(starts[1:], len(values)) - 1
    lengths = np.ceil(inside[ends[:-1]] / least) * least + least
    offsets = np.concatenate([[0.0], np.cumsum(lengths)])
    return np.asarray((inside + offsets[block])[place.reshape(-1)])
