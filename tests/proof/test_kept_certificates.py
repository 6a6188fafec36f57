"""The folder of right and wrong certificates, and those that come with the package."""

from __future__ import annotations

import inspect
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from forging import accepted, shown_by_second, unpacked, write_table
from numpy.typing import NDArray
from sklearn import datasets

import exactree.proof
from exactree.proof import check, read_statement
from exactree.proof.statement import CHECKERS

FOLDER = Path(__file__).parent / "certificates"
PUBLISHED = Path(exactree.proof.__file__).parent / "published"
PLANES = sorted(PUBLISHED.glob("*_hyperplane_*.xz"))


def table(path: Path) -> tuple[Any, NDArray[Any], None]:
    """The table that a certificate is for."""
    if path.name.startswith("holes"):
        frame = pd.read_csv(FOLDER / "holes.csv")
        return frame[["x0", "x1", "x2"]], frame["y"].to_numpy(), None
    read = np.loadtxt(FOLDER / "table.csv", delimiter=",", skiprows=1)
    return read[:, :-1], read[:, -1].astype(int), None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.xz")), ids=lambda p: p.stem)
def test_kept_certificates(path: Path, program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = path.parent.name == "right"
    assert accepted(path, table(path)) == right
    header, _ = unpacked(path)
    alone = CHECKERS.get(header["family"]) if right else None
    if alone is not None:
        data = FOLDER / ("holes.csv" if header.get("kinds") else "table.csv")
        alone.main(str(path), str(data))
        assert capsys.readouterr().out.startswith("checked: ")
    raw = lzma.decompress(path.read_bytes())
    bounds = shown_by_second(program, raw, [str(FOLDER / "table.csv")])
    known = header["family"] == "axis" and header.get("kinds") is None
    assert (bounds is not None) == (right and known)


def test_there_are_right_and_wrong_ones() -> None:
    assert len(list((FOLDER / "right").iterdir())) >= 12
    assert len(list((FOLDER / "wrong").iterdir())) >= 12


@pytest.mark.parametrize(
    "path", sorted(set(PUBLISHED.glob("*.xz")) - set(PLANES)), ids=lambda p: p.stem
)
def test_published_certificates(path: Path, program: Path, tmp_path: Path) -> None:
    """The optima of bundled data, by the second checker; the data are scikit-learn's."""
    name, depth = path.stem.split("_depth")
    bunch = getattr(datasets, f"load_{name}")()
    arguments = write_table(tmp_path / "data.csv", (bunch.data, bunch.target, None))
    bounds = shown_by_second(program, lzma.decompress(path.read_bytes()), arguments)
    statement = read_statement(path)
    assert statement.header["max_depth"] == int(depth) and statement.optimal
    assert bounds == [found.value for found in statement.results]


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=pytest.mark.fuzz) if "wine" in p.stem else p for p in PLANES],
    ids=lambda p: p.stem,
)
def test_published_certificates_of_hyperplanes(path: Path) -> None:
    """Two columns each, by the checker that lists all partitions by lines itself."""
    name, depth = path.stem.split("_hyperplane_depth")
    bunch = getattr(datasets, f"load_{name}")()
    said = read_statement(path).header
    columns = [list(bunch.feature_names).index(column) for column in said["feature_names"]]
    statement = check(path, bunch.data[:, columns], bunch.target)
    assert said["max_depth"] == int(depth) and statement.optimal
    assert str(statement).startswith("no hyperplane tree")


def test_what_is_published() -> None:
    found = {path.stem: path.stat().st_size for path in PUBLISHED.glob("*.xz")}
    wanted = [f"{name}_depth{d}" for name in ("iris", "wine", "breast_cancer") for d in (3, 4)]
    planes = [path.stem for path in PLANES]
    assert sorted(found) == sorted([*wanted, "digits_depth2", *planes]) and len(planes) == 2
    assert sum(found.values()) < 2**20


def test_what_checkers_share_is_the_same_text() -> None:
    """Each checker stands alone: what several have is copied, and has to stay alike."""
    shared = ("require", "numbers", "floats", "questions", "read", "data_digest", "number")
    for name in (*shared, "fraction", "main"):
        texts = {
            inspect.getsource(getattr(module, name))
            for module in CHECKERS.values()
            if hasattr(module, name) and (name != "main" or hasattr(module, "floats"))
        }
        assert len(texts) == 1, name
