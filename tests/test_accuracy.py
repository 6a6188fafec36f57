"""The study of accuracy: reading, choosing, resuming and ranking, on tiny inputs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.accuracy import recovery, sets, study, summary
from benchmarks.accuracy.models import FAMILIES, by_candidates
from exactree import OptimalTreeClassifierCV


def test_words_become_numbers_and_rows_with_holes_go(tmp_path: Path) -> None:
    file = tmp_path / "a.dat"
    file.write_text("1.5, red, yes\n2, blue, no\n?, red, no\n3,red,no\n\n")
    X, y = sets.read(file)
    assert X.tolist() == [[1.5, 1.0], [2.0, 0.0], [3.0, 1.0]]
    assert y.tolist() == [1, 0, 0]


class Constant:
    """Predicts one label."""

    splits = 0

    def __init__(self, label: int) -> None:
        self.label = label

    def fit(self, X: Any, y: Any) -> "Constant":
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label)


def test_the_candidate_of_least_inner_error_is_fitted() -> None:
    X, y = np.zeros((6, 1)), np.array([0, 1, 1, 1, 0, 1])
    folds = [(np.arange(3), np.arange(3, 6)), (np.arange(3, 6), np.arange(3))]
    method = by_candidates({"zero": lambda: Constant(0), "one": lambda: Constant(1)})
    found = method(X, y, X[:2], folds, 1.0)
    assert (found.size, found.predicted.tolist(), found.splits) == ("one", [1, 1], 0)
    assert found.inner_error == pytest.approx(1 / 3)


def test_a_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.touch()
    plan = study.Plan(["iris"], ["CART"], folds=2, seconds=0.1)
    said: list[str] = []
    first = study.run(plan, file, said.append)
    lines = file.read_text().splitlines()
    file.write_text(lines[0] + "\n")
    again = study.run(plan, file, said.append)
    assert len(first) == len(again) == len(lines) == 2 and len(said) == 3
    assert [record["errors"] for record in first] == [record["errors"] for record in again]
    assert json.loads(lines[0])["rows"] == 75 and first[0]["errors"] < 10


def test_ranks_and_their_critical_difference() -> None:
    records = [
        {"table": t, "fold": f, "method": m, "errors": e, "rows": 10, "splits": 1, "cpu_seconds": 1}
        for t, f, errors in (("a", 0, (1, 2, 2)), ("a", 1, (1, 2, 2)), ("b", 0, (0, 4, 5)))
        for m, e in zip("xyz", errors, strict=True)
    ]
    table = summary.summarized([*records[:-1], {**records[0], "fold": 2}], "xyz")
    assert table.tables == ["a"]  # what a method has not done is left out
    table = summary.summarized(records, "xyz")
    assert table.ranks().tolist() == [1.0, 2.25, 2.75]
    assert table.accuracy[0].tolist() == pytest.approx([90, 80, 80])
    # Two methods, 2.343 of a table of quantiles for three: q sqrt(k (k + 1) / 6 n).
    assert table.critical_difference() == pytest.approx(2.343 * np.sqrt(12 / 12), abs=0.002)
    assert [line[0] for line in summary.lines(table)] == ["x", "y", "z"]


def test_the_family_chosen_is_that_of_the_estimator() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    shared: dict[str, Any] = {"max_depth": 1, "max_splits": 1, "cv": folds, "rule": "best"}
    families = ["axis", "hyperplane"]
    both = OptimalTreeClassifierCV(families=families, **shared).fit(X, y)
    alone = [OptimalTreeClassifierCV(splits=family, **shared).fit(X, y) for family in families]
    assert np.array_equal(both.family_errors_, [model.errors_ for model in alone])
    assert both.splits_ == "hyperplane" and np.array_equal(both.errors_, alone[1].errors_)
    assert np.array_equal(both.predict(X), alone[1].predict(X))

    least = [model.mean_error_.min() for model in alone]
    errors = dict.fromkeys(FAMILIES, 1.0) | dict(zip(families, least, strict=True))
    records = [
        {"table": "a", "fold": 0, "method": name, "inner_error": error, "errors": 1}
        | {"cpu_seconds": 1.0}
        for name, error in errors.items()
    ]
    (*_, chosen) = summary.with_chosen(records)
    assert chosen["family"] == "hyperplane" and chosen["cpu_seconds"] == len(FAMILIES)


def test_no_families_is_refused() -> None:
    with pytest.raises(ValueError, match="families is empty"):
        OptimalTreeClassifierCV(families=[]).fit([[0.0], [1.0]] * 5, [0, 1] * 5)


def test_planted_trees_can_be_recovered() -> None:
    cell = recovery.Planted(depth=1, rows=200, columns=2, noise=0.0)
    X, y, _fresh, wanted = recovery.planted(cell)
    assert len(X) == len(y) == 200 and 0.4 < wanted.mean() < 0.6
    assert recovery.record("hyperplane", cell, 5.0)["recovered"] > 0.97
    noisy = recovery.Planted(depth=1, rows=200, columns=2, noise=0.2)
    assert 20 < (recovery.planted(noisy)[1] != y).sum() < 60
