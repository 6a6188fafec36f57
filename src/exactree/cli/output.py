"""What a command says: results on standard output, everything else on standard error.

With --json, standard output gets one JSON object and nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

DONE, USAGE, BAD_INPUT, STOPPED, INTERRUPTED = 0, 2, 3, 4, 130

EXIT_CODES = """\
exit status:
  0    done; of fit: the tree is proved optimal
  2    the command line is wrong
  3    a file or a value is wrong: the message names it, with its line
  4    fit ended without a proof, mostly at a limit: the best tree so far was kept
  130  interrupted by Ctrl-C; fit keeps the best tree so far
"""


class Output:
    """Where a command writes to, for people or, with `as_json`, for machines."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.messages = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """Write a part of the result for people."""
        if not self.as_json:
            sys.stdout.write(f"{text}\n")

    def note_table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table of what was found among the messages."""
        if not self.quiet:
            self.messages.print(_drawn(title, head, rows))

    def table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table for people, the first column of words and the others of numbers."""
        if self.as_json:
            return
        drawn = _drawn(title, head, rows)
        # Off a terminal nothing is cut off, however wide.
        width = None if sys.stdout.isatty() else 200
        Console(file=sys.stdout, highlight=False, markup=False, width=width).print(drawn)

    def data(self, found: dict[str, Any]) -> None:
        """Write the result for machines."""
        if self.as_json:
            sys.stdout.write(json.dumps(found, allow_nan=False) + "\n")

    def note(self, text: str) -> None:
        """Tell what was done."""
        if not self.quiet:
            self.messages.print(text)

    def warn(self, text: str) -> None:
        """Warn of something that the user should know."""
        self.messages.print(f"exactree: warning: {text}")

    def error(self, text: str) -> None:
        """Say what is wrong."""
        self.messages.print(f"exactree: error: {text}")


def _drawn(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    drawn = Table(title=title, title_justify="left")
    for j, name in enumerate(head):
        drawn.add_column(name, justify="right" if j else "left", no_wrap=True)
    for row in rows:
        drawn.add_row(*row)
    return drawn
