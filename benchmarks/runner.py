"""Runs jobs, each in a fresh process that is pinned, watched and, if need be, ended."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.jobs import Job, Limits, Record
from benchmarks.machine import machine
from benchmarks.oblique_packages import interpreter
from benchmarks.solvers import cores, find
from benchmarks.worker import STARTED

ROOT = Path(__file__).resolve().parent.parent
WORKER = ("-m", "benchmarks.worker")
UNFINISHED = ("killed: time", "killed: memory", "failed", "time_limit", "memory_limit")


def run(job: Job, command: Sequence[str] | None = None) -> Record:
    """The record of one job. Whatever goes wrong is in its status: this does not raise."""
    if command is None:
        command = (interpreter(find(job.solver)[0].package) or sys.executable, *WORKER)
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in ("job", "out", "err", "started")}
        files["job"].write_text(json.dumps(job.to_dict()))
        process = _start(job, command, files)
        try:
            watched = _watch(process, job, files["started"])
        finally:
            process.kill()
            process.wait()
        answer = _outcome(process, files, watched)
    return {**job.to_dict(), **claims(job), **answer, "machine": machine()}


def claims(job: Job) -> Record:
    """What the judge has to know of the solver, kept with every result."""
    solver, _ = find(job.solver)
    return {"package": solver.package, "exact": solver.exact, "coarse": solver.coarse}


def run_all(jobs: Iterable[Job], results: Path, say: Callable[[str], None]) -> list[Record]:
    """Run the jobs in order and append each record to the file as soon as it is there.

    What did not finish once is not tried again in a later repetition.
    """
    records: list[Record] = []
    hopeless = set()
    with results.open("a") as lines:
        for job in jobs:
            what = (job.instance, job.problem, job.solver, job.limits)
            if what in hopeless:
                continue
            record = run(job)
            if record["status"] in UNFINISHED:
                hopeless.add(what)
            records.append(record)
            print(json.dumps(record), file=lines, flush=True)
            say(summary(record))
    return records


def summary(record: Record) -> str:
    """One line for whoever watches."""
    seconds = record.get("seconds")
    took = "" if seconds is None else f" {seconds:.4f} s, objective {record['objective']}"
    why = f" ({record['message']})" if record.get("message") else ""
    return f"{record['instance']['name']}: {record['solver']} {record['status']}{took}{why}"


def _start(job: Job, command: Sequence[str], files: dict[str, Path]) -> subprocess.Popen[bytes]:
    threads = cores(job.solver)
    limited = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(limited, str(threads))}
    environment[STARTED] = str(files["started"])
    with (
        files["job"].open() as source,
        files["out"].open("w") as out,
        files["err"].open("w") as err,
    ):
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=source, stdout=out, stderr=err
        )
    if job.limits.pin and hasattr(os, "sched_setaffinity"):
        # The last cores: the first ones tend to serve interrupts, and this process.
        os.sched_setaffinity(process.pid, sorted(os.sched_getaffinity(0))[-threads:])
    return process


def _watch(process: subprocess.Popen[bytes], job: Job, started: Path) -> Record:
    """Wait for the end; end it ourselves when a limit is long exceeded; interrupt it if asked."""
    # What counts is the start of the clock: imports may take long on a busy machine.
    deadline, begun = time.monotonic() + 5 * allowance(job.limits), False
    seen: Record = {"megabytes": 0.0}
    if job.interrupt_after is not None:
        _interrupt(process, job.interrupt_after, started, seen)
    while True:
        try:
            process.wait(0.05)
            return seen
        except subprocess.TimeoutExpired:
            seen["megabytes"] = max(seen["megabytes"], resident_megabytes(process.pid))
        if seen["megabytes"] > job.limits.megabytes:
            return {**seen, "status": "killed: memory"}
        if not begun and started.exists():
            deadline, begun = time.monotonic() + allowance(job.limits), True
        if time.monotonic() > deadline:
            return {**seen, "status": "killed: time"}


def allowance(limits: Limits) -> float:
    """Seconds until a process is ended: its limit, and leave to be late."""
    return 1.2 * limits.seconds + limits.inner_seconds + 20


def _interrupt(process: subprocess.Popen[bytes], after: float, started: Path, seen: Record) -> None:
    """Send Ctrl-C that long after the clock of the worker started, and note when."""
    while not started.exists() and process.poll() is None:
        time.sleep(0.005)
    time.sleep(after)
    seen["interrupted"] = time.monotonic()
    process.send_signal(signal.SIGINT)


def resident_megabytes(pid: int) -> float:
    """What the process holds at present; 0 where the system does not tell, or it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _outcome(process: subprocess.Popen[bytes], files: dict[str, Path], watched: Record) -> Record:
    if "status" in watched:
        return watched
    if process.returncode == 0:
        return {**watched, **json.loads(files["out"].read_text())}
    last = files["err"].read_text().strip().splitlines()[-1:]
    message = last[0] if last else f"exit status {process.returncode}"
    return {**watched, "status": "failed", "message": message}


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep that many cores busy with something else meanwhile."""
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)
    ]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
