"""Estimators: optimal trees with the interface of scikit-learn."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Self

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
from exactree.objectives import Objective
from exactree.problem import OnProgress, Progress, Result
from exactree.refusing import refuse_no_table
from exactree.solving import solve
from exactree.splits import Splits
from exactree.tables import read_rows
from exactree.tree import Leaf, NeedsNumber, Tree

Floats = NDArray[np.float64]


class OptimalTree(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share: keeping a result, and walking its tree."""

    result_: Result
    tree_: Tree
    n_features_in_: int

    def _solve(self, X: Any, y: Any, **parameters: Any) -> Result:
        """Search with the estimator's own parameters, which are those of `solve`."""
        own = self.get_params(deep=False)
        show = progress_line() if own.pop("verbose") else None
        return solve(X, y, **own, **parameters, on_progress=show)

    def _keep(self, result: Result) -> None:
        self.result_ = result
        self.tree_ = result.tree
        self.objective_ = result.objective
        self.lower_bound_ = result.lower_bound
        self.gap_ = result.gap
        self.status_ = result.status
        if result.status == "interrupted":
            raise KeyboardInterrupt
        if result.status == "local":
            warnings.warn(
                "the tree is the best of a local search, not proved optimal: objective "
                f"{result.objective:.10g}, proved >= {result.lower_bound:.10g}; there are too many "
                "trees of such splits for an exact search, and a time_limit would let it go on",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif result.status != "optimal":
            warnings.warn(
                f"the search stopped at its {result.status} before the tree was proved optimal: "
                f"objective {result.objective:.10g}, proved >= {result.lower_bound:.10g}; raise "
                f"{result.status} or lower max_depth or max_splits",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _read(self, X: Any) -> Any:
        check_is_fitted(self)
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
        every = tree.nodes(self.tree_)
        return np.array([node.value if isinstance(node, Leaf) else 0 for node in every])[leaf]

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


class OptimalTreeClassifier(ClassifierMixin, OptimalTree):  # type: ignore[misc]
    """A classification tree of least training loss among all trees within the budgets, proved.

    Parameters
    ----------
    splits : str, split family or list of these
        Which splits a tree may use: "axis" (thresholds on single columns), "binary" (columns of two
        values), "hyperplane", "sphere", "axis_quadric", "quadric" or `Polynomial(degree)` (all
        surfaces of that kind), a family of one's own, or a list of these, which are mixed.
    max_depth : int or None
        At most so many splits on a path; None: no limit.
    max_splits : int or None
        At most so many splits in all. Without a depth, either this or a penalty must be given.
    min_samples_leaf : int
        At least so many rows, whatever their weight, on each side of every split.
    min_weight_fraction_leaf : float
        At least this share of the total weight on each side of every split.
    penalty : float
        Cost of a split as a share of the total weight.
    objective : str or Objective
        The loss; "error" is the weight of the misclassified rows.
    class_weight : dict, "balanced" or None
        Factor for the weights of each class; "balanced" gives all classes the same total.
    time_limit : float or None
        Stop after so many seconds with the best tree so far and a `ConvergenceWarning`.
    memory_limit : int or None
        Likewise at so many bytes.
    n_jobs : int or None
        Threads, as in joblib; the tree does not depend on it.
    random_state : int
        Where a local search over surfaces takes its random choices from.
    verbose : int
        Above 0, report progress on the standard error stream about once a second.
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

    def __init__(
        self,
        *,
        splits: Splits = "axis",
        max_depth: int | None = 3,
        max_splits: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        penalty: float = 0.0,
        objective: Objective | str = "error",
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
        self.splits = splits
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.penalty = penalty
        self.objective = objective
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.missing = missing
        self.categorical_features = categorical_features
        self.categories = categories

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the optimal tree for the rows of X with the labels y.

        Interrupted by Ctrl-C, the estimator keeps the best tree so far before the
        `KeyboardInterrupt` goes on; stopped by a limit, it warns.
        """
        # The checks of the data are ours, which name the column; scikit-learn's only count them.
        refuse_no_table(X)
        validate_data(self, X, y, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        self.classes_ = inputs.read_labels(labels, len(labels))[0]
        with deferred() as noted:
            self._keep(self._solve(X, labels, sample_weight=sample_weight))
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


class OptimalTreeRegressor(RegressorMixin, OptimalTree):  # type: ignore[misc]
    """A regression tree of least training loss among all trees within the budgets, proved.

    Losses are floats here, and "optimal" means at most 1 + 1e-9 times the least cost there is.

    Parameters
    ----------
    splits : str, split family or list of these
        Which splits a tree may use: "axis" (thresholds on single columns), "binary" (columns of two
        values), "hyperplane", "sphere", "axis_quadric", "quadric" or `Polynomial(degree)` (all
        surfaces of that kind), a family of one's own, or a list of these, which are mixed.
    max_depth : int or None
        At most so many splits on a path; None: no limit.
    max_splits : int or None
        At most so many splits in all. Without a depth, either this or a penalty must be given.
    min_samples_leaf : int
        At least so many rows, whatever their weight, on each side of every split.
    min_weight_fraction_leaf : float
        At least this share of the total weight on each side of every split.
    penalty : float
        Cost of a split as a share of the total weight: on the mean loss, this much a split.
    objective : str or Objective
        The loss: "squared_error", "absolute_error", "poisson", or one of your own.
    time_limit : float or None
        Stop after so many seconds with the best tree so far and a `ConvergenceWarning`.
    memory_limit : int or None
        Likewise at so many bytes.
    n_jobs : int or None
        Threads, as in joblib; the tree does not depend on it.
    random_state : int
        Where a local search over surfaces takes its random choices from.
    verbose : int
        Above 0, report progress on the standard error stream about once a second.
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

    def __init__(
        self,
        *,
        splits: Splits = "axis",
        max_depth: int | None = 3,
        max_splits: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        penalty: float = 0.0,
        objective: Objective | str = "squared_error",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = 1,
        random_state: int = 0,
        verbose: int = 0,
        missing: str = "split",
        categorical_features: Any = "from_dtype",
        categories: str = "equality",
    ) -> None:
        self.splits = splits
        self.max_depth = max_depth
        self.max_splits = max_splits
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.penalty = penalty
        self.objective = objective
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.missing = missing
        self.categorical_features = categorical_features
        self.categories = categories

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the optimal tree for the rows of X with the targets y.

        Interrupted by Ctrl-C, the estimator keeps the best tree so far before the
        `KeyboardInterrupt` goes on; stopped by a limit, it warns.
        """
        refuse_no_table(X)
        validate_data(self, X, y, skip_check_array=True)
        targets = column_or_1d(y, warn=True)
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


def progress_line() -> OnProgress:
    """Make a callback that writes a line of progress about once a second."""
    last = 0.0

    def show(progress: Progress) -> None:
        nonlocal last
        if progress.seconds - last >= 1:
            last = progress.seconds
            sys.stderr.write(
                f"{progress.seconds:.0f} s: objective {progress.objective:.10g}, "
                f"proved >= {progress.lower_bound:.10g}\n"
            )

    return show
