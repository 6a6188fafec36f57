"""Runs that end at any moment, and the runs that go on from their files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from shuffled import Killed, ShuffledPool, Stepping, compare, random_posing

from exactree import _native, size_path, solve
from exactree.cluster.crew import Crew
from exactree.cluster.ledger import FORMAT, Ledger, line_of, records
from exactree.cluster.posing import Posing
from exactree.tree import predict


def table(rows: int = 120, columns: int = 4, seed: int = 0) -> tuple[Any, Any]:
    dice = np.random.default_rng(seed)
    X = dice.normal(size=(rows, columns))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (dice.random(rows) < 0.2)
    return X, y.astype(int)


def lives(posing: Posing, path: Path, seed: int) -> tuple[Any, int]:
    """Run until killed, again and again, with half a line at the end; then to the end."""
    dice, evaluations = Random(seed), 0
    for _ in range(dice.randint(1, 5)):
        pool = ShuffledPool(dice.random(), 1, kill_after=dice.randint(0, 6))  # type: ignore[arg-type]
        ledger = Ledger(path)
        try:
            Stepping(posing, ledger, pool=pool).run(inf, None)
        except Killed:
            pass
        finally:
            ledger.close()
            evaluations += pool.evaluations
        with path.open("ab") as file:
            file.write(line_of(("bound", 0.0, 1, 0))[: dice.randint(0, 20)])
    pool, ledger = ShuffledPool(seed, 1), Ledger(path)
    found = Stepping(posing, ledger, pool=pool).run(inf, None)
    ledger.close()
    return found, evaluations + pool.evaluations


@pytest.mark.parametrize("problems", [60, pytest.param(2000, marks=pytest.mark.fuzz)])
def test_killed_runs_end_as_if_they_had_not_been(problems: int, tmp_path: Path) -> None:
    for seed in range(problems):
        posing = random_posing(seed)
        compare(posing, lives(posing, tmp_path / f"{seed}.ckpt", seed)[0])


def test_what_is_kept_is_not_done_twice(tmp_path: Path) -> None:
    X, y = table(200, 5)
    ranks = np.argsort(np.argsort(X, axis=0), axis=0).T
    rows = (np.ascontiguousarray(ranks, np.int32), y.astype(np.int32), 2)
    posing = Posing("columns", rows, {"max_depth": 4})
    whole = ShuffledPool(0, 1, steady=True)
    expected = Stepping(posing, pool=whole).run(inf, None)
    evaluations = lost = 0
    for life in range(8):
        pool = ShuffledPool(life, 1, steady=True, kill_after=None if life == 7 else 5)
        ledger = Ledger(tmp_path / "run.ckpt")
        try:
            found = Stepping(posing, ledger, pool=pool).run(inf, None)
        except Killed:
            lost += pool.latest
        ledger.close()
        evaluations += pool.evaluations
    assert found.tree == expected.tree
    assert evaluations - lost <= 1.05 * whole.evaluations


def test_solve_goes_on_where_it_ended(tmp_path: Path) -> None:
    X, y = table()
    expected = solve(X, y, max_depth=4)
    path = tmp_path / "run.ckpt"
    stopped = solve(X, y, max_depth=4, checkpoint=path, time_limit=0.05)
    assert stopped.lower_bound <= expected.objective <= stopped.objective
    before = path.stat().st_size
    found = solve(X, y, max_depth=4, checkpoint=path)
    assert path.stat().st_size >= before
    assert (found.status, found.objective, found.tree) == (
        "optimal",
        expected.objective,
        expected.tree,
    )
    again = solve(X, y, max_depth=4, checkpoint=str(path), n_jobs=2)
    assert again.tree == expected.tree


def test_sizes_have_checkpoints_too(tmp_path: Path) -> None:
    X, y = table(60, 3)
    expected = size_path(X, y, max_splits=5, max_depth=3)
    for _ in range(2):
        found = size_path(X, y, max_splits=5, max_depth=3, checkpoint=tmp_path / "sizes.ckpt")
        assert [r.tree for r in found] == [r.tree for r in expected]


def test_another_problem_is_refused_by_what_differs(tmp_path: Path) -> None:
    X, y = table(40, 3)
    path = tmp_path / "run.ckpt"
    solve(X, y, max_depth=3, checkpoint=path)
    with pytest.raises(ValueError, match="max_depth: 3 in the file, 4 now"):
        solve(X, y, max_depth=4, checkpoint=path)
    with pytest.raises(ValueError, match="belongs to another problem"):
        solve(X, 1 - y, max_depth=3, checkpoint=path)


def test_a_file_in_use_is_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "run.ckpt")
    with pytest.raises(ValueError, match="in use by another run"):
        Ledger(tmp_path / "run.ckpt")
    ledger.close()


def sealed(content: Any) -> bytes:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"%08x %s\n" % (crc32(text), text)


HEADER = ["header", {"format": FORMAT, "kind": "columns", "parts": {}}]


@pytest.mark.parametrize(
    "content",
    [
        b"\x00" * 100,
        b"hello\nworld\n",
        sealed({"format": FORMAT}),
        sealed(["header", {"format": 1, "kind": "columns", "parts": {}}]),
        sealed(["header", {"format": 99, "parts": {}}]),
        sealed(["header"]),
        sealed(HEADER) + b"00000000 []\nmore\n",
        sealed(b"[" * 100000),
    ],
)
def test_what_is_no_checkpoint_is_an_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint|format"):
        Ledger(path)
    assert path.read_bytes() == content


PLAN = {"more": True, "order": [], "promising": [], "bound": [], "tried": [], "trees": []}


@pytest.mark.parametrize(
    "claim",
    [
        ["claim", {}, {}],
        ["claim", [], None],
        ["claim", {"target": [1], "path": [[0, 1]], "feature": 0}, {"complete": True}],
        ["claim", {"target": [1], "branch": [0]}, {"complete": True}],
        ["plan", None],
        ["plan", {"tried": [3]}],
        ["plan", {**PLAN, "order": [9]}],
        ["plan", {**PLAN, "order": [0, 0]}],
        ["plan", {**PLAN, "promising": [[0, 999, 1]]}],
        ["plan", {**PLAN, "tried": [{"feature": 0, "position": 1, "lo": [[0]], "hi": [[0]]}]}],
        ["plan", {**PLAN, "trees": [[5, 0, [[-1, 0, 0, -1, -1, 0]]]]}],
        ["tree", 0, 0, []],
        ["tree", 0, 0, [[0, 0, 1, 5, 6, 0]]],
        ["tree", 7, 0, [[-1, 0, 0, -1, -1, 0]]],
    ],
)
def test_claims_that_make_no_sense_are_an_error(claim: list[Any], tmp_path: Path) -> None:
    X, y = table(40, 3)
    path = tmp_path / "run.ckpt"
    solve(X, y, max_depth=3, checkpoint=path, time_limit=0)
    with path.open("ab") as file:
        file.write(sealed(claim))
    with pytest.raises(ValueError, match="makes no sense"):
        solve(X, y, max_depth=3, checkpoint=path)


def claims_of(path: Path) -> list[Any]:
    return [content for kind, content in records(path) if kind == "claim"]


@pytest.mark.parametrize("facts", ["", "AAA=", "////", "BAAAAgICAgICAg==", "not base64!"])
def test_facts_that_make_no_sense_are_an_error(facts: str, tmp_path: Path) -> None:
    X, y = table(60, 3)
    path = tmp_path / "run.ckpt"
    solve(X, y, max_depth=4, checkpoint=path)
    question, reply = claims_of(path)[-1]
    with path.open("ab") as file:
        file.write(sealed(["claim", question, {**reply, "left_facts": facts}]))
    with pytest.raises(ValueError, match="makes no sense"):
        solve(X, y, max_depth=4, checkpoint=path)


def interrupt(progress: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "limit",
    [{"on_progress": interrupt}, {"time_limit": 0.1}, {"memory_limit": 100_000}],
    ids=["ctrl-c", "time", "memory"],
)
def test_the_same_call_with_more_goes_on(limit: dict[str, Any], tmp_path: Path) -> None:
    X, y = table(300, 5)
    path = tmp_path / "run.ckpt"
    stopped = solve(X, y, max_depth=4, checkpoint=path, **limit)
    assert stopped.status in ("interrupted", "time_limit", "memory_limit")
    known = len(claims_of(path))
    found, expected = solve(X, y, max_depth=4, checkpoint=path), solve(X, y, max_depth=4)
    assert (found.status, found.objective, found.tree) == (
        "optimal",
        expected.objective,
        expected.tree,
    )
    if known:  # what was proved by then is not searched again
        assert found.stats["evaluations"] < expected.stats["evaluations"]


CALL = """
import sys
import numpy as np
from exactree import solve
dice = np.random.default_rng(0)
X = dice.normal(size=({rows}, 5))
y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (dice.random({rows}) < 0.25)).astype(int)
if __name__ == "__main__":
    result = solve(X, y, max_depth=4, checkpoint=sys.argv[1])
    print(result.objective, result.stats["evaluations"])
"""


def killed_run(script: Path, checkpoint: Path, dice: Random) -> bool:
    """Start the script, and kill it some time after its file grows. True if it was killed."""
    before = checkpoint.stat().st_size if checkpoint.exists() else 0
    process = subprocess.Popen([sys.executable, script, checkpoint], stdout=subprocess.DEVNULL)
    limit = monotonic() + 60
    while process.poll() is None and monotonic() < limit:
        if checkpoint.exists() and checkpoint.stat().st_size > before:
            break
        sleep(0.01)
    sleep(dice.uniform(0, 0.3))
    if process.poll() is not None:
        return False
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return True


@pytest.mark.parametrize(
    ("rows", "kills"), [(250, 2), pytest.param(700, 100, marks=pytest.mark.fuzz)]
)
def test_sigkill_at_any_moment(rows: int, kills: int, tmp_path: Path) -> None:
    script, path = tmp_path / "call.py", tmp_path / "run.ckpt"
    script.write_text(CALL.format(rows=rows))
    dice = Random(kills)
    killed = sum(killed_run(script, path, dice) for _ in range(kills))
    space: dict[str, Any] = {}
    exec(compile(CALL.format(rows=rows), "call", "exec"), space)
    expected = solve(space["X"], space["y"], max_depth=4)
    found = solve(space["X"], space["y"], max_depth=4, checkpoint=path)
    assert (found.status, found.objective, found.lower_bound, found.tree) == (
        expected.status,
        expected.objective,
        expected.lower_bound,
        expected.tree,
    )
    assert killed > 0 or kills > 2
    assert [kind for kind, _ in records(path)].count("header") == 1


def test_trees_of_a_plan_that_was_stopped_are_kept(tmp_path: Path) -> None:
    """The plan itself is not in the file, nor any claim: only what was found by then."""
    posing, path = random_posing(3), tmp_path / "run.ckpt"
    expected = posing.pose().run()
    tree = plain_tree(posing)
    ledger = Ledger(path)
    ledger.begin(posing)
    ledger.tree(*tree, 0)
    ledger.close()
    ledger = Ledger(path)
    stopped = Crew(posing, ledger).run(0.0, None)
    ledger.close()
    assert stopped.objective == expected.objective
    ledger = Ledger(path)
    compare(posing, Crew(posing, ledger).run(inf, None))
    ledger.close()


def plain_tree(posing: Posing) -> tuple[int, int, Any]:
    session = _native.Session(posing.pose(), keep=True)
    session.open()
    helper = _native.Helper(session)
    while helper.take() == 0:
        helper.answer(inf)
        helper.give()
        while helper.take_unwritten():
            helper.write(inf)
            helper.give_written()
    budget, cost, _, tree = session.trees()[-1]
    return budget, cost, tree


@pytest.mark.parametrize("terms", [{"max_depth": 4}, {"max_splits": 6}, {"max_depth": 5}])
def test_no_run_is_worse_than_those_before_it(terms: dict[str, Any], tmp_path: Path) -> None:
    X, y = table(400, 6)
    path = tmp_path / "run.ckpt"
    best, bound = inf, 0.0
    for seconds in (0.05, 0.3, 0.02, 0.0, 0.1, 0.0):
        found = solve(X, y, checkpoint=path, time_limit=seconds, **terms)
        assert found.objective <= best and found.lower_bound >= bound
        best, bound = found.objective, found.lower_bound
        assert (predict(found.tree, X) != y).sum() == best


@pytest.mark.parametrize("executor", [False, True])
def test_a_search_by_splits_gives_the_tree_it_gives_without_a_file(
    executor: bool, tmp_path: Path
) -> None:
    """There are several optimal trees here, and searches by splits and by levels have their own."""
    for seed in range(4):
        X, y = table(60, 3, seed)
        path = tmp_path / f"{seed}.ckpt"
        expected = solve(X, y, max_splits=5)
        with ThreadPoolExecutor(2) as threads:
            terms: dict[str, Any] = {"executor": threads if executor else None, "checkpoint": path}
            stopped = solve(X, y, max_splits=5, time_limit=0.01, **terms)
            found = solve(X, y, max_splits=5, **terms)
        assert stopped.lower_bound <= expected.objective <= stopped.objective
        assert (found.status, found.objective) == ("optimal", expected.objective)
        assert found.tree == expected.tree
        kinds = [kind for kind, _ in records(path)]
        assert kinds[-2:] == ["end", "result"]


def test_thresholds_that_were_lent_with_a_piece_are_claims_of_their_own(tmp_path: Path) -> None:
    """Their facts are bytes, which were not read again where they stood beside another piece's."""
    lent = 0
    for seed in range(6):
        X, y = table(60, 3, seed)
        path = tmp_path / f"{seed}.ckpt"
        with ThreadPoolExecutor(2) as threads:
            for limit in (0.02, None):
                terms: dict[str, Any] = {"executor": threads, "checkpoint": path}
                found = solve(X, y, max_splits=5, time_limit=limit, **terms)
        assert found.status == "optimal"
        replies = [content[1] for kind, content in records(path) if kind == "claim"]
        assert all("others" not in reply for reply in replies)
        lent += sum(not any(reply["counters"]) for reply in replies)
    assert lent > 0


SHORT = (0.02, 0.2, 0.01, 0.0, 0.0)


@pytest.mark.parametrize("objective", ["f1", "jaccard", "balanced_error"])
def test_no_ratio_is_worse_than_before(objective: str, tmp_path: Path) -> None:
    X, y = table(300, 6)
    terms: dict[str, Any] = {"objective": objective, "max_depth": 3}
    path = tmp_path / "run.ckpt"
    best, bound = inf, 0.0
    for seconds in SHORT:
        found = solve(X, y, checkpoint=path, time_limit=seconds, **terms)
        assert found.objective <= best and found.lower_bound >= bound
        best, bound = found.objective, found.lower_bound
    expected = solve(X, y, **terms)
    found = solve(X, y, checkpoint=path, **terms)
    assert (found.status, found.objective) == ("optimal", expected.objective)
    again = solve(X, y, checkpoint=path, time_limit=0.0, **terms)
    assert (again.status, again.objective, again.tree) == ("optimal", found.objective, found.tree)


@pytest.mark.parametrize("objective", ["error", "f1"])
def test_no_size_is_worse_than_before(objective: str, tmp_path: Path) -> None:
    X, y = table(200, 4)
    terms: dict[str, Any] = {"objective": objective, "max_splits": 5, "max_depth": 3}
    path = tmp_path / "run.ckpt"
    best, bound = [inf] * 6, [0.0] * 6
    for seconds in SHORT:
        found = size_path(X, y, checkpoint=path, time_limit=seconds, **terms)
        for k, one in enumerate(found):
            assert one.objective <= best[k] and one.lower_bound >= bound[k]
        best, bound = list(found.objectives), list(found.lower_bounds)
    whole = size_path(X, y, checkpoint=path, **terms)
    assert whole.objectives == size_path(X, y, **terms).objectives
    again = size_path(X, y, checkpoint=path, time_limit=0.0, **terms)
    assert [one.status for one in again] == ["optimal"] * 6
    assert [one.tree for one in again] == [one.tree for one in whole]


def test_the_result_of_a_run_is_there_at_once(tmp_path: Path) -> None:
    X, y = table()
    path = tmp_path / "run.ckpt"
    expected = solve(X, y, max_depth=4, checkpoint=path)
    again = solve(X, y, max_depth=4, checkpoint=path, time_limit=0.0)
    assert (again.status, again.objective) == ("optimal", expected.objective)  # maybe another tree
    assert solve(X, y, max_depth=4, checkpoint=path).tree == expected.tree


@pytest.mark.parametrize(
    "change",
    [
        {0: 0},
        {0: None},
        {1: inf},
        {1: "much"},
        {2: None},
        {4: {}},
        {4: {"format": "exactree.tree", "version": 1, "root": {"split": 1}}},
    ],
)
def test_results_that_make_no_sense_are_an_error(change: dict[int, Any], tmp_path: Path) -> None:
    X, y = table(40, 3)
    path = tmp_path / "run.ckpt"
    solve(X, y, max_depth=3, checkpoint=path)
    result = next(content for kind, content in records(path) if kind == "result")
    for place, value in change.items():
        result[place] = value
    with path.open("ab") as file:
        file.write(sealed(["result", *result]))
    with pytest.raises(ValueError, match="makes no sense"):
        solve(X, y, max_depth=3, checkpoint=path)
