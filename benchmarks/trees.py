"""Trees as plain data, and an independent count of what they cost.

A leaf is {"value": v}; a node is {"feature": j, "threshold": t, "left": ..., "right": ...}, where
rows with x[j] <= t go left; or {"terms": [[c, [[[j, power], ...], ...]], ...], "at_most": t, ...},
where rows go left whose sum of c times a sum of products of powers is at most t. Nothing here comes
from a solver: this is what the harness trusts.
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


def surface(terms: list[Any], at_most: float, left: PlainTree, right: PlainTree) -> PlainTree:
    return {"terms": terms, "at_most": at_most, "left": left, "right": right}


def goes_left(tree: PlainTree, X: Matrix) -> NDArray[np.bool_]:
    """Which rows the split at the top sends left."""
    if "feature" in tree:
        return np.asarray(X[:, tree["feature"]] <= tree["threshold"])
    total = np.zeros(len(X))
    for coefficient, term in tree["terms"]:
        total = total + coefficient * sum(_monomial(powers, X) for powers in term)
    return np.asarray(total <= tree["at_most"])


def _monomial(powers: list[tuple[int, int]], X: Matrix) -> NDArray[np.float64]:
    factors = [X[:, j] for j, power in powers for _ in range(power)]
    product = factors[0]
    for factor in factors[1:]:
        product = product * factor
    return np.asarray(product)


def walk(tree: PlainTree, X: Matrix) -> NDArray[np.float64]:
    """The value of the leaf that every row falls into."""
    if "value" in tree:
        return np.full(len(X), tree["value"], dtype=np.float64)
    left = goes_left(tree, X)
    values = np.empty(len(X))
    values[left] = walk(tree["left"], X[left])
    values[~left] = walk(tree["right"], X[~left])
    return values


def with_means(tree: PlainTree, X: Matrix, y: Labels) -> PlainTree:
    """The same tree with the mean of its rows in every leaf."""
    if "value" in tree:
        return leaf(float(y.mean()) if len(y) else 0.0)
    left = goes_left(tree, X)
    below = (
        with_means(tree["left"], X[left], y[left]),
        with_means(tree["right"], X[~left], y[~left]),
    )
    return {**tree, "left": below[0], "right": below[1]}


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
        left = goes_left(tree, X)
        yield from _leaf_sizes(tree["left"], X[left])
        yield from _leaf_sizes(tree["right"], X[~left])
