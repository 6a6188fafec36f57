"""The question of a node in the room that its box has: names are shortened, thresholds never."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
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
        yield _written(split, tuple(told_apart(names, letters)), 1, **digits)


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


def told_apart(names: Sequence[str], letters: int = LONGEST) -> list[str]:
    """Shorten names; those that would look the same show the part in which they differ.

    >>> told_apart(["mean concave points", "age"], 9)
    ['mean…ints', 'age']
    >>> told_apart([f"the share of group {i} in the whole" for i in (1, 12)], 14)
    ['…of group 1 i…', '…of group 12 …']
    """
    short = [clipped(name, letters) for name in names]
    alike = {text for text in short if short.count(text) > 1}
    for text in alike:
        places = [i for i, one in enumerate(short) if one == text and names[i] != text]
        for i, one in zip(places, _around([names[i] for i in places], letters), strict=True):
            short[i] = one
    return short


def _around(names: list[str], letters: int) -> list[str]:
    """Give the letters before and behind the first one that is not the same in all names."""
    same = sum(1 for _ in takewhile(lambda at: len(set(at)) == 1, zip(*names, strict=False)))
    start = same - max(2, letters // 2 + letters // 4)
    return [_window(name, max(0, start), letters) for name in names]


def _window(name: str, start: int, letters: int) -> str:
    """Give so many letters from a place on, with marks of what is left out."""
    before = "…" if start else ""
    behind = "…" if len(name) - start > letters - len(before) else ""
    return before + name[start:][: letters - len(before) - len(behind)] + behind
