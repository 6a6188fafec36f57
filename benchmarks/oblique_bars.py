"""Trees of surfaces: seconds until they are proved, short limits over wide tables, a large one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from benchmarks.data import Instance, planes
from benchmarks.jobs import Problem, Record
from benchmarks.oblique import SEEDS
from benchmarks.report import number, table
from benchmarks.suites import OURS, Finding, Setting


@dataclass(frozen=True)
class Bar:
    """Within so many processor seconds a problem is to be proved optimal."""

    instance: str
    depth: int
    seconds: float
    splits: str = "hyperplane"

    @property
    def problem(self) -> Problem:
        """What is solved."""
        return Problem(splits=self.splits, max_depth=self.depth)


BUNDLED = [
    Instance(name, f"sklearn:{name}") for name in ("wine", "breast_cancer", "iris", "digits")
]
PROVED = [
    *(Bar("wine", depth, 0.2) for depth in (1, 2, 3)),
    *(Bar("breast_cancer", depth, 0.2) for depth in (1, 2, 3)),
    *(Bar("bank", depth, 0.2) for depth in (2, 3)),
    Bar("iris", 2, 0.2, "sphere"),
    *(Bar("segment", depth, 0.2) for depth in (1, 2)),
    Bar("bank", 1, 2.0),
    Bar("iris", 2, 3.0),
    Bar("digits", 1, 1.0),
    Bar("digits", 2, 5.0),
    Bar("digits", 3, 15.0),
]
# A proof that is not there after so many times its bar is given up.
PATIENCE = 2.0
# A limit of time and the wall seconds that keep it, over these tables.
SHORT, KEPT = 0.1, 0.2
WIDE = (planes(20_000, 30, 0.1), planes(20_000, 100, 0.1))
# A planted tree of two levels: seconds, and the most that a tree may cost in planted errors.
LARGE, LONG, WORSE, MEGABYTES = planes(100_000, 100, 0.1), 15.0, 1.12, 1000


def proved(setting: Setting) -> Finding:
    """Seconds until the optimum is proved for five seeds; sets of a folder where it is given."""
    known = {instance.name: instance for instance in (*BUNDLED, *setting.instances)}
    solvers = [f"{OURS}:random_state={seed}" for seed in range(SEEDS)]
    records, rows = [], []
    for bar in (bar for bar in PROVED if bar.instance in known):
        limits = replace(setting.limits, seconds=PATIENCE * max(bar.seconds, 1.0))
        what = {"solvers": solvers, "repeat": 1, "limits": limits}
        found = setting.measure(
            "oblique_proved", [bar.problem], instances=[known[bar.instance]], **what
        )
        records += found
        rows.append(_proved_row(bar, found))
    head = ["instance", "splits", "depth", "errors", "cpu s", "median", "bar", ""]
    return Finding(records, table(head, rows))


def _proved_row(bar: Bar, found: Sequence[Record]) -> list[str]:
    times = [r["cpu_seconds"] if r["status"] == "optimal" else float("inf") for r in found]
    errors = sorted({number(r.get("objective")) for r in found})
    cells = [bar.instance, bar.splits, str(bar.depth), " ".join(errors)]
    cells += [" ".join(f"{t:.2f}" for t in times), f"{median(times):.2f}", f"{bar.seconds:g}"]
    return [*cells, "" if median(times) <= bar.seconds else "missed"]


def large(setting: Setting) -> Finding:
    """Short limits in fresh processes, and a planted tree over many rows and columns."""
    short, deep = (
        replace(setting.limits, seconds=SHORT, inner_runs=1),
        Problem(splits="hyperplane", max_depth=2),
    )
    solvers = [f"{OURS}:random_state={seed}" for seed in range(SEEDS)]
    what = {"instances": list(WIDE), "solvers": solvers, "repeat": 1, "limits": short}
    stopped = setting.measure("oblique_large", [deep], **what)
    rows = []
    for instance in WIDE:
        walls = [r["first_seconds"] for r in stopped if r["instance"]["name"] == instance.name]
        times = " ".join(f"{wall:.3f}" for wall in walls)
        remark = "" if median(walls) <= KEPT else "missed"
        rows.append([instance.name, f"{SHORT:g} s", times, f"{median(walls):.3f}", remark])
    head = ["instance", "limit", "wall s", "median", ""]
    long = replace(setting.limits, seconds=LONG, inner_runs=1)
    what = {"instances": [LARGE], "solvers": [OURS], "repeat": 1, "limits": long}
    planted = setting.measure("oblique_large", [deep], **what)
    texts = [_planted(record) for record in planted]
    return Finding([*stopped, *planted], "\n\n".join([table(head, rows), *texts]))


def _planted(record: Record) -> str:
    from exactree.datasets import ground_truth

    rows, columns, noise, seed = record["instance"]["source"].partition(":")[2].split(",")
    truth = ground_truth(
        int(rows), int(columns), splits="hyperplane", noise=float(noise), seed=int(seed)
    )
    ratio = record["objective"] / truth.turned
    kept = ratio <= WORSE and record["seconds"] <= LONG and record["megabytes"] < MEGABYTES
    return (
        f"{record['instance']['name']}: {number(record['objective'])} errors, {ratio:.3f} of the "
        f"planted tree's {truth.turned}, {record['seconds']:.1f} s, {record['cpu_seconds']:.1f} s "
        f"of processor time, {record['megabytes']:.0f} MB{'' if kept else ': missed'}."
    )
