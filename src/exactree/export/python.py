"""A tree as a Python function that needs nothing: not exactree, and NumPy only for dates."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any
from unicodedata import normalize

from exactree.export.subject import Subject, read_subject
from exactree.splits.axis import AxisSplit, MissingSplit
from exactree.splits.categories import CategorySplit, OrderedSplit, SubsetSplit
from exactree.splits.moments import MomentSplit
from exactree.splits.selected import SelectedSplit
from exactree.tree import Leaf, Node, Split, Tree

MISSING = "_is_missing"
IS_MISSING = f"""def {MISSING}(value):
    return value is None or type(value).__name__ == 'NAType' or value != value"""
# As a date of Python's, one of pandas would lose its nanoseconds.
FINE = "_in_numpy"
IN_NUMPY = f"""def {FINE}(value):
    return value.to_numpy() if hasattr(value, 'to_numpy') else value"""

# CPython reads at most 100 levels of indentation.
DEEPEST_LEVEL = 90


def export_python(
    model: Any,
    *,
    function: str = "predict",
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Write Python source of a function that predicts one row, to the last digit like the model.

    The function takes a sequence of values in the order of the columns: numbers, categories, dates;
    None, NaN or pandas.NA where a value is missing, in columns where training had such values. A
    split family of one's own takes part if its splits have a method `to_python()`: an expression in
    the row `x` that is true where the question holds.

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
    _refuse_name(function)
    subject = read_subject(model, feature_names, class_names)
    writer = _Writer(subject, function)
    statements = list(writer.statements(subject.tree, 1))
    body = [*_names(subject), *writer.functions, *statements]
    written = "\n".join([f"def {function}(x):", *(f"    {line}" for line in body)])
    _refuse_called(function, written)
    for name, helper in ((MISSING, IS_MISSING), (FINE, IN_NUMPY)):
        if name in written:
            written = f"{helper}\n\n\n{written}"
    return f"import numpy\n\n\n{written}" if "numpy." in written else written


def _refuse_name(function: str) -> None:
    """Refuse what Python does not take for the name of a function, or would change."""
    good = function.isidentifier() and normalize("NFKC", function) == function
    try:
        compile(f"def {function if good else 'return'}(x): pass", "<name>", "exec")
    except SyntaxError:
        raise ValueError(
            f"function={function!r} cannot be the name of a Python function: pass letters, digits "
            "and _ that are no word of the language"
        ) from None


def _refuse_called(function: str, written: str) -> None:
    """Refuse the name of something that the function calls: it would call itself."""
    called = {node.id for node in ast.walk(ast.parse(written)) if isinstance(node, ast.Name)}
    if function in called - {"x"}:
        raise ValueError(
            f"function={function!r} is the name of what the function itself calls: pass another"
        )


def _names(subject: Subject) -> Iterator[str]:
    if subject.feature_names is not None:
        for j, name in enumerate(subject.feature_names):
            shown = (c if c.isprintable() else repr(c)[1:-1] for c in " ".join(name.split()))
            yield f"# x[{j}]: {''.join(shown)}"


class _Writer:
    """Writes a tree as statements; subtrees below `DEEPEST_LEVEL` are functions of their own."""

    def __init__(self, subject: Subject, function: str) -> None:
        self.subject, self.function = subject, function
        self.functions: list[str] = []
        self.count = 0

    def statements(self, tree: Tree, level: int) -> Iterator[str]:
        """Write the tree, indented so many levels in the end; only left sides are deeper."""
        if isinstance(tree, Leaf):
            yield f"return {literal(self.subject.value(tree))}"
            return
        yield f"if {_question(self.subject, tree)}:"
        inside = self.statements if level < DEEPEST_LEVEL else self.call
        yield from (f"    {line}" for line in inside(tree.left, level + 1))
        yield from self.statements(tree.right, level)

    def call(self, tree: Tree, _: int) -> Iterator[str]:
        """Write the tree as a function of its own, and call that."""
        self.count += 1
        name = f"{self.function}_{self.count}"
        body = list(self.statements(tree, 2))
        self.functions += [f"def {name}(x):", *(f"    {line}" for line in body)]
        yield f"return {name}(x)"


def _question(subject: Subject, node: Node) -> str:
    """Write what a node asks, with its answer for values that training had no answer for."""
    split = node.split
    if isinstance(split, MissingSplit):
        return f"{'not ' * split.known}{MISSING}(x[{split.feature}])"
    missing_left = _missing_left(split)
    if isinstance(split, CategorySplit):
        asked = f"x[{split.feature}] == {split.category!r}"
    elif isinstance(split, SubsetSplit | OrderedSplit):
        asked = _among(split.feature, split.left, split.right, left_too=node.heavier_left)
    elif isinstance(split, AxisSplit | MomentSplit):
        asked = condition(split)
    else:
        return condition(split)
    if missing_left is None:
        if not subject.has_holes(split.feature):
            return asked
        missing_left = node.heavier_left and not isinstance(split, CategorySplit)
    gone = f"{MISSING}(x[{split.feature}])"
    return f"{gone} or {asked}" if missing_left else f"not {gone} and {asked}"


def _missing_left(split: Split) -> bool | None:
    """Tell whether missing values go left; None if training had none there."""
    if isinstance(split, SubsetSplit):
        return None in split.left if None in (*split.left, *split.right) else None
    way = getattr(split, "missing", None)
    return None if way is None else bool(way == "left")


def _among(feature: int, left: Sequence[Any], right: Sequence[Any], *, left_too: bool) -> str:
    """Ask whether a category is on the left, or, if others go left too, not on the right."""
    named = right if left_too else left
    return f"x[{feature}] {'not ' * left_too}in {tuple(v for v in named if v is not None)!r}"


def condition(split: Split) -> str:
    """Write a split as an expression in x that means the same to the last digit.

    >>> condition(AxisSplit(3, 0.1))
    'x[3] <= 0.1'
    """
    if isinstance(split, AxisSplit):
        return f"x[{split.feature}] <= {float(split.threshold)!r}"
    if isinstance(split, MomentSplit):
        of = f"numpy.{'datetime' if split.holds == 'date' else 'timedelta'}64"
        given = f"x[{split.feature}]"
        given = f"{FINE}({given})" if split.unit == "ns" else given
        return f"{of}({given}, {split.unit!r}) <= {of}({split.threshold}, {split.unit!r})"
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
