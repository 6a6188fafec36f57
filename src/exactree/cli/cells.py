"""The cells of a column: what they hold, found from their text, and their values.

A column is numbers, dates or truths if all of its cells are, and categories if none is a number.
A column that is partly numbers is refused: only the user knows which of the two is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.tables import Column, Kind
from exactree.tables.columns import of_values
from exactree.tables.times import of_times

# The usual spellings of a missing value.
MISSING = frozenset(
    ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "NULL", "null", "None")
)
YES = frozenset(("true", "True", "TRUE", "yes", "Yes", "YES"))
NO = frozenset(("false", "False", "FALSE", "no", "No", "NO"))
DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?$")
COMMA = re.compile(r"[+-]?\d+,\d+$")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$")
POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$")  # the same where a comma is the point
CHOICES = ("number", "category", "date", "boolean")
LARGEST_INTEGER = 2**53


class BadCell(ValueError):
    """A cell that is not what its column holds; the table knows its name and the line."""

    def __init__(self, text: str, complaint: str) -> None:
        super().__init__(complaint)
        self.text = text


@dataclass(frozen=True, eq=False)
class Cells:
    """A column as text: the different texts, and which of them every row has."""

    texts: tuple[str, ...]
    rows: NDArray[np.intp]
    commas: bool = False  # whether a comma may be the decimal point
    sure: bool = False  # whether the user said so, or said that it is not

    @classmethod
    def of(cls, cells: Iterable[str], *, commas: bool = False, sure: bool = False) -> Cells:
        """Collect the different texts, in the order in which they first occur."""
        places: dict[str, int] = {}
        rows = np.array([places.setdefault(cell, len(places)) for cell in cells], dtype=np.intp)
        return cls(tuple(places), rows, commas, sure)

    def __len__(self) -> int:
        return len(self.rows)

    def text(self) -> tuple[str, ...]:
        """Give the text of every row."""
        return tuple(map(self.texts.__getitem__, self.rows.tolist()))

    def find(self, text: str) -> int:
        """Give the first row with a text."""
        return int((self.rows == self.texts.index(text)).argmax())

    def kind(self) -> str:
        """Find what the column holds."""
        known = [text for text in self.texts if text not in MISSING]
        if all(map(self._is_number, known)):
            return "number"
        if all(map(DATE.match, known)):
            return "date"
        if all(text in YES or text in NO for text in known):
            return "boolean"
        return "category"

    def column(self, kind: str | None = None) -> Column:
        """Read the column as what it holds, or as what it is said to hold."""
        if kind is None:
            self._refuse_thousands()
            kind = self.kind()
            if kind == "category":
                self._refuse_numbers()
        readers: dict[str, Callable[[], Column]] = {
            "number": self._numbers,
            "date": self._dates,
            "boolean": self._truths,
            "category": self._categories,
        }
        return readers[kind]()

    def _refuse_thousands(self) -> None:
        """Refuse numbers whose commas may be either kind, such as 1,234."""
        odd = [t for t in self.texts if t not in MISSING and not _is_float(t)]
        if self.sure or not odd or not all(map(THOUSANDS.match, odd)):
            return
        without = odd[0].replace(",", "")
        raise BadCell(
            odd[0],
            f"{odd[0]!r} {{}} may mean {without}, or have a decimal comma: say --decimal . or "
            "--decimal ,",
        )

    def _refuse_numbers(self) -> None:
        known = [text for text in self.texts if text not in MISSING]
        numbers = [text for text in known if self._is_number(text)]
        if not numbers:
            return
        other = next(text for text in known if text not in numbers)
        if COMMA.match(other):
            raise BadCell(
                other, f"{other!r} {{}} has a decimal comma: write a point, or say --decimal ,"
            )
        if POINTS.match(other) and not self.sure:
            raise BadCell(
                other,
                f"{other!r} {{}} has points between thousands: write none, or say --decimal ,",
            )
        raise BadCell(
            other,
            f"{other!r} {{}} is not a finite number, and {numbers[0]!r} is one: mend the cell, or "
            "say --column {name}=category, or leave the column out by --drop",
        )

    def _is_number(self, text: str) -> bool:
        return self._number(text) is not None

    def _number(self, text: str) -> float | None:
        if self.commas and self.sure:  # a point is none, as in 1.234,5
            if "." in text and not POINTS.match(text):
                return None
            text = text.replace(".", "").replace(",", ".")
        elif self.commas and COMMA.match(text):
            text = text.replace(",", ".")
        elif self.sure and THOUSANDS.match(text):
            text = text.replace(",", "")
        try:
            value = float(text)
        except ValueError:
            return None
        return value if isfinite(value) and "_" not in text else None

    def _numbers(self) -> Column:
        found = [np.nan if text in MISSING else self._one_number(text) for text in self.texts]
        return Column(Kind(), np.array(found, dtype=np.float64)[self.rows])

    def _one_number(self, text: str) -> float:
        value = self._number(text)
        if value is None:
            raise BadCell(
                text,
                f"{text!r} {{}} is not a finite number: mend it, or leave the column out by --drop",
            )
        if is_whole(text) and abs(int(text)) > LARGEST_INTEGER:
            raise BadCell(
                text,
                f"{text} {{}} is beyond 2**53, where numbers are no longer told from their "
                "neighbours: subtract an offset, or leave the column out by --drop",
            )
        return value

    def _dates(self) -> Column:
        known = [text for text in self.texts if text not in MISSING]
        for text in known:
            try:
                good = DATE.match(text) and np.datetime64(text)
            except ValueError:
                good = None
            if good is None:
                raise BadCell(text, f"{text!r} {{}} is no date: write it as 2026-11-16")
        unit = "D" if all(len(text) == 10 for text in known) else "ns"
        listed = ["NaT" if text in MISSING else text for text in self.texts]
        return of_times(np.array(listed, dtype=f"M8[{unit}]")[self.rows])

    def _truths(self) -> Column:
        codes = []
        for text in self.texts:
            if text not in MISSING and text not in YES and text not in NO:
                raise BadCell(text, f"{text!r} {{}} is neither yes nor no, true nor false")
            codes.append(-1 if text in MISSING else int(text in NO))
        return Column(Kind("boolean"), np.array(codes, dtype=np.int32)[self.rows], (True, False))

    def _categories(self) -> Column:
        named = of_values([None if t in MISSING else t for t in self.texts], Kind("category"))
        return Column(named.kind, named.values[self.rows], named.categories)


def _is_float(text: str) -> bool:
    try:
        return isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def is_whole(text: str) -> bool:
    """Tell whether text is a whole number as Python writes it.

    >>> is_whole("-12"), is_whole("012"), is_whole("1.0")
    (True, False, False)
    """
    return text.removeprefix("-").isdecimal() and str(int(text)) == text


def from_arrow(values: Any, *, commas: bool = False) -> Cells | Column:
    """Take a column of pyarrow: typed, or as text where it is text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _arrow_numbers(values, pa, pc)
    if pa.types.is_boolean(kind):
        codes = pc.fill_null(pc.cast(pc.invert(values), pa.int8()), -1)
        return Column(Kind("boolean"), codes.to_numpy().astype(np.int32), (True, False))
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        values = values.cast(pa.timestamp(kind.unit))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return of_times(values.to_numpy())
    return _arrow_text(values, pa, pc, commas=commas)


def _arrow_numbers(values: Any, pa: Any, pc: Any) -> Cells | Column:
    if pa.types.is_integer(values.type) and len(values) and values.null_count < len(values):
        ends = pc.min_max(values).as_py()
        if max(abs(ends["min"]), abs(ends["max"])) > LARGEST_INTEGER:
            return _arrow_text(values, pa, pc)  # which is then refused with its line
    floats = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if np.isinf(floats).any() or np.isnan(floats).sum() > values.null_count:
        return _arrow_text(values, pa, pc)
    return Column(Kind(), floats)


def _arrow_text(values: Any, pa: Any, pc: Any, *, commas: bool = False) -> Cells:
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_null(values.type):
        return Cells(("",), np.zeros(len(values), dtype=np.intp))
    text = pc.utf8_trim_whitespace(pc.fill_null(values.cast(pa.string()), ""))
    coded = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    coded = coded.dictionary_encode()
    rows = coded.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    return Cells(tuple(coded.dictionary.to_pylist()), rows, commas)
