"""The tree as SVG: the root on the left, a column for each level.

The script of the page lays the nodes out anew when some are folded, by the same rules and from
the sizes below, so what is drawn here is what a reader without scripts sees, or prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from exactree.export.colours import class_colours
from exactree.export.subject import Subject, class_number
from exactree.report.evidence import Evidence, element, number, rows_of
from exactree.tree import Leaf, Node, Tree

SIZES = {"height": 48, "between": 12, "column": 50, "margin": 8, "indent": 44}
LETTER = 8.0  # about the width of a letter in pixels; the script measures it
LONGEST = 34  # letters of a question; the whole of it is in the panel
FOLD = "\u2212"  # a minus as wide as a plus
NUMBERS = "#0072B2"  # trees that predict numbers have one colour

Corner = tuple[float, float]


@dataclass(frozen=True)
class Place:
    """A node of the drawing: its number, its parent's, its children's, and where it stands."""

    number: int
    parent: int | None
    left: int | None
    right: int | None
    level: int
    node: Tree


def places(tree: Tree, parent: int | None = None, level: int = 0, first: int = 0) -> list[Place]:
    """Number the nodes in preorder.

    >>> [place.number for place in places(Leaf(0))]
    [0]
    """
    if isinstance(tree, Leaf):
        return [Place(first, parent, None, None, level, tree)]
    left = places(tree.left, first, level + 1, first + 1)
    right = places(tree.right, first, level + 1, first + 1 + len(left))
    here = Place(first, parent, first + 1, first + 1 + len(left), level, tree)
    return [here, *left, *right]


def shown(subject: Subject, node: Tree) -> tuple[str, str]:
    """Give the two lines of a node: what it asks or predicts, and its rows."""
    what = subject.answer(node)
    if isinstance(node, Node):
        what = node.split.formula(subject.feature_names, **subject.few_digits)
    loss = f", loss {number(node.cost)}" if node.cost else ""
    return what, rows_of(node.rows) + loss


def clipped(text: str) -> str:
    """Shorten a long text.

    >>> clipped("a" * 50)[-3:]
    'aa…'
    """
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def width(subject: Subject, node: Tree) -> int:
    """Give the width of a node's box, which a fold mark shares with the text."""
    letters = max(len(clipped(line)) for line in shown(subject, node))
    return round(LETTER * letters) + (44 if isinstance(node, Node) else 22)


def positions(all_places: list[Place], widths: list[int]) -> tuple[list[Corner], Corner]:
    """Stand leaves below each other, parents beside the middle of their children.

    Returns the corners and the size of the whole.
    """
    starts = _columns(all_places, widths)
    step = SIZES["height"] + SIZES["between"]
    tops: dict[int, float] = {}
    count = 0
    for place in reversed(all_places):  # children before parents, the last leaf first
        if place.left is None or place.right is None:
            tops[place.number] = -count * step
            count += 1
        else:
            tops[place.number] = (tops[place.left] + tops[place.right]) / 2
    shift = (count - 1) * step + SIZES["margin"]
    corners: list[Corner] = [(starts[p.level], tops[p.number] + shift) for p in all_places]
    high = count * step - SIZES["between"] + 2 * SIZES["margin"]
    return corners, (starts[-1] - SIZES["column"] + SIZES["margin"], high)


def _columns(all_places: list[Place], widths: list[int]) -> list[int]:
    """Give where each level starts, and where one more would."""
    starts = [SIZES["margin"]]
    for level in range(1 + max(place.level for place in all_places)):
        widest = max(widths[p.number] for p in all_places if p.level == level)
        starts.append(starts[-1] + widest + SIZES["column"])
    return starts


def tree_svg(evidence: Evidence) -> str:
    """Draw the whole tree."""
    subject = evidence.subject
    every = places(subject.tree)
    widths = [width(subject, place.node) for place in every]
    corners, (wide, high) = positions(every, widths)
    edges = [_edge(p, corners, widths) for p in every if p.parent is not None]
    boxes = [_box(subject, p, corners[p.number], widths[p.number]) for p in every]
    return element(
        "svg",
        element("g", "".join(edges), class_="edges", aria_hidden="true") + "".join(boxes),
        id="tree",
        viewBox=f"0 0 {wide} {high}",
        width=wide,
        height=high,
        role="tree",
        aria_label="Decision tree",
    )


def _edge(place: Place, corners: list[Corner], widths: list[int]) -> str:
    assert place.parent is not None
    half = SIZES["height"] / 2
    x, y = corners[place.number]
    from_x, from_y = corners[place.parent]
    from_x += widths[place.parent]
    middle = (from_x + x) / 2
    curve = f"M{from_x} {from_y + half}C{middle} {from_y + half} {middle} {y + half} {x} {y + half}"
    answer = "yes" if place.number == place.parent + 1 else "no"
    line = element("path", class_="edge", data_child=place.number, d=curve)
    at = {"x": x - 6, "y": y + half - 6, "text_anchor": "end"}
    return line + element("text", answer, class_="answer", data_child=place.number, **at)


def _box(subject: Subject, place: Place, corner: Corner, wide: int) -> str:
    node = place.node
    what, count = shown(subject, node)
    inner = isinstance(node, Node)
    colour = node_colour(subject, node)
    kind = "node split" if inner else "node leaf"
    style = None if inner else f"--own:{colour}"
    parts = [
        element("rect", class_="box", width=wide, height=SIZES["height"], rx=6, style=style),
        element("text", escape(clipped(what)), class_="what", x=11, y=19),
        element("text", escape(clipped(count)), class_="count", x=11, y=35),
        element("g", "".join(_bar(subject, node, wide)), class_="bar"),
        *([_fold_mark(wide)] if inner else []),
    ]
    return element(
        "g",
        "".join(parts),
        class_=kind,
        id=f"node-{place.number}",
        data_id=place.number,
        transform=f"translate({corner[0]} {corner[1]})",
        role="treeitem",
        tabindex=-1 if place.number else 0,
        aria_level=place.level + 1,
        aria_expanded="true" if inner else None,
        aria_label=f"{'Question' if inner else 'Leaf'}: {what}; {count}",
    )


def node_colour(subject: Subject, node: Tree) -> str:
    """Give the colour of what a node predicts."""
    if subject.classes is None:
        return NUMBERS
    return class_colours(len(subject.classes))[class_number(node)]


def _bar(subject: Subject, node: Tree, wide: int) -> Iterator[str]:
    """Draw the shares of the classes along the lower edge."""
    if subject.classes is None:
        return
    x, room = 11.0, wide - 22
    colours = class_colours(len(subject.classes))
    for colour, share in zip(colours, subject.shares(node), strict=True):
        if share:
            size = {"x": round(x, 2), "y": 40, "width": round(room * share, 2), "height": 4}
            yield element("rect", **size, fill=colour)
            x += room * share


def _fold_mark(wide: int) -> str:
    circle = element("circle", cx=wide - 15, cy=15, r=9)
    sign = element("text", FOLD, x=wide - 15, y=19, text_anchor="middle")
    return element("g", circle + sign, class_="fold", aria_hidden="true")
