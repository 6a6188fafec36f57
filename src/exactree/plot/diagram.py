"""The tree as a diagram of boxes and lines.

Boxes are as large as their text, so the text is made first, measured, and then put in place.
Lengths are in points.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from exactree.export.colours import node_colour
from exactree.export.labels import node_label
from exactree.export.subject import Subject, read_subject
from exactree.plot.canvas import INK, pyplot
from exactree.tree import Leaf, Node, Tree, nodes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# In units of the font size.
PADDING = 0.5
GAP = 1.2
DROP = 2.4


@dataclass(frozen=True)
class Block:
    """A subtree in its place relative to its root.

    `xs` are the centres of its nodes in preorder; `lefts` and `rights` are how far it reaches on
    each level.
    """

    xs: list[float]
    lefts: list[float]
    rights: list[float]


class Box(NamedTuple):
    """The middle of a node's box, and its height."""

    x: float
    y: float
    height: float


def plot_tree(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    fontsize: float = 10.0,
    wrap: int = 26,
    ax: Axes | None = None,
) -> Axes:
    """Draw the tree: questions in boxes, answers at the lines, leaves with the rows in them.

    A box has the colour of its class, paler the more the classes are mixed.

    Parameters
    ----------
    model : estimator, Result or tree
        What to draw.
    feature_names, class_names : sequence of str or None
        Names to use instead of the model's own.
    fontsize : float
        In points; in given axes, less if the tree would not fit otherwise.
    wrap : int
        Break lines of more characters.
    ax : matplotlib Axes or None
        Where to draw; None makes a figure of the size that the tree needs.
    """
    subject = read_subject(model, feature_names, class_names)
    made = _empty_axes() if ax is None else ax
    made.set_axis_off()
    texts = [_text(made, subject, node, fontsize, wrap) for node in nodes(subject.tree)]
    widths, heights = zip(*(_extent(text) for text in texts), strict=True)
    block = arranged(subject.tree, iter(widths), GAP * fontsize)
    levels = list(_levels(subject.tree))
    ys = _descent(levels, heights, DROP * fontsize)
    width = max(block.rights) - min(block.lefts) + 2 * fontsize
    low = min(ys[level] - height / 2 for level, height in zip(levels, heights, strict=True))
    high = heights[0] / 2
    scale = _fit(made, width, high - low + 2 * fontsize, grow=ax is None)
    made.set_xlim(min(block.lefts) - fontsize, max(block.rights) + fontsize)
    made.set_ylim(low - fontsize, high + fontsize)
    boxes = [
        Box(x, ys[level], height)
        for x, level, height in zip(block.xs, levels, heights, strict=True)
    ]
    for text, box in zip(texts, boxes, strict=True):
        text.set_position((box.x, box.y))
        text.set_fontsize(fontsize * scale)
    _draw_edges(made, subject.tree, boxes, 0.85 * fontsize * scale)
    return made


def _empty_axes() -> Axes:
    figure = pyplot().figure()
    made: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    return made


def _text(ax: Axes, subject: Subject, node: Tree, fontsize: float, wrap: int) -> Text:
    lines = [
        part
        for line in node_label(subject, node)
        for part in textwrap.wrap(_tied(line), wrap, break_long_words=False) or [""]
    ]
    box = {
        "boxstyle": f"round,pad={PADDING}" if isinstance(node, Leaf) else f"square,pad={PADDING}",
        "facecolor": node_colour(subject, node),
        "edgecolor": INK,
        "linewidth": 0.8,
    }
    # Names are names, even with a dollar sign.
    return ax.text(
        0,
        0,
        "\n".join(lines),
        ha="center",
        va="center",
        fontsize=fontsize,
        color="black",
        bbox=box,
        parse_math=False,
        zorder=3,
    )


def _tied(line: str) -> str:
    """Keep an operator and what follows it on one line."""
    return re.sub(r"(?<= )([-+<>]|<=|>=) ", "\\1\N{NO-BREAK SPACE}", line)


def _extent(text: Text) -> tuple[float, float]:
    """Measure the box around a text."""
    figure = text.figure
    assert figure is not None
    measured = text.get_window_extent()
    border = 2 * PADDING * float(text.get_fontsize())
    points = 72 / figure.dpi
    return measured.width * points + border, measured.height * points + border


def _fit(ax: Axes, width: float, height: float, *, grow: bool) -> float:
    """Make room for the tree, or give the factor by which it has to shrink."""
    from matplotlib.figure import Figure

    figure = ax.figure
    if grow and isinstance(figure, Figure):
        figure.set_size_inches(width / 72, height / 72)
        return 1.0
    room = ax.get_window_extent()
    points = 72 / figure.dpi
    return float(min(1.0, room.width * points / width, room.height * points / height))


def arranged(tree: Tree, widths: Iterator[float], gap: float) -> Block:
    """Put two subtrees as close as their boxes allow, and their parent above the middle.

    >>> arranged(Leaf(0), iter([10.0]), 1.0)
    Block(xs=[0.0], lefts=[-5.0], rights=[5.0])
    """
    half = next(widths) / 2
    if isinstance(tree, Leaf):
        return Block([0.0], [-half], [half])
    left, right = arranged(tree.left, widths, gap), arranged(tree.right, widths, gap)
    # Where one is deeper than the other, nothing of the other is in the way.
    apart = gap + max(a - b for a, b in zip(left.rights, right.lefts, strict=False))
    left, right = _moved(left, -apart / 2), _moved(right, apart / 2)
    deep = len(left.lefts)
    return Block(
        [0.0, *left.xs, *right.xs],
        [-half, *left.lefts, *right.lefts[deep:]],
        [half, *right.rights, *left.rights[len(right.rights) :]],
    )


def _moved(block: Block, by: float) -> Block:
    return Block(
        [x + by for x in block.xs],
        [x + by for x in block.lefts],
        [x + by for x in block.rights],
    )


def _levels(tree: Tree, level: int = 0) -> Iterator[int]:
    yield level
    if isinstance(tree, Node):
        yield from _levels(tree.left, level + 1)
        yield from _levels(tree.right, level + 1)


def _descent(levels: list[int], heights: Sequence[float], drop: float) -> list[float]:
    """Give the height of every level, the gap between two being the same everywhere.

    >>> _descent([0, 1, 1], [10.0, 20.0, 30.0], 5.0)
    [0.0, -25.0]
    """
    tallest = [0.0] * (max(levels) + 1)
    for level, height in zip(levels, heights, strict=True):
        tallest[level] = max(tallest[level], height)
    ys = [0.0]
    for above, below in pairwise(tallest):
        ys.append(ys[-1] - above / 2 - drop - below / 2)
    return ys


def _draw_edges(ax: Axes, tree: Tree, boxes: list[Box], fontsize: float, number: int = 0) -> int:
    """Join a node with its children, which hide the ends of the lines; give the next number."""
    if isinstance(tree, Leaf):
        return number + 1
    following = number + 1
    for child, answer in zip((tree.left, tree.right), tree.split.answers, strict=True):
        _draw_edge(ax, boxes[number], boxes[following], answer, fontsize)
        following = _draw_edges(ax, child, boxes, fontsize, following)
    return following


def _draw_edge(ax: Axes, above: Box, below: Box, answer: str, fontsize: float) -> None:
    ax.plot([above.x, below.x], [above.y, below.y], color=INK, linewidth=0.8, zorder=1)
    # Halfway between the boxes, not between their middles.
    y = (above.y - above.height / 2 + below.y + below.height / 2) / 2
    share = (above.y - y) / (above.y - below.y)
    ax.text(
        above.x + share * (below.x - above.x),
        y,
        answer,
        ha="center",
        va="center",
        fontsize=fontsize,
        color=INK,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        zorder=2,
    )
