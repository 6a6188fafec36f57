"""The tree as SVG: the root on the left, a column for each level.

The script of the page lays the nodes out anew when some are folded, by the same rules and from
the sizes below, so what is drawn here is what a reader without scripts sees, or prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from exactree.export.colours import class_colours, mixed
from exactree.export.subject import Subject, class_number, mean, shown_number
from exactree.report.evidence import Evidence, element, number, rows_of
from exactree.report.histograms import HEIGHT, has_histogram, histogram
from exactree.report.questions import clipped, full_question, short_question, told_apart
from exactree.tree import Leaf, Node, Tree, leaves

SIZES = {"height": 48, "between": 12, "column": 56, "margin": 8, "indent": 44}
LETTER = 8.0  # about the width of a letter in pixels; the script measures it
FOLD = "\u2212"  # a minus as wide as a plus
LOW, HIGH = "#9ECAE1", "#08306B"  # from low numbers to high ones

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
    loss = f", loss {number(node.cost)}" if node.cost else ""
    count = rows_of(node.rows) + loss
    if isinstance(node, Node):
        return short_question(subject, node), count
    return _short_answer(subject, subject.answer(node)), count


def _short_answer(subject: Subject, answer: str) -> str:
    names = [str(name) for name in subject.classes or ()]
    return told_apart(names)[names.index(answer)] if answer in names else clipped(answer)


def width(subject: Subject, node: Tree) -> int:
    """Give the width of a node's box, which a fold mark shares with the text."""
    letters = max(len(line) for line in shown(subject, node))
    return round(LETTER * letters) + (44 if isinstance(node, Node) else 22)


def height(evidence: Evidence, place: Place) -> int:
    """Give the height of a node's box: with a histogram it needs more room."""
    node = place.node
    drawn = isinstance(node, Node) and has_histogram(evidence, node, evidence.seen[place.number])
    return SIZES["height"] + (HEIGHT + 6 if drawn else 0)


def positions(
    all_places: list[Place], widths: list[int], heights: list[int]
) -> tuple[list[Corner], Corner]:
    """Stand leaves below each other, parents beside the middle of their children.

    Returns the corners and the size of the whole.
    """
    starts = _columns(all_places, widths)
    step = SIZES["height"] + SIZES["between"]
    middles: dict[int, float] = {}
    count = 0
    for place in reversed(all_places):  # children before parents, the last leaf first
        if place.left is None or place.right is None:
            middles[place.number] = -count * step
            count += 1
        else:
            middles[place.number] = (middles[place.left] + middles[place.right]) / 2
    shift = (count - 1) * step + SIZES["margin"] + SIZES["height"] / 2
    corners: list[Corner] = [
        (starts[p.level], middles[p.number] + shift - heights[p.number] / 2) for p in all_places
    ]
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
    heights = [height(evidence, place) for place in every]
    corners, (wide, high) = positions(every, widths, heights)
    sides = [_Sides(*c, w, h) for c, w, h in zip(corners, widths, heights, strict=True)]
    edges = [
        _edge(p, every[p.parent].node, sides, p.node.rows / max(subject.tree.rows, 1))
        for p in every
        if p.parent is not None
    ]
    boxes = [_box(evidence, p, sides[p.number]) for p in every]
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


@dataclass(frozen=True)
class _Sides:
    """Where a box stands, and how large it is."""

    x: float
    y: float
    wide: int
    high: int

    @property
    def middle(self) -> float:
        return self.y + self.high / 2


def _edge(place: Place, parent: Tree, sides: list[_Sides], share: float) -> str:
    """Draw the way from the parent, as wide as the share of the rows that go it."""
    assert place.parent is not None
    here, above = sides[place.number], sides[place.parent]
    from_x = above.x + above.wide
    half_way = (from_x + here.x) / 2
    curve = (
        f"M{from_x} {above.middle}C{half_way} {above.middle} {half_way} {here.middle} "
        f"{here.x} {here.middle}"
    )
    assert isinstance(parent, Node)
    answer = parent.split.answers[place.number != place.parent + 1]
    own = {"data_child": place.number, "style": f"--rows:{share:.3f}"}
    line = element("path", class_="edge", d=curve, **own)
    beside = 18 if here.middle > above.middle else -8  # where the line does not come from
    at = {"x": here.x - 6, "y": here.middle + beside, "text_anchor": "end"}
    return line + element("text", answer, class_="answer", data_child=place.number, **at)


def _box(evidence: Evidence, place: Place, sides: _Sides) -> str:
    node, subject = place.node, evidence.subject
    what, count = shown(subject, node)
    inner = isinstance(node, Node)
    whole = full_question(subject, node) if isinstance(node, Node) else subject.answer(node)
    kind = "node split" if inner else "node leaf"
    style = None if inner else f"--own:{node_colour(subject, node)}"
    parts = [
        element("title", escape(f"{whole}\n{count}")),
        element("rect", class_="box", width=sides.wide, height=sides.high, rx=6, style=style),
        element("text", escape(what), class_="what", x=11, y=19),
        element("text", escape(count), class_="count", x=11, y=35),
        element("g", _picture(evidence, place, sides), class_="bar"),
        *([_fold_mark(sides.wide)] if inner else []),
    ]
    return element(
        "g",
        "".join(parts),
        class_=kind,
        id=f"node-{place.number}",
        data_id=place.number,
        transform=f"translate({sides.x} {sides.y})",
        role="treeitem",
        tabindex=-1 if place.number else 0,
        aria_level=place.level + 1,
        aria_expanded="true" if inner else None,
        aria_label=f"{'Question' if inner else 'Leaf'}: {whole}; {count}",
    )


def node_colour(subject: Subject, node: Tree) -> str:
    """Give the colour of what a node predicts: of its class, or of how high its number is."""
    if subject.classes is not None:
        return class_colours(len(subject.classes))[class_number(node)]
    values = [shown_number(leaf.value) for leaf in leaves(subject.tree)]
    return number_colour(shown_number(mean(node)), min(values), max(values))


def number_colour(value: float, low: float, high: float) -> str:
    """Give the colour of a number between two others.

    >>> number_colour(0.0, 0.0, 1.0), number_colour(1.0, 0.0, 1.0)
    ('#9ECAE1', '#08306B')
    """
    share = (value - low) / (high - low) if high > low else 0.5
    return mixed(LOW, HIGH, min(max(share, 0.0), 1.0))


def _picture(evidence: Evidence, place: Place, sides: _Sides) -> str:
    """Draw the histogram, if there is one, and the shares of the classes along the lower edge."""
    room, node = sides.wide - 22, place.node
    found = "".join(_bar(evidence.subject, node, room, sides.high - 8))
    if isinstance(node, Node) and sides.high > SIZES["height"]:
        rows = evidence.seen[place.number]
        found = histogram(evidence, node, rows, 11, 42, room) + found
    return found


def _bar(subject: Subject, node: Tree, room: float, top: float) -> Iterator[str]:
    if subject.classes is None:
        return
    x = 11.0
    colours = class_colours(len(subject.classes))
    for colour, share in zip(colours, subject.shares(node), strict=True):
        if share:
            size = {"x": round(x, 2), "y": top, "width": round(room * share, 2), "height": 4}
            yield element("rect", **size, fill=colour)
            x += room * share


def _fold_mark(wide: int) -> str:
    circle = element("circle", cx=wide - 15, cy=15, r=9)
    sign = element("text", FOLD, x=wide - 15, y=19, text_anchor="middle")
    return element("g", circle + sign, class_="fold", aria_hidden="true")
