"""A regression tree of the size that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from exactree import inputs, tree
from exactree.estimators import OptimalTree, OptimalTreeRegressor
from exactree.parameters import RegressorCVParameters, completed, takes
from exactree.problem import Result
from exactree.sizes.choosing import START, ChoosesSize, Floats


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


@takes(
    RegressorCVParameters,
    default={"max_depth": 3, "max_splits": 7, "objective": "squared_error"},
    max_splits="The largest number of splits to try.",
    time_limit="Seconds for each search: one for every fold, and one for all rows.",
    start=START,
    objective='The loss, in the searches and on the rows left out: "squared_error", '
    '"absolute_error" or "poisson".',
)
class OptimalTreeRegressorCV(ChoosesSize, OptimalTreeRegressor):
    """An optimal regression tree whose number of splits is chosen by cross-validation.

    In every fold the optimal trees of all sizes are found, and judged on the rows left out. By the
    one-standard-error rule, the smallest size wins whose mean error is within one standard error of
    the least.

    Attributes
    ----------
    max_splits_ : int
        The size chosen.
    path_ : SizePath
        The optimal trees of all sizes for all rows; `tree_` is one of them.
    splits_ : split family
        The one of `families` chosen, or `splits`.
    family_errors_ : array
        Families by folds by sizes; `errors_` has those of the family chosen.
    errors_ : array
        Mean loss on the rows left out, folds by sizes.
    mean_error_, standard_error_ : array
        Mean over the folds for every size, and its standard error.
    cv_results_ : dict
        The same as scores, in the form of scikit-learn's searches.
    tree_, objective_, lower_bound_, gap_, status_, result_
        As for `OptimalTreeRegressor`.

    Examples
    --------
    >>> X = [[i] for i in range(12)]
    >>> reg = OptimalTreeRegressorCV(max_splits=2, cv=[[range(0, 12, 2), range(1, 12, 2)]])
    >>> reg.fit(X, [0.0] * 6 + [1.0] * 6).max_splits_
    1
    """

    def __init__(self, **parameters: Unpack[RegressorCVParameters]) -> None:
        self._set(completed(OptimalTreeRegressorCV.__init__, parameters))

    def _targets(self, y: NDArray[Any], rows: int) -> NDArray[Any]:
        if self.objective not in LOSSES:
            known = ", ".join(map(repr, LOSSES))
            raise ValueError(
                f"objective={self.objective!r}: choose one of {known}; for another, compare "
                "max_splits of OptimalTreeRegressor in GridSearchCV by a score of your own"
            )
        return inputs.read_targets(y, rows)

    def _alone(self) -> OptimalTree:
        return OptimalTreeRegressor(missing=self.missing)

    def _problem(self) -> dict[str, Any]:
        return {"task": "regression", "objective": self.objective}

    def _losses(self, result: Result, X: Floats, y: NDArray[Any]) -> NDArray[Any]:
        return LOSSES[str(self.objective)](y, tree.predict(result.tree, X))
