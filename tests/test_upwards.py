"""Where no depth was asked for, few levels come first: stopped searches keep what they found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from exactree import Progress, size_path, solve
from exactree.engines.upwards import is_deep, sizes_upwards, then_few_levels, upwards
from exactree.engines.watch import RunSplits
from exactree.problem import Found, Limits, Number, OnProgress, Problem, Status
from exactree.tree import Leaf, size


def posed(**changes: Any) -> Problem:
    whole = Problem(np.arange(40, dtype=np.int32)[None], np.arange(40, dtype=np.int32) % 2, 2)
    budgets: dict[str, Any] = {"max_depth": 6, "max_splits": 6, **changes}
    return replace(whole, **budgets)


class Script:
    """A search that gives prepared answers by depth, and notes what it was asked."""

    def __init__(self, costs: dict[int, tuple[int, int, Status]]) -> None:
        self.costs = costs
        self.asked: list[tuple[int, float]] = []

    def __call__(self, problem: Problem, limits: Limits, show: OnProgress | None) -> Found:
        self.asked.append((problem.max_depth, limits.seconds))
        cost, bound, status = self.costs[problem.max_depth]
        if show is not None:
            show(Progress(0.0, cost, bound))
        history = ((0.0, cost, bound),)
        return Found(status, "", cost, bound, cost - bound, Leaf(cost), {}, history)


@pytest.mark.parametrize(
    ("changes", "deep"),
    [
        ({}, True),
        ({"max_splits": 3, "max_depth": 3}, False),
        ({"max_depth": 5}, False),
        ({"max_splits": None, "penalty": 5, "max_depth": 5}, True),
        ({"max_splits": None, "penalty": 2, "max_depth": 5}, False),
        ({"max_splits": None}, False),
    ],
)
def test_deep_is_what_only_splits_or_penalties_limit(
    changes: dict[str, int | None], deep: bool
) -> None:
    # The leaf costs 20, so that a penalty of 5 leaves room for 3 splits, and one of 2 for 9.
    assert is_deep(posed(**changes)) is deep


def test_a_stopped_search_keeps_the_best_tree_and_its_own_bound() -> None:
    script = Script({3: (9, 9, "optimal"), 4: (7, 2, "time_limit"), 6: (12, 1, "time_limit")})
    found = upwards(script, posed(), Limits(seconds=100.0))
    assert [depth for depth, _ in script.asked] == [3, 4, 6]
    assert (found.objective, found.lower_bound, found.gap) == (7, 1, 6)
    assert (found.status, found.tree) == ("time_limit", Leaf(7))
    assert found.history[-1][1:] == (7, 1)
    assert all(bound == 0 for _, _, bound in found.history[:2])


def test_a_finished_search_has_its_own_tree() -> None:
    script = Script({3: (9, 9, "optimal"), 6: (9, 9, "optimal")})
    found = upwards(script, posed(), Limits())
    assert [depth for depth, _ in script.asked] == [3, 6]
    assert found.status == "optimal" and found.objective == 9


def test_the_bound_of_all_trees_can_prove_the_tree_of_few_levels() -> None:
    script = Script({3: (5, 5, "optimal"), 4: (5, 5, "optimal"), 6: (8, 5, "time_limit")})
    found = upwards(script, posed(), Limits(seconds=1.0))
    assert (found.status, found.objective, found.tree) == ("optimal", 5, Leaf(5))


def test_after_ctrl_c_nothing_is_searched_for_long() -> None:
    script = Script({3: (9, 4, "interrupted"), 4: (7, 2, "time_limit"), 6: (12, 1, "time_limit")})
    found = upwards(script, posed(), Limits(seconds=100.0))
    assert script.asked[1:] == [(6, 0.0)]
    assert found.status == "interrupted"


def test_no_bound_of_few_levels_is_shown() -> None:
    seen: list[Progress] = []
    script = Script({3: (9, 9, "optimal"), 6: (12, 1, "time_limit")})
    upwards(script, posed(), Limits(), seen.append)
    assert [(p.objective, p.lower_bound) for p in seen] == [(9, 0), (9, 1)]


def test_where_all_trees_take_too_long_few_levels_may_have_a_better_one() -> None:
    whole = Script({6: (12, 5, "time_limit")})
    few = Script({4: (9, 9, "optimal")})
    found = then_few_levels(whole, few, posed(), Limits(seconds=100.0))
    assert found is not None and whole.asked[0][1] == pytest.approx(75.0, abs=1.0)
    assert (found.objective, found.lower_bound, found.gap) == (9, 5, 4)
    assert (found.status, found.tree) == ("time_limit", Leaf(9))
    assert found.history[-1][1:] == (9, 5)
    worse = then_few_levels(whole, Script({4: (13, 13, "optimal")}), posed(), Limits(seconds=9.0))
    assert worse is not None and worse.tree == Leaf(12)
    done = then_few_levels(Script({6: (7, 7, "optimal")}), few, posed(), Limits(seconds=9.0))
    assert done is not None and done.objective == 7 and len(few.asked) == 1


def test_sizes_are_searched_one_by_one() -> None:
    def every(problem: Problem, limits: Limits, show: OnProgress | None) -> list[Found]:
        assert (problem.max_depth, problem.max_splits) == (3, 6)
        costs = [20, 15, 12, 10, 9, 8, 8]
        return [Found("optimal", "", c, c, 0, Leaf(c), {}, ((0.0, c, c),)) for c in costs]

    script = Script({4: (7, 7, "optimal"), 5: (9, 2, "time_limit"), 6: (9, 2, "time_limit")})
    found = sizes_upwards(script, every, posed(), Limits(seconds=10.0))
    assert [(r.objective, r.lower_bound) for r in found] == [
        *[(c, c) for c in (20, 15, 12, 10)],
        (7, 7),
        (7, 2),
        (7, 2),
    ]


def interrupted(calls: int) -> Callable[[Progress], None]:
    seen: list[Progress] = []

    def poll(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) > calls:
            raise KeyboardInterrupt

    return poll


def test_a_path_that_is_stopped_is_right_wherever_that_was() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    whole = size_path(X, y, max_splits=3, max_depth=3)
    path = size_path(X, y, max_splits=6, time_limit=0.2)
    for stopped, proved in zip(path[:4], whole, strict=True):
        assert stopped.lower_bound <= proved.objective <= stopped.objective
    assert path.objectives == sorted(path.objectives, reverse=True)
    for k, result in enumerate(path):
        assert size(result.tree) <= k and result.lower_bound <= result.objective


@pytest.mark.parametrize("budget", [{"max_splits": 5}, {"penalty": 0.03}])
def test_upwards_gives_what_one_search_of_that_depth_gives(budget: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 9, size=(40, 2)).astype(float)
    y = ((X[:, 0] > 3) ^ (X[:, 1] > 5) ^ (rng.random(40) < 0.15)).astype(int)
    deep = solve(X, y, **budget)
    assert deep.status == "optimal"
    levels = [solve(X, y, max_depth=d, **budget).objective for d in (1, 2, 3, 4)]
    assert deep.objective <= min(levels)
    brute = solve(X[:12], y[:12], engine="brute_force", **budget)
    assert solve(X[:12], y[:12], **budget).objective == brute.objective


def test_ctrl_c_during_few_levels_keeps_a_tree() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    found = solve(X, y, max_splits=6, on_progress=interrupted(0))
    assert found.status in ("interrupted", "optimal")
    assert size(found.tree) <= 6 and found.lower_bound <= found.objective


def in_two(**changes: Any) -> Problem:
    """Give a problem of which pairs of rows prove nothing: one split parts all of them."""
    return replace(posed(**changes), labels=(np.arange(40) >= 20).astype(np.int32))


def searched_by_splits(
    asked: list[tuple[int, int]], costs: dict[int, tuple[int, int, Status]]
) -> RunSplits:
    """Give a search by splits with prepared answers, by the levels that were searched before."""

    def run(
        problem: Problem, limits: Limits, show: OnProgress | None, below: Number, levels: int
    ) -> Found:
        asked.append((levels, int(below)))
        cost, bound, status = costs[levels]
        return Found(status, "", cost, bound, cost - bound, Leaf(cost), {}, ((0.0, cost, bound),))

    return run


def test_when_four_levels_are_done_deeper_trees_have_the_rest_of_the_time() -> None:
    asked: list[tuple[int, int]] = []
    few = Script({3: (9, 9, "optimal"), 4: (7, 7, "optimal")})
    by_splits = searched_by_splits(asked, {3: (20, 2, "time_limit"), 4: (20, 5, "time_limit")})
    found = upwards(few, in_two(), Limits(seconds=100.0), None, by_splits)
    assert asked == [(3, 9), (4, 7)]
    assert (found.status, found.objective, found.lower_bound) == ("time_limit", 7, 5)
    assert found.tree == Leaf(7)


def test_four_levels_are_all_that_four_splits_need() -> None:
    asked: list[tuple[int, int]] = []
    few = Script({3: (9, 9, "optimal"), 4: (7, 7, "optimal")})
    by_splits = searched_by_splits(asked, {3: (20, 2, "time_limit")})
    problem = in_two(max_splits=4, max_depth=4)
    found = upwards(few, problem, Limits(seconds=100.0), None, by_splits)
    assert (found.status, found.objective, found.lower_bound) == ("optimal", 7, 7)
    assert len(asked) == 1 and found.history[-1][1:] == (7, 7)


def test_few_levels_that_were_stopped_prove_nothing_of_deeper_trees() -> None:
    asked: list[tuple[int, int]] = []
    few = Script({3: (9, 4, "time_limit"), 4: (7, 3, "time_limit")})
    by_splits = searched_by_splits(asked, {0: (20, 2, "time_limit")})
    found = upwards(few, in_two(), Limits(seconds=100.0), None, by_splits)
    assert asked == [(0, 9)]
    assert (found.status, found.objective, found.lower_bound) == ("time_limit", 7, 2)
