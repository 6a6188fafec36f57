"""Reads data and weights; refuses invalid input with a message that names the remedy."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite, log10
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
# Beyond this, float64 no longer tells every whole number from its neighbour.
LARGEST_INTEGER = 2**53
TEXT = {
    "X": "categories are read from a data frame, or named in categorical_features",
    "y": "classes need a classifier",
}
ENCODED = "else encode them, for example by OneHotEncoder"


def read_matrix(X: Any, *, holes: bool = False) -> tuple[Floats, tuple[str, ...] | None]:
    """Give the data as float64, rows by columns, with the names of the columns if there are any.

    Where `holes` are allowed, a missing value is NaN.

    >>> read_matrix([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), None)
    """
    names = column_names(X)
    if is_frame(X):
        return _read_frame(X, holes=holes), names
    values = two_dimensions(as_array(X, "X"))
    if holes and values.dtype == object:
        values = _without_missing(values)
    refuse_inexact(values, "X", names)
    found = np.asarray(as_floats(values, "X"))
    _refuse_not_finite(found, names, holes=holes)
    return found, names


def is_frame(X: Any) -> bool:
    """Tell a data frame of pandas or polars from an array."""
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def two_dimensions(values: NDArray[Any]) -> NDArray[Any]:
    """Refuse what is not a table of at least one row and one column."""
    if values.ndim != 2:
        raise ValueError(
            f"X has {values.ndim} dimensions instead of 2. Reshape your data: X.reshape(-1, 1) if "
            "it is one column, X.reshape(1, -1) if it is one row"
        )
    refuse_empty(values.shape)
    return values


def _without_missing(values: NDArray[Any]) -> NDArray[Any]:
    """Put NaN for the NA of pandas, which is no number to NumPy."""
    found = values.copy()
    for place in np.ndindex(values.shape):
        if type(values[place]).__name__ == "NAType":
            found[place] = np.nan
    return found


def as_array(values: Any, what: str, *, dates: bool = False) -> NDArray[Any]:
    """Convert to an array; refuse what NumPy would change silently: masks, dates, ragged rows."""
    if sparse.issparse(values):
        raise TypeError(f"{what} is a sparse matrix, which this cannot read: pass {what}.toarray()")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{what} is a masked array with missing values: fill in or drop such values first, for "
            "example with sklearn.impute.SimpleImputer"
        )
    try:
        found = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} is no table ({error}): give all rows the same length") from error
    if not dates:
        _refuse_dates(found, what)
    return found


def _refuse_dates(values: NDArray[Any], what: str) -> None:
    if values.dtype.kind in "mM":
        raise ValueError(
            f"{what} holds dates or times: convert it to numbers, for example seconds since a "
            "fixed day"
        )


def column_names(X: Any) -> tuple[str, ...] | None:
    """Give the names of the columns of a data frame if all of them are text, else None.

    >>> column_names([[1.0]]) is None
    True
    """
    columns = list(getattr(X, "columns", ()))
    if not columns or not all(isinstance(name, str) for name in columns):
        return None
    return tuple(columns)


def _read_frame(frame: Any, *, holes: bool = False) -> Floats:
    """Read a data frame column by column: NumPy would convert all of it to one inexact type."""
    refuse_empty(frame.shape)
    found = np.empty(frame.shape, dtype=np.float64)
    for j, name in enumerate(frame.columns):
        series = frame[name] if isinstance(name, str) else frame.iloc[:, j]
        values = np.asarray(series.to_numpy())
        if values.dtype == object:
            values = np.array([np.nan if _is_missing(v) else v for v in values], dtype=object)
        if values.ndim != 1:
            raise ValueError(f"X has several columns with the name {name!r}: rename them")
        _refuse_dates(values, f"column {name!r} of X")
        what = f"column {name!r} of X"
        refuse_inexact(values[:, None], what)
        found[:, j] = as_floats(values, what)
    _refuse_not_finite(found, tuple(map(str, frame.columns)), holes=holes)
    return found


def _is_missing(value: object) -> bool:
    """Recognise None, NaN and the NA of pandas, which refuses to be compared."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def as_floats(values: NDArray[Any], what: str) -> Floats:
    """Give numbers as float64, or say that these are none."""
    text = _first_text(values)
    if text is not None:
        raise ValueError(
            f"{what} holds text, such as {text[:20]!r}: if these are numbers, "
            f"convert them by astype(float); {TEXT.get(what, ENCODED)}"
        )
    if values.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {what} is complex; pass real and imaginary "
            "parts as columns of their own"
        )
    try:
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        # The class of the error stays: scikit-learn wants a TypeError for objects of no use.
        raise type(error)(
            f"{what} is not numeric ({error}): make numbers of such objects, or drop them"
        ) from error


def _first_text(values: NDArray[Any]) -> str | None:
    """Find text, also in an array of objects, where NumPy would read "10" as the number."""
    every = values.ravel() if values.dtype.kind in "USTO" else ()
    return next((str(value) for value in every if isinstance(value, str | bytes)), None)


def refuse_empty(shape: tuple[int, ...]) -> None:
    """Refuse a table without rows or without columns."""
    rows, columns = shape
    if rows == 0:
        raise ValueError(f"X is empty: 0 sample(s) (shape={shape}); a minimum of 1 is required")
    if columns == 0:
        raise ValueError(
            f"X has no columns: 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )


def refuse_inexact(values: NDArray[Any], what: str, names: tuple[str, ...] | None = None) -> None:
    """Refuse numbers that float64 cannot tell apart; other types are exact, or not numbers.

    `what` is the column, or X if there are several, which are then told apart here.
    """
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        _refuse_merged(values, what, names)
    guilty = _beyond_float64(values)
    if guilty is not None:
        row, j = guilty
        raise ValueError(
            f"{_which(what, j, names)} has the integer {values[row, j]} in row {row}, beyond "
            "2**53, where float64 cannot tell neighbours apart: subtract an offset from the column "
            "or pass its ranks (scipy.stats.rankdata)"
        )


def _beyond_float64(values: NDArray[Any]) -> tuple[int, int] | None:
    """Find a whole number that float64 may not hold, by row and column."""
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        guilty = (values > LARGEST_INTEGER) | (values < -LARGEST_INTEGER)
    elif values.dtype == object:
        guilty = np.vectorize(_is_large_integer, otypes=[bool])(values)
    else:
        return None
    if not guilty.any():
        return None
    row, j = np.argwhere(guilty)[0]
    return int(row), int(j)


def _refuse_merged(values: NDArray[Any], what: str, names: tuple[str, ...] | None) -> None:
    """Refuse columns of a longer type in which float64 would make different values equal."""
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float64)
    for j in range(values.shape[1]):
        if len(np.unique(values[:, j])) > len(np.unique(rounded[:, j])):
            raise ValueError(
                f"{_which(what, j, names)} has values of type {values.dtype} that float64 "
                "cannot tell apart: subtract an offset from the column or pass its ranks "
                "(scipy.stats.rankdata)"
            )


def _is_large_integer(value: object) -> bool:
    return isinstance(value, Integral) and abs(int(value)) > LARGEST_INTEGER


def _refuse_not_finite(
    values: Floats, names: tuple[str, ...] | None, *, holes: bool = False
) -> None:
    # One sum settles the usual case: it is finite only if every value is.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    guilty = np.argwhere(np.isinf(values) if holes else ~np.isfinite(values))
    if len(guilty):
        row, j = guilty[0]
        what = "NaN" if np.isnan(values[row, j]) else "infinity"
        raise ValueError(
            f"Input X contains {what}: column {_name(j, names)}, row {row}; fill in or drop such "
            "values first, for example with sklearn.impute.SimpleImputer"
        )


def _which(what: str, j: int, names: tuple[str, ...] | None) -> str:
    return f"column {_name(j, names)} of X" if what == "X" else what


def _name(j: int, names: tuple[str, ...] | None) -> str:
    return str(int(j)) if names is None else repr(names[j])


def read_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Give the classes in order and the number of each row's class.

    >>> classes, labels = read_labels(["b", "a", "b"], 3)
    >>> classes.tolist(), labels.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    values = np.asarray(y)
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise ValueError("y is a masked array with missing labels: drop those rows")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y has shape {values.shape}: it needs one label per row of X")
    _same_length("y", len(values), n_rows)
    if values.dtype.kind == "f":
        _refuse_odd_labels(values)
    if values.dtype == object and any(map(_is_missing, values)):
        raise ValueError("y has missing labels (None or NaN): drop those rows")
    if values.dtype.kind in "biu":
        return _numbered(values)
    try:
        classes, labels = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise ValueError(
            f"y mixes labels of different types ({error}): make them all text or all numbers"
        ) from error
    return classes, labels.reshape(-1)


def _numbered(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Number whole labels; where they lie close together, by counting instead of sorting."""
    low, high = int(values.min()), int(values.max())
    if high - low > 2 * len(values) + 64 or abs(low) > LARGEST_INTEGER:
        classes, labels = np.unique(values, return_inverse=True)
        return classes, labels.reshape(-1)
    places = values.astype(np.intp) - low
    present = np.bincount(places) > 0
    classes = (np.flatnonzero(present) + low).astype(values.dtype)
    return classes, (np.cumsum(present) - 1)[places]


def _refuse_odd_labels(values: NDArray[Any]) -> None:
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"y contains NaN or infinity in row {row}: drop those rows")
    if (values != np.floor(values)).any():
        raise ValueError(
            "Unknown label type: continuous. y holds fractions, which are targets for regression; "
            "if they are classes, pass them as text: y.astype(str)"
        )


def read_targets(y: Any, n_rows: int) -> Floats:
    """Give one finite number per row, or a row of them where y has several columns or fields.

    >>> read_targets([1, 2.5], 2)
    array([1. , 2.5])
    >>> read_targets(np.array([(True, 2.5)], dtype=[("event", bool), ("time", float)]), 1)
    array([[1. , 2.5]])
    """
    values = as_array(y, "y")
    if values.dtype.names:
        values = np.column_stack([values[name].astype(np.float64) for name in values.dtype.names])
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or values.shape[-1] == 0:
        raise ValueError(f"y has shape {values.shape}: it needs one target per row of X")
    _same_length("y", len(values), n_rows)
    if values.ndim == 1:
        return _read_column(values)
    return np.column_stack([_read_column(column) for column in values.T])


def has_columns(y: Any) -> bool:
    """Tell whether targets have several columns or fields.

    >>> has_columns([[1, 2]]), has_columns([[1], [2]]), has_columns([1, 2])
    (True, False, False)
    """
    try:
        values = np.asarray(y)
    except ValueError:  # rows of unlike length, which others refuse
        return False
    return bool(values.dtype.names) or (values.ndim == 2 and values.shape[1] > 1)


def _read_column(values: NDArray[Any]) -> Floats:
    if values.dtype == object:
        values = np.array([np.nan if _is_missing(v) else v for v in values], dtype=object)
    _refuse_large("y", values, "subtract an offset from all targets")
    found = as_floats(values, "y")
    if not np.isfinite(found).all():
        row = int(np.flatnonzero(~np.isfinite(found))[0])
        what = "NaN" if np.isnan(found[row]) else "infinity"
        raise ValueError(f"Input y contains {what} in row {row}: drop such rows")
    _refuse_extreme_spread(found)
    return found


def _refuse_large(what: str, values: NDArray[Any], remedy: str) -> None:
    guilty = _beyond_float64(values[:, None])
    if guilty is not None:
        row = guilty[0]
        raise ValueError(
            f"{what} has the integer {values[row]} in row {row}, beyond 2**53, where float64 "
            f"cannot tell neighbours apart: {remedy}"
        )


def _refuse_extreme_spread(targets: Floats) -> None:
    """Refuse targets whose squared differences float64 cannot hold."""
    with np.errstate(over="ignore"):
        spread = float(targets.max() - targets.min())
    if spread > 1e140 or 0 < spread < 1e-140:
        raise ValueError(
            f"the targets y spread over {spread:g}, and float64 cannot hold the squares of such "
            "numbers: multiply y by a constant"
        )


def _same_length(name: str, found: int, rows: int) -> None:
    if found != rows:
        raise ValueError(
            f"{name} has {found} entries, X has {rows} rows: inconsistent numbers of samples; "
            "pass one entry per row"
        )


def read_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """Give one finite weight per row, none negative and not all zero; None stays None.

    >>> read_weights([1, 2.5], 2)
    array([1. , 2.5])
    """
    if sample_weight is None:
        return None
    weights = as_array(sample_weight, "sample_weight")
    if weights.ndim == 0 and weights.dtype.kind in "iuf":
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight has shape {weights.shape}: pass one weight per row (1D)")
    _same_length("sample_weight", len(weights), n_rows)
    _refuse_large("sample_weight", weights, "divide all weights by a constant")
    found = as_floats(weights, "sample_weight")
    if not np.isfinite(found).all():
        row = int(np.flatnonzero(~np.isfinite(found))[0])
        raise ValueError(f"sample_weight contains NaN or infinity in row {row}: give a number")
    if (found < 0).any():
        row = int(np.flatnonzero(found < 0)[0])
        raise ValueError(
            f"sample_weight is negative in row {row} ({found[row]:g}): weights are at least 0, and "
            "0 leaves the row out"
        )
    if not found.any():
        raise ValueError("sample_weight is zero everywhere: at least one row needs weight")
    refuse_extreme_weights(found)
    return found


def refuse_extreme_weights(weights: Floats, targets: Floats | None = None) -> None:
    """Refuse weights whose sums, or whose sums of squared targets, float64 cannot hold."""
    largest = float(weights.max())
    spread = 0.0 if targets is None else float(targets.max() - targets.min())
    size = log10(largest) + (2 * log10(spread) if spread else 0.0)
    if abs(size) > 290:
        times = f" and the targets y spread over {spread:g}" if spread else ""
        raise ValueError(
            f"sample_weight reaches {largest:g}{times}: float64 cannot hold sums of such numbers, "
            "so multiply all weights by a constant"
        )


def read_class_weight(class_weight: Any, classes: NDArray[Any]) -> dict[int, Fraction] | str | None:
    """Give the factor of each class by its number, exactly; "balanced" and None stay as they are.

    >>> read_class_weight({"b": 0.1}, np.array(["a", "b"]))
    {1: Fraction(1, 10)}
    """
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return class_weight
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={class_weight!r}: pass None, 'balanced' or a dict from class to weight"
        )
    numbers = {c: i for i, c in enumerate(classes.tolist())}
    found: dict[int, Fraction] = {}
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not isfinite(weight) or weight < 0:
            raise ValueError(f"class_weight[{label!r}] is {weight!r}: it must be a number >= 0")
        if label in numbers:
            found[numbers[label]] = Fraction(repr(float(weight)))
    # A class that does not occur here may occur in another fold; beside a class without a weight
    # it is more likely misspelt, and scikit-learn refuses it too.
    missing = [c for c, i in numbers.items() if i not in found]
    if missing and len(found) < len(class_weight):
        others = [label for label in class_weight if label not in numbers]
        raise ValueError(
            f"class_weight names {_listed(others)}, which y does not have, and not "
            f"{_listed(missing)}, which it has: name the classes as they are in y"
        )
    return found


def _listed(labels: list[Any]) -> str:
    return ", ".join(map(repr, labels))
