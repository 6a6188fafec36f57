"""Experiments with regression trees: exact thresholds, listed ones, and what each pruning is worth.

Nobody else solves the exact problem, so there our times stand unconfirmed but for CART, which may
not be better; on listed thresholds another solver confirms them.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from time import process_time

from benchmarks.data import Instance, load
from benchmarks.jobs import Problem, Record
from benchmarks.report import (
    Line,
    comparison,
    exponent,
    geometric_mean,
    lines,
    number,
    shape,
    table,
    timed,
)
from benchmarks.suites import OURS, Finding, Setting

# Depth, and the seconds it should take.
BARS = {2: 0.05, 3: 0.5, 4: 20.0}
ROWS = (500, 1000, 2000, 5000, 10000)
THRESHOLDS = 20
PEERS = [OURS, "pystreed-regression"]
MORE_PEERS = ["osrt"]  # far slower: on request
BUNDLED = Instance("diabetes", "sklearn:diabetes")
# What can be switched off in the search over columns.
PRUNINGS = (
    "off=sub_interval",
    "off=side_cap",
    "off=side_known",
    "off=jump",
    "off=floor",
    "off=transfer",
    "off=incumbent",
    "off=quadrant",
)


def exact(setting: Setting) -> Finding:
    """All thresholds, two to four levels, against CART; and the growth with the rows."""
    instances = instances_of(setting)
    problems = [_problem(setting, depth) for depth in BARS]
    solvers = [OURS, "cart"]
    records = setting.measure("regression", problems, instances=instances, solvers=solvers)
    view = replace(setting.view, allow_unconfirmed=True)
    rows = [_against_cart(line, setting) for line in lines(records, view)]
    head = ["instance", "size", "depth", "bar, s", "seconds", "squared error", "of CART's"]
    grown, text = _growth(setting, instances)
    return Finding([*records, *grown], f"{table(head, rows)}\n\n{text}")


def binned(setting: Setting) -> Finding:
    """The same quantiles as thresholds for all solvers, three and four levels."""
    instances = [instance.binned(THRESHOLDS) for instance in instances_of(setting)]
    solvers = [*PEERS, *(solver for solver in MORE_PEERS if solver in setting.solvers)]
    found, texts = [], []
    for depth in (3, 4):
        problem = _problem(setting, depth)
        records = setting.measure("binned", [problem], instances=instances, solvers=solvers)
        found += records
        texts.append(f"### Depth {depth}\n\n{comparison(records, setting.view)}")
    return Finding(found, "\n\n".join(texts))


def switches(setting: Setting) -> Finding:
    """Every pruning of the search switched off, or on where it did not pay: time by time."""
    plain = f"{OURS}-switched"
    solvers = [plain, *(f"{plain}:{pruning}" for pruning in PRUNINGS)]
    problem = _problem(setting, setting.problem.max_depth or 3)
    instances = instances_of(setting)
    records = setting.measure("switches", [problem], instances=instances, solvers=solvers)
    view = replace(setting.view, independent=False)
    every = lines(records, view)
    head = ["switch", *(line.group.instance for line in every), "geometric mean"]
    rows = [_ratios(every, solver, plain, view.clock) for solver in solvers]
    bounds = [_root_bounds(line, instance) for line, instance in zip(every, instances, strict=True)]
    bounds_head = ["instance", "equal rows / optimum", "seconds"]
    return Finding(records, f"{table(head, rows)}\n\n{table(bounds_head, bounds)}")


def _root_bounds(line: Line, instance: Instance) -> list[str]:
    """What equal rows prove, as a share of the optimum, and how long it takes."""
    preparing, bounds = import_module("exactree.preparing"), import_module("exactree.bounds")
    given = {"task": "regression", "max_depth": line.group.problem.max_depth or 0}
    request = import_module("exactree.request").read_request(given)
    objective = request.objective
    data = preparing.read_data(*load(instance, "regression"), request)
    posed = preparing.make_problem(data, request.splits.sources(data.X), request)
    start = process_time()
    share = bounds.equal_rows_cost(posed.keys(), posed.targets(), objective)
    share /= line.verdict.optimum or 1
    return [line.group.instance, f"{share:.4f}", f"{process_time() - start:.3f}"]


def _ratios(every: Sequence[Line], solver: str, plain: str, clock: str) -> list[str]:
    """How much longer it takes with the switch; the first row has the seconds themselves."""
    cells, found = [], []
    for line in every:
        ours, theirs = line.seconds(plain, clock), line.seconds(solver, clock)
        if ours is None or theirs is None:
            cells.append("not finished" if ours is not None else "")
            continue
        cells.append(f"{theirs:.3f} s" if solver == plain else f"{theirs / ours:.2f}")
        found.append(theirs / ours)
    mean = "" if solver == plain or len(found) < len(every) else f"{geometric_mean(found):.2f}"
    return [solver.partition(":")[2] or "none", *cells, mean]


def instances_of(setting: Setting) -> list[Instance]:
    """Files if there are any; of the bundled sets only one has numbers for targets."""
    files = [instance for instance in setting.instances if instance.source.startswith("file:")]
    return files or [BUNDLED]


def _problem(setting: Setting, depth: int) -> Problem:
    return replace(setting.problem, task="regression", max_depth=depth)


def _against_cart(line: Line, setting: Setting) -> list[str]:
    view = replace(setting.view, allow_unconfirmed=True)
    depth = line.group.problem.max_depth or 0
    ours, greedy = line.best[OURS], line.best["cart"]
    share = ours["objective"] / greedy["objective"] if "objective" in ours else 0.0
    cells = [line.group.instance, shape(line.best), str(depth), f"{BARS[depth]:g}"]
    return [*cells, timed(line, OURS, view), number(ours.get("objective")), f"{share:.3f}"]


def _growth(setting: Setting, instances: list[Instance]) -> tuple[list[Record], str]:
    """Time at depth three against the rows, of the last set by name, which is a long one."""
    parts = [instances[-1].part(rows=n) for n in ROWS]
    problem = _problem(setting, 3)
    records = setting.measure("growth", [problem], instances=parts, solvers=[OURS])
    view = replace(setting.view, allow_unconfirmed=True)
    points = {
        float(line.best[OURS]["rows"]): line.seconds(OURS, view.clock)
        for line in lines(records, view)
    }
    known = [(rows, seconds) for rows, seconds in sorted(points.items()) if seconds is not None]
    told = ", ".join(f"{rows:.0f} rows {seconds:.3f} s" for rows, seconds in known)
    fitted = f"{exponent(*zip(*known, strict=True)):.2f}" if len(known) > 1 else "unknown"
    name = instances[-1].name
    return records, f"Growth with the rows of {name} at depth 3: {told}; exponent {fitted}."
