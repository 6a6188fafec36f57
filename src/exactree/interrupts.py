"""Ctrl-C while there is something to keep.

Python raises KeyboardInterrupt wherever the program happens to be, which loses a finished tree if
that is between the end of the search and the return of its result. While the interrupts are
`deferred`, Ctrl-C is only noted. It is raised where that does no harm: by `check`, which searches
call now and then, and within `interruptible`, around code whose caller catches it.

Signals are handled in the main thread alone, and a handler of one's own is left as it is; in both
other cases nothing is deferred.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread, local, main_thread
from types import FrameType


@dataclass
class Noted:
    """Whether Ctrl-C came and nobody has heard of it yet, and whether it may be raised."""

    pending: bool = False
    raising: bool = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Take the place of Python's own handler."""
        self.pending = True
        if self.raising:
            # Once: it may come while the block is left, which then cannot say that it has ended.
            self.raising = False
            self.tell()

    def tell(self) -> None:
        """Raise what was noted, once."""
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt


class _Current(local):
    """What is deferred in this thread, if anything."""

    noted: Noted | None = None


_current = _Current()


class deferred:
    """Note Ctrl-C instead of raising it; within another such block, that one goes on.

    >>> with deferred() as noted:
    ...     signal.raise_signal(signal.SIGINT)
    >>> noted.pending
    True
    """

    def __enter__(self) -> Noted:
        outer = _current.noted
        self.noted = outer or Noted()
        self.outermost = (
            outer is None
            and current_thread() is main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self.outermost:
            _current.noted = self.noted
            signal.signal(signal.SIGINT, self.noted.handle)
        return self.noted

    def __exit__(self, *_: object) -> None:
        if self.outermost:
            _current.noted = None
            # The last thing: from here on Ctrl-C is raised again.
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise Ctrl-C within this block, at once if it was noted before: the caller catches it.

    >>> with deferred() as noted:
    ...     signal.raise_signal(signal.SIGINT)
    ...     try:
    ...         with interruptible():
    ...             print("not reached")
    ...     except KeyboardInterrupt:
    ...         print("caught", noted.pending)
    caught False
    """
    noted = _current.noted
    if noted is None or noted.raising:
        yield
        return
    try:
        noted.raising = True
        noted.tell()
        yield
    finally:
        noted.raising = False


def check() -> None:
    """Raise Ctrl-C if it was noted."""
    if _current.noted is not None:
        _current.noted.tell()


def again() -> None:
    """Note Ctrl-C once more: it was caught, and whoever is outside is to hear of it too."""
    if _current.noted is not None:
        _current.noted.pending = True
