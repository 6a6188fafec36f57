"""Constraints: what the two sides of every split have to keep to.

A constraint is separable: whether a split is allowed depends on the rows of its two sides alone,
not on what stands below. Only such a condition may be applied inside the recursion (`spec` has the
proof). Lower bounds of the engines speak of the problem without constraints, upper bounds of the
one with them, so that any constraint of this kind leaves them right.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Targets

Values = NDArray[Any]
Mask = NDArray[np.bool_]


class Constraint(ABC):
    """What each side of a split has to keep to; the base of a constraint of one's own.

    Every row has measures, which add up over the rows of a side. `docs/extending.md` has an
    example.
    """

    words: str = "a constraint on every side"
    """What to add to the words for the trees that compete."""

    @abstractmethod
    def measures(self, targets: Targets, counts: NDArray[np.int64]) -> Values:
        """Give what adds up over the rows of a side: rows by measures.

        A row may stand for several equal ones: `counts` says for how many, and its weight in
        `targets` is that of all of them. Whole numbers add up to the same in any order.
        """

    @abstractmethod
    def allows(self, sums: Values) -> Mask:
        """Tell which sides are allowed, many at once: the last axis has the measures."""


@dataclass(frozen=True, eq=False)
class LeastSide(Constraint):
    """At least so much on each side, of the rows or of their weight: what native searches know.

    `counts` says what each row counts; None: one.
    """

    least: int = 1
    counts: NDArray[np.int32] | None = None

    @property
    def binds(self) -> bool:
        """Whether it forbids any split: those that leave a side empty are none."""
        return self.least > 1

    def counted(self, n_rows: int) -> NDArray[np.int64]:
        """Give what each of the rows counts."""
        return np.ones(n_rows, np.int64) if self.counts is None else self.counts.astype(np.int64)

    def take(self, rows: NDArray[np.intp]) -> LeastSide:
        """Give the same limit for some of the rows."""
        return self if self.counts is None else LeastSide(self.least, self.counts[rows])

    def enough(self, rows: NDArray[np.intp]) -> bool:
        """Tell whether these rows may be a side."""
        return bool((len(rows) if self.counts is None else self.counts[rows].sum()) >= self.least)

    def measures(self, targets: Targets, counts: NDArray[np.int64]) -> Values:
        """Give what every row counts."""
        return self.counted(len(targets))[:, None]

    def allows(self, sums: Values) -> Mask:
        """Tell which sides count enough.

        >>> LeastSide(2).allows(np.array([[1], [2]])).tolist()
        [False, True]
        """
        return np.asarray(sums[..., 0] >= self.least)


Limit = tuple[Constraint, Targets, NDArray[np.int64]]


class SideLimit:
    """All constraints of a problem, with the measures of its rows."""

    def __init__(self, n_rows: int, limits: Sequence[Limit]) -> None:
        self.constraints = [constraint for constraint, _, _ in limits]
        tables = [_measured(*limit) for limit in limits]
        nothing = np.zeros((n_rows, 0), dtype=np.int64)
        self.measures: Values = np.concatenate([nothing, *tables], axis=1)
        self.ends = np.cumsum([table.shape[1] for table in tables]).tolist()

    @property
    def binding(self) -> bool:
        """Whether there is any constraint."""
        return bool(self.constraints)

    def allows(self, left: Values, right: Values) -> Mask:
        """Tell which splits are allowed, by the sums of the measures on their sides."""
        allowed = np.ones(left.shape[:-1], dtype=bool)
        start = 0
        for constraint, end in zip(self.constraints, self.ends, strict=True):
            for side in (left, right):
                allowed &= constraint.allows(side[..., start:end])
            start = end
        return allowed

    def allows_sides(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> bool:
        """Tell whether a split into these rows is allowed."""
        sums = [self.measures[side].sum(axis=0) for side in (left, right)]
        return bool(self.allows(*sums))


def _measured(constraint: Constraint, targets: Targets, counts: NDArray[np.int64]) -> Values:
    table = np.asarray(constraint.measures(targets, counts))
    if table.ndim != 2 or len(table) != len(targets):
        raise ValueError(
            f"measures() of the constraint {constraint!r} has shape {table.shape}: give a line for "
            f"each of the {len(targets)} rows, and a column for each measure"
        )
    return table
