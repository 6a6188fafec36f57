"""What is proved and found at fractions of a full run; bounds of stopped runs, confirmed by it.

Then what searches of some seconds find and prove, beside others (benchmarks/stopped.py).
"""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.jobs import Job, Record
from benchmarks.judge import judge_all
from benchmarks.report import duration, number, table
from benchmarks.runner import run_all
from benchmarks.stopped import bounds, trees
from benchmarks.suites import OURS, Finding, Setting

SHARES = (0.1, 0.25, 0.5, 0.75)


def anytime(setting: Setting) -> Finding:
    """Everything that is asked of a search before its end: half an hour for ten sets."""
    parts = [fractions(setting), trees(setting), bounds(setting)]
    records = [record for part in parts for record in part.records]
    return Finding(records, "\n\n".join(part.text for part in parts))


def fractions(setting: Setting) -> Finding:
    """One run of every set, read from its history, and one that is stopped halfway."""
    full = setting.measure("anytime", [setting.problem], solvers=[OURS], repeat=1)
    stopped = run_all(
        [_half(record, setting) for record in full if record["status"] == "optimal"],
        setting.results,
        setting.say,
    )
    verdicts = judge_all([*full, *stopped], independent=False).values()
    wrong = [f"- {v.group.instance}: {v.reason()}" for v in verdicts if v.contradictions]
    notes = "\n".join(wrong) or "No bound of a stopped run is refuted by a longer one."
    return Finding([*full, *stopped], f"{_table(full)}\n\n{notes}")


def _half(record: Record, setting: Setting) -> Job:
    job = Job.from_dict({key: record[key] for key in Job.__dataclass_fields__})
    seconds = record["seconds"] / 2
    return replace(job, limits=replace(setting.limits, seconds=seconds, inner_runs=1))


def _table(records: Sequence[Record]) -> str:
    """Bound as a share of the best tree, and by how much the tree of then is above that."""
    head = ["instance", "status", "seconds", "best", "proved"]
    head += [f"after {share:.0%}: bound, tree" for share in SHARES]
    return table(head, [_row(record) for record in records if record.get("history")])


def _row(record: Record) -> list[str]:
    history, best = record["history"], record["objective"]
    cells = [record["instance"]["name"], str(record["status"]), duration(record["seconds"])]
    cells += [number(best), number(history[-1][2])]
    return cells + [_at(history, share * history[-1][0], best) for share in SHARES]


def _at(history: Sequence[Sequence[float]], seconds: float, best: float) -> str:
    past = [moment for moment in history if moment[0] <= seconds]
    _, objective, bound = (past or history)[-1 if past else 0]
    if best <= 0:
        return f"{number(bound)}, {number(objective)}"
    return f"{bound / best:.0%}, +{objective / best - 1:.1%}"
