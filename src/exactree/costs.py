"""Tables of costs, a row for each row and a column for each answer, as whole numbers.

Every row's least cost is subtracted first: all trees pay it. What remains is not negative, and
costs may be. Whole numbers stay as they are, as long as the largest remaining costs of all rows add
up to less than 2^59; so do other numbers that are multiples of a power of two (as all float64 are)
with so small a sum. Others are rounded once to a multiple of a unit, a power of two below 2^-57 of
that sum. For n rows this changes the cost of a tree by n / 2 units at most, n 2^-58 of the sum:
1e-12 of it for a quarter of a million rows. The search is exact on what was rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.weights import last_binary_place

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# The largest costs of all rows add up to less.
COST_BITS = 59


@dataclass(frozen=True, eq=False)
class Costs:
    """What each answer costs for every row that counts, times the row's weight.

    Parameters
    ----------
    table : (n, A) int64
        Costs beyond the row's least, in units.
    unit : Fraction
        What a unit is worth.
    least : (n,) float64 or int64
        The least cost of each row, in the user's units.
    weights : (n,) float64 or None
        The user's weights; None: all one.
    answers : (A,) array
        What the columns stand for: their names, or their numbers.
    """

    table: Ints
    unit: Fraction
    least: NDArray[Any]
    weights: Floats | None
    answers: NDArray[Any]

    @property
    def weight(self) -> Fraction:
        """The sum of the weights."""
        if self.weights is None:
            return Fraction(len(self.table))
        return Fraction(fsum(self.weights.tolist()))

    def worth_of_least(self, rows: NDArray[Any] | slice = slice(None)) -> Fraction:
        """Add up what some rows cost whatever they are answered."""
        least = self.least[rows]
        if least.dtype.kind == "i":
            return Fraction(sum(least.tolist()))
        return Fraction(fsum(least.tolist()))


def read_costs(
    costs: Any, n_rows: int | None, name: str = "costs"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give a table of numbers, whole ones as such, and the answers its columns stand for.

    >>> read_costs([[0.0, 1.5], [2.0, 0.0]], 2)[1].tolist()
    [0, 1]
    """
    table = _as_table(costs, name)
    if table.ndim != 2 or not table.shape[1]:
        raise ValueError(
            f"{name} have shape {table.shape}: give a table with a row for each row of X and a "
            "column for each answer"
        )
    if n_rows is not None and len(table) != n_rows:
        raise ValueError(f"{name} have {len(table)} rows, X has {n_rows}: give a row for each")
    if table.shape[1] == 1:
        raise ValueError(
            f"{name} have one column, so there is nothing to choose: give a column for each "
            f"answer, for one treatment np.column_stack([np.zeros(n), {name}])"
        )
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        i, a = bad[0].tolist()
        raise ValueError(
            f"{name}[{i}, {a}] is {table[i, a]}: every answer needs a finite number for every row; "
            "fill it in, or make it very bad if it must not be chosen"
        )
    names = getattr(costs, "columns", None)
    answers = np.arange(table.shape[1]) if names is None else np.array(list(names))
    return table, answers


def _as_table(costs: Any, name: str) -> NDArray[Any]:
    given = np.asarray(costs)
    if given.dtype.kind in "biu" and (given.size == 0 or int(given.max()) < 2**62):
        return given.astype(np.int64)
    if given.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} must be real numbers")
    try:
        return given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} are no table of numbers ({error})") from error


def whole_costs(table: NDArray[Any], weights: Floats | None, answers: NDArray[Any]) -> Costs:
    """Subtract what every row costs at least, and turn the rest into whole units.

    >>> found = whole_costs(np.array([[-1.0, 2.0], [0.5, 0.0]]), None, np.arange(2))
    >>> found.table.tolist(), found.unit, float(found.worth_of_least())
    ([[0, 6], [1, 0]], Fraction(1, 2), -1.0)
    """
    kept = _exact_integers(table, weights)
    if kept is None:
        numbers = table.astype(np.float64)
        times = np.ones(len(table)) if weights is None else weights
        least = numbers.min(axis=1)
        with np.errstate(over="ignore"):  # refused below
            rest = (numbers - least[:, None]) * times[:, None]
        units, unit = _in_units(rest)
        kept = units, unit, least * times
    return Costs(kept[0], kept[1], kept[2], weights, answers)


def _exact_integers(
    table: NDArray[Any], weights: Floats | None
) -> tuple[Ints, Fraction, Any] | None:
    """Give whole costs with whole weights as they are, if they fit."""
    if table.dtype.kind != "i" or len(table) == 0:
        return None
    whole = np.ones(len(table)) if weights is None else weights
    if (whole != np.rint(whole)).any():
        return None
    largest = max(abs(int(table.max())), abs(int(table.min())))
    if 2 * largest * int(whole.sum()) >= 2**COST_BITS:
        return None
    times = whole.astype(np.int64)
    least = table.min(axis=1)
    return (table - least[:, None]) * times[:, None], Fraction(1), least * times


def _in_units(rest: Floats) -> tuple[Ints, Fraction]:
    """Round costs to multiples of a power of two, exactly if their sums stay below 2^59 of it."""
    largest = rest.max(axis=1)
    if not np.isfinite(largest).all():
        raise ValueError("costs differ by more than float64 can hold: divide them by a constant")
    positive = rest[rest > 0]
    if not len(positive):
        return np.zeros(rest.shape, np.int64), Fraction(1)
    lowest, top = last_binary_place(positive), int(np.frexp(largest.max())[1])
    total = np.ldexp(largest, -top).sum()
    place = max(lowest, top + int(np.frexp(total)[1]) - COST_BITS + 1)
    return np.rint(np.ldexp(rest, -place)).astype(np.int64), Fraction(2) ** place
