"""Searches that are stopped early: their trees beside those of others, and their bounds."""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.data import Instance, generated
from benchmarks.jobs import Record
from benchmarks.report import number, table
from benchmarks.suites import OURS, Finding, Setting

# Levels, and the seconds after which their trees are looked at.
SHORT, LONG = 1.0, 10.0
OFTEN = 4  # the levels that are looked at twice
DEEP = (5, 6)
QUANTILES = 32
# Others, on all thresholds and on quantiles.
PEERS = {"classification": ["pycontree", "cart"], "regression": ["cart"]}
BINNED_PEERS = {"classification": ["licketysplit"], "regression": ["pystreed-regression"]}
# Whose full proof at four levels takes minutes, and when their bounds are looked at.
LARGE = (
    generated(11000, 15, 2, 0.2),
    generated(12000, 12, 4, 0.3),
    generated(15000, 10, 3, 0.25),
    generated(18000, 8, 6, 0.3),
    generated(20000, 10, 2, 0.3),
)
BOUNDS_AFTER = (10.0, 30.0)
# Few levels over many rows: one level less in this share of the time should not be better.
NOISY, FEW, SHARE = generated(50000, 30, 2, 0.1), 3, 0.7


def trees(setting: Setting) -> Finding:
    """Trees of four levels after one second and ten, of five and six beside those of others."""
    found = [_ours(setting, OFTEN, seconds) for seconds in (SHORT, LONG)]
    texts = [_often(setting, found)]
    for depth in DEEP:
        mine = _ours(setting, depth, LONG)
        theirs = _others(setting, depth)
        texts.append(_beside(setting, depth, mine, theirs))
        found += [mine, theirs]
    return Finding([record for some in found for record in some], "\n\n".join(texts))


def bounds(setting: Setting) -> Finding:
    """What is proved early of generated sets, and that depth does no harm where time is short."""
    large = replace(setting, instances=list(LARGE))
    found = [_ours(large, OFTEN, seconds) for seconds in BOUNDS_AFTER]
    head = ["instance", *(f"after {seconds:g} s: proved, of the best" for seconds in BOUNDS_AFTER)]
    rows = [
        [name, *(f"{_proved(records, name)} ({_share(records, name)})" for records in found)]
        for name in (instance.name for instance in LARGE)
    ]
    noisy = replace(setting, instances=[NOISY])
    deep, less = _ours(noisy, FEW, LONG), _ours(noisy, FEW - 1, SHARE * LONG)
    text = (
        f"{NOISY.name}: {FEW} levels in {LONG:g} s {_cost(deep, NOISY.name)}, proved "
        f"{_proved(deep, NOISY.name)}; {FEW - 1} in {SHARE * LONG:g} s {_cost(less, NOISY.name)}."
    )
    records = [record for some in (*found, deep, less) for record in some]
    return Finding(records, f"### Bounds at depth {OFTEN}\n\n{table(head, rows)}\n\n{text}")


def deep(setting: Setting) -> Finding:
    """What five and six levels find and prove in the limit of time."""
    found = {depth: _ours(setting, depth, setting.limits.seconds) for depth in DEEP}
    rows = [
        [name, *(f"{_cost(found[d], name)} ({_proved(found[d], name)})" for d in DEEP)]
        for name in (instance.name for instance in setting.instances)
    ]
    head = ["instance", *(f"depth {depth}: found (proved)" for depth in DEEP)]
    return Finding([record for some in found.values() for record in some], table(head, rows))


def _ours(setting: Setting, depth: int, seconds: float) -> list[Record]:
    return _measured(setting, depth, seconds, [OURS], setting.instances)


def _others(setting: Setting, depth: int) -> list[Record]:
    task = setting.problem.task
    binned = [instance.binned(QUANTILES) for instance in setting.instances]
    return [
        *_measured(setting, depth, LONG, PEERS[task], setting.instances),
        *_measured(setting, depth, LONG, BINNED_PEERS[task], binned),
    ]


def _measured(
    setting: Setting, depth: int, seconds: float, solvers: list[str], instances: list[Instance]
) -> list[Record]:
    limits = replace(setting.limits, seconds=seconds, inner_runs=1)
    problem = replace(setting.problem, max_depth=depth)
    what = {"solvers": solvers, "repeat": 1, "limits": limits, "instances": instances}
    return setting.measure("anytime", [problem], **what)


def _often(setting: Setting, found: Sequence[Sequence[Record]]) -> str:
    """How far trees of some seconds are above the best that is known."""
    rows, means = [], [0.0] * len(found)
    for instance in setting.instances:
        costs = [_objective(records, instance.name) for records in found]
        best = min(cost for cost in costs if cost is not None)
        cells = []
        for i, cost in enumerate(costs):
            above = 0.0 if cost is None or not best else cost / best - 1
            means[i] += above / len(setting.instances)
            cells.append(f"{number(cost)} (+{above:.1%})")
        rows.append([instance.name, *cells, f"{_proved(found[-1], instance.name)}"])
    rows.append(["mean", *(f"+{mean:.2%}" for mean in means), ""])
    head = ["instance", *(f"after {seconds:g} s" for seconds in (SHORT, LONG)), "proved"]
    return f"### Depth {OFTEN}\n\n{table(head, rows)}"


def _beside(setting: Setting, depth: int, mine: list[Record], theirs: list[Record]) -> str:
    task = setting.problem.task
    solvers = [*PEERS[task], *BINNED_PEERS[task]]
    rows = []
    for instance in setting.instances:
        name, binned = instance.name, instance.binned(QUANTILES).name
        others = [_objective(theirs, name, s) for s in PEERS[task]]
        others += [_objective(theirs, binned, s) for s in BINNED_PEERS[task]]
        cost = _objective(mine, name)
        worse = [s for s, other in zip(solvers, others, strict=True) if _above(cost, other)]
        remark = f"above {', '.join(worse)}" if worse else ""
        cells = [name, number(cost), _proved(mine, name), *(number(other) for other in others)]
        rows.append([*cells, remark])
    head = ["instance", "exactree", "proved", *solvers, "remarks"]
    return f"### Depth {depth} after {LONG:g} s\n\n{table(head, rows)}"


def _above(cost: float | None, other: float | None) -> bool:
    return cost is not None and other is not None and cost > other * (1 + 1e-9)


def _record(records: Sequence[Record], name: str, solver: str = OURS) -> Record:
    mine = (r for r in records if r["instance"]["name"] == name and r["solver"] == solver)
    return next(mine, {})


def _objective(records: Sequence[Record], name: str, solver: str = OURS) -> float | None:
    return _record(records, name, solver).get("objective")


def _cost(records: Sequence[Record], name: str) -> str:
    return number(_objective(records, name))


def _proved(records: Sequence[Record], name: str) -> str:
    return number(_record(records, name).get("lower_bound"))


def _share(records: Sequence[Record], name: str) -> str:
    record = _record(records, name)
    return f"{record['lower_bound'] / record['objective']:.0%}" if record.get("objective") else ""
