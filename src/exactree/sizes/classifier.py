"""A classification tree of the size that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from exactree import inputs, tree
from exactree.estimators import OptimalTree, OptimalTreeClassifier
from exactree.parameters import ClassifierCVParameters, completed, takes
from exactree.problem import Result
from exactree.sizes.choosing import START, ChoosesSize, Floats


@takes(
    ClassifierCVParameters,
    default={"max_depth": 3, "max_splits": 7},
    max_splits="The largest number of splits to try.",
    time_limit="Seconds for each search: one for every fold, and one for all rows.",
    start=START,
    class_weight="Factor for the weights of each class, in the searches and in the errors.",
)
class OptimalTreeClassifierCV(ChoosesSize, OptimalTreeClassifier):
    """An optimal classification tree whose number of splits is chosen by cross-validation.

    In every fold, one search finds the optimal trees of all sizes, which are judged on the rows
    left out. By the one-standard-error rule, the smallest size wins whose mean error is within one
    standard error of the least.

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
        Share of the weight that was misclassified, folds by sizes.
    mean_error_, standard_error_ : array
        Mean over the folds for every size, and its standard error.
    cv_results_ : dict
        The same as scores, in the form of scikit-learn's searches.
    tree_, objective_, lower_bound_, gap_, status_, result_, classes_
        As for `OptimalTreeClassifier`.

    Examples
    --------
    >>> X = [[i] for i in range(12)]
    >>> clf = OptimalTreeClassifierCV(max_splits=2, cv=3).fit(X, [0] * 6 + [1] * 6)
    >>> clf.max_splits_
    1
    """

    def __init__(self, **parameters: Unpack[ClassifierCVParameters]) -> None:
        self._set(completed(OptimalTreeClassifierCV.__init__, parameters))

    def _targets(self, y: NDArray[Any], rows: int) -> NDArray[Any]:
        self.classes_ = inputs.read_labels(y, rows)[0]
        inputs.read_class_weight(self.class_weight, self.classes_)
        return y

    def _alone(self) -> OptimalTree:
        return OptimalTreeClassifier(missing=self.missing)

    def _problem(self) -> dict[str, Any]:
        weights = self.class_weight
        if isinstance(weights, Mapping):  # for all classes, as a fold may lack some
            weights = {c: weights.get(c, 1) for c in self.classes_.tolist()}
        return {"task": "classification", "class_weight": weights}

    def _factors(self, y: NDArray[Any], weights: Floats) -> Floats:
        return class_factors(self.class_weight, y, weights)

    def _losses(self, result: Result, X: Floats, y: NDArray[Any]) -> NDArray[Any]:
        # A fold may lack a class, so its trees number the classes in their own way.
        return np.asarray(np.asarray(result.classes)[tree.predict(result.tree, X)] != y)


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
