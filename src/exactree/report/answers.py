"""How the tree answers the rows it is shown: a confusion matrix, or the errors of its numbers."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from exactree.report.evidence import Evidence, element, number, rows_of
from exactree.report.questions import told_apart

MOST_BESIDE = 4  # names over a confusion matrix that are never turned upwards
LONGEST_HEAD = 90  # letters that more of them have side by side

EXPLAINED = (
    "Rows by class. Recall is the share of a class that is recognised, precision the share of a "
    "prediction that is right."
)


def confusion(evidence: Evidence) -> NDArray[np.int64]:
    """Count rows by their class and the predicted one."""
    assert evidence.subject.classes is not None
    table = np.zeros((len(evidence.subject.classes),) * 2, dtype=np.int64)
    np.add.at(table, (evidence.truth, evidence.answers), 1)
    return table


def answers_html(evidence: Evidence) -> str:
    """Write the table that fits the kind of tree, and a sentence."""
    if evidence.subject.classes is None:
        return _errors_html(evidence)
    table = confusion(evidence)
    right, total = int(np.trace(table)), int(table.sum())
    sentence = (
        f"Of the {rows_of(total)} given to this report, the tree gets {number(right)} right "
        f"({right / total:.1%}) and {number(total - right)} wrong."
    )
    matrix = element("div", _matrix(evidence, table), class_="scroll")
    return element("p", sentence) + matrix + element("p", EXPLAINED, class_="hint")


def _matrix(evidence: Evidence, table: NDArray[np.int64]) -> str:
    names = [str(name) for name in evidence.subject.classes or ()]
    long = len(names) > MOST_BESIDE and sum(map(len, names)) > LONGEST_HEAD
    shown = told_apart(names) if long else names
    pairs = list(zip(names, shown, strict=True))
    head = "".join(_heading(name, short, "col", upright=long) for name, short in pairs)
    over = element("th", "") + element("th", "predicted", colspan=len(names), scope="colgroup")
    over += element("th", "") if names else ""
    top = element("tr", over) + element(
        "tr", element("th", "actual", scope="col") + head + element("th", "recall", scope="col")
    )
    rows = [
        _matrix_row(_heading(*pair, "row"), i, row)
        for i, (pair, row) in enumerate(zip(pairs, table, strict=True))
    ]
    shares = [_share(table[i, i], table[:, i].sum()) for i in range(len(names))]
    last = element("th", "precision", scope="row") + "".join(element("td", s) for s in shares)
    body = "".join(rows) + element("tr", last + element("td", ""), class_="totals")
    return element("table", element("thead", top) + element("tbody", body), class_="matrix")


def _heading(name: str, short: str, scope: str, *, upright: bool = False) -> str:
    """Write the name of a class beside its row or over its column, the whole in its tooltip."""
    return element(
        "th",
        element("span", escape(short)) if upright else escape(short),
        scope=scope,
        class_="upright" if upright else None,
        title=name if name != short else None,
    )


def _matrix_row(head: str, i: int, row: NDArray[np.int64]) -> str:
    total = int(row.sum())
    cells = [
        element(
            "td",
            number(int(count)),
            class_="right" if i == j else ("wrong" if count else "none"),
            style=f"--share:{count / total if total else 0:.3f}",
        )
        for j, count in enumerate(row)
    ]
    recall = element("td", _share(row[i], total), class_="total")
    return element("tr", head + "".join(cells) + recall)


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "none"


def _errors_html(evidence: Evidence) -> str:
    errors = evidence.truth - evidence.answers
    spread = float(((evidence.truth - evidence.truth.mean()) ** 2).sum())
    squared = float((errors**2).sum())
    facts = {
        "Rows": number(len(errors)),
        "Mean absolute error": number(float(np.abs(errors).mean())),
        "Root mean squared error": number(float(np.sqrt((errors**2).mean()))),
        "Largest error": number(float(np.abs(errors).max())),
        "R²": number(1 - squared / spread) if spread else "none",
    }
    cells = (element("div", element("dt", k) + element("dd", v)) for k, v in facts.items())
    return element("dl", "".join(cells), class_="facts")
