"""A tree as text, drawn with lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exactree.export.subject import read_subject
from exactree.tree import to_text


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Draw the tree of a model with its questions and leaves, a line each.

    Parameters
    ----------
    model : estimator, Result or tree
        What to draw.
    feature_names, class_names : sequence of str or None
        Names to use instead of the model's own.

    Examples
    --------
    >>> from exactree.splits import AxisSplit
    >>> from exactree.tree import Leaf, Node
    >>> stump = Node(AxisSplit(0, 2.5), Leaf(0, 3, (3, 0)), Leaf(1, 4, (1, 3), 1))
    >>> print(export_text(stump, feature_names=["age"], class_names=["no", "yes"]))
    age <= 2.5
    ├─ yes: no (3 rows)
    └─ no: yes (4 rows, loss 1)
    """
    subject = read_subject(model, feature_names, class_names)
    names = None if subject.classes is None else subject.classes
    return to_text(subject.tree, feature_names=subject.feature_names, class_names=names)
