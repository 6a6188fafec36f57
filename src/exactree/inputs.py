"""Reading data and parameters, and refusing what cannot be meant, with a remedy in the message."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf, isfinite, isnan
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
# Beyond this, float64 no longer tells every whole number from its neighbour.
LARGEST_INTEGER = 2**53
NOTHING = Fraction(0)


def read_matrix(X: Any) -> tuple[Floats, tuple[str, ...] | None]:
    """Give the data as float64, rows by columns, with the names of the columns if there are any.

    >>> read_matrix([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), None)
    """
    if sparse.issparse(X):
        raise TypeError("X is a sparse matrix, which this cannot read: pass X.toarray()")
    names = column_names(X)
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        return _read_frame(X), names
    values = np.asarray(X)
    if values.ndim != 2:
        raise ValueError(
            f"X has {values.ndim} dimensions instead of 2. Reshape your data: X.reshape(-1, 1) if "
            "it is one column, X.reshape(1, -1) if it is one row"
        )
    _refuse_empty(values.shape)
    _refuse_inexact(values, names)
    found = np.asarray(_as_floats(values, "X"))
    _refuse_not_finite(found, names)
    return found, names


def column_names(X: Any) -> tuple[str, ...] | None:
    """Give the names of the columns of a data frame if all of them are text, else None.

    >>> column_names([[1.0]]) is None
    True
    """
    columns = list(getattr(X, "columns", ()))
    if not columns or not all(isinstance(name, str) for name in columns):
        return None
    return tuple(columns)


def _read_frame(frame: Any) -> Floats:
    """Read a data frame column by column: together they would take on a common, inexact type."""
    _refuse_empty(frame.shape)
    found = np.empty(frame.shape, dtype=np.float64)
    for j, name in enumerate(frame.columns):
        series = frame[name] if isinstance(name, str) else frame.iloc[:, j]
        values = np.asarray(series.to_numpy())
        if values.dtype == object:
            values = np.array([np.nan if _is_missing(v) else v for v in values], dtype=object)
        if values.ndim != 1:
            raise ValueError(f"X has several columns with the name {name!r}: rename them")
        if values.dtype.kind in "mM":
            raise ValueError(
                f"column {name!r} of X holds dates or times: convert it to numbers, for example "
                "seconds since a fixed day"
            )
        _refuse_inexact(values[:, None], (str(name),))
        found[:, j] = _as_floats(values, f"column {name!r} of X")
    _refuse_not_finite(found, tuple(map(str, frame.columns)))
    return found


def _is_missing(value: object) -> bool:
    """Recognise None, NaN and the NA of pandas, which refuses to be compared."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _as_floats(values: NDArray[Any], what: str) -> Floats:
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
            f"{what} is not numeric ({error}): encode text and categories as numbers first, for "
            "example with sklearn.preprocessing.OrdinalEncoder or OneHotEncoder"
        ) from error


def _refuse_empty(shape: tuple[int, ...]) -> None:
    rows, columns = shape
    if rows == 0:
        raise ValueError(f"X is empty: 0 sample(s) (shape={shape}); a minimum of 1 is required")
    if columns == 0:
        raise ValueError(
            f"X has no columns: 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )


def _refuse_inexact(values: NDArray[Any], names: tuple[str, ...] | None) -> None:
    """Refuse whole numbers that float64 cannot hold; other types are exact, or not numbers."""
    if values.dtype.kind in "iu" and values.dtype.itemsize < 8:
        return
    if values.dtype.kind in "iu":
        guilty = (values > LARGEST_INTEGER) | (values < -LARGEST_INTEGER)
    elif values.dtype == object:
        guilty = np.vectorize(_is_large_integer, otypes=[bool])(values)
    else:
        return
    if guilty.any():
        row, j = np.argwhere(guilty)[0]
        raise ValueError(
            f"column {_name(j, names)} of X has the integer {values[row, j]} in row {row}, beyond "
            "2**53, where float64 cannot tell neighbours apart: subtract an offset from the column "
            "or pass its ranks (scipy.stats.rankdata)"
        )


def _is_large_integer(value: object) -> bool:
    return isinstance(value, Integral) and abs(int(value)) > LARGEST_INTEGER


def _refuse_not_finite(values: Floats, names: tuple[str, ...] | None) -> None:
    # One sum settles the usual case: it is finite only if every value is.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    guilty = np.argwhere(~np.isfinite(values))
    if len(guilty):
        row, j = guilty[0]
        what = "NaN" if np.isnan(values[row, j]) else "infinity"
        raise ValueError(
            f"Input X contains {what}: column {_name(j, names)}, row {row}; fill in or drop such "
            "values first, for example with sklearn.impute.SimpleImputer"
        )


def _name(j: int, names: tuple[str, ...] | None) -> str:
    return str(int(j)) if names is None else repr(names[j])


def read_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Give the classes in order and the number of each row's class.

    >>> classes, labels = read_labels(["b", "a", "b"], 3)
    >>> classes.tolist(), labels.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    values = np.asarray(y)
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
    """Give one finite number per row.

    >>> read_targets([1, 2.5], 2)
    array([1. , 2.5])
    """
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y has shape {values.shape}: it needs one target per row of X")
    _same_length("y", len(values), n_rows)
    if values.dtype == object:
        values = np.array([np.nan if _is_missing(v) else v for v in values], dtype=object)
    _refuse_inexact(values[:, None], ("y",))
    found = _as_floats(values, "y")
    if not np.isfinite(found).all():
        row = int(np.flatnonzero(~np.isfinite(found))[0])
        what = "NaN" if np.isnan(found[row]) else "infinity"
        raise ValueError(f"Input y contains {what} in row {row}: drop such rows")
    _refuse_extreme_spread(found)
    return found


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
    weights = np.asarray(sample_weight)
    if weights.ndim == 0 and weights.dtype.kind in "iuf":
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight has shape {weights.shape}: pass one weight per row (1D)")
    _same_length("sample_weight", len(weights), n_rows)
    _refuse_inexact(weights[:, None], ("sample_weight",))
    found = _as_floats(weights, "sample_weight")
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
    return found


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
        # A class that does not occur here may occur in another fold.
        if label in numbers:
            found[numbers[label]] = Fraction(repr(float(weight)))
    return found


def read_count(name: str, value: Any, least: int) -> int:
    """Take a whole number that is at least `least`.

    >>> read_count("max_depth", 2.5, 0)
    Traceback (most recent call last):
    ...
    ValueError: max_depth=2.5: pass a whole number, at least 0
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name}={value!r}: pass a whole number, at least {least}")
    return int(value)


def read_budget(name: str, value: Any) -> int | None:
    """Take a whole number that is at least 0, or None for no limit.

    >>> read_budget("max_splits", None) is None
    True
    """
    return None if value is None else read_count(name, value, 0)


def read_penalty(penalty: Any) -> Fraction:
    """Take a finite number that is at least 0, and read it exactly.

    >>> read_penalty(0.25)
    Fraction(1, 4)
    """
    if isinstance(penalty, bool) or not isinstance(penalty, Real) or not isfinite(penalty):
        raise ValueError(f"penalty={penalty!r}: pass a finite number, at least 0")
    if penalty < 0:
        raise ValueError(f"penalty={penalty!r} is negative: pass a number that is at least 0")
    if penalty == 0:
        return NOTHING
    return Fraction(penalty) if isinstance(penalty, int | Fraction) else Fraction(float(penalty))


def read_share(name: str, value: Any) -> Fraction:
    """Take a number from 0 to 0.5 and read it as the decimal it is written as.

    >>> read_share("min_weight_fraction_leaf", 0.01)
    Fraction(1, 100)
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 0.5:
        raise ValueError(f"{name}={value!r}: pass a number from 0 to 0.5")
    return Fraction(repr(float(value))) if value else NOTHING


def read_seconds(time_limit: Any) -> float:
    """Take a number of seconds that is at least 0, or None for no limit.

    >>> read_seconds(None)
    inf
    """
    if time_limit is None:
        return inf
    bad = isinstance(time_limit, bool) or not isinstance(time_limit, Real)
    if bad or isnan(time_limit) or time_limit < 0:
        raise ValueError(f"time_limit={time_limit!r}: pass seconds, at least 0, or None")
    return float(time_limit)


def read_bytes(memory_limit: Any) -> int:
    """Take a number of bytes that is at least 1, or None for no limit (0).

    >>> read_bytes(None)
    0
    """
    return 0 if memory_limit is None else read_count("memory_limit", memory_limit, 1)


def read_threads(n_jobs: Any) -> int:
    """Take the number of threads as joblib does: None is one, -1 all cores, -2 all but one.

    >>> read_threads(None)
    1
    """
    if n_jobs is None or (n_jobs == 1 and type(n_jobs) is int):
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise ValueError(f"n_jobs={n_jobs!r}: pass a whole number, -1 for all cores, or None")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: pass 1 or more, -1 for all cores, or None")
    import joblib

    return int(joblib.effective_n_jobs(n_jobs))
