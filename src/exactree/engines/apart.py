"""A bound of one error: more rows than leaves, no two of which one leaf gets right.

Proof. Let a tree be right on every row, and two rows be in one of its leaves. A leaf is a box: it
has every row that lies between these two in all columns. So these have the class of the two. Hence
rows of different classes are in different leaves, and so are two of one class that have a row of
another class between them. Of some rows that are all apart in one of these ways each needs a leaf
of its own, and a tree of K splits has K + 1 leaves.

Rows that are apart are looked for class by class, among those that are hard for a good tree: most
of them are near rows of other classes. Sets of rows are bits of a number, or of words.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engines.some_rows import every, hard_rows
from exactree.engines.subproblems import Rows
from exactree.problem import Problem
from exactree.tree import Tree

# The bit of `switches` that turns it off, after those of the native search, and its counter.
SWITCH, NAME = 2 << len(_native.prunings()), "rows_apart"
# So many rows of a class are looked at, and so many of other classes that may be between them.
MOST_ROWS, MOST_BETWEEN = 128, 1024
# Numbers that are looked at for a class; of wide tables there are fewer rows.
MOST_NUMBERS = 2 * 10**8


def needs_more_leaves(problem: Problem, tree: Tree, seconds_left: Callable[[], float]) -> bool:
    """Tell whether it is proved that every tree of so many splits errs on some row."""
    if problem.max_splits is None:
        return False
    hard, enough = hard_rows(problem, tree), problem.max_splits + 2
    of_class = np.bincount(problem.labels[hard], minlength=problem.n_classes)
    leaves = np.count_nonzero(np.bincount(problem.labels))  # a row of each class
    for label in np.argsort(-of_class, kind="stable")[: np.count_nonzero(of_class)]:
        if leaves >= enough or seconds_left() <= 0:
            break
        mine = problem.labels == label
        inside = hard[mine[hard]]
        inside = inside[every(len(inside), _most_rows(problem))]
        outside, rest = hard[~mine[hard]], np.flatnonzero(~mine)
        outside = outside[every(len(outside), MOST_BETWEEN // 2)]
        outside = np.union1d(outside, rest[every(len(rest), MOST_BETWEEN - len(outside))])
        leaves += largest_found(apart(problem.columns, inside, outside)) - 1
    return bool(leaves >= enough)


def _most_rows(problem: Problem) -> int:
    numbers = len(problem.columns) * MOST_BETWEEN // 64
    return max(1, min(MOST_ROWS, int((MOST_NUMBERS / 64 / numbers) ** 0.5)))


def apart(columns: NDArray[np.int32], inside: Rows, outside: Rows) -> NDArray[np.bool_]:
    """Tell which two rows have one of other rows between them in all columns.

    >>> apart(np.array([[0, 1, 2, 3]], np.int32), np.array([0, 1, 3]), np.array([2])).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """
    mine, others = columns[:, inside], columns[:, outside]
    below = _packed(others[:, None, :] <= mine[:, :, None])
    above = _packed(others[:, None, :] >= mine[:, :, None])
    found = np.zeros((len(inside), len(inside)), dtype=bool)
    for i in range(len(inside)):
        here = slice(i + 1, None)
        between = (above[:, i : i + 1] & below[:, here]) | (below[:, i : i + 1] & above[:, here])
        found[i, here] = np.bitwise_and.reduce(between, axis=0).any(axis=1)
    return found | found.T


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    words = np.packbits(bits, axis=-1)
    words = np.pad(words, ((0, 0), (0, 0), (0, -words.shape[-1] % 8)))
    return np.ascontiguousarray(words).view(np.uint64)


def largest_found(related: NDArray[np.bool_]) -> int:
    """Give the size of a large set of rows that are all related: one is grown from each row.

    >>> largest_found(np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]], bool))
    3
    """
    most = 1
    for start in range(len(related)):
        open_rows, size = np.flatnonzero(related[start]), 1
        while len(open_rows):
            inner = related[np.ix_(open_rows, open_rows)]
            open_rows = open_rows[inner[inner.sum(axis=0).argmax()]]
            size += 1
        most = max(most, size)
    return most
