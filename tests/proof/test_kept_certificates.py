"""The folder of right and wrong certificates, and those that come with the package."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forging import accepted, shown_by_second, write_table
from numpy.typing import NDArray
from sklearn import datasets

import exactree.proof
from exactree.proof import read_statement

FOLDER = Path(__file__).parent / "certificates"
PUBLISHED = Path(exactree.proof.__file__).parent / "published"


def table() -> tuple[NDArray[Any], NDArray[Any], None]:
    read = np.loadtxt(FOLDER / "table.csv", delimiter=",", skiprows=1)
    return read[:, :-1], read[:, -1].astype(int), None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.xz")), ids=lambda p: p.stem)
def test_kept_certificates(path: Path, program: Path) -> None:
    right = path.parent.name == "right"
    assert accepted(path, table()) == right
    raw = lzma.decompress(path.read_bytes())
    bounds = shown_by_second(program, raw, [str(FOLDER / "table.csv")])
    assert (bounds is not None) == right


def test_there_are_right_and_wrong_ones() -> None:
    assert len(list((FOLDER / "right").iterdir())) >= 12
    assert len(list((FOLDER / "wrong").iterdir())) >= 12


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.xz")), ids=lambda p: p.stem)
def test_published_certificates(path: Path, program: Path, tmp_path: Path) -> None:
    """The optima of bundled data, by the second checker; the data are scikit-learn's."""
    name, depth = path.stem.split("_depth")
    bunch = getattr(datasets, f"load_{name}")()
    arguments = write_table(tmp_path / "data.csv", (bunch.data, bunch.target, None))
    bounds = shown_by_second(program, lzma.decompress(path.read_bytes()), arguments)
    statement = read_statement(path)
    assert statement.header["max_depth"] == int(depth) and statement.optimal
    assert bounds == [found.value for found in statement.results]


def test_what_is_published() -> None:
    found = {path.stem: path.stat().st_size for path in PUBLISHED.glob("*.xz")}
    wanted = [f"{name}_depth{d}" for name in ("iris", "wine", "breast_cancer") for d in (3, 4)]
    assert sorted(found) == sorted([*wanted, "digits_depth2"])
    assert sum(found.values()) < 2**20
