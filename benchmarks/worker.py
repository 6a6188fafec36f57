"""The subprocess of one run: reads a job from its input, writes a record to its output."""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.jobs import Job, Limits, Record

STARTED = "BENCHMARKS_STARTED"  # names a file to be created when the clock starts


class Timing(NamedTuple):
    """Wall and processor seconds of every solve of this process, the last result, its end."""

    wall: list[float]
    cpu: list[float]
    result: Any
    ended: float


def perform(job: Job, solved: Callable[[], None] = lambda: None) -> Record:
    """Load, solve, read and recount; `solved` is called when the clock has stopped for good."""
    from benchmarks.data import load
    from benchmarks.solvers import find

    X, y = load(job.instance, job.problem.task)
    solver, options = find(job.solver)
    prepared = solver.prepare(X, y, job.problem, job.limits.seconds, options)
    before = peak_megabytes()
    timing = measure(prepared.run, job.limits)
    solved()
    record = {
        "seconds": min(timing.wall),
        "cpu_seconds": min(timing.cpu),
        "first_seconds": timing.wall[0],
        "runs": len(timing.wall),
        "ended": timing.ended,
        "megabytes": peak_megabytes(),
        "megabytes_before": before,
        "version": solver.version(),
        "rows": X.shape[0],
        "columns": X.shape[1],
        "classes": len(set(y.tolist())) if job.problem.task == "classification" else None,
    }
    answer = prepared.read(timing.result)
    return {**record, **vars(answer), **_checked(answer.tree, X, y, job)}


def _checked(tree: Any, X: Any, y: Any, job: Job) -> Record:
    """What the harness finds when it walks the tree itself."""
    from benchmarks.trees import broken_budgets, recount

    if tree is None:
        return {"recount": None, "broken": []}
    return {
        "recount": recount(tree, X, y, job.problem),
        "broken": broken_budgets(tree, X, job.problem),
    }


def measure(run: Callable[[], Any], limits: Limits) -> Timing:
    """Solve again and again while that is cheap."""
    wall: list[float] = []
    cpu: list[float] = []
    _announce()
    while True:
        result = None  # the last one is freed outside the clock
        started, used = time.perf_counter(), time.process_time()
        result = run()
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - used)
        if sum(wall) >= limits.inner_seconds or len(wall) >= limits.inner_runs:
            return Timing(wall, cpu, result, time.monotonic())


def _announce() -> None:
    if STARTED in os.environ:
        Path(os.environ[STARTED]).touch()


def peak_megabytes() -> float:
    """The largest resident size so far.

    Linux tells it without what a parent left behind at the fork, which getrusage counts.
    """
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _ignore_interrupts() -> None:
    """A Ctrl-C that comes after the solve has nothing to stop any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main() -> None:
    """Solvers may print: only the record goes to the real output."""
    # A shell starts what it puts in the background with Ctrl-C ignored; the experiments send it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    job = Job.from_dict(json.load(sys.stdin))
    json.dump(perform(job, _ignore_interrupts), output)
    output.close()


if __name__ == "__main__":
    main()
