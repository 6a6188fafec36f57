"""The tables of the tutorial give what it prints, where their packages are installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from exactree import OptimalTreeClassifier, OptimalTreeRegressor

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


def shipped(package: str, *where: str) -> pd.DataFrame:
    """Read a table of a package without importing it: some ask for half of PyPI."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{package} is not installed")
    return pd.read_csv(Path(found.submodule_search_locations[0]).joinpath(*where))


def is_printed(model: Any) -> bool:
    return str(model) in TUTORIAL.read_text(encoding="utf-8")


def test_penguins() -> None:
    data = shipped("palmerpenguins", "data", "penguins.csv")
    model = OptimalTreeClassifier(max_depth=2)
    assert is_printed(model.fit(data.drop(columns="species"), data["species"]))


def test_car_seats() -> None:
    data = shipped("ISLP", "data", "Carseats.csv")
    order = ["Bad", "Medium", "Good"]
    data["ShelveLoc"] = pd.Categorical(data["ShelveLoc"], order, ordered=True)
    model = OptimalTreeRegressor(max_depth=2)
    assert is_printed(model.fit(data.drop(columns="Sales"), data["Sales"]))


def test_a_bank() -> None:
    data = shipped("dmba", "csvFiles", "UniversalBank.csv.gz")
    model = OptimalTreeClassifier(max_depth=3, categorical_features=["Education"])
    X = data.drop(columns=["ID", "Personal Loan"])
    assert is_printed(model.fit(X, data["Personal Loan"]))
