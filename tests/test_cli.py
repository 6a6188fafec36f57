"""The command line as scripts and people use it."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.datasets import load_iris

import exactree
from exactree.cli import fitting, main
from exactree.cli.effort import guessed_seconds
from exactree.cli.models import read_model
from exactree.cli.progress import progress_line
from exactree.cli.tables import find_delimiter, read_table
from exactree.problem import OnProgress, Progress

SMALL = "age,height,y\n1,5,a\n2,6,a\n3,5,b\n4,7,b\n"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.csv"
    path.write_text(SMALL)
    return str(path)


@pytest.fixture
def iris(tmp_path: Path) -> str:
    data = load_iris()
    rows = [
        [*map(repr, x), data.target_names[y]]
        for x, y in zip(data.data.tolist(), data.target, strict=True)
    ]
    head = ["sepal length", "sepal width", "petal length", "petal width", "species"]
    path = tmp_path / "iris.csv"
    path.write_text("\n".join(";".join(row) for row in [head, *rows]) + "\n")
    return str(path)


def hard_table(path: Path, rows: int = 400, columns: int = 8) -> str:
    """Noise: no search proves a deep tree for it within the seconds of a test."""
    rng = np.random.default_rng(0)
    X, y = rng.random((rows, columns)), rng.integers(0, 2, rows)
    lines = [
        ",".join(map(repr, row)) + f",{label}" for row, label in zip(X.tolist(), y, strict=True)
    ]
    names = ",".join([*(f"x{j}" for j in range(columns)), "y"])
    path.write_text("\n".join([names, *lines]))
    return str(path)


# --- fit, show, predict -----------------------------------------------------------------------


def test_fit_show_predict(iris: str, tmp_path: Path, capsys: Capture) -> None:
    model, report = str(tmp_path / "model.json"), tmp_path / "report.html"
    arguments = ["fit", iris, "--target", "species", "--max-depth", "2", "--out", model]
    assert main([*arguments, "--report", str(report)]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("optimal: objective 6, ")
    assert "petal" in shown.out and "virginica" in shown.out
    assert f"model written to {model}" in shown.err
    assert "Proved optimal" in report.read_text()
    assert "axis-parallel: every question" in report.read_text()

    assert main(["show", model]) == 0
    assert capsys.readouterr().out == shown.out
    for form, mark in (("rules", "if "), ("dot", "digraph"), ("python", "def predict(x)")):
        assert main(["show", model, "--as", form]) == 0
        assert capsys.readouterr().out.startswith(mark)

    assert main(["predict", model, iris, "--proba"]) == 0
    predicted = capsys.readouterr()
    lines = predicted.out.splitlines()
    assert lines[0] == "prediction,p(setosa),p(versicolor),p(virginica)"
    assert len(lines) == 151
    assert "144 of 150 right (96.0%)" in predicted.err


def test_rows_to_predict_need_no_answer(tmp_path: Path, capsys: Capture) -> None:
    table, model = tmp_path / "table.csv", str(tmp_path / "model.json")
    table.write_text("a,y\n1,2.5\n2,2.5\n3,7\n4,7\n")
    some, none = tmp_path / "some.csv", tmp_path / "none.csv"
    some.write_text("a,y\n1,\n4,7\n2,7\n")
    none.write_text("a,y\n1,\n4,\n")
    for task, told in (
        ("classification", "1 of 2 right (50.0%)"),
        ("regression", "mean absolute error 2.25, of 2 rows with an answer"),
    ):
        fit = ["fit", str(table), "--target", "y", "--task", task, "--max-depth", "1"]
        assert main([*fit, "--out", model, "--quiet"]) == 0
        assert main(["predict", model, str(some)]) == 0
        assert told in capsys.readouterr().err
        assert main(["predict", model, str(none)]) == 0
        shown = capsys.readouterr()
        assert shown.out.split() == ["prediction", "2.5", "7.0" if task == "regression" else "7"]
        assert shown.err == ""


def test_the_model_file_is_the_tree_that_solve_finds(iris: str, tmp_path: Path) -> None:
    path = str(tmp_path / "model.json")
    assert main(["fit", iris, "--target", "species", "--out", path, "--quiet"]) == 0
    data = load_iris()
    expected = exactree.solve(data.data, data.target_names[data.target], max_depth=3)
    model = read_model(path)
    assert model.result.tree == expected.tree
    assert (model.result.objective, model.result.lower_bound) == (1, 1)
    assert model.classes == expected.classes
    stored = json.loads(Path(path).read_text())
    assert (stored["format"], stored["version"]) == ("exactree.model", 2)


def test_json_is_one_object_and_nothing_else(small: str, tmp_path: Path, capsys: Capture) -> None:
    model = str(tmp_path / "model.json")
    assert main(["fit", small, "--target", "y", "--json", "--out", model, "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "optimal"
    assert (found["objective"], found["lower_bound"], found["gap"]) == (0, 0, 0)
    assert found["features"] == ["age", "height"]
    assert main(["predict", model, small, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {"predictions": ["a", "a", "b", "b"], "accuracy": 1.0}
    assert main(["show", model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tree"]["format"] == "exactree.tree"


def test_weights_drop_and_budgets_reach_the_search(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "weighted.csv"
    path.write_text("a,id,w,y\n1,9,1,0\n2,8,5,1\n3,7,1,0\n4,6,1,0\n")
    arguments = ["fit", str(path), "--target", "y", "--weights", "w", "--drop", "id", "--json"]
    assert main([*arguments, "--max-splits", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["features"] == ["a"]
    assert found["classes"] == [0, 1]
    assert found["objective"] == 1  # one row of weight 1 is on the wrong side
    assert main([*arguments, "--max-depth", "2", "--min-samples-leaf", "2"]) == 0
    assert "at least 2 rows a side" in json.loads(capsys.readouterr().out)["space"]
    assert main([*arguments, "--penalty", "0.5"]) == 0
    assert json.loads(capsys.readouterr().out)["splits"] == 0


def test_tables_without_a_header(tmp_path: Path, capsys: Capture) -> None:
    data, model = tmp_path / "plain.csv", str(tmp_path / "model.json")
    data.write_text("1\t5\tx\n2\t6\tx\n3\t5\tz\n")
    assert main(["fit", str(data), "--target", "c3", "--out", model, "--quiet"]) == 0
    assert "c1 <= 2.5" in capsys.readouterr().out
    new = tmp_path / "new.csv"
    new.write_text("9,9\n0,0\n")
    assert main(["predict", model, str(new)]) == 0
    assert capsys.readouterr().out.split() == ["prediction", "z", "x"]


def test_columns_are_found_by_name(small: str, tmp_path: Path, capsys: Capture) -> None:
    model, new = str(tmp_path / "model.json"), tmp_path / "new.csv"
    main(["fit", small, "--target", "y", "--out", model])
    new.write_text("height,extra,age\n5,x,1\n5,x,4\n")
    out = tmp_path / "answers.csv"
    assert main(["predict", model, str(new), "--out", str(out)]) == 0
    assert out.read_text() == "prediction\na\nb\n"
    new.write_text("height\n5\n")
    capsys.readouterr()
    assert main(["predict", model, str(new)]) == 3
    assert "there is no column 'age'" in capsys.readouterr().err


def test_parquet(tmp_path: Path, capsys: Capture) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "small.parquet"
    table = pyarrow.table({"a": [1.5, 2.5, None], "b": [True, False, True], "y": [0, 1, 1]})
    parquet.write_table(table, path)
    assert main(["fit", str(path), "--target", "y", "--missing", "error"]) == 3
    assert "row 3: no value in column 'a'" in capsys.readouterr().err
    assert main(["fit", str(path), "--target", "y"]) == 0
    assert "no: 1 (2 rows)" in capsys.readouterr().out  # 2.5, and the row that misses it
    assert main(["fit", str(path), "--target", "y", "--drop", "a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["objective"] == 1
    path.write_text("no parquet")
    assert main(["fit", str(path), "--target", "y"]) == 3
    assert "this is not Parquet" in capsys.readouterr().err


# --- what is wrong with a file ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,y\n", "no row after the header"),
        ("a,y\n1,0\n2\n", "line 3: 1 value instead of 2"),
        ("a,y\n1,0\n\n2,0,7\n", "line 4: 3 values instead of 2"),
        ("a,y\n1,0\nred,1\n", "line 3: 'red' in column 'a' is not a finite number"),
        ("a,y\n1,0\ninf,1\n", "line 3: 'inf' in column 'a' is not a finite number"),
        ("a,y\n1,0\n2,\n", "line 3: no value in column 'y'"),
        ('a,y\n"1\n2",0\n"3",1\n', "line 2: '1\\n2' in column 'a' is not"),
        ('a,y\n1,0\n"2,0\n', "line 3: unexpected end of data"),
        ('a,y\n"1,5",0\n2.5,1\n', "line 2: '1,5' in column 'a' has a decimal comma"),
        ("a,a,y\n1,2,0\n", "line 1: two columns have the name 'a'"),
        ("a,,y\n1,2,0\n", "column 2 has no name"),
        ("a,y\n1,0\n9007199254740993,1\n", "line 3: 9007199254740993 in column 'a' is beyond"),
        ("a,z\n1,0\n", "there is no column 'y'; the columns are 'a', 'z'"),
        ("y\n1\n", "no column is left to predict 'y' from"),
        (b"a,y\n1,0\n\xff,1\n", "line 3: this is not UTF-8"),
    ],
)
def test_a_bad_file_gets_its_line(
    text: str | bytes, message: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    status = main(["fit", str(path), "--target", "y"])
    shown = capsys.readouterr()
    assert status == 3
    assert shown.out == ""
    assert shown.err.startswith(f"exactree: error: {path}: ")
    assert message in shown.err


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str, tmp_path: Path) -> None:
    text = SMALL.replace(",", delimiter)
    assert find_delimiter(text) == delimiter
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    table = read_table(str(path))
    assert table.names == ("age", "height", "y")
    assert table.numbers(["height"])[:, 0].tolist() == [5, 6, 5, 7]
    assert table.lines == (2, 3, 4, 5)


def test_a_quoted_cell_may_hold_delimiters_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_text('name,y\n"a, b; c",1\n"two\nlines",2\nlast,3\n')
    table = read_table(str(path))
    assert table.column("name") == ("a, b; c", "two\nlines", "last")
    assert table.lines == (2, 3, 5)


def test_files_that_cannot_be_read_or_written(small: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["fit", str(tmp_path / "none.csv"), "--target", "y"]) == 3
    assert "none.csv: No such file" in capsys.readouterr().err
    # Before the search, not after it.
    nowhere = str(tmp_path / "none" / "model.json")
    assert main(["fit", small, "--target", "y", "--out", nowhere]) == 3
    shown = capsys.readouterr()
    assert "there is no directory" in shown.err
    assert shown.out == ""
    assert main(["fit", small, "--target", "y", "--delimiter", "::"]) == 3
    assert "one character" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "this is no model"),
        ("{}", "this is no model"),
        ('{"format": "exactree.model", "version": 9}', "version 9 of the model format"),
        ('{"format": "exactree.model", "version": 1}', "the model has no field 'has_header'"),
    ],
)
def test_a_bad_model_is_refused(text: str, message: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "model.json"
    path.write_text(text)
    assert main(["show", str(path)]) == 3
    assert message in capsys.readouterr().err


def test_a_wrong_command_line_is_status_two(small: str, capsys: Capture) -> None:
    for arguments in ([], ["fit", small], ["fit", small, "--target", "y", "--splits", "magic"]):
        with pytest.raises(SystemExit) as error:
            main(arguments)
        assert error.value.code == 2
    assert main(["fit", small, "--target", "y", "--max-depth", "-1"]) == 3
    assert "max_depth=-1" in capsys.readouterr().err


# --- count, compare, demo ---------------------------------------------------------------------


def test_count(capsys: Capture) -> None:
    assert main(["count", "--rows", "100", "--columns", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rules"]["count"] == 300
    assert found["trees_by_depth"]["count"] == exactree.counting.trees_of_depth(
        300, 3, at_most=True
    )
    assert main(["count", "--rows", "100", "--columns", "3", "--splits", "quadric"]) == 0
    assert "ways to part the rows" in capsys.readouterr().out
    # More digits than Python writes: the logarithm has to do.
    deep = ["count", "--rows", "10000", "--columns", "9", "--max-depth", "12", "--json"]
    assert main([*deep, "--max-splits", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["trees_by_depth"]["count"] is None
    assert main(["count", "--rows", "9", "--columns", "1", "--max-depth", "99"]) == 3
    assert main(["count", "--rows", "9", "--columns", "2", "--degree", "3"]) == 3
    assert "only --splits polynomial has a degree" in capsys.readouterr().err


def test_compare(iris: str, tmp_path: Path, capsys: Capture) -> None:
    arguments = ["compare", iris, "--target", "species", "--max-depth", "2", "--splits", "axis"]
    assert main([*arguments, "--json"]) == 0
    cart, ours = json.loads(capsys.readouterr().out)["trees"]
    assert (cart["tree"], ours["tree"]) == ("CART", "optimal, axis")
    assert ours["training_errors"] <= cart["training_errors"]
    assert 0.8 < ours["accuracy"] <= 1 and ours["status"] == "optimal"
    assert main([*arguments, "--max-splits", "2"]) == 0
    assert "optimal, axis" in capsys.readouterr().out
    assert main([*arguments, "--folds", "99"]) == 3
    assert "from 2 to 50" in capsys.readouterr().err
    single = tmp_path / "single.csv"
    single.write_text("a,species\n1,x\n2,x\n3,y\n")
    assert main(["compare", str(single), "--target", "species"]) == 3
    assert "a class has a single row: cross-validation needs more" in capsys.readouterr().err


def test_demo(tmp_path: Path, capsys: Capture) -> None:
    report = tmp_path / "demo.html"
    assert main(["demo", "--data", "iris", "--report", str(report)]) == 0
    assert "Training errors: 1 optimal, 4 by CART" in capsys.readouterr().out
    assert "Proved optimal" in report.read_text()


# --- long work --------------------------------------------------------------------------------


def test_a_time_limit_keeps_the_tree_and_is_status_four(tmp_path: Path, capsys: Capture) -> None:
    data, model = hard_table(tmp_path / "hard.csv"), str(tmp_path / "model.json")
    arguments = ["fit", data, "--target", "y", "--max-depth", "6", "--out", model]
    assert main([*arguments, "--time-limit", "0.2"]) == 4
    shown = capsys.readouterr()
    assert "warning: stopped at the time limit; the best tree so far was kept" in shown.err
    assert shown.out.startswith("time_limit: ")
    assert read_model(model).result.status == "time_limit"


def test_a_search_of_hours_is_guessed() -> None:
    X = np.random.default_rng(0).random((400, 8))
    assert (guessed_seconds(X, 3, None) or 0) < 1
    assert (guessed_seconds(X, 6, None) or 0) > 3600
    assert (guessed_seconds(X, 6, 3) or 9) < 1
    assert guessed_seconds(X, None, None) is None
    assert (guessed_seconds(np.round(X[:, :1]), 9, None) or 9e9) < 1  # a single threshold


def test_interrupting_keeps_the_tree(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def impatient(*_: object, **__: object) -> Iterator[OnProgress]:
        yield lambda progress: signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(fitting, "progress_line", impatient)
    data, model = hard_table(tmp_path / "hard.csv"), tmp_path / "model.json"
    arguments = ["fit", data, "--target", "y", "--max-depth", "6", "--out", str(model)]
    assert main(arguments) == 130
    shown = capsys.readouterr()
    assert "warning: this search may take hours (400 rows, 8 columns" in shown.err
    assert "warning: interrupted; the best tree so far was kept" in shown.err
    assert shown.out.startswith("interrupted: ")
    assert read_model(str(model)).result.status == "interrupted"


@pytest.mark.parametrize("place", ["tell", "write_model", "write_page"])
def test_interrupting_while_it_is_written_down_keeps_the_tree(
    place: str, small: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = getattr(fitting, place)

    def impatient(*arguments: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        plain(*arguments)

    monkeypatch.setattr(fitting, place, impatient)
    model, page = tmp_path / "model.json", tmp_path / "page.html"
    arguments = ["fit", small, "--target", "y", "--out", str(model), "--report", str(page)]
    assert main(arguments) == 130
    shown = capsys.readouterr()
    assert shown.out.startswith("optimal: ")
    assert "the tree was kept, and the report was not written" in shown.err
    assert read_model(str(model)).result.status == "optimal" and not page.exists()


def test_interrupting_before_there_is_a_tree(
    small: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "table_of", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    assert main(["fit", small, "--target", "y"]) == 130
    assert "interrupted before there was a tree" in capsys.readouterr().err


def test_progress_is_shown_on_a_terminal_only() -> None:
    text = io.StringIO()
    with progress_line(Console(file=text, force_terminal=True, width=80)) as show:
        assert show is not None
        show(Progress(61.0, 12, 9))
        time.sleep(0.3)
    assert "best 12, proved >= 9, gap 3 (25.0%), 1:01" in text.getvalue()
    with progress_line(Console(file=io.StringIO())) as nothing:
        assert nothing is None


def test_a_reader_that_leaves_is_no_error(small: str) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "exactree", "fit", small, "--target", "y", "--quiet"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, text=True)
    os.close(write)
    assert done.returncode == 0
    assert done.stderr == ""


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stdin: Any = io.TextIOWrapper(io.BytesIO(SMALL.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["fit", "-", "--target", "y"]) == 0
    assert "age <= 2.5" in capsys.readouterr().out
