"""Packages that grow trees of planes, each greedy: solvers for those that are installed.

None is among the extras: treeple wants scikit-learn 1.7, and each takes what it finds installed.
"""

from importlib import import_module, metadata
from typing import Any

import numpy as np

from benchmarks.data import Labels, Matrix
from benchmarks.jobs import Problem
from benchmarks.solvers import Answer, Options, Prepared, solver

PACKAGES = ("treeple", "obliquetree", "stree", "ydf")


def installed() -> list[str]:
    """Those of the packages that can be asked."""
    found = []
    for name in PACKAGES:
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        found.append(name)
    return found


def _fitted(model: Any, X: Matrix, y: Labels) -> Prepared:
    def read(fitted: Any) -> Answer:
        predicted = np.asarray(fitted.predict(X)).ravel().astype(np.int64)
        return Answer(int((predicted != y).sum()), "greedy")

    return Prepared(lambda: model.fit(X, y), read)


@solver("treeple", "treeple", exact=False)
def treeple(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """Random sparse combinations of columns, many of them a node."""
    model = import_module("treeple.tree").ObliqueDecisionTreeClassifier
    columns = X.shape[1]
    arguments = {
        "max_features": max(100, 4 * columns),
        "feature_combinations": min(columns, 3),
        "random_state": 0,
        **options,
    }
    return _fitted(model(max_depth=problem.max_depth, **arguments), X, y)


@solver("obliquetree", "obliquetree", exact=False)
def obliquetree(
    X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options
) -> Prepared:
    """Pairs of columns."""
    model = import_module("obliquetree").Classifier
    arguments = {"n_pair": 2, "random_state": 0, **options}
    return _fitted(model(max_depth=problem.max_depth, **arguments), X, y)


@solver("stree", "stree", exact=False)
def stree(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """A linear support vector machine at every node; its depth counts the leaves too."""
    model = import_module("stree").Stree
    depth = None if problem.max_depth is None else problem.max_depth + 1
    return _fitted(model(max_depth=depth, **{"random_state": 0, **options}), X, y)


@solver("ydf", "ydf", exact=False)
def ydf(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """CART over sparse combinations of columns; its depth counts the root as one."""
    learner = import_module("ydf").CartLearner
    table = {f"x{j}": column for j, column in enumerate(np.ascontiguousarray(X.T))}
    depth = -1 if problem.max_depth is None else problem.max_depth + 1
    model = learner(
        label="y",
        max_depth=depth,
        split_axis="SPARSE_OBLIQUE",
        validation_ratio=0.0,
        num_threads=1,
        **options,
    )

    def read(fitted: Any) -> Answer:
        chances = np.asarray(fitted.predict(table))
        best = chances.argmax(axis=1) if chances.ndim == 2 else (chances > 0.5).astype(np.int64)
        names = np.array([int(name) for name in fitted.label_classes()])
        return Answer(int((names[best] != y).sum()), "greedy")

    return Prepared(lambda: model.train({**table, "y": y}, verbose=0), read)
