"""A tree in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from exactree.export.colours import node_colour
from exactree.export.labels import node_label
from exactree.export.subject import Subject, read_subject
from exactree.tree import Leaf, Tree, nodes, size


def export_dot(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Write the tree of a model as a graph for Graphviz, its nodes numbered in preorder.

    Parameters
    ----------
    model : estimator, Result or tree
        What to draw.
    feature_names, class_names : sequence of str or None
        Names to use instead of the model's own.

    Examples
    --------
    >>> from exactree.tree import Leaf
    >>> print(export_dot(Leaf(1, 10, (2, 8), 2), class_names=["no", "yes"]))
    digraph tree {
      node [shape=box, style="filled,rounded", fontname="Helvetica"];
      edge [fontname="Helvetica"];
      0 [label="yes\\n10 rows\\nyes: 8\\nno: 2", fillcolor="#F5D999"];
    }
    """
    subject = read_subject(model, feature_names, class_names)
    lines = [
        'node [shape=box, style="filled,rounded", fontname="Helvetica"];',
        'edge [fontname="Helvetica"];',
        *(_node(subject, n, node) for n, node in enumerate(nodes(subject.tree))),
        *_edges(subject.tree, 0),
    ]
    return "\n".join(["digraph tree {", *(f"  {line}" for line in lines), "}"])


def _node(subject: Subject, number: int, node: Tree) -> str:
    label = "\\n".join(_quoted(line) for line in node_label(subject, node))
    return f'{number} [label="{label}", fillcolor="{node_colour(subject, node)}"];'


def _edges(tree: Tree, number: int) -> Iterator[str]:
    if isinstance(tree, Leaf):
        return
    left = number + 1
    right = left + 2 * size(tree.left) + 1
    for child, answer in zip((left, right), tree.split.answers, strict=True):
        yield f'{number} -> {child} [label="{answer}"];'
    yield from _edges(tree.left, left)
    yield from _edges(tree.right, right)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
