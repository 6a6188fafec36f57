"""Axis-parallel splits: one column against a threshold, x <= t."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from exactree.fields import read_number, read_record, read_text, read_whole
from exactree.partitions import Partitions, packed
from exactree.problem import Cut, ListedSplit, Ranks
from exactree.rows import dense_ranks
from exactree.splits.family import Listing, SecondsLeft, Sources, no_limit
from exactree.tables.columns import Table, missing_of, numbers_of
from exactree.tree import Split


@dataclass(frozen=True)
class AxisSplit(Split):
    """Is the value in column `feature` at most `threshold`?

    `missing` says whether a missing value goes "left" or "right"; None: no training row of the node
    missed it. With `two_values` the column is 0 or 1 in all training rows, and people ask whether
    it is 1: the rows that go left say no.

    >>> AxisSplit(0, 2.5).goes_left(np.array([[2.0], [3.0]])).tolist()
    [True, False]
    >>> AxisSplit(0, 2.5, missing="left").formula(["age"])
    'age <= 2.5 or missing'
    >>> member = AxisSplit(0, 0.5, two_values=True)
    >>> member.question(["member"]), member.answers, member.formula(["member"])
    ('member = 1', ('no', 'yes'), 'member = 0')
    """

    feature: int
    threshold: float
    missing: str | None = None
    two_values: bool = field(default=False, compare=False)  # how it is written, not what it is
    kind: ClassVar[str] = "axis"
    reads_tables: ClassVar[bool] = True

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X; a missing value is not at most anything, unless it is left."""
        values = numbers_of(X, self.feature)
        left = np.asarray(values <= self.threshold)
        return left | np.isnan(values) if self.missing == "left" else left

    def unanswered(self, X: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Tell which rows miss the value, if no training row did."""
        return missing_of(X, self.feature) if self.missing is None else None

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`; 17 `digits` are exact.

        >>> AxisSplit(1, 0.1).formula(["age", "height"], holds=False)
        'height > 0.1'
        """
        name = f"x[{self.feature}]" if feature_names is None else feature_names[self.feature]
        told = f"{'<=' if holds else '>'} {shown(self.threshold, digits)}"
        if self.two_values:
            told = "= 0" if holds else "= 1"
        return f"{enclosed(name)} {told}{or_missing(self.missing, holds=holds)}"

    @property
    def answers(self) -> tuple[str, str]:
        """Zeros go left, and say no."""
        return ("no", "yes") if self.two_values else ("yes", "no")

    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""
        return (self.feature,)

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data with the key "kind"."""
        found = {"kind": self.kind, "feature": self.feature, "threshold": self.threshold}
        found |= {} if self.missing is None else {"missing": self.missing}
        return found | ({"two_values": True} if self.two_values else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        optional = ("missing", "two_values")
        read_record(data, "the split", ("kind", "feature", "threshold"), optional=optional)
        feature = read_whole(data["feature"], "feature")
        threshold = float(read_number(data["threshold"], "threshold"))
        return cls(feature, threshold, side(data.get("missing")), data.get("two_values") is True)


@dataclass(frozen=True)
class MissingSplit(Split):
    """Is the value in column `feature` missing? Or, if `known`, is it known?

    >>> MissingSplit(0).formula(["age"]), MissingSplit(0).formula(["age"], holds=False)
    ('age is missing', 'age is known')
    """

    feature: int
    known: bool = False
    kind: ClassVar[str] = "missing"
    reads_tables: ClassVar[bool] = True

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X."""
        return np.asarray(missing_of(X, self.feature) != self.known)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`."""
        name = f"x[{self.feature}]" if feature_names is None else feature_names[self.feature]
        return f"{enclosed(name)} is {'known' if holds == self.known else 'missing'}"

    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""
        return (self.feature,)

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data with the key "kind"."""
        asks = "known" if self.known else "missing"
        return {"kind": self.kind, "feature": self.feature, "asks": asks}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        read_record(data, "the split", ("kind", "feature", "asks"))
        asks = read_text(data["asks"], "asks", ("missing", "known"))
        return cls(read_whole(data["feature"], "feature"), asks == "known")


def zeros_and_ones(values: NDArray[Any]) -> bool:
    """Tell whether all values of a column that are not missing are 0 or 1.

    >>> zeros_and_ones(np.array([0.0, 1.0, np.nan])), zeros_and_ones(np.array([0.0, 2.0]))
    (True, False)
    """
    # A few tell of most columns that they have others.
    return all(
        bool(((some == 0) | (some == 1) | np.isnan(some)).all()) for some in (values[:64], values)
    )


def side(missing: Any) -> str | None:
    """Refuse a side that is neither left nor right; None is no side.

    >>> side("left")
    'left'
    """
    return None if missing is None else read_text(missing, "missing", ("left", "right"))


def or_missing(missing: str | None, *, holds: bool) -> str:
    """Write where a missing value goes, if it goes this way.

    >>> or_missing("right", holds=False), or_missing("right", holds=True)
    (' or missing', '')
    """
    return " or missing" if missing == ("left" if holds else "right") else ""


def enclosed(name: str) -> str:
    """Put a name into brackets that is a comparison itself, as those of a ThresholdBinarizer.

    >>> enclosed("age"), enclosed("age <= 30")
    ('age', '(age <= 30)')
    """
    return f"({name})" if any(sign in name for sign in "<>=") else name


def shown(threshold: float, digits: int) -> str:
    """Write a threshold in so many digits, but in no fewer than tell whole numbers apart.

    >>> shown(1 / 3, 6), shown(20261116.5, 6), shown(1e300 / 3, 6)
    ('0.333333', '20261116.5', '3.33333e+299')
    """
    size = abs(threshold)
    whole = math.floor(math.log10(size)) + 2 if 1 <= size < 1e15 else 0
    return f"{threshold:.{max(digits, whole)}g}"


def between(low: float, high: float) -> float:
    """Give the threshold t of two neighbouring values, low <= t < high.

    It is the shortest number in the middle half of the gap, and of those the nearest to its
    midpoint: a multiple of the largest power of ten that has one there.

    >>> between(1.0, 2.0), between(-0.94337, -0.93719), between(20.0, 60.0), between(-3.0, 5.0)
    (1.5, -0.94, 40.0, 1.0)
    >>> between(1.0, math.nextafter(1.0, 2.0)), between(-1e308, 1.5e308)
    (1.0, 3e+307)
    """
    low, high = float(low), float(high)  # NumPy's numbers round to other decimals
    middle = _midpoint(low, high)
    quarter = high / 4 - low / 4  # does not overflow, as high - low may
    largest = max(abs(middle - quarter), abs(middle + quarter))
    places = -math.floor(math.log10(largest)) if largest else 0
    for digits in range(places, places + 17):
        # The multiple nearest to the midpoint is within the middle half if any is.
        found = _rounded(middle, digits)
        if abs(found - middle) <= quarter and low <= found < high:
            return found
    return middle


def _midpoint(low: float, high: float) -> float:
    """Give the midpoint of two values, or the lower one if there is no number between them.

    Halving before adding cannot overflow, but may lose the last bit of tiny numbers; the sum is
    exact there. Of two values one unit in the last place apart, the midpoint rounds to either.
    """
    middle = (low + high) / 2
    if math.isinf(middle):
        middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def _rounded(value: float, digits: int) -> float:
    """Round to a decimal place, or to infinity if float64 ends before."""
    try:
        return round(value, digits) + 0.0  # no negative zero
    except OverflowError:
        return math.inf


@dataclass(frozen=True, eq=False)
class AxisColumns(Sources):
    """The values of every feature beside their ranks."""

    values: NDArray[np.float64]
    columns: Ranks

    @property
    def features(self) -> range:  # type: ignore[override]
        """Each column is itself."""
        return range(len(self.columns))

    def rules(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List x_i <= p_i for every distinct point p and column i, owned by p: p by p."""
        ranks = self.columns[:, rows]
        _, first = np.unique(ranks, axis=1, return_index=True)
        owners = np.sort(first)
        left = ranks[None] <= ranks[:, owners].T[:, :, None]
        table = left.reshape(-1, len(rows))
        return Partitions(packed(table), np.repeat(owners, len(ranks))[:, None].astype(np.int32))

    def known(self, cut: Split) -> AxisSplit | None:
        """Put the threshold between two values of which the engine told the ranks."""
        if not isinstance(cut, Cut) or cut.above is None:
            return None
        values, ranks = self.values[cut.column], self.columns[cut.column]
        low, high = (float(values[(ranks == rank).argmax()]) for rank in (cut.rank, cut.above))
        return AxisSplit(cut.column, between(low, high), two_values=zeros_and_ones(values))

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> AxisSplit:
        """Put the threshold between the two values around the cut among the node's rows."""
        if isinstance(cut, ListedSplit):
            column = cut.number % len(self.columns)
        else:
            assert isinstance(cut, Cut)
            column = cut.column
        values = self.values[column, rows]
        threshold = between(float(values[left].max()), float(values[~left].min()))
        return AxisSplit(column, threshold, two_values=zeros_and_ones(self.values[column]))


@dataclass(frozen=True)
class Axis:
    """Axis-parallel splits: `x <= t` for any column and any threshold.

    Only the order of a column's values matters, so no transformation that keeps it changes the
    optimum. The threshold is the shortest number in the middle half of the gap between the two
    neighbouring values among the node's rows.

    >>> Axis().sources(np.array([[2.0], [1.0], [2.0]])).columns.tolist()
    [[1, 0, 1]]
    """

    name: ClassVar[str] = "axis"
    sentence: ClassVar[str] = "axis-parallel: every question compares one feature with a threshold"
    words: ClassVar[str] = "axis-parallel"

    reads_tables: ClassVar[bool] = True

    def sources(self, X: Any) -> Sources:
        """Rank every column; of a table, every column of its questions."""
        if isinstance(X, Table):
            from exactree.splits.derived import table_columns

            return table_columns(X)
        values = np.asarray(X, dtype=np.float64).T  # a view: ranking needs a copy for a moment
        return AxisColumns(values, dense_ranks(values))
