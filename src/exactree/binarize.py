"""ThresholdBinarizer: columns of numbers to columns of zeros and ones, as a transformer."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from exactree import inputs

Floats = NDArray[np.float64]


class ThresholdBinarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace every column by the answers to `x <= t`, one column of 0 and 1 per threshold.

    A tree over these columns is a tree over the original ones that may use no other thresholds: the
    optimum that a solver proves is one over the binarised features, not over the data. Where all
    thresholds matter, `splits="axis"` needs no binarisation.

    Parameters
    ----------
    n_thresholds : int
        At most so many thresholds per column, at evenly spaced quantiles of the training data. A
        column with few values gets the midpoints between them.
    thresholds : sequence of sequences, or None
        The thresholds of every column; `n_thresholds` is then not used.

    Attributes
    ----------
    thresholds_ : list of arrays
        The thresholds of every column, ascending.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : array
        Their names, if they are all text.

    Examples
    --------
    >>> binarizer = ThresholdBinarizer(n_thresholds=2).fit([[1.0], [2.0], [4.0]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 1.5', 'x0 <= 3']
    >>> binarizer.transform([[1.0], [3.5]]).tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """

    def __init__(
        self, n_thresholds: int = 8, *, thresholds: Sequence[ArrayLike] | None = None
    ) -> None:
        self.n_thresholds = n_thresholds
        self.thresholds = thresholds

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the thresholds; `y` is not used."""
        values, _ = inputs.read_matrix(X)
        validate_data(self, X, skip_check_array=True)
        if self.thresholds is None:
            n = _read_count(self.n_thresholds)
            self.thresholds_ = [quantile_thresholds(column, n) for column in values.T]
        else:
            self.thresholds_ = _read_thresholds(self.thresholds, values.shape[1])
        return self

    def transform(self, X: Any) -> Floats:
        """Answer `x <= t` for every threshold: 1 if it holds, else 0."""
        check_is_fitted(self)
        values, _ = inputs.read_matrix(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        parts = [
            column[:, None] <= thresholds
            for column, thresholds in zip(values.T, self.thresholds_, strict=True)
        ]
        return np.hstack(parts).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the new columns after the questions that they answer."""
        check_is_fitted(self)
        names = self._names_in(input_features)
        out = [
            f"{name} <= {threshold:.12g}"
            for name, thresholds in zip(names, self.thresholds_, strict=True)
            for threshold in thresholds
        ]
        return np.array(out, dtype=object)

    def _names_in(self, input_features: Any) -> list[str]:
        if input_features is None:
            numbered = [f"x{j}" for j in range(self.n_features_in_)]
            return list(getattr(self, "feature_names_in_", numbered))
        names = [str(name) for name in input_features]
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"input_features has {len(names)} names, but fit saw {self.n_features_in_} columns"
            )
        return names


def quantile_thresholds(column: Floats, n: int) -> Floats:
    """Give at most `n` thresholds that part the values into groups of about the same size.

    A threshold lies between two neighbouring values, so it does not matter on which side an equal
    value falls. Constant columns get none.

    >>> quantile_thresholds(np.array([1.0, 1.0, 2.0, 5.0]), 8).tolist()
    [1.5, 3.5]
    """
    values = np.unique(column)
    low, high = values[:-1], values[1:]
    # Halving first cannot overflow; what rounds up to the upper value falls back to the lower one.
    middle = low / 2 + high / 2
    between = np.where((low <= middle) & (middle < high), middle, low)
    if len(between) <= n:
        return np.asarray(between)
    at_most = np.searchsorted(np.sort(column), low, side="right")
    wanted = np.arange(1, n + 1) * len(column) / (n + 1)
    chosen = np.unique([np.abs(at_most - target).argmin() for target in wanted])
    return np.asarray(between[chosen])


def _read_count(n: Any) -> int:
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n_thresholds={n!r}: give a whole number of at least 1")
    return int(n)


def _read_thresholds(thresholds: Sequence[ArrayLike], columns: int) -> list[Floats]:
    found = [np.unique(np.asarray(of_column, dtype=np.float64)) for of_column in thresholds]
    if len(found) != columns:
        raise ValueError(
            f"thresholds has {len(found)} entries, but X has {columns} columns: give one sequence "
            "per column, empty for a column to leave out"
        )
    for j, of_column in enumerate(found):
        if not np.isfinite(of_column).all():
            raise ValueError(f"thresholds[{j}] holds a value that is not finite: leave it out")
    return found
