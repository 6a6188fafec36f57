"""Searches that are not divided leave what they ended with in the file of claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import solve
from exactree.cluster import running
from exactree.cluster.ledger import records
from exactree.cluster.running import TREE, Ended


def table(rows: int, columns: int) -> tuple[Any, Any]:
    dice = np.random.default_rng(0)
    return dice.integers(0, 9, (rows, columns)).astype(float), dice.integers(0, 2, rows)


def ends_in(path: Path) -> list[Any]:
    return [content for kind, content in records(path) if kind == "ended"]


@pytest.mark.parametrize("terms", [{"max_splits": 5}, {"penalty": 0.01}])
def test_what_a_search_by_splits_ended_with_is_not_searched_again(
    terms: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table(60, 3)
    path = tmp_path / "run.ckpt"
    expected = solve(X, y, **terms)
    found = solve(X, y, **terms, checkpoint=path)
    assert ends_in(path)
    # Without what the whole run ended with, as if it had been killed before.
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b'["result"' not in line))
    for kind in running.UNDIVIDED:
        monkeypatch.setitem(running.UNDIVIDED, kind, None)
    again = solve(X, y, **terms, checkpoint=path)
    for result in (found, again):
        assert (result.status, result.objective, result.lower_bound, result.tree) == (
            expected.status,
            expected.objective,
            expected.lower_bound,
            expected.tree,
        )


@pytest.mark.parametrize(
    "damage",
    [
        [1],
        [1, 1, {}, {}],
        [1, 1, {name: [] for name in TREE}, {}],
        [1, 1, {name: [0] for name in TREE}, {}],
        [1, 1, {name: [-1] for name in TREE}, {"nodes": "many"}],
        ["one", 1, {name: [-1] for name in TREE}, {}],
    ],
)
def test_an_end_that_makes_no_sense_is_refused(damage: list[Any]) -> None:
    with pytest.raises(ValueError, match="has a search that makes no sense"):
        Ended.of(damage, Path("run.ckpt"))
