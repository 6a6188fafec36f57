"""Planes of widest margin for a partition of many rows, by a linear program over few of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from exactree.programs import solved

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
SecondsLeft = Callable[[], float]

# The rows nearest to the plane come first, and then those that the plane found leaves nearer.
FIRST_ROWS = 1000
MORE_ROWS = 300
ROUNDS = 8
# Seconds that a number of the linear program takes to be written down; solving it takes longer.
SECONDS_A_NUMBER = 3e-8


def widened(
    plane: Sequence[float], values: Floats, left: Bools, seconds_left: SecondsLeft
) -> tuple[float, ...]:
    """Give a plane that parts the rows alike and leaves a wider margin; the same if none is found.

    `values` are columns by rows, `left` the rows that are not above 0. Of all planes with |w|_1 <=
    1, that of the largest least distance, found with the rows that matter.

    >>> values = np.array([[0.0, 1.0, 9.0]])
    >>> widened((1.0, -2.0), values, np.array([True, True, False]), lambda: 1.0)
    (1.0, -5.0)
    """
    start = tuple(map(float, plane))
    used = np.flatnonzero(start[:-1])
    if left.all() or not left.any() or not len(used):
        return start
    rows = min(len(left), FIRST_ROWS)
    if seconds_left() < SECONDS_A_NUMBER * 2 * len(used) * rows:
        return start
    # A sparse plane stays sparse.
    few = values[used] if len(used) < len(values) else values
    sign = np.where(left, -1.0, 1.0)
    score = sign * (np.array(start)[used] @ few + start[-1])
    chosen = np.unique([*_nearest(score, left), *_nearest(score, ~left)])
    best = None
    for _ in range(ROUNDS):
        found = _separated(few[:, chosen], sign[chosen], seconds_left)
        if found is None:
            return start
        weights, constant, margin = found
        score = sign * (weights @ few + constant)
        if score.min() > 0:
            best = (weights, constant)
        near = np.flatnonzero(score < margin * (1 - 1e-6))
        near = np.setdiff1d(near, chosen)
        if not len(near):
            break
        chosen = np.union1d(chosen, near[np.argsort(score[near], kind="stable")[:MORE_ROWS]])
    if best is None:
        return start
    wide = np.zeros(len(values))
    wide[used] = best[0]
    return (*wide.tolist(), float(best[1]))


def _nearest(score: Floats, side: Bools) -> NDArray[np.intp]:
    rows = np.flatnonzero(side)
    return rows[np.argsort(score[rows], kind="stable")[: FIRST_ROWS // 2]]


def _separated(
    values: Floats, sign: Floats, seconds_left: SecondsLeft
) -> tuple[Floats, float, float] | None:
    """Solve max g, sign (w . z + b) >= g, |w|_1 <= 1; None if there is no such g above 0."""
    d, n = values.shape
    program = np.empty((n + 1, 2 * d + 2))
    np.multiply(sign[:, None], values.T, out=program[:n, d : 2 * d])
    np.negative(program[:n, d : 2 * d], out=program[:n, :d])
    program[:n, 2 * d], program[:n, 2 * d + 1] = -sign, 1.0
    program[n] = np.r_[np.ones(2 * d), 0.0, 0.0]
    result = solved(
        np.r_[np.zeros(2 * d + 1), -1.0],
        seconds_left,
        A_ub=program,
        b_ub=np.r_[np.zeros(n), 1.0],
        bounds=[(0, None)] * (2 * d) + [(None, None), (0, None)],
    )
    if result is None or result.x[-1] <= 0:
        return None
    return result.x[:d] - result.x[d : 2 * d], float(result.x[-2]), float(result.x[-1])
