"""Certificates for tests: writing damaged ones, and running the second checker."""

from __future__ import annotations

import csv
import json
import lzma
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.proof import Rejected, check

Table = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]


def unpacked(path: Path) -> tuple[dict[str, Any], bytes]:
    """Header and plan of a certificate, by nothing of ours."""
    line, _, plan = lzma.decompress(path.read_bytes()).partition(b"\n")
    return json.loads(line), plan


def packed(header: Any, plan: bytes) -> bytes:
    """Put a certificate together."""
    return lzma.compress(json.dumps(header).encode() + b"\n" + plan, preset=0)


def numbers(plan: bytes) -> list[int]:
    """Take a plan apart."""
    out, value, shift = [], 0, 0
    for byte in plan:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(value)
            value = shift = 0
    return out


def as_plan(values: list[int]) -> bytes:
    """Put a plan together."""
    out = bytearray()
    for value in values:
        while value >= 128:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return bytes(out)


def write_table(path: Path, table: Table) -> list[str]:
    """Write data as a table; give the arguments for the second checker."""
    X, y, weights = table
    names = [f"x{j}" for j in range(X.shape[1])]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "y", *(["w"] if weights is not None else [])])
        for i in range(len(X)):
            last = [] if weights is None else [repr(float(weights[i]))]
            writer.writerow([*map(repr, X[i].tolist()), y[i], *last])
    return [str(path), "y", *(["w"] if weights is not None else [])]


def shown_by_second(program: Path, raw: bytes, arguments: list[str]) -> list[Fraction] | None:
    """Give the bounds that the second checker finds; None if it rejects."""
    command = [str(program), "-", *arguments]
    run = subprocess.run(command, input=raw, capture_output=True, check=False, close_fds=False)
    assert run.returncode in (0, 1, 4), run.stderr
    if run.returncode == 1:
        assert run.stderr.startswith(b"rejected: ")
        return None
    lines = run.stdout.decode().splitlines()
    return [Fraction(line.rpartition("shows ")[2].rstrip(")")) for line in lines]


def accepted(path: Path, table: Table) -> bool:
    """Whether the first checker accepts."""
    X, y, weights = table
    try:
        check(path, X, y, sample_weight=weights)
    except Rejected:
        return False
    return True


def error_data(seed: int, rows: int = 60) -> Table:
    """Data with no tree of few errors."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (rows, 3)).astype(float)
    y = ((X[:, 0] > 5) ^ (X[:, 1] > 6) ^ (rng.random(rows) < 0.15)).astype(int)
    return X, y, None
