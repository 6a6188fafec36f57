"""Combinations by their rank in revolving-door order, many at a time.

The rank of a combination does not depend on how many elements there are: those of the first n
elements come first. So blocks of ranks can be handed out and combinations made where they are used.

Glossary
    g, n    size of a combination; elements are 0 .. n-1
    rank    rank([]) = 0, rank(c + [m]) = C(m+1, g) - 1 - rank(c), c ascending
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]

# Ranks are 64-bit integers.
MOST = 2**62


def count(n: int, g: int) -> int:
    """Count the combinations, and refuse more than there are ranks for.

    >>> count(5, 2)
    10
    """
    found = comb(n, g)
    if found > MOST:
        raise ValueError(
            f"there are C({n}, {g}) = {found} combinations, more than can be numbered: choose "
            "fewer rows, fewer splits or a simpler family"
        )
    return found


def unranked(g: int, ranks: ArrayLike, n: int) -> Ints:
    """Give the combinations of g out of n elements at these ranks, ascending, one in each row.

    >>> unranked(2, np.arange(6), 4).tolist()
    [[0, 1], [1, 2], [0, 2], [2, 3], [1, 3], [0, 3]]
    """
    count(n, g)
    rest = np.array(ranks, dtype=np.int64)
    found = np.zeros((len(rest), g), dtype=np.int64)
    for size in range(g, 0, -1):
        # Capped: an element that far beyond the last is never looked for.
        totals = np.array([min(comb(m, size), MOST) for m in range(n + 1)])
        largest = np.searchsorted(totals, rest, side="right") - 1
        found[:, size - 1] = largest
        rest = totals[largest + 1] - 1 - rest
    return found
