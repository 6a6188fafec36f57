"""Choosing a size by cross-validation: what classifier and regressor share."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d, validate_data

from exactree import inputs
from exactree.estimators import OptimalTree
from exactree.interrupts import deferred
from exactree.parameters import PathParameters
from exactree.problem import Result
from exactree.progress import ProgressTable
from exactree.refusing import refuse_no_table
from exactree.sizes.folds import folds, scorer_of, search_results
from exactree.sizes.path import SizePath, size_path
from exactree.tables import Reading, read_training

Floats = NDArray[np.float64]
RULES = ("one_standard_error", "best")
START = (
    "A tree to begin with in the search of all rows, as `OptimalTreeClassifier` takes it. In folds "
    "it has no place: it may have seen the rows that are left out, and a search that is stopped "
    "would be judged by what it cannot know."
)


class ChoosesSize(OptimalTree, ABC):
    """Fits the optimal trees of all sizes in each fold, and keeps the size that does best."""

    path_: SizePath
    errors_: Floats
    mean_error_: Floats
    standard_error_: Floats
    max_splits_: int
    splits_: Any
    family_errors_: Floats
    cv_results_: dict[str, Any]

    @abstractmethod
    def _targets(self, y: NDArray[Any], rows: int) -> NDArray[Any]:
        """Check the parameters of one kind of estimator alone, and the targets of so many rows."""

    @abstractmethod
    def _problem(self) -> dict[str, Any]:
        """Give the parameters of `size_path` that only one kind of estimator has."""

    @abstractmethod
    def _losses(self, result: Result, X: Floats, y: NDArray[Any]) -> NDArray[Any]:
        """Give what a tree loses on each row."""

    def _factors(self, y: NDArray[Any], weights: Floats) -> Floats:
        """Give what to multiply the weights of rows by in the errors."""
        return np.ones(len(y))

    @abstractmethod
    def _alone(self) -> OptimalTree:
        """Make an estimator of one tree, to be scored."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose the size by cross-validation, and take the optimal tree of that size.

        Rows of no weight are left out of the folds. `groups` go to the splitter, as in
        scikit-learn's searches.
        """
        if self.rule not in RULES:
            raise ValueError(f"rule={self.rule!r}: choose one of {', '.join(map(repr, RULES))}")
        refuse_no_table(X)
        validate_data(self, X, y, skip_check_array=True)
        how = Reading(self.missing, self.categorical_features, self.categories)
        values = read_training(X, how)[0]
        targets = self._targets(column_or_1d(y, warn=True), len(values))
        weights = inputs.read_weights(sample_weight, len(values))
        with deferred() as noted:
            families = [self.splits] if self.families is None else list(self.families)
            if not families:
                raise ValueError("families is empty: name at least one family, or pass None")
            self.family_errors_ = np.array(
                [self._cross_validated(values, targets, weights, groups, f) for f in families]
            )
            family = chosen_family(self.family_errors_)
            self.splits_, self.errors_ = families[family], self.family_errors_[family]
            self.mean_error_ = self.errors_.mean(axis=0)
            self.standard_error_ = standard_errors(self.errors_)
            self.cv_results_ = search_results(self.errors_)
            self.max_splits_ = self._chosen()
            if self.refit:
                self.path_ = self._path(X, targets, weights, self.splits_)
                self._keep(self.path_[self.max_splits_])
                if self.path_[-1].status == "interrupted":
                    raise KeyboardInterrupt(
                        "the search was interrupted after the tree of the chosen size was proved: "
                        "the estimator keeps it, and path_ has what was found of larger ones"
                    )
        noted.tell()
        return self

    def _chosen(self) -> int:
        """Choose the size by the rule, or let the user's function do it."""
        if not callable(self.refit):
            return chosen_size(self.errors_, self.rule)
        chosen = self.refit(self.cv_results_)
        if not isinstance(chosen, int | np.integer) or not 0 <= chosen < self.errors_.shape[1]:
            raise ValueError(
                f"refit returned {chosen!r}: it has to return the place of a size in cv_results_, "
                f"a whole number from 0 to {self.errors_.shape[1] - 1}"
            )
        return int(chosen)

    def __sklearn_is_fitted__(self) -> bool:
        """Without `refit` there is no tree to predict with."""
        return hasattr(self, "tree_")

    def _held_out(self, path: SizePath, X: Floats, y: NDArray[Any], weights: Floats) -> Floats:
        """Give the mean loss of every size on rows left out."""
        lost = np.array([weights @ self._losses(result, X, y) for result in path])
        return np.asarray(lost / weights.sum())

    def _scored(self, path: SizePath, X: Any, y: NDArray[Any], weights: Floats | None) -> Floats:
        """Give minus the score of every size on rows left out."""
        score = scorer_of(self.scoring, weighted=weights is not None)
        model = self._alone()
        found = []
        for result in path:
            model.result_, model.tree_ = result, result.tree
            model.n_features_in_ = X.shape[1]
            if result.classes:
                model.classes_ = np.asarray(result.classes)
            found.append(-score(model, X, y, weights))
        return np.array(found)

    def _path(self, X: Any, y: Any, weights: Floats | None, splits: Any, **others: Any) -> SizePath:
        own = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name in PathParameters.__annotations__
        }
        return size_path(
            X,
            y,
            max_splits=self.max_splits,
            sample_weight=weights,
            on_progress=ProgressTable() if self.verbose else None,
            **{**own, "splits": splits, **self._problem(), **others},
        )

    def _cross_validated(
        self, X: Any, y: NDArray[Any], weights: Floats | None, groups: Any, splits: Any
    ) -> Floats:
        """Give the error of every size in every fold, for one family of splits."""
        heavy = np.ones(len(y)) if weights is None else weights
        errors: list[Floats] = []
        stopped = 0
        factors = np.ones(len(y))
        factors[heavy > 0] = self._factors(y[heavy > 0], heavy[heavy > 0])
        for train, test in folds(self.cv, self, y, heavy, groups):
            given = None if weights is None else heavy[train]
            path = self._path(X[train], y[train], given, splits, start=None)
            if path[-1].status == "interrupted":
                raise KeyboardInterrupt(
                    f"interrupted in fold {len(errors) + 1} of the cross-validation: no size is "
                    "chosen yet, so the estimator has no tree; size_path gives one for every size"
                )
            stopped += path[-1].status not in ("optimal", "local")
            if self.scoring is None:
                errors.append(self._held_out(path, X[test], y[test], (heavy * factors)[test]))
            else:
                given = None if weights is None else weights[test]
                errors.append(self._scored(path, X[test], y[test], given))
        if stopped:
            warnings.warn(
                f"the searches of {stopped} of {len(errors)} folds stopped at a limit, so the size "
                "is chosen by trees that may not be optimal: raise it or lower max_splits",
                ConvergenceWarning,
                stacklevel=3,
            )
        return np.array(errors)


def standard_errors(errors: Floats) -> Floats:
    """Give the standard error of the mean of every column.

    >>> standard_errors(np.array([[0.0, 1.0], [0.0, 3.0]])).tolist()
    [0.0, 1.0]
    """
    folds = len(errors)
    if folds < 2:
        return np.zeros(errors.shape[1])
    return np.asarray(errors.std(axis=0, ddof=1) / np.sqrt(folds))


def chosen_family(errors: Floats) -> int:
    """Choose a family: the first that has the least mean error, of any size.

    >>> chosen_family(np.array([[[0.5, 0.2], [0.5, 0.4]], [[0.5, 0.1], [0.5, 0.1]]]))
    1
    """
    best = errors.mean(axis=1).min(axis=1)
    return int(np.flatnonzero(best <= best.min() + 1e-12)[0])


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
