"""What workers do: answer questions about a problem that they keep by its content."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from platform import node
from time import perf_counter, thread_time
from typing import Any

from exactree import _native
from exactree.cluster.posing import Posing
from exactree.memory import default_limit

# How many problems a thread of a worker keeps: those of nested or neighbouring searches.
KEPT = 2

_own = threading.local()


def answer(
    key: str,
    posing: Posing | None,
    questions: list[dict[str, Any]],
    seconds: float,
    memory_limit: int,
) -> list[dict[str, Any]] | None:
    """Answer questions one after the other; None: the problem is not known here, send it along.

    A reply that is not complete within `seconds` says what is proved so far.
    """
    answerer = _answerer(key, posing, memory_limit)
    if answerer is None:
        return None
    replies = []
    for question in questions:
        start, used = perf_counter(), thread_time()
        reply = answerer.answer(question, seconds)
        reply["seconds"] = perf_counter() - start
        reply["processor_seconds"] = thread_time() - used
        reply["worker"] = f"{node()}:{os.getpid()}:{threading.get_ident()}"
        replies.append(reply)
        if reply.get("why") == "memory_limit":
            _forget(key)
            break
    return replies


def write(
    key: str, posing: Posing | None, wanted: dict[str, Any], seconds: float, memory_limit: int
) -> tuple[int, list[list[int]]] | None:
    """Write the tree with a first split down, and its cost; None: the problem is not known."""
    answerer = _answerer(key, posing, memory_limit)
    return None if answerer is None else answerer.write(wanted, seconds)


def _answerer(key: str, posing: Posing | None, memory_limit: int) -> _native.Answerer | None:
    """Find the problem among those that are kept, or keep it."""
    kept: OrderedDict[str, _native.Answerer] = _own.__dict__.setdefault("kept", OrderedDict())
    if key not in kept:
        if posing is None:
            return None
        kept[key] = _native.Answerer(posing.pose(), memory_limit or default_limit())
    kept.move_to_end(key)
    while len(kept) > KEPT:
        kept.popitem(last=False)
    return kept[key]


def _forget(key: str) -> None:
    """Give up what was solved before: it has filled the memory."""
    _own.__dict__.get("kept", {}).pop(key, None)
