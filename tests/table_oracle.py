"""Random tiny tables with holes, categories, orders and dates, and their optimum.

The oracle reads cells as Python has them and knows only the specification: it shares no code with
what it judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from exactree.spec.constraints import min_leaf
from exactree.spec.data import Number, Sample
from exactree.spec.objectives import WEIGHTED_ZERO_ONE
from exactree.spec.programs import best_value
from exactree.spec.tables import table_rules

COLOURS = ("red", "blue", "green", "grey", "pink")
SIZES = ("small", "medium", "large", "huge")
KINDS = ("number", "two", "boolean", "category", "ordered", "date")


@dataclass(frozen=True)
class TableCase:
    """A table as a user has it; `cells` are None where a value is missing."""

    kinds: list[str]
    cells: list[list[Any]]
    y: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    parameters: dict[str, Any]

    def frame(self) -> pd.DataFrame:
        """The table in the types that pandas has for its kinds."""
        columns = {f"c{j}": self._series(j) for j in range(len(self.kinds))}
        return pd.DataFrame(columns)

    def _series(self, j: int) -> pd.Series:
        values = [row[j] for row in self.cells]
        if self.kinds[j] in ("number", "two"):
            return pd.Series([np.nan if v is None else float(v) for v in values])
        if self.kinds[j] == "ordered":
            named = [None if v is None else SIZES[v] for v in values]
            return pd.Series(pd.Categorical(named, categories=SIZES, ordered=True))
        if self.kinds[j] == "date":
            # A nanosecond apart, where float64 would not tell them apart.
            first = pd.Timestamp("2024-02-29T12:00:00.000000001")
            later = [None if v is None else pd.Timedelta(v, "ns") for v in values]
            return pd.Series([pd.NaT if v is None else first + v for v in later])
        return pd.Series(values, dtype="boolean" if self.kinds[j] == "boolean" else object)


def random_table(rng: np.random.Generator) -> TableCase:
    """Draw a table together with its configuration."""
    depth = int(rng.choice([1, 2, 3], p=[0.3, 0.5, 0.2]))
    n = int(rng.integers(1, {1: 16, 2: 11, 3: 8}[depth]))
    kinds = [str(kind) for kind in rng.choice(KINDS, int(rng.integers(1, 4)))]
    holes = float(rng.choice([0.0, 0.1, 0.3, 0.7, 1.0], p=[0.15, 0.3, 0.35, 0.17, 0.03]))
    columns = [_column(rng, kind, n, holes) for kind in kinds]
    parameters: dict[str, Any] = {"max_depth": depth}
    if rng.random() < 0.3:
        parameters["max_splits"] = int(rng.integers(0, 5))
    if rng.random() < 0.25:
        parameters["min_samples_leaf"] = int(rng.integers(1, 4))
    if rng.random() < 0.2:
        parameters["penalty"] = float(rng.choice([0.01, 0.125, 1e-9]))
    if rng.random() < 0.4:
        parameters["categories"] = "subset"
    if {"category", "boolean", "two"}.issuperset(kinds) and rng.random() < 0.5:
        parameters["splits"] = "binary"
    weights = rng.integers(1, 5, n).astype(float) if rng.random() < 0.3 else None
    cells = [list(row) for row in zip(*columns, strict=True)]
    return TableCase(kinds, cells, rng.integers(0, rng.integers(1, 4), n), weights, parameters)


def _column(rng: np.random.Generator, kind: str, n: int, holes: float) -> list[Any]:
    most = {"two": 2, "boolean": 2, "ordered": len(SIZES), "category": len(COLOURS)}.get(kind, 6)
    values: list[Any] = rng.integers(0, rng.integers(1, most + 1), n).tolist()
    if kind == "category":
        values = [COLOURS[v] for v in values]
    if kind == "boolean":
        values = [bool(v) for v in values]
    gone = rng.random(n) < holes
    return [None if missing else v for v, missing in zip(values, gone, strict=True)]


def optimum(case: TableCase) -> Number:
    """The least cost of any tree, exactly."""
    weights = [1.0] * len(case.y) if case.weights is None else case.weights.tolist()
    samples = tuple(
        Sample(i, (0,), y, Fraction(w))
        for i, (y, w) in enumerate(zip(case.y.tolist(), weights, strict=True))
    )
    told_apart = case.parameters.get("categories", "equality")
    asked = [told_apart if kind in ("category", "boolean") else "order" for kind in case.kinds]
    return best_value(
        samples,
        partial(table_rules, rows=case.cells, kinds=asked),
        WEIGHTED_ZERO_ONE,
        max_depth=case.parameters["max_depth"],
        max_splits=case.parameters.get("max_splits"),
        penalty=Fraction(case.parameters.get("penalty", 0.0)) * sum(map(Fraction, weights)),
        constraint=min_leaf(case.parameters.get("min_samples_leaf", 1)),
    )
