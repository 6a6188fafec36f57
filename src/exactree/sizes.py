"""How large a tree should be: the optimum for every number of splits, and a choice among them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.validation import column_or_1d, validate_data

from exactree import inputs, tree
from exactree.estimators import OptimalTreeClassifier, progress_line
from exactree.problem import Number, OnProgress, Result
from exactree.solving import solve, solve_sizes
from exactree.splits import Axis, Splits, as_family

Floats = NDArray[np.float64]
RULES = ("one_standard_error", "best")


@dataclass(frozen=True)
class SizePath(Sequence[Result]):
    """The results for at most 0, 1, 2, ... splits: `path[k]` is the one for k.

    Parameters
    ----------
    results : tuple of Result
        One for every number of splits.
    """

    results: tuple[Result, ...]

    @property
    def objectives(self) -> list[Number]:
        """The objective for every number of splits."""
        return [result.objective for result in self.results]

    @property
    def lower_bounds(self) -> list[Number]:
        """The proved lower bound for every number of splits."""
        return [result.lower_bound for result in self.results]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, index: int | slice) -> Result | tuple[Result, ...]:
        return self.results[index]

    def __str__(self) -> str:
        lines = [
            f"{k:6d}  {result.objective:>9.6g}  {result.lower_bound:>9.6g}  {result.status}"
            for k, result in enumerate(self.results)
        ]
        return "\n".join(["splits  objective     proved  status", *lines])


def size_path(
    X: Any,
    y: Any,
    *,
    max_splits: int,
    splits: Splits = "axis",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    min_weight_fraction_leaf: float = 0.0,
    sample_weight: Any = None,
    class_weight: Any = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    on_progress: OnProgress | None = None,
) -> SizePath:
    """Find the optimal tree for every number of splits from 0 to `max_splits`.

    Axis-parallel trees of all sizes come from one search, which takes little longer than that for
    the largest; other split families are searched once for each size.

    Parameters
    ----------
    X, y : array
        Rows by columns, and a label for each row.
    max_splits : int
        The largest number of splits.
    splits, max_depth, min_samples_leaf, min_weight_fraction_leaf
        What limits the trees, as for `solve`.
    sample_weight, class_weight
        Weights of the rows, as for `solve`.
    time_limit, memory_limit, n_jobs, on_progress
        As for `solve`; the limits hold for each search.

    Examples
    --------
    >>> path = size_path([[1.0], [2.0], [3.0]], ["a", "b", "a"], max_splits=3)
    >>> path.objectives
    [1, 1, 0, 0]
    >>> print(path)
    splits  objective     proved  status
         0          1          1  optimal
         1          1          1  optimal
         2          0          0  optimal
         3          0          0  optimal
    """
    most = inputs.read_count("max_splits", max_splits, 0)
    family = as_family(splits)
    shared: dict[str, Any] = {
        "max_depth": max_depth,
        "min_samples_leaf": min_samples_leaf,
        "min_weight_fraction_leaf": min_weight_fraction_leaf,
        "sample_weight": sample_weight,
        "class_weight": class_weight,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "n_jobs": n_jobs,
        "on_progress": on_progress,
    }
    if isinstance(family, Axis):
        return SizePath(tuple(solve_sizes(X, y, max_splits=most, **shared)))
    every = (solve(X, y, splits=family, max_splits=k, **shared) for k in range(most + 1))
    return SizePath(tuple(every))


class OptimalTreeClassifierCV(OptimalTreeClassifier):
    """An optimal tree whose number of splits is chosen by cross-validation.

    In every fold, one search finds the optimal trees of all sizes, which are judged on the rows
    left out. By the one-standard-error rule, the smallest size wins whose mean error is within one
    standard error of the least.

    Parameters
    ----------
    splits : str or split family
        Which splits a tree may use.
    max_depth : int or None
        At most so many splits on a path; None: no limit.
    max_splits : int
        The largest number of splits to try.
    min_samples_leaf : int
        At least so many rows on each side of every split.
    min_weight_fraction_leaf : float
        At least this share of the total weight on each side of every split.
    cv : int, splitter or iterable
        The folds, as in scikit-learn.
    rule : str
        "one_standard_error", or "best" for the least mean error.
    class_weight : dict, "balanced" or None
        Factor for the weights of each class, in the searches and in the errors.
    time_limit : float or None
        Seconds for each search: one for every fold, and one for all rows.
    memory_limit : int or None
        Likewise in bytes.
    n_jobs : int or None
        Threads, as in joblib.
    verbose : int
        Above 0, report progress on the standard error stream.

    Attributes
    ----------
    max_splits_ : int
        The size chosen.
    path_ : SizePath
        The optimal trees of all sizes for all rows; `tree_` is one of them.
    errors_ : array
        Share of the weight that was misclassified, folds by sizes.
    mean_error_, standard_error_ : array
        Mean over the folds for every size, and its standard error.
    tree_, objective_, lower_bound_, gap_, status_, result_, classes_
        As for `OptimalTreeClassifier`.

    Examples
    --------
    >>> X = [[i] for i in range(12)]
    >>> clf = OptimalTreeClassifierCV(max_splits=2, cv=3).fit(X, [0] * 6 + [1] * 6)
    >>> clf.max_splits_
    1
    """

    def __init__(
        self,
        *,
        splits: Splits = "axis",
        max_depth: int | None = 3,
        max_splits: int = 7,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        cv: Any = 5,
        rule: str = "one_standard_error",
        class_weight: Any = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = 1,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            splits=splits,
            max_depth=max_depth,
            max_splits=max_splits,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            class_weight=class_weight,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.cv = cv
        self.rule = rule

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the size by cross-validation, and take the optimal tree of that size.

        Rows of no weight are left out of the folds.
        """
        if self.rule not in RULES:
            raise ValueError(f"rule={self.rule!r}: choose one of {', '.join(map(repr, RULES))}")
        validate_data(self, X, y, skip_check_array=True)
        values, _ = inputs.read_matrix(X)
        labels = column_or_1d(y, warn=True)
        self.classes_ = inputs.read_labels(labels, len(values))[0]
        weights = inputs.read_weights(sample_weight, len(values))
        inputs.read_class_weight(self.class_weight, self.classes_)
        self.errors_ = self._cross_validated(values, labels, weights)
        self.mean_error_ = self.errors_.mean(axis=0)
        self.standard_error_ = standard_errors(self.errors_)
        self.max_splits_ = chosen_size(self.errors_, self.rule)
        self.path_ = self._path(X, labels, weights)
        self._keep(self.path_[self.max_splits_])
        return self

    def _path(self, X: Any, y: Any, weights: Floats | None) -> SizePath:
        found = size_path(
            X,
            y,
            max_splits=inputs.read_count("max_splits", self.max_splits, 0),
            splits=self.splits,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            sample_weight=weights,
            class_weight=self.class_weight,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            on_progress=progress_line() if self.verbose else None,
        )
        if found[-1].status == "interrupted":
            raise KeyboardInterrupt
        return found

    def _cross_validated(self, X: Floats, y: NDArray[Any], weights: Floats | None) -> Floats:
        """Give the error of every size in every fold."""
        heavy = np.ones(len(y)) if weights is None else weights
        X, y, heavy = X[heavy > 0], y[heavy > 0], heavy[heavy > 0]
        errors: list[Floats] = []
        stopped = 0
        factors = class_factors(self.class_weight, y, heavy)
        for train, test in check_cv(self.cv, y, classifier=True).split(X, y):
            path = self._path(X[train], y[train], None if weights is None else heavy[train])
            stopped += path[-1].status != "optimal"
            errors.append(_errors(path, X[test], y[test], (heavy * factors)[test]))
        if stopped:
            warnings.warn(
                f"the searches of {stopped} of {len(errors)} folds stopped at a limit, so the size "
                "is chosen by trees that may not be optimal: raise it or lower max_splits",
                ConvergenceWarning,
                stacklevel=3,
            )
        return np.array(errors)


def _errors(path: SizePath, X: Floats, y: NDArray[Any], weights: Floats) -> Floats:
    """Give the share of the weight that each tree gets wrong."""
    # A fold may lack a class, so its trees number the classes in their own way.
    predicted = [np.asarray(r.classes)[tree.predict(r.tree, X)] for r in path]
    total = weights.sum()
    return np.array([weights[p != y].sum() / total if total else 0.0 for p in predicted])


def class_factors(class_weight: Any, y: NDArray[Any], weights: Floats) -> Floats:
    """Give the factor of every row's class; "balanced" gives all classes the same total.

    >>> class_factors("balanced", np.array(["a", "b", "b"]), np.ones(3)).tolist()
    [1.5, 0.75, 0.75]
    """
    if class_weight is None:
        return np.ones(len(y))
    classes, numbers = np.unique(y, return_inverse=True)
    if isinstance(class_weight, str):
        totals = np.bincount(numbers, weights)
        return np.asarray((weights.sum() / len(classes) / totals)[numbers])
    factors = [float(class_weight.get(c, 1.0)) for c in classes.tolist()]
    return np.array(factors)[numbers]


def standard_errors(errors: Floats) -> Floats:
    """Give the standard error of the mean of every column.

    >>> standard_errors(np.array([[0.0, 1.0], [0.0, 3.0]])).tolist()
    [0.0, 1.0]
    """
    folds = len(errors)
    if folds < 2:
        return np.zeros(errors.shape[1])
    return np.asarray(errors.std(axis=0, ddof=1) / np.sqrt(folds))


def chosen_size(errors: Floats, rule: str) -> int:
    """Choose a column: the first that is least in the mean, or within a standard error of that.

    >>> errors = np.array([[0.5, 0.2, 0.1], [0.5, 0.2, 0.3]])
    >>> chosen_size(errors, "one_standard_error"), chosen_size(errors + [0, 0.1, 0], "best")
    (1, 2)
    """
    mean = errors.mean(axis=0)
    best = int(mean.argmin())
    slack = standard_errors(errors)[best] if rule == "one_standard_error" else 0.0
    # Means that would be equal but for rounding are.
    return int(np.flatnonzero(mean <= mean[best] + slack + 1e-12)[0])
