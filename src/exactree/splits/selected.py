"""Splits that need numbers, over those columns of a table that are complete numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from exactree.fields import read_list, read_record, read_whole, wrong
from exactree.partitions import Partitions
from exactree.problem import Ranks
from exactree.splits.family import Listing, SecondsLeft, Sources, SplitFamily, no_limit
from exactree.tables.columns import Kind, Table, matrix_of
from exactree.tree import NeedsNumber, Split, split_from_dict

RECIPE = "make_pipeline(SimpleImputer(add_indicator=True), OptimalTreeClassifier(...))"


@dataclass(frozen=True)
class SelectedSplit(Split):
    """A split over some of the columns, numbered from 0 among themselves."""

    split: Split
    columns: tuple[int, ...]
    kind: ClassVar[str] = "selected"
    reads_tables: ClassVar[bool] = True

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X."""
        seen = matrix_of(X)[:, list(self.columns)]
        for j in self.split.features():
            if np.isnan(seen[:, j]).any():
                raise NeedsNumber(self.columns[j])
        return self.split.goes_left(seen)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`; 17 `digits` are exact."""
        names = [f"x[{j}]" if feature_names is None else feature_names[j] for j in self.columns]
        return self.split.formula(names, holds=holds, digits=digits)

    @property
    def answers(self) -> tuple[str, str]:
        """They are those of the split."""
        return self.split.answers

    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""
        return tuple(self.columns[j] for j in self.split.features())

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data with the key "kind"."""
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "split": self.split.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        read_record(data, "the split", ("kind", "columns", "split"))
        columns = tuple(read_whole(j, "columns") for j in read_list(data["columns"], "columns"))
        split = split_from_dict(data["split"], "split")
        if max(split.features(), default=-1) >= len(columns):
            raise wrong(list(columns), "columns", "a column for each that the split looks at")
        return cls(split, columns)


@dataclass(eq=False)
class SelectedSources(Sources):
    """The sources of a family over some of the columns."""

    inner: Sources
    selected: tuple[int, ...]
    columns: Ranks = field(init=False)

    def __post_init__(self) -> None:
        self.columns = self.inner.columns

    @property
    def has_partitions(self) -> bool:
        """Tell whether the family has splits beside those of its rank columns."""
        return self.inner.has_partitions

    def partitions(self, rows: NDArray[np.intp], listing: Listing) -> Partitions | None:
        """List the family's other partitions of these rows of the data, each once."""
        return self.inner.partitions(rows, listing)

    def rules(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List all splits as rules that rows own."""
        return self.inner.rules(rows, listing)

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> SelectedSplit:
        """Let the family write it down, and say which columns it means."""
        return SelectedSplit(self.inner.split(cut, rows, left, seconds_left), self.selected)


def is_complete(kind: Kind) -> bool:
    """Tell whether a column can be reckoned with: numbers, or yes and no, all of them known."""
    return kind.name in ("number", "boolean") and not kind.holes


def numbers_for(family: SplitFamily, table: Table) -> NDArray[np.float64]:
    """Give the numbers of a table to a family that needs them, or say which column has none."""
    for j, kind in enumerate(table.kinds):
        if not is_complete(kind):
            fillable = kind.name == "number"
            what = f"holds a {kind.name}"
            if kind.name in ("number", "boolean"):
                what = "has missing values"
            cure = (
                f"fill them in, for example with {RECIPE}"
                if fillable
                else "encode it, for example with sklearn.preprocessing.OneHotEncoder"
            )
            raise ValueError(
                f"column {table.name(j)} of X {what}, and {family.words} splits need numbers: "
                f"{cure}; or mix them with thresholds, splits=['axis', {family.name!r}], so that "
                "they use the complete columns"
            )
    return matrix_of(table)


def selected_sources(family: SplitFamily, table: Table) -> Sources:
    """Decide the splits of a family over the columns that it can reckon with."""
    complete = tuple(j for j, kind in enumerate(table.kinds) if is_complete(kind))
    if not complete:
        raise ValueError(
            f"no column of X is complete numbers, which {family.words} splits need: fill in what "
            f"is missing, for example with {RECIPE}, or leave out {family.name!r}"
        )
    values = np.ascontiguousarray(matrix_of(table)[:, list(complete)])
    if len(complete) == table.shape[1]:
        return family.sources(values)
    found = SelectedSources(family.sources(values), complete)
    names = [f"x[{j}]" if table.names is None else table.names[j] for j in complete]
    found.remark = f"{family.words} over the complete columns {', '.join(names)}"
    return found
