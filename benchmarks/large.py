"""Large and wide tables of noise: how late limits act, what they take, how long they take."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.report import table
from benchmarks.suites import Finding, Setting

MEGABYTE = 10**6


@dataclass(frozen=True)
class Case:
    """A table of random numbers, and how it is solved. No classes: regression."""

    rows: int
    columns: int
    classes: int
    depth: int = 3
    seconds: float | None = 0.3
    megabytes: float | None = None
    binary: bool = False

    @property
    def name(self) -> str:
        """What the report calls it."""
        target = f"{self.classes} classes" if self.classes else "regression"
        kind = ", binary" if self.binary else ""
        return f"{self.rows} x {self.columns}, {target}{kind}, depth {self.depth}"


TIME = [
    Case(100_000, 10, 300),
    Case(200_000, 20, 0),
    Case(200_000, 20, 5),
    Case(200_000, 5, 0),
    Case(500_000, 5, 2),
]
MEMORY = [
    Case(20_000, 60, 2, seconds=5.0, megabytes=57 * 2**20 / MEGABYTE),
    Case(200_000, 20, 0, seconds=5.0, megabytes=20.0),
]
WIDE = [
    Case(1_000, 2_000, 2, 2, seconds=60.0),
    Case(500, 10_000, 2, 2, seconds=120.0),
    Case(20_000, 300, 2, 2, seconds=60.0),
    Case(100, 50_000, 2, 2, seconds=120.0),
    Case(1_000, 2_000, 2, 3, seconds=40.0),
    Case(1_000, 2_000, 2, 4, seconds=40.0, binary=True),
    Case(1_000, 500, 0, 2, seconds=60.0),
]


def large(setting: Setting) -> Finding:
    """Run every case in a process of its own; the data sets of the setting are not used."""
    rows = []
    for part, cases in (("time", TIME), ("memory", MEMORY), ("wide", WIDE)):
        for case in cases:
            setting.say(f"{part}: {case.name}")
            rows.append([part, *_row(case, _run(case))])
    head = ["part", "table", "status", "objective", "bound", "reading, s", "in all, s", "late, s"]
    return Finding([], table([*head, "grown, MB", "allowed, MB"], rows))


def _row(case: Case, found: dict[str, Any]) -> list[str]:
    over = found["seconds"] - max(case.seconds or 0.0, found["reading"])
    late = f"{over:.2f}" if found["status"] == "time_limit" else ""
    copy = 8 * case.rows * case.columns / MEGABYTE
    allowed = 10 * copy + 100 if case.megabytes is None else case.megabytes + 32 + copy
    values = [f"{found[key]:.6g}" for key in ("objective", "bound")]
    times = [f"{found['reading']:.2f}", f"{found['seconds']:.2f}", late]
    return [case.name, found["status"], *values, *times, f"{found['grown']:.0f}", f"{allowed:.0f}"]


def _run(case: Case) -> dict[str, Any]:
    words = [sys.executable, "-m", "benchmarks.large", json.dumps(asdict(case))]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def made(case: Case) -> tuple[Any, Any]:
    """One column says something of the target, the others nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(case.rows, case.columns))
    if case.binary:
        X = (X > 0).astype(float)
    y = X[:, 0] + rng.normal(size=case.rows)
    if case.classes == 2:
        return X, (y > 0).astype(int)
    if case.classes > 8:
        return X, rng.integers(0, case.classes, case.rows)
    return X, np.clip(y * 1.2, -2, 2).astype(int) if case.classes else y


def measured(case: Case) -> dict[str, Any]:
    """Solve it here; reading is what the same takes with a single leaf to be found."""
    import exactree

    X, y = made(case)
    options: dict[str, Any] = {"task": "classification" if case.classes else "regression"}
    exactree.solve(X[:99, :2], y[:99], max_depth=1, **options)
    before, start = resident(), perf_counter()
    memory = None if case.megabytes is None else int(case.megabytes * MEGABYTE)
    limits: dict[str, Any] = {"time_limit": case.seconds, "memory_limit": memory}
    found = exactree.solve(X, y, max_depth=case.depth, **options, **limits)
    seconds, grown = perf_counter() - start, resident() - before
    start = perf_counter()
    exactree.solve(X, y, max_depth=0, **options)
    return {
        "status": found.status,
        "objective": float(found.objective),
        "bound": float(found.lower_bound),
        "seconds": seconds,
        "reading": perf_counter() - start,
        "grown": grown,
    }


def resident() -> float:
    """The most this process has had, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) / MEGABYTE for line in lines if "VmHWM" in line)


if __name__ == "__main__":
    print(json.dumps(measured(replace(Case(1, 1, 2), **json.loads(sys.argv[1])))))
