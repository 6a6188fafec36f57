"""Tables in Markdown, from records and verdicts."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.jobs import Group, Record, group_of
from benchmarks.judge import Verdict, judge_all
from benchmarks.machine import describe

FINISHED = ("optimal", "greedy")


@dataclass(frozen=True)
class View:
    """How results are to be shown: by which clock, and whether unconfirmed times too."""

    clock: str = "seconds"  # or "cpu_seconds"
    allow_unconfirmed: bool = False
    independent: bool = True


@dataclass(frozen=True)
class Line:
    """All that is known of one group: the best run of every solver, and the verdict."""

    group: Group
    best: dict[str, Record]
    verdict: Verdict
    shown: bool

    def seconds(self, solver: str, clock: str) -> float | None:
        """The time of a solver, if it finished; an exact one's only if it may be shown."""
        record = self.best.get(solver)
        if record is None or record["status"] not in FINISHED:
            return None
        return None if record["exact"] and not self.shown else float(record[clock])


def lines(records: Sequence[Record], view: View) -> list[Line]:
    """One line a group, in the order of the results."""
    verdicts = judge_all(records, view.independent)
    members: dict[Group, list[Record]] = {group: [] for group in verdicts}
    for record in records:
        members[group_of(record)].append(record)
    return [
        Line(group, best_runs(found, view.clock), verdict, verdict.reports(view.allow_unconfirmed))
        for (group, verdict), found in zip(verdicts.items(), members.values(), strict=True)
    ]


def best_runs(records: Iterable[Record], clock: str) -> dict[str, Record]:
    """The fastest run of every solver."""
    best: dict[str, Record] = {}
    for record in records:
        held = best.get(record["solver"])
        if held is None or record.get(clock, math.inf) < held.get(clock, math.inf):
            best[record["solver"]] = record
    return best


def geometric_mean(values: Sequence[float]) -> float:
    if not values:
        return math.nan
    return math.exp(sum(map(math.log, values)) / len(values))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log seconds over log size, by least squares."""
    if len(sizes) < 2:
        return math.nan
    x, y = [math.log(s) for s in sizes], [math.log(s) for s in seconds]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    over = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return over / sum((a - mean_x) ** 2 for a in x)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in body)


@dataclass(frozen=True)
class Columns:
    """The solvers of a table. Every ratio is to the first of them, above 1 in its favour."""

    solvers: list[str]
    exact: list[str]
    heuristic: list[str]

    @property
    def rivals(self) -> list[str]:
        return [solver for solver in self.exact if solver != self.solvers[0]]


def columns(records: Sequence[Record]) -> Columns:
    exact = {record["solver"]: bool(record["exact"]) for record in records}
    return Columns(list(exact), [s for s in exact if exact[s]], [s for s in exact if not exact[s]])


def comparison(records: Sequence[Record], view: View) -> str:
    """Instances against solvers."""
    of = columns(records)
    every = lines(records, view)
    head = ["instance", "size", "objective"]
    head += [f"{solver}, s" for solver in of.solvers]
    head += [f"{rival} / {of.solvers[0]}" for rival in of.rivals]
    head += [f"{solver}, objective" for solver in of.heuristic]
    head += [*(f"{solver}, MB" for solver in of.exact), "remarks"]
    rows = [_row(line, of, view) for line in every]
    return table(head, [*rows, _means(every, of, view)])


def _row(line: Line, of: Columns, view: View) -> list[str]:
    row = [line.group.instance, shape(line.best), number(line.verdict.optimum)]
    row += [timed(line, solver, view) for solver in of.solvers]
    row += [ratio_text(line, of.solvers[0], rival, view) for rival in of.rivals]
    row += [number(line.best.get(solver, {}).get("objective")) for solver in of.heuristic]
    row += [megabytes(line.best.get(solver)) for solver in of.exact]
    return [*row, line.verdict.reason()]


def _means(every: Sequence[Line], of: Columns, view: View) -> list[str]:
    """The mean of every ratio, with the number of instances it is of, and the smallest."""
    means = []
    for rival in of.rivals:
        found = ratios(every, of.solvers[0], rival, view.clock)
        mean = f"{geometric_mean(found):.1f} ({len(found)}; least {min(found or [0]):.1f})"
        means.append(mean if found else "")
    before, after = [""] * (2 + len(of.solvers)), [""] * (len(of.solvers) + 1)
    return ["geometric mean (of)", *before, *means, *after]


def ratio(line: Line, ours: str, theirs: str, clock: str) -> float | None:
    a, b = line.seconds(ours, clock), line.seconds(theirs, clock)
    return None if a is None or b is None else b / a


def ratios(every: Iterable[Line], ours: str, theirs: str, clock: str) -> list[float]:
    """The ratios of the instances that both solved."""
    found = (ratio(line, ours, theirs, clock) for line in every)
    return [value for value in found if value is not None]


def ratio_text(line: Line, ours: str, theirs: str, view: View) -> str:
    """The ratio; where the rival ran out of time, what it is at least (not in the mean)."""
    value = ratio(line, ours, theirs, view.clock)
    if value is not None:
        return f"{value:.1f}"
    own, rival = line.seconds(ours, view.clock), line.best.get(theirs)
    if own is None or rival is None or rival["status"] not in ("time_limit", "killed: time"):
        return ""
    return f"> {rival['limits']['seconds'] / own:.0f}"


def timed(line: Line, solver: str, view: View) -> str:
    """Seconds, or why there are none."""
    record = line.best.get(solver)
    if record is None:
        return ""
    if record["status"] == "failed":
        return "failed"
    if record["status"] not in FINISHED:
        return f"{record['status']} ({record['limits']['seconds']:g} s)"
    seconds = line.seconds(solver, view.clock)
    return "withheld" if seconds is None else duration(seconds)


def duration(seconds: float) -> str:
    return f"{seconds:.3g}" if seconds < 100 else f"{seconds:.0f}"


def number(value: float | int | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def megabytes(record: Record | None) -> str:
    return f"{record['megabytes']:.0f}" if record and record.get("megabytes") else ""


def shape(best: dict[str, Record]) -> str:
    """Rows x columns, classes."""
    for record in best.values():
        if "rows" in record:
            classes = f", {record['classes']}" if record.get("classes") else ""
            return f"{record['rows']} x {record['columns']}{classes}"
    return ""


def header(records: Sequence[Record], view: View) -> str:
    """What was compared, where, and by which rules."""
    versions = {r["package"]: r["version"] for r in records if "version" in r}
    repeats = 1 + max(record["repetition"] for record in records)
    clock = "processor time" if view.clock == "cpu_seconds" else "wall time"
    packages = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    return (
        f"{packages}.\n{describe(records[0]['machine'])}.\n"
        f"Best of {repeats} processes a solver in alternating order, {clock} of the solve after "
        f"import and loading; MB is the peak of the whole process."
    )


def failures(records: Iterable[Record]) -> str:
    """What did not run, with the last words of each."""
    found = {
        f"- {r['instance']['name']}, {r['solver']}: {r['message']}"
        for r in records
        if r["status"] == "failed"
    }
    return "\n".join(sorted(found))


def contradictions(records: Sequence[Record], view: View) -> int:
    """The number of groups whose results contradict each other, or themselves."""
    verdicts = judge_all(records, view.independent)
    return sum(bool(verdict.contradictions) for verdict in verdicts.values())
