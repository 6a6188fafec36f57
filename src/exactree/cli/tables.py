"""Reading tables: CSV with its delimiter and header found, or Parquet.

Errors name the line of the file. Large files are read by pyarrow where it is installed; a file it
rejects is read again here, to find the line.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import tables
from exactree.cli.cells import MISSING, NO, THOUSANDS, YES, BadCell, Cells, from_arrow, is_whole
from exactree.suggesting import did_you_mean
from exactree.tables import Column, Kind
from exactree.tables.columns import of_values
from exactree.tables.times import of_times

DELIMITERS = ",;\t|"
LOOKED_AT = 50  # records by which a delimiter is chosen
WORTH_ARROW = 2**20  # bytes of a file


@dataclass(frozen=True)
class Table:
    """A file: names of the columns, what they hold, and the line of each row."""

    path: str
    names: tuple[str, ...]
    columns: tuple[Cells | Column, ...]
    find_lines: Callable[[], Sequence[int]]
    has_header: bool = True
    unit: str = "line"
    said: Mapping[str, str] = field(default_factory=dict)  # what the user says columns hold
    unnamed: tuple[str, ...] = ()  # columns that the file has no name for, and what they are called

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def lines(self) -> tuple[int, ...]:
        """The line in which each row starts."""
        return tuple(self.find_lines())

    def found(self, name: str) -> Cells | Column:
        """Find a column by its name."""
        if name not in self.names:
            raise ValueError(
                f"{self.path}: there is no column {name!r}; the columns are "
                + ", ".join(map(repr, self.names))
                + did_you_mean(name, self.names)
            )
        return self.columns[self.names.index(name)]

    def column(self, name: str) -> tuple[str, ...]:
        """Give the text of a column."""
        cells = self.found(name)
        return cells.text() if isinstance(cells, Cells) else tuple(_texts(cells))

    def typed(self, name: str, kind: str | None = None) -> Column:
        """Read a column as what it holds, or as what it is said to hold."""
        cells, kind = self.found(name), kind or self.said.get(name)
        if isinstance(cells, Column):
            return cells if kind in (None, cells.kind.name) else _converted(cells, kind)
        try:
            return cells.column(kind)
        except BadCell as error:
            where = f"in column {name!r}"
            complaint = str(error).replace("{}", where).replace("{name}", name)
            raise ValueError(f"{self.where(cells.find(error.text))}: {complaint}") from None

    def rows(self, names: Sequence[str], kinds: Sequence[Kind] | None = None) -> Any:
        """Read columns as they are, or as those of a model: what `solve` takes."""
        given: Sequence[Kind | None] = [None] * len(names) if kinds is None else kinds
        found: list[Column] = []
        bad: list[str] = []
        for name, kind in zip(names, given, strict=True):
            try:
                found.append(self._as_kind(name, kind))
            except ValueError as error:
                bad.append(str(error))
        if bad:  # all of them at once
            raise ValueError("\n".join(bad))
        return tables.simplest(tables.Table(found, tuple(names)))

    def _as_kind(self, name: str, kind: Kind | None) -> Column:
        if kind is None:
            return self.typed(name)
        column = self.typed(name, "category" if kind.name == "ordered" else kind.name)
        if kind.is_time:
            letter = "M" if kind.name == "date" else "m"
            dates = column.values.view(f"{letter}8[{column.kind.unit}]")
            return replace(of_times(dates, kind.unit), kind=kind)
        return replace(column, kind=kind)

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Read columns of numbers, none of them missing, a row for each row."""
        found = [self._numbers(name) for name in names]
        return np.column_stack(found) if found else np.empty((len(self), 0))

    def _numbers(self, name: str) -> NDArray[np.float64]:
        column = self.typed(name, "number")
        if column.missing.any():
            row = int(column.missing.argmax())
            raise ValueError(f"{self.where(row)}: no value in column {name!r}: fill it in")
        return np.asarray(column.values)

    def labels(self, name: str) -> list[str | int]:
        """Read a column of classes: whole numbers if all of them are, else text."""
        cells = self.column(name)
        different = set(cells)
        if "" in different:
            row = cells.index("")
            raise ValueError(f"{self.where(row)}: no value in column {name!r}: drop such rows")
        if all(is_whole(cell) for cell in different):
            return [int(cell) for cell in cells]
        return list(cells)

    def where(self, row: int) -> str:
        """Name the file and the line of a row."""
        return f"{self.path}: {self.unit} {self.find_lines()[row]}"


def _converted(column: Column, kind: str) -> Column:
    """Read a column of a typed file as another kind, by the text of its values."""
    if kind == "category":
        texts = [text or None for text in _texts(column)]
        return of_values(texts, Kind("category"))
    return Cells.of(_texts(column)).column(kind)


def _texts(column: Column) -> Iterable[str]:
    """Write the values of a typed column as CSV would have them."""
    if column.kind.has_categories:
        named = [*map(str, column.categories), ""]
        return [named[code] for code in column.values.tolist()]
    if column.kind.is_time:
        letter = "M" if column.kind.name == "date" else "m"
        dates = column.values.view(f"{letter}8[{column.kind.unit}]")
        return ["" if gone else str(v) for v, gone in zip(dates, column.missing, strict=True)]
    values = column.values.tolist()
    return ["" if isnan(v) else repr(int(v) if v.is_integer() else v) for v in values]


def is_number(cell: object) -> bool:
    """Tell whether a cell is a finite number.

    >>> is_number("1e3"), is_number("a"), is_number("nan")
    (True, False, False)
    """
    try:
        return bool(np.isfinite(float(str(cell))))
    except ValueError:
        return False


def read_table(
    path: str,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    text: Collection[str] = (),
    said: Mapping[str, str] | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Table:
    """Read a file; "-" is the standard input. None lets `delimiter` and `header` be found.

    The columns `text` are kept as they are written; `said` has what the user says columns hold.
    """
    said = said or {}
    kept = {*text, *(name for name, kind in said.items() if kind == "category")}
    if path.endswith((".parquet", ".pq")):
        found = _read_parquet(path)
    else:
        found = _read_csv(path, Spelling(delimiter, header, encoding, decimal), kept)
    for name in said:
        found.found(name)
    return replace(found, said=said)


@dataclass(frozen=True)
class Spelling:
    """How a CSV file is written, where the user says so; None: it is found."""

    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal: str | None = None

    @property
    def is_usual(self) -> bool:
        """Tell whether nothing is said that only the reader here knows."""
        return self.encoding is None and self.decimal is None


def _read_csv(path: str, how: Spelling, kept: set[str]) -> Table:
    delimiter, header = how.delimiter, how.header
    plain = path != "-" and not path.endswith(".gz") and how.is_usual and Path(path).exists()
    large = plain and Path(path).stat().st_size >= WORTH_ARROW
    found = _by_arrow(path, delimiter, header, kept) if large else None
    if found is not None:
        return found
    written = _decoded(_bytes(path), path, how.encoding)
    used = find_delimiter(written) if delimiter is None else _one_character(delimiter)
    records = list(_records(written, used, path))
    if not records:
        raise ValueError(f"{path}: the file is empty")
    has_names = has_header(records) if header is None else header
    commas = used != "," if how.decimal is None else how.decimal == ","
    return _table(path, records, has_names, commas=commas, sure=how.decimal is not None)


def _bytes(path: str) -> bytes:
    """Read a file, unpacked if it is packed."""
    raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    if not raw.startswith(b"\x1f\x8b"):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError) as error:
        raise ValueError(f"{path}: this is no complete gzip file: {error}") from None


def _by_arrow(
    path: str, delimiter: str | None, header: bool | None, kept: set[str]
) -> Table | None:
    """Let pyarrow read a file, if it is there and finds nothing to complain of."""
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv
    except ImportError:
        return None
    head, quoted = _head(path)
    if head is None:
        return None
    used = find_delimiter(head) if delimiter is None else _one_character(delimiter)
    records = list(islice(_records(head, used, path), LOOKED_AT))
    if used != "," and _has_thousands(records):
        return None
    has_names = has_header(records) if header is None else header
    names = _names(path, records, has_names)
    try:
        read = arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=int(has_names)),
            parse_options=arrow_csv.ParseOptions(delimiter=used, newlines_in_values=quoted),
            convert_options=arrow_csv.ConvertOptions(
                null_values=sorted(MISSING),
                true_values=sorted(YES),
                false_values=sorted(NO),
                decimal_point="." if used == "," else _decimal_point(records, has_names),
                column_types={name: pa.string() for name in kept if name in names},
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError):
        return None
    if not read.num_rows or any(pa.types.is_time(kind) for kind in read.schema.types):
        return None
    if all(column.null_count for column in read.columns):  # perhaps a line of commas alone
        return None
    columns = tuple(from_arrow(column, commas=used != ",") for column in read.columns)
    lines = partial(_lines, path, used, has_names)
    unnamed = _unnamed(records, has_names)
    return Table(path, names, columns, lines, has_names, unnamed=unnamed)


def _head(path: str) -> tuple[str | None, bool]:
    """Give the first lines of a large file, and whether any cell is in quotes."""
    quoted = False
    with Path(path).open("rb") as file:
        raw = file.read(2**18)
        quoted = b'"' in raw
        while not quoted and (more := file.read(2**24)):
            quoted = b'"' in more
    try:
        text = raw[: raw.rfind(b"\n")].decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, quoted
    # A quoted cell that the end of the piece cuts would be no record; drop the last lines.
    return (text if text.count('"') % 2 == 0 else text[: text.rfind('"')]), quoted


def _has_thousands(records: list[tuple[int, list[str]]]) -> bool:
    """Tell whether commas may part thousands, which pyarrow would take for decimal points."""
    return any(THOUSANDS.match(cell) for _, record in records for cell in record)


def _decimal_point(records: list[tuple[int, list[str]]], has_names: bool) -> str:
    """Find out whether a file whose cells are not parted by commas has them in its numbers."""
    cells = [cell for _, record in records[int(has_names) :] for cell in record]
    commas = sum(cell.count(",") == 1 and is_number(cell.replace(",", ".")) for cell in cells)
    points = sum("." in cell and is_number(cell) for cell in cells)
    return "," if commas > points else "."


def _lines(path: str, delimiter: str, has_names: bool) -> list[int]:
    """Find the line of each row, which only a complaint asks for."""
    text = _decoded(Path(path).read_bytes(), path)
    return [line for line, _ in _records(text, delimiter, path)][int(has_names) :]


def _one_character(delimiter: str) -> str:
    written = delimiter.replace("\\t", "\t")
    if len(written) != 1:
        raise ValueError(f"--delimiter {delimiter!r}: give one character, \\t for a tab")
    return written


def _decoded(raw: bytes, path: str, encoding: str | None = None) -> str:
    try:
        return raw.decode(encoding or "utf-8-sig")
    except LookupError:
        raise ValueError(f"--encoding {encoding}: unknown; try utf-8, latin-1 or cp1252") from None
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        what = f"not {encoding} text" if encoding else "not UTF-8 text"
        raise ValueError(
            f"{path}: line {line}: this is {what}: say --encoding, for example cp1252"
        ) from None


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
    return not any(map(is_number, records[0][1]))


def _names(path: str, records: list[tuple[int, list[str]]], header: bool) -> tuple[str, ...]:
    line, first = records[0]
    names = tuple(name if header and name else f"c{j + 1}" for j, name in enumerate(first))
    _refuse_bad_names(path, names, line)
    return names


def _table(
    path: str,
    records: list[tuple[int, list[str]]],
    header: bool,
    *,
    commas: bool,
    sure: bool = False,
) -> Table:
    names = _names(path, records, header)
    rows = records[1:] if header else records
    if not rows:
        raise ValueError(f"{path}: there is no row after the header")
    for line, cells in rows:
        if len(cells) != len(names):
            values = f"{len(cells)} value{'s' * (len(cells) != 1)}"
            raise ValueError(f"{path}: line {line}: {values} instead of {len(names)}")
    by_column = zip(*(r for _, r in rows), strict=True)
    columns = tuple(Cells.of(c, commas=commas, sure=sure) for c in by_column)
    lines = [line for line, _ in rows]
    unnamed = _unnamed(records, header)
    return Table(path, names, columns, lambda: lines, header, unnamed=unnamed)


def _unnamed(records: list[tuple[int, list[str]]], header: bool) -> tuple[str, ...]:
    return tuple(f"c{j + 1}" for j, name in enumerate(records[0][1]) if header and not name)


def _refuse_bad_names(path: str, names: tuple[str, ...], line: int) -> None:
    for j, name in enumerate(names):
        if name in names[:j]:
            raise ValueError(f"{path}: line {line}: two columns have the name {name!r}: rename one")


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
    if not read.num_rows:
        raise ValueError(f"{path}: the file has no rows")
    columns = tuple(map(from_arrow, read.columns))
    lines = range(1, read.num_rows + 1)
    return Table(path, names, columns, lambda: lines, unit="row")
