"""Many rows down a tree at once, in native code where every question is a threshold."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native, tree
from exactree.splits import AxisSplit, MissingSplit
from exactree.tables.columns import Table
from exactree.tree import Leaf, Node, Tree

# A node: column (-1: a leaf), threshold, whether missing values go left, left and right child.
Listed = tuple[int, float, bool, int, int]


def ends(found: Tree, X: Any) -> NDArray[np.intp]:
    """Give the number of the leaf that every row ends in, as `tree.apply` does.

    >>> from exactree.tree import Node
    >>> ends(Node(AxisSplit(0, 2.5), Leaf(0), Leaf(1)), np.array([[2.0], [3.0]])).tolist()
    [1, 2]
    """
    nodes: list[Listed] = []
    if isinstance(X, Table) and all(kind.name == "number" for kind in X.kinds):
        X = np.asarray(X)
    if getattr(X, "dtype", None) != np.float64 or not _listed(found, nodes):
        return tree.apply(found, X)
    feature, threshold, missing_left, left, right = zip(*nodes, strict=True)
    return _native.route_rows(
        X,
        np.array(feature, np.int32),
        np.array(threshold, np.float64),
        np.array(missing_left, np.uint8),
        np.array(left, np.int32),
        np.array(right, np.int32),
    )


def _listed(found: Tree, nodes: list[Listed]) -> bool:
    """Append the nodes in preorder; False if one is no threshold."""
    if isinstance(found, Leaf):
        nodes.append((-1, 0.0, False, -1, -1))
        return True
    asked = _threshold(found)
    if asked is None:
        return False
    me = len(nodes)
    nodes.append((*asked, -1, -1))
    if not _listed(found.left, nodes):
        return False
    nodes[me] = (*asked, me + 1, len(nodes))
    return _listed(found.right, nodes)


def _threshold(node: Node) -> tuple[int, float, bool] | None:
    """Give column, threshold and whether missing values go left, if these are the question."""
    split = node.split
    if type(split) is AxisSplit:
        left = node.heavier_left if split.missing is None else split.missing == "left"
        return split.feature, split.threshold, left
    if type(split) is MissingSplit:
        return split.feature, inf if split.known else -inf, not split.known
    return None
