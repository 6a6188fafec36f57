"""The distances from a quantile of every first part of a sequence, all at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.scheme import Targets, Values


def running_quantiles(
    targets: Targets, orders: NDArray[np.intp], above: float = 1.0, below: float = 1.0
) -> Values:
    """Give, for each order, what its first 1, 2, ..., n rows cost, as distances from a quantile.

    A distance costs `above` a unit for rows above the quantile, `below` for others; one each is the
    median. The quantile of a first part is found bit by bit of its place among the targets, from
    the highest on, for all parts together. Before each bit the rows are sorted by the bits above
    it, stably, so that the rows of a part that share those bits with its quantile stand in a run;
    counts and sums of those whose next bit is 0 tell on which side of it the quantile is, and where
    the run goes on (a wavelet matrix). It takes n log n steps and memory for n.

    Distances are differences of sums, of deviations from the median of all rows: they are wrong by
    some units in the last place of the cost of all rows as a leaf. A quantile that rounding moved
    is a number close by, and the sums are those for that number.

    >>> three = Targets(np.array([2, 0, 1]), np.ones(3), np.array([0.0, 1.0, 5.0]))
    >>> running_quantiles(three, np.array([[0, 1, 2], [2, 1, 0]])).tolist()
    [[0.0, 5.0, 5.0], [0.0, 1.0, 5.0]]
    """
    present, place = np.unique(targets.labels, return_inverse=True)
    values = targets.values[present]
    weights = targets.weights.astype(np.float64)
    by_value = np.bincount(place, weights=weights).cumsum()
    values = values - values[np.searchsorted(by_value, by_value[-1] / 2)]
    level = place[orders]
    weight = weights[orders]
    moment = weight * values[level]
    total, sums = weight.cumsum(axis=1), moment.cumsum(axis=1)
    start = np.zeros(orders.shape, dtype=np.intp)
    stop = np.broadcast_to(np.arange(1, orders.shape[1] + 1), orders.shape)
    quantile, share = np.zeros(orders.shape, dtype=np.intp), above / (above + below)
    low_weight, low_sum = np.zeros(orders.shape), np.zeros(orders.shape)
    for bit in reversed(range(int(len(present) - 1).bit_length())):
        zero = (level >> bit & 1) == 0
        zeros, zero_weight = _before(zero, np.intp), _before(np.where(zero, weight, 0.0))
        zero_sum = _before(np.where(zero, moment, 0.0))
        inside = _between(zero_weight, start, stop)
        right = low_weight + inside < total * share
        low_weight += np.where(right, inside, 0.0)
        low_sum += np.where(right, _between(zero_sum, start, stop), 0.0)
        quantile |= right.astype(np.intp) << bit
        first, last = _at(zeros, start), _at(zeros, stop)
        ones = zeros[:, -1:]
        start = np.where(right, ones + start - first, first)
        stop = np.where(right, ones + stop - last, last)
        order = np.argsort(~zero, axis=1, kind="stable")
        level, weight, moment = (_at(table, order) for table in (level, weight, moment))
    middle = values[np.minimum(quantile, len(values) - 1)]
    under = middle * low_weight - low_sum
    over = (sums - low_sum) - middle * (total - low_weight)
    return np.asarray(np.maximum(below * under + above * over, 0.0))


def _before(table: Values, dtype: type = np.float64) -> Values:
    """Give the sums of the entries before each place, and of all."""
    found = np.zeros((table.shape[0], table.shape[1] + 1), dtype=dtype)
    np.cumsum(table, axis=1, out=found[:, 1:])
    return found


def _at(table: Values, places: Values) -> Values:
    return np.take_along_axis(table, places, axis=1)


def _between(sums: Values, start: Values, stop: Values) -> Values:
    return np.asarray(_at(sums, stop) - _at(sums, start))
