"""Linear programs that are given up: at a limit, and by Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from exactree import programs, solve
from exactree.programs import solved

PROGRAM: dict[str, Any] = {"A_ub": np.array([[-1.0, -2.0]]), "b_ub": [-4.0]}
COSTS = np.array([1.0, 1.0])


class Endless:
    """Stands in for HiGHS: a program that ends when the test does."""

    def __init__(self, *, interrupts: bool) -> None:
        self.interrupts, self.release, self.calls = interrupts, threading.Event(), 0

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.calls += 1
        if self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
        assert self.release.wait(60), "nobody gave the program up"
        raise ValueError("nobody looks at this")


@pytest.fixture(params=[False, True], ids=["limit", "ctrl-c"])
def endless(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endless]:
    found = Endless(interrupts=request.param)
    monkeypatch.setattr(programs, "QUICK", 0)
    monkeypatch.setattr(programs, "linprog", found)
    yield found
    assert any(t.name == "exactree linear program" for t in threading.enumerate())
    found.release.set()


@pytest.mark.parametrize("quick", [0, 10**6])
def test_the_thread_changes_nothing(quick: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "QUICK", quick)
    found = solved(COSTS, lambda: 60.0, **PROGRAM)
    assert found is not None
    assert found.x.tolist() == [0.0, 2.0]
    assert solved(COSTS, lambda: 60.0, A_ub=[[1.0, 1.0]], b_ub=[-1.0]) is None  # none is feasible
    assert solved(COSTS, lambda: 0.0, **PROGRAM) is None
    with pytest.raises(ValueError, match="b_ub"):
        solved(COSTS, lambda: 60.0, A_ub=[[1.0, 1.0]], b_ub=[1.0, 2.0])


def test_a_program_is_given_up(endless: Endless) -> None:
    if endless.interrupts:
        with pytest.raises(KeyboardInterrupt):
            solved(COSTS, lambda: 60.0, **PROGRAM)
    else:
        assert solved(COSTS, lambda: 0.05, **PROGRAM) is None
    assert endless.calls == 1


def test_a_tree_of_planes_comes_back(endless: Endless) -> None:
    """A wider plane is done without; so are sets of rows that cannot be parted."""
    errors = 3 if endless.interrupts else 0  # a limit would leave no time for such sets
    X = np.random.default_rng(0).normal(size=(300, 5))
    y = (X.sum(axis=1) > 0) ^ (np.arange(300) < errors)
    limit = None if endless.interrupts else 0.5
    found = solve(X, y, splits="hyperplane", max_depth=1, time_limit=limit)
    assert endless.calls > 0
    assert found.objective < 30  # of some 150
    if found.objective > found.lower_bound:
        assert found.status == ("interrupted" if endless.interrupts else "time_limit")
