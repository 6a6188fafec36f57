"""Data and trees as a certificate describes them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs
from exactree.proof import checking
from exactree.splits import (
    AxisSplit,
    CategorySplit,
    MissingSplit,
    MomentSplit,
    OrderedSplit,
    SubsetSplit,
    SurfaceSplit,
)
from exactree.tables import Reading, Table, read_training
from exactree.tables.columns import Column
from exactree.tables.times import written
from exactree.tree import Leaf, Split, Tree

Kind = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Described:
    """Columns as a checker reads them: numbers, or values and a list of those that there are.

    `kinds` is None where all are complete numbers.
    """

    X: NDArray[np.float64]
    kinds: list[Kind | None] | None
    columns: list[list[Any]]
    names: tuple[str, ...] | None
    table: Table | None = None


def described(X: Any, reading: Reading) -> Described:
    """Read data as `solve` does, and describe them."""
    found, names = read_training(X, reading)
    if not isinstance(found, Table):
        return Described(found, None, [], names)
    columns = [found.column(j) for j in range(found.shape[1])]
    kinds = [_kind(column, subsets=found.subsets) for column in columns]
    values = [_values(column) for column in columns]
    return Described(checking.floats(kinds, values), kinds, values, names, found)


def described_as(X: Any, kinds: list[Kind | None]) -> list[list[Any]]:
    """Read data that are to be compared with those that a certificate describes."""
    chosen = [j for j, kind in enumerate(kinds) if kind and kind.get("asked") != "order"]
    by_type = isinstance(X, Table) or inputs.is_frame(X) or not chosen
    found, _ = read_training(X, Reading(categorical_features="from_dtype" if by_type else chosen))
    if not isinstance(found, Table):
        return [column.tolist() for column in np.asarray(found).T]
    columns = [found.column(j) for j in range(found.shape[1])]
    by_number = [j for j in chosen if j < len(columns) and not columns[j].kind.has_categories]
    if by_number and by_type:
        found, _ = read_training(X, Reading(categorical_features=chosen))
        columns = [found.column(j) for j in range(found.shape[1])]
    return [_values(column) for column in columns]


def _kind(column: Column, *, subsets: bool) -> Kind | None:
    if column.kind.name == "number":
        return None
    if column.kind.is_time:
        return {"values": [_moment(column, v) for v in _moments(column)], "asked": "order"}
    by = "order" if column.kind.name == "ordered" else "subset" if subsets else "equality"
    return {"values": list(column.categories), "asked": by}


def _moments(column: Column) -> list[int]:
    return [int(v) for v in np.unique(column.values[~column.missing])]


def _moment(column: Column, value: int) -> str:
    return written(value, column.kind.name, column.kind.unit)


def _values(column: Column) -> list[Any]:
    if column.kind.name == "number":
        return list(column.values.tolist())
    pairs = zip(column.values.tolist(), column.missing.tolist(), strict=True)
    if column.kind.is_time:
        return [None if lost else _moment(column, value) for value, lost in pairs]
    return [None if lost else column.categories[value] for value, lost in pairs]


def written_tree(tree: Tree, data: Described, answers: Any) -> dict[str, Any]:
    """Write a tree of questions about columns as a header has it; `answers` writes a leaf's."""
    if isinstance(tree, Leaf):
        return {"leaf": answers(tree.value)}
    left, right = (written_tree(t, data, answers) for t in (tree.left, tree.right))
    if isinstance(tree.split, MissingSplit) and tree.split.known:
        left, right = right, left
    return {**_asked(tree.split, data), "left": left, "right": right}


def written_partitions(
    tree: Tree, X: NDArray[np.float64], rows: NDArray[np.intp], own: NDArray[np.bool_]
) -> dict[str, Any]:
    """Write a tree of surfaces or of listed partitions (`own`) of some rows."""
    if isinstance(tree, Leaf):
        return {"leaf": int(tree.value)}
    goes = tree.split.goes_left(X[rows])
    left = written_partitions(tree.left, X, rows[goes], own)
    right = written_partitions(tree.right, X, rows[~goes], own)
    if isinstance(tree.split, AxisSplit):
        asked: dict[str, Any] = {
            "column": tree.split.feature,
            "threshold": tree.split.threshold,
        }
    elif isinstance(tree.split, SurfaceSplit):
        asked = {"surface": tree.split.to_dict()}
    else:
        moved = own[:, rows] ^ goes
        same, opposite = np.asarray(~moved.any(1)), np.asarray(moved.all(1))
        asked = {"partition": int((same | opposite).argmax())}
        if not same[asked["partition"]]:
            left, right = right, left
    return {**asked, "left": left, "right": right}


def _asked(split: Split, data: Described) -> dict[str, Any]:
    """Write a question about a column."""
    if isinstance(split, MissingSplit):
        return {"column": split.feature, "among": [-1]}
    assert isinstance(split, AxisSplit | CategorySplit | SubsetSplit | OrderedSplit | MomentSplit)
    j = split.feature
    if isinstance(split, AxisSplit):
        return {"column": j, "threshold": split.threshold, **_missing(split.missing)}
    assert data.kinds is not None and data.table is not None
    kind = data.kinds[j]
    assert kind is not None
    places = {value: i for i, value in enumerate(kind["values"])}
    if isinstance(split, CategorySplit):
        return {"column": j, "among": [places[split.category]]}
    if isinstance(split, SubsetSplit):
        return {"column": j, "among": [-1 if v is None else places[v] for v in split.left]}
    if isinstance(split, OrderedSplit):
        return {"column": j, "threshold": places[split.left[-1]], **_missing(split.missing)}
    place = bisect_right(_moments(data.table.column(j)), split.threshold) - 1
    return {"column": j, "threshold": place, **_missing(split.missing)}


def _missing(side: str | None) -> dict[str, str]:
    return {} if side is None else {"missing": side}
