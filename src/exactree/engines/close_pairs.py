"""What close rows of different classes prove of all trees of few splits.

Glossary
    pair     two rows of different classes; no row is in two pairs
    y        a number for every pair, from 0 to the cost of its cheaper row
    load     of a threshold: the sum of y over the pairs that it parts
    p, K     the price of a split, and how many there may be at most

Proof. A pair that no split of a tree parts ends in one leaf, where one of its rows is an error. The
thresholds of a tree of k splits part pairs of at most k times the largest load together, whichever
shape the tree has. So its errors cost at least sum y - k load, and it costs at least
sum y - k (load - p). That is least for k = K if the load is above p, and for k = 0 if it is not.

The y that prove most are a linear program. It is solved in floating point, its y are rounded down
to whole numbers of a small part, and the bound is counted anew from them: no rounding is in it.
Close pairs are parted by few thresholds, so that loads are small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isinf, isqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, vstack
from scipy.spatial import cKDTree

from exactree.bounds import any_tree
from exactree.engines import apart
from exactree.engines.some_rows import every, hard_rows
from exactree.engines.subproblems import Rows
from exactree.problem import Number, Problem
from exactree.programs import solved
from exactree.tree import Tree

Pairs = NDArray[np.intp]  # two rows each
# Pairs are looked for among so many rows at most; of each row the nearest ones are looked at. To
# find them takes a second for so many numbers, rows times rows times columns: no longer than that.
MOST_ROWS, NEAREST = 4000, 4
NUMBERS, MOST_SECONDS = 10**9, 1.0
# From more classes on every one takes as long: its rows are looked up among all others.
FEW_CLASSES = 10
# Programs have so many pairs, one after the other.
SIZES = (60, 200, 500)
# The largest cost of a row is so many parts.
PARTS = 2**30


def bounds_at_once(
    problem: Problem,
    tree: Tree,
    seconds_left: Callable[[], float],
    *,
    switches: int = 0,
    counts: dict[str, Number] | None = None,
) -> Iterator[int]:
    """Bound what all trees cost: by classes and equal rows, rows apart, more and more pairs.

    For problems that count errors of classes over columns. A search that nothing stops needs
    only the first. `counts` is told how often rows apart proved something.
    """
    counts = {} if counts is None else counts
    at_once = any_tree(problem)
    yield at_once
    seconds = seconds_left()
    if isinf(seconds) or seconds <= 0:
        return
    if not at_once and not switches & apart.SWITCH:
        shown = apart.needs_more_leaves(problem, tree, seconds_left)
        counts[apart.NAME] = counts.get(apart.NAME, 0) + shown
        if shown:
            yield int(problem.row_costs().min())
    pairs = close_pairs(problem, rows_for_pairs(problem, tree, seconds))
    yield from bounds_by(problem, pairs, seconds_left)


def bounds_by(problem: Problem, pairs: Pairs, seconds_left: Callable[[], float]) -> Iterator[int]:
    """Bound what all trees cost by more and more of these pairs."""
    for before, size in zip((0, *SIZES), SIZES, strict=False):
        if before < len(pairs) and seconds_left() > 0:
            yield bound_by(problem, pairs[:size], seconds_left)


def rows_for_pairs(problem: Problem, tree: Tree, seconds: float) -> Rows:
    """Choose rows, half of them hard for a tree that is good, so many that there is time."""
    numbers = NUMBERS * min(seconds, MOST_SECONDS) / max(problem.n_classes / FEW_CLASSES, 1)
    rows, most = problem.n_rows, min(MOST_ROWS, isqrt(int(numbers / len(problem.columns))))
    if rows <= most:
        return np.arange(rows)
    hard = hard_rows(problem, tree)
    hard = hard[every(len(hard), most // 2)]
    return np.union1d(hard, every(rows, most - len(hard)))


def close_pairs(problem: Problem, rows: Rows) -> Pairs:
    """Pair rows with near ones of other classes, the closest pairs first.

    Near is what few thresholds part, as a share of the thresholds of each column.
    """
    ranks, labels = problem.columns[:, rows], problem.labels[rows]
    places = (ranks / np.maximum(problem.columns.max(axis=1, keepdims=True), 1)).T
    found = []
    for label in np.unique(labels):
        inside, outside = np.flatnonzero(labels == label), np.flatnonzero(labels != label)
        if not len(outside):
            break
        nearest = range(1, min(NEAREST, len(outside)) + 1)
        far, to = cKDTree(places[outside]).query(places[inside], k=nearest, p=1)
        from_ = np.broadcast_to(inside[:, None], to.shape)
        found += list(zip(far.ravel(), from_.ravel(), outside[to.ravel()], strict=True))
    taken = np.zeros(len(rows), dtype=bool)
    pairs = []
    for _, a, b in sorted(found):
        if not taken[a] and not taken[b]:
            taken[[a, b]] = True
            pairs.append((rows[a], rows[b]))
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def bound_by(problem: Problem, pairs: Pairs, seconds_left: Callable[[], float]) -> int:
    """Give what these pairs prove, in units of the problem; 0 if there is no time."""
    costs = problem.row_costs()[pairs].min(axis=1)
    part = int(costs.max())
    most = np.array([int(c) * PARTS // part for c in costs], dtype=np.int64)
    price = min(int(problem.penalty) * PARTS // part, 2**60)
    ends = [np.sort(ranks[pairs], axis=1) for ranks in problem.columns]
    y = _program(ends, most / PARTS, price / PARTS, problem.max_splits, seconds_left)
    if y is None:
        return 0
    whole = np.minimum((np.maximum(y, 0) * PARTS).astype(np.int64), most)
    load = max(_largest_load(low, high, whole) for low, high in (e.T for e in ends))
    proved = int(whole.sum())
    if load > price:
        splits = problem.max_splits
        # Without a limit on splits: what smaller y prove, whose loads are no more than the price.
        proved = proved * price // load if splits is None else proved - splits * (load - price)
    cost = max(-(-proved * part // PARTS), 0)
    alike = problem.weights is None and not problem.penalty
    return -(-cost // problem.unit) * problem.unit if alike else cost


def _program(
    ends: list[NDArray[np.int32]],
    most: NDArray[np.float64],
    price: float,
    splits: int | None,
    seconds_left: Callable[[], float],
) -> NDArray[np.float64] | None:
    """Find y with a largest sum, less `splits` times what the largest load has above the price.

    None if time is over before, which the columns of a wide table may take.
    """
    columns = []
    for low, high in (e.T for e in ends):
        if seconds_left() <= 0:
            return None
        columns.append(_crowded(low, high))
    parted = vstack(columns)
    above = csr_matrix(np.full((parted.shape[0], 1), -1.0))
    result = solved(
        np.append(np.full(len(most), -1.0), splits or 0),
        seconds_left,
        A_ub=hstack([parted, above]).tocsr(),
        b_ub=np.full(parted.shape[0], price),
        bounds=[*((0.0, m) for m in most), (0.0, 0.0 if splits is None else None)],
    )
    return None if result is None else result.x[:-1]


def _crowded(low: NDArray[np.int32], high: NDArray[np.int32]) -> csr_matrix:
    """Tell which pairs are parted by the thresholds of a column that part the most.

    A threshold t parts a pair if low <= t < high. One is enough from each end of a pair that
    follows a beginning to the next such end: the others part only some of its pairs.
    """
    last = np.unique(high[low < high])
    starts = np.searchsorted(np.sort(low), last)
    chosen = last[np.diff(starts, prepend=0) > 0] - 1
    return csr_matrix((low <= chosen[:, None]) & (chosen[:, None] < high), dtype=np.float64)


def _largest_load(low: NDArray[np.int32], high: NDArray[np.int32], y: NDArray[np.int64]) -> int:
    steps = np.zeros(int(high.max()) + 1, dtype=np.int64)
    np.add.at(steps, low, y)
    np.subtract.at(steps, high, y)
    return int(np.cumsum(steps).max())
