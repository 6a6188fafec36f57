"""Packages that grow trees of planes, each greedy.

treeple wants an older scikit-learn than ours, so all of them live in an environment of their own:
make .venv-peers/.installed. What is not installed is left out.
"""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Self

import numpy as np

from benchmarks.data import Labels, Matrix
from benchmarks.jobs import Problem
from benchmarks.solvers import Answer, Options, Prepared, solver

PACKAGES = ("treeple", "obliquetree", "stree", "ydf")
ELSEWHERE = Path(__file__).resolve().parent.parent / ".venv-peers"


@cache
def interpreter(package: str) -> str | None:
    """The Python that has the package: this one, or that of the peers."""
    try:
        metadata.version(package)
        return sys.executable
    except metadata.PackageNotFoundError:
        folders = ELSEWHERE.glob("lib/python*/site-packages/*.dist-info")
        names = {folder.name.partition("-")[0].lower() for folder in folders}
        return str(ELSEWHERE / "bin" / "python") if package in names else None


def installed() -> list[str]:
    """Those of the packages that can be asked."""
    return [name for name in PACKAGES if interpreter(name) is not None]


class Scaled:
    """A model that sees every column with mean 0 and variance 1 in the rows that it learns from.

    Support vector machines and sums of columns depend on their units.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Matrix, y: Labels) -> Self:
        spread = X.std(axis=0)
        self.centre, self.spread = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.model.fit((X - self.centre) / self.spread, y)
        return self

    def predict(self, X: Matrix) -> Any:
        return self.model.predict((X - self.centre) / self.spread)

    def __getattr__(self, name: str) -> Any:  # such as the number of leaves
        if name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)


class YdfTree:
    """ydf's CART over sparse combinations of columns; its depth counts the root as one."""

    def __init__(self, max_depth: int, **options: Any) -> None:
        self.arguments = {"max_depth": max_depth + 1, **options}

    def fit(self, X: Matrix, y: Labels) -> Self:
        learner = import_module("ydf").CartLearner(
            label="y",
            split_axis="SPARSE_OBLIQUE",
            validation_ratio=0.0,
            num_threads=1,
            **self.arguments,
        )
        self.model = learner.train({**self._columns(X), "y": y}, verbose=0)
        return self

    def predict(self, X: Matrix) -> Labels:
        chances = np.asarray(self.model.predict(self._columns(X)))
        best = chances.argmax(axis=1) if chances.ndim == 2 else (chances > 0.5).astype(np.int64)
        names = np.array([int(name) for name in self.model.label_classes()], dtype=np.int64)
        return np.asarray(names[best], dtype=np.int64)

    @staticmethod
    def _columns(X: Matrix) -> dict[str, Any]:
        return {f"x{j}": column for j, column in enumerate(np.ascontiguousarray(X.T))}


def treeple_tree(max_depth: int, columns: int, **options: Any) -> Any:
    """Random sparse combinations of columns, many of them a node."""
    arguments = {
        "max_features": max(100, 4 * columns),
        "feature_combinations": min(columns, 3),
        "random_state": 0,
        **options,
    }
    model = import_module("treeple.tree").ObliqueDecisionTreeClassifier
    return Scaled(model(max_depth=max_depth, **arguments))


def obliquetree_tree(max_depth: int, columns: int, **options: Any) -> Any:
    """Pairs of columns."""
    model = import_module("obliquetree").Classifier
    return Scaled(model(max_depth=max_depth, **{"n_pair": 2, "random_state": 0, **options}))


def stree_tree(max_depth: int, columns: int, **options: Any) -> Any:
    """A linear support vector machine at every node; its depth counts the leaves too."""
    model = import_module("stree").Stree
    return Scaled(model(max_depth=max_depth + 1, **{"random_state": 0, **options}))


def ydf_tree(max_depth: int, columns: int, **options: Any) -> Any:
    """Sparse combinations of columns, drawn at random."""
    return Scaled(YdfTree(max_depth, **options))


# Each takes a depth and the number of columns, and gives what has fit() and predict(), and sees
# scaled columns.
MODELS: dict[str, Callable[..., Any]] = {
    "treeple": treeple_tree,
    "obliquetree": obliquetree_tree,
    "stree": stree_tree,
    "ydf": ydf_tree,
}


def _enter(name: str) -> None:
    @solver(name, name, exact=False)
    def prepare(
        X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options
    ) -> Prepared:
        model = MODELS[name](problem.max_depth or 1, X.shape[1], **options)

        def read(fitted: Any) -> Answer:
            predicted = np.asarray(fitted.predict(X)).ravel().astype(np.int64)
            return Answer(int((predicted != y).sum()), "greedy")

        return Prepared(lambda: model.fit(X, y), read)


for _name in PACKAGES:
    _enter(_name)
