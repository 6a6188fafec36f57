"""How fast limits act, and how good the answers are by then, on a machine with other work to do."""

import os
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.data import Instance
from benchmarks.jobs import Job, Limits, Problem, Record
from benchmarks.judge import below, judge_all
from benchmarks.report import duration, number, table
from benchmarks.runner import busy, run_all
from benchmarks.suites import OURS, Finding, Setting


def limits(setting: Setting) -> Finding:
    """Stop the hardest problem early in several ways while two cores are busy with other work."""
    hard = replace(setting.problem, max_depth=5)
    jobs = [job for instance in setting.instances for job in _stopped(instance, hard, setting)]
    with busy(min(2, os.cpu_count() or 1)):
        records = run_all(jobs, setting.results, setting.say)
    checks = _bound_checks(setting)
    verdicts = judge_all([*records, *checks], independent=False).values()
    wrong = [f"- {v.group.instance}: {v.reason()}" for v in verdicts if v.contradictions]
    notes = "\n".join(wrong) or "No bound of a stopped run is refuted by a longer one."
    return Finding([*records, *checks], f"{_table(setting, records)}\n\n{notes}")


def _stopped(instance: Instance, problem: Problem, setting: Setting) -> list[Job]:
    """One second, two seconds, Ctrl-C after one; CART for comparison."""
    base = Job("limits", instance, problem, OURS, _once(setting.limits, 60.0))
    return [
        replace(base, limits=_once(setting.limits, 1.0)),
        replace(base, limits=_once(setting.limits, 2.0)),
        replace(base, interrupt_after=1.0),
        replace(base, solver="cart"),
    ]


def _once(limits: Limits, seconds: float) -> Limits:
    return replace(limits, seconds=seconds, inner_runs=1, pin=False)


def _bound_checks(setting: Setting) -> list[Record]:
    """A full solve, and one that is stopped after a third of its time: their bounds must fit."""
    full = setting.measure("limits", [setting.problem], solvers=[OURS], repeat=1)
    stopped = [
        replace(
            Job.from_dict({key: record[key] for key in Job.__dataclass_fields__}),
            limits=_once(setting.limits, record["seconds"] / 3),
        )
        for record in full
        if record["status"] == "optimal"
    ]
    return full + run_all(stopped, setting.results, setting.say)


def _table(setting: Setting, records: Sequence[Record]) -> str:
    head = ["instance", "late after 1 s", "late after 2 s", "Ctrl-C, late", "first answer, s"]
    head += ["objective after 1 s", "after 2 s", "CART", "remarks"]
    rows = [
        _row(instance.name, [r for r in records if r["instance"]["name"] == instance.name])
        for instance in setting.instances
    ]
    return table(head, rows)


def _row(name: str, records: Sequence[Record]) -> list[str]:
    one, two, stopped, greedy = records
    first = one["history"][0][0] if one.get("history") else None
    objectives = [record.get("objective") for record in (one, two, greedy)]
    cells = [name, _late(one), _late(two), _reaction(stopped)]
    cells += ["" if first is None else duration(first), *(number(value) for value in objectives)]
    return [*cells, _remark(one, two, stopped, greedy)]


def _late(record: Record) -> str:
    """Seconds after the limit; a run that needed no limit says so."""
    if record["status"] == "optimal":
        return f"finished in {duration(record['seconds'])}"
    if "seconds" not in record:
        return str(record["status"])
    return f"{record['first_seconds'] - record['limits']['seconds']:.3f}"


def _reaction(record: Record) -> str:
    """From the signal to the answer."""
    if record["status"] == "optimal":
        return f"finished in {duration(record['seconds'])}"
    if record["status"] != "interrupted":
        return str(record["status"])
    return f"{record['ended'] - record['interrupted']:.3f}"


def _remark(one: Record, two: Record, stopped: Record, greedy: Record) -> str:
    failed = [r["message"] for r in (one, two, stopped, greedy) if r["status"] == "failed"]
    if failed:
        return str(failed[0])
    if "objective" in one and below(greedy["objective"], one["objective"]):
        return "worse than CART"
    return ""
