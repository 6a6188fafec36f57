"""An axis-parallel tree as a genuine tree of scikit-learn.

Scikit-learn rounds X to float32 before it compares with a float64 threshold. Rounding keeps the
order, so a split survives if some value lies between the rounded values of its two sides. The
midpoint of two values does, but for rare neighbours around a power of two, unless both round to the
same number, and then nothing does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree.export.subject import Subject, mean, read_subject
from exactree.export.unwrapping import transformed, unwrapped
from exactree.splits.axis import AxisSplit, MissingSplit, between
from exactree.tree import Leaf, Node, Tree, depth, leaves, nodes, route, size

Floats = NDArray[np.float64]
LARGEST = float(np.finfo(np.float32).max)


def to_sklearn(
    model: Any,
    X: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> Any:
    """Turn an axis-parallel tree into scikit-learn's, which predicts the same.

    So `sklearn.tree.plot_tree` and whatever else reads trees of scikit-learn can read it. As
    scikit-learn rounds values to float32, rows that differ from a threshold by less than that may
    be answered otherwise; for the rows of `X`, thresholds are moved so that none is, and a warning
    names the splits where that cannot be.

    Parameters
    ----------
    model : estimator, Result or tree
        What to turn into a DecisionTreeClassifier, or a DecisionTreeRegressor if it predicts
        numbers.
    X : array, data frame or None
        Rows to keep the predictions of, usually the training data.
    feature_names, class_names : sequence or None
        Names to use instead of the model's own.

    Examples
    --------
    >>> from exactree.tree import Leaf, Node
    >>> stump = Node(AxisSplit(0, 2.5), Leaf(0, 3, (3, 0)), Leaf(1, 4, (1, 3), 1))
    >>> to_sklearn(stump, class_names=["no", "yes"]).predict([[2.4], [2.6]]).tolist()
    ['no', 'yes']
    """
    subject = read_subject(model, feature_names, class_names)
    _refuse_other_splits(subject)
    rows = None if X is None else _rows(transformed(unwrapped(model)[1], X), subject)
    thresholds = _thresholds(subject, rows)
    made = _fitted(subject)
    # Writing scikit-learn's state needs its layout; a tree it made itself has it.
    kind, arguments, state = made.tree_.__reduce__()
    made.tree_ = kind(*arguments)
    made.tree_.__setstate__(_state(subject, thresholds, state["nodes"]))
    return made


def _refuse_other_splits(subject: Subject) -> None:
    for node in nodes(subject.tree):
        if isinstance(node, Node) and not isinstance(node.split, AxisSplit | MissingSplit):
            question = node.split.formula(subject.feature_names, digits=6)
            raise ValueError(
                f"scikit-learn's trees compare one column with a threshold, not {question}: use "
                "export_python or export_rules instead; of categories, fit to the columns of "
                "sklearn.preprocessing.OneHotEncoder"
            )


def _rows(X: Any, subject: Subject) -> Floats:
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < subject.n_features:
        raise ValueError(f"X has shape {rows.shape}: the tree needs {subject.n_features} columns")
    if (np.abs(rows) > LARGEST).any():
        raise ValueError("X has values beyond float32, which scikit-learn refuses: rescale them")
    return rows


def _thresholds(subject: Subject, X: Floats | None) -> list[float]:
    """Give the threshold of every node in preorder, 0 for leaves."""
    every = list(nodes(subject.tree))
    if X is None:
        found = [_threshold(node) for node in every]
        _warn_of_coarse_values(subject, found)
        return found
    seen = route(subject.tree, X)
    pairs = zip(every, seen, strict=True)
    return [_surviving(subject, node, X[rows]) for node, rows in pairs]


def _warn_of_coarse_values(subject: Subject, thresholds: list[float]) -> None:
    """Warn of thresholds so large that float32 does not tell whole numbers apart there."""
    for node, threshold in zip(nodes(subject.tree), thresholds, strict=True):
        if isinstance(node, Leaf) or isinstance(node.split, MissingSplit):
            continue
        if np.spacing(np.float32(abs(threshold))) >= 1:
            warnings.warn(
                f"scikit-learn rounds X to float32, which does not tell whole numbers around "
                f"{node.split.formula(subject.feature_names)} apart: pass the training rows as X, "
                "so that thresholds are moved to where that does no harm",
                UserWarning,
                stacklevel=4,
            )


def _threshold(node: Tree) -> float:
    if isinstance(node, Leaf):
        return 0.0
    if isinstance(node.split, MissingSplit):  # all values are on the one side
        return np.inf if node.split.known else -np.inf
    assert isinstance(node.split, AxisSplit)
    if abs(node.split.threshold) > LARGEST:
        raise ValueError(
            f"the threshold {node.split.threshold:g} of column {node.split.feature} is beyond "
            "float32, which scikit-learn's trees need: rescale the column and fit again"
        )
    return node.split.threshold


def _surviving(subject: Subject, node: Tree, X: Floats) -> float:
    """Find a threshold that parts the rounded values of the node's rows as they were parted."""
    kept = _threshold(node)
    if isinstance(node, Leaf) or isinstance(node.split, MissingSplit):
        return kept
    X = X[~np.isnan(X[:, node.split.features()[0]])]
    column, left = X[:, node.split.features()[0]], node.split.goes_left(X)
    low = float(np.max(column[left].astype(np.float32), initial=-LARGEST))
    high = float(np.min(column[~left].astype(np.float32), initial=np.inf))
    if low >= high:
        question = node.split.formula(subject.feature_names, digits=17)
        warnings.warn(
            f"no threshold of scikit-learn answers {question} as here: in float32, both sides "
            f"have the value {low:.9g}, so some of these rows are predicted otherwise",
            UserWarning,
            stacklevel=4,
        )
    return kept if low <= kept < high or low >= high else between(low, high)


def _fitted(subject: Subject) -> Any:
    """Let scikit-learn fit a leaf to nothing, so that it has set every attribute it needs."""
    count = 1 if subject.classes is None else len(subject.classes)
    nothing = np.zeros((count, max(subject.n_features, 1)))
    kind = DecisionTreeRegressor if subject.classes is None else DecisionTreeClassifier
    targets = np.arange(count) if subject.classes is not None else _no_targets(subject)
    made = kind(max_depth=max(depth(subject.tree), 1)).fit(nothing, targets)
    if subject.classes is not None:
        made.classes_ = np.asarray(subject.classes)
    if subject.feature_names is not None:
        made.feature_names_in_ = np.asarray(subject.feature_names, dtype=object)
    return made


def _no_targets(subject: Subject) -> NDArray[Any]:
    """Give a row of as many zeros as there are targets."""
    return np.zeros((1, *np.shape(leaves(subject.tree)[0].value)))


def _state(subject: Subject, thresholds: list[float], template: NDArray[Any]) -> dict[str, Any]:
    """Give the arrays of scikit-learn's tree; `template` holds a leaf."""
    every = list(nodes(subject.tree))
    table = np.repeat(template[:1], len(every))
    for number, node in enumerate(every):
        record = table[number]
        record["impurity"] = _impurity(subject, node)
        record["n_node_samples"] = node.rows
        record["weighted_n_node_samples"] = float(sum(node.weights))
        if isinstance(node, Node):
            record["left_child"] = number + 1
            record["right_child"] = number + 2 + 2 * size(node.left)
            record["feature"] = node.split.features()[0]
            record["threshold"] = thresholds[number]
            record["missing_go_to_left"] = _missing_left(node)
    values = np.array([_value(subject, node) for node in every], dtype=np.float64)
    return {
        "max_depth": depth(subject.tree),
        "node_count": len(every),
        "nodes": table,
        # Classes are side by side for one target, targets one below the other.
        "values": values[:, None, :] if subject.classes is not None else values[:, :, None],
    }


def _missing_left(node: Node) -> bool:
    if isinstance(node.split, MissingSplit):
        return not node.split.known
    assert isinstance(node.split, AxisSplit)
    return node.heavier_left if node.split.missing is None else node.split.missing == "left"


def _value(subject: Subject, node: Tree) -> list[float]:
    if subject.classes is None:
        middle = mean(node)
        return list(middle) if isinstance(middle, tuple) else [middle]
    shares = subject.shares(node)
    if isinstance(node, Leaf) and int(np.argmax(shares)) != node.value:
        raise ValueError(
            f"a leaf predicts {subject.value(node)!r}, which is not the heaviest class there: "
            "scikit-learn's trees always predict that one; use export_python instead"
        )
    return shares


def _impurity(subject: Subject, node: Tree) -> float:
    """Give Gini's index of the classes, or the variance of the numbers."""
    if subject.classes is not None:
        return float(1 - np.square(subject.shares(node)).sum())
    total = sum(node.weights)
    if not total:
        return 0.0
    middle = np.asarray(mean(node))
    between_leaves = sum(sum(e.weights) * np.square(e.value - middle).sum() for e in leaves(node))
    return float((node.cost + between_leaves) / total / middle.size)
