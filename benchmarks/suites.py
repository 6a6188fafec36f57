"""The experiments: each is a list of jobs and a way to tell what came out of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import plots
from benchmarks.data import Instance, generated
from benchmarks.jobs import Job, Limits, Problem, Record, alternating
from benchmarks.report import (
    FINISHED,
    Line,
    View,
    comparison,
    duration,
    exponent,
    geometric_mean,
    lines,
    number,
    ratio,
    shape,
    table,
    timed,
)
from benchmarks.runner import run_all

OURS = "exactree"
# What is compared unless the command line names solvers.
DEFAULT_SOLVERS = [OURS, "pycontree", "cart"]
PEERS_BINARY = [OURS, "pystreed"]
PEERS_SPARSE = [OURS, "imodels"]


@dataclass(frozen=True)
class Setting:
    """What the command line decides: the same for every experiment."""

    instances: list[Instance]
    solvers: list[str]
    problem: Problem
    limits: Limits
    repeat: int
    view: View
    results: Path  # the file of JSON lines; report and plots go beside it
    say: Callable[[str], None]
    folds: int = 5
    search_seconds: float = 2.5

    def measure(self, suite: str, problems: Sequence[Problem], **changes: object) -> list[Record]:
        """Run every instance x problem x solver."""
        setting = replace(self, **changes)  # type: ignore[arg-type]
        jobs = [
            Job(suite, instance, problem, solver, setting.limits)
            for instance in setting.instances
            for problem in problems
            for solver in setting.solvers
        ]
        return run_all(alternating(jobs, setting.repeat), self.results, self.say)

    def plot_file(self, name: str) -> Path:
        return self.results.with_name(f"{self.results.stem}-{name}.png")


@dataclass(frozen=True)
class Finding:
    """The records of an experiment, its text in Markdown, and whether it found a contradiction
    that the judge of a single problem cannot see.
    """

    records: list[Record]
    text: str
    contradiction: bool = False


def compare(setting: Setting) -> Finding:
    """One problem on every instance, by every solver."""
    records = setting.measure("compare", [setting.problem])
    plots.times(lines(records, setting.view), setting.view, setting.plot_file("times"))
    return Finding(records, comparison(records, setting.view))


def at_depth(depth: int) -> Callable[[Setting], Finding]:
    """The comparison at a fixed depth."""
    return lambda setting: compare(
        replace(setting, problem=replace(setting.problem, max_depth=depth))
    )


def binary(depth: int, *penalties: float) -> Callable[[Setting], Finding]:
    """Binary features at a fixed depth, against STreeD; once for every penalty if there are any."""

    def run(setting: Setting) -> Finding:
        problem = replace(setting.problem, splits="binary", max_depth=depth)
        return _per_penalty(setting, problem, PEERS_BINARY, penalties or (0.0,))

    return run


def _per_penalty(
    setting: Setting, problem: Problem, peers: list[str], penalties: Sequence[float]
) -> Finding:
    """One comparison after the other, with these solvers unless the command line names some."""
    solvers = peers if setting.solvers == DEFAULT_SOLVERS else setting.solvers
    findings = [
        compare(replace(setting, solvers=solvers, problem=replace(problem, penalty=penalty)))
        for penalty in penalties
    ]
    records = [record for finding in findings for record in finding.records]
    return Finding(records, "\n\n".join(finding.text for finding in findings))


def sparse(splits: str, *penalties: float) -> Callable[[Setting], Finding]:
    """A penalty per split and no depth, against FastSmallTree; once for every penalty."""

    def run(setting: Setting) -> Finding:
        problem = replace(setting.problem, splits=splits, max_depth=None)
        return _per_penalty(setting, problem, PEERS_SPARSE, penalties)

    return run


def memory(setting: Setting) -> Finding:
    """Peak memory of every solver: of the process, and what the solve added to it."""
    records = setting.measure("memory", [setting.problem], repeat=1)
    every = lines(records, setting.view)
    head = ["instance", "size", *(f"{s}, MB (solve)" for s in setting.solvers)]
    rows = [
        [line.group.instance, shape(line.best), *(_memory(line, s) for s in setting.solvers)]
        for line in every
    ]
    return Finding(records, table(head, rows))


def _memory(line: Line, solver: str) -> str:
    record = line.best.get(solver)
    if record is None or record["status"] == "failed":
        return "failed"
    if "megabytes_before" not in record:
        return f"> {record['megabytes']:.0f} ({record['status']})"
    return f"{record['megabytes']:.0f} ({record['megabytes'] - record['megabytes_before']:.0f})"


def sizes(setting: Setting) -> Finding:
    """The optima for every number of splits, against the one solve without that limit."""
    full = 2 ** (setting.problem.max_depth or 3) - 1
    problems = [replace(setting.problem, max_splits=k) for k in (*range(full + 1), None)]
    records = setting.measure("sizes", problems, solvers=[OURS])
    head = ["instance", "size", "optima", "depth only, s", "all sizes, s", "ratio", "remarks"]
    rows, found = [], []
    for instance in setting.instances:
        mine = [record for record in records if record["instance"]["name"] == instance.name]
        row, value = _sizes_row(mine, setting.view)
        rows.append([instance.name, *row])
        found += [] if value is None else [value]
    mean = f"{geometric_mean(found):.2f} ({len(found)})" if found else ""
    wrong = any("refused" in row[-1] for row in rows)
    rows.append(["geometric mean (of)", *[""] * 4, mean, ""])
    return Finding(records, table(head, rows), wrong)


def _sizes_row(records: list[Record], view: View) -> tuple[list[str], float | None]:
    """One instance: no peer solves this, so the optima must fit each other and their trees."""
    every = lines(records, view)
    last = every[-1]
    wrong = size_contradictions(every)
    values = [line.verdict.optimum for line in every[:-1]]
    optima = " ".join(number(value) or "?" for value in values)
    if wrong:
        return [shape(last.best), optima, "", "", "", "; ".join(wrong)], None
    times = [line.best[OURS][view.clock] for line in every]
    parts = [duration(times[-1]), duration(sum(times[:-1])), f"{sum(times[:-1]) / times[-1]:.2f}"]
    return [shape(last.best), optima, *parts, "bracketed"], sum(times[:-1]) / times[-1]


def size_contradictions(every: Sequence[Line]) -> list[str]:
    """More splits never cost more, and all of them cost what the depth alone does."""
    if any(record["status"] not in FINISHED for line in every for record in line.best.values()):
        return ["not all solved"]
    found = [text for line in every for text in line.verdict.contradictions]
    values = [line.verdict.optimum for line in every]
    if values != sorted(values, key=lambda value: -(value or 0)):
        found.append("refused: more splits cost more")
    if values[-1] != values[-2]:
        found.append(f"refused: {values[-2]} with all splits, {values[-1]} by depth")
    return found


def threads(setting: Setting) -> Finding:
    """One thread against two. They confirm each other: the point here is their ratio."""
    two = f"{OURS}:n_jobs=2"
    view = replace(setting.view, independent=False)
    records = setting.measure("threads", [setting.problem], solvers=[OURS, two])
    head = ["instance", "size", "objective", "one, s", "two, s", "speed-up", "remarks"]
    rows, long = [], []
    for line in lines(records, view):
        value = ratio(line, two, OURS, "seconds")
        one = line.seconds(OURS, "seconds")
        if value is not None and one is not None and one > 5:
            long.append(value)
        cells = [line.group.instance, shape(line.best), number(line.verdict.optimum)]
        cells += [timed(line, solver, replace(view, clock="seconds")) for solver in (OURS, two)]
        rows.append([*cells, "" if value is None else f"{value:.2f}", line.verdict.reason()])
    mean = f"{geometric_mean(long):.2f} ({len(long)})" if long else ""
    rows.append(["geometric mean over 5 s (of)", *[""] * 4, mean, ""])
    return Finding(records, table(head, rows))


def scaling(setting: Setting) -> Finding:
    """Time against rows and against columns, with the fitted exponents."""
    names = {instance.name: instance for instance in setting.instances}
    long = names.get("occupancy") or generated(8000, 5, 2)
    wide = names.get("segment") or Instance("breast_cancer", "sklearn:breast_cancer")
    of_rows = [long.part(rows=n) for n in _steps(long, (1000, 2000, 5000, 10000, 20000))]
    of_columns = [wide.part(columns=n) for n in (2, 4, 8, 12, 16)]
    rows = setting.measure("scaling", [setting.problem], instances=of_rows)
    columns = setting.measure("scaling", [setting.problem], instances=of_columns)
    texts = [
        _growth(setting, rows, "rows", f"Rows of {long.name}"),
        _growth(setting, columns, "columns", f"Columns of {wide.name}"),
    ]
    return Finding([*rows, *columns], "\n\n".join(texts))


def _steps(instance: Instance, steps: Sequence[int]) -> list[int]:
    """Those that a generated instance has rows for; files are long enough, or are cut short."""
    if not instance.source.startswith("tree:"):
        return list(steps)
    return [n for n in steps if n <= int(instance.source[5:].split(",")[0])]


def _growth(setting: Setting, records: list[Record], axis: str, title: str) -> str:
    every = lines(records, setting.view)
    series: plots.Series = {}
    for solver in setting.solvers:
        timed_lines = [(line, line.seconds(solver, setting.view.clock)) for line in every]
        points = [(line.best[solver][axis], s) for line, s in timed_lines if s is not None]
        series[solver] = [(float(n), s) for n, s in points]
    plots.growth(series, axis, setting.plot_file(axis))
    fits = [f"{name}: {exponent(*zip(*p, strict=True)):.2f}" for name, p in series.items() if p]
    fitted = f"Exponents fitted in the number of {axis}: {', '.join(fits) or 'none'}."
    return f"### {title}\n\n{comparison(records, setting.view)}\n\n{fitted}"


def iris(setting: Setting) -> Finding:
    """The estimator on iris at depth 3, right after its import."""
    instance = Instance("iris", "sklearn:iris")
    solvers = [f"{OURS}-fit", *(s for s in setting.solvers if s != OURS)]
    problem = replace(setting.problem, max_depth=3)
    records = setting.measure("iris", [problem], instances=[instance], solvers=solvers)
    (line,) = lines(records, setting.view)
    head = ["solver", "objective", "first call, ms", "best, ms", "remarks"]
    rows = [[solver, *_iris_row(records, line, solver, setting.view)] for solver in solvers]
    return Finding(records, table(head, rows))


def _iris_row(records: list[Record], line: Line, solver: str, view: View) -> list[str]:
    record = line.best.get(solver, {})
    seconds = line.seconds(solver, view.clock)
    if seconds is None:
        return [number(record.get("objective")), "", "", line.verdict.reason()]
    first = min(r["first_seconds"] for r in records if r["solver"] == solver and "runs" in r)
    return [
        number(record["objective"]),
        f"{1000 * first:.2f}",
        f"{1000 * seconds:.2f}",
        line.verdict.reason(),
    ]
