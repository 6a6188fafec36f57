"""The fields of the form in which a reader tries the tree."""

from __future__ import annotations

from html import escape

import numpy as np

from exactree.report.evidence import Evidence, element, number
from exactree.splits.categories import shown_value
from exactree.tables import Column
from exactree.tables.times import written

ISO_DATE = r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?)?"


def cell(column: Column, i: int) -> float | str | None:
    """Write a value for the form: a number, a category or a date as text, None if it is missing.

    >>> from exactree.tables import Kind
    >>> cell(Column(Kind("category"), np.array([0, -1]), ("red",)), 0)
    'red'
    """
    if column.missing[i]:
        return None
    if column.kind.has_categories:
        return shown_value(column.categories[column.values[i]])
    if column.kind.name == "date":
        return written(int(column.values[i]), "date", column.kind.unit)
    return float(column.values[i])


def field(evidence: Evidence, j: int, *, asked: bool) -> str:
    """Ask for a value of a column, and say what the data have."""
    kind = evidence.kind(j)
    box, hint = (_choice if kind.has_categories else _entry)(evidence, j)
    if kind.holes and not kind.has_categories:
        hint += "; leave it empty if it is not known"
    if not asked:
        hint = "the tree does not ask for it"
    name = element("label", escape(evidence.subject.feature(j)), for_=f"x-{j}")
    return element("div", name + box + element("small", hint, id=f"hint-{j}"), class_="field")


def _entry(evidence: Evidence, j: int) -> tuple[str, str]:
    """Ask for a number or a date, starting from the median."""
    column, kind = evidence.column(j), evidence.kind(j)
    start = cell(evidence.typical(j), 0)
    box = element(
        "input",
        type="text" if kind.name == "date" else "number",
        step=None if kind.name == "date" else "any",
        pattern=ISO_DATE if kind.name == "date" else None,
        required=None if kind.holes else "",
        placeholder="not known" if kind.holes else None,
        id=f"x-{j}",
        data_feature=j,
        data_holds=kind.name,
        value=start
        if isinstance(start, str)
        else ""
        if start is None
        else repr(start).removesuffix(".0"),
        aria_describedby=f"hint-{j}",
    ).removesuffix("</input>")
    return box, _range(column)


def _range(column: Column) -> str:
    """Tell the least and the greatest value."""
    known = np.flatnonzero(~column.missing)
    if not len(known):
        return "none in the data"
    ends = [cell(column, int(known[k(column.values[known])])) for k in (np.argmin, np.argmax)]
    low, high = (e if isinstance(e, str) else number(e or 0.0) for e in ends)
    unit = f" {column.kind.unit}" if column.kind.name == "duration" else ""
    return f"{low} to {high}{unit} in the data"


def _choice(evidence: Evidence, j: int) -> tuple[str, str]:
    """Ask for a category, starting from the commonest; one that is not known is an answer too."""
    column = evidence.column(j)
    names = [shown_value(value) for value in column.categories]
    start = cell(evidence.typical(j), 0)
    options = [
        element("option", escape(name), value=name, selected="" if name == start else None)
        for name in names
    ]
    unknown = element("option", "not known", value="", selected="" if start is None else None)
    box = element(
        "select",
        "".join(options) + unknown,
        id=f"x-{j}",
        data_feature=j,
        data_holds="category",
        aria_describedby=f"hint-{j}",
    )
    return box, f"{len(names)} in the data"
