"""Combinations by rank, many at a time, against the specification."""

import numpy as np
import pytest

from exactree.combinations import count, unranked
from exactree.spec import combinatorics


@pytest.mark.parametrize(("g", "n"), [(0, 3), (1, 5), (2, 6), (3, 7), (5, 5), (4, 9)])
def test_ranks_are_those_of_the_revolving_door(g: int, n: int) -> None:
    found = unranked(g, np.arange(count(n, g)), n)
    assert [tuple(c) for c in found.tolist()] == combinatorics.revolving_door(g, n)


def test_large_ranks() -> None:
    n, g = 10_000, 4
    ranks = np.array([0, 10**9, 10**14, count(n, g) - 1])
    found = unranked(g, ranks, n)
    assert [combinatorics.rank(c) for c in found.tolist()] == ranks.tolist()
    assert found.max() == n - 1


def test_more_combinations_than_numbers() -> None:
    with pytest.raises(ValueError, match=r"C\(10000, 7\) = \d+ combinations, more than"):
        unranked(7, [0], 10_000)
