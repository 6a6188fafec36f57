"""Tables as users have them: what categories and holes cost.

    python -m benchmarks.tables

Generated tables that look like well-known ones, against their one-hot encoding; noise with 10 % of
its values missing, against the same complete; and the reading of a CSV file, against pyarrow alone.
Processor time, the best of several, interleaved, so that ratios mean something on a busy machine.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from exactree import solve
from exactree.cli.tables import read_table

ROUNDS = 5


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


def ratio(first: Callable[[], Any], second: Callable[[], Any], clock: Any = process_time) -> Any:
    """The best times of both, interleaved."""
    best = [float("inf")] * 2
    for _ in range(ROUNDS):
        for k, run in enumerate((first, second)):
            start = clock()
            run()
            best[k] = min(best[k], clock() - start)
    return best


def say(line: str) -> None:
    """Write a line of the result."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def against_one_hot() -> None:
    """Depth three, beside the encoding that it makes unnecessary."""
    for make in (titanic_like, adult_like, mushroom_like):
        frame, y = make(np.random.default_rng(0))
        coded = one_hot(frame)
        ours, theirs = ratio(
            lambda: solve(frame, y, max_depth=3),  # noqa: B023
            lambda: solve(coded, y, max_depth=3),  # noqa: B023
        )
        say(
            f"{make.__name__:14} depth 3: {ours:.3f} s, one-hot {theirs:.3f} s, {ours / theirs:.2f}"
        )


def holes() -> None:
    """Data with 10 % of all values missing, beside the same complete."""
    for seed in range(3):
        how = {"n_informative": 4, "flip_y": 0.1, "random_state": seed}
        X, y = make_classification(2000, 8, **how)
        gone = np.where(np.random.default_rng(seed).random(X.shape) < 0.1, np.nan, X)
        for depth in (2, 3):
            some, none = ratio(
                lambda: solve(gone, y, max_depth=depth),  # noqa: B023
                lambda: solve(X, y, max_depth=depth),  # noqa: B023
            )
            say(f"10 % holes, {X.shape}, depth {depth}: {some / none:.2f} times the complete data")


def reading(megabytes: int = 50) -> None:
    """A CSV file of numbers and text, beside pyarrow alone."""
    from pyarrow import csv

    rng = np.random.default_rng(0)
    n = megabytes * 10**6 // 75
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame["y"] = rng.integers(0, 2, n)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        frame.to_csv(path, index=False)

        def ours() -> Any:
            table = read_table(str(path), text=["y"])
            return table.rows(["a", "b", "c", "colour"])

        mine, theirs = ratio(ours, lambda: csv.read_csv(path), perf_counter)
        size = path.stat().st_size / 10**6
        say(
            f"CSV of {size:.0f} MB: {mine:.2f} s, pyarrow alone {theirs:.2f} s, {mine / theirs:.2f}"
        )


if __name__ == "__main__":
    against_one_hot()
    holes()
    reading()
