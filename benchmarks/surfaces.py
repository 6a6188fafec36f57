"""Experiments with trees of hyperplanes and other surfaces, and with combinations of rules."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb, log10

from benchmarks.data import Instance, bundled_columns, grid, planes
from benchmarks.jobs import Problem, Record
from benchmarks.report import (
    Line,
    comparison,
    duration,
    geometric_mean,
    lines,
    number,
    shape,
    table,
    timed,
)
from benchmarks.suites import OURS, Finding, Setting

NOISE = (0.05, 0.15, 0.3)
# Rows, columns, and the seconds that two levels should take.
BARS = ((500, 2, 0.5), (100, 3, 0.5), (200, 3, 4.0), (300, 3, 20.0), (100, 4, 20.0))
# As far as it goes: rows, columns, depth.
FURTHER = (
    (500, 3, 2),
    (1000, 2, 2),
    (200, 4, 2),
    (100, 2, 3),
    (200, 2, 3),
    (50, 3, 3),
    (100, 3, 3),
)
DEPTH_TWO = Problem(splits="hyperplane", max_depth=2)


def hyperplanes(setting: Setting) -> Finding:
    """Two levels of hyperplanes on noisy ground truths: the sizes that have a bar."""
    sizes = [(rows, columns, 2) for rows, columns, _ in BARS]
    bars = {(rows, columns): bar for rows, columns, bar in BARS}
    return _planes(setting, sizes, lambda n, d: f"{bars[n, d]:g}")


def hyperplanes_further(setting: Setting) -> Finding:
    """More rows and a third level."""
    return _planes(setting, FURTHER, lambda n, d: "")


def _planes(
    setting: Setting, sizes: Sequence[tuple[int, int, int]], bar: Callable[[int, int], str]
) -> Finding:
    records = []
    for rows, columns, depth in sizes:
        instances = [planes(rows, columns, noise) for noise in NOISE]
        problem = replace(DEPTH_TWO, max_depth=depth)
        records += setting.measure("planes", [problem], instances=instances, solvers=[OURS])
    head = ["instance", "depth", "bar, s", "seconds", "errors", "proved", "MB", "dichotomies"]
    head += ["combinations of rules"]
    view = replace(setting.view, allow_unconfirmed=True, independent=False)
    rows_of_table = []
    for line in lines(records, view):
        record = line.best[OURS]
        n, d, depth = record["rows"], record["columns"], line.group.problem.max_depth or 0
        cells = [line.group.instance, str(depth), bar(n, d), timed(line, OURS, view)]
        cells += [number(record.get("objective")), number(record.get("lower_bound"))]
        cells += [f"{record['megabytes']:.0f}" if "megabytes" in record else ""]
        rows_of_table.append([*cells, f"{dichotomies(n, d):.3g}", trees_of(n, d, 2**depth - 1)])
    return Finding(records, table(head, rows_of_table))


def dichotomies(rows: int, columns: int) -> int:
    """Partitions by hyperplanes of rows in general position."""
    return sum(comb(rows - 1, k) for k in range(1, columns + 1))


def trees_of(rows: int, columns: int, splits: int) -> str:
    """How many combinations of so many rules there are: what `size_vec` would go through."""
    rules = comb(rows, columns) * 2**columns
    return f"10^{log10(comb(rules, splits)):.0f}"


def pairs(setting: Setting) -> Finding:
    """Two levels of lines on every pair of columns: iris; the first of wine and breast cancer."""
    chosen = [("iris", pair) for pair in combinations(range(4), 2)]
    chosen += [("wine", pair) for pair in ((0, 6), (0, 9), (6, 9), (9, 12), (1, 2), (3, 4))]
    chosen += [("breast_cancer", pair) for pair in ((0, 1), (0, 4), (20, 24), (22, 27), (1, 4))]
    instances = [bundled_columns(name, pair) for name, pair in chosen]
    return _bundled(setting, "pairs", instances, DEPTH_TWO)


def iris_columns(setting: Setting) -> Finding:
    """Two levels of hyperplanes on three columns of iris and on all four."""
    columns = [*combinations(range(4), 3), tuple(range(4))]
    instances = [bundled_columns("iris", chosen) for chosen in columns]
    return _bundled(setting, "iris_columns", instances, DEPTH_TWO)


def quadrics(setting: Setting) -> Finding:
    """Quadrics in the plane: one split, and two."""
    problems = [Problem(splits="quadric", max_depth=None, max_splits=k) for k in (1, 2)]
    findings = [
        _bundled(setting, "quadrics", [planes(40, 2, noise) for noise in NOISE], problem)
        for problem in problems
    ]
    return _together(findings)


def _bundled(setting: Setting, suite: str, instances: list[Instance], problem: Problem) -> Finding:
    """Our own solver beside CART, which says what greedy thresholds would leave."""
    view = replace(setting.view, allow_unconfirmed=True, independent=False)
    records = setting.measure(suite, [problem], instances=instances, solvers=[OURS, "cart"])
    head = ["instance", "size", "seconds", "errors", "proved", "CART", "MB", "remarks"]
    found = []
    for line in lines(records, view):
        record, greedy = line.best[OURS], line.best["cart"]
        cells = [line.group.instance, shape(line.best), timed(line, OURS, view)]
        cells += [number(record.get("objective")), number(record.get("lower_bound"))]
        cells += [number(greedy.get("objective"))]
        cells += [f"{record['megabytes']:.0f}" if "megabytes" in record else ""]
        found.append([*cells, record.get("message", "")])
    splits = f"{problem.splits}, " + (
        f"at most {problem.max_splits} splits"
        if problem.max_splits
        else f"depth {problem.max_depth}"
    )
    return Finding(records, f"### {splits}\n\n{table(head, found)}")


def _together(findings: Sequence[Finding]) -> Finding:
    records = [record for finding in findings for record in finding.records]
    return Finding(records, "\n\n".join(finding.text for finding in findings))


def milp(setting: Setting) -> Finding:
    """A mixed-integer model of the same problem, solved by HiGHS: equal objectives, or an error."""
    easy = [grid(20, 2, 5), grid(25, 2, 5), grid(25, 3, 5), grid(25, 3, 5, 3)]
    hard = [grid(n, d, 5, c) for n, d, c in ((10, 2, 2), (15, 2, 2), (20, 2, 2), (25, 2, 2))]
    hard += [grid(n, 3, 5, c) for n, c in ((15, 2), (20, 2), (25, 2), (15, 3), (25, 3))]
    findings = []
    for depth, instances in ((1, easy), (2, hard)):
        problem = replace(DEPTH_TWO, max_depth=depth)
        records = setting.measure("milp", [problem], instances=instances, solvers=[OURS, "milp"])
        text = f"### depth {depth}\n\n{comparison(records, setting.view)}"
        findings.append(Finding(records, text))
    return _together(findings)


ENGINES = ("size_rec", "size_vec", "size_kperms")


def rules(setting: Setting) -> Finding:
    """The three programs over combinations of rules, and the search, for up to four splits."""
    view = replace(setting.view, independent=False)
    solvers = [*(f"{OURS}:engine={name}" for name in ENGINES), OURS]
    records = []
    for splits, sizes in ((1, (10, 20, 40)), (2, (6, 10, 20)), (3, (6, 8, 10)), (4, (5, 6, 7))):
        problem = Problem(splits="hyperplane", max_depth=None, max_splits=splits)
        # Six classes at random: no tree of so few splits is perfect, which would end it early.
        instances = [grid(n, 2, 50, classes=6) for n in sizes]
        records += setting.measure(
            "rules", [problem], instances=instances, solvers=solvers, repeat=1
        )
    head = ["K", "N", "rules", "errors", *(f"{name}, s (MB; tried)" for name in ENGINES)]
    head += ["search, s", "size_vec / search", "remarks"]
    rows, ratios = [], []
    for line in lines(records, view):
        rows.append(_rules_row(line, solvers, view.clock))
        mine, theirs = (line.seconds(name, view.clock) for name in (OURS, solvers[1]))
        ratios += [] if mine is None or theirs is None else [theirs / mine]
    mean = f"{geometric_mean(ratios):.0f} ({len(ratios)})" if ratios else ""
    rows.append(["geometric mean (of)", *[""] * 7, mean, ""])
    return Finding(records, table(head, rows))


def _rules_row(line: Line, solvers: Sequence[str], clock: str) -> list[str]:
    some = line.best[solvers[0]]
    stats = some.get("stats", {})
    row = [number(line.group.problem.max_splits), number(some.get("rows"))]
    row += [number(stats.get("rules")), number(line.verdict.optimum)]
    row += [_engine(line.best[name], line.seconds(name, clock)) for name in solvers[:-1]]
    mine, theirs = line.seconds(solvers[-1], clock), line.seconds(solvers[1], clock)
    row += ["" if mine is None else duration(mine)]
    row += ["" if mine is None or theirs is None else f"{theirs / mine:.0f}"]
    return [*row, line.verdict.reason()]


def _engine(record: Record, seconds: float | None) -> str:
    if seconds is None:
        return str(record["status"])
    added = record["megabytes"] - record["megabytes_before"]
    return f"{duration(seconds)} ({added:.0f}; {record['stats']['tried']:,})"


def processes(setting: Setting) -> Finding:
    """Blocks of combinations in one process and in two, wall time."""
    view = replace(setting.view, independent=False, clock="seconds")
    names = [f"{OURS}:engine=size_vec", f"{OURS}:engine=size_vec,n_jobs=2"]
    problem = Problem(splits="hyperplane", max_depth=None, max_splits=3)
    instances = [grid(n, 2, 50, classes=6) for n in (8, 10)]
    records = setting.measure("processes", [problem], instances=instances, solvers=names)
    head = ["instance", "one, s", "two, s", "speed-up", "remarks"]
    rows = []
    for line in lines(records, view):
        one, two = (line.seconds(name, "seconds") for name in names)
        gain = "" if one is None or two is None else f"{one / two:.2f}"
        cells = [line.group.instance, *(timed(line, name, view) for name in names), gain]
        rows.append([*cells, line.verdict.reason()])
    return Finding(records, table(head, rows))
