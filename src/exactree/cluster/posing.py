"""A native search as plain data: what is sent to workers, once, and known by its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from exactree import _native

# What a search is run with, but which does not change what it finds.
NOT_OF_THE_PROBLEM = ("time_limit", "memory_limit", "threads", "poll")
# What a user may give otherwise when a run is to go on, and what the data tell as it was read.
NOT_ASKED = (
    *("time_limit", "memory_limit", "n_jobs", "gap_limit", "gap_limit_absolute", "random_state"),
    *("executor", "checkpoint", "start", "on_progress"),
    *("sample_weight", "class_weight", "costs", "categorical_features"),
)


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


def asked_parts(asked: Any, data: Any) -> dict[str, str]:
    """Do the same for a request and its data: what `solve` is called with, not what it does then.

    Which native searches a problem takes, and in what order, may depend on the time there is.
    """
    table = getattr(data.X, "kinds", None)
    columns = [data.X.column(j) for j in range(len(table))] if table is not None else []
    known = {
        "X": data.X if table is None else [[repr(c.kind), c.values] for c in columns],
        "y": [data.labels, data.classes],
        "weights": data.weights,
        "scale": data.scale,
        "costs": None if data.costs is None else data.costs.table,
        "objective": [type(asked.objective).__name__, asked.objective],
        "splits": [type(asked.splits).__name__, asked.splits],
    }
    for one in fields(asked):
        if one.name not in NOT_ASKED and one.name not in known:
            known[one.name] = getattr(asked, one.name)
    return {name: _digest(value) for name, value in known.items()}


def _digest(value: Any) -> str:
    """Tell numbers as they are and arrays by their type, shape and content."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        value = value.tolist()
    if isinstance(value, np.ndarray):
        content = sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"{value.dtype.str}{value.shape}:{content}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_digest(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{name}={_digest(value[name])}" for name in sorted(value)) + "}"
    if is_dataclass(value) and not isinstance(value, type):
        return _digest({one.name: getattr(value, one.name) for one in fields(value)})
    told = repr(value)
    return type(value).__qualname__ if " at 0x" in told else told  # which tells where it is
