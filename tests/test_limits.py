"""Limits on large and wide tables: what was done by then, and what it took."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import exactree
from exactree.tree import Leaf, predict, size

MEGABYTE = 10**6

TABLES = {
    "two classes": "y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)",
    "five classes": "y = np.clip((X[:, 0] + rng.normal(size=n)) * 1.2, -2, 2).astype(int)",
    "many classes": "y = rng.integers(0, 300, n)",
    "numbers": "y = X[:, 0] + rng.normal(size=n)",
    "two values": "X = (X > 0).astype(float); y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)",
}
TASKS = {"numbers": "regression"}

SCRIPT = """
import json, resource, sys
import numpy as np
import exactree
rng = np.random.default_rng(0)
n, columns = {rows}, {columns}
X = rng.normal(size=(n, columns))
{target}
exactree.solve(X[:50, :3], y[:50], task={task!r}, max_depth=1)

def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return 1024 * int(line.split()[1])

{before}
start = resident()
found = exactree.solve(X, y, task={task!r}, **{options!r})
said = [found.status, found.objective, found.lower_bound, found.stats]
print(json.dumps([*said, resident() - start]))
"""


def table(kind: str, rows: int, columns: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    names: dict[str, Any] = {"np": np, "rng": rng, "n": rows}
    names["X"] = rng.normal(size=(rows, columns))
    exec(TABLES[kind], names)
    return names["X"], names["y"]


def run(kind: str, rows: int, columns: int, *, before: str = "", **options: Any) -> list[Any]:
    script = SCRIPT.format(
        rows=rows,
        columns=columns,
        target=TABLES[kind],
        task=TASKS.get(kind, "classification"),
        options=options,
        before=before,
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    answer: list[Any] = json.loads(done.stdout)
    return answer


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.mark.parametrize("kind", TABLES)
def test_no_time_is_enough_for_a_leaf(kind: str) -> None:
    X, y = table(kind, 20_000, 25)
    task = TASKS.get(kind, "classification")
    found = exactree.solve(X, y, task=task, max_depth=3, time_limit=0)
    assert found.status == "time_limit" and found.lower_bound < found.objective
    assert isinstance(found.tree, Leaf)
    # Binary columns count the root itself.
    assert found.stats["nodes"] <= 1 and found.stats["scans"] == 0


@pytest.mark.parametrize("kind", ["five classes", "many classes", "numbers"])
def test_an_interrupt_comes_through_before_the_first_tree(kind: str) -> None:
    X, y = table(kind, 20_000, 6)
    calls = []

    def interrupt(progress: exactree.Progress) -> None:
        calls.append(progress)
        raise KeyboardInterrupt

    task = TASKS.get(kind, "classification")
    found = exactree.solve(X, y, task=task, max_depth=3, on_progress=interrupt)
    assert found.status == "interrupted" and len(calls) == 1
    assert found.stats["nodes"] <= 2


@linux
@pytest.mark.parametrize(
    ("kind", "rows", "columns", "limit"),
    [
        ("two classes", 20_000, 60, 57 * 2**20),
        ("numbers", 200_000, 20, 20 * MEGABYTE),
        ("numbers", 200_000, 20, 100 * MEGABYTE),
        ("numbers", 20_000, 20, 60 * MEGABYTE),
        ("five classes", 20_000, 40, 40 * MEGABYTE),
    ],
)
def test_memory_stays_within_its_limit(kind: str, rows: int, columns: int, limit: int) -> None:
    status, objective, bound, _, grown = run(
        kind, rows, columns, max_depth=3, memory_limit=limit, time_limit=3.0
    )
    assert grown <= limit + 32 * MEGABYTE + 8 * rows * columns
    assert status in ("optimal", "memory_limit", "time_limit")
    assert bound <= objective and (bound == objective) == (status == "optimal")


@linux
@pytest.mark.parametrize("threads", [1, 3])
def test_a_local_search_stays_within_its_memory(threads: int) -> None:
    rows, columns, limit = 100_000, 10, 100 * MEGABYTE
    options: dict[str, Any] = {
        "max_depth": 2,
        "splits": "hyperplane",
        "time_limit": 1.0,
        "n_jobs": threads,
    }
    status, *_, grown = run("two classes", rows, columns, memory_limit=limit, **options)
    assert grown <= limit + 32 * MEGABYTE + 8 * rows * columns
    assert status == "time_limit"


def test_terms_that_take_more_memory_than_there_is_are_refused() -> None:
    X, y = table("two classes", 10_000, 10)
    message = r"10000 rows with 65 terms of the surfaces each take about 45 MB .* allows 19"
    with pytest.raises(ValueError, match=message):
        exactree.solve(X, y, max_depth=2, splits="quadric", memory_limit=20 * MEGABYTE)


@linux
@pytest.mark.parametrize("kind", ["two classes", "five classes", "two values"])
def test_wide_tables_take_no_quadratic_memory(kind: str) -> None:
    rows, columns = 200, 1500
    *_, grown = run(kind, rows, columns, max_depth=2, time_limit=20.0)
    assert grown <= 10 * 8 * rows * columns + 100 * MEGABYTE


@pytest.mark.parametrize("kind", ["two classes", "five classes", "numbers"])
@pytest.mark.parametrize("depth", [2, 3])
def test_ranks_that_are_not_kept_change_nothing(kind: str, depth: int) -> None:
    """Less and less room: ranks are made again, neighbours forgotten, and the tree stays."""
    X, y = table(kind, 90, 24 if depth == 2 else 7)
    task = TASKS.get(kind, "classification")
    free = exactree.solve(X, y, task=task, max_depth=depth)
    assert free.status == "optimal"
    same = 0
    for limit in np.linspace(0.1, 1.2, 12) * free.stats["peak_bytes"]:
        tight = exactree.solve(X, y, task=task, max_depth=depth, memory_limit=int(limit))
        if tight.status == "optimal":
            same += 1
            assert str(tight.tree) == str(free.tree) and tight.objective == free.objective
        else:
            assert tight.status == "memory_limit"
            assert tight.lower_bound <= free.objective <= tight.objective
    assert same >= 3


@pytest.mark.parametrize("kind", ["two classes", "five classes", "numbers"])
def test_floors_of_many_columns_change_nothing(kind: str) -> None:
    """They are kept from 256 columns on, and given up with each column where room is short.

    Sweeps (columns/sweep.hpp) take their place, but not with a limit on the rows of a leaf.
    """
    X, y = table(kind, 40, 300)
    how: dict[str, Any] = {"task": TASKS.get(kind, "classification"), "max_depth": 2}
    how["min_samples_leaf"] = 2
    narrow = exactree.solve(X[:, :250], y, **how)
    free = exactree.solve(X, y, **how)
    assert free.stats["floor"] > 0 and free.objective <= narrow.objective
    for share in (0.6, 0.8):
        limit = int(share * free.stats["peak_bytes"])
        tight = exactree.solve(X, y, **how, memory_limit=limit)
        assert tight.status == "optimal" and tight.stats["floor"] > 0
        assert str(tight.tree) == str(free.tree) and tight.objective == free.objective


def test_two_levels_are_shown_where_more_splits_are_asked_for() -> None:
    """Planning takes long enough here for its trees to be written down as they are found."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 6))
    y = ((X[:, 1] > 0) ^ (X[:, 4] > 0) ^ (rng.random(12_000) < 0.1)).astype(int)
    path = exactree.size_path(X, y, max_depth=3, max_splits=6, time_limit=0.4)
    costs = [found.objective for found in path]
    assert costs == sorted(costs, reverse=True)
    for k, found in enumerate(path):
        assert size(found.tree) <= k and found.lower_bound <= found.objective
        assert found.objective == np.sum(predict(found.tree, X) != y)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["two classes", "five classes", "many classes", "numbers"])
def test_leaves_are_labelled_without_nodes_for_them(kind: str, weighted: bool) -> None:
    """Over very many columns a node takes long, and the time may be over already."""
    X, y = table(kind, 400, 8)
    weights = np.random.default_rng(1).integers(1, 4, 400) if weighted else np.ones(400)
    task = TASKS.get(kind, "classification")
    if task == "classification":
        y = np.unique(y, return_inverse=True)[1]
    for depth in (1, 2):
        found = exactree.solve(X, y, task=task, max_depth=depth, sample_weight=weights)
        assert depth > 1 or found.stats["nodes"] == 0
        wrong = predict(found.tree, X) - y
        lost = wrong**2 if task == "regression" else wrong != 0
        assert found.objective == pytest.approx(weights @ lost)


LITTLE_ROOM = """
lines = open("/proc/self/status").readlines()
used = int(next(x for x in lines if x.startswith("VmSize")).split()[1])
resource.setrlimit(resource.RLIMIT_AS, (1024 * used + 300_000_000,) * 2)
"""


@linux
def test_threads_that_cannot_be_started_are_done_without() -> None:
    alone = run("two classes", 2000, 6, max_depth=3)
    crowd = run("two classes", 2000, 6, max_depth=3, n_jobs=2000, before=LITTLE_ROOM)
    assert crowd[:3] == alone[:3]
    assert alone[3]["threads"] == 1 and 1 <= crowd[3]["threads"] < 2000


@linux
def test_so_does_the_local_search() -> None:
    options: dict[str, Any] = {"max_depth": 2, "splits": "hyperplane", "time_limit": 0.3}
    status, objective, *_ = run("two classes", 400, 6, n_jobs=2000, before=LITTLE_ROOM, **options)
    assert status == "time_limit" and objective < 200


def test_threads_are_reported() -> None:
    X, y = table("two classes", 1500, 6)
    found = exactree.solve(X, y, max_depth=3, n_jobs=2)
    assert found.stats["threads"] == 2 and size(found.tree) > 0
