"""Threads that keep claims give what threads without a file give."""

from __future__ import annotations

from math import inf
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from shuffled import compare, random_posing, same, table

from exactree import solve
from exactree.cluster.crew import Crew
from exactree.cluster.ledger import Ledger, records

# Seconds: all that can be divided is; some is; nothing is.
SLICES = (0.0, 0.00002, 0.5)


def lives(seed: int, path: Path) -> int:
    """Stop runs by the clock, go on, compare the last one; give the number of divided pieces."""
    posing, dice = random_posing(seed), Random(seed)
    limits = [dice.choice((0.0, 0.0005, 0.005)) for _ in range(dice.randint(0, 3))]
    for limit in [*limits, inf]:
        ledger = Ledger(path)
        crew = Crew(posing, ledger, threads=dice.randint(1, 3), slice=dice.choice(SLICES))
        found = crew.run(limit, None)
        ledger.close()
    compare(posing, found)
    claims = [content[1] for kind, content in records(path) if kind == "claim"]
    return sum(not reply["complete"] for reply in claims)


@pytest.mark.parametrize("problems", [80, pytest.param(3000, marks=pytest.mark.fuzz)])
def test_threads_with_a_file_give_what_one_thread_gives(problems: int, tmp_path: Path) -> None:
    assert sum(lives(seed, tmp_path / f"{seed}.ckpt") for seed in range(problems)) > 20


def test_it_searches_no_more_than_without_a_file(tmp_path: Path) -> None:
    # One table alone may have a better tree early, by luck.
    evaluations = np.zeros(2)
    for i, size in enumerate(((200, 4), (150, 5), (250, 4), (200, 5))):
        X, y = table(*size)
        plain = solve(X, y, max_depth=4)
        kept = solve(X, y, max_depth=4, checkpoint=tmp_path / f"{i}.ckpt")
        same(kept, plain)
        evaluations += kept.stats["evaluations"], plain.stats["evaluations"]
    assert evaluations[0] <= 1.02 * evaluations[1]


def test_surfaces_are_kept_too(tmp_path: Path) -> None:
    X, y = table(25, 2)
    how: dict[str, Any] = {"max_depth": 2, "splits": "hyperplane"}
    expected = solve(X, y, **how)
    path = tmp_path / "run.ckpt"
    solve(X, y, **how, checkpoint=path, time_limit=0.02)
    same(solve(X, y, **how, checkpoint=path, n_jobs=2), expected)
    same(solve(X, y, **how, checkpoint=path), expected)


def test_the_memory_limit_is_one_for_all(tmp_path: Path) -> None:
    X, y = table(2000, 10)
    found = solve(X, y, max_depth=4, memory_limit=400_000, checkpoint=tmp_path / "run.ckpt")
    assert found.status == "memory_limit"
    assert found.lower_bound <= found.objective


def test_what_fails_in_a_thread_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Ledger, claims: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Ledger, "claims", fail)
    X, y = table(100, 3)
    with pytest.raises(OSError, match="no space left"):
        solve(X, y, max_depth=3, checkpoint=tmp_path / "run.ckpt")


def test_results_say_whether_a_file_had_anything_to_do(tmp_path: Path) -> None:
    X, y = table(60, 3)
    B = (X > 0).astype(int)
    kept = solve(X, y, max_depth=3, checkpoint=tmp_path / "three.ckpt")
    here = solve(B, y, splits="binary", penalty=0.05, checkpoint=tmp_path / "sparse.ckpt")
    assert kept.stats["by_the_piece"] == 1
    assert here.stats["by_the_piece"] == 0
    assert "by_the_piece" not in solve(X, y, max_depth=3).stats
