"""What people ran into: each is refused, or read, with a message that has the remedy."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from exactree import OptimalTreeClassifier, OptimalTreeRegressor, solve
from exactree.cli import main

Capture = pytest.CaptureFixture[str]
Y = [0, 1, 0, 1]
PAIRS = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])


@pytest.mark.parametrize(
    ("X", "told"),
    [
        ([], "X is empty: 0 sample"),
        ({"a": [1, 2, 3, 4]}, r"X is a dict: pass a table, for example pandas.DataFrame\(X\)"),
        ([{"a": 1}] * 4, "X is a list of dicts"),
        ("data.csv", "X is text, 'data.csv': read the file first"),
        (pd.Series([1, 2, 3, 4]), r"X is a Series, one column: pass a table, X.to_frame\(\)"),
        (pl.Series([1, 2, 3, 4]), "X is a Series"),
        (pl.DataFrame({"a": [1, 2, 3, 4]}).lazy(), r"X is a LazyFrame, .* X.collect\(\)"),
        (
            pd.DataFrame([[1, 2, 3]] * 4, columns=["a", "b", "a"]),
            "several columns with the name 'a'",
        ),
        (
            pd.DataFrame([[1, 2]] * 4, columns=PAIRS),
            r"names of several levels, such as \('a', 'b'\)",
        ),
        (np.array([["1"], ["2"], ["3"], ["4"]]), r"X holds text, such as '1': .* astype\(float\)"),
        (np.array([[1.5, "10"]] * 4, dtype=object), r"X holds text, such as '10': if .* numbers"),
        (
            pd.DataFrame({"a": ["1", "x", "y", "z"], "b": [1, 2, 3, 4], "c": ["2", "x", "y", "z"]}),
            "(?s)column 'a' of X has text.*column 'c' of X has text",
        ),
        (
            pd.DataFrame({"a": [1, np.inf, 1, 1], "b": [1.0, 2, np.inf, np.inf]}),
            "contains infinity: column 'a', row 1; column 'b', row 2",
        ),
    ],
)
def test_what_is_no_table_is_named(X: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        OptimalTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=told):
        solve(X, Y, max_depth=2)


def test_a_table_of_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    numbers = pa.table({"a": [1, 2, 3, 4], "b": [0.5, 1.5, 2.5, 3.5]})
    assert OptimalTreeClassifier().fit(numbers, Y).objective_ == 0
    with pytest.raises(
        ValueError, match=r"columns 'b' \(string\) hold no numbers: pass X.to_pandas"
    ):
        OptimalTreeClassifier().fit(pa.table({"a": [1, 2, 3, 4], "b": ["x", "y", "x", "y"]}), Y)


def test_missing_values_are_all_named() -> None:
    frame = pd.DataFrame({"a": [1.0, None, 2, 3], "b": ["x", "y", None, "x"]})
    with pytest.raises(ValueError, match="NaN: column 'a', row 1; column 'b', row 2"):
        OptimalTreeClassifier(missing="error").fit(frame, Y)


def test_text_is_no_target_of_a_regression() -> None:
    with pytest.raises(
        ValueError, match=r"y holds text, such as '1': .* classes need a classifier"
    ):
        OptimalTreeRegressor().fit([[1], [2], [3], [4]], ["1", "2", "3", "4"])


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"min_samples_leaf": 0.1}, "at least 1; for a share .* min_weight_fraction_leaf=0.1"),
        ({"splits": "hyperplanes"}, "did you mean 'hyperplane'?"),
        ({"objective": "eror"}, "did you mean 'error'?"),
        ({"categorical_features": ["colour"]}, "did you mean 'Color'?"),
    ],
)
def test_parameters_that_are_nearly_right(parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        OptimalTreeClassifier(**parameters).fit(pd.DataFrame({"Color": [1, 2, 3, 4]}), Y)


# --- The command line ---------------------------------------------------------------------------


def table(folder: Path, text: str, name: str = "data.csv", encoding: str = "utf-8") -> str:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return str(path)


def refused(capsys: Capture, *arguments: str, status: int = 3) -> str:
    assert main([*arguments, "--quiet"]) == status
    return capsys.readouterr().err


def fitted(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert main(["fit", *arguments, "--target", "y", "--json", "--quiet"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_thousands_are_not_taken_for_fractions(
    delimiter: str, tmp_path: Path, capsys: Capture
) -> None:
    cells = ['"1,234"', '"2,345"', '"3,456"', "7"]
    data = table(
        tmp_path,
        "x;y\n".replace(";", delimiter)
        + "".join(f"{cell}{delimiter}{'ab'[i == 2]}\n" for i, cell in enumerate(cells)),
    )
    told = refused(capsys, "fit", data, "--target", "y")
    assert "line 2: '1,234' in column 'x' may mean 1234, or have a decimal comma" in told
    whole = fitted(capsys, data, "--decimal", ".", "--max-depth", "2")
    assert whole["tree"]["root"]["split"]["threshold"] == 3000
    part = fitted(capsys, data, "--decimal", ",", "--max-depth", "2")
    assert part["tree"]["root"]["split"]["threshold"] < 10


def test_points_between_thousands(tmp_path: Path, capsys: Capture) -> None:
    """Points are read as such only if the comma is said to be the decimal point."""
    data = table(tmp_path, "x;y\n1.234,5;a\n2.234.567,25;b\n3,5;a\n1.000;a\n")
    told = refused(capsys, "fit", data, "--target", "y")
    assert "line 2: '1.234,5' in column 'x' has points between thousands" in told
    read = fitted(capsys, data, "--decimal", ",", "--max-depth", "1")
    assert 1234.5 < read["tree"]["root"]["split"]["threshold"] < 2234567.25
    data = table(tmp_path, "x;y\n0.125;a\n3,5;b\n")
    told = refused(capsys, "fit", data, "--target", "y", "--decimal", ",")
    assert "'0.125' in column 'x' is not a finite number" in told


def test_packed_files_and_other_encodings(tmp_path: Path, capsys: Capture) -> None:
    text = "größe,y\n1,a\n2,a\n3,b\n4,b\n"
    packed = tmp_path / "data.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert fitted(capsys, str(packed))["objective"] == 0
    packed.write_bytes(gzip.compress(text.encode())[:-9])
    assert "no complete gzip file" in refused(capsys, "fit", str(packed), "--target", "y")
    old = table(tmp_path, text, encoding="cp1252")
    assert "say --encoding, for example cp1252" in refused(capsys, "fit", old, "--target", "y")
    assert fitted(capsys, old, "--encoding", "cp1252")["features"] == ["größe"]
    told = refused(capsys, "fit", old, "--target", "y", "--encoding", "cp99999")
    assert "--encoding cp99999: unknown" in told


def test_an_index_without_a_name(tmp_path: Path, capsys: Capture) -> None:
    data = table(tmp_path, ",x,y\n0,1,a\n1,2,a\n2,3,b\n3,4,b\n")
    assert "column 1 has no name, as an index" in refused(capsys, "fit", data, "--target", "y")
    model = str(tmp_path / "model.json")
    assert fitted(capsys, data, "--drop", "c1", "--out", model)["features"] == ["x"]
    assert main(["predict", model, data]) == 0
    assert "4 of 4 right" in capsys.readouterr().err


def test_all_bad_columns_at_once(tmp_path: Path, capsys: Capture) -> None:
    data = table(tmp_path, "u,v,w,y\n1,1,2,a\nx,2,z,b\n3,3,3,a\n")
    told = refused(capsys, "fit", data, "--target", "y")
    assert "'x' in column 'u'" in told and "'z' in column 'w'" in told and "'v'" not in told


def test_names_that_are_nearly_right(tmp_path: Path, capsys: Capture) -> None:
    data = table(tmp_path, "x,class\n1,a\n2,b\n")
    assert "did you mean 'class'?" in refused(capsys, "fit", data, "--target", "clas")
    with pytest.raises(SystemExit):
        main(["fit", data, "--target", "class", "--max-deepth", "2"])
    assert "did you mean '--max-depth'?" in capsys.readouterr().err


def test_text_in_a_target_of_numbers(tmp_path: Path, capsys: Capture) -> None:
    data = table(tmp_path, "x,y\n1,a\n2,b\n")
    told = refused(capsys, "fit", data, "--target", "y", "--task", "regression")
    assert "'a' in column 'y'" in told and "leave it out to predict classes" in told


def test_a_target_of_numbers_has_to_be_whole(tmp_path: Path, capsys: Capture) -> None:
    data = table(tmp_path, "x,y\n1,2.5\n2,\n")
    told = refused(capsys, "fit", data, "--target", "y", "--task", "regression")
    assert told.endswith("line 3: no value in column 'y', the target: drop such rows\n")


def test_fractions_as_classes_are_asked_about(tmp_path: Path, capsys: Capture) -> None:
    for value, asked in (("2.5", True), ("2.0", False), ("2", False), ("b", False)):
        data = table(tmp_path, f"x,y\n1,{value}\n2,3\n")
        assert main(["fit", data, "--target", "y"]) == 0
        told = "has 2 different numbers, such as 2.5, in 2 rows, each taken as a class: --task reg"
        assert (told in capsys.readouterr().err) == asked
    data = table(tmp_path, "x,y\n1,2.5\n2,3\n")
    assert main(["fit", data, "--target", "y", "--task", "regression"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_a_table_is_no_model(tmp_path: Path, capsys: Capture) -> None:
    data = table(tmp_path, "x,y\n1,a\n2,b\n")
    assert "a model is what exactree fit --out writes" in refused(capsys, "predict", data, data)
    with pytest.raises(SystemExit):
        main(["fit", data, "--target", "y", "--splits", "hyperplanes"])
    assert "did you mean 'hyperplane'?" in capsys.readouterr().err


def test_predicting_needs_only_what_the_tree_asks_for(tmp_path: Path, capsys: Capture) -> None:
    rows = "".join(f"{i},{i % 3},{'ab'[i > 5]},{['no', 'yes'][i > 5]}\n" for i in range(12))
    data = table(tmp_path, "x,noise,text,y\n" + rows)
    model = str(tmp_path / "model.json")
    found = fitted(capsys, data, "--drop", "text", "--max-splits", "1", "--out", model)
    assert found["tree"]["root"]["split"]["feature"] == 0
    fewer = table(tmp_path, "x\n1\n9\n", "fewer.csv")
    assert main(["predict", model, fewer, "--quiet"]) == 0
    assert capsys.readouterr().out.split() == ["prediction", "no", "yes"]
    other = table(tmp_path, "noise,X\nwhatever,1\n", "other.csv")
    assert "no column 'x', which the tree asks for; did you mean 'X'?" in refused(
        capsys, "predict", model, other
    )


def test_a_column_of_the_model_is_not_offered_for_another(tmp_path: Path, capsys: Capture) -> None:
    rows = "".join(f"{i % 2},{i // 2 % 2},{i % 2 ^ i // 2 % 2}\n" for i in range(8))
    data = table(tmp_path, "width 1,width 2,y\n" + rows)
    model = str(tmp_path / "model.json")
    fitted(capsys, data, "--max-depth", "2", "--out", model)
    fewer = table(tmp_path, "width 2\n0\n1\n", "fewer.csv")
    told = refused(capsys, "predict", model, fewer)
    assert told.endswith("there is no column 'width 1', which the tree asks for\n")


def test_categories_alone_are_enough_to_predict(tmp_path: Path, capsys: Capture) -> None:
    rows = "".join(f"{i % 3},{'ab'[i % 2]},{['no', 'yes'][i % 2]}\n" for i in range(12))
    data = table(tmp_path, "noise,text,y\n" + rows)
    model = str(tmp_path / "model.json")
    fitted(capsys, data, "--max-splits", "1", "--out", model)
    fewer = table(tmp_path, "text\na\nb\n", "fewer.csv")
    assert main(["predict", model, fewer, "--quiet"]) == 0
    assert capsys.readouterr().out.split() == ["prediction", "no", "yes"]


@pytest.fixture
def steps(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    values = rng.permutation(60)
    return table(tmp_path, "x,y\n" + "".join(f"{v},{'lh'[v > 29]}\n" for v in values.tolist()))


def test_a_share_of_the_rows_to_test_with(steps: str, tmp_path: Path, capsys: Capture) -> None:
    found = fitted(capsys, steps, "--test", "0.25", "--max-splits", "1")
    assert found["test"]["rows"] == 15 and found["test"]["accuracy"] >= 14 / 15
    assert found["tree"]["root"]["left"]["rows"] + found["tree"]["root"]["right"]["rows"] == 45
    page = tmp_path / "page.html"
    fitted(capsys, steps, "--test", "0.25", "--max-splits", "1", "--report", str(page))
    headlines = dict(re.findall("<dt>([^<]*)</dt><dd>([^<]*)</dd>", page.read_text()))
    assert (
        headlines["test accuracy"] == f"{found['test']['accuracy']:.1%}"
        and headlines["rows"] == "45"
    )
    more = table(tmp_path, "y,x\nl,3\nh,55\nh,2\n", "more.csv")
    found = fitted(capsys, steps, "--test", more, "--max-splits", "1")
    assert found["test"] == {"accuracy": pytest.approx(2 / 3)}
    assert main(["fit", steps, "--target", "y", "--test", more]) == 0
    assert "test: 2 of 3 right (66.7%)" in capsys.readouterr().err
    told = refused(capsys, "fit", steps, "--target", "y", "--test", "1.5")
    assert "--test 1.5: a share is between 0 and 1" in told


def test_the_size_by_cross_validation(steps: str, capsys: Capture) -> None:
    assert main(["fit", steps, "--target", "y", "--cv", "5", "--max-splits", "3"]) == 0
    shown = capsys.readouterr()
    assert "1 split (axis-parallel trees" in shown.out and "5 folds" in shown.err
    numbers = steps.replace("data.csv", "numbers.csv")
    Path(numbers).write_text("x,y\n" + "".join(f"{i},{int(i > 20)}\n" for i in range(40)))
    found = fitted(capsys, numbers, "--task", "regression", "--cv", "4", "--test", "0.2")
    assert found["splits"] == 1 and found["parameters"]["cv"] == 4
    assert found["test"]["mean_squared_error"] < 0.2
    told = refused(capsys, "fit", steps, "--target", "y", "--cv", "5", "--penalty", "0.1")
    assert "leave one of them out" in told


def test_a_time_limit_lets_all_families_compete(tmp_path: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(1)
    lines = [f"{a:.4f},{b:.4f},{c:.4f},{int(a + b > c)}" for a, b, c in rng.normal(size=(90, 3))]
    data = table(tmp_path, "u,v,w,y\n" + "\n".join(lines) + "\n")
    how = ["compare", data, "--target", "y", "--folds", "2", "--max-depth", "2", "--json"]
    assert main([*how, "--time-limit", "0.05"]) == 0
    found = json.loads(capsys.readouterr().out)["trees"]
    assert {entry["tree"] for entry in found} >= {"CART", "optimal, axis", "optimal, quadric"}
    assert all(entry["status"] in ("greedy", "optimal", "local", "time_limit") for entry in found)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["1,234", "5,678"], "column 'b' of X has text, and '1,234' in row 0 .its comma may part"),
        ([[1], [2]], r"column 'b' of X holds objects such as \[1\]"),
    ],
)
def test_columns_of_no_plain_meaning_are_named(cells: list[object], message: str) -> None:
    table = pd.DataFrame({"a": [1.0, 2.0], "b": cells})
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier(max_depth=1).fit(table, [0, 1])
