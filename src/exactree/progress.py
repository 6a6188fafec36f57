"""The log of a search: a table that grows, or one line that changes in a notebook."""

from __future__ import annotations

import sys
from typing import TextIO

from exactree.problem import Found, OnProgress, Progress

EVERY = 1.0  # seconds between two lines
HEADER = f"{'time':>9} {'best':>14} {'bound':>14} {'gap':>8} {'open pieces':>11} {'nodes':>11}"


def row(progress: Progress) -> str:
    """Write a line of the table.

    >>> row(Progress(75.25, 12, 9, 40, 123456)).split()
    ['75.2s', '12', '9', '25.0%', '40', '123456']
    >>> row(Progress(75.25, 12, 9)).split()
    ['75.2s', '12', '9', '25.0%', '-', '-']
    """
    share = f"{progress.gap / progress.objective:.1%}" if progress.objective else "0.0%"
    pieces, nodes = ("-" if n is None else n for n in (progress.open_pieces, progress.nodes))
    return (
        f"{progress.seconds:>8.1f}s {progress.objective:>14.10g} "
        f"{progress.lower_bound:>14.10g} {share:>8} {pieces:>11} {nodes:>11}"
    )


class ProgressTable:
    """A callback that writes a line when something changed, at most one a second."""

    def __init__(self, stream: TextIO | None = None, *, one_line: bool | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.one_line = in_notebook() if one_line is None else one_line
        self.next = 0.0
        self.last: tuple[float, float] | None = None

    def __call__(self, progress: Progress) -> None:
        """Take what the search tells."""
        if progress.seconds >= self.next:
            self._write(progress)

    def end(self, seconds: float, found: Found) -> None:
        """Write how the search ended, whenever the last line was written."""
        nodes = int(found.stats["nodes"]) if "nodes" in found.stats else None
        self._write(Progress(seconds, found.objective, found.lower_bound, None, nodes))
        if self.one_line:
            self.stream.write("\n")

    def _write(self, progress: Progress) -> None:
        known = (progress.objective, progress.lower_bound)
        if known == self.last:
            return
        if self.one_line:
            self.stream.write(f"\r{row(progress)}")
        else:
            head = "" if self.last else f"{HEADER}\n"
            self.stream.write(f"{head}{row(progress)}\n")
        self.stream.flush()
        self.last, self.next = known, progress.seconds + EVERY


def also_to(table: ProgressTable, own: OnProgress | None) -> OnProgress:
    """Tell the table, and then the user's function if there is one, which may end the search."""

    def tell(progress: Progress) -> object:
        table(progress)
        return None if own is None else own(progress)

    return tell


def in_notebook() -> bool:
    """Tell whether the output of this process is shown in a notebook.

    >>> in_notebook()
    False
    """
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")
