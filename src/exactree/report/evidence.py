"""What the parts of a report look at: the model, its proof, and rows with known answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import tree
from exactree.export.subject import Subject, read_subject
from exactree.export.unwrapping import transformed, unwrapped
from exactree.problem import Result
from exactree.tables import Column, Kind, Table, read_rows, simplest
from exactree.tree import Node, Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """A model and the rows it is shown with.

    `truth` and `answers` are class numbers, or numbers if `subject.classes` is None; `seen` has
    the rows that reach each node, in preorder; `certificate`
    is the file of one, if there is any.
    """

    subject: Subject
    result: Result
    parameters: dict[str, Any]
    X: Any  # an array of complete numbers, or a table
    truth: NDArray[Any]
    answers: NDArray[Any]
    seen: list[NDArray[np.intp]]
    certificate: str | None = None

    @property
    def nodes(self) -> list[Tree]:
        """All nodes in preorder."""
        return list(tree.nodes(self.subject.tree))

    @property
    def wrong(self) -> NDArray[Any]:
        """How wrong each row is: 0 or 1, or the distance to the truth."""
        if self.subject.classes is None:
            return np.asarray(np.abs(self.truth - self.answers))
        return np.asarray(self.truth != self.answers).astype(np.int64)

    def kind(self, j: int) -> Kind:
        """What a column holds."""
        return Kind() if self.result.columns is None else self.result.columns[j]

    def column(self, j: int) -> Column:
        """The values of a column."""
        return self.X.column(j) if isinstance(self.X, Table) else Column(Kind(), self.X[:, j])

    def known_numbers(self, j: int) -> Floats:
        """The numbers of a column that are not missing."""
        numbers = self.column(j).numbers()
        return numbers[~np.isnan(numbers)]

    def typical(self, j: int) -> Column:
        """A column of one value: a median of six digits, a middle date, the commonest category."""
        column = self.column(j)
        known = column.values[~column.missing]
        if not len(known):
            return column.take([0])
        if column.kind.name == "number":
            return replace(column, values=np.array([float(f"{np.median(known):.6g}")]))
        if column.kind.name in ("category", "boolean"):
            return replace(column, values=np.array([np.bincount(known).argmax()], dtype=np.int32))
        return replace(column, values=np.sort(known)[[(len(known) - 1) // 2]])

    def typical_rows(self, count: int, given: dict[int, Floats]) -> Any:
        """Rows of typical values but for some columns of numbers."""
        columns = [
            Column(Kind(), given[j]) if j in given else self.typical(j).take([0] * count)
            for j in range(self.subject.n_features)
        ]
        return simplest(Table(columns))

    def used_features(self) -> list[int]:
        """List the columns that the tree looks at."""
        splits = [node.split for node in self.nodes if isinstance(node, Node)]
        return sorted({j for split in splits for j in split.features()})


def read_evidence(model: Any, X: Any, y: Any) -> Evidence:
    """Check that the rows fit the model and send them down its tree."""
    subject = read_subject(model)
    model, before = unwrapped(model)
    X = transformed(before, X)
    result = getattr(model, "result_", model)
    if not isinstance(result, Result):
        raise ValueError(
            f"{type(model).__name__} carries no proof: pass a fitted estimator of exactree"
        )
    values = _read_rows(X, subject, result, exact=hasattr(model, "n_features_in_"))
    subject = replace(subject, n_features=values.shape[1])
    truth = _read_truth(y, subject, len(values))
    answers = tree.predict(subject.tree, values)
    parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    seen = tree.route(subject.tree, values)
    return Evidence(subject, result, parameters, values, truth, answers, seen)


def _read_rows(X: Any, subject: Subject, result: Result, *, exact: bool) -> Any:
    names = getattr(X, "columns", None)
    if names is not None and subject.feature_names is not None:
        given = tuple(map(str, names))
        if given != subject.feature_names:
            raise ValueError(
                f"the columns of X are {list(given)}, the model was fitted with "
                f"{list(subject.feature_names)}: pass the same columns in the same order"
            )
    values = X if result.columns is None else read_rows(X, result.columns)
    if not isinstance(values, Table):
        values = np.asarray(values, dtype=np.float64)
    # A tree alone does not know of columns after the last one that it looks at.
    fits = len(values.shape) == 2 and len(values) and values.shape[1] >= subject.n_features
    if not fits or (exact and values.shape[1] != subject.n_features):
        raise ValueError(
            f"X has the shape {values.shape}: pass at least one row and "
            f"{subject.n_features} columns, as in fit"
        )
    if isinstance(values, Table):
        return values
    if result.columns is not None and not np.isinf(values).any():
        return simplest(Table(Column(Kind(), column) for column in values.T))
    if not np.isfinite(values).all():
        row, j = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"X has NaN or infinity in column {subject.feature(int(j))!r}, row {row}: the model "
            "was fitted to complete numbers; leave such rows out of the report"
        )
    return values


def _read_truth(y: Any, subject: Subject, n_rows: int) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] > 1:
        raise ValueError(
            f"y has {labels.shape[1]} columns, and the report is for one label or number a row: "
            "show trees of policies and of several targets by export_text or plot_tree"
        )
    labels = labels.ravel()
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} entries and X has {n_rows} rows: pass one for each")
    if subject.classes is None:
        targets = labels.astype(np.float64)
        if not np.isfinite(targets).all():
            row = int(np.flatnonzero(~np.isfinite(targets))[0])
            raise ValueError(f"y has NaN or infinity in row {row}: leave such rows out")
        return targets
    numbers = {label: i for i, label in enumerate(subject.classes)}
    unknown = [label for label in labels.tolist() if label not in numbers]
    if unknown:
        raise ValueError(
            f"y has the class {unknown[0]!r}, which the model was not fitted with: leave such rows "
            "out of the report"
        )
    return np.array([numbers[label] for label in labels.tolist()], dtype=np.intp)


def number(value: float) -> str:
    """Write a number for readers.

    >>> number(12345), number(0.1 + 0.2), number(1e-9), number(1763251200.0)
    ('12,345', '0.3', '1e-09', '1,763,251,200')
    """
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    return f"{value:,.{12 if 1e6 <= abs(value) < 1e12 else 6}g}"


def rows_of(count: int) -> str:
    """Say how many rows.

    >>> rows_of(1), rows_of(2)
    ('1 row', '2 rows')
    """
    return f"{number(count)} row{'s' * (count != 1)}"


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """Write an element; attributes are escaped, content is not. An underscore becomes a hyphen.

    >>> element("td", "1", class_="a", data_id='"')
    '<td class="a" data-id="&quot;">1</td>'
    """
    pairs = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    given = "".join(f' {key}="{escape(str(value))}"' for key, value in pairs if value is not None)
    return f"<{name}{given}>{content}</{name}>"
