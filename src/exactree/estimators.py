"""Estimators: optimal trees with the interface of scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from exactree import inputs, routing, tree
from exactree.importance import gini, importances, spread
from exactree.interrupts import deferred
from exactree.parameters import ClassifierParameters, RegressorParameters, completed, takes
from exactree.problem import Result
from exactree.refusing import refuse_no_table
from exactree.solving import solve
from exactree.tables import read_rows
from exactree.tree import NeedsNumber, Tree

Floats = NDArray[np.float64]


class OptimalTree(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share: keeping a result, and walking its tree."""

    result_: Result
    tree_: Tree
    n_features_in_: int

    def _set(self, parameters: dict[str, Any]) -> None:
        """Keep the parameters as they are, as scikit-learn asks of a constructor."""
        for name, value in parameters.items():
            setattr(self, name, value)

    def _solve(self, X: Any, y: Any, **parameters: Any) -> Result:
        """Search with the estimator's own parameters, which are those of `solve`."""
        return solve(X, y, **self.get_params(deep=False), **parameters)

    def _keep(self, result: Result) -> None:
        self.result_ = result
        self.tree_ = result.tree
        self.objective_ = result.objective
        self.lower_bound_ = result.lower_bound
        self.gap_ = result.gap
        self.status_ = result.status
        if result.status == "interrupted":
            raise KeyboardInterrupt(
                "the search was interrupted, and the estimator keeps its best tree: objective "
                f"{result.objective:.10g}, proved >= {result.lower_bound:.10g}; it predicts, and "
                "tree_ and result_ have the tree"
            )
        if result.status == "local":
            warnings.warn(
                "the tree is the best of a local search, not proved optimal: objective "
                f"{result.objective:.10g}, proved >= {result.lower_bound:.10g}; there are too many "
                "trees of such splits for an exact search, and a time_limit would let it go on",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif result.status in ("time_limit", "memory_limit"):
            warnings.warn(
                f"the search stopped at its {result.status} before the tree was proved optimal: "
                f"objective {result.objective:.10g}, proved >= {result.lower_bound:.10g}; raise "
                f"{result.status} or lower max_depth or max_splits",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _read(self, X: Any) -> Any:
        check_is_fitted(self)
        if hasattr(X, "columns"):  # names and their order first, before what the columns hold
            validate_data(self, X, reset=False, skip_check_array=True)
        values = read_rows(X, self.result_.columns, missing=self.missing)
        validate_data(self, X, reset=False, skip_check_array=True)
        return values

    def _leaves(self, X: Any) -> NDArray[np.intp]:
        """Send rows that were read down the tree."""
        try:
            return routing.ends(self.tree_, X)
        except NeedsNumber as error:
            raise error.named(self.result_.feature_names) from None

    def _predicted(self, X: Any) -> NDArray[Any]:
        """Give the value of the leaf that every row ends in."""
        leaf = self.apply(X)
        return tree.leaf_values(self.tree_)[leaf]

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Give the number of the leaf that every row of X ends in, counted in preorder."""
        return self._leaves(self._read(X))

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Mark the nodes that every row of X passes: rows by nodes in preorder."""
        values = self._read(X)
        return tree.decision_path(self.tree_, values)

    def __sklearn_tags__(self) -> Any:
        """Say that values may be missing and columns may hold categories."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "split"
        tags.input_tags.categorical = True
        return tags

    def get_depth(self) -> int:
        """Count the splits on the longest path."""
        check_is_fitted(self)
        return tree.depth(self.tree_)

    def get_n_leaves(self) -> int:
        """Count the leaves."""
        check_is_fitted(self)
        return tree.size(self.tree_) + 1

    def __str__(self) -> str:
        if not hasattr(self, "result_"):
            return repr(self)
        return f"{self!r}\n{self.result_}"

    def _repr_html_(self) -> str:
        """Draw the tree in a notebook, below what scikit-learn shows of an estimator."""
        drawn = self.result_._repr_html_() if hasattr(self, "result_") else ""
        return str(estimator_html_repr(self)) + drawn

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


@takes(ClassifierParameters, default={"max_depth": 3, "objective": "error"})
class OptimalTreeClassifier(ClassifierMixin, OptimalTree):  # type: ignore[misc]
    """A classification tree of least training loss among all trees within the budgets, proved.

    Attributes
    ----------
    tree_ : Leaf or Node
        The tree.
    objective_, lower_bound_, gap_ : int or float
        Its weighted loss, penalty included; what no tree within the budgets can be below; the
        difference, 0 if the tree is optimal.
    status_ : str
        "optimal", or what stopped the search.
    result_ : Result
        All of this with counters and the history of the search.
    classes_ : array
        The classes in order.
    n_features_in_, feature_names_in_
        Number of columns, and their names where X had any.

    Examples
    --------
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> print(clf)
    OptimalTreeClassifier(max_depth=1)
    optimal: objective 0, 1 split (axis-parallel trees, depth <= 1)
    x[0] <= 3
    ├─ yes: a (2 rows)
    └─ no: b (1 row)
    """

    def __init__(self, **parameters: Unpack[ClassifierParameters]) -> None:
        self._set(completed(OptimalTreeClassifier.__init__, parameters))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the optimal tree for the rows of X with the labels y.

        Interrupted by Ctrl-C, the estimator keeps the best tree so far before the
        `KeyboardInterrupt` goes on; stopped by a limit, it warns.
        """
        # The checks of the data are ours, which name the column; scikit-learn's only count them.
        refuse_no_table(X)
        validate_data(self, X, y, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        with deferred() as noted:
            result = self._solve(X, labels, sample_weight=sample_weight)
            self.classes_ = np.array(result.classes, dtype=labels.dtype)
            self._keep(result)
        noted.tell()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of every row of X."""
        numbers = self._predicted(X)
        return np.asarray(self.classes_[numbers])

    def predict_proba(self, X: Any) -> Floats:
        """Give the share of each class in the weight of the training rows of the row's leaf."""
        leaf = self.apply(X)
        table = np.array([node.weights for node in tree.nodes(self.tree_)], dtype=np.float64)
        return np.asarray((table / table.sum(axis=1, keepdims=True))[leaf])

    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithm of `predict_proba`; minus infinity where a class does not occur."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in the decrease of Gini impurity, as in scikit-learn.

        Impurity and not error, since an optimal tree may need a split that alone mends no error.
        """
        check_is_fitted(self)
        return importances(self.tree_, self.n_features_in_, gini)


@takes(RegressorParameters, default={"max_depth": 3, "objective": "squared_error"})
class OptimalTreeRegressor(RegressorMixin, OptimalTree):  # type: ignore[misc]
    """A regression tree of least training loss among all trees within the budgets, proved.

    Losses are floats here, and "optimal" means at most 1 + 1e-9 times the least cost there is.

    Attributes
    ----------
    tree_ : Leaf or Node
        The tree.
    objective_, lower_bound_, gap_ : float
        Its weighted loss, penalty included; what no tree within the budgets can be below; the
        difference, 0 if the tree is optimal.
    status_ : str
        "optimal", or what stopped the search.
    result_ : Result
        All of this with counters and the history of the search.
    n_features_in_, feature_names_in_
        Number of columns, and their names where X had any.

    Examples
    --------
    >>> reg = OptimalTreeRegressor(max_depth=1).fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 9.0])
    >>> print(reg)
    OptimalTreeRegressor(max_depth=1)
    optimal: objective 0.5, 1 split (axis-parallel trees, depth <= 1)
    x[0] <= 3
    ├─ yes: 1.5 (2 rows, loss 0.5)
    └─ no: 9 (1 row)
    """

    def __init__(self, **parameters: Unpack[RegressorParameters]) -> None:
        self._set(completed(OptimalTreeRegressor.__init__, parameters))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the optimal tree for the rows of X with the targets y.

        Interrupted by Ctrl-C, the estimator keeps the best tree so far before the
        `KeyboardInterrupt` goes on; stopped by a limit, it warns.
        """
        refuse_no_table(X)
        validate_data(self, X, y, skip_check_array=True)
        targets = y if inputs.has_columns(y) else column_or_1d(y, warn=True)
        with deferred() as noted:
            self._keep(self._solve(X, targets, task="regression", sample_weight=sample_weight))
        noted.tell()
        return self

    def predict(self, X: Any) -> Floats:
        """Give the number of the leaf that every row of X ends in."""
        return np.asarray(self._predicted(X), dtype=np.float64)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in the decrease of the squared deviations of the predictions.

        For the squared error that is the decrease of the loss, as in scikit-learn.
        """
        check_is_fitted(self)
        return importances(self.tree_, self.n_features_in_, spread)
