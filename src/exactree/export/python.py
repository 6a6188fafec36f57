"""A tree as a Python function that needs nothing: not exactree, not NumPy."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from exactree.export.subject import Subject, read_subject
from exactree.splits.axis import AxisSplit
from exactree.tree import Leaf, Split, Tree


def export_python(
    model: Any,
    *,
    function: str = "predict",
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Write Python source of a function that predicts one row, to the last digit like the model.

    The function takes a sequence of numbers in the order of the columns. A split family of one's
    own takes part if its splits have a method `to_python()`: an expression in the row `x` that is
    true where the question holds.

    Parameters
    ----------
    model : estimator, Result or tree
        What to write down.
    function : str
        The name of the function.
    feature_names, class_names : sequence or None
        Names to use instead of the model's own; the classes are what the function returns.

    Examples
    --------
    >>> from exactree.tree import Node
    >>> stump = Node(AxisSplit(0, 2.5), Leaf(0, 3, (3, 0)), Leaf(1, 4, (1, 3), 1))
    >>> print(export_python(stump, feature_names=["age"], class_names=["no", "yes"]))
    def predict(x):
        # x[0]: age
        if x[0] <= 2.5:
            return 'no'
        return 'yes'
    """
    if not function.isidentifier():
        raise ValueError(f"function={function!r} cannot be the name of a Python function")
    subject = read_subject(model, feature_names, class_names)
    body = [*_names(subject), *_statements(subject, subject.tree)]
    return "\n".join([f"def {function}(x):", *(f"    {line}" for line in body)])


def _names(subject: Subject) -> Iterator[str]:
    if subject.feature_names is not None:
        for j, name in enumerate(subject.feature_names):
            yield f"# x[{j}]: {' '.join(name.split())}"


def _statements(subject: Subject, tree: Tree) -> Iterator[str]:
    if isinstance(tree, Leaf):
        yield f"return {literal(subject.value(tree))}"
        return
    yield f"if {condition(tree.split)}:"
    yield from (f"    {line}" for line in _statements(subject, tree.left))
    yield from _statements(subject, tree.right)


def condition(split: Split) -> str:
    """Write a split as an expression in x that means the same to the last digit.

    >>> condition(AxisSplit(3, 0.1))
    'x[3] <= 0.1'
    """
    if isinstance(split, AxisSplit):
        return f"x[{split.feature}] <= {split.threshold!r}"
    write = getattr(split, "to_python", None)
    if write is None:
        raise ValueError(
            f"splits of kind {split.kind!r} cannot be written as Python: they have no to_python()"
        )
    return str(write())


def literal(value: Any) -> str:
    """Write a class or a number so that Python reads the same.

    >>> literal("it's"), literal(0.1)
    ('"it\\'s"', '0.1')
    """
    text = repr(value)
    try:
        same = ast.literal_eval(text) == value
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise ValueError(f"the class {text} has no literal in Python: pass class_names of text")
    return text
