"""Model files: whatever their bytes, a model or one clear error, never a wrong prediction."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactree import Leaf, Node, Tree, solve, tree
from exactree.cli.commands import main
from exactree.cli.models import Model, from_dict, read_model, to_dict, write_model
from exactree.geometry import Surface, family_of
from exactree.splits import AxisSplit, SurfaceSplit
from exactree.splits.axis import MissingSplit
from exactree.splits.categories import CategorySplit, OrderedSplit, SubsetSplit
from exactree.splits.moments import MomentSplit
from exactree.tables import Kind
from exactree.tree import DEEPEST

RNG = np.random.default_rng(0)
X = RNG.integers(0, 5, (30, 4)).astype(float)


def model(**how: Any) -> Model:
    y = X[:, 0] + (X[:, 1] > 2) if how.get("task") == "regression" else (X[:, 0] + X[:, 1]) % 3
    result = solve(X, y, max_depth=2, **how)
    return Model(result, "y", ("a", "b", "c", "d"), {"max_depth": 2})


EXACT = Surface(family_of("hyperplane"), (10**20, -(10**20) - 1, 0, 0), 0, exact=True)
SPHERE = Surface(family_of("sphere"), (0.0, 1.0, 0.0, 0.0, 0.5), 2.0)


def with_surfaces() -> Model:
    found = model()
    grown = Node(
        SurfaceSplit(EXACT, 4), Leaf(0, 3, (1, 1, 1), 2), Node(SurfaceSplit(SPHERE, 4), *leaves())
    )
    return Model(_replaced(found, grown), found.target, found.features, {})


def leaves() -> tuple[Leaf, Leaf]:
    return Leaf(2, 4, (0, 0, 4)), Leaf(1, 2, (0, 2, 0))


def _replaced(found: Model, grown: Tree) -> Any:
    return replace(found.result, tree=grown)


def with_a_table() -> Model:
    """A question for each kind of column."""
    found, (a, b) = model(), leaves()
    columns = (Kind("date", unit="D"), Kind("category"), Kind("ordered", ("S", "M")), Kind())
    grown: Tree = Node(AxisSplit(3, 0.5), a, b)
    grown = Node(OrderedSplit(2, ("S",), ("M",)), a, grown)
    grown = Node(SubsetSplit(1, ("red", None), ("blue",)), a, grown)
    grown = Node(CategorySplit(1, "red"), Node(MissingSplit(1), a, b), grown)
    grown = Node(MomentSplit(0, 19_358, "date", "D"), grown, b)
    result = replace(_replaced(found, grown), columns=columns)
    return Model(result, found.target, found.features, {})


STORED = [
    json.loads(json.dumps(to_dict(m))) for m in (model(), model(task="regression"), with_surfaces())
]


def test_models_survive_a_file(tmp_path: Path) -> None:
    for stored in (*STORED, TABLE):
        found = from_dict(stored)
        write_model(found, str(tmp_path / "m.json"))
        assert read_model(str(tmp_path / "m.json")) == found
        assert json.loads(json.dumps(to_dict(found))) == stored


def changed(path: str, value: Any, stored: Any = STORED[2]) -> Any:
    """The stored model with another value at a place: "tree.root.split.feature"."""
    found = deepcopy(stored)
    *above, last = path.split(".")
    at = found
    for name in above:
        at = at[int(name)] if isinstance(at, list) else at[name]
    at[int(last) if isinstance(at, list) else last] = value
    return found


NESTED: Any = []
for _ in range(300):
    NESTED = [NESTED]
CLASSES, NUMBERS, SURFACES = STORED
TABLE = json.loads(json.dumps(to_dict(with_a_table())))
ROOT = "tree.root"
LEAF = {"value": 0, "rows": 1, "weights": [1, 0, 0], "cost": 0}


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (changed(f"{ROOT}.split.feature", 7, CLASSES), "column is 7, not one of the 4 features"),
        (changed(f"{ROOT}.split.feature", -1, CLASSES), "feature is -1, not a whole number"),
        (changed(f"{ROOT}.split.feature", 1.0, CLASSES), "feature is 1.0, not a whole number"),
        (changed(f"{ROOT}.split.feature", True, CLASSES), "feature is True"),
        (changed(f"{ROOT}.split.threshold", "evil", CLASSES), "threshold is 'evil', not a finite"),
        (changed(f"{ROOT}.split.threshold", float("nan"), CLASSES), "threshold is nan"),
        (changed(f"{ROOT}.split.threshold", 10**400, CLASSES), "not a finite number"),
        (changed(f"{ROOT}.split", {"kind": "cut", "column": 0, "rank": 1}), "unknown kind .*'cut'"),
        (changed(f"{ROOT}.split", {"kind": "part", "index": 0}), "unknown kind of split 'part'"),
        (changed(f"{ROOT}.split.kind", ["axis"]), r"root.split.kind is \['axis'\], not text"),
        (changed(f"{ROOT}.left", "evil"), "root.left is 'evil', not an object"),
        (changed(f"{ROOT}.left", NESTED), r"root.left is \[+\.\.\.\]+, not an object"),
        (changed(f"{ROOT}.left.value", 9), "value is 9, not one of the 3 classes"),
        (changed(f"{ROOT}.left.value", -1), "value is -1, not one of the 3 classes"),
        (changed(f"{ROOT}.left.value", 1.5), "value is 1.5, not one of the 3 classes"),
        (changed(f"{ROOT}.left.weights", []), "weights is .*, not a weight for each class"),
        (changed(f"{ROOT}.left.weights", [0, 0, 0]), "not a weight for each class"),
        (changed(f"{ROOT}.left.weights.1", -1), "weights is -1, not a finite number of at least 0"),
        (changed(f"{ROOT}.left.more", 1), "root.left has a field 'more' that is not known"),
        (changed(f"{ROOT}.left", {**LEAF, "split": {"kind": "axis"}}), "root.left has no field"),
        (changed(f"{ROOT}.split.family", "quadrics"), "family is 'quadrics', not one of"),
        (changed(f"{ROOT}.split.family", "axis"), "family is 'axis', not one of"),
        (changed(f"{ROOT}.split.degree", 2), "degree is 2, not 1, that of a hyperplane"),
        (changed(f"{ROOT}.split.columns", 5), "column is 5, not one of the 4 features"),
        (changed(f"{ROOT}.split.columns", 10**9), "columns have too many terms"),
        (changed(f"{ROOT}.split.exact_terms.0.1", [[[0, 2]]]), "not a term of the family"),
        (changed(f"{ROOT}.split.exact_terms.0.1", [[[9, 1]]]), "not a term of the family"),
        (changed(f"{ROOT}.split.exact_terms.0.1", [[[1, 1]]]), "not a term that is new here"),
        (changed(f"{ROOT}.split.exact_terms.0.1", [[["a", 1]]]), "is 'a', not a whole number"),
        (changed(f"{ROOT}.split.exact_terms.0", ["1"]), r"exact_terms\[0\] has 1 entries, not 2"),
        (changed(f"{ROOT}.split.exact_terms.0.0", "1e3"), "not an integer written as text"),
        (changed(f"{ROOT}.split.exact_terms.0.0", "9" * 5000), "at most 4300 digits"),
        (changed(f"{ROOT}.split.exact_at_most", 3), "exact_at_most is 3, not text"),
        (changed(f"{ROOT}.split.terms", []), "a field 'terms' that is not known"),
        (changed(f"{ROOT}.right.split.terms.0.0", "1"), r"terms\[0\] is '1', not a finite number"),
        (changed("columns.0.unit", "ns", TABLE), r"\('date', 'D'\), not 'date' in 'ns'"),
        (changed("columns.0.kind", "duration", TABLE), "not 'duration' in 'D', as the column is"),
        (changed("columns.0", {"kind": "number"}, TABLE), "'moment', not one for a .* 'number'"),
        (changed("columns.1.kind", "number", TABLE), "split is 'category', not one for a column"),
        (changed("columns.2", {"kind": "category"}, TABLE), "is 'ordered', not one for a column"),
        (changed("columns.3.kind", "boolean", TABLE), "is 'axis', not one for a .* 'boolean'"),
        (changed("columns.0", {"kind": "date"}, TABLE), "columns.unit is '', not one of 'W'"),
        (changed("columns.1.unit", "s", TABLE), "columns.unit is 's', not"),
        (changed("columns", None, TABLE), "'moment', not one for a column of kind 'number'"),
        (changed(f"{ROOT}.split.feature", 1, TABLE), "'moment', not one for a .* 'category'"),
        (changed("tree.version", 3), "version 3 of the tree format"),
        (changed("tree.version", "1"), "version is '1', not a whole number"),
        (changed("tree", []), r"the tree is \[\], not an object"),
        (changed("version", 3), "version 3 of the model format"),
        (changed("version", None), "version is None"),
        (changed("classes", []), "task is 'classification', not one of 'regression'"),
        (changed("classes", [0, [1], 2]), r"classes is \[1\]"),
        (changed("features", ["a", "b"]), "not one of the 2 features"),
        (changed("features", [1, 2, 3, 4]), "features is 1, not text"),
        (changed("status", "proved"), "status is 'proved', not one of 'optimal'"),
        (changed("objective", "0"), "objective is '0', not a finite number"),
        (changed("gap", None), "gap is None"),
        (changed("stats", {"nodes": "many"}), "stats.nodes is 'many'"),
        (changed("parameters", 3), "parameters is 3, not an object"),
        (changed("has_header", "yes"), "has_header is 'yes', not true or false"),
        (changed("splits", 5), "splits is 5, not 2, as the tree has it"),
        (changed("depth", 1), "depth is 1, not 2"),
        (changed("task", "regression", CLASSES), "task is 'regression', not one of"),
        (changed(f"{ROOT}", {**LEAF, "value": 1}, NUMBERS), "splits is 3, not 0"),
    ],
)
def test_what_is_not_as_documented_is_refused(broken: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(broken))
    with pytest.raises(ValueError, match=f"model.json: .*{message}"):
        read_model(str(path))
    assert main(["show", str(path)]) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"", "line 1: not JSON"),
        (b"[9" + b"9" * 5000 + b"]", "."),
        (b"null", "this is no model"),
    ],
)
def test_bytes_that_are_no_model(text: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=f"model.json: .*{message}"):
        read_model(str(path))


def chain(depth: int) -> Tree:
    grown: Tree = Leaf(0, 1, (1, 0))
    for i in range(depth):
        grown = Node(AxisSplit(i % 4, 0.5), Leaf(i % 2, 1, (1, 1), 1), grown)
    return grown


def test_the_deepest_tree_is_read_and_a_deeper_one_is_not() -> None:
    stored = json.loads(json.dumps(tree.to_dict(chain(DEEPEST))))
    assert tree.from_dict(stored) == chain(DEEPEST)
    deeper = json.loads(json.dumps(tree.to_dict(chain(DEEPEST + 1))))
    with pytest.raises(ValueError, match="the tree is deeper than 200 splits"):
        tree.from_dict(deeper)


def test_a_split_of_ones_own_that_cannot_read_is_a_clear_error() -> None:
    class Odd(AxisSplit):
        kind = "odd"

        @classmethod
        def from_dict(cls, data: Any) -> Any:
            return cls(data["what"], 1.0)

    try:
        stored = {"split": {"kind": "odd"}, "left": LEAF, "right": LEAF}
        with pytest.raises(ValueError, match=r"root.split: KeyError: 'what'"):
            tree.from_dict({"format": "exactree.tree", "version": 1, "root": stored})
    finally:
        del tree.Split._kinds["odd"]


# --- Anything at all --------------------------------------------------------------------------

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.sampled_from([2**63, -(2**64), 10**400, 1e308, -0.0, 0.5, float("nan"), float("inf")])
    | st.sampled_from(["", "axis", "surface", "cut", "part", "hyperplane", "sphere", "quadric"])
    | st.sampled_from(["terms", "1", "-5", "evil", "optimal", "polynomial", "\ud800"])
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


def places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    if isinstance(data, dict | list):
        inside = data.items() if isinstance(data, dict) else enumerate(data)
        found += [place for key, value in inside for place in places(value, (*at, key))]
    return found


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_change_gives_a_model_that_predicts_or_a_value_error(data: st.DataObject) -> None:
    stored = deepcopy(data.draw(st.sampled_from(STORED)))
    for _ in range(data.draw(st.integers(1, 3))):
        *above, last = data.draw(st.sampled_from(places(stored)))
        at = stored
        for key in above:
            at = at[key]
        how = data.draw(st.sampled_from(["replace", "replace", "delete", "copy"]))
        if how == "delete":
            del at[last]
        elif how == "copy":
            other = stored
            for key in data.draw(st.sampled_from(places(stored))):
                other = other[key]
            at[last] = deepcopy(other)
        else:
            at[last] = data.draw(anything)
    try:
        found = from_dict(stored)
    except ValueError as error:
        assert len(str(error)) in range(1, 5000)  # noqa: PT017
        return
    grown = found.result.tree
    with np.errstate(all="ignore"):
        answers = tree.predict(grown, X)
    if found.classes:
        assert set(answers.tolist()) <= set(range(len(found.classes)))
    assert np.isfinite(answers.astype(float)).all()
    assert tree.from_dict(tree.to_dict(grown)) == grown
    assert str(found.result)


@settings(max_examples=200)
@given(st.data())
def test_any_bytes_are_a_model_or_a_value_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = bytearray(json.dumps(data.draw(st.sampled_from(STORED))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        stop = at + data.draw(st.sampled_from([0, 1, 1, 2, 30]))
        text[at:stop] = data.draw(st.binary(max_size=3))
    path = tmp_path_factory.mktemp("models") / "model.json"
    path.write_bytes(bytes(text))
    try:
        assert isinstance(read_model(str(path)), Model)
    except ValueError as error:
        assert str(error).startswith(str(path))  # noqa: PT017
