"""Exact linear separation: the widest margin by a simplex method in fractions.

Glossary
    a_i   vectors; w separates them if w . a_i > 0 for all i
    y     weights of a combination; by Gordan either some w separates, or some y >= 0 with sum 1 has
          sum y_i a_i = 0
    u     the dual variables, one per row; at the optimum w = -u (without the last) separates, and
          the last one is the margin
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

Vector = Sequence[Fraction]


def separate(
    vectors: Sequence[Vector], tick: Callable[[], object] | None = None
) -> list[Fraction] | None:
    """Give the w with |w_k| <= 1 whose smallest w . a_i is largest, or None if none is positive.

    This is the dual of phase one of the simplex method for sum y_i (a_i, 1) = (0, 1), y >= 0, with
    an artificial variable of either sign for each row: their cost bounds w. Bland's rule ends it.
    `tick` is called before every step; what it raises ends it too.

    >>> separate([(Fraction(1), Fraction(2)), (Fraction(1), Fraction(-1))])
    [Fraction(1, 1), Fraction(0, 1)]
    >>> separate([(Fraction(1),), (Fraction(-1),)]) is None
    True
    """
    rows = len(vectors[0]) + 1
    columns = [[*vector, Fraction(1)] for vector in vectors]
    columns += [_unit(rows, k, sign) for k in range(rows - 1) for sign in (1, -1)]
    columns.append(_unit(rows, rows - 1, 1))
    costs = [0] * len(vectors) + [1] * (len(columns) - len(vectors))
    basis = [len(vectors) + 2 * k for k in range(rows)]
    tableau = _Basis(basis, rows)
    while True:
        if tick is not None:
            tick()
        prices = tableau.prices(costs)
        entering = next(
            (j for j, column in enumerate(columns) if _dot(prices, column) > costs[j]), None
        )
        if entering is None:
            break
        tableau.enter(entering, columns[entering])
    return [-p for p in prices[:-1]] if prices[-1] > 0 else None


class _Basis:
    """The basic variables, their values, and the inverse of their columns."""

    def __init__(self, variables: list[int], rows: int) -> None:
        self.variables = variables
        self.inverse = [_unit(rows, k, 1) for k in range(rows)]
        self.values = _unit(rows, rows - 1, 1)

    def prices(self, costs: Sequence[int]) -> list[Fraction]:
        """Give the dual variables: the costs of the basis times its inverse."""
        paid = [row for v, row in zip(self.variables, self.inverse, strict=True) if costs[v]]
        return [sum((row[k] for row in paid), Fraction(0)) for k in range(len(self.values))]

    def enter(self, variable: int, column: Vector) -> None:
        """Exchange a variable for the one that reaches zero first, the lowest of several."""
        step = [_dot(row, column) for row in self.inverse]
        limits = [
            (self.values[k] / step[k], self.variables[k], k)
            for k in range(len(step))
            if step[k] > 0
        ]
        _, _, leaving = min(limits)
        pivot = step[leaving]
        self.inverse[leaving] = [x / pivot for x in self.inverse[leaving]]
        self.values[leaving] /= pivot
        for k, factor in enumerate(step):
            if k != leaving and factor:
                new = self.inverse[leaving]
                self.inverse[k] = [
                    x - factor * y for x, y in zip(self.inverse[k], new, strict=True)
                ]
                self.values[k] -= factor * self.values[leaving]
        self.variables[leaving] = variable


def _unit(size: int, k: int, sign: int) -> list[Fraction]:
    return [Fraction(sign if i == k else 0) for i in range(size)]


def _dot(a: Vector, b: Vector) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))
