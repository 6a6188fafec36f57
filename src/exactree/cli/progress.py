"""A line that tells how a search is doing, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from exactree.problem import OnProgress, Progress


@contextmanager
def progress_line(console: Console, *, shown: bool = True) -> Iterator[OnProgress | None]:
    """Show incumbent, bound, gap, counts and time while a search runs; nothing off a terminal."""
    if not (shown and console.is_terminal):
        yield None
        return
    with console.status("searching") as status:

        def show(progress: Progress) -> None:
            status.update(in_words(progress))

        yield show


def in_words(progress: Progress) -> str:
    """Write the line.

    >>> in_words(Progress(75.2, 12, 9))
    'best 12, proved >= 9, gap 3 (25.0%), 1:15'
    >>> in_words(Progress(75.2, 12, 9, 40, 123456))
    'best 12, proved >= 9, gap 3 (25.0%), 40 open pieces, 123456 nodes, 1:15'
    """
    share = f" ({progress.gap / progress.objective:.1%})" if progress.objective else ""
    minutes, seconds = divmod(int(progress.seconds), 60)
    parts = [f"best {progress.objective:.6g}", f"proved >= {progress.lower_bound:.6g}"]
    parts.append(f"gap {progress.gap:.6g}{share}")
    if progress.open_pieces is not None:
        parts.append(f"{progress.open_pieces} open pieces")
    if progress.nodes is not None:
        parts.append(f"{progress.nodes} nodes")
    return ", ".join([*parts, f"{minutes}:{seconds:02}"])
