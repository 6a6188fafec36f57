"""From what a user has to a table: which columns are numbers, categories, dates."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs
from exactree.refusing import refuse_no_table
from exactree.suggesting import did_you_mean
from exactree.tables.columns import Column, Kind, Table, is_missing, of_values, plain_value
from exactree.tables.times import of_times

MISSING = ("split", "error")
CATEGORIES = ("equality", "subset")
IMPUTE = "fill in or drop such values first, for example with sklearn.impute.SimpleImputer"
# By the names of the types, so that neither pandas nor polars has to be there.
ENUMERATED = ("CategoricalDtype", "Categorical", "Enum")
TEXT = ("StringDtype", "String", "Utf8")
# A number with a comma, of which nobody can tell what it means.
COMMAS = re.compile(r"[+-]?[0-9]+(,[0-9]+)+(\.[0-9]*)?")


@dataclass(frozen=True)
class Reading:
    """How a table is read: parameters of `solve` and the estimators, checked."""

    missing: str = "split"
    categorical_features: Any = "from_dtype"
    categories: str = "equality"

    def __post_init__(self) -> None:
        for name, value, known in (
            ("missing", self.missing, MISSING),
            ("categories", self.categories, CATEGORIES),
        ):
            if value not in known:
                choice = " or ".join(map(repr, known))
                raise ValueError(f"{name}={value!r} is unknown: choose {choice}")

    def chosen(self, n_columns: int, names: tuple[str, ...] | None) -> set[int]:
        """Give the columns that the user says are categories.

        >>> sorted(Reading(categorical_features=[True, False, True]).chosen(3, None))
        [0, 2]
        """
        given = self.categorical_features
        if given is None or (isinstance(given, str) and given == "from_dtype"):
            return set()
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise ValueError(
                f"categorical_features={given!r}: pass 'from_dtype', None, or a list of names, of "
                "numbers of columns, or of a truth for each column"
            )
        entries = list(given)
        if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
            if len(entries) != n_columns:
                raise ValueError(
                    f"categorical_features has {len(entries)} truths, X has {n_columns} columns"
                )
            return {j for j, entry in enumerate(entries) if entry}
        return {_place(entry, n_columns, names) for entry in entries}


def _place(entry: Any, n_columns: int, names: tuple[str, ...] | None) -> int:
    """Find a column by its name or its number."""
    if isinstance(entry, str):
        if names is None or entry not in names:
            known = "X has no names" if names is None else f"X has {', '.join(map(repr, names))}"
            raise ValueError(
                f"categorical_features names {entry!r}, and {known}"
                + did_you_mean(entry, names or ())
            )
        return names.index(entry)
    if isinstance(entry, int | np.integer) and 0 <= entry < n_columns:
        return int(entry)
    raise ValueError(
        f"categorical_features has the entry {entry!r}: X has the columns 0 to {n_columns - 1}"
    )


def read_training(X: Any, reading: Reading) -> tuple[Any, tuple[str, ...] | None]:
    """Read the rows of a fit: a plain array if all are complete numbers, else a table."""
    if isinstance(X, Table):
        return X, X.names
    refuse_no_table(X)
    if inputs.is_frame(X):
        table = _frame(X, reading)
        return simplest(checked(table, reading.missing)), table.names
    names = inputs.column_names(X)  # an array of our own command line has some
    given = inputs.two_dimensions(inputs.as_array(X, "X", dates=True))
    chosen = reading.chosen(given.shape[1], None)
    if chosen or given.dtype.kind in "mM":
        return simplest(checked(_array(given, chosen, reading), reading.missing)), names
    values = inputs.read_matrix(given, holes=reading.missing == "split")[0]
    return (_with_holes(values, names) if has_holes(values) else values), names


def has_holes(values: NDArray[np.float64]) -> bool:
    """Tell whether a number is missing; one sum settles the usual case."""
    with np.errstate(over="ignore", invalid="ignore"):
        return not np.isfinite(values.sum()) and bool(np.isnan(values).any())


def _with_holes(values: NDArray[np.float64], names: tuple[str, ...] | None = None) -> Table:
    columns = (Column(Kind(holes=bool(np.isnan(v).any())), v) for v in values.T)
    return Table(columns, names)


def read_rows(X: Any, kinds: Sequence[Kind] | None, *, missing: str = "split") -> Any:
    """Read rows to predict as those of the fit were read: an array if those were numbers."""
    kinds = kinds or ()
    if isinstance(X, Table):
        return X
    if not any(kind.name != "number" for kind in kinds):
        return inputs.read_matrix(X, holes=missing == "split")[0]
    names = inputs.column_names(X)
    if inputs.is_frame(X):
        inputs.refuse_empty(X.shape)
        columns = list(_series(X))
    else:
        values = inputs.two_dimensions(inputs.as_array(X, "X", dates=True))
        columns = [(f"column {j} of X", values[:, j]) for j in range(values.shape[1])]
    if len(columns) != len(kinds):
        return np.empty((len(X), len(columns)))  # the estimator says how many it expects
    pairs = zip(columns, kinds, strict=True)
    found = Table((_as_kind(series, what, kind) for (what, series), kind in pairs), names)
    return checked(found, missing)


def _frame(X: Any, reading: Reading) -> Table:
    """Read a data frame column by column: together they would take on a common type."""
    inputs.refuse_empty(X.shape)
    names = inputs.column_names(X)
    chosen = reading.chosen(X.shape[1], names)
    by_type = reading.categorical_features is not None
    found: list[Column] = []
    bad: list[Exception] = []
    for j, (what, series) in enumerate(_series(X)):
        try:
            how = _categories(series) if j in chosen else _typed(series, what, by_type=by_type)
            found.append(how)
        except (TypeError, ValueError) as error:
            bad.append(error)
    if bad:  # all of them at once
        raise type(bad[0])("\n".join(map(str, bad))) from bad[0].__cause__
    return Table(found, names, subsets=reading.categories == "subset")


def _array(given: NDArray[Any], chosen: set[int], reading: Reading) -> Table:
    """Read an array of dates, or of numbers with categories where the user says so."""
    if given.dtype.kind in "mM" and not chosen:
        return Table([of_times(column) for column in given.T])
    rest = [j for j in range(given.shape[1]) if j not in chosen]
    numbers = inputs.read_matrix(given[:, rest], holes=True)[0] if rest else np.empty((0, 0))
    found = {j: Column(Kind(), numbers[:, i]) for i, j in enumerate(rest)}
    found |= {j: of_values(given[:, j], Kind("category")) for j in chosen}
    columns = [found[j] for j in range(given.shape[1])]
    return Table(columns, subsets=reading.categories == "subset")


def simplest(table: Table) -> Any:
    """Give an array of what is complete numbers; else say which columns have holes."""
    columns = [table.column(j) for j in range(table.shape[1])]
    if all(column.kind.name == "number" for column in columns):
        values = np.column_stack([column.values for column in columns])
        return _with_holes(values, table.names) if has_holes(values) else values
    kinds = (replace(c.kind, holes=bool(c.missing.any())) for c in columns)
    found = (replace(c, kind=kind) for c, kind in zip(columns, kinds, strict=True))
    return Table(found, table.names, subsets=table.subsets)


def checked(table: Table, missing: str) -> Table:
    """Refuse infinity, and missing values if they are not wanted, wherever they are."""
    columns = [table.column(j) for j in range(table.shape[1])]
    infinite = [
        np.isinf(c.values) if c.kind.name == "number" else np.zeros(len(c), bool) for c in columns
    ]
    _refuse_where(infinite, table, f"contains infinity: {{}}; {IMPUTE}")
    if missing == "error":
        allow = "or allow them by missing='split'"
        _refuse_where([c.missing for c in columns], table, f"contains NaN: {{}}; {IMPUTE}, {allow}")
    return table


def _refuse_where(guilty: Sequence[NDArray[np.bool_]], table: Table, told: str) -> None:
    """Name the first row of every column that has any."""
    places = [
        f"column {table.name(j)}, row {int(rows.argmax())}"
        for j, rows in enumerate(guilty)
        if rows.any()
    ]
    if places:
        raise ValueError(f"Input X {told.format('; '.join(places))}")


def _series(frame: Any) -> Iterator[tuple[str, Any]]:
    """Go through the columns of a data frame, with what to call them in an error."""
    for j, name in enumerate(frame.columns):
        series = frame[name] if isinstance(name, str) else frame.iloc[:, j]
        if getattr(series, "ndim", 1) != 1:
            raise ValueError(f"X has several columns with the name {name!r}: rename them")
        yield f"column {name!r} of X", series


def _typed(series: Any, what: str, *, by_type: bool) -> Column:
    """Read a column of a data frame by its type."""
    dtype = type(series.dtype).__name__
    enumerated = dtype in ENUMERATED or str(series.dtype) in ENUMERATED
    if by_type and enumerated:
        return _categories(series)
    if by_type and dtype == "StringDtype":
        return _texts(series, what)
    values = _values(series)
    if values.dtype.kind in "mM":
        return of_times(values)
    if values.dtype.kind == "b":
        return _truths(values)
    if values.dtype != object and values.dtype.kind not in "UT":
        return _numbers(values, what)
    return _objects(values, what, by_type=by_type)


def _values(series: Any) -> NDArray[Any]:
    """Give the values as NumPy has them; dates with a time zone as of Greenwich."""
    if getattr(getattr(series, "dt", None), "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return np.asarray(series.to_numpy() if hasattr(series, "to_numpy") else series)


def _categories(series: Any) -> Column:
    """Read a column as categories; in their order if they have one.

    That of pandas says whether it has; the Enum of polars always does: it is compared by it.
    """
    dtype = type(getattr(series, "dtype", None)).__name__
    pandas = getattr(series, "cat", None)
    if dtype == "Enum":
        known = tuple(series.dtype.categories.to_list())
        codes = series.to_physical().cast(int).fill_null(-1).to_numpy()
        return Column(Kind("ordered", known), codes.astype(np.int32), known)
    if dtype != "CategoricalDtype" or pandas is None:
        values = series.to_list() if hasattr(series, "to_list") else _values(series)
        return of_values(values, Kind("category"))
    plain = [plain_value(value) for value in pandas.categories.tolist()]
    codes = pandas.codes.to_numpy()
    if series.dtype.ordered:
        return Column(Kind("ordered", tuple(plain)), codes.astype(np.int32), tuple(plain))
    listed = of_values(plain, Kind("category"))
    places = np.array([*listed.values, -1], dtype=np.int32)
    return Column(listed.kind, places[codes], listed.categories)


def _texts(series: Any, what: str) -> Column:
    """Read the text of pandas, which numbers it faster than Python does."""
    codes, different = series.factorize()
    known = different.tolist()
    if any(map(is_number, known)):
        _refuse_numbers_as_text(_values(series), known, what)
    listed = of_values(known, Kind("category"))
    places = np.array([*listed.values, -1], dtype=np.int32)
    return Column(listed.kind, places[codes], listed.categories)


def _truths(values: Any) -> Column:
    """Read yes and no."""
    codes = [-1 if is_missing(value) else int(not value) for value in values]
    return Column(Kind("boolean"), np.array(codes, dtype=np.int32), (True, False))


def _numbers(values: NDArray[Any], what: str) -> Column:
    if values.dtype == object:
        values = np.array([np.nan if is_missing(v) else v for v in values], dtype=object)
    inputs.refuse_inexact(values[:, None], what)
    return Column(Kind(), inputs.as_floats(values, what))


def _objects(values: NDArray[Any], what: str, *, by_type: bool) -> Column:
    """Read a column of Python's objects by what they are, and guess at nothing."""
    try:  # by what occurs, which is less than all rows
        known = [value for value in dict.fromkeys(values.tolist()) if not is_missing(value)]
    except (TypeError, ValueError):
        odd = next((value for value in values if hasattr(value, "__len__")), values[0])
        raise ValueError(
            f"{what} holds objects such as {odd!r}: make numbers or text of them, or drop it"
        ) from None
    different = set(map(type, known))
    if by_type and not different:  # nothing is known of it, not even that it holds numbers
        return of_values(values, Kind("category"))
    if all(issubclass(kind, bool | np.bool_) for kind in different) and different:
        return _truths(values)
    if all(issubclass(kind, Real | np.bool_) for kind in different):
        return _numbers(values, what)
    if all(issubclass(kind, datetime.date | np.datetime64) for kind in different):
        return of_times(_moments(values, "M"))
    if all(issubclass(kind, datetime.timedelta | np.timedelta64) for kind in different):
        return of_times(_moments(values, "m"))
    if by_type and any(issubclass(kind, str) for kind in different):
        _refuse_numbers_as_text(values, known, what)
        return of_values(values, Kind("category"))
    return _numbers(values, what)


def _moments(values: NDArray[Any], letter: str) -> NDArray[Any]:
    """Read dates (M) or durations (m) one by one, in nanoseconds where any has them."""
    listed = [None if is_missing(value) else _in_numpy(value) for value in values.tolist()]
    fine = "ns" if any(map(_is_fine, listed)) else "us"
    return np.array(listed, dtype=f"{letter}8[{fine}]")


def _in_numpy(value: Any) -> Any:
    """Give a date or duration of pandas as NumPy's: as Python's it would lose nanoseconds."""
    return value.to_numpy() if hasattr(value, "to_numpy") else value


def _is_fine(value: Any) -> bool:
    """Tell whether a moment may have nanoseconds."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return np.datetime_data(value)[0] == "ns"
    return isinstance(value, str)


def _refuse_numbers_as_text(values: NDArray[Any], known: list[Any], what: str) -> None:
    """Refuse text that may be meant as numbers, and text among other things."""
    for value in known:
        if not isinstance(value, str) or is_number(value):
            row = values.tolist().index(value)
            commas = isinstance(value, str) and "," in value
            told = " (its comma may part thousands, or be a decimal comma)" if commas else ""
            raise ValueError(
                f"{what} has text, and {value!r} in row {row}{told}: it is not plain whether it "
                "holds numbers or categories. Convert it with pandas.to_numeric if it holds "
                "numbers, or name it in categorical_features if it holds categories"
            )


def is_number(text: str) -> bool:
    """Tell whether text is a finite number, perhaps with commas.

    >>> is_number(" 1e3 "), is_number("1_000"), is_number("nan"), is_number("1,234.5")
    (True, False, False, True)
    """
    if COMMAS.fullmatch(text.strip()):
        return True
    try:
        return "_" not in text and isfinite(float(text))
    except ValueError:
        return False


def _as_kind(series: Any, what: str, kind: Kind) -> Column:
    """Read a column as one of the training data was read."""
    if kind.name in ("category", "ordered"):
        found = _categories(series)
        return replace(found, kind=kind)
    values = _values(series)
    if kind.is_time:
        return _as_times(values, what, kind)
    if kind.name == "boolean":
        return _as_truths(values, what)
    return _numbers(values, what)


def _as_truths(values: NDArray[Any], what: str) -> Column:
    wrong = [v for v in values.tolist() if not is_missing(v) and v not in (0, 1)]
    if wrong:
        raise ValueError(f"{what} has {wrong[0]!r}, and was yes or no in training: pass booleans")
    return _truths(values.tolist())


def _as_times(values: NDArray[Any], what: str, kind: Kind) -> Column:
    letter = "M" if kind.name == "date" else "m"
    if values.dtype.kind != letter:
        try:
            values = _moments(values, letter)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{what} is no {kind.name}, as it was in training: {error}") from None
    return of_times(values, kind.unit)
