"""Trees as plain data, and an independent count of what they cost.

A leaf is {"value": v}; a node is {"feature": j, "threshold": t, "left": ..., "right": ...}, where
rows with x[j] <= t go left. Nothing here comes from a solver: this is what the harness trusts.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Labels, Matrix
from benchmarks.jobs import Problem

PlainTree = dict[str, Any]


def leaf(value: float) -> PlainTree:
    return {"value": value}


def node(feature: int, threshold: float, left: PlainTree, right: PlainTree) -> PlainTree:
    return {"feature": feature, "threshold": threshold, "left": left, "right": right}


def walk(tree: PlainTree, X: Matrix) -> NDArray[np.float64]:
    """The value of the leaf that every row falls into."""
    if "value" in tree:
        return np.full(len(X), tree["value"], dtype=np.float64)
    goes_left = X[:, tree["feature"]] <= tree["threshold"]
    values = np.empty(len(X))
    values[goes_left] = walk(tree["left"], X[goes_left])
    values[~goes_left] = walk(tree["right"], X[~goes_left])
    return values


def loss(values: NDArray[np.float64], y: Labels, task: str) -> float | int:
    """Number of wrong labels, or sum of squared errors."""
    if task == "regression":
        return float(np.square(values - y).sum())
    return int((values != y).sum())


def size(tree: PlainTree) -> int:
    """Number of splits."""
    return 0 if "value" in tree else 1 + size(tree["left"]) + size(tree["right"])


def depth(tree: PlainTree) -> int:
    """Splits on the longest way to a leaf."""
    return 0 if "value" in tree else 1 + max(depth(tree["left"]), depth(tree["right"]))


def recount(tree: PlainTree, X: Matrix, y: Labels, problem: Problem) -> float | int:
    """The objective of a tree, penalty included."""
    cost = loss(walk(tree, X), y, problem.task)
    return cost + problem.penalty * len(y) * size(tree) if problem.penalty else cost


def broken_budgets(tree: PlainTree, X: Matrix, problem: Problem) -> list[str]:
    """In words, every constraint of the problem that the tree breaks."""
    found = []
    if problem.max_depth is not None and depth(tree) > problem.max_depth:
        found.append(f"depth {depth(tree)} where {problem.max_depth} is allowed")
    if problem.max_splits is not None and size(tree) > problem.max_splits:
        found.append(f"{size(tree)} splits where {problem.max_splits} are allowed")
    smallest = min(_leaf_sizes(tree, X))
    if "value" not in tree and smallest < problem.min_samples_leaf:
        found.append(f"a leaf of {smallest} rows where {problem.min_samples_leaf} are needed")
    return found


def _leaf_sizes(tree: PlainTree, X: Matrix) -> Iterator[int]:
    if "value" in tree:
        yield len(X)
    else:
        goes_left = X[:, tree["feature"]] <= tree["threshold"]
        yield from _leaf_sizes(tree["left"], X[goes_left])
        yield from _leaf_sizes(tree["right"], X[~goes_left])
