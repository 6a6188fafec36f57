"""Binary splits: columns of two values, the decision trees of MurTree, STreeD, DL8.5 and GOSDT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Cut, Ranks
from exactree.rows import two_values
from exactree.splits.axis import AxisSplit, between
from exactree.splits.derived import table_columns
from exactree.splits.family import SecondsLeft, Sources, no_limit
from exactree.tables.columns import Table
from exactree.tree import Split


@dataclass(frozen=True, eq=False)
class BinaryColumns(Sources):
    """The two values of every feature, and which of them each row has."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    columns: Ranks

    @property
    def features(self) -> range:  # type: ignore[override]
        """Each column is itself."""
        return range(len(self.columns))

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> AxisSplit:
        """Put the threshold between the two values of the column, whichever rows the node has."""
        return self.known(cut)

    def known(self, cut: Split) -> AxisSplit:
        """Do it without the rows."""
        assert isinstance(cut, Cut)
        f = cut.column
        low, high = float(self.low[f]), float(self.high[f])
        return AxisSplit(f, between(low, high), two_values=low == 0 and high == 1)


@dataclass(frozen=True)
class Binary:
    """Columns of two values: 0 and 1, booleans, or any other two numbers.

    A column splits the rows of a node in at most one way, so trees of depth four or five are within
    reach where thresholds of continuous columns are not. A column may be asked again in another
    branch. Weighted rows are solved too, only more slowly.

    The sparse trees of OSDT and GOSDT minimise misclassified / n + lambda * leaves. A tree has one
    leaf more than splits, so with `penalty` = lambda this is objective / n + lambda: the same trees
    are optimal.

    Continuous columns need no binarisation: `splits="axis"` takes them as they are. A
    `ThresholdBinarizer` chooses thresholds beforehand; the optimum is then one over its columns.

    >>> Binary().sources(np.array([[0.0, 5.0], [1.0, 5.0], [0.0, 3.0]])).columns.tolist()
    [[0, 1, 0], [1, 1, 0]]
    """

    name: ClassVar[str] = "binary"
    sentence: ClassVar[str] = "binary: every question asks whether one binary feature is set"
    words: ClassVar[str] = "binary"

    reads_tables: ClassVar[bool] = True

    def sources(self, X: Any) -> Sources:
        """Tell the two values of every column apart; a missing one is a third answer."""
        if isinstance(X, Table):
            _refuse_other_values(X)
            return table_columns(X)
        low, high, columns, guilty = two_values(X)
        if guilty >= 0:
            raise OtherValues(guilty, np.unique(X[:, guilty]))
        return BinaryColumns(low, high, columns)


def _refuse_other_values(table: Table) -> None:
    """Refuse columns with an order and more than two values; each category is a binary column."""
    for j, kind in enumerate(table.kinds):
        column = table.column(j)
        if kind.name not in ("category", "boolean"):
            values = np.unique(column.values[~column.missing])
            if len(values) > 2:
                raise OtherValues(j, values)


class OtherValues(ValueError):
    """A column of more than two values; the message has its name once somebody knows it."""

    def __init__(self, column: int, values: NDArray[Any], name: str | None = None) -> None:
        self.column, self.values = column, values
        shown = ", ".join(f"{value:g}" for value in values[:3]) + ", ..." * (len(values) > 3)
        super().__init__(
            f"column {column if name is None else repr(name)} of X has {len(values)} values "
            f"({shown}), and splits='binary' takes columns of two: use splits='axis', which needs "
            "no binarisation, or a ThresholdBinarizer first"
        )

    def named(self, names: Sequence[str] | None) -> OtherValues:
        """Give the same with the name of the column, if there are names."""
        return self if names is None else OtherValues(self.column, self.values, names[self.column])
