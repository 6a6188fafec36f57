"""Exports say what the tree says: read back, run or compared with scikit-learn's own."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree import OptimalTreeClassifier
from exactree.export import (
    export_dot,
    export_python,
    export_rules,
    export_text,
    leaf_rules,
    to_sklearn,
)
from exactree.export.colours import class_colours, node_colour
from exactree.export.subject import read_subject
from exactree.splits import AxisSplit, SelectedSplit
from exactree.splits.axis import MissingSplit
from exactree.splits.moments import MomentSplit
from exactree.tree import Leaf, Node, Split, Tree, from_dict, leaves, nodes, predict, to_dict

IRIS = load_iris(as_frame=True)
X, NAMES = IRIS.data, [str(name) for name in IRIS.target_names]
Y = np.array(NAMES)[IRIS.target]
EXPORTS = [export_text, export_rules, export_dot, export_python]
NUMBERS = Node(AxisSplit(0, 0.5), Leaf(1.5, 2, (2.0,), 0.5), Leaf(4.5, 1, (1.0,), 0.0))


@dataclass(frozen=True)
class Circle(Split):
    """A family of one's own: inside the unit circle?"""

    kind: ClassVar[str] = "test_circle"

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(X[:, 0] ** 2 + X[:, 1] ** 2 <= 1)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        return f"x[0]^2 + x[1]^2 {'<=' if holds else '>'} 1"

    def features(self) -> tuple[int, ...]:
        return (0, 1)


class PythonCircle(Circle):
    kind: ClassVar[str] = "test_python_circle"

    def to_python(self) -> str:
        return "x[0] ** 2 + x[1] ** 2 <= 1"


@pytest.fixture(scope="module")
def iris() -> OptimalTreeClassifier:
    return OptimalTreeClassifier(max_depth=3).fit(X, Y)


def random_tree(rng: np.random.Generator, rows: NDArray[Any], y: NDArray[Any], depth: int) -> Tree:
    """A tree on values of its rows, each leaf with the majority of what reaches it."""
    column = int(rng.integers(rows.shape[1]))
    threshold = float(rng.choice(rows[:, column]))
    left = rows[:, column] <= threshold
    if depth == 0 or left.all():
        weights = tuple(np.bincount(y, minlength=3).tolist())
        return Leaf(int(np.argmax(weights)), len(y), weights, len(y) - max(weights))
    return Node(
        AxisSplit(column, threshold),
        random_tree(rng, rows[left], y[left], depth - 1),
        random_tree(rng, rows[~left], y[~left], depth - 1),
    )


def random_case(seed: int, depth: int = 4) -> tuple[Tree, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    # In eighths, so that float32 has them all, with ties.
    rows = rng.integers(-20, 20, size=(30, 3)) / 8
    return random_tree(rng, rows, rng.integers(0, 3, 30), depth), rows


# --- Which tree, which names ------------------------------------------------------------------


@pytest.mark.parametrize("export", EXPORTS)
def test_every_export_has_the_names_of_the_data(export: Any, iris: OptimalTreeClassifier) -> None:
    assert "petal width (cm)" in export(iris)
    assert "setosa" in export(iris)
    assert export(iris.result_) == export(iris)
    renamed = export(iris, feature_names=list("abcd"), class_names=["I", "II", "III"])
    assert "petal" not in renamed and "setosa" not in renamed
    assert "II" in renamed


@pytest.mark.parametrize("export", EXPORTS)
def test_every_export_takes_a_bare_tree_a_leaf_and_numbers(export: Any) -> None:
    tree, _ = random_case(1)
    assert "x[" in export(tree)
    assert "7" in export(Leaf(7))
    assert "1.5" in export(NUMBERS) and "4.5" in export(NUMBERS)


@pytest.mark.parametrize("export", [*EXPORTS, to_sklearn])
def test_what_cannot_be_exported_says_so(export: Any, iris: OptimalTreeClassifier) -> None:
    with pytest.raises(NotFittedError):
        export(OptimalTreeClassifier())
    with pytest.raises(ValueError, match="DecisionTreeClassifier has no tree of exactree"):
        export(DecisionTreeClassifier().fit([[0]], [0]))
    with pytest.raises(ValueError, match="feature_names has 1 names, the tree uses column 3"):
        export(iris, feature_names=["only"])
    with pytest.raises(ValueError, match="class_names has 1 names, the tree has 3 classes"):
        export(iris, class_names=["only"])


def test_text_is_what_the_model_prints(iris: OptimalTreeClassifier) -> None:
    assert str(iris).endswith(export_text(iris))
    assert len(export_text(iris).splitlines()) == len(list(nodes(iris.tree_)))


# --- Rules ------------------------------------------------------------------------------------


def holds(condition: str, row: dict[str, float]) -> bool:
    """Evaluate a condition like `1 < a <= 2`."""
    return bool(eval(condition, {}, row))


@pytest.mark.parametrize("seed", range(5))
def test_exactly_one_rule_holds_for_a_row(seed: int) -> None:
    tree, rows = random_case(seed)
    rules = leaf_rules(tree, feature_names=list("abc"))
    assert len(rules) == len(leaves(tree))
    expected = predict(tree, rows)
    for row, value in zip(rows, expected, strict=True):
        named = dict(zip("abc", row, strict=True))
        found = [r.value for r in rules if all(holds(c, named) for c in r.conditions)]
        assert found == [value]
    assert sum(rule.rows for rule in rules) == 30
    assert sum(rule.support for rule in rules) == pytest.approx(1)


def test_a_rule_names_each_column_once(iris: OptimalTreeClassifier) -> None:
    for rule in leaf_rules(random_case(3, depth=6)[0]):
        assert len(rule.conditions) <= 3
    shares = iris.predict_proba(X)
    largest = {round(rule.probability or 0, 9) for rule in leaf_rules(iris)}
    assert largest == set(shares.max(axis=1).round(9))


def test_rules_in_words() -> None:
    low = Node(AxisSplit(0, 2.0), Leaf(0, 1, (1, 0)), Leaf(1, 1, (0, 1)))
    chain = Node(AxisSplit(0, 3.0), low, Leaf(0, 2, (2, 0)))
    assert export_rules(chain, feature_names=["age"], class_names=["no", "yes"]).splitlines() == [
        "if age <= 2 then no (probability 1, 1 row, 25.0% of all)",
        "if 2 < age <= 3 then yes (probability 1, 1 row, 25.0% of all)",
        "if age > 3 then no (probability 1, 2 rows, 50.0% of all)",
    ]
    assert export_rules(Leaf(0, 4, (3, 1), 1)) == "0 (probability 0.75, 4 rows, 100.0% of all)"
    assert export_rules(Leaf(0)) == "0"
    assert "then 1.5 (2 rows" in export_rules(NUMBERS)
    assert "if x[0]^2 + x[1]^2 <= 1 then 0" in export_rules(Node(Circle(), Leaf(0), Leaf(1)))


ZEROS_AND_ONES = np.array([[0, 5], [1, 5], [0, 2], [1, 2]] * 3, dtype=float)


@pytest.mark.parametrize("splits", ["axis", "binary", "table"])
def test_zeros_and_ones_are_asked_about_as_people_do(splits: Any) -> None:
    X: Any = ZEROS_AND_ONES
    if splits == "table":
        X = pd.DataFrame({"member": X[:, 0].astype(int), "age": X[:, 1], "a": ["x"] * len(X)})
    families = "axis" if splits == "table" else splits
    clf = OptimalTreeClassifier(splits=families, max_depth=1).fit(X, ZEROS_AND_ONES[:, 0] == 1)
    names = ["member", "age", "a"][: X.shape[1]]
    text = export_text(clf, feature_names=names, class_names=["stays", "goes"])
    assert text.splitlines() == ["member = 1", "├─ no: stays (6 rows)", "└─ yes: goes (6 rows)"]
    assert clf.tree_ == from_dict(to_dict(clf.tree_))
    assert export_text(from_dict(to_dict(clf.tree_))).startswith("x[0] = 1")
    rules = export_rules(clf, feature_names=names, class_names=["stays", "goes"]).splitlines()
    assert rules[0].startswith("if member = 0 then stays") and "if member = 1" in rules[1]
    graph = export_dot(clf, feature_names=names)
    assert '0 -> 1 [label="no"]' in graph and '0 -> 2 [label="yes"]' in graph
    assert clf.predict(X).tolist() == (ZEROS_AND_ONES[:, 0] == 1).tolist()


def test_a_selected_split_is_asked_as_it_is() -> None:
    selected = SelectedSplit(AxisSplit(0, 0.5, two_values=True), (1,))
    assert (selected.question(), selected.answers) == ("x[1] = 1", ("no", "yes"))


def test_other_numbers_are_compared() -> None:
    clf = OptimalTreeClassifier(max_depth=1).fit(ZEROS_AND_ONES, ZEROS_AND_ONES[:, 1] > 3)
    assert export_text(clf).startswith("x[1] <= ")
    some = OptimalTreeClassifier(max_depth=1).fit([[0], [0], [1], [2]], [0, 0, 1, 1])
    assert export_text(some).startswith("x[0] <= 0.5")  # 2 is no answer to a question of yes or no


# --- Graphviz ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_graph_has_the_edges_of_the_tree(seed: int) -> None:
    tree, _ = random_case(seed)
    text = export_dot(tree)
    every = list(nodes(tree))
    numbers = {id(node): n for n, node in enumerate(every)}
    edges = {
        (numbers[id(node)], numbers[id(child)], answer)
        for node in every
        if isinstance(node, Node)
        for child, answer in ((node.left, "yes"), (node.right, "no"))
    }
    found = re.findall(r'(\d+) -> (\d+) \[label="(\w+)"\]', text)
    assert {(int(a), int(b), answer) for a, b, answer in found} == edges
    assert len(re.findall(r'\d+ \[label=".*", fillcolor="#[0-9A-F]{6}"\];', text)) == len(every)


def test_names_in_the_graph_are_quoted() -> None:
    stump = Node(AxisSplit(0, 2.5), Leaf(0), Leaf(1))
    text = export_dot(stump, feature_names=['5" disk\\drive\nA'])
    assert r'label="5\" disk\\drive A <= 2.5"' in text


def test_colours_are_distinct_and_paler_where_mixed() -> None:
    for count in (1, 7, 8, 30):
        assert len(set(class_colours(count))) == count
    pure, mixed = Leaf(0, 9, (9, 0)), Leaf(0, 9, (5, 4))
    subject = read_subject(Node(AxisSplit(0, 0.0), pure, mixed))
    assert node_colour(subject, pure) < node_colour(subject, mixed) < "#FFFFFF"
    numbers = read_subject(NUMBERS)
    assert isinstance(NUMBERS, Node)
    assert node_colour(numbers, NUMBERS.left) > node_colour(numbers, NUMBERS.right)
    assert node_colour(read_subject(Leaf(2.5)), Leaf(2.5)).startswith("#")


# --- Python -----------------------------------------------------------------------------------


def run(source: str, rows: NDArray[Any], name: str = "predict") -> list[Any]:
    """Execute the source with nothing around it, and predict row by row."""
    space: dict[str, Any] = {}
    exec(source, space)
    return [space[name](row) for row in rows.tolist()]


def test_python_predicts_the_same(iris: OptimalTreeClassifier) -> None:
    assert run(export_python(iris), X.to_numpy()) == iris.predict(X).tolist()
    assert run(export_python(iris, function="f"), X.to_numpy(), "f") == iris.predict(X).tolist()


@given(st.integers(0, 1000), st.integers(0, 6))
def test_python_of_any_tree(seed: int, depth: int) -> None:
    tree, rows = random_case(seed, depth)
    assert run(export_python(tree), rows) == predict(tree, rows).tolist()


def test_python_keeps_every_digit_and_any_label() -> None:
    low, high = 0.1, float(np.nextafter(0.1, 1))
    tree = Node(AxisSplit(0, low), Leaf(0), Leaf(1))
    for labels in (["it's", 'a "b"\n'], [-1, 1], [False, True], [0.5, 2.5]):
        source = export_python(tree, class_names=labels, feature_names=["two\nlines"])
        assert run(source, np.array([[low], [high]])) == labels
    circle = export_python(Node(PythonCircle(), Leaf(0), Leaf(1)))
    assert run(circle, np.array([[0.6, 0.8], [1.0, 0.1]])) == [0, 1]


def test_python_refuses_what_it_cannot_write() -> None:
    with pytest.raises(ValueError, match="kind 'test_circle' cannot be written as Python"):
        export_python(Node(Circle(), Leaf(0), Leaf(1)))
    with pytest.raises(ValueError, match="has no literal in Python"):
        export_python(Leaf(0), class_names=[object()])
    with pytest.raises(ValueError, match="function='2'"):
        export_python(Leaf(0), function="2")


# --- Scikit-learn -----------------------------------------------------------------------------


def assert_same(model: Any, made: Any, rows: Any) -> None:
    assert (made.predict(rows) == model.predict(rows)).all()
    assert made.predict_proba(rows) == pytest.approx(model.predict_proba(rows))
    assert (made.apply(rows) == model.apply(rows)).all()
    assert (made.decision_path(rows) != model.decision_path(rows)).nnz == 0


def test_scikit_learn_predicts_the_same(iris: OptimalTreeClassifier) -> None:
    made = to_sklearn(iris)
    assert type(made) is DecisionTreeClassifier
    assert_same(iris, made, X)
    assert_same(iris, pickle.loads(pickle.dumps(made)), X)
    assert made.classes_.tolist() == iris.classes_.tolist()
    assert made.feature_names_in_.tolist() == list(X.columns)
    assert (made.get_depth(), made.get_n_leaves()) == (iris.get_depth(), iris.get_n_leaves())
    assert made.score(X, Y) == iris.score(X, Y)
    assert made.feature_importances_ == pytest.approx(iris.feature_importances_)


def test_scikit_learn_draws_it(iris: OptimalTreeClassifier) -> None:
    made = to_sklearn(iris)
    text = sklearn.tree.export_text(made, feature_names=list(X.columns))
    assert text.count("class: ") == len(leaves(iris.tree_))
    assert "petal width (cm) <= " in text
    assert "digraph" in sklearn.tree.export_graphviz(made)
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    assert len(sklearn.tree.plot_tree(made)) >= len(list(nodes(iris.tree_)))
    plt.close("all")


@given(st.integers(0, 1000), st.integers(0, 6))
def test_any_tree_of_values_that_float32_has(seed: int, depth: int) -> None:
    tree, rows = random_case(seed, depth)
    for made in (to_sklearn(tree), to_sklearn(tree, rows)):
        used = rows[:, : made.n_features_in_]
        assert (made.predict(used) == predict(tree, rows)).all()


close = st.integers(-40, 40).map(lambda n: 1.0 + n * 2.0**-25)


@given(st.lists(close, min_size=2, max_size=8, unique=True), st.data())
def test_thresholds_survive_float32_or_warn(values: list[float], data: st.DataObject) -> None:
    """The values are a quarter of float32's step apart, around a power of two."""
    values.sort()
    cut = data.draw(st.integers(0, len(values) - 2))
    low, high = values[cut], values[cut + 1]
    stump = Node(
        AxisSplit(0, data.draw(st.sampled_from([low, (low + high) / 2]))), Leaf(0), Leaf(1)
    )
    rows = np.array(values)[:, None]
    if np.float32(low) == np.float32(high):
        with pytest.warns(UserWarning, match=r"no threshold of scikit-learn answers x\[0\] <= "):
            to_sklearn(stump, rows)
    else:
        assert (to_sklearn(stump, rows).predict(rows) == predict(stump, rows)).all()


def test_scikit_learn_regressor() -> None:
    made = to_sklearn(NUMBERS)
    assert type(made) is DecisionTreeRegressor
    assert made.predict([[0.2], [0.7]]).tolist() == [1.5, 4.5]
    # Three numbers of mean 2.5: 1, 2 and 4.5.
    assert made.tree_.value[0, 0, 0] == 2.5
    assert made.tree_.impurity.tolist() == pytest.approx([np.var([1, 2, 4.5]), 0.25, 0.0])
    assert "value: [1.50]" in sklearn.tree.export_text(made)


def test_leaves_and_single_classes() -> None:
    made = to_sklearn(OptimalTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]))
    assert made.predict([[5.0]]).tolist() == ["a"]
    assert to_sklearn(Leaf(2)).predict([[0.0]]).tolist() == [2]


def test_scikit_learn_cannot_have_every_tree() -> None:
    with pytest.raises(ValueError, match=r"not x\[0\]\^2 \+ x\[1\]\^2 <= 1"):
        to_sklearn(Node(Circle(), Leaf(0), Leaf(1)))
    with pytest.raises(ValueError, match="1e\\+300 of column 0 is beyond float32"):
        to_sklearn(Node(AxisSplit(0, 1e300), Leaf(0), Leaf(1)))
    stump = Node(AxisSplit(1, 0.5), Leaf(0), Leaf(1))
    with pytest.raises(ValueError, match=r"X has shape \(1, 1\): the tree needs 2 columns"):
        to_sklearn(stump, [[1.0]])
    with pytest.raises(ValueError, match="beyond float32, which scikit-learn refuses"):
        to_sklearn(stump, [[1.0, 1e39]])
    with pytest.raises(ValueError, match="not the heaviest class"):
        to_sklearn(Leaf(0, 3, (1, 2), 2))


def test_scikit_learn_without_rows_warns_of_what_float32_cannot_tell() -> None:
    times = np.array([[1763251200.0], [1763251210.0]])
    model = OptimalTreeClassifier(max_depth=1).fit(times, [0, 1])
    with pytest.warns(UserWarning, match=r"x\[0\] <= 1763251205 apart: pass the training"):
        to_sklearn(model)
    days = OptimalTreeClassifier(max_depth=1).fit([[8388600], [8388606]], [0, 1])
    assert to_sklearn(days).predict([[8388600], [8388606]]).tolist() == [0, 1]


def test_a_weighted_model(iris: OptimalTreeClassifier) -> None:
    weights = np.random.default_rng(0).integers(1, 9, len(X)) / 3
    model = OptimalTreeClassifier(max_depth=2).fit(X, Y, sample_weight=weights)
    made = to_sklearn(model, X)
    assert_same(model, made, X)
    assert made.tree_.weighted_n_node_samples[0] == pytest.approx(weights.sum())


def test_shap_explains_it(iris: OptimalTreeClassifier) -> None:
    shap = pytest.importorskip("shap")
    explainer = shap.TreeExplainer(to_sklearn(iris))
    found = explainer.shap_values(X.to_numpy()[:5])
    total = np.asarray(found).sum(axis=1) + explainer.expected_value
    assert total == pytest.approx(iris.predict_proba(X[:5]))


def test_onnx_runs_it(iris: OptimalTreeClassifier) -> None:
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    rows = X.to_numpy().astype(np.float32)
    stored = skl2onnx.to_onnx(to_sklearn(iris), rows[:1]).SerializeToString()
    session = runtime.InferenceSession(stored, providers=["CPUExecutionProvider"])
    labels = session.run(None, {session.get_inputs()[0].name: rows})[0]
    assert labels.tolist() == iris.predict(X).tolist()


@pytest.mark.parametrize(
    "name", ["class", "None", "def", "1a", "", "a b", "a(x): pass\ndef b", "__debug__", "\ufb01"]
)
def test_a_name_that_python_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of a Python function"):
        export_python(Leaf(1), function=name)


@pytest.mark.parametrize(
    ("name", "split"),
    [("numpy", MomentSplit(0, 1, "date", "D")), ("_is_missing", MissingSplit(0))],
)
def test_a_name_that_the_function_calls_is_refused(name: str, split: Any) -> None:
    asked = Node(split, Leaf(0, 1, (1, 0)), Leaf(1, 1, (0, 1)))
    with pytest.raises(ValueError, match=f"function='{name}' is the name of what .* calls"):
        export_python(asked, function=name)
    assert name in export_python(asked)


@pytest.mark.parametrize("name", ["match", "x", "_", "größe", "print"])
def test_any_other_name_will_do(name: str) -> None:
    space: dict[str, Any] = {}
    exec(export_python(Leaf(1), function=name), space)
    assert space[name]([0]) == 1


def deep(depth: int, turns: Callable[[int], bool]) -> Node:
    """A path of so many splits that goes left where it turns, with another value in each leaf."""
    grown: Tree = Leaf(-1.0)
    for i in range(depth):
        end = Leaf(float(i))
        split = AxisSplit(0, float(i) if turns(i) else float(-i))
        grown = Node(split, grown, end) if turns(i) else Node(split, end, grown)
    assert isinstance(grown, Node)
    return grown


@pytest.mark.parametrize("depth", [88, 90, 91, 99, 100, 101, 181, 200])
def test_trees_deeper_than_python_can_indent(depth: int) -> None:
    for turns in (lambda i: True, lambda i: False, lambda i: i % 2 == 0, lambda i: i % 7 > 0):
        grown = deep(depth, turns)
        space: dict[str, Any] = {}
        exec(export_python(grown), space)
        rows = np.arange(-depth - 1.0, depth + 1.0, 0.5)[:, None]
        wanted = predict(grown, rows).tolist()
        assert [space["predict"](row) for row in rows.tolist()] == wanted
        assert len(set(wanted)) > depth / 3


def test_names_with_characters_that_source_cannot_have() -> None:
    stump = Node(AxisSplit(0, np.float64(0.5)), Leaf(0), Leaf(1))
    text = export_python(stump, feature_names=["a\0\n\ud800b"], class_names=["\0", "\ud800"])
    space: dict[str, Any] = {}
    exec(text.encode(), space)
    assert (space["predict"]([0]), space["predict"]([1])) == ("\0", "\ud800")
