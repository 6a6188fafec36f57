"""Drawings for notebooks."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_iris

from exactree import Leaf, Node, OptimalTreeClassifier, OptimalTreeRegressor, size_path, solve
from exactree.showing import shortened, tree_html
from exactree.splits import AxisSplit

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, IRIS.target_names[IRIS.target]


def drawing(html: str) -> ElementTree.Element:
    found = re.search(r"<svg.*?</svg>", html, re.DOTALL)
    assert found is not None
    return ElementTree.fromstring(found[0])


def test_a_result_is_drawn_with_its_status() -> None:
    result = solve(X, Y, max_depth=2)
    html = result._repr_html_()
    assert "optimal: objective 6" in html
    texts = [element.text for element in drawing(html).iter("text")]
    assert texts.count("yes") == texts.count("no") == 2
    assert "setosa" in texts and "petal length (cm) &lt;= 2.5" in html
    assert repr(result) == f"<Result {result.summary()}>"


def test_boxes_do_not_overlap_and_lines_meet_their_boxes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    svg = drawing(solve(X, rng.integers(0, 3, 60), max_depth=4)._repr_html_())
    boxes = [
        {k: float(box.get(k, "")) for k in ("x", "y", "width", "height")}
        for box in svg.iter("rect")
    ]
    for i, a in enumerate(boxes):
        assert a["x"] + a["width"] < float(svg.get("width", "")) + 1
        assert a["y"] + a["height"] <= float(svg.get("height", ""))
        for b in boxes[:i]:
            beside = a["x"] >= b["x"] + b["width"] or b["x"] >= a["x"] + a["width"]
            below = a["y"] >= b["y"] + b["height"] or b["y"] >= a["y"] + a["height"]
            assert beside or below
    corners = {(round(b["x"], 1), round(b["y"] + b["height"] / 2, 1)) for b in boxes}
    ends = [tuple(map(float, path.get("d", "").split()[-2:])) for path in svg.iter("path")]
    assert len(ends) == len(boxes) - 1 and set(ends) <= corners


def test_estimators_and_paths_are_drawn() -> None:
    clf = OptimalTreeClassifier(max_depth=2)
    assert "<svg width" not in clf._repr_html_()
    clf.fit(X, Y)
    assert (
        "OptimalTreeClassifier" in clf._repr_html_()
        and drawing(clf.result_._repr_html_()) is not None
    )
    bundle = clf._repr_mimebundle_()
    # scikit-learn numbers what it shows.
    assert bundle["text/html"].endswith(clf.result_._repr_html_())
    assert bundle["text/plain"] == repr(clf)
    numbers = OptimalTreeRegressor(max_splits=1).fit(X, X["sepal length (cm)"])
    assert "loss" in numbers._repr_html_()
    path = size_path(X, Y, max_splits=2)
    assert path._repr_html_().count("<tr>") == 4 and "<svg" in path._repr_html_()
    assert repr(path) == "<SizePath of 0 to 2 splits: objectives 100, 50, 6>"
    long = size_path([[1.0], [2.0]], [0, 1], max_splits=500)
    assert len(repr(long)) < 200 and "and 481 more" in long._repr_html_()


@pytest.mark.parametrize("text", ["a" * 100 + " <= 0.125", "short <= 1"])
def test_what_is_compared_with_stays(text: str) -> None:
    assert len(shortened(text)) <= 44 and shortened(text).endswith(text[-8:])


def test_names_are_escaped_and_large_trees_left_out() -> None:
    stump = Node(AxisSplit(0, 0.5), Leaf(0, 1, (1, 0)), Leaf(1, 1, (0, 1)))
    html = tree_html(stump, "<b>", ["<script>"], ["<i>", "&"])
    assert "<script>" not in html and "<i>" not in html and "(&lt;script&gt;) &lt;= 0.5" in html
    large = stump
    for _ in range(50):
        large = Node(AxisSplit(0, 0.5), stump.left, large)
    assert "<svg" not in tree_html(large, "optimal") and "51 splits" in tree_html(large, "optimal")
