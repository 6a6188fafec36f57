"""Stored trees keep to the schema that docs/schema.md shows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from exactree import Leaf, Node, Tree, solve
from exactree.geometry import Surface, family_of
from exactree.splits import (
    AxisSplit,
    CategorySplit,
    MissingSplit,
    MomentSplit,
    OrderedSplit,
    SelectedSplit,
    SubsetSplit,
    SurfaceSplit,
)
from exactree.tree import Split, apply, from_dict, to_dict

X, Y = load_iris(return_X_y=True)
SCHEMA_PAGE = Path(__file__).parents[1] / "docs" / "schema.md"


def schema() -> dict[str, Any]:
    (block,) = re.findall(r"```json\n(\{\n  \"\$schema\".*?)```", SCHEMA_PAGE.read_text(), re.S)
    return dict(json.loads(block))


TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": int | float,
}
KNOWN = {
    "type",
    "const",
    "minimum",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "prefixItems",
    "enum",
    "not",
}


def faults(data: Any, rule: Mapping[str, Any], root: Mapping[str, Any]) -> list[str]:
    """What is wrong with the data, by the words of JSON Schema that our page uses."""
    if "$ref" in rule:
        return faults(data, root["$defs"][rule["$ref"].split("/")[-1]], root)
    if "anyOf" in rule:
        tried = [faults(data, option, root) for option in rule["anyOf"]]
        return [] if [] in tried else [text for found in tried for text in found]
    assert set(rule) <= KNOWN | {"$schema", "$defs", "title", "description"}, "not understood"
    found = []
    wanted = TYPES.get(rule.get("type", ""))
    if wanted and (not isinstance(data, wanted) or isinstance(data, bool)):
        return [f"{data!r} is no {rule['type']}"]
    if "const" in rule and data != rule["const"]:
        found.append(f"{data!r} is not {rule['const']!r}")
    if "enum" in rule and data not in rule["enum"]:
        found.append(f"{data!r} is none of {rule['enum']!r}")
    if "prefixItems" in rule:
        for item, one in zip(data, rule["prefixItems"], strict=True):
            found += faults(item, one, root)
    if "not" in rule and not faults(data, rule["not"], root):
        found.append(f"{data!r} is {rule['not']}")
    if data is not None and "minimum" in rule and data < rule["minimum"]:
        found.append(f"{data!r} is below {rule['minimum']}")
    if "items" in rule:
        found += [text for item in data for text in faults(item, rule["items"], root)]
    if "properties" in rule:
        found += [f"{key} is missing" for key in rule.get("required", []) if key not in data]
        known = rule["properties"]
        if rule.get("additionalProperties") is False:
            found += [f"{key} is unknown" for key in data if key not in known]
        for key in set(data) & set(known):
            found += faults(data[key], known[key], root)
    return found


def test_stored_trees_keep_to_the_schema() -> None:
    rule = schema()
    numbers = Node(AxisSplit(0, 0.5), Leaf(1.5, 2, (2.0,), 0.5), Leaf(4.5, 1, (1.0,), 0.0))
    examples: list[Tree] = [Leaf(7), numbers, solve(X, Y, max_splits=3).tree]
    examples.append(solve(X, Y, max_splits=2, sample_weight=np.full(150, 0.3)).tree)
    how = ("hyperplane", "sphere", "axis_quadric", "quadric", ["axis", "hyperplane"], "binary")
    for splits in how:
        rows = (X[:12, 2:] > 1.4) * 1.0 if splits == "binary" else X[:12, 2:]
        examples.append(solve(rows, Y[:12] + np.arange(12) % 2, splits=splits, max_depth=1).tree)
    line = Surface(family_of("hyperplane"), (10**20, -(10**20) - 1), 0, exact=True)
    examples.append(Node(SurfaceSplit(line, 2), Leaf(0), Leaf(1)))
    of_tables: list[Split] = [
        AxisSplit(1, 2.5, "left"),
        MissingSplit(0),
        MissingSplit(0, known=True),
        CategorySplit(0, "red"),
        CategorySplit(0, True),
        SubsetSplit(2, ("red", None), (3, 0.5)),
        OrderedSplit(1, ("S", "M"), ("L",), "right"),
        MomentSplit(0, 2**62 + 1, "date", "ns", "left"),
        SelectedSplit(SurfaceSplit(line, 2), (1, 3)),
    ]
    examples += [Node(split, Leaf(0), Leaf(1)) for split in of_tables]
    for tree in examples:
        stored = json.loads(json.dumps(to_dict(tree)))
        assert faults(stored, rule, rule) == []
        assert from_dict(stored) == tree


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"version": 3}, "3 is none of [1, 2]"),
        ({"format": "tree"}, "'tree' is not 'exactree.tree'"),
        ({"more": 1}, "more is unknown"),
        ({"root": {"value": "a", "rows": 0, "weights": [], "cost": 0}}, "'a' is no number"),
        ({"root": {"value": 1, "rows": -1, "weights": [], "cost": 0}}, "-1 is below 0"),
        ({"root": {"split": {"kind": "a"}, "left": {}, "right": {}}}, "rows is missing"),
        ({"root": {"split": {"kind": "axis"}}}, "threshold is missing"),
        ({"root": {"split": {"kind": "surface"}}}, "at_most is missing"),
        ({"root": {"split": {"kind": "category", "feature": 0}}}, "category is missing"),
        ({"root": {"split": {"kind": "moment", "unit": "Y"}}}, "'Y' is none of"),
    ],
)
def test_the_schema_refuses(change: dict[str, Any], fault: str) -> None:
    rule = schema()
    found = faults({**to_dict(Leaf(1)), **change}, rule, rule)
    assert any(text.startswith(fault) for text in found)


def test_files_of_version_1_are_still_read() -> None:
    stump = Node(AxisSplit(0, 2.5), Leaf(0, 3, (3, 0)), Leaf(1, 4, (1, 3), 1))
    old = {**to_dict(stump), "version": 1}
    assert from_dict(old) == stump
    # A missing value goes the way of the larger weight, which such a file has.
    assert apply(from_dict(old), np.array([[np.nan]])).tolist() == [2]


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (
            {"kind": "axis", "feature": 0, "threshold": 1, "missing": "up"},
            "missing is 'up', not one of",
        ),
        ({"kind": "missing", "feature": 0, "asks": "why"}, "asks is 'why', not one of"),
        ({"kind": "category", "feature": 0, "category": [1]}, "not a category: text"),
        ({"kind": "ordered", "feature": 0, "left": [], "right": []}, "not a list with a category"),
        (
            {"kind": "moment", "feature": 0, "holds": "date", "unit": "Y", "at_most_count": "1"},
            "unit is 'Y', not one of",
        ),
    ],
)
def test_splits_that_make_no_sense_are_refused(split: dict[str, Any], message: str) -> None:
    leaf = {"value": 1, "rows": 0, "weights": [], "cost": 0}
    root = {"split": split, "left": leaf, "right": leaf}
    with pytest.raises(ValueError, match=message):
        from_dict({"format": "exactree.tree", "version": 2, "root": root})


def test_the_strongest_terms_are_stored() -> None:
    strengths = (0.0, *(1 / (1 + (7 * k) % 12) for k in range(12)))
    plane = Surface(family_of("hyperplane"), (0.0, *np.linspace(1, 2, 12).tolist()), 0.5)
    split = SurfaceSplit(plane, 13, strengths)
    data = json.loads(json.dumps(split.to_dict()))
    assert not faults(to_dict(Node(split, Leaf(0), Leaf(1))), schema(), schema())
    assert SurfaceSplit.from_dict(data).formula() == split.formula()
    assert "strongest" not in SurfaceSplit(plane, 13).to_dict()
    for wrong in ([0], [0] * 12, [*range(1, 13)], ["a"] * 12, 3):
        with pytest.raises(ValueError, match="strongest"):
            SurfaceSplit.from_dict({**data, "strongest": wrong})
