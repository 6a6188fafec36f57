"""Tables as files have them: types found and shown, categories, holes, dates, commas."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree.cli import main, tables
from exactree.cli.cells import Cells
from exactree.cli.models import read_model
from exactree.cli.tables import read_table

Capture = pytest.CaptureFixture[str]
TITANIC = """\
survived,age,sex,class,boarded,alone
no,22,male,third,1912-04-10,true
yes,38,female,first,1912-04-10,false
yes,NA,female,third,1912-04-11,true
no,35,male,first,,true
yes,4,male,second,1912-04-10,false
no,,male,third,1912-04-12,true
yes,27,female,second,1912-04-12,?
no,54,male,first,1912-04-10,true
"""


@pytest.fixture
def titanic(tmp_path: Path) -> str:
    path = tmp_path / "titanic.csv"
    path.write_text(TITANIC)
    return str(path)


def test_what_columns_hold_is_found_and_shown(titanic: str, capsys: Capture) -> None:
    assert main(["fit", titanic, "--target", "survived", "--max-depth", "1"]) == 0
    shown = capsys.readouterr()
    told = [line.replace("│", " ").split() for line in shown.err.splitlines()]
    assert ["age", "number", "6", "2"] in told
    assert ["sex", "category", "2", "0"] in told
    assert ["boarded", "date", "3", "1"] in told
    assert ["alone", "boolean", "2", "1"] in told
    assert "sex = female" in shown.out
    assert main(["fit", titanic, "--target", "survived", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_from_fit_to_predict(titanic: str, tmp_path: Path, capsys: Capture) -> None:
    model, report = str(tmp_path / "model.json"), tmp_path / "report.html"
    fit = ["fit", titanic, "--target", "survived", "--max-depth", "2", "--out", model]
    assert main([*fit, "--report", str(report), "--quiet"]) == 0
    stored = json.loads(Path(model).read_text())
    assert stored["version"] == 2
    assert stored["columns"] == [
        {"kind": "number", "holes": True},
        {"kind": "category"},
        {"kind": "category"},
        {"kind": "date", "unit": "D", "holes": True},
        {"kind": "boolean", "holes": True},
    ]
    text = str(read_model(model).result)
    capsys.readouterr()
    assert main(["show", model]) == 0
    assert capsys.readouterr().out == text + "\n"
    new = tmp_path / "new.csv"
    new.write_text("sex,age,class,alone,boarded\nfemale,,fourth,,\nmale,30,,true,2020-01-01\n")
    assert main(["predict", model, str(new)]) == 0
    assert len(capsys.readouterr().out.split()) == 3
    assert main(["predict", model, titanic, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1 - stored["objective"] / 8


def test_a_model_of_version_1_still_predicts(tmp_path: Path, capsys: Capture) -> None:
    data, model = tmp_path / "small.csv", tmp_path / "model.json"
    data.write_text("a,b,y\n1,5,x\n2,6,x\n3,5,z\n4,7,z\n")
    assert main(["fit", str(data), "--target", "y", "--out", str(model), "--quiet"]) == 0
    old = json.loads(model.read_text())
    del old["columns"]
    old["version"] = old["tree"]["version"] = 1
    model.write_text(json.dumps(old))
    capsys.readouterr()
    assert main(["predict", str(model), str(data)]) == 0
    assert capsys.readouterr().out.split() == ["prediction", "x", "x", "z", "z"]
    data.write_text("a,b\n,5\n")
    assert main(["predict", str(model), str(data)]) == 0
    assert capsys.readouterr().out.split() == ["prediction", "x"]  # a tie goes left


def test_what_columns_hold_can_be_said(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "zip.csv"
    path.write_text("zip,y\n10,a\n20,b\n30,a\n40,b\n")
    fit = ["fit", str(path), "--target", "y", "--max-depth", "1"]
    assert main([*fit, "--column", "zip=category"]) == 0
    assert "zip = " in capsys.readouterr().out
    assert main([*fit, "--column", "zip=category", "--categories", "subset"]) == 0
    assert "zip in {10, 30}" in capsys.readouterr().out
    assert main([*fit, "--column", "zip=date"]) == 3
    assert "line 2: '10' in column 'zip' is no date" in capsys.readouterr().err
    assert main([*fit, "--column", "zip=boolean"]) == 3
    assert "is neither yes nor no" in capsys.readouterr().err
    assert main([*fit, "--column", "sip=category"]) == 3
    assert "there is no column 'sip'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*fit, "--column", "zip=magic"])
    assert "the kind one of number, category, date, boolean" in capsys.readouterr().err


def test_partly_numbers_is_no_guess(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("ticket,y\n12,a\nA/5,b\n13,a\n")
    assert main(["fit", str(path), "--target", "y"]) == 3
    shown = capsys.readouterr().err
    assert "line 3: 'A/5' in column 'ticket' is not a finite number" in shown
    assert "--column ticket=category" in shown
    assert main(["fit", str(path), "--target", "y", "--column", "ticket=category"]) == 0


def test_commas_semicolons_marks_and_quoted_lines(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "german.csv"
    text = 'größe;"ort\nname";y\n1,5;"Bad\nHonnef";0\n2,5;Köln;1\n-3,25;Bonn;0\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    table = read_table(str(path))
    assert table.names[0] == "größe"
    assert table.typed("größe").values.tolist() == [1.5, 2.5, -3.25]
    assert table.column(table.names[1])[0].split() == ["Bad", "Honnef"]
    assert main(["fit", str(path), "--target", "y", "--quiet"]) == 0


def test_compare_takes_tables(titanic: str, capsys: Capture) -> None:
    arguments = ["compare", titanic, "--target", "survived", "--max-depth", "1", "--folds", "2"]
    assert main([*arguments, "--json"]) == 0
    cart, ours = json.loads(capsys.readouterr().out)["trees"]
    assert ours["training_errors"] <= cart["training_errors"]
    assert "refused" not in ours and "refused" not in cart


# --- pyarrow and Python read alike ------------------------------------------------------------


def random_csv(rng: np.random.Generator, path: Path) -> None:
    """Write a file with every kind of column, blank lines and spaces here and there."""
    n = int(rng.integers(1, 30))
    delimiter = str(rng.choice([",", ";", "\t"]))
    point = "," if delimiter == ";" and rng.random() < 0.5 else "."
    words = ["red", " blue ", 'say "hi"', "two\nlines", f"a{delimiter}b", "naïve"]
    makers: list[Any] = [
        lambda: str(rng.integers(-50, 50)),
        lambda: f"{rng.normal():.3f}".replace(".", point),
        lambda: str(rng.choice(words)),
        lambda: str(rng.choice(["true", "false"])),
        lambda: f"20{rng.integers(10, 30)}-0{rng.integers(1, 9)}-11",
        lambda: f"2020-01-0{rng.integers(1, 9)} 12:3{rng.integers(0, 9)}:00",
    ]
    chosen = [makers[k] for k in rng.integers(0, len(makers), 4)]
    holes = ["", "NA", "?", "null"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["alpha", "beta", "gamma", "delta", "target"])
        for _ in range(n):
            cells = [str(rng.choice(holes)) if rng.random() < 0.1 else make() for make in chosen]
            writer.writerow([*cells, str(rng.choice(["yes", "1.0", "NA"]))])
            if rng.random() < 0.1:
                file.write("\n")


def test_pyarrow_reads_what_python_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.csv"
    by_arrow = 0
    for seed in range(150):
        random_csv(np.random.default_rng(seed), path)
        with monkeypatch.context() as patched:
            plain = read_table(str(path), text=["target"])
            patched.setattr(tables, "WORTH_ARROW", 0)
            quick = read_table(str(path), text=["target"])
        by_arrow += any(not isinstance(c, Cells) for c in quick.columns)
        assert quick.names == plain.names
        assert quick.column("target") == plain.column("target")
        assert quick.lines == plain.lines
        for name in plain.names[:-1]:
            one, other = plain.typed(name), quick.typed(name)
            assert one.kind.name == other.kind.name, (seed, name)
            assert one.missing.tolist() == other.missing.tolist()
            known = ~one.missing
            if one.kind.has_categories:
                assert one.categories == other.categories
            if one.kind.is_time:
                dates = [c.values.view(f"M8[{c.kind.unit}]")[known] for c in (one, other)]
                assert (dates[0] == dates[1]).all()
            else:
                assert (one.values[known] == other.values[known]).all(), (seed, name)
    assert by_arrow > 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,y\n1,0\n2\n", "line 3: 1 value instead of 2"),
        ("a,y\n1,0\ninf,1\n", "line 3: 'inf' in column 'a' is not a finite number"),
        ("a,y\n1,0\n\nred,1\n", "line 4: 'red' in column 'a' is not a finite number"),
        ("a,y\n1,0\n9007199254740993,1\n", "line 3: 9007199254740993 in column 'a' is beyond"),
        (b"a,y\n1,0\n\xff,1\n", "line 3: this is not UTF-8"),
    ],
)
def test_a_bad_large_file_gets_its_line(
    text: str | bytes,
    message: str,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "WORTH_ARROW", 0)
    path = tmp_path / "bad.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["fit", str(path), "--target", "y"]) == 3
    assert message in capsys.readouterr().err
