"""The thresholds of a column in order, searched by intervals.

What a side costs at least may depend on what the other side is: then there is a bound for each case
of both, and the least sum over the cases bounds the split. Every bound of a side must hold for all
sides with more rows.
"""

from __future__ import annotations

from exactree.problem import Number

Cases = tuple[Number, ...]


class Thresholds:
    """Thresholds in order, those that were looked at with bounds of their sides."""

    def __init__(self, size: int, *, subset_holds: bool, cases: int = 1) -> None:
        self.subset_holds = subset_holds
        # Before the first and after the last, the sides cost nothing that is known.
        none: Cases = (0,) * cases
        self.seen: list[tuple[int, Cases, Cases]] = [(-1, none, none), (size, none, none)]

    def next(self, limit: Number) -> int | None:
        """Give the middle of the longest run that may hold something below the limit."""
        longest = (0, -1)
        for (a, left, _), (b, _, right) in zip(self.seen, self.seen[1:], strict=False):
            if not (self.subset_holds and least(left, right) >= limit):
                longest = max(longest, (b - a - 1, a))
        length, start = longest
        return None if length == 0 else start + 1 + length // 2

    def close(self, t: int, left: Cases, right: Cases) -> None:
        """Note what the sides of a threshold cost at least, case by case."""
        self.seen.append((t, left, right))
        self.seen.sort()


def least(left: Cases, right: Cases) -> Number:
    """Bound a split by its cases.

    >>> least((3, 5), (4, 1))
    6
    """
    return min(a + b for a, b in zip(left, right, strict=True))
