"""Trees predict, print and survive storage."""

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from exactree import tree
from exactree.export import export_dot, export_rules
from exactree.splits.axis import AxisSplit, between
from exactree.tree import Leaf, Node, Tree

STUMP = Node(AxisSplit(0, 2.5), Leaf(0, 3, (3, 0)), Leaf(1, 4, (1, 3), 1))
DEEP = Node(AxisSplit(1, -1.0), STUMP, Node(AxisSplit(0, 0.1), Leaf(2, 1, (0, 1)), Leaf(0)))


def walk(t: Tree, row: NDArray[np.float64]) -> list[Tree]:
    """The path of one row, the slow way."""
    if isinstance(t, Leaf):
        return [t]
    assert isinstance(t.split, AxisSplit)
    child = t.left if row[t.split.feature] <= t.split.threshold else t.right
    return [t, *walk(child, row)]


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), max_size=20))
def test_rows_take_the_path_of_their_answers(rows: list[tuple[float, float]]) -> None:
    X = np.array(rows, dtype=float).reshape(-1, 2)
    paths = [walk(DEEP, row) for row in X]
    numbers = {id(node): n for n, node in enumerate(tree.nodes(DEEP))}
    ends = [path[-1] for path in paths]
    assert tree.predict(DEEP, X).tolist() == [e.value for e in ends if isinstance(e, Leaf)]
    assert tree.apply(DEEP, X).tolist() == [numbers[id(end)] for end in ends]
    marks = tree.decision_path(DEEP, X).toarray()
    assert marks.shape == (len(X), 7)
    for mark, path in zip(marks, paths, strict=True):
        assert np.flatnonzero(mark).tolist() == [numbers[id(node)] for node in path]


def test_paths_are_numbered_as_in_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)

    def copied(n: int) -> Tree:
        t = theirs.tree_
        if t.children_left[n] < 0:
            return Leaf(int(np.argmax(t.value[n])))
        split = AxisSplit(int(t.feature[n]), float(t.threshold[n]))
        return Node(split, copied(t.children_left[n]), copied(t.children_right[n]))

    ours = copied(0)
    assert (tree.apply(ours, X) == theirs.apply(X)).all()
    assert (tree.predict(ours, X) == theirs.predict(X)).all()
    assert (tree.decision_path(ours, X) != theirs.decision_path(X)).nnz == 0
    assert tree.depth(ours) == theirs.get_depth()
    assert tree.size(ours) == theirs.get_n_leaves() - 1


def test_shape_and_sums() -> None:
    assert (tree.size(DEEP), tree.depth(DEEP), len(tree.leaves(DEEP))) == (3, 2, 4)
    assert (STUMP.rows, STUMP.weights, STUMP.cost) == (7, (4, 3), 1)
    doubled = tree.map_leaves(lambda leaf: Leaf(leaf.value, 2 * leaf.rows), STUMP)
    assert [leaf.rows for leaf in tree.leaves(doubled)] == [6, 8]


def test_text() -> None:
    text = tree.to_text(DEEP, feature_names=["age", "height"], class_names=["a", "b", "c"])
    assert text.splitlines() == [
        "height <= -1",
        "├─ yes: age <= 2.5",
        "│  ├─ yes: a (3 rows)",
        "│  └─ no: b (4 rows, loss 1)",
        "└─ no: age <= 0.1",
        "   ├─ yes: c (1 row)",
        "   └─ no: a",
    ]
    assert str(STUMP).startswith("x[0] <= 2.5")
    assert str(Leaf(0.123456789)) == "0.123457"


def test_storage_loses_nothing() -> None:
    odd = Node(AxisSplit(3, 0.1 + 0.2), Leaf(1.0 / 3, 2, (0.7,), 1e-300), DEEP)
    assert tree.from_dict(json.loads(json.dumps(tree.to_dict(odd)))) == odd
    assert pickle.loads(pickle.dumps(odd)) == odd


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"format": "svg"}, "not a tree: format is 'svg'"),
        ({"format": "exactree.tree", "version": 3, "root": {}}, "version 3 .* update"),
    ],
)
def test_foreign_data_is_refused(data: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree.from_dict(data)


def test_formulas() -> None:
    split = AxisSplit(2, 0.1 + 0.2)
    assert split.formula() == "x[2] <= 0.3"
    assert split.formula(holds=False, digits=17) == "x[2] > 0.30000000000000004"
    assert split.features() == (2,)
    assert AxisSplit(0, 0.5).formula(["age <= 30"]) == "(age <= 30) <= 0.5"
    assert AxisSplit(0, 1763251200.5).formula(digits=6) == "x[0] <= 1763251200.5"


def test_splits_that_differ_are_written_differently() -> None:
    above = np.nextafter(1.0, 2.0)
    near = Node(AxisSplit(0, 1.0), Leaf(0), Node(AxisSplit(0, float(above)), Leaf(1), Leaf(0)))
    assert "x[0] <= 1.0000000000000002" in str(near)
    assert "1 < x[0] <= 1.0000000000000002" in export_rules(near)
    assert "x[0] <= 1.0000000000000002" in export_dot(near)
    third = Node(AxisSplit(0, 1 / 3), Leaf(0), Node(AxisSplit(0, 0.3333333), Leaf(1), Leaf(0)))
    assert tree.telling(third, digits=6) == {"digits": 12}
    # That no missing row came here does not show: more digits would not tell.
    known = Node(AxisSplit(0, 0.3, missing="right"), Leaf(1), Leaf(0))
    assert "x[0] <= 0.3\n" in str(Node(AxisSplit(0, 0.3), known, Leaf(0)))


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1))
def test_a_threshold_parts_any_two_values(low: float, step: float) -> None:
    for high in (math.nextafter(low, math.inf), low + step, low / 2 + 1e308):
        if low < high < math.inf:
            assert low <= between(low, high) < high


def test_a_split_without_its_parts_fails_at_once() -> None:
    class Nothing(tree.Split):
        pass

    with pytest.raises(TypeError, match=r"features.*formula.*goes_left"):
        Nothing()  # type: ignore[abstract]


def test_a_split_that_is_not_stored_needs_no_dictionary() -> None:
    class Plain(tree.Split):
        def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
            return np.asarray(X[:, 0] > 0)

        def formula(
            self, feature_names: Any = None, *, holds: bool = True, digits: int = 12
        ) -> str:
            return "x[0] > 0" if holds else "x[0] <= 0"

        def features(self) -> tuple[int, ...]:
            return (0,)

    node = tree.Node(Plain(), tree.Leaf(1), tree.Leaf(0))
    assert tree.predict(node, np.array([[-1.0], [1.0]])).tolist() == [0, 1]
    with pytest.raises(TypeError, match="Plain has no to_dict: write one"):
        tree.to_dict(node)
    with pytest.raises(TypeError, match="Plain has no from_dict: write one"):
        Plain.from_dict({})
