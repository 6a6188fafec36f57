"""Pictures, judged by what is in them: texts, lines, boxes and sizes, not pixels."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from exactree import OptimalTreeClassifier, OptimalTreeClassifierCV, plot, size_path
from exactree.plot.diagram import arranged
from exactree.problem import Result
from exactree.splits import AxisSplit
from exactree.tree import Leaf, Node, Split, Tree, leaves, nodes, predict, size

plt = pytest.importorskip("matplotlib.pyplot")
# Matplotlib's own types are wider than what it gives.
plot_tree: Any = plot.plot_tree
plot_regions: Any = plot.plot_regions
plot_progress: Any = plot.plot_progress
plot_path: Any = plot.plot_path

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, np.array([str(name) for name in IRIS.target_names])[IRIS.target]
PETALS = X.iloc[:, 2:]
NUMBERS = Node(AxisSplit(0, 0.5), Leaf(1.5, 2, (2.0,), 0.5), Leaf(4.5, 1, (1.0,), 0.0))


@dataclass(frozen=True)
class Disc(Split):
    """Within so far of the origin? With a function that is 0 on the circle."""

    radius: float
    kind: ClassVar[str] = "test_disc"

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(self.decision(X) <= 0)

    def decision(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.hypot(X[:, 0], X[:, 1]) - self.radius)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        return f"the square root of x[0]^2 + x[1]^2 {'<=' if holds else '>'} {self.radius}"

    def features(self) -> tuple[int, ...]:
        return (0, 1)


@dataclass(frozen=True)
class PlainDisc(Disc):
    """Likewise without the function."""

    kind: ClassVar[str] = "test_plain_disc"
    decision: ClassVar[None] = None  # type: ignore[assignment]

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(np.hypot(X[:, 0], X[:, 1]) <= self.radius)


@pytest.fixture(autouse=True)
def hidden() -> Iterator[None]:
    plt.switch_backend("Agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def iris() -> OptimalTreeClassifier:
    return OptimalTreeClassifier(max_depth=3).fit(X, Y)


@pytest.fixture(scope="module")
def petals() -> OptimalTreeClassifier:
    return OptimalTreeClassifier(max_depth=3).fit(PETALS, Y)


def words(ax: Any) -> list[str]:
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in ax.texts]


def saved_size(ax: Any) -> tuple[int, int]:
    """Render to a PNG and read its size in pixels off the header."""
    file = io.BytesIO()
    ax.figure.savefig(file, format="png", dpi=100)
    stored = file.getvalue()
    return int.from_bytes(stored[16:20]), int.from_bytes(stored[20:24])


# --- plot_tree --------------------------------------------------------------------------------


def boxes(ax: Any) -> list[Any]:
    """The boxes of the nodes in preorder, in pixels."""
    ax.figure.canvas.draw()
    nodes = [text for text in ax.texts if text.get_text() not in ("yes", "no")]
    return [text.get_bbox_patch().get_window_extent() for text in nodes]


def test_the_diagram_says_what_the_tree_says(iris: OptimalTreeClassifier) -> None:
    ax = plot_tree(iris)
    found = words(ax)
    splits = size(iris.tree_)
    assert found.count("yes") == found.count("no") == splits
    assert len(found) == 4 * splits + 1
    assert len(ax.lines) == 2 * splits
    for node in nodes(iris.tree_):
        if isinstance(node, Node):
            assert node.split.formula(list(X.columns), digits=6) in found
    for leaf in leaves(iris.tree_):
        assert any(f"{leaf.rows} row" in text for text in found)


@pytest.mark.parametrize("given_axes", [False, True])
def test_boxes_are_inside_and_apart(given_axes: bool, iris: OptimalTreeClassifier) -> None:
    ax = plot_tree(iris, ax=plt.subplots(figsize=(5, 4))[1] if given_axes else None)
    around = ax.get_window_extent()
    found = boxes(ax)
    assert len(found) == 2 * size(iris.tree_) + 1
    for n, box in enumerate(found):
        assert around.x0 <= box.x0 and box.x1 <= around.x1
        assert around.y0 <= box.y0 and box.y1 <= around.y1
        assert not any(box.overlaps(other) for other in found[:n])


def test_the_figure_is_as_large_as_the_tree(iris: OptimalTreeClassifier) -> None:
    width, height = saved_size(plot_tree(iris))
    leaf_width, leaf_height = saved_size(plot_tree(Leaf(0, 3, (2, 1), 1)))
    assert width > 4 * leaf_width
    assert height > 2 * leaf_height
    larger = saved_size(plot_tree(iris, fontsize=20))
    assert larger[0] == pytest.approx(2 * width, rel=0.1)


def test_names_are_not_mathematics() -> None:
    stump = Node(AxisSplit(0, 2.5), Leaf(0, 1, (1, 0)), Leaf(1, 1, (0, 1)))
    ax = plot_tree(stump, feature_names=["cost in $ or $^x"], class_names=["no_$", "$x$"])
    assert words(ax)[:3] == ["cost in $ or $^x <= 2.5", "no_$\n1 row", "$x$\n1 row"]
    assert saved_size(ax) > (100, 50)


def test_long_questions_are_broken_and_colours_differ() -> None:
    tree = Node(Disc(1.0), Leaf(0, 4, (4, 0)), Leaf(0, 4, (3, 1)))
    ax = plot_tree(tree)
    question, pure, mixed = [t for t in ax.texts if t.get_text() not in ("yes", "no")]
    assert "\n" in question.get_text()
    assert question.get_text().splitlines()[-1].endswith("<=\N{NO-BREAK SPACE}1.0")
    assert pure.get_bbox_patch().get_facecolor() != mixed.get_bbox_patch().get_facecolor()
    assert "1.5\n2 rows\nloss 0.5" in words(plot_tree(NUMBERS))


trees = st.recursive(
    st.just(Leaf(0)),
    lambda children: st.builds(Node, st.just(AxisSplit(0, 0.0)), children, children),
    max_leaves=30,
)


@given(trees, st.data())
def test_any_tree_is_laid_out_without_overlaps(tree: Tree, data: st.DataObject) -> None:
    count = 2 * size(tree) + 1
    widths = data.draw(st.lists(st.integers(1, 50), min_size=count, max_size=count))
    block = arranged(tree, iter(map(float, widths)), 1.0)

    def levels(t: Tree, level: int = 0) -> list[int]:
        if isinstance(t, Leaf):
            return [level]
        return [level, *levels(t.left, level + 1), *levels(t.right, level + 1)]

    placed = sorted(zip(levels(tree), block.xs, widths, strict=True))
    for (a, x, w), (b, z, v) in pairwise(placed):
        assert a != b or x + w / 2 + 1 <= z - v / 2 + 1e-6
    for level, x, w in placed:
        assert block.lefts[level] <= x - w / 2 + 1e-6
        assert block.rights[level] >= x + w / 2 - 1e-6


# --- plot_regions -----------------------------------------------------------------------------


def test_regions_are_what_the_tree_predicts(petals: OptimalTreeClassifier) -> None:
    ax = plot_regions(petals, PETALS, Y, resolution=40)
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    xs, ys = np.linspace(left, right, 40), np.linspace(bottom, top, 40)
    grid = np.array([(x, y) for y in ys for x in xs])
    predicted = predict(petals.tree_, grid)
    shown = np.asarray(image.get_array()).reshape(-1, 3)
    colours = {c: set(map(tuple, shown[predicted == c])) for c in range(3)}
    assert all(len(found) == 1 for found in colours.values())
    assert len(set.union(*colours.values())) == 3
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(PETALS.columns)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == sorted(set(Y))


def test_axis_splits_are_exact_lines(petals: OptimalTreeClassifier) -> None:
    ax = plot_regions(petals, PETALS, Y, resolution=20)
    splits = [node.split for node in nodes(petals.tree_) if isinstance(node, Node)]
    found = [tuple(map(tuple, line.get_data())) for line in ax.lines]
    assert len(found) == len(splits)
    for split, (xs, ys) in zip(splits, found, strict=True):
        assert isinstance(split, AxisSplit)
        assert set(xs if split.feature == 0 else ys) == {split.threshold}


def test_lines_end_at_the_splits_above() -> None:
    tree = Node(AxisSplit(0, 1.0), Node(AxisSplit(1, 2.0), Leaf(0), Leaf(1)), Leaf(2))
    ax = plot_regions(tree, [[0.0, 0.0], [3.0, 3.0]], resolution=20)
    assert max(ax.lines[1].get_xdata()) == 1.0
    assert min(ax.lines[1].get_xdata()) == ax.get_xlim()[0]
    assert not plot_regions(tree, [[5.0, 0.0], [6.0, 3.0]]).lines, "all of it is out of sight"


def test_every_point_once_and_mistakes_rimmed(petals: OptimalTreeClassifier) -> None:
    ax = plot_regions(petals, PETALS, Y, resolution=20)
    rims: dict[bool, int] = {False: 0, True: 0}
    for points in ax.collections:
        black = bool(len(points.get_offsets())) and points.get_edgecolor()[0][:3].sum() == 0
        rims[black] += len(points.get_offsets())
    assert rims == {False: 150 - petals.objective_, True: petals.objective_}
    plain = plot_regions(petals, PETALS, resolution=20)
    assert sum(len(points.get_offsets()) for points in plain.collections) == 150


@pytest.mark.parametrize(("disc", "error"), [(Disc, 1e-3), (PlainDisc, 0.05)])
def test_curves_follow_the_surface(disc: type[Disc], error: float) -> None:
    tree = Node(disc(1.0), Node(AxisSplit(0, 0.25), Leaf(0), Leaf(1)), Leaf(2))
    ax = plot_regions(tree, [[-2.0, -2.0], [2.0, 2.0]], resolution=200)
    curves = [c for c in ax.collections if hasattr(c, "levels")]
    assert len(curves) == 2
    circle, chord = (np.concatenate([p.vertices for p in c.get_paths()]) for c in curves)
    assert np.abs(np.hypot(*circle.T) - 1).max() < error
    assert chord[:, 0] == pytest.approx(0.25)
    assert np.abs(chord[:, 1]).max() < 1
    assert saved_size(ax) == (640, 440)


def test_numbers_have_a_scale_of_colours() -> None:
    rows = np.array([[0.0, 0.0], [0.4, 1.0], [1.0, 1.0]])
    ax = plot_regions(NUMBERS, rows, [1.0, 2.0, 4.5], features=(0, 1), resolution=20)
    assert len(ax.figure.axes) == 2
    assert len(np.unique(np.asarray(ax.images[0].get_array()).reshape(-1, 3), axis=0)) == 2
    assert plot_regions(NUMBERS, resolution=20).get_xlim() == (-0.5, 1.5)
    with pytest.raises(ValueError, match="y has 1 entries, X has 3 rows"):
        plot_regions(NUMBERS, rows, [1.0])


def test_a_slice_through_more_columns(iris: OptimalTreeClassifier) -> None:
    with pytest.raises(ValueError, match=r"the tree uses \d columns \(sepal .*\), a plane"):
        plot_regions(iris, X, Y)
    with pytest.raises(ValueError, match="and at=, a row of values for the others"):
        plot_regions(iris, X, Y, features=(2, 3))
    middle = X.median().to_numpy()
    ax = plot_regions(iris, X, Y, features=(2, 3), at=middle, resolution=20)
    assert ax.get_xlabel() == "petal length (cm)"
    with pytest.raises(ValueError, match="one value for each of 4 columns"):
        plot_regions(iris, X, Y, features=(2, 3), at=[1.0])
    with pytest.raises(ValueError, match="two different columns"):
        plot_regions(iris, X, Y, features=(2, 2), at=middle)


def test_regions_refuse_what_they_cannot_draw(petals: OptimalTreeClassifier) -> None:
    with pytest.raises(ValueError, match="y has the class 'rose'"):
        plot_regions(petals, PETALS, ["rose"] * 150)
    with pytest.raises(ValueError, match="y has 2 entries, X has 150 rows"):
        plot_regions(petals, PETALS, Y[:2])
    with pytest.raises(ValueError, match="X has shape"):
        plot_regions(petals, [1.0, 2.0])
    with pytest.raises(ValueError, match="only X can say"):
        plot_regions(Node(Disc(1.0), Leaf(0), Leaf(1)))


def test_a_leaf_and_one_column_can_be_drawn() -> None:
    assert plot_regions(Leaf(0), [[1.0, 1.0]], [0], resolution=20).images
    one = OptimalTreeClassifier(max_depth=1).fit([[0.0, 5.0], [1.0, 5.0]], [0, 1])
    assert len(plot_regions(one, [[0.0, 5.0], [1.0, 5.0]], [0, 1], resolution=20).lines) == 1


# --- Curves -----------------------------------------------------------------------------------


def result(status: Any, objective: int, bound: int, **more: Any) -> Result:
    return Result(status, "trees", objective, bound, objective - bound, Leaf(0, 9, (9,)), **more)


def test_progress_goes_on_to_the_end() -> None:
    history = ((0.5, 9, 0), (1.0, 5, 2))
    found = result("time_limit", 5, 2, history=history, stats={"seconds": 4.0})
    ax = plot_progress(found)
    best, bound = ax.lines
    assert best.get_xdata().tolist() == bound.get_xdata().tolist() == [0.5, 1.0, 4.0]
    assert best.get_ydata().tolist() == [9, 5, 5]
    assert bound.get_ydata().tolist() == [0, 2, 2]
    assert best.get_drawstyle() == "steps-post"
    assert ax.get_title() == "stopped (time limit): 5, proved >= 2"
    assert saved_size(ax) == (640, 440)


def test_progress_of_a_model(iris: OptimalTreeClassifier) -> None:
    ax = plot_progress(iris)
    assert ax.lines[0].get_ydata()[-1] == ax.lines[1].get_ydata()[-1] == iris.objective_
    assert ax.get_title() == f"proved optimal: {iris.objective_}"
    assert plot_progress(result("optimal", 3, 3)).get_ylabel() == "objective"
    with pytest.raises(ValueError, match="Leaf has no record of a search"):
        plot_progress(Leaf(0))


def test_path_of_sizes() -> None:
    path = size_path(X, Y, max_splits=3)
    ax = plot_path(path)
    assert ax.lines[0].get_ydata().tolist() == path.objectives
    assert ax.get_legend() is None
    stopped = [result("optimal", 9, 9), result("time_limit", 5, 2)]
    (bar,) = plot_path(stopped).collections[0].get_segments()
    assert bar.tolist() == [[1, 2], [1, 5]]
    for wrong in ([], [1, 2]):
        with pytest.raises(ValueError, match="path holds no Results"):
            plot_path(wrong)


def test_path_of_a_choice() -> None:
    clf = OptimalTreeClassifierCV(max_splits=3, cv=3).fit(X, Y)
    ax = plot_path(clf)
    assert ax.get_ylabel() == "error"
    assert ax.lines[0].get_ydata()[clf.max_splits_] == pytest.approx(1 - clf.score(X, Y))
    assert clf.max_splits_ in [line.get_xdata()[0] for line in ax.lines[1:]]
    assert "chosen" in [text.get_text() for text in ax.get_legend().get_texts()]


# --- All of them ------------------------------------------------------------------------------


def test_given_axes_are_used_and_returned(petals: OptimalTreeClassifier) -> None:
    _, grid = plt.subplots(2, 2)
    path = size_path(PETALS, Y, max_splits=2)
    a, b, c, d = grid.ravel()
    assert plot_tree(petals, ax=a) is a
    assert plot_regions(petals, PETALS, Y, resolution=20, ax=b) is b
    assert plot_progress(petals, ax=c) is c
    assert plot_path(path, ax=d) is d
    assert len(plt.get_fignums()) == 1


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (plot_tree, plot_regions):
        with pytest.raises(ImportError, match=r"pip install 'exactree\[plot\]'"):
            draw(Leaf(0))
