"""Which of the optimal trees is returned: the fewest splits, then the first column, then the lowest
threshold, at every node; whatever the heuristics found, and whatever tree the user starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import exactree
from exactree.tree import Leaf, Node, Tree

Rows = NDArray[np.intp]
Shape = tuple[Any, ...]


class ByRule:
    """All trees of a table by a recursion of its own: (errors, splits) is least, then the rule."""

    def __init__(self, X: NDArray[Any], y: NDArray[Any], weights: NDArray[Any]) -> None:
        self.X, self.y, self.weights = X, y, weights

    def best(self, rows: Rows, depth: int) -> tuple[int, int, Shape]:
        """Errors and splits of the best tree, and its splits as (column, highest value left)."""
        by_class = np.bincount(self.y[rows], self.weights[rows])
        least = (int(by_class.sum() - by_class.max()), 0)
        shape: Shape = ()
        for column in range(self.X.shape[1] if depth else 0):
            values = self.X[rows, column]
            for value in np.unique(values)[:-1]:
                low = self.best(rows[values <= value], depth - 1)
                high = self.best(rows[values > value], depth - 1)
                found = (low[0] + high[0], low[1] + high[1] + 1)
                if found < least:
                    least, shape = found, (column, value, low[2], high[2])
        return (*least, shape)


def shape_of(tree: Tree, X: NDArray[Any]) -> Shape:
    """The splits of a tree in the words of `ByRule`."""
    if isinstance(tree, Leaf):
        return ()
    assert isinstance(tree, Node)
    left = tree.split.goes_left(X)
    (column,) = tree.split.features()
    return (
        column,
        X[left, column].max(),
        shape_of(tree.left, X[left]),
        shape_of(tree.right, X[~left]),
    )


def drawn(rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A table with many ties: few values, columns that repeat others."""
    n = int(rng.integers(4, 15))
    X = rng.integers(0, int(rng.integers(2, 5)), (n, int(rng.integers(1, 4))))
    if rng.random() < 0.5:
        X = np.hstack([X, X[:, ::-1]])
    y = rng.integers(0, int(rng.integers(2, 4)), n)
    weights = rng.integers(1, 4, n) if rng.random() < 0.3 else np.ones(n, dtype=int)
    return X.astype(float), y, weights


@pytest.mark.parametrize("seed", range(6))
def test_the_tree_is_the_one_by_rule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    splits = 0
    for _ in range(50):
        X, y, weights = drawn(rng)
        depth = int(rng.integers(1, 4))
        errors, size, shape = ByRule(X, y, weights).best(np.arange(len(X)), depth)
        given: dict[str, Any] = {"max_depth": depth, "sample_weight": weights}
        threads = int(rng.integers(1, 3))
        found = exactree.solve(X, y, n_jobs=threads, **given)
        assert (found.status, found.objective) == ("optimal", errors)
        assert exactree.tree.size(found.tree) == size
        assert shape_of(found.tree, X) == shape
        # A start of the same cost, with the columns in another order, changes nothing.
        turned = exactree.solve(X[:, ::-1], y, **given)
        order = exactree.solve(X, y, **given, start=found)
        assert turned.objective == errors
        assert shape_of(order.tree, X) == shape
        splits += size
    assert splits > 40
