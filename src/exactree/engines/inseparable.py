"""A lower bound for one split and two classes: sets of rows that no surface parts by their class.

Glossary
    z_i    the vector of row i: a constant and the terms of the family, exact
    s_i    1 or -1, its class
    set    rows with numbers v_i > 0 such that sum v_i s_i z_i = 0

Proof. A surface is a vector w with w . z_i > 0 on one side; as there are finitely many rows and a
constant among the terms, it can be moved a little so that no row is on it. If all rows of a set
were right, s_i w . z_i would be positive for all of them (or negative, if the classes are named the
other way round), and so would be sum v_i s_i w . z_i = w . 0 = 0. So in every set at least one row
is an error. Two leaves of one class are the surface that has all rows on one side. Hence the errors
of any tree of one split are rows that meet every set, and weigh at least as much as the lightest
rows that do.

Sets are found by a linear program in floating point and then verified in fractions; the lightest
rows that meet them all are found by branch and bound in integers. So no rounding is in the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.partitions import Terms
from exactree.problem import Ints, Problem
from exactree.programs import solved

Rows = tuple[int, ...]
# Where the best tree makes more errors than this, the lightest rows are not looked for.
MOST_ERRORS = 15
MOST_PROGRAMS = 300
MOST_NUMBERS = 10**6
MOST_NODES = 20_000


def applies(problem: Problem, terms: Terms) -> bool:
    """Tell whether the bound is for this problem, and likely to be worth its time."""
    one = problem.max_depth == 1 or problem.max_splits == 1
    return one and problem.n_classes == 2 and terms.values.size <= MOST_NUMBERS


def one_split(problem: Problem, terms: Terms, upper: int, seconds_left: Callable[[], float]) -> int:
    """Bound the loss of one split; `upper` is the loss of a tree that is known.

    Alternates between the lightest rows that meet all sets so far and sets that avoid these, until
    nothing is missing or too much was tried.
    """
    finder = _Finder(problem, terms)
    weights = problem.row_costs()
    sets: list[Rows] = []
    bound, met = 0, np.zeros(problem.n_rows, dtype=bool)
    while bound < upper and finder.programs < MOST_PROGRAMS and seconds_left() > 0:
        fresh = finder.disjoint(met, seconds_left)
        if not fresh:
            break
        sets += fresh
        if not len(sets) > len(fresh):  # they are disjoint: each costs its lightest row
            bound = sum(int(weights[list(rows)].min()) for rows in sets)
        if upper > MOST_ERRORS * int(weights.max()):
            break
        chosen = lightest(sets, weights)
        if chosen is None:
            break
        bound = max(bound, int(weights[list(chosen)].sum()))
        met = np.zeros(problem.n_rows, dtype=bool)
        met[list(chosen)] = True
    return bound


class _Finder:
    """Finds sets by linear programs: sum y_i s_i z_i = 0, sum y_i = 1, y >= 0, at a vertex."""

    def __init__(self, problem: Problem, terms: Terms) -> None:
        self.terms, self.sign = terms, np.where(problem.labels == 1, 1.0, -1.0)
        columns = np.vstack([terms.values, np.ones(problem.n_rows)])
        self.equations = np.vstack([self.sign * columns, np.ones(problem.n_rows)])
        self.weights = problem.row_costs() / problem.row_costs().min()
        self.random = np.random.default_rng(0)
        self.programs = 0

    def disjoint(self, avoid: NDArray[np.bool_], seconds_left: Callable[[], float]) -> list[Rows]:
        """Give verified sets without these rows and without common rows, as many as come."""
        out, found = avoid.copy(), []
        while self.programs < MOST_PROGRAMS and seconds_left() > 0:
            rows = self._find(out, seconds_left)
            if rows is None:
                break
            verified = exact_set(self.terms.vectors(np.array(rows)), self.sign[list(rows)])
            if verified is None:
                break
            rows = tuple(rows[k] for k in verified)
            found.append(rows)
            out[list(rows)] = True
        return found

    def _find(self, out: NDArray[np.bool_], seconds_left: Callable[[], float]) -> Rows | None:
        self.programs += 1
        inside = np.flatnonzero(~out)
        if not len(inside):  # every row is in a set
            return None
        right = np.zeros(len(self.equations))
        right[-1] = 1.0
        result = solved(
            self.random.random(len(inside)) / self.weights[inside],
            seconds_left,
            method="highs-ds",
            A_eq=self.equations[:, inside],
            b_eq=right,
        )
        if result is None:
            return None
        return tuple(inside[result.x > 1e-9].tolist())


def exact_set(vectors: Sequence[Sequence[Fraction]], sign: NDArray[np.float64]) -> list[int] | None:
    """Give the places of the rows with v > 0 in the combination that is 0, or None.

    None too if there are several such combinations: the rows of a vertex have one.

    >>> line = [[Fraction(1), Fraction(x)] for x in (0, 1, 2)]
    >>> exact_set(line, np.array([1.0, -1.0, 1.0])), exact_set(line, np.array([1.0, 1.0, -1.0]))
    ([0, 1, 2], None)
    """
    signed = [[int(s) * x for x in row] for row, s in zip(vectors, sign, strict=True)]
    kernel = _kernel([list(column) for column in zip(*signed, strict=True)])
    if kernel is None:
        return None
    if all(v <= 0 for v in kernel):
        kernel = [-v for v in kernel]
    return [k for k, v in enumerate(kernel) if v] if all(v >= 0 for v in kernel) else None


def _kernel(matrix: list[list[Fraction]]) -> list[Fraction] | None:
    """Solve matrix v = 0 by elimination; None unless there is one solution up to a factor."""
    width = len(matrix[0])
    pivots: list[int] = []
    for column in range(width):
        at = len(pivots)
        row = next((r for r in range(at, len(matrix)) if matrix[r][column]), None)
        if row is None:
            continue
        matrix[at], matrix[row] = matrix[row], matrix[at]
        pivot = matrix[at][column]
        matrix[at] = [x / pivot for x in matrix[at]]
        for r in range(len(matrix)):
            factor = matrix[r][column]
            if r != at and factor:
                matrix[r] = [x - factor * y for x, y in zip(matrix[r], matrix[at], strict=True)]
        pivots.append(column)
    free = [column for column in range(width) if column not in pivots]
    if len(free) != 1:
        return None
    kernel = [Fraction(0)] * width
    kernel[free[0]] = Fraction(1)
    for r, column in enumerate(pivots):
        kernel[column] = -matrix[r][free[0]]
    return kernel


def lightest(sets: Sequence[Rows], weights: Ints) -> Rows | None:
    """Find the lightest rows that meet all sets, by branch and bound; None if that takes too long.

    A branch takes one row of the set with the fewest rows left. What disjoint sets that are not met
    yet cost at least, each its lightest row, bounds it; rows that were tried are left out after.

    >>> lightest([(0, 1), (1, 2), (3, 4)], np.array([1, 1, 1, 5, 2]))
    (1, 4)
    """
    cost = {row: int(weights[row]) for rows in sets for row in rows}
    best: list[tuple[int, Rows]] = [(sum(cost.values()) + 1, ())]
    nodes = [0]

    def search(open_sets: list[frozenset[int]], taken: Rows, paid: int) -> None:
        nodes[0] += 1
        if nodes[0] > MOST_NODES:
            return
        if not open_sets:
            if paid < best[0][0]:
                best[0] = (paid, taken)
            return
        if any(not rows for rows in open_sets) or paid + _packing(open_sets, cost) >= best[0][0]:
            return
        branch = min(open_sets, key=len)
        counts = {row: sum(row in rows for rows in open_sets) for row in branch}
        gone: set[int] = set()
        for row in sorted(branch, key=lambda row: (-counts[row] / cost[row], row)):
            rest = [rows - gone for rows in open_sets if row not in rows]
            search(rest, (*taken, row), paid + cost[row])
            gone.add(row)

    search([frozenset(rows) for rows in sets], (), 0)
    return None if nodes[0] > MOST_NODES else tuple(sorted(best[0][1]))


def _packing(open_sets: list[frozenset[int]], cost: dict[int, int]) -> int:
    used: set[int] = set()
    total = 0
    for rows in sorted(open_sets, key=len):
        if not rows & used:
            used |= rows
            total += min(cost[row] for row in rows)
    return total
