"""What somebody may have meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Ask for the known name that is most like this one, or say nothing if none is.

    >>> did_you_mean("colr", ["color", "size"]), did_you_mean("colr", ["size"])
    ("; did you mean 'color'?", '')
    """
    by_lower = {str(one).lower(): one for one in known}
    close = get_close_matches(str(name).lower(), by_lower, n=1, cutoff=0.7)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else ""
