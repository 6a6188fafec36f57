"""The plain oracle of cpp/tests/plain_trees.cpp, for Python: compiled when it is first asked for.

It judges problems of hundreds and thousands of rows. It is a library of its own, made from that one
file, so nothing of the package is in it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
SOURCES = [ROOT / "cpp" / "tests" / name for name in ("plain_trees.cpp", "plain_trees.hpp")]
IMPOSSIBLE = 2**60

Ints = NDArray[np.int32]
Costs = NDArray[np.int64]


class _Table(ctypes.Structure):
    """PlainTable of the header."""

    _fields_ = [
        ("rows", ctypes.c_int32),
        ("columns", ctypes.c_int32),
        ("classes", ctypes.c_int32),
        *((name, ctypes.c_void_p) for name in ("values", "labels", "weights", "costs", "counts")),
        ("least", ctypes.c_int64),
    ]


@cache
def _library() -> ctypes.CDLL:
    """Compile, unless the same text was compiled before; another process may do so at once."""
    text = b"".join(path.read_bytes() for path in SOURCES)
    made = ROOT / "build" / "oracle" / f"plain_trees-{sha256(text).hexdigest()[:16]}.so"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        unfinished = made.with_suffix(f".{os.getpid()}")
        compiler = os.environ.get("CXX", "c++").split()
        options = ["-std=c++20", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'cpp'}"]
        command = [*compiler, *options, str(SOURCES[0]), "-o", str(unfinished)]
        subprocess.run(command, check=True)
        unfinished.replace(made)
    return ctypes.CDLL(str(made))


def _table(
    values: Ints,
    labels: Ints,
    classes: int,
    weights: Costs | None,
    counts: Ints | None,
    costs: Costs | None,
    least: int,
) -> tuple[_Table, list[Any]]:
    """Give the table, and the arrays it points into."""
    n = len(labels)
    arrays: list[NDArray[Any] | None] = [
        np.ascontiguousarray(values, dtype=np.int32),
        np.ascontiguousarray(labels, dtype=np.int32),
        np.ascontiguousarray(np.ones(n) if weights is None else weights, dtype=np.int64),
        None if costs is None else np.ascontiguousarray(costs, dtype=np.int64),
        np.ascontiguousarray(np.ones(n) if counts is None else counts, dtype=np.int32),
    ]
    pointers = [None if a is None else a.ctypes.data for a in arrays]
    return _Table(n, len(values), classes, *pointers, least), arrays


def tree_costs(depth: int, values: Ints, labels: Ints, classes: int, **options: Any) -> list[int]:
    """The least cost within `depth` levels and k splits, for k from 0 to 2**depth - 1."""
    table, _kept = _table(values, labels, classes, **_completed(options))
    best = np.empty(2**depth, dtype=np.int64)
    _library().plain_tree_costs(ctypes.byref(table), depth, ctypes.c_void_p(best.ctypes.data))
    return [int(cost) for cost in best]


def interval_costs(
    intervals: int, column: Ints, labels: Ints, classes: int, **options: Any
) -> Costs:
    """The least cost of the first i rows in the order of a column, in at most s + 1 intervals."""
    table, _kept = _table(column[None, :], labels, classes, **_completed(options))
    best = np.empty((intervals, len(labels) + 1), dtype=np.int64)
    _library().plain_interval_costs(
        ctypes.byref(table), intervals, ctypes.c_void_p(best.ctypes.data)
    )
    return best


def _completed(options: dict[str, Any]) -> dict[str, Any]:
    return {"weights": None, "counts": None, "costs": None, "least": 1, **options}
