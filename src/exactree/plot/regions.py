"""Regions of the plane in which a tree decides alike, with the boundaries between them.

A boundary of an axis-parallel split is drawn as the exact line, up to the splits above it. Any
other is drawn as the curve where the split's own function changes its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactree.export.colours import PALETTE, class_colours, tint
from exactree.export.subject import Subject, class_number, mean, read_subject, shown_number
from exactree.export.unwrapping import transformed, unwrapped
from exactree.plot.canvas import INK, axes
from exactree.splits.axis import AxisSplit
from exactree.tables import Column, Kind, Table, read_rows
from exactree.tables.columns import numbers_of
from exactree.tree import Leaf, Node, Tree, apply, leaves, nodes, predict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Box = tuple[tuple[float, float], tuple[float, float]]
MARKERS = "osD^vPX<>*"
MOST_IN_LEGEND = 12


@dataclass(frozen=True)
class Plane:
    """Two columns on a grid of points, the others held at the values of `row`."""

    columns: tuple[int, int]
    row: Any  # an array of numbers, or a table of one row
    x: Floats
    y: Floats

    def points(self) -> Any:
        """Give the points of the grid as rows, line by line."""
        across, up = np.tile(self.x, len(self.y)), np.repeat(self.y, len(self.x))
        if isinstance(self.row, Table):
            held = self.row[np.zeros(len(across), dtype=np.intp)]
            drawn = dict(zip(self.columns, (across, up), strict=True))
            columns = range(self.row.shape[1])
            return Table(
                Column(Kind(), drawn[j]) if j in drawn else held.column(j) for j in columns
            )
        points = np.tile(self.row, (len(across), 1))
        points[:, self.columns[0]] = across
        points[:, self.columns[1]] = up
        return points


@dataclass(frozen=True)
class Part:
    """The part of the plane that reaches a node.

    `inside` marks points of the grid; `box` has the lower and upper end of both columns, or is None
    below a split that is no line along an axis.
    """

    inside: NDArray[np.bool_]
    box: Box | None


def plot_regions(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: tuple[int, int] | None = None,
    at: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    resolution: int = 500,
    ax: Axes | None = None,
) -> Axes:
    """Draw which class the tree predicts in the plane of two columns, with the training points.

    Points that the tree gets wrong have a black rim.

    Parameters
    ----------
    model : estimator, Result or tree
        What decides.
    X, y : array or None
        Rows to draw as points, and their classes. X also says which part of the plane to draw.
    features : pair of int or None
        The two columns; None: the two that the tree uses.
    at : sequence or None
        A row of values for the columns not drawn; needed if the tree uses more than two. None is a
        missing value.
    feature_names, class_names : sequence or None
        Names to use instead of the model's own.
    resolution : int
        Points of the grid along each axis.
    ax : matplotlib Axes or None
        Where to draw.
    """
    subject = read_subject(model, feature_names, class_names)
    rows = None if X is None else _read_rows(transformed(unwrapped(model)[1], X), subject)
    columns = _columns(subject, features, at)
    plane = _plane(subject, columns, rows, at, resolution)
    made = axes(ax)
    paint = _paint(subject, y)
    _fill(made, subject, plane, paint)
    everything = Part(
        np.ones((len(plane.y), len(plane.x)), dtype=bool),
        ((plane.x[0], plane.x[-1]), (plane.y[0], plane.y[-1])),
    )
    _draw_boundaries(made, subject.tree, plane, everything)
    if rows is not None:
        points = np.column_stack([numbers_of(rows, j) for j in columns])
        if y is None:
            xs, ys = points.T
            made.scatter(xs, ys, s=16, color=INK, edgecolors="white", zorder=2)
        else:
            paint.draw_points(made, points, y, predict(subject.tree, rows))
    made.set(xlim=(plane.x[0], plane.x[-1]), ylim=(plane.y[0], plane.y[-1]))
    made.set_xlabel(subject.feature(columns[0]), parse_math=False)
    made.set_ylabel(subject.feature(columns[1]), parse_math=False)
    paint.draw_key(made)
    return made


def _read_rows(X: Any, subject: Subject) -> Any:
    rows = X if subject.kinds is None else read_rows(X, subject.kinds)
    if isinstance(rows, Table):
        return rows
    rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 2 or not len(rows):
        raise ValueError(f"X has shape {rows.shape}: pass rows by columns")
    return rows


def _columns(
    subject: Subject, features: tuple[int, int] | None, at: Sequence[Any] | None
) -> tuple[int, int]:
    """Choose the two columns, and refuse what has no place on an axis."""
    chosen = _two_columns(subject, features, at)
    for j in chosen:
        if subject.kinds is not None and subject.kinds[j].name != "number":
            raise ValueError(
                f"column {subject.feature(j)} holds a {subject.kinds[j].name}: a plane needs "
                "numbers; pass features=(i, j), two columns of numbers, and at="
            )
    return chosen


def _two_columns(
    subject: Subject, features: tuple[int, int] | None, at: Sequence[Any] | None
) -> tuple[int, int]:
    """Choose the two columns, and refuse to hide what a tree decides by."""
    splits = [node.split for node in nodes(subject.tree) if isinstance(node, Node)]
    used = sorted({j for split in splits for j in split.features()})
    if features is not None and len(set(features)) != 2:
        raise ValueError(f"features={features!r}: pass two different columns")
    hidden = used[2:] if features is None else set(used) - set(features)
    if hidden and (features is None or at is None):
        names = ", ".join(subject.feature(j) for j in used)
        raise ValueError(
            f"the tree uses {len(used)} columns ({names}), a plane shows two: pass features=(i, j) "
            "and at=, a row of values for the others; or fit to two columns"
        )
    if features is not None:
        return features
    free = [j for j in range(max(subject.n_features, 2)) if j not in used]
    first, second = sorted([*used, *free[: 2 - len(used)]])
    return first, second


def _plane(
    subject: Subject,
    columns: tuple[int, int],
    rows: Any,
    at: Sequence[Any] | None,
    resolution: int,
) -> Plane:
    width = max(subject.n_features, *(j + 1 for j in columns))
    row = _held(subject, at, width)
    ends = [_range(subject, j, rows) for j in columns]
    x, y = (np.linspace(low, high, resolution) for low, high in ends)
    return Plane(columns, row, x, y)


def _held(subject: Subject, at: Sequence[Any] | None, width: int) -> Any:
    """Give the row of the columns that are not drawn."""
    shape = (width,) if at is None else np.shape(np.asarray(at, dtype=object))
    if shape != (width,):
        raise ValueError(f"at has shape {shape}: pass one value for each of {width} columns")
    if subject.kinds is None:
        return np.zeros(width) if at is None else np.asarray(at, dtype=np.float64)
    listed = [None] * width if at is None else list(at)
    found = read_rows(np.array([listed], dtype=object), subject.kinds)
    return found if isinstance(found, Table) else found[0]


def _range(subject: Subject, column: int, rows: Any) -> tuple[float, float]:
    """Show all points, or else all thresholds, with some room around."""
    if rows is not None:
        values = numbers_of(rows, column)
        values = values[~np.isnan(values)]
    else:
        splits = [node.split for node in nodes(subject.tree) if isinstance(node, Node)]
        if not all(isinstance(split, AxisSplit) for split in splits):
            raise ValueError("only X can say which part of the plane to draw: pass it")
        values = np.array(
            [s.threshold for s in splits if isinstance(s, AxisSplit) and s.feature == column]
            or [0.0]
        )
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) if rows is not None and high > low else (high - low) or 1.0
    return low - margin, high + margin


def _fill(ax: Axes, subject: Subject, plane: Plane, paint: Paint) -> None:
    """Colour every point of the grid by what its leaf predicts."""
    palette = np.array([paint.region(node) for node in nodes(subject.tree)])
    shape = (len(plane.y), len(plane.x))
    ax.imshow(
        palette[apply(subject.tree, plane.points())].reshape(*shape, 3),
        extent=(plane.x[0], plane.x[-1], plane.y[0], plane.y[-1]),
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        zorder=0,
    )


class ClassPaint:
    """A colour and a mark for every class."""

    def __init__(self, classes: tuple[Any, ...]) -> None:
        self.classes = classes
        self.colours = class_colours(len(classes))

    def region(self, node: Tree) -> tuple[float, float, float]:
        """Give the colour of a leaf's region."""
        from matplotlib.colors import to_rgb

        return to_rgb(tint(self.colours[class_number(node)], 0.3))

    def draw_points(self, ax: Axes, points: Floats, y: Any, predicted: NDArray[Any]) -> None:
        """Draw every class with its mark, and a black rim around mistakes."""
        labels = _class_numbers(self.classes, y, len(points))
        wrong = predicted != labels
        for c, colour in enumerate(self.colours):
            for mistaken, rim in ((False, "white"), (True, "black")):
                xs, ys = points[(labels == c) & (wrong == mistaken)].T
                ax.scatter(
                    xs,
                    ys,
                    s=24,
                    color=colour,
                    marker=MARKERS[c % len(MARKERS)],
                    linewidths=1.2 if mistaken else 0.5,
                    edgecolors=rim,
                    zorder=3 if mistaken else 2,
                )

    def draw_key(self, ax: Axes) -> None:
        """Draw a legend beside the plane, where it hides no point."""
        from matplotlib.lines import Line2D

        if len(self.classes) > MOST_IN_LEGEND:
            return
        handles = [
            Line2D([], [], color=colour, marker=MARKERS[c % len(MARKERS)], linestyle="")
            for c, colour in enumerate(self.colours)
        ]
        names = [str(name) for name in self.classes]
        ax.legend(handles, names, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


class NumberPaint:
    """One scale of colours for the numbers of leaves and rows."""

    def __init__(self, values: Sequence[float]) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        ramp = [tint(PALETTE[0], 0.05), PALETTE[0]]
        scale = Normalize(min(values), max(values))
        self.mapped = ScalarMappable(scale, LinearSegmentedColormap.from_list("numbers", ramp))

    def region(self, node: Tree) -> tuple[float, float, float]:
        """Give the colour of a leaf's region."""
        red, green, blue, _ = self.mapped.to_rgba(np.array(mean(node)))
        return red, green, blue

    def draw_points(self, ax: Axes, points: Floats, y: Any, predicted: NDArray[Any]) -> None:
        """Draw points that vanish in their region where the prediction is right."""
        if len(predicted) != len(y):
            raise ValueError(f"y has {len(y)} entries, X has {len(predicted)} rows")
        colours = self.mapped.to_rgba(np.asarray(y, dtype=np.float64))
        xs, ys = points.T
        ax.scatter(xs, ys, s=24, color=colours, edgecolors=INK, linewidths=0.5, zorder=2)

    def draw_key(self, ax: Axes) -> None:
        """Draw the scale beside the plane."""
        figure = ax.get_figure()
        assert figure is not None
        figure.colorbar(self.mapped, ax=ax)


Paint = ClassPaint | NumberPaint


def _paint(subject: Subject, y: Any) -> Paint:
    if subject.classes is not None:
        return ClassPaint(subject.classes)
    values = [shown_number(leaf.value) for leaf in leaves(subject.tree)]
    return NumberPaint(values if y is None else [*values, *map(float, y)])


def _class_numbers(classes: tuple[Any, ...], y: Any, count: int) -> NDArray[np.intp]:
    numbers = {c: i for i, c in enumerate(classes)}
    labels = np.asarray(y).tolist()
    if len(labels) != count:
        raise ValueError(f"y has {len(labels)} entries, X has {count} rows: pass one for each")
    strange = [label for label in labels if label not in numbers]
    if strange:
        raise ValueError(f"y has the class {strange[0]!r}, the tree knows {classes}")
    return np.array([numbers[label] for label in labels], dtype=np.intp)


def _draw_boundaries(ax: Axes, tree: Tree, plane: Plane, part: Part) -> None:
    """Draw the boundary of every split within the part of the plane that reaches it."""
    if isinstance(tree, Leaf) or not part.inside.any():
        return
    points = plane.points()
    left = tree.goes_left(points).reshape(part.inside.shape)
    boxes: tuple[Box | None, Box | None] = (None, None)
    if not set(tree.split.features()) & set(plane.columns):
        boxes = (part.box, part.box)
    elif isinstance(tree.split, AxisSplit) and part.box is not None:
        boxes = _halves(tree.split, plane, part.box)
        _draw_line(ax, tree.split, plane, part.box)
    else:
        _draw_curve(ax, tree, plane, part.inside)
    _draw_boundaries(ax, tree.left, plane, Part(part.inside & left, boxes[0]))
    _draw_boundaries(ax, tree.right, plane, Part(part.inside & ~left, boxes[1]))


def _halves(split: AxisSplit, plane: Plane, box: Box) -> tuple[Box, Box]:
    """Cut a box at a threshold, if its column is drawn."""
    if split.feature not in plane.columns:
        return box, box
    axis = plane.columns.index(split.feature)
    low, high = box[axis]
    at = min(max(split.threshold, low), high)
    below, above = list(box), list(box)
    below[axis], above[axis] = (low, at), (at, high)
    return (below[0], below[1]), (above[0], above[1])


def _draw_line(ax: Axes, split: AxisSplit, plane: Plane, box: Box) -> None:
    if split.feature not in plane.columns:
        return
    axis = plane.columns.index(split.feature)
    if not box[axis][0] < split.threshold < box[axis][1]:
        return
    across, along = [split.threshold] * 2, list(box[1 - axis])
    xs, ys = (across, along) if axis == 0 else (along, across)
    ax.plot(xs, ys, color=INK, linewidth=1.2, solid_capstyle="butt", zorder=1)


def _draw_curve(ax: Axes, node: Node, plane: Plane, inside: NDArray[np.bool_]) -> None:
    values = _signed(node, plane.points()).reshape(inside.shape)
    seen = values[inside]
    if seen.min() < 0 < seen.max():
        shown = np.ma.masked_where(~inside, values)
        ax.contour(plane.x, plane.y, shown, levels=[0.0], colors=INK, linewidths=1.2, zorder=1)


def _signed(node: Node, points: Any) -> Floats:
    """Give a function that is 0 on the boundary; a split's own `decision` makes a smooth curve."""
    split = node.split
    if isinstance(split, AxisSplit):
        return np.asarray(numbers_of(points, split.feature) - split.threshold)
    decision = getattr(split, "decision", None)
    if decision is not None:
        return np.asarray(decision(np.asarray(points)), dtype=np.float64)
    return np.where(node.goes_left(points), -1.0, 1.0)
