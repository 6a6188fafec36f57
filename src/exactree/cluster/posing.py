"""A native search as plain data: what is sent to workers, once, and known by its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from exactree import _native

# What a search is run with, but which does not change what it finds.
NOT_OF_THE_PROBLEM = ("time_limit", "memory_limit", "threads", "poll")


def _pose_losses(columns: Any, loss: Any, counts: Any, **terms: Any) -> _native.Posed:
    """Make the loss of its plain arguments, and pose it."""
    kind, rows, named = loss
    return _native.pose_losses(columns, getattr(_native, kind)(*rows, **named), counts, **terms)


POSE: dict[str, Callable[..., _native.Posed]] = {
    "columns": _native.pose_columns,
    "costs": _native.pose_costs,
    "squares": _native.pose_squares,
    "masks": _native.pose_masks,
    "mask_costs": _native.pose_mask_costs,
    "losses": _pose_losses,
}
OVER_MASKS = frozenset({"masks", "mask_costs"})


@dataclass(frozen=True)
class Posing:
    """The arguments of a native search: its kind, its rows and its terms."""

    kind: str
    rows: tuple[Any, ...]
    terms: dict[str, Any] = field(default_factory=dict)

    def pose(self, **how: Any) -> _native.Posed:
        """Hand it to the native module, which checks it."""
        return POSE[self.kind](*self.rows, **self.terms, **how)

    @cached_property
    def parts(self) -> dict[str, str]:
        """Give a short name to the content of every argument, so that differences can be named."""
        named = {f"argument {i}": value for i, value in enumerate(self.rows)}
        return {name: _digest(value) for name, value in {**named, **self.terms}.items()}

    @cached_property
    def key(self) -> str:
        """Name the whole of it by its content."""
        words = "\n".join(f"{name}={digest}" for name, digest in sorted(self.parts.items()))
        return sha256(f"{self.kind}\n{words}".encode()).hexdigest()


def of_problem(terms: dict[str, Any]) -> dict[str, Any]:
    """Leave out what does not belong to the problem."""
    return {name: value for name, value in terms.items() if name not in NOT_OF_THE_PROBLEM}


def _digest(value: Any) -> str:
    """Tell numbers as they are and arrays by their type, shape and content."""
    if isinstance(value, np.ndarray):
        content = sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"{value.dtype.str}{value.shape}:{content}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_digest(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{name}={_digest(value[name])}" for name in sorted(value)) + "}"
    return repr(value)
