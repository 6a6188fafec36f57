"""Trees of tables in other forms: all of them predict what the tree predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from table_oracle import TableCase, random_table

from exactree import OptimalTreeClassifier, OptimalTreeRegressor
from exactree.export import export_dot, export_python, export_rules, export_text, to_sklearn
from exactree.plot import plot_regions, plot_tree
from exactree.report import write_report
from exactree.routing import ends
from exactree.tree import apply


def fitted(case: TableCase) -> OptimalTreeClassifier:
    return OptimalTreeClassifier(**case.parameters).fit(case.frame(), case.y, case.weights)


def other_rows(case: TableCase, rng: np.random.Generator) -> TableCase:
    """Rows with holes wherever the training data had any, and with categories of their own."""
    cells = [list(row) for row in case.cells]
    for j, kind in enumerate(case.kinds):
        for row in cells:
            if any(old[j] is None for old in case.cells) and rng.random() < 0.4:
                row[j] = None
            elif kind == "category" and rng.random() < 0.3:
                row[j] = "never seen"
    return TableCase(case.kinds, cells, case.y, None, case.parameters)


def test_python_predicts_the_same() -> None:
    with_dates = 0
    for seed in range(2000, 2150):
        rng = np.random.default_rng(seed)
        case = random_table(rng)
        model = fitted(case)
        namespace: dict[str, Any] = {}
        source = export_python(model)
        exec(source, namespace)
        with_dates += "numpy" in source
        for rows in (case, other_rows(case, rng)):
            frame = rows.frame()
            listed = [list(row) for row in frame.astype(object).itertuples(index=False)]
            plain = [[None if pd.isna(v) else v for v in row] for row in listed]
            in_numpy = [[_in_numpy(v) for v in row] for row in plain]
            for given in (listed, plain, in_numpy):
                said = [namespace["predict"](row) for row in given]
                assert said == model.predict(frame).tolist(), (seed, source)
    assert with_dates > 5


def _in_numpy(value: Any) -> Any:
    return value.to_numpy() if isinstance(value, pd.Timestamp | pd.Timedelta) else value


@pytest.mark.parametrize("kind", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_scikit_learn_predicts_the_same(kind: Any) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 6, (30, 3)).astype(float)
        X[rng.random(X.shape) < 0.2] = np.nan
        y = rng.integers(0, 3, 30).astype(float)
        model = kind(max_depth=2).fit(X, y)
        theirs = to_sklearn(model, X)
        new = rng.integers(0, 6, (50, 3)).astype(float)
        new[rng.random(new.shape) < 0.5] = np.nan
        for rows in (X, new):
            assert np.allclose(theirs.predict(rows), model.predict(rows))


def test_scikit_learn_has_no_categories() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "green"]})
    model = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 1, 1])
    with pytest.raises(ValueError, match=r"not colour = red: .*OneHotEncoder"):
        to_sklearn(model)


def test_the_native_router_sends_holes_where_python_does() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 5, (40, 3)).astype(float)
        X[rng.random(X.shape) < 0.2] = np.nan
        model = OptimalTreeClassifier(max_depth=3).fit(X, rng.integers(0, 3, 40))
        new = np.where(rng.random(X.shape) < 0.5, np.nan, X)
        for rows in (X, new):
            assert ends(model.tree_, rows).tolist() == apply(model.tree_, rows).tolist()


def test_rules_have_brackets_around_missing() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0, 5.0], "b": [1.0, 1.0, 1.0, 1.0, 2.0]})
    model = OptimalTreeClassifier(max_depth=2).fit(X, ["n", "n", "n", "y", "n"])
    text = export_rules(model)
    assert "(a <= 3 or missing)" in text
    assert "if 3 < a <= 4.5 then y" in text


def test_every_form_shows_the_category(tmp_path: Any) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    for seed in range(3000, 3030):
        case = random_table(np.random.default_rng(seed))
        frame = case.frame()
        model = fitted(case)
        text = export_text(model)
        assert "rank[" not in text
        assert export_dot(model).startswith("digraph")
        plot_tree(model)
        write_report(model, frame, case.y, tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text()
        assert "what-if" in page
        plt.close("all")


def test_regions_of_a_table() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame["colour"] = rng.choice(["red", "blue"], 60)
    y = np.where(frame["colour"] == "red", frame["a"] > 0, frame["b"] > 0).astype(int)
    frame.loc[::7, "a"] = np.nan
    model = OptimalTreeClassifier(max_depth=2).fit(frame, y)
    rows: list[list[Any]] = [[None, 0.0, "red"], [None, 0.0, "blue"]]
    drawn = [plot_regions(model, frame, y, features=(0, 1), at=row) for row in rows]
    assert all(ax.get_xlabel() == "a" for ax in drawn)
    with pytest.raises(ValueError, match="column colour holds a category: a plane needs numbers"):
        plot_regions(model, frame, y, features=(0, 2), at=rows[0])
    plt.close("all")
