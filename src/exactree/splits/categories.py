"""Splits on categories: is it this one, is it one of these, is it at most that one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from exactree.fields import read_list, read_number, read_record, read_whole, wrong
from exactree.splits.axis import enclosed, or_missing, side
from exactree.tables.columns import Value, categories_of
from exactree.tree import Split

# A category of its own in subsets: the value is missing.
MISSING = None


@dataclass(frozen=True)
class CategorySplit(Split):
    """Is the value in column `feature` this category? A category that is not known is not.

    >>> CategorySplit(0, "red").formula(["colour"]), CategorySplit(0, True).formula(["smoker"])
    ('colour = red', 'smoker = yes')
    """

    feature: int
    category: Value
    kind: ClassVar[str] = "category"
    reads_tables: ClassVar[bool] = True

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X."""
        return np.asarray(categories_of(X, self.feature).numbered((self.category,)) == 0)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`."""
        name = _name(self.feature, feature_names)
        if isinstance(self.category, bool) and not holds:
            return f"{name} = {shown_value(not self.category)}"
        return f"{name} {'=' if holds else '!='} {shown_value(self.category)}"

    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""
        return (self.feature,)

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data with the key "kind"."""
        return {"kind": self.kind, "feature": self.feature, "category": self.category}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        read_record(data, "the split", ("kind", "feature", "category"))
        return cls(read_whole(data["feature"], "feature"), _value(data["category"], "category"))


@dataclass(frozen=True)
class SubsetSplit(Split):
    """Is the value in column `feature` one of these categories? None stands for a missing value.

    `left` and `right` have the categories of the node's training rows; others have no answer.

    >>> SubsetSplit(0, ("blue", None), ("red",)).formula(["colour"])
    'colour in {blue, missing}'
    """

    feature: int
    left: tuple[Value | None, ...]
    right: tuple[Value | None, ...]
    kind: ClassVar[str] = "subset"
    reads_tables: ClassVar[bool] = True

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X."""
        return self._among(X, self.left)

    def unanswered(self, X: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Tell which rows have a category that no training row of the node had."""
        return ~self._among(X, (*self.left, *self.right))

    def _among(self, X: NDArray[Any], values: tuple[Value | None, ...]) -> NDArray[np.bool_]:
        places = categories_of(X, self.feature).numbered(v for v in values if v is not None)
        return np.asarray(places >= (-1 if None in values else 0))

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`."""
        told = ", ".join(map(shown_value, self.left))
        return f"{_name(self.feature, feature_names)} {'' if holds else 'not '}in {{{told}}}"

    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""
        return (self.feature,)

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data with the key "kind"."""
        sides = {"left": list(self.left), "right": list(self.right)}
        return {"kind": self.kind, "feature": self.feature, **sides}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        read_record(data, "the split", ("kind", "feature", "left", "right"))
        left, right = (_values(data, key, null=True) for key in ("left", "right"))
        return cls(read_whole(data["feature"], "feature"), left, right)


@dataclass(frozen=True)
class OrderedSplit(Split):
    """Is the category in column `feature` at most the last of `left`, in the order left, right?

    >>> small = OrderedSplit(0, ("S", "M"), ("L", "XL"), missing="right")
    >>> small.formula(["size"]), small.formula(["size"], holds=False)
    ('size <= M', 'size > M or missing')
    """

    feature: int
    left: tuple[Value, ...]
    right: tuple[Value, ...]
    missing: str | None = None
    kind: ClassVar[str] = "ordered"
    reads_tables: ClassVar[bool] = True

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X."""
        return self._places(X) >= (-1 if self.missing == "left" else 0)

    def unanswered(self, X: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Tell which rows have a category outside the order, or miss it where no row did."""
        places = categories_of(X, self.feature).numbered((*self.left, *self.right))
        return places < (-1 if self.missing else 0)

    def _places(self, X: NDArray[Any]) -> NDArray[np.intp]:
        return categories_of(X, self.feature).numbered(self.left)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down, or its opposite if not `holds`."""
        sign = "<=" if holds else ">"
        told = f"{_name(self.feature, feature_names)} {sign} {shown_value(self.left[-1])}"
        return told + or_missing(self.missing, holds=holds)

    def features(self) -> tuple[int, ...]:
        """Name the columns that the question looks at."""
        return (self.feature,)

    def to_dict(self) -> dict[str, Any]:
        """Give JSON-compatible data with the key "kind"."""
        sides = {"left": list(self.left), "right": list(self.right)}
        found = {"kind": self.kind, "feature": self.feature, **sides}
        return found if self.missing is None else {**found, "missing": self.missing}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Undo `to_dict`."""
        fields = ("kind", "feature", "left", "right")
        read_record(data, "the split", fields, optional=("missing",))
        left, right = (_values(data, key, null=False) for key in ("left", "right"))
        if not left:
            raise wrong([], "left", "a list with a category")
        feature = read_whole(data["feature"], "feature")
        return cls(feature, left, right, side(data.get("missing")))


def shown_value(value: Value | None) -> str:
    """Write a category: as it is, or in quotes where its ends would not be seen.

    >>> shown_value("red"), shown_value("a, b"), shown_value(""), shown_value(False)
    ('red', "'a, b'", "''", 'no')
    """
    if value is MISSING:
        return "missing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    plain = text and text == text.strip() and text.isprintable() and not set(text) & set(",{}")
    return text if plain and text != "missing" else repr(text)


def _name(feature: int, names: Sequence[str] | None) -> str:
    return f"x[{feature}]" if names is None else enclosed(names[feature])


def _values(data: Mapping[str, Any], key: str, *, null: bool) -> tuple[Any, ...]:
    listed = read_list(data[key], key)
    return tuple(None if null and v is None else _value(v, key) for v in listed)


def _value(value: Any, where: str) -> Any:
    if isinstance(value, str | bool):
        return value
    if not isinstance(value, int | float):
        raise wrong(value, where, "a category: text, a number, true or false")
    return read_number(value, where)
