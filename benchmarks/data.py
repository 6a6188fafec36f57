"""Instances: text files of a folder, scikit-learn's bundled sets, and generated ground truths.

An instance is a recipe, not the arrays: every run loads it anew in its own process.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True)
class Instance:
    """A data set, optionally only some of its rows and columns, or coarser ones.

    With `bins` every column becomes the number of the bin between so many quantiles, at most, so
    that solvers which need their thresholds listed can have the same ones.

    `source` is "file:PATH", "sklearn:NAME", "sklearn:NAME/COLUMN,COLUMN...", a tree of thresholds
    "tree:ROWS,COLUMNS,CLASSES,NOISE,SEED" or one of hyperplanes "planes:ROWS,COLUMNS,NOISE,SEED",
    or small integers "grid:ROWS,COLUMNS,VALUES,CLASSES,SEED" with random labels.
    """

    name: str
    source: str
    rows: int | None = None
    columns: int | None = None
    bins: int | None = None

    def binned(self, bins: int) -> "Instance":
        """The instance with at most so many thresholds a column."""
        return replace(self, name=f"{self.name}/{bins}q", bins=bins)

    def part(self, rows: int | None = None, columns: int | None = None) -> "Instance":
        """A smaller instance: its rows and columns are among those of every larger one."""
        size = "".join(f"/{n}{unit}" for n, unit in ((rows, "r"), (columns, "c")) if n is not None)
        return replace(self, name=self.name + size, rows=rows, columns=columns)


def load(instance: Instance, task: str = "classification") -> tuple[Matrix, Labels]:
    """The features and the target; labels become 0, 1, 2 ... in their order."""
    kind, _, rest = instance.source.partition(":")
    readers = {
        "file": _read_file,
        "sklearn": _read_bundled,
        "tree": _generate,
        "planes": _planes,
        "grid": _grid,
    }
    if kind not in readers:
        raise ValueError(f"unknown source {instance.source!r}: {', '.join(readers)} are known")
    X, y = _cut(*readers[kind](rest), instance)
    X = np.ascontiguousarray(X, dtype=np.float64)
    if instance.bins is not None:
        X = np.stack([_bins(column, instance.bins) for column in X.T], axis=1)
    if task == "regression":
        return X, y.astype(np.float64)
    return X, np.unique(y, return_inverse=True)[1].astype(np.int64)


def folder(path: Path) -> list[Instance]:
    """Every text file of a folder, by name."""
    files = sorted(path.glob("*.txt"))
    if not files:
        raise ValueError(f"no .txt files in {path}: lines of 'label v1 v2 ...' are expected")
    return [Instance(file.stem, f"file:{file.resolve()}") for file in files]


def bundled() -> list[Instance]:
    """What needs no download: real sets that come with scikit-learn, and noisy ground truths."""
    real = [Instance(name, f"sklearn:{name}") for name in ("iris", "wine", "breast_cancer")]
    return [*real, *(generated(*size) for size in ((500, 5, 2), (1000, 10, 3), (2000, 5, 2)))]


def generated(rows: int, columns: int, classes: int, noise: float = 0.1, seed: int = 0) -> Instance:
    """Rows labelled by a random tree of depth three, some of them wrongly."""
    return Instance(
        f"tree-{rows}x{columns}-{classes}", f"tree:{rows},{columns},{classes},{noise},{seed}"
    )


def planes(rows: int, columns: int, noise: float, seed: int = 0) -> Instance:
    """Rows labelled by a random tree of three hyperplanes, some of them wrongly."""
    return Instance(
        f"planes-{rows}x{columns}-{100 * noise:.0f}%", f"planes:{rows},{columns},{noise},{seed}"
    )


def grid(rows: int, columns: int, values: int, classes: int = 2, seed: int = 0) -> Instance:
    """Points of a small grid with random labels: many rows are equal, collinear or coplanar."""
    return Instance(
        f"grid-{rows}x{columns}-{classes}", f"grid:{rows},{columns},{values},{classes},{seed}"
    )


def bundled_columns(name: str, columns: Iterable[int]) -> Instance:
    """Some columns of a set that comes with scikit-learn."""
    chosen_ones = ",".join(map(str, columns))
    return Instance(f"{name}/{chosen_ones}", f"sklearn:{name}/{chosen_ones}")


def chosen(instances: Iterable[Instance], names: Iterable[str]) -> list[Instance]:
    """The instances of these names in the order asked for; all of them when none is named."""
    by_name = {instance.name: instance for instance in instances}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise ValueError(f"no instance {unknown[0]!r}: there are {', '.join(by_name)}")
    return [by_name[name] for name in names] or list(by_name.values())


def _read_file(path: str) -> tuple[Matrix, Matrix]:
    table = np.loadtxt(path, ndmin=2)
    return table[:, 1:], table[:, 0]


def _read_bundled(recipe: str) -> tuple[Matrix, Matrix]:
    from sklearn import datasets

    name, _, columns = recipe.partition("/")
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X[:, [int(c) for c in columns.split(",")]] if columns else X, y


def _planes(recipe: str) -> tuple[Matrix, Matrix]:
    from exactree.datasets import ground_truth

    rows, columns, noise, seed = recipe.split(",")
    truth = ground_truth(
        int(rows), int(columns), splits="hyperplane", noise=float(noise), seed=int(seed)
    )
    return truth.X, truth.y.astype(np.float64)


def _grid(recipe: str) -> tuple[Matrix, Matrix]:
    rows, columns, values, classes, seed = map(int, recipe.split(","))
    random = np.random.default_rng(seed)
    X = random.integers(0, values, size=(rows, columns)).astype(np.float64)
    return X, random.integers(0, classes, size=rows).astype(np.float64)


def _generate(recipe: str) -> tuple[Matrix, Matrix]:
    """Values with three decimals, so that ties occur; each leaf's class differs from its twin's."""
    rows, columns, classes = (int(part) for part in recipe.split(",")[:3])
    noise, seed = float(recipe.split(",")[3]), int(recipe.split(",")[4])
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)).round(3)
    leaf = np.zeros(rows, dtype=np.int64)
    for _ in range(3):
        feature = random.integers(columns, size=8)[leaf]
        threshold = random.normal(scale=0.5, size=8)[leaf]
        leaf = 2 * leaf + (X[np.arange(rows), feature] <= threshold)
    y = leaf % classes
    wrong = random.random(rows) < noise
    y[wrong] = random.integers(classes, size=int(wrong.sum()))
    return X, y.astype(np.float64)


def _bins(column: Matrix, thresholds: int) -> Matrix:
    """The number of quantiles below each value; the quantiles are among the values."""
    shares = np.arange(1, thresholds + 1) / (thresholds + 1)
    cuts = np.unique(np.quantile(column, shares, method="lower"))
    return np.searchsorted(cuts, column).astype(np.float64)


def _cut(X: Matrix, y: Matrix, instance: Instance) -> tuple[Matrix, Matrix]:
    """The first rows and columns of one fixed shuffle, so that smaller parts nest in larger."""
    random = np.random.default_rng(0)
    rows, columns = random.permutation(len(y)), random.permutation(X.shape[1])
    if instance.rows is not None:
        X, y = X[rows[: instance.rows]], y[rows[: instance.rows]]
    if instance.columns is not None:
        X = X[:, columns[: instance.columns]]
    return X, y
