"""What is run: a problem on an instance by a solver, within limits. Plain data, for JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from benchmarks.data import Instance

Record = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """What is to be optimised: everything that the objective depends on, except the data."""

    task: str = "classification"
    splits: str = "axis"
    max_depth: int | None = 3
    max_splits: int | None = None
    penalty: float = 0.0
    min_samples_leaf: int = 1


@dataclass(frozen=True)
class Limits:
    """What one run may use, and how often a fast one is repeated inside its process.

    The process repeats the solve until it has spent `inner_seconds` on it or done it `inner_runs`
    times, and reports the best: the same rule for every solver.
    """

    seconds: float = 120.0
    megabytes: int = 4096
    inner_seconds: float = 0.5
    inner_runs: int = 20
    pin: bool = True


@dataclass(frozen=True)
class Job:
    """One subprocess. `solver` is a name of benchmarks.solvers, with options: "name:key=value"."""

    suite: str
    instance: Instance
    problem: Problem
    solver: str
    limits: Limits = Limits()
    repetition: int = 0
    interrupt_after: float | None = None

    def to_dict(self) -> Record:
        return asdict(self)

    @staticmethod
    def from_dict(record: Record) -> "Job":
        parts = {
            "instance": Instance(**record["instance"]),
            "problem": Problem(**record["problem"]),
            "limits": Limits(**record["limits"]),
        }
        return Job(**{**record, **parts})


class Group(NamedTuple):
    """Runs that must agree on the objective: the same problem on the same data."""

    instance: str
    problem: Problem


def group_of(record: Record) -> Group:
    """The group of a result."""
    return Group(record["instance"]["name"], Problem(**record["problem"]))


def alternating(jobs: Sequence[Job], repeat: int) -> Iterator[Job]:
    """Every group `repeat` times over, its solvers forwards and backwards in turn.

    Side by side: what slows the machine for a while slows all solvers of a group, not one of them.
    """
    groups: dict[tuple[Instance, Problem], list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.instance, job.problem), []).append(job)
    for group in groups.values():
        for repetition in range(repeat):
            for job in group[:: -1 if repetition % 2 else 1]:
                yield Job(**{**vars(job), "repetition": repetition})
