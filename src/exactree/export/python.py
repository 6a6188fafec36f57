"""A tree as a Python function that needs nothing: not exactree, and NumPy only for dates."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from exactree.export.subject import Subject, read_subject
from exactree.splits.axis import AxisSplit, MissingSplit
from exactree.splits.categories import CategorySplit, OrderedSplit, SubsetSplit
from exactree.splits.moments import MomentSplit
from exactree.splits.selected import SelectedSplit
from exactree.tree import Leaf, Node, Split, Tree

MISSING = "_is_missing"
IS_MISSING = f"""def {MISSING}(value):
    return value is None or value != value"""


def export_python(
    model: Any,
    *,
    function: str = "predict",
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Write Python source of a function that predicts one row, to the last digit like the model.

    The function takes a sequence of values in the order of the columns: numbers, categories, dates;
    None or NaN where a value is missing, in columns where training had such values. A split family
    of one's own takes part if its splits have a method `to_python()`: an expression in the row `x`
    that is true where the question holds.

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
    lines = [f"def {function}(x):", *(f"    {line}" for line in body)]
    written = "\n".join(lines)
    if MISSING in written:
        written = f"{IS_MISSING}\n\n\n{written}"
    return f"import numpy\n\n\n{written}" if "numpy." in written else written


def _names(subject: Subject) -> Iterator[str]:
    if subject.feature_names is not None:
        for j, name in enumerate(subject.feature_names):
            yield f"# x[{j}]: {' '.join(name.split())}"


def _statements(subject: Subject, tree: Tree) -> Iterator[str]:
    if isinstance(tree, Leaf):
        yield f"return {literal(subject.value(tree))}"
        return
    yield f"if {_question(subject, tree)}:"
    yield from (f"    {line}" for line in _statements(subject, tree.left))
    yield from _statements(subject, tree.right)


def _question(subject: Subject, node: Node) -> str:
    """Write what a node asks, with its answer for values that training had no answer for."""
    split = node.split
    if isinstance(split, MissingSplit):
        return f"{'not ' * split.known}{MISSING}(x[{split.feature}])"
    if isinstance(split, CategorySplit):
        return f"x[{split.feature}] == {split.category!r}"
    if isinstance(split, SubsetSplit):
        return _among(split.feature, split.left, split.right, left_too=node.heavier_left)
    if isinstance(split, OrderedSplit):
        sides = [[*split.left], [*split.right]]
        if split.missing is not None:
            sides[split.missing == "right"].append(None)  # type: ignore[arg-type]
        return _among(split.feature, sides[0], sides[1], left_too=node.heavier_left)
    asked = condition(split)
    if isinstance(split, AxisSplit | MomentSplit) and subject.has_holes(split.feature):
        left = node.heavier_left if split.missing is None else split.missing == "left"
        gone = f"{MISSING}(x[{split.feature}])"
        return f"{gone} or {asked}" if left else f"not {gone} and {asked}"
    return asked


def _among(feature: int, left: Sequence[Any], right: Sequence[Any], *, left_too: bool) -> str:
    """Ask whether a category is on the left, or, if others go left too, not on the right."""
    named = right if left_too else left
    known = f"x[{feature}] {'not ' * left_too}in {tuple(v for v in named if v is not None)!r}"
    gone = f"{MISSING}(x[{feature}])"
    if None not in (*left, *right):
        return known
    return f"{gone} or {known}" if None in left else f"not {gone} and {known}"


def condition(split: Split) -> str:
    """Write a split as an expression in x that means the same to the last digit.

    >>> condition(AxisSplit(3, 0.1))
    'x[3] <= 0.1'
    """
    if isinstance(split, AxisSplit):
        return f"x[{split.feature}] <= {split.threshold!r}"
    if isinstance(split, MomentSplit):
        of = f"numpy.{'datetime' if split.holds == 'date' else 'timedelta'}64"
        return (
            f"{of}(x[{split.feature}], {split.unit!r}) <= {of}({split.threshold}, {split.unit!r})"
        )
    if isinstance(split, SelectedSplit):
        rows = ", ".join(f"x[{j}]" for j in split.columns)
        return f"(lambda x: {condition(split.split)})([{rows}])"
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
