"""Data with a known truth."""

from typing import Any

import numpy as np
import pytest

from exactree import solve, tree
from exactree.datasets import ground_truth


@pytest.mark.parametrize("splits", ["axis", "hyperplane"])
@pytest.mark.parametrize("depth", [1, 2])
def test_the_optimum_is_no_worse_than_the_truth(splits: str, depth: int) -> None:
    truth = ground_truth(40, 2, splits=splits, depth=depth, n_classes=3, noise=0.2, seed=depth)
    wrong = tree.predict(truth.tree, truth.X) != truth.y
    assert wrong.sum() == truth.turned > 0
    assert tree.depth(truth.tree) == depth and tree.size(truth.tree) == 2**depth - 1
    assert solve(truth.X, truth.y, splits=splits, max_depth=depth).objective <= truth.turned


def test_the_seed_decides() -> None:
    first, again, other = (ground_truth(20, 3, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.X, again.X) and np.array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)
    assert first.turned == 0 and np.array_equal(first.X, first.X.round(3))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"splits": "sphere"}, "splits='sphere' is unknown: choose one of axis, hyperplane"),
        ({"n_classes": 1}, "n_classes=1: a tree needs two classes"),
        ({"noise": 1.5}, "noise=1.5 is no probability"),
    ],
)
def test_what_is_refused(how: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ground_truth(5, 2, **how)


def test_negative_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="n_rows=-1: give a number of at least 0"):
        ground_truth(-1, 2)
    with pytest.raises(ValueError, match="n_columns=0: give a number of at least 1"):
        ground_truth(5, 0)
