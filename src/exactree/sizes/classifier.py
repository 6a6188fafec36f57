"""A classification tree of the size that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs, tree
from exactree.estimators import OptimalTreeClassifier
from exactree.problem import Result
from exactree.sizes.choosing import ChoosesSize, Floats
from exactree.splits import Splits


class OptimalTreeClassifierCV(ChoosesSize, OptimalTreeClassifier):
    """An optimal classification tree whose number of splits is chosen by cross-validation.

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
            class_weight=class_weight,
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
        self.classes_ = inputs.read_labels(y, rows)[0]
        inputs.read_class_weight(self.class_weight, self.classes_)
        return y

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
