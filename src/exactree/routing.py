"""Many rows down a tree at once, in native code where every question is a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native, tree
from exactree.splits import AxisSplit
from exactree.tree import Leaf, Tree


def ends(found: Tree, X: NDArray[Any]) -> NDArray[np.intp]:
    """Give the number of the leaf that every row ends in, as `tree.apply` does.

    >>> from exactree.tree import Node
    >>> ends(Node(AxisSplit(0, 2.5), Leaf(0), Leaf(1)), np.array([[2.0], [3.0]])).tolist()
    [1, 2]
    """
    nodes: list[tuple[int, float, int, int]] = []
    if X.dtype != np.float64 or not _listed(found, nodes):
        return tree.apply(found, X)
    feature, threshold, left, right = zip(*nodes, strict=True)
    return _native.route_rows(
        X,
        np.array(feature, np.int32),
        np.array(threshold, np.float64),
        np.array(left, np.int32),
        np.array(right, np.int32),
    )


def _listed(found: Tree, nodes: list[tuple[int, float, int, int]]) -> bool:
    """Append the nodes in preorder: feature, threshold, children; False if one is no threshold."""
    if isinstance(found, Leaf):
        nodes.append((-1, 0.0, -1, -1))
        return True
    split = found.split
    if type(split) is not AxisSplit:
        return False
    me = len(nodes)
    nodes.append((split.feature, split.threshold, -1, -1))
    if not _listed(found.left, nodes):
        return False
    right = len(nodes)
    nodes[me] = (split.feature, split.threshold, me + 1, right)
    return _listed(found.right, nodes)
