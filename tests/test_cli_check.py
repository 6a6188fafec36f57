"""exactree fit --certificate and exactree check."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from forging import error_data, packed, unpacked, write_table

from exactree.cli import main
from exactree.proof import checking


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data.csv, its certificate proof.xz and a report."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "data.csv", error_data(4, 50))
    command = "fit data.csv --target y --max-depth 2 --certificate proof.xz --report report.html"
    assert main(command.split()) == 0
    return tmp_path


def test_the_statement_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["check", "proof.xz", "data.csv"]) == 0
    value = unpacked(folder / "proof.xz")[0]["results"][0]["value"]
    shown = capsys.readouterr().out
    assert shown.startswith(
        f"checked: no axis-parallel tree of depth <= 2 makes fewer than {value} errors on these 50 "
        f"rows;\nthis tree makes {value}: it is optimal\nx"
    )


def test_the_report_links_to_it(folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert '<a href="proof.xz">proof.xz</a>' in page
    assert "<code>exactree check proof.xz data.csv</code>" in page


def test_the_checker_runs_alone(folder: Path) -> None:
    copied = folder / "checking.py"
    copied.write_text(Path(checking.__file__).read_text())
    run = [sys.executable, "-I", str(copied), "proof.xz", "data.csv"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("checked: ")
    other = (folder / "data.csv").read_text().replace("\n1", "\n2", 1)
    (folder / "data.csv").write_text(other)
    assert subprocess.run(run, capture_output=True, check=False).returncode != 0


def test_other_data_are_rejected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(folder / "other.csv", error_data(5, 50))
    assert main(["check", "proof.xz", "other.csv"]) == 1
    assert "proof.xz: rejected: these are other data" in capsys.readouterr().err
    capsys.readouterr()
    assert main(["check", "proof.xz", "other.csv", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["accepted"] is False


def test_a_gap_has_a_status_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, plan = unpacked(folder / "proof.xz")
    header["results"][0]["bound"] = "1"
    (folder / "gap.xz").write_bytes(packed(header, plan))
    assert main(["check", "gap.xz", "data.csv"]) == 4
    assert "is left" in capsys.readouterr().out


def test_without_a_target(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, plan = unpacked(folder / "proof.xz")
    (folder / "nameless.xz").write_bytes(packed({**header, "target": None}, plan))
    assert main(["check", "nameless.xz", "data.csv"]) == 3
    assert "pass --target" in capsys.readouterr().err
    assert main(["check", "nameless.xz", "data.csv", "--target", "y"]) == 0


def test_regression(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "fit data.csv --target y --task regression --max-depth 2 --certificate squares.xz"
    assert main(command.split()) == 0
    assert main(["check", "squares.xz", "data.csv"]) == 0
    assert "it is optimal to within a billionth" in capsys.readouterr().out


def test_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing values, words, dates and numbers that are said to be categories."""
    monkeypatch.chdir(tmp_path)
    lines = ["size,colour,day,code,y"]
    for i in range(40):
        size = "" if i % 7 == 0 else str(i * 37 % 11)
        colour, day = ["red", "green", "", "blue"][i % 4], f"2024-01-{1 + i * 5 % 28:02}"
        lines.append(f"{size},{colour},{day},{i % 3},{int(i * 37 % 11 > 4) ^ int(i % 4 == 1)}")
    Path("data.csv").write_text("\n".join(lines) + "\n")
    fit = "fit data.csv --target y --max-depth 2 --column code=category --certificate proof.xz"
    assert main(fit.split()) == 0
    capsys.readouterr()
    assert main(["check", "proof.xz", "data.csv"]) == 0
    assert "it is optimal" in capsys.readouterr().out
    alone = [sys.executable, checking.__file__, "proof.xz", "data.csv"]
    assert subprocess.run(alone, capture_output=True, check=True).stdout.startswith(b"checked")
    Path("data.csv").write_text("\n".join([*lines[:-1], lines[-1].replace(",", ",x", 1)]))
    assert main(["check", "proof.xz", "data.csv"]) == 1
