"""Splits on dates and durations: is it at most a moment, counted in 64-bit integers?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from exactree.fields import read_record, read_text, read_whole, wrong
from exactree.splits.axis import enclosed, or_missing, side
from exactree.tables.columns import NANOSECONDS, NOT_A_TIME, Table
from exactree.tables.times import of_times, written
from exactree.tree import Split

HOLDS = ("date", "duration")


@dataclass(frozen=True)
class MomentSplit(Split):
    """Is the date or duration in column `feature` at most `threshold`, counted in `unit`?

    >>> MomentSplit(0, 19_358, "date", "D").formula(["born"])
    'born <= 2023-01-01'
    """

    feature: int
    threshold: int
    holds: str
    unit: str
    missing: str | None = None
    kind: ClassVar[str] = "moment"
    reads_tables: ClassVar[bool] = True

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X."""
        values = self._values(X)
        left = values <= self.threshold
        return left if self.missing == "left" else left & (values != NOT_A_TIME)

    def unanswered(self, X: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Tell which rows miss the value, if no training row did."""
        return None if self.missing else self._values(X) == NOT_A_TIME

    def _values(self, X: Any) -> NDArray[np.int64]:
        if isinstance(X, Table):
            return X.column(self.feature).values
        letter = "M" if self.holds == "date" else "m"
        values = np.asarray(X[:, self.feature])
        if values.dtype.kind != letter:
            values = values.astype(f"{letter}8[{self.unit}]")
        return of_times(values, self.unit).values

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`."""
        name = f"x[{self.feature}]" if feature_names is None else feature_names[self.feature]
        told = f"{enclosed(name)} {'<=' if holds else '>'} {self.moment}"
        return told + or_missing(self.missing, holds=holds)

    @property
    def moment(self) -> str:
        """The threshold as people write it."""
        return written(self.threshold, self.holds, self.unit)

    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""
        return (self.feature,)

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data; the count as text, since JSON has no 64-bit integers."""
        found = {
            "kind": self.kind,
            "feature": self.feature,
            "holds": self.holds,
            "unit": self.unit,
            "at_most_count": str(self.threshold),
        }
        return found if self.missing is None else {**found, "missing": self.missing}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        fields = ("kind", "feature", "holds", "unit", "at_most_count")
        read_record(data, "the split", fields, optional=("missing",))
        holds = read_text(data["holds"], "holds", HOLDS)
        unit = read_text(data["unit"], "unit", tuple(NANOSECONDS))
        text = read_text(data["at_most_count"], "at_most_count")
        if len(text) > 20 or not text.removeprefix("-").isdecimal() or abs(int(text)) >= 2**63:
            raise wrong(text, "at_most_count", "a 64-bit integer")
        feature = read_whole(data["feature"], "feature")
        return cls(feature, int(text), holds, unit, side(data.get("missing")))
