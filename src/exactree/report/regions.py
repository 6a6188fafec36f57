"""Decision regions in two features as SVG: exact for axis-parallel trees, a fine grid for others.

If the tree looks at more than two features, the two whose picture says most of the tree are drawn,
and the others are held at their medians, which the caption says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import combinations, groupby
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import tree
from exactree.export.colours import class_colours
from exactree.report.drawing import number_colour
from exactree.report.evidence import Evidence, Floats, element, number
from exactree.report.fields import cell
from exactree.splits.axis import AxisSplit
from exactree.splits.selected import SelectedSplit
from exactree.tree import Node

FINE = (240, 180)  # cells of the grid for curved regions
MOST_POINTS = 1500
MOST_NAMED = 6  # columns that the caption names with the values they are held at
JUDGED = 2000  # rows on which a pair of columns is judged
CANDIDATES = 8  # columns of which all pairs are judged
FRAME = (62.0, 12.0, 628.0, 402.0)  # left, top, right, bottom, in a picture of 640 x 450


@dataclass(frozen=True)
class Scale:
    """A stretch of values drawn between two pixels."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        """Give the pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.first + share * (self.last - self.first), 2)

    def to_dict(self) -> dict[str, float]:
        """Give the numbers to the script of the page."""
        return {"low": self.low, "high": self.high, "first": self.first, "last": self.last}


@lru_cache(maxsize=1)
def two_features(evidence: Evidence) -> tuple[int, int] | None:
    """Choose the two columns whose picture says most of the tree, the lower one first.

    With the other columns at their usual values, the picture predicts something for every row: the
    pair is taken whose picture agrees most with the tree. None if no picture agrees better than a
    single colour would, or if there are no two columns of numbers.
    """
    numbers = [j for j in range(evidence.subject.n_features) if _is_drawn(evidence, j)]
    used = [j for j in evidence.used_features() if j in numbers]
    if len(numbers) < 2 or not used:
        return None
    most = _most_asked(evidence, used)
    others = [j for j in numbers if j not in used][:1] if len(used) < 2 else []
    pairs = [(min(p), max(p)) for p in combinations([*most, *others], 2)]
    rows = np.linspace(0, len(evidence.X) - 1, min(len(evidence.X), JUDGED)).astype(int)
    rated = [(_agreement(evidence, pair, rows), pair) for pair in pairs]
    best = max(rated, key=lambda r: r[0])
    return best[1] if best[0] > 0 else None


def _most_asked(evidence: Evidence, used: list[int]) -> list[int]:
    """List the columns that most rows are asked about; more of them would be many pairs."""
    asked: Counter[int] = Counter()
    for node in evidence.nodes:
        if isinstance(node, Node):
            numbers = [j for j in node.split.features() if j in used]
            asked.update(dict.fromkeys(numbers, max(node.rows, 1)))
    return [j for j, _ in asked.most_common(CANDIDATES)]


def _agreement(evidence: Evidence, pair: tuple[int, int], rows: NDArray[np.intp]) -> float:
    """Tell how much better a picture agrees with the tree than a single colour: 1 is always."""
    given = {j: evidence.column(j).numbers()[rows] for j in pair}
    known = ~np.isnan(np.column_stack(list(given.values()))).any(axis=1)
    given = {j: values[known] for j, values in given.items()}
    said = evidence.answers[rows][known]
    if not len(said):
        return 0.0
    drawn = tree.predict(evidence.subject.tree, evidence.typical_rows(len(said), given))
    if evidence.subject.classes is None:
        apart, alone = float(((drawn - said) ** 2).sum()), float(((said - said.mean()) ** 2).sum())
    else:
        apart, alone = float((drawn != said).sum()), float(len(said) - np.bincount(said).max())
    return 1 - apart / alone if alone else 0.0


def _is_drawn(evidence: Evidence, j: int) -> bool:
    """Tell whether a column has a place on an axis: numbers, at least one of them known."""
    return evidence.kind(j).name == "number" and len(evidence.known_numbers(j)) > 0


def scales(evidence: Evidence, pair: tuple[int, int]) -> tuple[Scale, Scale]:
    """Fit the rows into the frame with a little room around them."""
    left, top, right, bottom = FRAME
    (x_low, x_high), (y_low, y_high) = (_stretch(evidence.known_numbers(j)) for j in pair)
    return Scale(x_low, x_high, left, right), Scale(y_low, y_high, bottom, top)


def _stretch(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or 0.5 * max(abs(low), 1.0)
    return low - room, high + room


def regions_html(evidence: Evidence) -> str:
    """Draw the regions with the rows in them, and say what is seen; nothing if there is nothing."""
    pair = two_features(evidence)
    if pair is None:
        return ""
    x, y = scales(evidence, pair)
    label = "Decision regions of {} and {}".format(*map(evidence.subject.feature, pair))
    picture = element(
        "svg",
        _cells(evidence, pair, x, y)
        + _axes(x, y, [evidence.subject.feature(j) for j in pair])
        + _points(evidence, pair, x, y)
        + element("g", "", id="here"),
        id="regions",
        viewBox="0 0 640 450",
        role="img",
        aria_label=label,
    )
    caption = element("figcaption", escape(_caption(evidence, pair)))
    figure = element("figure", _legend(evidence) + picture + caption)
    heading = element("h2", "Regions", id="h-regions")
    return element("section", heading + figure, aria_labelledby="h-regions")


def _caption(evidence: Evidence, pair: tuple[int, int]) -> str:
    subject = evidence.subject
    held = [j for j in evidence.used_features() if j not in pair]
    said = "The colour of the ground is what the tree predicts, that of a point its true class."
    if subject.classes is None:
        said = "The stronger the colour of the ground, the higher the prediction."
    else:
        said += " Points with a ring are wrong."
    if held:
        told = [f"{subject.feature(j)} = {_middle(evidence, j)}" for j in held[:MOST_NAMED]]
        others = len(held) - len(told)
        names = ", ".join(told) + (f" and {others} more" if others else "")
        middle = (
            "medians" if all(evidence.kind(j).name == "number" for j in held) else "usual values"
        )
        said += (
            f" This is a slice: the other features are held at their {middle} ({names}), so the "
            "ground under a point need not be what the tree predicts for it."
        )
    if any(len(evidence.known_numbers(j)) < len(evidence.X) for j in pair):
        said += " Rows that miss a value of the two are not drawn."
    if len(evidence.X) > MOST_POINTS:
        said += f" {number(MOST_POINTS)} of {number(len(evidence.X))} rows are drawn."
    return said


def _middle(evidence: Evidence, column: int) -> str:
    value = cell(evidence.typical(column), 0)
    return "missing" if value is None else value if isinstance(value, str) else number(value)


def _lines(evidence: Evidence, column: int, scale: Scale, count: int) -> Floats:
    """Give the borders of the cells along one axis."""
    splits = [node.split for node in evidence.nodes if isinstance(node, Node)]
    if not all(split.reads_tables and not isinstance(split, SelectedSplit) for split in splits):
        return np.linspace(scale.low, scale.high, count + 1)
    found = {s.threshold for s in splits if isinstance(s, AxisSplit) and s.feature == column}
    inside = sorted(t for t in found if scale.low < t < scale.high)
    return np.array([scale.low, *inside, scale.high])


def _cells(evidence: Evidence, pair: tuple[int, int], x: Scale, y: Scale) -> str:
    """Colour the ground, with one path for all cells of the same prediction."""
    columns = _lines(evidence, pair[0], x, FINE[0])
    rows = _lines(evidence, pair[1], y, FINE[1])
    values = _predictions(evidence, pair, columns, rows)
    edges_x, edges_y = [x(v) for v in columns], [y(v) for v in rows]
    paths: dict[Any, list[str]] = {}
    for i, row in enumerate(values.tolist()):
        for value, run in groupby(range(len(row)), key=row.__getitem__):
            cells = list(run)
            a, b = edges_x[cells[0]], edges_x[cells[-1] + 1]
            path = f"M{a} {edges_y[i]}H{b}V{edges_y[i + 1]}H{a}Z"
            paths.setdefault(value, []).append(path)
    drawn = (
        element("path", d="".join(parts), **_ground(evidence, value))
        for value, parts in sorted(paths.items())
    )
    return element("g", "".join(drawn), shape_rendering="crispEdges")


def _predictions(
    evidence: Evidence, pair: tuple[int, int], columns: Floats, rows: Floats
) -> NDArray[Any]:
    """Ask the tree about the middle of every cell."""
    centres = np.meshgrid((columns[1:] + columns[:-1]) / 2, (rows[1:] + rows[:-1]) / 2)
    given = {j: values.ravel() for j, values in zip(pair, centres, strict=True)}
    table = evidence.typical_rows(centres[0].size, given)
    return tree.predict(evidence.subject.tree, table).reshape(centres[0].shape)


def _ground(evidence: Evidence, value: Any) -> dict[str, object]:
    if evidence.subject.classes is not None:
        colours = class_colours(len(evidence.subject.classes))
        return {"fill": colours[int(value)], "fill_opacity": 0.28}
    ends = [leaf.value for leaf in tree.leaves(evidence.subject.tree)]
    return {"fill": number_colour(float(value), min(ends), max(ends)), "fill_opacity": 0.6}


def _points(evidence: Evidence, pair: tuple[int, int], x: Scale, y: Scale) -> str:
    count = min(len(evidence.X), MOST_POINTS)
    drawn = np.linspace(0, len(evidence.X) - 1, count).astype(int)
    points = []
    across, up = (evidence.column(j).numbers() for j in pair)
    for i in drawn:
        if np.isnan(across[i]) or np.isnan(up[i]):
            continue
        at = {"cx": x(across[i]), "cy": y(up[i]), "r": 3.2}
        if evidence.subject.classes is None:
            points.append(element("circle", **at, fill="currentColor", fill_opacity=0.4))
            continue
        colour = class_colours(len(evidence.subject.classes))[evidence.truth[i]]
        wrong = "wrong" if evidence.wrong[i] else "right"
        points.append(element("circle", **at, fill=colour, class_=wrong))
    return element("g", "".join(points), class_="points")


def ticks(low: float, high: float) -> list[float]:
    """Choose four to ten round numbers in a stretch.

    >>> ticks(0.8, 7.1)
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """
    magnitude = 10.0 ** floor(log10(high - low))
    step = next(s * magnitude for s in (1, 0.5, 0.2, 0.1) if (high - low) / (s * magnitude) >= 4)
    first, last = ceil(low / step), floor(high / step)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def _axes(x: Scale, y: Scale, names: list[str]) -> str:
    left, top, right, bottom = FRAME
    frame = element("rect", class_="frame", x=left, y=top, width=right - left, height=bottom - top)
    below = [
        element("text", f"{t:g}", x=x(t), y=bottom + 17, text_anchor="middle")
        for t in ticks(x.low, x.high)
    ]
    beside = [
        element("text", f"{t:g}", x=left - 7, y=y(t) + 4, text_anchor="end")
        for t in ticks(y.low, y.high)
    ]
    middle = {"x": (left + right) / 2, "y": bottom + 40}
    across = element("text", escape(names[0]), text_anchor="middle", class_="name", **middle)
    turned = f"translate(14 {(top + bottom) / 2}) rotate(-90)"
    up = element("text", escape(names[1]), text_anchor="middle", class_="name", transform=turned)
    return element("g", frame + "".join(below + beside) + across + up, class_="axes")


def _legend(evidence: Evidence) -> str:
    classes = evidence.subject.classes
    if classes is None:
        return ""
    entries = (
        element("li", element("span", "", style=f"background:{colour}") + escape(str(name)))
        for name, colour in zip(classes, class_colours(len(classes)), strict=True)
    )
    return element("ul", "".join(entries), class_="legend")
