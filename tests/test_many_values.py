"""Columns of many values beside columns of few, and more columns than a vector has lanes.

The search keeps ranks in one, two or four bytes and scans eight columns at a time where that pays.
The tiny problems of test_search_exact.py have few values and few columns, so they see only part of
that. Here two levels are compared with a plain oracle on problems that are large enough.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree import _native

Ints = NDArray[np.int32]


def ranks_of(column: NDArray[np.intp]) -> Ints:
    return np.unique(column, return_inverse=True)[1].astype(np.int32)


def random_problem(rng: np.random.Generator) -> tuple[Ints, Ints, int]:
    """Ranks (a row per column), labels that follow two of them with noise, number of classes."""
    rows, columns = int(rng.integers(260, 420)), int(rng.integers(1, 12))
    most = rng.choice([2, 5, 40, 255, 256, 5000], size=columns)
    ranks = np.array([ranks_of(rng.integers(0, m, rows)) for m in most])
    classes = int(rng.choice([2, 2, 3, 4, 5, 7, 8, 9]))
    steps = [1 + ranks[f].max() // 3 for f in rng.integers(0, columns, 2)]
    labels = (ranks[0] // steps[0] + 2 * (ranks[-1] // steps[1])) % classes
    noisy = rng.random(rows) < rng.random() * 0.6
    labels[noisy] = rng.integers(0, classes, noisy.sum())
    return ranks, labels.astype(np.int32), classes


def errors(counts: NDArray[Any]) -> NDArray[Any]:
    """Of leaves with these class counts, along the last axis."""
    return np.asarray(counts.sum(axis=-1) - counts.max(axis=-1))


def one_level(ranks: Ints, one_hot: NDArray[Any], least: int) -> int:
    """The fewest errors of a leaf or a single split, `least` rows on either side of it."""
    best = int(errors(one_hot.sum(axis=0)))
    for column in ranks:
        order = np.argsort(column, kind="stable")
        left = np.cumsum(one_hot[order], axis=0)
        cost = errors(left[:-1]) + errors(left[-1] - left[:-1])
        place = np.arange(1, len(order))
        allowed = np.diff(column[order]) > 0
        allowed &= (place >= least) & (len(order) - place >= least)
        if allowed.any():
            best = min(best, int(cost[allowed].min()))
    return best


def two_levels(ranks: Ints, labels: Ints, classes: int, least: int) -> int:
    one_hot = np.eye(classes, dtype=np.int64)[labels]
    best = one_level(ranks, one_hot, least)
    for column in ranks:
        for threshold in range(1, int(column.max()) + 1):
            left = column < threshold
            if min(left.sum(), (~left).sum()) < least:
                continue
            sides = [one_level(ranks[:, s], one_hot[s], least) for s in (left, ~left)]
            best = min(best, sum(sides))
    return best


@pytest.mark.parametrize("seed", range(60))
def test_one_level(seed: int) -> None:
    """Single splits are looked for by words of rows, many of which are skipped."""
    rng = np.random.default_rng(seed)
    ranks, labels, classes = random_problem(rng)
    least = int(rng.choice([1, 1, 20]))
    expected = one_level(ranks, np.eye(classes, dtype=np.int64)[labels], least)
    for isa in _native.instruction_sets():
        found = _native.search_columns(ranks, labels, classes, max_depth=1, min_rows=least, isa=isa)
        assert found.objective == found.lower_bound == expected, (seed, isa)


@pytest.mark.parametrize("seed", range(14))
def test_two_levels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks, labels, classes = random_problem(rng)
    least = int(rng.choice([1, 1, 20]))
    expected = two_levels(ranks, labels, classes, least)
    for isa in _native.instruction_sets():
        for switches in (0, int(rng.integers(0, 2 ** (len(_native.prunings()) + 1)))):
            found = _native.search_columns(
                ranks, labels, classes, max_depth=2, min_rows=least, switches=switches, isa=isa
            )
            assert found.status == "optimal" and found.lower_bound == found.objective
            assert found.objective == expected, (seed, isa, switches)
