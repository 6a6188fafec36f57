"""Loops in Python that keep to a time limit: they look at the clock every few items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
Stop = Callable[[], bool] | None
# An item takes some microseconds.
ITEMS = 32


def watched(items: Iterable[T], stop: Stop, every: int = ITEMS) -> Iterator[T]:
    """Go through the items; TimeoutError as soon as `stop()` says so.

    >>> list(watched("abc", lambda: True))
    Traceback (most recent call last):
    ...
    TimeoutError: stopped
    """
    for i, item in enumerate(items):
        if stop is not None and i % every == 0 and stop():
            raise TimeoutError("stopped")
        yield item
