"""Data with a known truth: rows labelled by a random tree, some of them wrongly.

The tree that made the labels has as many errors as labels were turned, so an optimal tree of the
same kind and depth has no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.geometry import Surface, family_of
from exactree.splits.axis import AxisSplit
from exactree.splits.surface import SurfaceSplit
from exactree.tree import Leaf, Node, Split, Tree, predict

KINDS = ("axis", "hyperplane")


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """Rows, labels, the tree that made the labels, and how many of them were turned."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    tree: Tree
    turned: int


def ground_truth(
    n_rows: int,
    n_columns: int,
    *,
    splits: str = "axis",
    depth: int = 2,
    n_classes: int = 2,
    noise: float = 0.0,
    decimals: int = 3,
    seed: int = 0,
) -> GroundTruth:
    """Draw rows from a normal distribution and label them by a random tree.

    Parameters
    ----------
    n_rows, n_columns : int
        The size of X.
    splits : str
        The splits of the tree: "axis" or "hyperplane".
    depth : int
        The tree has 2^depth leaves; two leaves of one split differ in their class.
    n_classes : int
        Labels are 0, 1, ..., n_classes - 1.
    noise : float
        Each label is turned into another one with this probability.
    decimals : int
        The values of X are rounded to so many.
    seed : int
        The same seed gives the same data.

    Examples
    --------
    >>> truth = ground_truth(6, 2, splits="hyperplane", noise=0.2, seed=4)
    >>> truth.X.shape, truth.y.tolist(), truth.turned
    ((6, 2), [0, 0, 1, 1, 0, 0], 1)
    """
    if splits not in KINDS:
        raise ValueError(f"splits={splits!r} is unknown: choose one of {', '.join(KINDS)}")
    sizes = (("n_rows", n_rows, 0), ("n_columns", n_columns, 1), ("depth", depth, 0))
    for name, value, least in sizes:
        if value < least:
            raise ValueError(f"{name}={value}: give a number of at least {least}")
    if n_classes < 2:
        raise ValueError(f"n_classes={n_classes}: a tree needs two classes at least")
    if not 0 <= noise <= 1:
        raise ValueError(f"noise={noise} is no probability: choose one from 0 to 1")
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(decimals)
    tree = _random_tree(rng, splits, n_columns, depth, n_classes, range(2**depth))
    y = np.asarray(predict(tree, X), dtype=np.int64)
    turned = rng.random(n_rows) < noise
    y[turned] = (y[turned] + rng.integers(1, n_classes, size=int(turned.sum()))) % n_classes
    return GroundTruth(X, y, tree, int(turned.sum()))


def _random_tree(
    rng: np.random.Generator, kind: str, columns: int, depth: int, classes: int, leaves: range
) -> Tree:
    if depth == 0:
        return Leaf(leaves.start % classes)
    half = leaves.start + len(leaves) // 2
    return Node(
        _random_split(rng, kind, columns),
        _random_tree(rng, kind, columns, depth - 1, classes, range(leaves.start, half)),
        _random_tree(rng, kind, columns, depth - 1, classes, range(half, leaves.stop)),
    )


def _random_split(rng: np.random.Generator, kind: str, columns: int) -> Split:
    """Draw a split that passes near the centre of the rows."""
    if kind == "axis":
        return AxisSplit(int(rng.integers(columns)), float(rng.normal(scale=0.5)))
    weights = rng.normal(size=columns)
    threshold = float(rng.normal(scale=0.3 * np.linalg.norm(weights)))
    surface = Surface(family_of("hyperplane"), tuple(map(float, weights)), threshold)
    return SurfaceSplit(surface, columns)
