"""What an export or a plot shows: the tree of a model, with the names that the model knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from exactree.export.unwrapping import names_after, unwrapped
from exactree.tables.columns import Kind
from exactree.tree import Digits, Leaf, Node, Tree, leaves, nodes, telling, value_text

Names = tuple[str, ...]


@dataclass(frozen=True)
class Subject:
    """A tree with its names; `classes` is None for a tree that predicts numbers."""

    tree: Tree
    n_features: int
    feature_names: Names | None
    classes: tuple[Any, ...] | None
    kinds: tuple[Kind, ...] | None = None  # of the columns, where not all are complete numbers

    @cached_property
    def digits(self) -> Digits:
        """How many digits tell the splits apart in a text."""
        return telling(self.tree)

    @cached_property
    def few_digits(self) -> Digits:
        """How many do in a drawing, which has less room."""
        return telling(self.tree, digits=6)

    def feature(self, j: int) -> str:
        """Name a column."""
        return f"x[{j}]" if self.feature_names is None else self.feature_names[j]

    def has_holes(self, j: int) -> bool:
        """Tell whether a column had missing values in training."""
        if self.kinds is not None:
            return self.kinds[j].holes
        splits = [node.split for node in nodes(self.tree) if isinstance(node, Node)]
        return any(j in s.features() and getattr(s, "missing", None) for s in splits)

    def value(self, node: Tree) -> Any:
        """Give what a node predicts: its class (an inner node: the heaviest), or a number."""
        if self.classes is None:
            return node.value if isinstance(node, Leaf) else mean(node)
        return self.classes[class_number(node)]

    def answer(self, node: Tree) -> str:
        """Write down what a node predicts."""
        return value_text(self.value(node))

    def shares(self, node: Tree) -> list[float]:
        """Give the share of each class in a node's weight; all of it the node's class if unknown.

        >>> read_subject(Leaf(1)).shares(Leaf(1))
        [0.0, 1.0]
        """
        assert self.classes is not None
        total = sum(node.weights)
        if not total:
            return [float(c == class_number(node)) for c in range(len(self.classes))]
        return [weight / total for weight in node.weights]


def read_subject(
    model: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> Subject:
    """Find the tree and its names in an estimator or a `Result`; a tree is taken as it is.

    Of a pipeline or a search it is the tree of its last estimator, whose columns are those that the
    steps before it make.

    >>> read_subject(Leaf(0, 3, (2, 1)), class_names=["no", "yes"]).answer(Leaf(0))
    'no'
    """
    model, before = unwrapped(model)
    tree = _tree(model)
    used = max(
        (j for n in nodes(tree) if isinstance(n, Node) for j in n.split.features()), default=-1
    )
    names = tuple(map(str, feature_names)) if feature_names is not None else _names(model)
    if names is None:
        names = names_after(before)
    if names is not None and len(names) <= used:
        raise ValueError(f"feature_names has {len(names)} names, the tree uses column {used}")
    n_features = getattr(model, "n_features_in_", used + 1 if names is None else len(names))
    kinds = getattr(getattr(model, "result_", model), "columns", None)
    return Subject(tree, int(n_features), names, _classes(model, tree, class_names), kinds)


def _tree(model: Any) -> Tree:
    if isinstance(model, Leaf | Node):
        return model
    if hasattr(model, "get_params") and not hasattr(model, "tree_"):
        check_is_fitted(model)
    tree = getattr(model, "tree_", getattr(model, "tree", None))
    if not isinstance(tree, Leaf | Node):
        raise ValueError(
            f"{type(model).__name__} has no tree of exactree: pass a fitted estimator, a "
            "pipeline or a search that ends with one, a Result or a tree"
        )
    return tree


def _names(model: Any) -> Names | None:
    names = getattr(model, "feature_names_in_", getattr(model, "feature_names", None))
    return None if names is None else tuple(map(str, names))


def _classes(model: Any, tree: Tree, given: Sequence[Any] | None) -> tuple[Any, ...] | None:
    """Take the classes given, else the model's, else their numbers."""
    values = [leaf.value for leaf in leaves(tree)]
    if any(isinstance(value, float | tuple) for value in values):
        return None
    known = getattr(model, "classes_", getattr(model, "classes", ()))
    count = len(known) or max(len(leaves(tree)[0].weights), int(max(values)) + 1)
    if given is not None:
        if len(given) != count:
            raise ValueError(f"class_names has {len(given)} names, the tree has {count} classes")
        return tuple(given)
    return tuple(np.asarray(known).tolist()) if len(known) else tuple(range(count))


def class_number(node: Tree) -> int:
    """Give the number of a node's class; for an inner node the heaviest, the lowest on ties.

    >>> class_number(Leaf(2))
    2
    """
    if isinstance(node, Leaf):
        return int(node.value)
    return int(np.argmax(node.weights)) if node.weights else class_number(leaves(node)[0])


def mean(node: Tree) -> Any:
    """Give the mean of a node's leaves, by their weight where it is known; of several targets all.

    >>> mean(Leaf(2.5)), mean(Leaf((1.0, 2.0)))
    (2.5, (1.0, 2.0))
    """
    ends = leaves(node)
    weights = [sum(leaf.weights) for leaf in ends]
    values = np.array([leaf.value for leaf in ends], dtype=np.float64)
    middle = np.average(values, axis=0, weights=weights if all(weights) else None)
    return tuple(middle.tolist()) if middle.ndim else float(middle)


def shown_number(value: Any) -> float:
    """Give the number that a colour shows: of several targets the first.

    >>> shown_number(2.5), shown_number((1.0, 2.0))
    (2.5, 1.0)
    """
    return float(value[0] if isinstance(value, tuple) else value)
