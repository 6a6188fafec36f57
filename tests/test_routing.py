"""Rows down a tree in native code, and thresholds from ranks alone."""

from __future__ import annotations

import numpy as np
import pytest

from exactree import solve
from exactree.inputs import read_labels
from exactree.routing import ends
from exactree.splits import AxisSplit
from exactree.splits.axis import between
from exactree.tree import Node, apply, nodes, route


def random_problem(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 3)).round(int(rng.integers(0, 3)))
    return values, rng.integers(0, 2, 40)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("splits", ["axis", "hyperplane"])
def test_ends_are_those_of_the_tree(seed: int, splits: str) -> None:
    X, y = random_problem(seed)
    X = X if splits == "axis" else X[:8, :2]
    found = solve(X, y[: len(X)], splits=splits, max_depth=2).tree
    for table in (X, np.asfortranarray(X), np.vstack([X, X + 0.5])[::2], X.astype(np.float32)):
        assert (ends(found, table) == apply(found, table)).all()


@pytest.mark.parametrize("seed", range(12))
def test_thresholds_are_midpoints_among_the_rows_of_the_node(seed: int) -> None:
    X, y = random_problem(seed)
    found = solve(X, y, max_depth=3, min_samples_leaf=1 + seed % 3).tree
    for node, rows in zip(nodes(found), route(found, X), strict=True):
        if isinstance(node, Node):
            assert isinstance(node.split, AxisSplit)
            values = X[rows, node.split.feature]
            left = node.split.goes_left(X[rows])
            assert node.split.threshold == between(values[left].max(), values[~left].min())


@pytest.mark.parametrize(
    "labels",
    [
        np.array([True, False, True]),
        np.array([False, False]),
        np.array([7, -3, 7, 0], np.int8),
        np.array([200, 3], np.uint8),
        np.array([2**63 + 5, 2**63 + 5, 2**63 + 9], np.uint64),
        np.array([-(2**63), -(2**63) + 3]),
        np.array([5, 10**12]),
    ],
)
def test_whole_labels_are_numbered_like_others(labels: np.ndarray) -> None:
    classes, numbers = read_labels(labels, len(labels))
    expected, places = np.unique(labels, return_inverse=True)
    assert classes.dtype == labels.dtype
    assert classes.tolist() == expected.tolist()
    assert numbers.tolist() == places.tolist()
