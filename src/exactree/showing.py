"""Trees as small drawings for notebooks: SVG inside HTML, which fetches nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from exactree.tree import Leaf, Node, Tree, leaves, size, telling, value_text

HIGH, APART, BESIDE = 36, 8, 46  # pixels: of a box, between boxes, between levels
LETTER, MARGIN = 7.2, 10
LONGEST = 44  # letters of a line
MOST_LEAVES = 40  # beyond, the text has to do
STYLE = "font:12px ui-monospace,Menlo,Consolas,monospace;max-width:100%;overflow-x:auto"
Place = tuple[float, float]


def shortened(text: str, longest: int = LONGEST) -> str:
    """Shorten a question in the middle: what it compares with stays.

    >>> shortened("mean of the squared distances <= 0.25", 24)
    'mean of th…nces <= 0.25'
    """
    if len(text) <= longest:
        return text
    kept = longest // 2 - 2
    return f"{text[:kept]}…{text[-(kept + 2) :]}"


def tree_html(
    tree: Tree,
    heading: str,
    feature_names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
) -> str:
    """Draw a tree below a line that says what it is.

    >>> "<svg" in tree_html(Leaf(0, 3), "optimal")
    True
    """
    line = f'<div style="margin:4px 0"><b>{escape(heading)}</b></div>'
    if size(tree) >= MOST_LEAVES:
        line += f"<div>{size(tree)} splits: print it, or see export_text</div>"
        return f'<div style="{STYLE}">{line}</div>'
    return f'<div style="{STYLE}">{line}{_svg(tree, feature_names, classes)}</div>'


def _svg(tree: Tree, names: Sequence[str] | None, classes: Sequence[Any] | None) -> str:
    places = _places(tree)
    texts = [_lines(node, names, classes, telling(tree)) for node, _, _ in places]
    widths = [LETTER * max(map(len, map(shortened, lines))) + 2 * MARGIN for lines in texts]
    starts = _starts([level for _, level, _ in places], widths)
    corners = [(starts[level], row * (HIGH + APART) + 1) for _, level, row in places]
    edges = "".join(_edges(tree, corners, widths))
    boxes = "".join(map(_box, texts, corners, widths, (isinstance(n, Leaf) for n, _, _ in places)))
    wide, high = starts[-1], len(leaves(tree)) * (HIGH + APART)
    return (
        f'<svg width="{wide:.0f}" height="{high}" role="img" aria-label="decision tree" '
        f'fill="currentColor" stroke="none">{edges}{boxes}</svg>'
    )


def _places(tree: Tree) -> list[tuple[Tree, int, float]]:
    """Give every node in preorder with its level, and its row: a leaf its own, a parent between."""
    found: list[tuple[Tree, int, float]] = []
    below = 0

    def stand(node: Tree, level: int) -> float:
        nonlocal below
        at = len(found)
        found.append((node, level, 0.0))
        if isinstance(node, Node):
            row = (stand(node.left, level + 1) + stand(node.right, level + 1)) / 2
        else:
            row, below = float(below), below + 1
        found[at] = (node, level, row)
        return row

    stand(tree, 0)
    return found


def _starts(levels: list[int], widths: list[float]) -> list[float]:
    """Give where every level starts, and where the drawing ends."""
    found = [1.0]
    for level in range(max(levels) + 1):
        widest = max(w for w, at in zip(widths, levels, strict=True) if at == level)
        found.append(found[-1] + widest + BESIDE)
    found[-1] -= BESIDE - 2
    return found


def _lines(
    node: Tree, names: Sequence[str] | None, classes: Sequence[Any] | None, digits: Any
) -> list[str]:
    """Say what a node asks or predicts, and how many rows it has."""
    if isinstance(node, Node):
        first = node.split.question(names, **digits)
    elif classes:
        first = str(classes[int(node.value)])
    else:
        first = value_text(node.value)
    loss = f", loss {node.cost:.6g}" if node.cost else ""
    return [first, f"{node.rows:,} row{'s' * (node.rows != 1)}{loss}"]


def _edges(tree: Tree, corners: list[Place], widths: list[float]) -> Iterator[str]:
    """Draw the lines from every split to its two sides; sides follow in preorder."""

    def below(node: Tree, at: int) -> Iterator[str]:
        if isinstance(node, Leaf):
            return
        left, right = at + 1, at + 2 * size(node.left) + 2
        for child, answer in zip((left, right), node.split.answers, strict=True):
            (x, y), (to, end) = corners[at], corners[child]
            x, y, end = x + widths[at], y + HIGH / 2, end + HIGH / 2
            half = (x + to) / 2
            at_y = end - 4 if child == left else end + 12
            yield (
                f'<path d="M{x:.1f} {y:.1f}C{half:.1f} {y:.1f} {half:.1f} {end:.1f} {to:.1f} '
                f'{end:.1f}" fill="none" stroke="currentColor" opacity="0.4"/>'
                f'<text x="{to - 4:.1f}" y="{at_y:.1f}" text-anchor="end" font-size="10">'
                f"{answer}</text>"
            )
        yield from below(node.left, left)
        yield from below(node.right, right)

    return below(tree, 0)


def _box(lines: list[str], corner: Place, wide: float, leaf: bool) -> str:
    x, y = corner
    fill = 'fill="#0072B2" fill-opacity="0.14"' if leaf else 'fill="none"'
    return (
        f"<g><title>{escape(lines[0])}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{HIGH}" rx="5" {fill} '
        'stroke="currentColor" stroke-opacity="0.4"/>'
        f'<text x="{x + MARGIN:.1f}" y="{y + 15:.1f}">{escape(shortened(lines[0]))}</text>'
        f'<text x="{x + MARGIN:.1f}" y="{y + 29:.1f}" font-size="10" opacity="0.75">'
        f"{escape(lines[1])}</text></g>"
    )
