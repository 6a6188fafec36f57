"""The file of claims: what a search has proved, line by line, so that another run can go on.

A line is a checksum and a JSON list: what it is, and its content. The first line is the header.
Only whole lines count: one that a killed process has not finished is cut off. All is plain data.

=========== ======================================================================================
header      format, and the problem by its parts: data and parameters, each by its content
search      the key of a native search; all that follows belongs to it
plan        first trees, and where to look first (see `cpp/search/remote/question.hpp`)
claim       question, reply: a fact about a piece, whether it is solved or not
tree        budget, cost, tree: one that was found; for those who watch its cost, and it drawn
bound       seconds, objective, lower bound: for those who watch
end         the search is complete
ended       key, what a search that is not divided found: objective, bound, tree, counters
result      what a run ended with: objective, bound, fewest splits or not, space, tree, it drawn
=========== ======================================================================================
"""

from __future__ import annotations

import json
import os
import warnings
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO
from zlib import crc32

from exactree.cluster.posing import Posing

FORMAT = 5  # trees have their cost in units of the problem, and results are there
# No line is longer: a file of one endless line is none of ours.
MAX_LINE = 2**28
FACTS = ("left_facts", "right_facts")


class CheckpointWarning(UserWarning):
    """The file takes no more of what is proved; the search is the same without."""


class Ledger:
    """A file of claims that is read once and then appended to."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._searches: dict[str, list[list[Any]]] = {}
        self._header: dict[str, Any] | None = None
        self._file: BinaryIO | None = None
        self._checked = self._full = False
        self._seconds = 0.0
        self.results: dict[str, list[Any]] = {}  # of the runs before, by the space of their trees
        self.ended: dict[str, Any] = {}  # searches that are not divided, by their keys
        self._open()

    def _open(self) -> None:
        """Read the claims of earlier runs, cut off what is torn, and hold the file."""
        try:
            self._file = self.path.open("r+b")
        except FileNotFoundError:
            self._file = _made(self.path)
        except OSError as error:
            raise ValueError(f"checkpoint={str(self.path)!r}: {error.strerror}") from error
        try:
            _hold(self._file, self.path)
            self._read(self._file)
        except ValueError:
            self.close()
            raise
        self._started = monotonic()

    def _read(self, file: BinaryIO) -> None:
        whole, current = 0, None
        for kind, content, end in _lines(file, self.path):
            whole = end
            if kind == "header":
                self._header = content[0]
            elif kind == "search":
                current = self._searches.setdefault(str(content[0]), [])
            elif kind == "ended":
                self.ended[str(content[0])] = content[1]
            elif kind == "result":
                self.results[str(content[3])] = content
            elif current is not None:
                current.append([kind, *content])
            if kind == "bound":
                self._seconds = max(self._seconds, float(content[0]))
        file.truncate(whole)
        file.seek(whole)

    def belong_to(self, parts: dict[str, str]) -> None:
        """Say by its parts whose file it is, or refuse one of another problem."""
        if self._header is None:
            self._header = {"format": FORMAT, "parts": parts}
            self._append("header", self._header)
        elif not self._checked:
            self._refuse_others(parts)
        self._checked = True

    def begin(self, posing: Posing) -> list[list[Any]]:
        """Turn to a native search, one of those that a problem takes: give what is known of it."""
        if not self._checked:
            self.belong_to(posing.parts)
        self.turn_to(posing.key)
        return self._searches.setdefault(posing.key, [])

    def turn_to(self, key: str) -> None:
        """Say whose the lines are that follow."""
        self._append("search", key)

    def _refuse_others(self, ours: dict[str, str]) -> None:
        """Name what differs from the problem of the file."""
        assert self._header is not None
        theirs = self._header["parts"]
        differ = [
            f"{name}: {_short(theirs.get(name))} in the file, {_short(ours.get(name))} now"
            for name in sorted({*theirs, *ours})
            if theirs.get(name) != ours.get(name)
        ]
        if differ:
            raise ValueError(
                f"checkpoint={str(self.path)!r} belongs to another problem ({'; '.join(differ)}): "
                "give the same call, or another file"
            )

    @property
    def seconds(self) -> float:
        """How long the search has been run, by all runs together."""
        return self._seconds + monotonic() - self._started

    def plan(self, plan: dict[str, Any]) -> None:
        """Keep what was planned, so that no other run has to."""
        self._append("plan", plan)

    def claims(self, claims: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
        """Keep facts: questions with their replies."""
        if claims:
            self._write(b"".join(line_of_claim(*claim) for claim in claims))

    def tree(self, budget: int, cost: int, tree: Any, whole: int, drawn: str | None = None) -> None:
        """Keep a tree that was found; `whole` is its cost for those who watch."""
        self._append("tree", budget, cost, tree, whole, drawn)

    def result(self, *result: Any) -> None:
        """Keep what a run ended with, the best of all runs so far."""
        self._append("result", *result)

    def keep_ended(self, key: str, found: list[Any]) -> None:
        """Keep what a search that is not divided ended with."""
        self.ended[key] = found
        self._append("ended", key, found)

    def bound(self, objective: Any, lower_bound: Any) -> None:
        """Keep what is known now, for those who watch."""
        self._append("bound", round(self.seconds, 3), objective, lower_bound)

    def end(self, objective: Any, lower_bound: Any) -> None:
        """Say that the search is complete."""
        self.bound(objective, lower_bound)
        self._append("end", objective, lower_bound)

    def _append(self, *content: Any) -> None:
        self._write(line_of(content))

    def _write(self, lines: bytes) -> None:
        """Append. If the file takes no more the search goes on: a torn line is cut off later."""
        assert self._file is not None
        if self._full:
            return
        try:
            self._file.write(lines)
            self._file.flush()
        except OSError as error:
            self._full = True
            warnings.warn(
                f"checkpoint={str(self.path)!r}: {error.strerror}. The search goes on, and what it "
                "proves from now on is not kept",
                CheckpointWarning,
                2,
            )

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            with suppress(OSError):  # what it did not take is tried once more
                self._file.close()
            self._file = None


def _made(path: Path) -> BinaryIO:
    try:
        return path.open("x+b")
    except OSError as error:
        raise ValueError(
            f"checkpoint={str(path)!r}: {error.strerror}; give a file in a folder that is there "
            "and can be written to"
        ) from error


def _plain(value: Any) -> str:
    """Write bytes as text."""
    if not isinstance(value, bytes):
        raise TypeError(f"{value!r} is not plain")
    return b64encode(value).decode()


_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False, default=_plain).encode


def line_of(content: tuple[Any, ...]) -> bytes:
    """Write a line: a checksum and what it is the sum of."""
    return _line([_encode(content).encode()])


def line_of_claim(question: dict[str, Any], reply: dict[str, Any]) -> bytes:
    """Write the line of a claim. Facts are most of it, and need not pass through JSON."""
    text = _encode(["claim", question, {k: v for k, v in reply.items() if k not in FACTS}])
    parts = [text[:-2].encode()]  # without the brackets that close
    comma = "" if text.endswith("{}]") else ","
    for name in FACTS:
        if name in reply:
            parts += [f'{comma}"{name}":"'.encode(), b64encode(reply[name]), b'"']
            comma = ","
    return _line([*parts, b"}]"])


def _line(parts: list[bytes]) -> bytes:
    checksum = 0
    for part in parts:
        checksum = crc32(part, checksum)
    return b"".join([b"%08x " % checksum, *parts, b"\n"])


def with_facts(reply: dict[str, Any]) -> dict[str, Any]:
    """Read the bytes of a reply that was written as text."""
    read = {name: b64decode(reply[name], validate=True) for name in FACTS if name in reply}
    return {**reply, **read}


def planned(plan: dict[str, Any]) -> dict[str, Any]:
    """Read the bytes of a plan that was written as text."""
    return {**plan, "tried": [with_facts(tried) for tried in plan["tried"]]}


def records(path: str | Path) -> Iterator[tuple[str, list[Any]]]:
    """Read the lines of a file, which another process may be writing, up to what is torn."""
    try:
        with Path(path).open("rb") as file:
            for kind, content, _ in _lines(file, Path(path)):
                yield kind, content
    except OSError as error:
        raise ValueError(f"{str(path)!r}: {error.strerror}") from error


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[str, list[Any], int]]:
    """Give kind, content and end of every whole line. The first must be a header of ours."""
    end = 0
    while True:
        line = file.readline(MAX_LINE)
        if not line.endswith(b"\n"):
            if end == 0 and line and not _may_be_header(line):
                raise ValueError(f"{str(path)!r} is no checkpoint of exactree")
            return
        content = _content(line)
        if content is None:
            if end == 0 or file.read(1):  # damaged, and not merely torn
                raise ValueError(
                    f"{str(path)!r} is no checkpoint of exactree, or is damaged at byte {end}"
                )
            return
        if end == 0:
            _check_header(content, path)
        end += len(line)
        yield content[0], content[1:], end


def _may_be_header(line: bytes) -> bool:
    return len(line) < MAX_LINE and all(byte in b"0123456789abcdef" for byte in line[:8])


def _content(line: bytes) -> list[Any] | None:
    """Read a line; None if it is not one of ours, or its sum is wrong."""
    if len(line) < 12 or line[8:9] != b" ":
        return None
    try:
        if int(line[:8], 16) != crc32(line[9:-1]):
            return None
        content = json.loads(line[9:-1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, list) or not content or not isinstance(content[0], str):
        return None
    return content


def _check_header(content: list[Any], path: Path) -> None:
    header = content[1] if len(content) == 2 and content[0] == "header" else None
    if not isinstance(header, dict) or not isinstance(header.get("parts"), dict):
        raise ValueError(f"{str(path)!r} is no checkpoint of exactree")
    if header.get("format") != FORMAT:
        raise ValueError(
            f"{str(path)!r} has format {header.get('format')!r}, and this version of exactree "
            f"reads format {FORMAT}"
        )


def _short(digest: Any) -> str:
    text = "nothing" if digest is None else str(digest)
    return text if len(text) <= 60 else text[:57] + "..."


def _hold(file: BinaryIO, path: Path) -> None:
    """Refuse a file that another process is appending to, where the system can tell."""
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ValueError(
            f"checkpoint={str(path)!r} is in use by another run: wait for it, or give another file"
        ) from error
