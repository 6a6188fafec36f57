"""What to write into a node of a drawing."""

from __future__ import annotations

from exactree.export.subject import Subject
from exactree.tree import Leaf, Tree

MOST_CLASSES = 4


def node_label(subject: Subject, node: Tree) -> list[str]:
    """Say in short lines what a node asks or predicts, and which rows are in it.

    >>> from exactree.export.subject import read_subject
    >>> leaf = Leaf(1, 10, (2, 8), 2)
    >>> node_label(read_subject(leaf, class_names=["no", "yes"]), leaf)
    ['yes', '10 rows', 'yes: 8', 'no: 2']
    """
    if not isinstance(node, Leaf):
        return [node.split.question(subject.feature_names, **subject.few_digits)]
    if not node.rows:
        return [subject.answer(node)]
    count = f"{node.rows} row{'s' * (node.rows != 1)}"
    if subject.classes is None:
        return [subject.answer(node), count, f"loss {node.cost:.4g}"]
    return [subject.answer(node), count, *_mixture(subject, node)]


def _mixture(subject: Subject, leaf: Leaf) -> list[str]:
    """Tell the weight of each class, the heaviest first, unless there is but one."""
    assert subject.classes is not None
    present = [(w, name) for w, name in zip(leaf.weights, subject.classes, strict=False) if w]
    if len(present) < 2:
        return []
    # Sorting keeps the order of the classes among equals.
    told = [f"{name}: {w:.6g}" for w, name in sorted(present, key=lambda p: -p[0])]
    return [*told[:MOST_CLASSES], *(["..."] if len(told) > MOST_CLASSES else [])]
