"""Which times may be reported: only those of answers that others confirm.

A time is worth nothing if the answer is wrong, so a group of results (the same problem on the same
data) is judged as a whole. Any contradiction takes the times of the whole group away, since it does
not say who is wrong.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.jobs import Group, Record, group_of

FOUND = ("optimal", "greedy", "time_limit", "memory_limit", "interrupted")


@dataclass
class Verdict:
    """The optimum of a group, who confirms it, what is remarkable, and what contradicts."""

    group: Group
    optimum: float | int | None = None
    confirmed: bool = False
    notes: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)

    def reports(self, allow_unconfirmed: bool = False) -> bool:
        """Whether times of this group may be shown."""
        return not self.contradictions and (self.confirmed or allow_unconfirmed)

    def reason(self) -> str:
        """Why not, and what else is to be said."""
        if self.contradictions:
            return "; ".join(["refused", *self.contradictions])
        return "; ".join([*([] if self.confirmed else ["not confirmed"]), *self.notes])


def judge(records: Sequence[Record], independent: bool = True) -> Verdict:
    """Judge the results of one group.

    With `independent`, an optimum needs solvers of two packages; without, two solvers do (our own
    options against each other).
    """
    verdict = Verdict(group_of(records[0]))
    found = [record for record in records if record["status"] in FOUND]
    verdict.contradictions += [text for record in found for text in _against_itself(record)]
    proved = [record for record in found if record["status"] == "optimal" and record["exact"]]
    if not proved:
        verdict.notes.append("nobody proved an optimum")
        return verdict
    _agree(verdict, proved)
    _nobody_better(verdict, found)
    kind = "package" if independent else "solver"
    verdict.confirmed = not verdict.contradictions and len({r[kind] for r in proved}) > 1
    if not verdict.confirmed and not verdict.contradictions:
        verdict.notes.append(f"only {_names(proved)} finished")
    return verdict


def judge_all(records: Iterable[Record], independent: bool = True) -> dict[Group, Verdict]:
    """A verdict for every group, in the order of the results."""
    groups: dict[Group, list[Record]] = {}
    for record in records:
        groups.setdefault(group_of(record), []).append(record)
    return {group: judge(members, independent) for group, members in groups.items()}


def same(a: float, b: float) -> bool:
    """Integers must be equal; sums of floats agree within 1e-9 relative."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def below(a: float, b: float) -> bool:
    return a < b and not same(a, b)


def achieved(record: Record) -> float | int:
    """The smallest cost that the answer of a solver is known to reach.

    A coarse solver may count its own tree on rounded values; the tree exists all the same.
    """
    values: list[float | int | None] = [record["objective"], record.get("recount")]
    return min(value for value in values if value is not None)


def _against_itself(record: Record) -> list[str]:
    """A tree that does not keep the budgets, or does not cost what the solver says."""
    name = record["solver"]
    found = [f"{name}'s tree has {broken}" for broken in record.get("broken", [])]
    count, objective = record.get("recount"), record["objective"]
    if count is not None and not record["coarse"] and not same(count, objective):
        found.append(f"{name} claims {objective}, but its tree costs {count}")
    bound = record.get("lower_bound")
    if bound is not None and below(objective, bound):
        found.append(f"{name} claims the lower bound {bound} above its objective {objective}")
    if bound is not None and record["status"] == "optimal" and not same(objective, bound):
        found.append(f"{name} calls {objective} optimal with the lower bound {bound}")
    return found


def _agree(verdict: Verdict, proved: Sequence[Record]) -> None:
    """All who claim the optimum must name one value; coarse ones may be above it."""
    fine = [record for record in proved if not record["coarse"]] or list(proved)
    optimum = min(achieved(record) for record in fine)
    verdict.optimum = optimum
    for record in proved:
        value = achieved(record)
        if same(value, optimum):
            continue
        if record in fine or below(value, optimum):
            verdict.contradictions.append(f"{record['solver']} says {value}, others {optimum}")
        elif all(other.get("recount") is None for other in fine):
            verdict.contradictions.append(
                f"{optimum} is below {record['solver']}'s {value}, no tree"
            )
        else:
            verdict.notes.append(f"{record['solver']} says {value}; the tree with fewer, recounted")
    verdict.contradictions = list(dict.fromkeys(verdict.contradictions))
    verdict.notes = list(dict.fromkeys(verdict.notes))


def _nobody_better(verdict: Verdict, found: Sequence[Record]) -> None:
    """A heuristic or unfinished answer below a proved optimum refutes it; so does a bound above."""
    assert verdict.optimum is not None
    for record in found:
        name, bound = record["solver"], record.get("lower_bound")
        if below(achieved(record), verdict.optimum) and record["status"] != "optimal":
            verdict.contradictions.append(
                f"{name} found {achieved(record)}, below the optimum {verdict.optimum}"
            )
        if bound is not None and record["status"] != "optimal" and below(verdict.optimum, bound):
            verdict.contradictions.append(f"{name}'s bound {bound} is above {verdict.optimum}")


def _names(records: Iterable[Record]) -> str:
    return ", ".join(sorted({record["solver"] for record in records}))
