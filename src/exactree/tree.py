"""Trees: plain, frozen data that predicts, prints itself and survives JSON and pickle.

A tree is a `Leaf` or a `Node`; a node asks its split and goes left where the answer is yes. Nodes
are numbered in preorder, the root first: node, then its left, then its right subtree. The size of a
tree is its number of splits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from exactree.fields import read_list, read_number, read_record, read_text, read_whole, wrong

Floats = NDArray[np.float64]
FORMAT_VERSION = 2
# Deeper trees could not be stored or printed: Python recurses along their paths.
DEEPEST = 200


class NeedsNumber(ValueError):
    """A value is missing that a split reckons with; the message has its name once it is known."""

    def __init__(self, column: int, name: str | None = None) -> None:
        self.column = column
        super().__init__(
            f"Input X contains NaN: column {column if name is None else repr(name)}, which the "
            "tree reckons with in a weighted sum; fill in such values first, for example with "
            "sklearn.impute.SimpleImputer"
        )

    def named(self, names: Sequence[str] | None) -> NeedsNumber:
        """Give the same with the name of the column, if there are names."""
        return self if names is None else NeedsNumber(self.column, names[self.column])


class Split(ABC):
    """A question about a row: the left subtree if the answer is yes. Base of all kinds of split.

    A subclass is a frozen dataclass of plain data with its own `kind`, which is how `from_dict`
    finds it again, so its module must have been imported. `to_dict` and `from_dict` are needed only
    to store its trees; without them the kind is not one that a file may name.
    """

    kind: ClassVar[str] = ""
    # Whether it looks at a table as it is; else it gets the numbers of one.
    reads_tables: ClassVar[bool] = False
    _kinds: ClassVar[dict[str, type[Split]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.kind and cls.from_dict.__func__ is not Split.from_dict.__func__:  # type: ignore[attr-defined]
            Split._kinds[cls.kind] = cls

    @abstractmethod
    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X."""

    def unanswered(self, X: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Tell for which rows the training data had no answer, None if there was one for all.

        A value is missing where no training row missed it, or a category is not known. Such rows go
        the way of the larger weight of training rows.
        """
        return None

    @abstractmethod
    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`; 17 `digits` are exact."""

    @property
    def answers(self) -> tuple[str, str]:
        """What rows that go left and rows that go right say to the question as people ask it."""
        return ("yes", "no")

    def question(self, feature_names: Sequence[str] | None = None, **digits: Unpack[Digits]) -> str:
        """Write down what a person would ask; `answers` says who says yes."""
        return self.formula(feature_names, holds=self.answers[0] == "yes", **digits)

    @abstractmethod
    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data with the key "kind"."""
        raise TypeError(f"{type(self).__name__} has no to_dict: write one to store trees")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        raise TypeError(f"{cls.__name__} has no from_dict: write one to read trees")


@dataclass(frozen=True)
class Leaf:
    """The end of a path: a class index or a number, and what is known of the training rows in it.

    Parameters
    ----------
    value : int, float or tuple of floats
        Index of the predicted class, the predicted number, or one for each of several targets.
    rows : int
        How many training rows reach it.
    weights : tuple
        Their weight, one entry per class (regression: one entry).
    cost : int or float
        Their loss, in the units of the weights.
    """

    value: Any
    rows: int = 0
    weights: tuple[int | float, ...] = ()
    cost: int | float = 0

    def __str__(self) -> str:
        return to_text(self)


@dataclass(frozen=True)
class Node:
    """A split with the subtree of its yes (left) and of its no (right).

    Parameters
    ----------
    split : Split
        The question.
    left, right : Tree
        Where the rows go for which it holds, and where the others go.
    """

    split: Split
    left: Tree
    right: Tree

    @property
    def rows(self) -> int:
        """How many training rows reach it."""
        return self.left.rows + self.right.rows

    @property
    def weights(self) -> tuple[int | float, ...]:
        """The weight of its training rows, one entry per class."""
        pairs = zip(self.left.weights, self.right.weights, strict=True)
        return tuple(a + b for a, b in pairs)

    @property
    def cost(self) -> int | float:
        """The loss of its training rows, summed over the leaves below."""
        return self.left.cost + self.right.cost

    @property
    def heavier_left(self) -> bool:
        """Whether rows that the split has no answer for go left: unless the right is heavier."""
        return sum(self.left.weights) >= sum(self.right.weights)

    def goes_left(self, X: Any) -> NDArray[np.bool_]:
        """Answer for every row, also where the split itself has no answer."""
        seen = X if self.split.reads_tables else self._numbers(X)
        left = self.split.goes_left(seen)
        unanswered = self.split.unanswered(seen)
        if unanswered is None or not unanswered.any():
            return left
        return np.where(unanswered, self.heavier_left, left)

    def _numbers(self, X: Any) -> NDArray[Any]:
        """Give a split the numbers it needs, none of them missing."""
        seen = np.asarray(X)
        if seen.dtype.kind == "f":
            for j in self.split.features():
                if np.isnan(seen[:, j]).any():
                    raise NeedsNumber(j)
        return seen

    def __str__(self) -> str:
        return to_text(self)


Tree = Leaf | Node


def size(tree: Tree) -> int:
    """Count the splits.

    >>> size(Leaf(1))
    0
    """
    return 0 if isinstance(tree, Leaf) else 1 + size(tree.left) + size(tree.right)


def depth(tree: Tree) -> int:
    """Count the splits on the longest path.

    >>> depth(Leaf(1))
    0
    """
    return 0 if isinstance(tree, Leaf) else 1 + max(depth(tree.left), depth(tree.right))


def nodes(tree: Tree) -> Iterator[Tree]:
    """Go through all nodes and leaves in preorder: the n-th has number n.

    >>> [leaf.value for leaf in nodes(Leaf(1))]
    [1]
    """
    yield tree
    if isinstance(tree, Node):
        yield from nodes(tree.left)
        yield from nodes(tree.right)


def leaves(tree: Tree) -> list[Leaf]:
    """List the leaves from left to right.

    >>> len(leaves(Leaf(1)))
    1
    """
    return [node for node in nodes(tree) if isinstance(node, Leaf)]


def map_leaves(f: Callable[[Leaf], Leaf], tree: Tree) -> Tree:
    """Replace every leaf by f(leaf), from left to right.

    >>> map_leaves(lambda leaf: Leaf(leaf.value + 1), Leaf(1)).value
    2
    """
    if isinstance(tree, Leaf):
        return f(tree)
    return Node(tree.split, map_leaves(f, tree.left), map_leaves(f, tree.right))


def route(tree: Tree, X: NDArray[Any]) -> list[NDArray[np.intp]]:
    """Send the rows down the tree: for every node in preorder, the numbers of the rows it sees.

    >>> [rows.tolist() for rows in route(Leaf(1), np.zeros((2, 1)))]
    [[0, 1]]
    """
    seen: list[NDArray[np.intp]] = []
    stack: list[tuple[Tree, NDArray[np.intp]]] = [(tree, np.arange(len(X)))]
    while stack:
        node, rows = stack.pop()
        seen.append(rows)
        if isinstance(node, Node):
            left = node.goes_left(X if len(rows) == len(X) else X[rows])
            stack += [(node.right, rows[~left]), (node.left, rows[left])]
    return seen


def apply(tree: Tree, X: NDArray[Any]) -> NDArray[np.intp]:
    """Give the number of the leaf that every row ends in.

    >>> apply(Leaf(1), np.zeros((2, 1)))
    array([0, 0])
    """
    found = np.zeros(len(X), dtype=np.intp)
    # Preorder: a node comes before its descendants, so the leaf is the last to write.
    for number, rows in enumerate(route(tree, X)):
        found[rows] = number
    return found


def predict(tree: Tree, X: NDArray[Any]) -> NDArray[Any]:
    """Give the value of the leaf that every row ends in.

    >>> predict(Leaf(1), np.zeros((2, 1)))
    array([1, 1])
    """
    return leaf_values(tree)[apply(tree, X)]


def leaf_values(tree: Tree) -> NDArray[Any]:
    """Give what every node predicts, in preorder: zeros for those that are no leaves.

    >>> leaf_values(Leaf((1.0, 2.0))).tolist()
    [[1.0, 2.0]]
    """
    every = list(nodes(tree))
    nothing = np.zeros_like(next(node.value for node in every if isinstance(node, Leaf)))
    return np.array([node.value if isinstance(node, Leaf) else nothing for node in every])


def value_text(value: Any, digits: int = 6) -> str:
    """Write down what a leaf predicts: a number, several, or a class.

    >>> value_text(0.1 + 0.2), value_text((1.0, 2.5)), value_text(3)
    ('0.3', '(1, 2.5)', '3')
    """
    if isinstance(value, tuple):
        return f"({', '.join(value_text(one, digits) for one in value)})"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def decision_path(tree: Tree, X: NDArray[Any]) -> sparse.csr_matrix:
    """Mark the nodes that every row passes: rows of X by nodes in preorder, as in scikit-learn.

    >>> decision_path(Leaf(1), np.zeros((2, 1))).toarray().tolist()
    [[1], [1]]
    """
    seen = route(tree, X)
    rows = np.concatenate(seen)
    columns = np.repeat(np.arange(len(seen)), [len(r) for r in seen])
    return sparse.csr_matrix((np.ones_like(rows), (rows, columns)), shape=(len(X), len(seen)))


def to_text(
    tree: Tree,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[object] | None = None,
) -> str:
    """Draw the tree with its questions and leaves, a line each.

    >>> print(to_text(Leaf(1, rows=10, weights=(2, 8), cost=2), class_names=["no", "yes"]))
    yes (10 rows, loss 2)
    """
    return "\n".join(_lines(tree, feature_names, class_names, telling(tree)))


class Digits(TypedDict, total=False):
    """How many digits `formula` is to write; without, each kind of split has its own number."""

    digits: int


def telling(tree: Tree, **options: Unpack[Digits]) -> Digits:
    """Give the digits that tell the tree's splits apart: these, or more.

    >>> telling(Leaf(1), digits=6)
    {'digits': 6}
    """
    splits = [node.split for node in nodes(tree) if isinstance(node, Node)]
    exact: Digits = {"digits": 17}
    most = len({split.formula(**exact) for split in splits})
    for tried in (options, Digits(digits=12)):
        if len({split.formula(**tried) for split in splits}) == most:
            return tried
    return exact


def _lines(
    tree: Tree, features: Sequence[str] | None, classes: Sequence[object] | None, options: Digits
) -> Iterator[str]:
    if isinstance(tree, Leaf):
        yield _leaf_text(tree, classes)
        return
    yield tree.split.question(features, **options)
    for child, answer, bar in zip((tree.left, tree.right), tree.split.answers, "│ ", strict=True):
        first, *rest = _lines(child, features, classes, options)
        yield f"{'├' if bar == '│' else '└'}─ {answer}: {first}"
        yield from (f"{bar}  {line}" for line in rest)


def _leaf_text(leaf: Leaf, classes: Sequence[object] | None) -> str:
    shown = value_text(leaf.value)
    if classes is not None:
        shown = str(classes[int(leaf.value)])
    loss = f", loss {leaf.cost:.6g}" if leaf.cost else ""
    return f"{shown} ({leaf.rows} row{'s' * (leaf.rows != 1)}{loss})" if leaf.rows else shown


def to_dict(tree: Tree) -> dict[str, Any]:
    """Turn the tree into JSON-compatible data; no digit is lost.

    >>> from_dict(to_dict(Leaf(1, rows=2))) == Leaf(1, rows=2)
    True
    """
    return {"format": "exactree.tree", "version": FORMAT_VERSION, "root": _to_dict(tree)}


def _to_dict(tree: Tree) -> dict[str, Any]:
    if isinstance(tree, Leaf):
        return {
            "value": list(tree.value) if isinstance(tree.value, tuple) else tree.value,
            "rows": tree.rows,
            "weights": list(tree.weights),
            "cost": tree.cost,
        }
    return {
        "split": tree.split.to_dict(),
        "left": _to_dict(tree.left),
        "right": _to_dict(tree.right),
    }


def from_dict(data: Mapping[str, Any]) -> Tree:
    """Undo `to_dict`, also after a round through JSON."""
    if not isinstance(data, Mapping):
        raise wrong(data, "the tree", "an object with named fields")
    if data.get("format") != "exactree.tree":
        raise wrong(data.get("format"), "not a tree: format", "'exactree.tree'")
    read_record(data, "the tree", ("format", "version", "root"))
    version = read_whole(data["version"], "version", 1)
    if version > FORMAT_VERSION:
        raise ValueError(
            f"this is version {version} of the tree format; this exactree reads up to "
            f"{FORMAT_VERSION}: update it"
        )
    return _from_dict(data["root"], "root", 0)


def _from_dict(data: Any, where: str, above: int) -> Tree:
    """Read the tree below a place with so many splits above it."""
    if above > DEEPEST:
        raise ValueError(f"the tree is deeper than {DEEPEST} splits, the most there are")
    if not isinstance(data, Mapping) or "split" not in data:
        return _leaf_from_dict(data, where)
    read_record(data, where, ("split", "left", "right"))
    split = split_from_dict(data["split"], f"{where}.split")
    left, right = (
        _from_dict(data[side], f"{where}.{side}", above + 1) for side in ("left", "right")
    )
    return Node(split, left, right)


def _leaf_from_dict(data: Any, where: str) -> Leaf:
    read_record(data, where, ("value", "rows", "weights", "cost"))
    weights = read_list(data["weights"], f"{where}.weights")
    return Leaf(
        _read_value(data["value"], f"{where}.value"),
        read_whole(data["rows"], f"{where}.rows"),
        tuple(read_number(w, f"{where}.weights", negative=False) for w in weights),
        read_number(data["cost"], f"{where}.cost"),
    )


def _read_value(data: Any, where: str) -> int | float | tuple[float, ...]:
    if not isinstance(data, list):
        return read_number(data, where)
    return tuple(float(read_number(one, where)) for one in read_list(data, where))


def split_from_dict(data: Mapping[str, Any], where: str = "split") -> Split:
    """Find the kind of a split and let it read its data; whatever it raises is a ValueError."""
    kind = read_text(read_record(data, where, ("kind",), more=True)["kind"], f"{where}.kind")
    if kind not in Split._kinds:
        raise ValueError(
            f"{where}: unknown kind of split {kind!r}: import the module that defines it first"
        )
    try:
        return Split._kinds[kind].from_dict(data)
    except Exception as error:
        said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"{where}: {said}") from error
