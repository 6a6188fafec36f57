"""The thresholds of a column in order, searched by intervals.

Every bound of a side must hold for all sides with more rows.
"""

from __future__ import annotations

from exactree.problem import Number


class Thresholds:
    """Thresholds in order, those that were looked at with bounds of their sides."""

    def __init__(self, size: int, *, subset_holds: bool) -> None:
        self.subset_holds = subset_holds
        # Before the first and after the last, the sides cost nothing that is known.
        self.seen: list[tuple[int, Number, Number]] = [(-1, 0, 0), (size, 0, 0)]

    def next(self, limit: Number) -> int | None:
        """Give the middle of the longest run that may hold something below the limit."""
        longest = (0, -1)
        for (a, left, _), (b, _, right) in zip(self.seen, self.seen[1:], strict=False):
            if not (self.subset_holds and left + right >= limit):
                longest = max(longest, (b - a - 1, a))
        length, start = longest
        return None if length == 0 else start + 1 + length // 2

    def close(self, t: int, left: Number, right: Number) -> None:
        """Note what the sides of a threshold cost at least."""
        self.seen.append((t, left, right))
        self.seen.sort()
