"""The command line with numbers to predict, mixed split families and other losses."""

import json
from pathlib import Path

import numpy as np
import pytest

import exactree
from exactree.cli import main
from exactree.cli.effort import guessed_seconds
from exactree.splits import Polynomial

Capture = pytest.CaptureFixture[str]


def written(path: Path, X: np.ndarray, y: np.ndarray) -> str:
    rows = zip(X.tolist(), y.tolist(), strict=True)
    lines = [",".join(map(repr, [*row, label])) for row, label in rows]
    names = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
    path.write_text("\n".join([names, *lines]) + "\n")
    return str(path)


@pytest.fixture
def numbers(tmp_path: Path) -> tuple[str, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 5, (40, 2)).round(1)
    y = (np.where(X[:, 0] > 2, 3.0, 1.0) + rng.normal(0, 0.2, 40)).round(3)
    return written(tmp_path / "numbers.csv", X, y), X, y


@pytest.fixture
def crossed(tmp_path: Path) -> tuple[str, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (24, 2)).round(2)
    y = (X[:, 0] > X[:, 1]).astype(int)
    return written(tmp_path / "crossed.csv", X, y), X, y


def test_regression_from_fit_to_predict(
    numbers: tuple[str, np.ndarray, np.ndarray], tmp_path: Path, capsys: Capture
) -> None:
    path, X, y = numbers
    model, report = str(tmp_path / "model.json"), tmp_path / "report.html"
    fit = ["fit", path, "--target", "y", "--task", "regression", "--max-depth", "2"]
    assert main([*fit, "--out", model, "--report", str(report)]) == 0
    best = exactree.solve(X, y, task="regression", max_depth=2)
    assert capsys.readouterr().out.startswith(f"optimal: objective {best.objective:.10g}, ")
    assert "Root mean squared error" in report.read_text()
    stored = json.loads(Path(model).read_text())
    assert (stored["task"], stored["classes"]) == ("regression", [])

    assert main(["predict", model, path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mean_squared_error"] * len(y) == pytest.approx(best.objective)
    reg = exactree.OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert found["predictions"] == pytest.approx(reg.predict(X).tolist())
    assert main(["predict", model, path]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "prediction"
    assert main(["predict", model, path, "--proba"]) == 3
    assert "predicts numbers" in capsys.readouterr().err
    for form, mark in (("rules", "if "), ("python", "def predict(x)"), ("dot", "digraph")):
        assert main(["show", model, "--as", form]) == 0
        assert capsys.readouterr().out.startswith(mark)


def test_other_losses(numbers: tuple[str, np.ndarray, np.ndarray], capsys: Capture) -> None:
    path, X, y = numbers
    fit = ["fit", path, "--target", "y", "--task", "regression", "--max-depth", "1", "--json"]
    assert main([*fit, "--objective", "absolute_error"]) == 0
    best = exactree.solve(X, y, task="regression", max_depth=1, objective="absolute_error")
    assert json.loads(capsys.readouterr().out)["objective"] == pytest.approx(best.objective)
    assert main([*fit, "--objective", "error"]) == 3
    assert "objective 'error' is for classification" in capsys.readouterr().err


def test_numbers_taken_as_classes_are_asked_about(
    numbers: tuple[str, np.ndarray, np.ndarray], capsys: Capture
) -> None:
    assert main(["fit", numbers[0], "--target", "y", "--max-depth", "1"]) == 0
    assert "--task regression predicts numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    "splits", [["axis,hyperplane"], ["axis", "hyperplane"]], ids=["commas", "repeated"]
)
def test_mixtures(
    splits: list[str], crossed: tuple[str, np.ndarray, np.ndarray], capsys: Capture
) -> None:
    given = [part for name in splits for part in ("--splits", name)]
    assert main(["fit", crossed[0], "--target", "y", "--max-depth", "1", *given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["objective"] == 0
    assert found["space"] == "axis-parallel or hyperplane trees, depth <= 1"
    assert found["parameters"]["splits"] == ["axis", "hyperplane"]


def test_surfaces_of_a_degree(
    crossed: tuple[str, np.ndarray, np.ndarray], tmp_path: Path, capsys: Capture
) -> None:
    path, X, y = crossed
    model = str(tmp_path / "model.json")
    fit = ["fit", path, "--target", "y", "--max-depth", "1", "--splits", "polynomial:1"]
    assert main([*fit, "--out", model]) == 0
    assert capsys.readouterr().out.startswith(
        exactree.solve(X, y, splits=Polynomial(1), max_depth=1).summary()
    )
    assert main(["predict", model, path]) == 0
    assert "24 of 24 right" in capsys.readouterr().err


@pytest.mark.parametrize("splits", ["axes", "axis,", "polynomial", "polynomial:x"])
def test_an_unknown_family_is_a_wrong_command_line(splits: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["fit", "data.csv", "--target", "y", "--splits", splits])
    assert stopped.value.code == 2
    assert "choose from axis, binary" in capsys.readouterr().err


def test_balanced_classes(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path / "t.csv", np.zeros((4, 1)), np.array([0, 0, 0, 1]))
    fit = ["fit", path, "--target", "y", "--max-depth", "1", "--json"]
    assert main([*fit, "--class-weight", "balanced"]) == 0
    assert json.loads(capsys.readouterr().out)["objective"] == 2


def test_compare_in_regression(
    numbers: tuple[str, np.ndarray, np.ndarray], capsys: Capture
) -> None:
    compare = ["compare", numbers[0], "--target", "y", "--task", "regression", "--max-depth", "1"]
    wanted = ["--splits", "axis", "--splits", "axis,hyperplane", "--folds", "2", "--quiet"]
    assert main([*compare, *wanted, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    cart, axis, mixed = found["trees"]
    assert (found["task"], mixed["tree"]) == ("regression", "optimal, axis + hyperplane")
    assert mixed["training_loss"] <= axis["training_loss"] + 1e-9
    assert axis["training_loss"] <= cart["training_loss"] + 1e-9
    assert main([*compare, *wanted]) == 0
    assert "R2, unseen" in capsys.readouterr().out
    assert main([*compare, "--folds", "21"]) == 3
    assert "from 2 to 20, half the rows" in capsys.readouterr().err


def test_many_partitions_and_levels_look_like_hours() -> None:
    X = np.random.default_rng(0).random((200, 3))
    shallow = guessed_seconds(X, 1, None, ["hyperplane"])
    deep = guessed_seconds(X, 3, None, ["hyperplane"])
    both = guessed_seconds(X, 3, None, ["axis", "hyperplane"])
    assert shallow is not None and deep is not None and both is not None
    assert shallow < 60 < 1800 < deep < both
    vast = guessed_seconds(np.tile(X, (10, 20)), 5, None, ["quadric", "polynomial:9"])
    assert vast is not None and vast > 1e50
    generic = guessed_seconds(X, 1, None, ["hyperplane"], native=False)
    assert generic is not None and generic > 100 * shallow


@pytest.mark.parametrize("objective", ["f1", "jaccard", "balanced_error"])
def test_ratios_of_counts(
    objective: str, crossed: tuple[str, np.ndarray, np.ndarray], tmp_path: Path, capsys: Capture
) -> None:
    path, X, y = crossed
    model = str(tmp_path / "model.json")
    fit = ["fit", path, "--target", "y", "--max-depth", "2", "--objective", objective]
    assert main([*fit, "--out", model, "--report", str(tmp_path / "report.html")]) == 0
    best = exactree.solve(X, y, max_depth=2, objective=objective)
    assert capsys.readouterr().out.startswith(f"optimal: objective {best.objective:.10g}, ")
    assert main(["predict", model, path]) == 0
