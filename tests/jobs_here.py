"""Jobs of the benchmark harness in this process, where solvers of a test are known."""

from benchmarks import runner
from benchmarks.jobs import Job, Record
from benchmarks.machine import machine
from benchmarks.worker import perform


def run_here(job: Job) -> Record:
    """What the runner gives, without a process for each."""
    record = {**job.to_dict(), **runner.claims(job), **perform(job), "machine": machine()}
    if job.interrupt_after is not None:
        record |= {"status": "interrupted", "interrupted": record["ended"] - 0.125}
    return record
