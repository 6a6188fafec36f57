"""A regression tree of the size that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs, tree
from exactree.estimators import OptimalTreeRegressor
from exactree.problem import Result
from exactree.sizes.choosing import ChoosesSize, Floats
from exactree.splits import Splits


def _poisson(y: Floats, predicted: Floats) -> Floats:
    """Give the Poisson deviance of each row; a leaf of zeros predicts next to nothing."""
    mean = np.maximum(predicted, 1e-9)
    logs = np.log(np.where(y > 0, y, mean) / mean)
    return np.asarray(2 * (y * logs - y + mean))


LOSSES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "squared_error": lambda y, predicted: (y - predicted) ** 2,
    "absolute_error": lambda y, predicted: np.abs(y - predicted),
    "poisson": _poisson,
}


class OptimalTreeRegressorCV(ChoosesSize, OptimalTreeRegressor):
    """An optimal regression tree whose number of splits is chosen by cross-validation.

    In every fold the optimal trees of all sizes are found, and judged on the rows left out. By the
    one-standard-error rule, the smallest size wins whose mean error is within one standard error of
    the least.

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
    objective : str
        The loss, in the searches and on the rows left out: "squared_error", "absolute_error" or
        "poisson".
    cv : int, splitter or iterable
        The folds, as in scikit-learn.
    rule : str
        "one_standard_error", or "best" for the least mean error.
    time_limit : float or None
        Seconds for each search: one for every fold, and one for all rows.
    memory_limit : int or None
        Likewise in bytes.
    n_jobs : int or None
        Threads, as in joblib.
    random_state : int
        Where a local search over surfaces takes its random choices from.
    verbose : int
        Above 0, report progress on the standard error stream.
    missing : str
        "split": a missing value is an answer of its own, on either side of every threshold.
        "error": refuse missing values.
    categorical_features : str, list or None
        Which columns hold categories: "from_dtype" goes by the types of a data frame's columns; or
        names, numbers, or a truth for each column; None: none do.
    categories : str
        How categories are asked for: "equality" (is it this one?), or "subset" (is it one of
        these?), for up to 10 categories a column.

    Attributes
    ----------
    max_splits_ : int
        The size chosen.
    path_ : SizePath
        The optimal trees of all sizes for all rows; `tree_` is one of them.
    errors_ : array
        Mean loss on the rows left out, folds by sizes.
    mean_error_, standard_error_ : array
        Mean over the folds for every size, and its standard error.
    tree_, objective_, lower_bound_, gap_, status_, result_
        As for `OptimalTreeRegressor`.

    Examples
    --------
    >>> X = [[i] for i in range(12)]
    >>> reg = OptimalTreeRegressorCV(max_splits=2, cv=[[range(0, 12, 2), range(1, 12, 2)]])
    >>> reg.fit(X, [0.0] * 6 + [1.0] * 6).max_splits_
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
        objective: str = "squared_error",
        cv: Any = 5,
        rule: str = "one_standard_error",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = 1,
        random_state: int = 0,
        verbose: int = 0,
        missing: str = "split",
        categorical_features: Any = "from_dtype",
        categories: str = "equality",
    ) -> None:
        super().__init__(
            splits=splits,
            max_depth=max_depth,
            max_splits=max_splits,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            objective=objective,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            missing=missing,
            categorical_features=categorical_features,
            categories=categories,
        )
        self.cv = cv
        self.rule = rule

    def _targets(self, y: NDArray[Any], rows: int) -> NDArray[Any]:
        if self.objective not in LOSSES:
            known = ", ".join(map(repr, LOSSES))
            raise ValueError(
                f"objective={self.objective!r}: choose one of {known}; for another, compare "
                "max_splits of OptimalTreeRegressor in GridSearchCV by a score of your own"
            )
        return inputs.read_targets(y, rows)

    def _problem(self) -> dict[str, Any]:
        return {"task": "regression", "objective": self.objective}

    def _losses(self, result: Result, X: Floats, y: NDArray[Any]) -> NDArray[Any]:
        return LOSSES[str(self.objective)](y, tree.predict(result.tree, X))
