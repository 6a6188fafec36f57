"""Reading tables: CSV with its delimiter and header found, or Parquet.

Whatever is wrong with a file is said with the line it is in.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DELIMITERS = ",;\t|"
LARGEST_INTEGER = 2**53
LOOKED_AT = 50  # records by which a delimiter is chosen


@dataclass(frozen=True)
class Table:
    """A file as text: names of the columns, their cells, and the line of each row."""

    path: str
    names: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    has_header: bool = True
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str) -> tuple[str, ...]:
        """Find a column by its name."""
        if name not in self.names:
            raise ValueError(
                f"{self.path}: there is no column {name!r}; the columns are "
                + ", ".join(map(repr, self.names))
            )
        return self.columns[self.names.index(name)]

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Read columns as numbers, a row for each row."""
        found = [self._numbers(name) for name in names]
        return np.column_stack(found) if found else np.empty((len(self), 0))

    def _numbers(self, name: str) -> NDArray[np.float64]:
        cells = self.column(name)
        try:
            values = np.array(cells, dtype=np.float64)
        except ValueError:
            values = np.array([_number(cell) for cell in cells])
        # A comparison with NaN is false, so this finds NaN as well.
        for i in np.flatnonzero(~(np.abs(values) < LARGEST_INTEGER)).tolist():
            if not np.isfinite(values[i]) or _is_too_large(cells[i]):
                raise ValueError(f"{self._where(i)}: {_complaint(cells[i], name)}")
        return values

    def labels(self, name: str) -> list[str | int]:
        """Read a column of classes: whole numbers if all of them are, else text."""
        cells = self.column(name)
        for i, cell in enumerate(cells):
            if not cell:
                raise ValueError(f"{self._where(i)}: no value in column {name!r}: drop such rows")
        if all(_is_whole(cell) for cell in set(cells)):
            return [int(cell) for cell in cells]
        return list(cells)

    def _where(self, row: int) -> str:
        return f"{self.path}: {self.unit} {self.lines[row]}"


def _number(cell: str) -> float:
    """Read a number; what is none becomes NaN, to be complained about with its line."""
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def is_number(cell: object) -> bool:
    """Tell whether a cell is a finite number.

    >>> is_number("1e3"), is_number("a"), is_number("nan")
    (True, False, False)
    """
    return bool(np.isfinite(_number(str(cell))))


def _is_whole(cell: str) -> bool:
    return cell.removeprefix("-").isdecimal() and str(int(cell)) == cell


def _is_too_large(cell: str) -> bool:
    return _is_whole(cell) and abs(int(cell)) > LARGEST_INTEGER


def _complaint(cell: str, name: str) -> str:
    if not cell:
        return f"no value in column {name!r}: fill it in, or leave the column out by --drop"
    if _is_too_large(cell):
        return (
            f"{cell} in column {name!r} is beyond 2**53, where numbers are no longer told from "
            "their neighbours: subtract an offset, or leave the column out by --drop"
        )
    if cell.count(",") == 1 and np.isfinite(_number(cell.replace(",", "."))):
        return f"{cell!r} in column {name!r} has a decimal comma: write a point"
    return (
        f"{cell!r} in column {name!r} is not a finite number: encode categories as numbers, or "
        "leave the column out by --drop"
    )


def read_table(path: str, *, delimiter: str | None = None, header: bool | None = None) -> Table:
    """Read a file; "-" is the standard input. None lets `delimiter` and `header` be found."""
    if path.endswith((".parquet", ".pq")):
        return _read_parquet(path)
    text = _decoded(sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes(), path)
    used = find_delimiter(text) if delimiter is None else _one_character(delimiter)
    records = list(_records(text, used, path))
    if not records:
        raise ValueError(f"{path}: the file is empty")
    return _table(path, records, has_header(records) if header is None else header)


def _one_character(delimiter: str) -> str:
    written = delimiter.replace("\\t", "\t")
    if len(written) != 1:
        raise ValueError(f"--delimiter {delimiter!r}: give one character, \\t for a tab")
    return written


def _decoded(raw: bytes, path: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}: line {line}: this is not UTF-8 text: convert the file") from None


def _records(text: str, delimiter: str, path: str) -> Iterable[tuple[int, list[str]]]:
    """Go through the records that are not blank, each with the line it starts in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    first = 1
    try:
        for record in reader:
            if any(cell.strip() for cell in record):
                yield first, [cell.strip() for cell in record]
            first = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path}: line {first}: {error}") from None


def find_delimiter(text: str) -> str:
    """Choose the delimiter that parts the first records alike, into the most cells.

    >>> find_delimiter("a;b\\n1,5;2\\n")
    ';'
    """
    return max(DELIMITERS, key=lambda delimiter: _cells_by(text, delimiter))


def _cells_by(text: str, delimiter: str) -> tuple[float, int]:
    """Give the share of records with as many cells as the first, and how many those are."""
    head = islice(io.StringIO(text, newline=""), LOOKED_AT)
    widths = [len(cells) for cells in csv.reader(head, delimiter=delimiter) if cells]
    if not widths or widths[0] < 2:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def has_header(records: Sequence[tuple[int, list[str]]]) -> bool:
    """Tell names from data: a first record without any number in it is a header.

    >>> has_header([(1, ["age", "y"]), (2, ["3", "a"])]), has_header([(1, ["3", "a"])])
    (True, False)
    """
    return all(np.isnan(_number(cell)) for cell in records[0][1])


def _table(path: str, records: list[tuple[int, list[str]]], header: bool) -> Table:
    width = len(records[0][1])
    names = tuple(records[0][1]) if header else tuple(f"c{j + 1}" for j in range(width))
    _refuse_bad_names(path, names, records[0][0])
    rows = records[1:] if header else records
    if not rows:
        raise ValueError(f"{path}: there is no row after the header")
    for line, cells in rows:
        if len(cells) != width:
            values = f"{len(cells)} value{'s' * (len(cells) != 1)}"
            raise ValueError(f"{path}: line {line}: {values} instead of {width}")
    columns = tuple(zip(*(cells for _, cells in rows), strict=True))
    return Table(path, names, columns, tuple(line for line, _ in rows), header)


def _refuse_bad_names(path: str, names: tuple[str, ...], line: int) -> None:
    for j, name in enumerate(names):
        if not name:
            raise ValueError(f"{path}: line {line}: column {j + 1} has no name")
        if name in names[:j]:
            raise ValueError(f"{path}: line {line}: two columns have the name {name!r}")


def _read_parquet(path: str) -> Table:
    try:
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            f"{path}: reading Parquet needs pyarrow: pip install 'exactree[tables]'"
        ) from None
    if not Path(path).exists():
        raise FileNotFoundError(2, "No such file or directory", path)
    try:
        read = parquet.read_table(path)
    except Exception as error:  # pyarrow has many kinds
        raise ValueError(f"{path}: this is not Parquet: {error}") from None
    names = tuple(map(str, read.column_names))
    columns = tuple(tuple(map(_text, column.to_pylist())) for column in read.columns)
    if not read.num_rows:
        raise ValueError(f"{path}: the file has no rows")
    return Table(path, names, columns, tuple(range(1, read.num_rows + 1)), unit="row")


def _text(value: Any) -> str:
    """Write a cell as CSV would have it; numbers read back as the same."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)
