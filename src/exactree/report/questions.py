"""The question of a node in the room that its box has: names are shortened, thresholds never."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from exactree.export.subject import Names, Subject
from exactree.splits.selected import SelectedSplit
from exactree.splits.surface import SurfaceSplit
from exactree.tree import Digits, Node, Split

LONGEST = 34  # letters in a box; the whole question is in its tooltip and in the panel
LONGEST_SUM = 44  # of a surface, which also says how many terms are left out
ALL_TERMS = 10**9


def surface_of(split: Split) -> tuple[SurfaceSplit, tuple[int, ...] | None] | None:
    """Give a surface and the columns that it knows (None: all), or None if the split is none.

    >>> from exactree.splits.axis import AxisSplit
    >>> surface_of(AxisSplit(0, 1.0)) is None
    True
    """
    inner, columns = (
        (split.split, split.columns) if isinstance(split, SelectedSplit) else (split, None)
    )
    return (inner, columns) if isinstance(inner, SurfaceSplit) else None


def full_question(subject: Subject, node: Node) -> str:
    """Write the question with all of its terms."""
    return _written(node.split, subject.feature_names, ALL_TERMS, **subject.few_digits)


def short_question(subject: Subject, node: Node) -> str:
    """Write the question so that it fits into a box: the first that does, or the last try."""
    text = ""
    room = LONGEST_SUM if surface_of(node.split) else LONGEST
    for text in _tries(subject, node.split):
        if len(text) <= room:
            break
    return text


def _tries(subject: Subject, split: Split) -> Iterator[str]:
    names = subject.feature_names
    yield split.question(names, **subject.few_digits)
    digits: Digits = {"digits": 3} if surface_of(split) else subject.few_digits
    for terms in (2, 1):
        yield _written(split, names, terms, **digits)
    if names is None:
        return
    for letters in range(20, 3, -2):
        yield _written(split, tuple(clipped(name, letters) for name in names), 1, **digits)


def _written(split: Split, names: Names | None, terms: int, **digits: Unpack[Digits]) -> str:
    """Write a formula; a surface with at most so many terms."""
    found = surface_of(split)
    if found is None:
        return split.question(names, **digits)
    surface, columns = found
    if columns is not None:
        names = tuple(f"x[{j}]" if names is None else names[j] for j in columns)
    return surface.formula(names, terms=terms, **digits)


def clipped(text: str, letters: int = LONGEST) -> str:
    """Shorten a long text in its middle, so that names that differ at their ends still do.

    >>> clipped("mean concave points", 9), clipped("age", 9)
    ('mean…ints', 'age')
    """
    if len(text) <= letters:
        return text
    end = (letters - 1) // 2
    return f"{text[: letters - 1 - end]}…{text[-end:]}"
