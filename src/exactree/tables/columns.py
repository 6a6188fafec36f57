"""Columns of a table: numbers, dates and durations, categories; any of them may miss values.

A table that holds nothing but complete numbers is a plain array, and never comes here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree.fields import read_list, read_record, read_text, wrong

Floats = NDArray[np.float64]
Value = str | int | float | bool
# What NumPy's dates and durations have for a missing value.
NOT_A_TIME = np.iinfo(np.int64).min
# How many nanoseconds the units of time have.
NANOSECONDS = {
    "W": 604_800_000_000_000,
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
KINDS = ("number", "boolean", "category", "ordered", "date", "duration")


@dataclass(frozen=True)
class Kind:
    """What a column holds.

    Parameters
    ----------
    name : str
        "number", "boolean", "category", "ordered" (categories in an order), "date" or "duration".
    order : tuple
        The categories of an ordered column, the lowest first.
    unit : str
        What a date or a duration counts: "ns", "us", "ms", "s", "D" and so on.
    holes : bool
        Whether values were missing in training.

    Examples
    --------
    >>> Kind("ordered", ("small", "large")).to_dict()
    {'kind': 'ordered', 'order': ['small', 'large']}
    """

    name: str = "number"
    order: tuple[Value, ...] = ()
    unit: str = ""
    holes: bool = False

    @property
    def has_categories(self) -> bool:
        """Whether its values are told apart rather than compared."""
        return self.name in ("boolean", "category", "ordered")

    @property
    def is_time(self) -> bool:
        """Whether it counts in a unit of time."""
        return self.name in ("date", "duration")

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data."""
        found: dict[str, Any] = {"kind": self.name}
        if self.order:
            found["order"] = list(self.order)
        if self.unit:
            found["unit"] = self.unit
        if self.holes:
            found["holes"] = True
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        read_record(data, "columns", ("kind",), optional=("order", "unit", "holes"))
        name = read_text(data["kind"], "columns.kind", KINDS)
        order = tuple(read_list(data.get("order", []), "columns.order"))
        if not all(isinstance(value, str | int | float) for value in order):
            raise wrong(list(order), "columns.order", "a list of categories")
        units = tuple(NANOSECONDS) if name in ("date", "duration") else ("",)
        unit = read_text(data.get("unit", ""), "columns.unit", units)
        if not isinstance(data.get("holes", False), bool):
            raise wrong(data["holes"], "columns.holes", "true or false")
        return cls(name, order, unit, data.get("holes", False))


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column: floats, integers of a unit of time, or the numbers of categories.

    Missing are NaN, `NOT_A_TIME` and -1.
    """

    kind: Kind
    values: NDArray[Any]
    categories: tuple[Value, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.kind.name == "number":
            return np.asarray(np.isnan(self.values))
        return np.asarray(self.values == (NOT_A_TIME if self.kind.is_time else -1))

    def take(self, rows: Any) -> Column:
        """Give some of its values."""
        return replace(self, values=self.values[rows])

    def numbers(self) -> Floats:
        """Give floats; categories other than yes and no have none."""
        if self.kind.name == "number":
            return self.values
        if self.kind.name != "boolean":
            return np.full(len(self), np.nan)
        worth = np.array([*map(float, self.categories), np.nan])
        return np.asarray(worth[self.values])

    def numbered(self, order: Iterable[Value]) -> NDArray[np.intp]:
        """Give the places of its categories in an order: -1 of a missing one, -2 of another."""
        places = {value: i for i, value in enumerate(order)}
        found = [places.get(value, -2) for value in self.categories]
        return np.asarray(np.array([*found, -1], dtype=np.intp)[self.values])


class Table:
    """Rows of columns that are not all complete numbers; `table[rows]` takes some of the rows.

    >>> Table([Column(Kind(), np.array([1.0, np.nan]))])[[1]].column(0).missing.tolist()
    [True]
    """

    def __init__(
        self,
        columns: Iterable[Column],
        names: tuple[str, ...] | None = None,
        *,
        subsets: bool = False,
        rows: NDArray[np.intp] | None = None,
    ) -> None:
        self._columns = tuple(columns)
        self._rows = rows
        self.names = names
        self.subsets = subsets  # how categories are asked for

    def __len__(self) -> int:
        return len(self._columns[0]) if self._rows is None else len(self._rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self._columns)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What the columns hold."""
        return tuple(column.kind for column in self._columns)

    def column(self, j: int) -> Column:
        """Give a column."""
        return self._columns[j] if self._rows is None else self._columns[j].take(self._rows)

    def name(self, j: int) -> str:
        """Write the name of a column, or its number."""
        return str(j) if self.names is None else repr(self.names[j])

    def __getitem__(self, rows: Any) -> Table:
        kept = np.arange(len(self))[rows] if self._rows is None else self._rows[rows]
        return Table(self._columns, self.names, subsets=self.subsets, rows=kept)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Give the numbers, as NumPy asks for them: NaN where there is none."""
        found = np.column_stack([self.column(j).numbers() for j in range(len(self._columns))])
        return found if dtype is None else found.astype(dtype, copy=False)

    def keys(self) -> NDArray[np.int32]:
        """Rank the values of every column, a missing one before all others: columns by rows."""
        found = np.zeros((len(self._columns), len(self)), dtype=np.int32)
        for j in range(len(self._columns)):
            column = self.column(j)
            known = ~column.missing
            ranks = np.unique(column.values[known], return_inverse=True)[1]
            found[j, known] = ranks.reshape(-1) + 1
        return found


def matrix_of(X: Any) -> Floats:
    """Give the numbers of rows, whether they are a table or an array already."""
    return np.asarray(X, dtype=np.float64)


def numbers_of(X: Any, j: int) -> Floats:
    """Give a column of numbers."""
    return X.column(j).numbers() if isinstance(X, Table) else X[:, j]


def categories_of(X: Any, j: int) -> Column:
    """Give a column of categories; of an array, whatever values it has."""
    if isinstance(X, Table) and X.column(j).kind.has_categories:
        return X.column(j)
    return of_values(X.column(j).values if isinstance(X, Table) else X[:, j], Kind("category"))


def missing_of(X: Any, j: int) -> NDArray[np.bool_]:
    """Tell which values of a column are missing."""
    if isinstance(X, Table):
        return X.column(j).missing
    values = X[:, j]
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    return np.fromiter(map(is_missing, values), dtype=bool, count=len(values))


def is_missing(value: object) -> bool:
    """Recognise None, NaN, NaT and the NA of pandas, which refuses to be compared.

    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def of_values(values: Iterable[Any], kind: Kind) -> Column:
    """Number the different values, in an order that does not depend on that of the rows."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    places = {value: i for i, value in enumerate(dict.fromkeys(listed))}
    numbers = np.fromiter(map(places.__getitem__, listed), dtype=np.intp, count=len(listed))
    plain = [None if is_missing(value) else plain_value(value) for value in places]
    categories = ordered_values({value for value in plain if value is not None})
    where = {value: i for i, value in enumerate(categories)}
    codes = np.array([-1 if v is None else where[v] for v in plain], dtype=np.int32)
    return Column(kind, codes[numbers], categories)


def plain_value(value: Any) -> Value:
    """Give a category as text, a truth or a number, whatever type held it.

    >>> plain_value(np.float64(3.0)), plain_value(np.str_("a")), plain_value((1, 2))
    (3, 'a', '(1, 2)')
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return int(value) if float(value).is_integer() else float(value)
    return str(value)


def ordered_values(values: Iterable[Value]) -> tuple[Value, ...]:
    """Sort categories: truths, then numbers, then text. Yes comes before no.

    >>> ordered_values(["b", 2, "a", 10, False, True])
    (True, False, 2, 10, 'a', 'b')
    """
    truths = sorted((v for v in values if isinstance(v, bool)), reverse=True)
    numbers = sorted(v for v in values if isinstance(v, int | float) and not isinstance(v, bool))
    return (*truths, *numbers, *sorted(v for v in values if isinstance(v, str)))
