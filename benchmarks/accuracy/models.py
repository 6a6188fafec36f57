"""The methods: each chooses its size by cross-validation within the training rows.

Sizes are depths one to three, and where the method can, up to seven splits; CART is there a second
time with any depth up to ten. The size of least mean error wins, the first among equals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Labels, Matrix

Folds = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
MAX_DEPTH, MAX_SPLITS, DEEP = 3, 7, 10


@dataclass(frozen=True)
class Outcome:
    """What a method predicts for the rows kept from it, and how it came there."""

    predicted: Labels
    splits: int | None  # of the tree; None where the package does not tell
    inner_error: float  # mean over the inner folds, of the size chosen
    size: str
    status: str = ""


Method = Callable[[Matrix, Labels, Matrix, Folds, float], Outcome]


def by_candidates(candidates: dict[str, Callable[[], Any]]) -> Method:
    """Fit every candidate in every inner fold, then the best to all training rows."""

    def method(X: Matrix, y: Labels, rest: Matrix, folds: Folds, seconds: float) -> Outcome:
        errors = {
            size: float(np.mean([_error(make(), X, y, *fold) for fold in folds]))
            for size, make in candidates.items()
        }
        best = min(errors, key=lambda size: errors[size])
        model = candidates[best]().fit(X, y)
        predicted = np.asarray(model.predict(rest)).ravel().astype(np.int64)
        return Outcome(predicted, _splits(model), errors[best], best)

    return method


def _error(model: Any, X: Matrix, y: Labels, train: Any, test: Any) -> float:
    predicted = np.asarray(model.fit(X[train], y[train]).predict(X[test])).ravel()
    return float(np.mean(predicted.astype(np.int64) != y[test]))


def _splits(model: Any) -> int | None:
    """Count the splits of a fitted model."""
    if hasattr(model, "get_n_leaves"):  # scikit-learn and treeple
        return int(model.get_n_leaves()) - 1
    if hasattr(model, "get_num_branching_nodes"):  # ConTree
        return int(model.get_num_branching_nodes())
    found = getattr(model, "splits", None)
    return found if isinstance(found, int) else None


def cart(depth: int, splits: int | None = None) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    leaves = None if splits is None else splits + 1
    return DecisionTreeClassifier(max_depth=depth, max_leaf_nodes=leaves, random_state=0)


def contree(X: Matrix, y: Labels, rest: Matrix, folds: Folds, seconds: float) -> Outcome:
    ConTree = import_module("pycontree").ConTree

    def make(depth: int) -> Callable[[], Any]:
        return lambda: ConTree(max_depth=depth, time_limit=max(1, round(seconds)))

    depths = {f"depth {d}": make(d) for d in range(1, MAX_DEPTH + 1)}
    return by_candidates(depths)(X, y, rest, folds, seconds)


def ours(splits: Any) -> Method:
    """OptimalTreeClassifierCV; the limit of time is that of one search over all sizes."""

    def method(X: Matrix, y: Labels, rest: Matrix, folds: Folds, seconds: float) -> Outcome:
        from exactree import OptimalTreeClassifierCV

        model = OptimalTreeClassifierCV(
            splits=splits() if callable(splits) else splits,
            max_depth=MAX_DEPTH,
            max_splits=MAX_SPLITS,
            rule="best",
            cv=folds,
            time_limit=seconds,
        ).fit(X, y)
        size = model.max_splits_
        inner = float(model.mean_error_[size])
        found = model.path_[size].tree
        return Outcome(
            np.asarray(model.predict(rest)),
            _count(found),
            inner,
            f"{size} splits",
            model.path_[size].status,
        )

    return method


def _count(tree: Any) -> int:
    left = getattr(tree, "left", None)
    return 0 if left is None else 1 + _count(left) + _count(tree.right)


def _sparse() -> Any:
    from exactree.splits import Hyperplane

    return Hyperplane(columns=2)


def _package(name: str) -> Method:
    def method(X: Matrix, y: Labels, rest: Matrix, folds: Folds, seconds: float) -> Outcome:
        from benchmarks.oblique_packages import MODELS

        def make(depth: int) -> Callable[[], Any]:
            return lambda: MODELS[name](depth, X.shape[1])

        depths = {f"depth {d}": make(d) for d in range(1, MAX_DEPTH + 1)}
        return by_candidates(depths)(X, y, rest, folds, seconds)

    return method


def _own_peer(name: str) -> Method:
    def method(X: Matrix, y: Labels, rest: Matrix, folds: Folds, seconds: float) -> Outcome:
        from benchmarks import oblique_peers

        def make(depth: int) -> Callable[[], Any]:
            return lambda: getattr(oblique_peers, name)(depth)

        depths = {f"depth {d}": make(d) for d in range(1, MAX_DEPTH + 1)}
        return by_candidates(depths)(X, y, rest, folds, seconds)

    return method


def _cart_sizes() -> dict[str, Callable[[], Any]]:
    return {f"{k} splits": partial(cart, MAX_DEPTH, k) for k in range(1, MAX_SPLITS + 1)}


def _cart_depths() -> dict[str, Callable[[], Any]]:
    return {f"depth {d}": partial(cart, d) for d in range(1, DEEP + 1)}


# Families in the order of simplicity, in which equals are chosen.
FAMILIES = {
    "axis": "axis",
    "sparse hyperplane": _sparse,
    "hyperplane": "hyperplane",
    "sphere": "sphere",
    "mixed": ["axis", "hyperplane", "sphere"],
}
METHODS: dict[str, Method] = {
    "CART": by_candidates(_cart_sizes()),
    "CART, any depth": by_candidates(_cart_depths()),
    "ConTree": contree,
    "logistic tree": _own_peer("LogisticTree"),
    "TAO": _own_peer("AlternatingTree"),
    "treeple": _package("treeple"),
    "obliquetree": _package("obliquetree"),
    "stree": _package("stree"),
    "ydf": _package("ydf"),
    **{name: ours(splits) for name, splits in FAMILIES.items()},
}
# The package that a method needs; the others do with ours.
NEEDS = {"ConTree": "pycontree", **{n: n for n in ("treeple", "obliquetree", "stree", "ydf")}}
