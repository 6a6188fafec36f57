"""Losses of numbers in whole numbers: what a search proves in units, in the user's weight.

The native search takes rows of whole numbers and a loss that is a least sum over predictions, whole
as well (cpp/search/targets/number_loss.hpp has what it relies on). How far that is from the user's
loss is bounded here, for every tree at once:

    whole cost of a tree in units, rounded down in every leaf,  <=  exact whole cost
    |exact whole cost - cost of the tree|  <=  lost, and a share of weights that were rounded
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.objectives import Targets
from exactree.problem import Limits, Number, Problem
from exactree.tree import Leaf, Tree, size

Floats = NDArray[np.float64]

SUMS = 2.0**53
# Costs of the single leaf have so many binary digits.
UNIT_BITS = 56
MOST_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss as plain data, which other processes can be sent: the arguments of a native class."""

    kind: str
    rows: tuple[Any, ...]
    terms: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def made(self) -> _native.NumberLoss:
        """The native loss."""
        found: _native.NumberLoss = getattr(_native, self.kind)(*self.rows, **self.terms)
        return found


@dataclass(frozen=True, eq=False)
class Whole:
    """A loss for the native search; one unit of cost is worth `price`.

    The single leaf costs `leaf` units. `lost` and the shares by which weights were `raised` and
    `lowered` at most are what rounding did: see above.
    """

    loss: Loss
    price: Fraction
    lost: float = 0.0
    raised: float = 0.0
    lowered: float = 0.0
    shift: int = 0
    leaf: float = 0.0

    def units(self, cost: Number) -> int:
        """Round a penalty down to units; one above any possible error is capped."""
        return min(int(Fraction(cost) / self.price * (1 - Fraction(1, 10**12))), 2**59)

    def worth(self, units: int) -> float:
        """Give what so many units are worth."""
        return float(units * self.price)

    def least_cost(self, units: int) -> float:
        """Turn a lower bound in units into a lower bound on the user's cost."""
        cost = (self.worth(units) * (1 - 1e-14) - self.lost) / (1 + self.raised)
        return max(cost, 0.0)

    def bound(self, cost: float, leaves: int) -> int:
        """Turn a lower bound on the user's cost into one in units, for trees of so many leaves.

        `least_cost` reversed; each leaf and each split is rounded down.
        """
        kept = cost * (1 - self.lowered) * (1 - 1e-9) - self.lost
        return max(int(Fraction(max(kept, 0.0)) / self.price) - 2 * leaves, 0)

    def search(self, problem: Problem, limits: Limits, terms: dict[str, Any]) -> Any:
        """Search natively, here or elsewhere."""
        terms = {**terms, "shift": self.shift}
        columns, counts = problem.columns, problem.least_side.counts
        if limits.elsewhere is None:
            return _native.search_losses(columns, self.loss.made, counts, **terms)
        plain = self.loss.kind, self.loss.rows, self.loss.terms
        return limits.elsewhere("losses", (columns, plain, counts), terms)

    def in_units(self, rows: int) -> Whole:
        """Choose the unit: the single leaf costs a number of `UNIT_BITS` digits at most."""
        total = self.loss.made.error(np.arange(rows, dtype=np.int32))
        shift = max(int(total).bit_length() - UNIT_BITS, 0)
        leaf = float(int(total) >> shift)
        return replace(self, shift=shift, price=self.price * 2**shift, leaf=leaf)


@dataclass(frozen=True)
class Steps:
    """Numbers as whole multiples of a step, and by how much each was moved, in steps, at most."""

    whole: Floats
    step: Fraction
    moved: Floats


def in_steps(numbers: Floats, most: float) -> Steps:
    """Give numbers as multiples of a power of ten if they are, else of a power of two.

    Absolute values add up to less than `most`.

    >>> in_steps(np.array([0.25, 1.5]), 2.0**53).whole.tolist()
    [25.0, 150.0]
    >>> in_steps(np.array([1 / 3, 1.0]), 1000.0).whole.tolist()
    [171.0, 512.0]
    """
    for digits in range(MOST_DECIMALS + 1):
        tens = numbers * 10.0**digits
        whole = np.rint(tens)
        off = np.abs(tens - whole) + 2.0**-52 * np.abs(tens)
        if float(np.abs(whole).sum()) >= min(most, 2.0**50):
            break
        if float(off.max()) > 2.0**-24:
            continue
        if digits == 0 and (tens == whole).all():
            off = np.zeros(len(numbers))
        return Steps(whole, Fraction(1, 10**digits), off)
    place = int(np.frexp(most)[1]) - int(np.frexp(float(np.abs(numbers).sum()) or 1.0)[1])
    while True:
        whole = np.rint(np.ldexp(numbers, place))
        if float(np.abs(whole).sum()) < most:
            break
        place -= 1
    lost = np.abs(np.ldexp(numbers, place)) * 2.0**-52
    off = np.abs(np.ldexp(numbers, place) - whole) + lost
    return Steps(whole, Fraction(2) ** -place, off)


def whole_weights(problem: Problem, most: float) -> tuple[Floats | None, Fraction, float, float]:
    """Give whole weights (None: one each) below `most` in all, what one is worth, and the shares
    by which they were raised and lowered at most.
    """
    if problem.weights is None:
        return None, problem.scale * problem.unit, 0.0, 0.0
    total = int(problem.weights.sum())
    if total < most:
        return problem.weights.astype(np.float64), problem.scale, 0.0, 0.0
    # Rounded down with room for those that are raised to one.
    factor = (int(most) - problem.n_rows - 1) / total
    weights = np.floor(problem.weights.astype(np.float64) * (factor * (1 - 1e-15)))
    weights = np.maximum(weights, 1.0)
    worth = problem.scale / Fraction(factor)
    ratio = weights / (problem.weights * factor)
    raised = max(float(ratio.max()) * (1 + 1e-15) - 1, 0.0)
    return weights, worth, raised, max(1 - float(ratio.min()), 0.0)


def tree_cost(
    problem: Problem, tree: Tree, cost: Callable[[Targets], float] | None = None
) -> float:
    """Add up what the leaves of an engine's tree cost, and penalties, with all digits."""
    targets, cost = problem.targets(), cost or problem.objective.cost
    costs: list[float] = []

    def visit(node: Tree, rows: NDArray[np.intp]) -> None:
        if isinstance(node, Leaf):
            costs.append(float(cost(targets.take(rows))))
            return
        left = problem.goes_left(node.split, rows)
        visit(node.left, rows[left])
        visit(node.right, rows[~left])

    visit(tree, np.arange(problem.n_rows))
    return fsum([*costs, size(tree) * problem.penalty])
