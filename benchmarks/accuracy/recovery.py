"""Planted trees of hyperplanes: how near to the truth does each method come?

Rows are normal, labels those of a random complete tree of hyperplanes of which some are changed
at random; every method is told the depth. Judged by the share of fresh rows, without noise, that
are given the planted label.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Labels, Matrix

Record = dict[str, Any]


@dataclass(frozen=True)
class Planted:
    """One planted tree and its rows; two labels, that of a leaf by turns."""

    depth: int = 2
    rows: int = 400
    columns: int = 5
    noise: float = 0.1
    seed: int = 0


BASE = Planted()
VARIED: dict[str, tuple[Any, ...]] = {
    "depth": (1, 2, 3),
    "rows": (100, 200, 400, 800, 1600),
    "columns": (2, 5, 10, 20),
    "noise": (0.0, 0.1, 0.2, 0.3),
}
FRESH_ROWS = 2000
METHODS = ("CART", "axis", "logistic tree", "TAO", "hyperplane")


def cells(seeds: int) -> Iterator[Planted]:
    """The base and what differs from it in one number."""
    seen = set()
    for seed in range(seeds):
        for name, values in VARIED.items():
            for value in values:
                cell = replace(BASE, **{name: value}, seed=seed)
                if cell not in seen:
                    seen.add(cell)
                    yield cell


def planted(cell: Planted) -> tuple[Matrix, Labels, Matrix, Labels]:
    """Rows to learn from, with noise, and fresh ones with the labels of the tree."""
    random = np.random.default_rng([cell.seed, cell.depth, cell.columns])
    planes = random.normal(size=(2**cell.depth - 1, cell.columns))
    X = random.normal(size=(cell.rows + FRESH_ROWS, cell.columns))
    y = _labels(X, planes)
    train, fresh = X[: cell.rows], X[cell.rows :]
    wrong = random.random(cell.rows) < cell.noise
    return train, np.where(wrong, 1 - y[: cell.rows], y[: cell.rows]), fresh, y[cell.rows :]


def _labels(X: Matrix, planes: NDArray[np.float64]) -> NDArray[np.int64]:
    """A plane cuts its part in two: it goes through the median of the rows that reach it."""
    at = np.zeros(len(X), dtype=np.int64)
    for k, plane in enumerate(planes):
        here = at == k
        score = X[here] @ plane
        at[here] = 2 * k + 1 + (score > np.median(score) if here.any() else score > 0)
    return at % 2


def predicted(method: str, cell: Planted, seconds: float) -> Labels:
    X, y, fresh, _ = planted(cell)
    return np.asarray(_model(method, cell.depth, seconds).fit(X, y).predict(fresh))


def _model(method: str, depth: int, seconds: float) -> Any:
    if method == "CART":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=depth, random_state=0)
    if method in ("logistic tree", "TAO"):
        from benchmarks.oblique_peers import AlternatingTree, LogisticTree

        return (LogisticTree if method == "logistic tree" else AlternatingTree)(depth)
    from exactree import OptimalTreeClassifier

    return OptimalTreeClassifier(splits=method, max_depth=depth, time_limit=seconds)


def record(method: str, cell: Planted, seconds: float) -> Record:
    """The share of fresh rows with the planted label."""
    right = float(np.mean(predicted(method, cell, seconds) == planted(cell)[3]))
    return {"planted": asdict(cell), "method": method, "seconds": seconds, "recovered": right}
