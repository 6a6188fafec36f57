"""Tables as users have them: what categories and holes cost.

    python -m benchmarks tables [--data FOLDER] [--only INSTANCE ...]

Generated tables that look like well-known ones, against their one-hot encoding; instances with 10 %
of their values missing, against the same complete; a column of very many categories; and the
reading of a CSV file, against pyarrow alone. Processor time, the best of several, interleaved, so
that ratios mean something on a busy machine.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import load
from benchmarks.report import duration, table
from benchmarks.suites import Finding, Setting
from exactree import solve
from exactree.cli.tables import read_table

ROUNDS, ENOUGH = 9, 4.0  # at most so many runs of each; from two on, so many seconds are enough
SEEDS = 2  # of the holes


def titanic_like(rng: np.random.Generator, n: int = 900) -> tuple[pd.DataFrame, Any]:
    """A few categories, two columns of numbers with holes."""
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["male", "female"], n, p=[0.65, 0.35]),
            "class": rng.choice(["first", "second", "third"], n, p=[0.24, 0.21, 0.55]),
            "port": rng.choice(["S", "C", "Q"], n, p=[0.72, 0.19, 0.09]),
            "age": np.round(rng.gamma(4, 7.5, n)),
            "fare": np.round(rng.lognormal(2.9, 1, n), 2),
            "siblings": rng.poisson(0.5, n),
        }
    )
    odds = (
        2.5 * (frame["sex"] == "female") - 1.2 * (frame["class"] == "third") - 0.02 * frame["age"]
    )
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    return frame, (odds + rng.logistic(size=n) > 0).astype(int)


def adult_like(rng: np.random.Generator, n: int = 5000) -> tuple[pd.DataFrame, Any]:
    """Numbers, and categories of up to forty values."""
    sizes = {"work": 8, "education": 16, "marital": 7, "job": 14, "relation": 6, "country": 41}
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 90, n),
            "hours": rng.integers(1, 99, n),
            "gain": rng.choice([0, 0, 0, 3000, 7000, 15000], n),
            **{
                name: [f"{name}{code}" for code in rng.integers(0, size, n)]
                for name, size in sizes.items()
            },
        }
    )
    rich = (frame["gain"] > 5000) | ((frame["education"] > "education5") & (frame["age"] > 35))
    return frame, (rich ^ (rng.random(n) < 0.15)).astype(int)


def mushroom_like(rng: np.random.Generator, n: int = 8000) -> tuple[pd.DataFrame, Any]:
    """Categories only: columns of two values each."""
    sizes = [6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 2, 4, 3, 5, 9, 6, 7]
    columns = {f"c{j}": [f"v{v}" for v in rng.integers(0, k, n)] for j, k in enumerate(sizes)}
    frame = pd.DataFrame(columns)
    poison = (frame["c4"] == "v3") | (frame["c8"] == "v1") ^ (frame["c3"] == "v0")
    return frame, (poison ^ (rng.random(n) < 0.05)).astype(int)


def one_hot(frame: pd.DataFrame) -> pd.DataFrame:
    """The usual encoding, holes filled with the median."""
    return pd.get_dummies(frame, dtype=float).fillna(frame.median(numeric_only=True))


def same_splits(frame: pd.DataFrame) -> pd.DataFrame:
    """The encoding that has the same splits: holes below all values, and beside the highest."""
    coded = pd.get_dummies(frame, dtype=float)
    for name in [name for name in coded if coded[name].isna().any()]:
        values = coded.pop(name)
        coded[f"{name}, holes low"] = values.fillna(values.min() - 1)
        coded[f"{name}, holes high"] = values.fillna(values.max())
    return coded


def ratio(first: Callable[[], Any], second: Callable[[], Any], clock: Any = process_time) -> Any:
    """The best times of both, interleaved: often if they are short."""
    best = [float("inf")] * 2
    begin = clock()
    for k in range(ROUNDS):
        for i, run in enumerate((first, second)):
            start = clock()
            run()
            best[i] = min(best[i], clock() - start)
        if k > 0 and clock() - begin > ENOUGH:
            break
    return best


def against_one_hot() -> str:
    """Depth three, beside the encoding that it makes unnecessary."""
    rows = []
    for make in (titanic_like, adult_like, mushroom_like):
        frame, y = make(np.random.default_rng(0))
        found = [make.__name__]
        for encode in (one_hot, same_splits):
            coded = encode(frame)
            ours, theirs = ratio(
                lambda: solve(frame, y, max_depth=3),  # noqa: B023
                lambda: solve(coded, y, max_depth=3),  # noqa: B023
            )
            found += [duration(ours), duration(theirs), f"{ours / theirs:.2f}"]
        rows.append(found)
    filled = ["as it is, s", "one-hot, holes filled in, s", "ratio"]
    return table(
        ["table, depth 3", *filled, "as it is, s", "one-hot, the same splits, s", "ratio"], rows
    )


def holes(setting: Setting) -> str:
    """Data with 10 % of all values missing, beside the same complete."""
    rows = []
    for instance in setting.instances:
        X, y = load(instance)
        for depth in (2, 3):
            for seed in range(SEEDS):
                lost = np.random.default_rng(seed).random(X.shape) < 0.1
                gone = np.where(lost, np.nan, X)
                some, none = ratio(
                    lambda: solve(gone, y, max_depth=depth),  # noqa: B023
                    lambda: solve(X, y, max_depth=depth),  # noqa: B023
                )
                names = [instance.name, str(depth), str(seed)]
                rows.append([*names, duration(some), duration(none), f"{some / none:.2f}"])
                setting.say(" ".join(rows[-1]))
    return table(["instance", "depth", "seed", "10 % holes, s", "complete, s", "ratio"], rows)


CITIES = (
    ("of all sizes", 1.0),
    ("all alike", 0.0),
    ("of their own rates", 1.0),
    ("and streets", 1.0),
)


def many_categories(n: int = 100_000, categories: int = 10_000) -> str:
    """A column of very many categories: depth two, processor time and the peak of the process.

    Cities are as frequent as they are large, or all alike: then hardly any of them is of use, and
    that no other one is remains to be proved. Or each has a rate of its own, and there are streets
    and incomes, too.
    """
    rng = np.random.default_rng(0)
    rows = []
    for name, power in CITIES:
        sizes = np.arange(1, categories + 1) ** -power
        codes = rng.choice(categories, n, p=sizes / sizes.sum())
        ages = rng.integers(0, 90, n)
        frame = pd.DataFrame({"city": [f"city{c}" for c in codes], "age": ages})
        y = ((codes < 2) | (ages > 60)) ^ (rng.random(n) < 0.1)
        if name == "of their own rates":
            y = rng.random(n) < rng.random(categories)[codes]
        if name == "and streets":
            frame["street"] = [f"street{c}" for c in rng.integers(0, categories, n)]
            frame["income"] = rng.normal(size=n)
        start = process_time()
        found = solve(frame, y.astype(int), max_depth=2)
        took = process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        rows.append([name, found.status, f"{found.gap:g}", duration(took), f"{peak:.2f}"])
    head = f"{n} rows, {categories} categories"
    return table([head, "status", "gap", "s", "GiB so far, whole process"], rows)


def reading(megabytes: int = 200) -> str:
    """A CSV file of numbers and text, beside pyarrow alone. Wall time: both use threads."""
    from pyarrow import csv

    rng = np.random.default_rng(0)
    n = megabytes * 10**6 // 66
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame["y"] = rng.integers(0, 2, n)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        frame.to_csv(path, index=False)

        def ours() -> Any:
            made = read_table(str(path), text=["y"])
            return made.rows(["a", "b", "c", "colour"])

        rows = []
        for name, clock in (("wall", perf_counter), ("processor", process_time)):
            mine, theirs = ratio(ours, lambda: csv.read_csv(path), clock)
            size = f"{path.stat().st_size / 10**6:.0f}"
            rows.append([size, name, duration(mine), duration(theirs), f"{mine / theirs:.2f}"])
    return table(["CSV, MB", "clock", "read, s", "pyarrow alone, s", "ratio"], rows)


def tables(setting: Setting) -> Finding:
    """All of these; the many categories first, while the process is small."""
    parts = [many_categories(), against_one_hot(), holes(setting), reading()]
    return Finding([], "\n\n".join(parts))
