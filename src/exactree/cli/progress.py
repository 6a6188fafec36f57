"""A line that tells how a search is doing, on a terminal only, and a guess how long it may take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from exactree.problem import OnProgress, Progress

HALF_AN_HOUR = 1800.0  # a guess beyond may well be hours
# Seconds for a cell of the data at depth three, and how many times longer one more level takes
# where there are that many thresholds to try: from the times of a dozen data sets, and right to
# about a factor of ten for them.
CELL, LEVEL = 1e-5, 130.0


@contextmanager
def progress_line(console: Console, *, shown: bool = True) -> Iterator[OnProgress | None]:
    """Show incumbent, bound, gap and time while a search runs; nothing off a terminal."""
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
    """
    share = f" ({progress.gap / progress.objective:.1%})" if progress.objective else ""
    minutes, seconds = divmod(int(progress.seconds), 60)
    numbers = f"best {progress.objective:.6g}, proved >= {progress.lower_bound:.6g}"
    return f"{numbers}, gap {progress.gap:.6g}{share}, {minutes}:{seconds:02}"


def guessed_seconds(
    X: NDArray[np.float64], max_depth: int | None, max_splits: int | None
) -> float | None:
    """Guess how long a search for axis-parallel trees takes; None if nothing limits the depth.

    Only the order of magnitude: it may well be a hundred times faster where the data are easy.
    """
    depths = [max_depth] if max_depth is not None else []
    if max_splits is not None:
        depths.append(ceil(log2(max_splits + 1)) + (max_depth is None))
    if not depths:
        return None
    thresholds = sum(len(np.unique(column)) - 1 for column in X.T)
    return CELL * X.size * min(LEVEL, max(thresholds, 1)) ** (min(depths) - 3)
