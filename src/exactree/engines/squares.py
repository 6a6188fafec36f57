"""Squared error in whole numbers, as the native search wants it.

A row of weight w and target y becomes a whole weight and a whole sum p, nearly w (y - c) / step for
the median c. The steps are powers of two, as fine as keeps the sums of |p| and of w below 2^53, so
that adding them in float64 is exact. Costs are squares of steps in units of 2^shift; the proofs of
what the search does with them are in cpp/search/targets/squares.hpp. What that loses, for N rows of
weight one, T the error of the single leaf and f that of a tree:

- half a step a row. The error of a tree is the squared distance of the targets from their
  projection on its leaves, so it changes by sqrt(f N) + N / 4 at most (f in squared steps). As
  sum |p| > 2^51 and (sum |p|)^2 <= N T, that is below N 2^-51 sqrt(f T) and a trifle;
- a unit a leaf, and T is about 2^56 units;
- digits of weights whose sum needs more than 50, only where that changes no error by 4e-10 T.

So "optimal" means within 1e-9 T of the optimum up to a million rows. Where a tree leaves next to
nothing of T, because some targets lie far from all others, gaps that no leaf of a tree as good can
span are shortened (`without_gaps`), and the search is repeated with finer steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, fsum, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.bounds import equal_rows_cost
from exactree.objectives import MisclassificationError, SquaredError
from exactree.problem import Number, Problem
from exactree.tree import Leaf, Tree, size

Floats = NDArray[np.float64]

SUM_BITS = 52
WEIGHT_BITS = 50
UNIT_BITS = 56
# What the rounding of weights may change, relative to the error of the single leaf.
ROUNDING = 4e-10
# A tree is good enough if rounding may have hidden one that is better by this share.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Squares:
    """Whole weights (None: one each) and sums; one unit of cost is worth `price`."""

    sums: Floats
    weights: Floats | None
    shift: int
    price: float

    def units(self, cost: Number) -> int:
        """Give the nearest number of units, for a penalty; beyond any error it is all the same."""
        return round(min(cost / self.price, 2.0**59))

    def bound(self, cost: Number, rows: int) -> int:
        """Give a number of units that a cost is not below, whatever was rounded."""
        return max(int(cost / self.price * (1 - 1e-9)) - rows - 2, 0)


def why_not_whole(problem: Problem) -> str | None:
    """Say why the native search cannot take a problem; None if it can."""
    if type(problem.objective) is MisclassificationError:
        return None
    if problem.sides is not None:
        return "its splits are listed partitions, which it knows for objective 'error' alone"
    weighted = is_squared(problem) and problem.weights is not None
    if weighted and whole_squares(problem, problem.targets().y) is None:
        return "its weights are too unlike for whole numbers: round sample_weight"
    return None


def is_squared(problem: Problem) -> bool:
    """Tell whether the objective is the squared error itself."""
    return type(problem.objective) is SquaredError


def whole_squares(problem: Problem, y: Floats) -> Squares | None:
    """Give the targets in whole numbers; None if the weights are too unlike for that.

    >>> from exactree.problem import Problem
    >>> line = np.arange(3, dtype=np.int32)
    >>> p = Problem(line[None], line, 3, objective=SquaredError(), values=np.array([1.0, 2.0, 9.0]))
    >>> squares = whole_squares(p, p.targets().y)
    >>> (squares.sums / squares.sums[2] * 7).tolist()
    [-1.0, 0.0, 7.0]
    """
    weights = None if problem.weights is None else problem.weights.astype(np.float64)
    worth = float(problem.scale)
    if weights is not None and int(problem.weights.sum()) >= 2**WEIGHT_BITS:  # type: ignore[union-attr]
        weights, worth = _shorter(weights, worth)
    d = y - _median(y, weights)
    w = np.ones(len(y)) if weights is None else weights
    spread = float(w @ np.abs(d))
    if spread == 0:
        return Squares(np.zeros(len(y)), weights, 0, 1.0)
    if weights is not None and not _rounds_well(problem, weights, worth, d):
        return None
    place = SUM_BITS - frexp(spread)[1]
    sums = np.rint(np.ldexp(w * d, place))
    total = float((sums / w) @ sums) - float(sums.sum()) ** 2 / float(w.sum())
    if weights is not None and float((1 / w).sum()) > ROUNDING**2 * total:
        return None
    # Rows of one target and unlike weights would otherwise differ by their rounding.
    least = 0 if weights is None else len(y).bit_length() + 1
    shift = max(frexp(total)[1] - UNIT_BITS, least, 0)
    return Squares(sums, weights, shift, ldexp(worth, shift - 2 * place))


def _shorter(weights: Floats, worth: float) -> tuple[Floats, float]:
    """Drop binary digits until the sum is short enough."""
    less = frexp(float(weights.sum()))[1] - WEIGHT_BITS
    return np.maximum(np.rint(np.ldexp(weights, -less)), 1.0), ldexp(worth, less)


def _rounds_well(problem: Problem, weights: Floats, worth: float, d: Floats) -> bool:
    assert problem.weights is not None
    lost = np.abs(weights * worth - problem.weights * float(problem.scale))
    reach = np.ptp(d) ** 2
    total = float(problem.weights @ (d * d)) * float(problem.scale)
    return bool(float(lost.sum()) * float(reach) <= ROUNDING * total)


def _median(y: Floats, weights: Floats | None) -> float:
    order = np.argsort(y)
    if weights is None:
        return float(y[order[len(y) // 2]])
    below = np.cumsum(weights[order])
    return float(y[order[np.searchsorted(below, below[-1] / 2)]])


def loss(problem: Problem, tree: Tree) -> float:
    """Add up squared deviations from the means of the leaves, and penalties, with all digits."""
    targets = problem.targets()
    costs: list[float] = []

    def visit(node: Tree, rows: NDArray[np.intp]) -> None:
        if isinstance(node, Leaf):
            costs.append(squared_error(targets.y[rows], targets.weights[rows]))
            return
        left = problem.goes_left(node.split, rows)
        visit(node.left, rows[left])
        visit(node.right, rows[~left])

    visit(tree, np.arange(problem.n_rows))
    return fsum([*costs, size(tree) * problem.penalty])


def squared_error(y: Floats, weights: NDArray[Any]) -> float:
    """Give the weighted squared deviations from the mean.

    >>> squared_error(np.array([1e9, 1e9 + 2.0]), np.array([1.0, 1.0]))
    2.0
    """
    d = y - y[0]
    d = d - fsum(weights * d) / fsum(weights)
    # What the rounding of the mean leaves.
    rest = fsum(weights * d) / fsum(weights)
    return max(fsum(weights * d * d) - rest * rest * fsum(weights), 0.0)


def equal_rows_units(problem: Problem, squares: Squares) -> int:
    """Bound the cost of every tree by the groups of equal rows."""
    cost = equal_rows_cost(problem.keys(), problem.targets(), problem.objective)
    return squares.bound(cost, problem.n_rows)


def rounding(squares: Squares, cost: float, leaves: int) -> float:
    """Bound what rounding can change of a tree with this error and so many leaves."""
    w = np.ones(1) if squares.weights is None else squares.weights
    halves = float(np.broadcast_to(1 / w, squares.sums.shape).sum())
    step = ldexp(squares.price, -squares.shift)
    return float((cost * step * halves) ** 0.5 + step * halves / 4 + leaves * squares.price)


def is_coarse(squares: Squares, cost: float, leaves: int) -> bool:
    """Tell whether rounding may hide a tree that is better than this one by 1e-9 of its cost."""
    return 2 * rounding(squares, cost, leaves) > TOLERANCE * cost


def least_cost(squares: Squares, units: int) -> float:
    """Give what trees of so many units or more cost at least, rounding allowed for."""
    cost = units * squares.price
    return max(cost - 2 * rounding(squares, cost, 2), 0.0)


def without_gaps(y: Floats, weights: NDArray[Any], best: float) -> Floats:
    """Shorten the gaps between targets that no leaf spans in a tree of error `best` or less.

    Proof. A leaf with rows on both sides of a gap g has an error of at least g^2 ab / (a + b), a
    and b their weights, hence at least g^2 times half the least weight. Where that is above
    `best`, before and after, no such tree has a leaf that spans the gap, and the error of any other
    leaf does not change by moving the targets beyond it together.

    >>> without_gaps(np.array([0.0, 1.0, 1e9, 1e9 + 1]), np.ones(4), 2.0).tolist()
    [0.0, 1.0, 5.0, 6.0]
    """
    widest = 1.5 * float(np.sqrt(2 * best / float(weights.min())))
    values, place = np.unique(y, return_inverse=True)
    gaps = np.diff(values)
    short = np.minimum(gaps, ldexp(1.0, frexp(widest)[1]))
    if (short == gaps).all():
        return y
    # From gap to gap the targets keep their differences, to the last digit where they can.
    block = np.concatenate([[0], np.cumsum(short < gaps)])
    starts = np.searchsorted(block, np.arange(block[-1] + 1))
    inside = values - values[starts][block]
    ends = np.append(starts[1:], len(values)) - 1
    offsets = np.concatenate([[0.0], np.cumsum(inside[ends[:-1]] + short[ends[:-1]])])
    return np.asarray((inside + offsets[block])[place.reshape(-1)])
