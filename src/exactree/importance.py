"""What each column does for a tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exactree import tree
from exactree.tree import Node, Tree

Floats = NDArray[np.float64]


def importances(root: Tree, n_features: int, impurity: Callable[[Tree], float]) -> Floats:
    """Share out the decrease of impurity among the columns; they sum to one.

    >>> from exactree import Leaf, splits
    >>> stump = Node(splits.AxisSplit(1, 0.5), Leaf(0, 2, (2, 0)), Leaf(1, 2, (0, 2)))
    >>> importances(stump, 2, gini).tolist()
    [0.0, 1.0]
    """
    found = np.zeros(n_features)
    for node in tree.nodes(root):
        if isinstance(node, Node):
            columns = list(node.split.features())
            decrease = impurity(node) - impurity(node.left) - impurity(node.right)
            found[columns] += decrease / len(columns)
    total = found.sum()
    return found / total if total > 0 else found


def gini(node: Tree) -> float:
    """Give the Gini impurity of a node, times its weight."""
    weights = np.array(node.weights, dtype=np.float64)
    total = weights.sum()
    return float(total - weights @ weights / total)


def spread(node: Tree) -> float:
    """Give the weighted squared deviations of the leaves' values from their mean.

    What is lost within the leaves is the same before and after a split above them.
    """
    weights = np.array([leaf.weights[0] for leaf in tree.leaves(node)], dtype=np.float64)
    values = np.array([leaf.value for leaf in tree.leaves(node)], dtype=np.float64)
    deviations = values - weights @ values / weights.sum()
    return float((weights @ deviations**2).sum())
