"""Certificates: how large they are, how long writing and checking them takes beside the solve."""

import lzma
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from math import exp, log
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import Any

import exactree
from benchmarks.data import Instance, load
from benchmarks.report import table
from benchmarks.suites import Finding, Setting

PROGRAM = Path("build/check_certificate")
HEAD = ["instance", "solve, s", "KB", "write, s", "x (solve + 0.017)", "check in Python, s"]
HEAD += ["x (solve + 0.005)", "check in C++, s", "x (solve + 0.002)"]
# The bars: 3 (solve + 0.05 / 3), 40 (solve + 0.2 / 40), 10 (solve + 0.02 / 10).
FREE = (0.05 / 3, 0.2 / 40, 0.02 / 10)


def proof(setting: Setting) -> Finding:
    """Solve, certify and check every instance, each as often as asked; the best times count."""
    rows, ratios = [], []
    for instance in setting.instances:
        found = _measured(instance, setting)
        setting.say(" ".join(found[0]))
        rows.append(found[0])
        ratios.append(found[1])
    means = [_mean([r[k] for r in ratios if r[k] is not None]) for k in range(3)]
    rows.append(["geometric mean", "", "", "", means[0], "", means[1], "", means[2]])
    return Finding([], table(HEAD, rows))


def _measured(instance: Instance, setting: Setting) -> tuple[list[str], list[float | None]]:
    problem = setting.problem
    X, y = load(instance, problem.task)
    how: dict[str, Any] = {"max_depth": problem.max_depth, "task": problem.task}
    how |= {"splits": problem.splits, "penalty": problem.penalty}
    result, solve = _timed(lambda: exactree.solve(X, y, **how), setting.repeat)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.xz"
        _, write = _timed(lambda: exactree.proof.certify(result, X, y, path, **how), setting.repeat)
        _, check = _timed(lambda: exactree.proof.check(path, X, y), setting.repeat)
        second = _second(path, X, y) if problem.task == "classification" else None
        size = path.stat().st_size / 1000
    ratios: list[float | None] = [
        None if seconds is None else seconds / (solve + free)
        for seconds, free in zip((write, check, second), FREE, strict=True)
    ]
    cells = [instance.name, f"{solve:.3f}", f"{size:.1f}"]
    for seconds, ratio in zip((write, check, second), ratios, strict=True):
        cells += [
            "" if seconds is None else f"{seconds:.3f}",
            "" if ratio is None else f"{ratio:.1f}",
        ]
    return cells, ratios


def _timed(call: Callable[[], Any], repeat: int) -> tuple[Any, float]:
    best, found = float("inf"), None
    for _ in range(repeat):
        start = process_time()
        found = call()
        best = min(best, process_time() - start)
    return found, best


def _second(path: Path, X: Any, y: Any) -> float | None:
    """The processor time of the second checker, which reads a table; None: make checker first."""
    if not PROGRAM.exists():
        return None
    data = path.with_name("data.csv")
    names = [f"x{j}" for j in range(X.shape[1])]
    lines = [
        ",".join(map(repr, [*row, label]))
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    data.write_text("\n".join([",".join([*names, "y"]), *lines]) + "\n")
    raw = lzma.decompress(path.read_bytes())
    start = getrusage(RUSAGE_CHILDREN)
    subprocess.run([PROGRAM, "-", data, "y"], input=raw, check=True, capture_output=True)
    end = getrusage(RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def _mean(ratios: Sequence[float | None]) -> str:
    known = [log(max(ratio, 1e-9)) for ratio in ratios if ratio is not None]
    return f"{exp(sum(known) / len(known)):.1f}" if known else ""
