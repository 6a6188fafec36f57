"""Trees of hyperplanes for tables of any size: ours, CART, two of our own, packages installed."""

from dataclasses import replace
from statistics import median

from benchmarks.jobs import Problem
from benchmarks.oblique_packages import installed
from benchmarks.report import duration, lines, number, shape, table
from benchmarks.suites import OURS, Finding, Setting

DEPTHS = (1, 2, 3)
SEEDS = 5
PEERS = ["cart", "logistic_tree", "tao"]


def oblique(setting: Setting) -> Finding:
    """Errors of every solver at depths one to three, and the seconds of ours.

    Beside them those of thresholds, which the exact search has half of the time for.
    """
    problems = [Problem(splits="hyperplane", max_depth=depth) for depth in DEPTHS]
    peers = [*PEERS, *installed()]
    records = setting.measure("oblique", problems, solvers=[OURS, *peers])
    half = replace(setting.limits, seconds=setting.limits.seconds / 2, inner_runs=1)
    plain = [replace(problem, splits="axis") for problem in problems]
    what = {"solvers": [OURS], "limits": half, "repeat": 1}
    thresholds = {
        (record["instance"]["name"], record["problem"]["max_depth"]): record.get("objective")
        for record in setting.measure("oblique", plain, **what)
    }
    view = replace(setting.view, allow_unconfirmed=True, independent=False)
    head = ["instance", "size", "depth", "seconds", "errors", "proved", "thresholds", *peers, ""]
    rows = []
    for line in lines(records, view):
        ours = line.best[OURS]
        seconds = line.seconds(OURS, view.clock)
        cells = [line.group.instance, shape(line.best), str(line.group.problem.max_depth)]
        cells += ["" if seconds is None else duration(seconds)]
        cells += [number(ours.get("objective")), number(ours.get("lower_bound"))]
        others = [thresholds[line.group.instance, line.group.problem.max_depth]]
        others += [line.best[peer].get("objective") for peer in peers]
        worse = any(cost is not None and cost < ours["objective"] for cost in others)
        rows.append([*cells, *map(number, others), "worse than another" if worse else ""])
    return Finding(records, table(head, rows))


def seeds(setting: Setting) -> Finding:
    """Errors of ours within the limit of time for five seeds at depths one to three, and medians.

    The limit is one of wall time: on a busy machine, raise it.
    """
    problems = [Problem(splits="hyperplane", max_depth=depth) for depth in DEPTHS]
    solvers = [f"{OURS}:random_state={seed}" for seed in range(SEEDS)]
    records = setting.measure("oblique_seeds", problems, solvers=solvers)
    rows = []
    for instance in setting.instances:
        for problem in problems:
            mine = [
                r
                for r in records
                if r["instance"]["name"] == instance.name
                and r["problem"]["max_depth"] == problem.max_depth
                and "objective" in r
            ]
            errors = [r["objective"] for r in mine]
            times = [r["cpu_seconds"] for r in mine]
            cells = [instance.name, str(problem.max_depth), " ".join(map(number, errors))]
            rows.append([*cells, number(median(errors)), f"{median(times):.2f}"])
    return Finding(records, table(["instance", "depth", "errors", "median", "cpu s"], rows))
