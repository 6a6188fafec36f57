"""Fewer levels first where time is limited."""

from __future__ import annotations

from dataclasses import replace
from time import sleep
from typing import Any

import numpy as np
import pytest

from exactree import solve
from exactree.constraints import LeastSide
from exactree.engines import search, upwards
from exactree.engines.low_targets import bound_by_targets, has_low_targets
from exactree.engines.numbers import search_numbers, search_numbers_below
from exactree.engines.search import NO_FIRST_TREE, _search_below, _search_one
from exactree.engines.some_rows import every, hard_rows
from exactree.engines.subproblems import leaf_rows, subproblem
from exactree.engines.upwards import level_by_level
from exactree.engines.watch import Watch
from exactree.objectives import AbsoluteError, CostMatrix, SquaredError
from exactree.problem import Cut, Found, Limits, Problem, Progress
from exactree.tree import Leaf, Node, Tree, depth


def random_problem(seed: int, rows: int = 40, levels: int = 5, classes: int = 3) -> Problem:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, rng.integers(3, 12), size=(3, rows))
    columns = np.array([np.unique(v, return_inverse=True)[1] for v in values], np.int32)
    labels = np.unique(rng.integers(0, classes, rows), return_inverse=True)[1].astype(np.int32)
    # Rows of a problem are sorted by ranks and then by label: bounds by equal rows rely on it.
    order = np.lexsort((labels, *columns[::-1]))
    columns, labels = np.ascontiguousarray(columns[:, order]), labels[order]
    weights = rng.integers(1, 9, rows) if seed % 2 else None
    penalty = int(rng.integers(0, 3))
    return Problem(
        columns, labels, int(labels.max()) + 1, weights, max_depth=levels, penalty=penalty
    )


def cost(problem: Problem, tree: Tree, rows: Any) -> int:
    """Count the errors of a tree's leaves one by one, and its splits."""
    if isinstance(tree, Leaf):
        wrong = problem.labels[rows] != tree.value
        return int(problem.row_costs()[rows][wrong].sum())
    left = problem.columns[tree.split.column, rows] <= tree.split.rank  # type: ignore[attr-defined]
    sides = cost(problem, tree.left, rows[left]) + cost(problem, tree.right, rows[~left])
    return sides + int(problem.penalty)


def improved(problem: Problem, tree: Tree, **options: Any) -> Found:
    """Make a tree better, without a proof."""
    numbers = isinstance(problem.objective, SquaredError)
    return (search_numbers if numbers else _search_one)(
        problem, Limits(start=tree), None, {"prove": False, **options}
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_limit_that_is_not_reached_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 9, size=(40, 3)), rng.integers(0, 2 + seed % 3, 40)
    terms: dict[str, Any] = {"max_depth": 5 + seed % 2, "penalty": (seed % 4) / 100}
    limited, free = solve(X, y, **terms, time_limit=600), solve(X, y, **terms)
    assert limited.status == free.status == "optimal"
    assert (limited.objective, limited.lower_bound) == (free.objective, free.lower_bound)
    assert limited.tree == free.tree


def test_regression_goes_the_same_way() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 6, size=(60, 2)), rng.normal(size=60)
    terms: dict[str, Any] = {"max_depth": 5, "task": "regression"}
    limited, free = solve(X, y, **terms, time_limit=600), solve(X, y, **terms)
    assert limited.status == free.status == "optimal"
    assert limited.objective == pytest.approx(free.objective, rel=1e-9)


def test_a_deep_search_without_time_keeps_the_tree_of_fewer_levels() -> None:
    problem = random_problem(4, rows=60, levels=6)
    asked = []

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        asked.append((part.max_depth, part.n_rows))
        # Only up to four levels are within reach.
        hopeless = part.max_depth > 4
        return search(part, Limits(seconds=0.0) if hopeless else Limits())

    found = level_by_level(run, problem, Limits(seconds=100.0))
    four = search(replace(problem, max_depth=4), Limits())
    assert [levels for levels, rows in asked if rows == 60] == [6, 3, 4, 5, 6]
    assert found.objective <= four.objective
    assert found.objective == cost(problem, found.tree, np.arange(60))
    assert found.lower_bound <= found.objective
    assert found.history[-1][1] == found.objective


def stopped(found: Found, bound: int) -> Found:
    return replace(found, status="time_limit", lower_bound=bound, gap=found.objective - bound)


@pytest.mark.parametrize("interrupted", [False, True])
def test_four_levels_wait_while_three_are_searched(interrupted: bool) -> None:
    problem = random_problem(4, rows=60, levels=4)
    one, three = (search(replace(problem, max_depth=d), Limits()) for d in (1, 3))
    asked, shown = [], []

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        asked.append((part.max_depth, limits.known))
        if part.max_depth == 3:
            show(Progress(1.0, three.objective, 0))
            return replace(three, status="interrupted") if interrupted else three
        try:
            for moment in range(3):
                sleep(0.06)
                show(Progress(float(moment), one.objective, moment))
        except KeyboardInterrupt:
            return replace(stopped(one, 0), status="interrupted")
        return stopped(one, 2)

    found = level_by_level(run, problem, Limits(seconds=0.4), lambda told: shown.append(told))
    assert asked == [(4, None), (3, one.objective)]
    assert found.status == ("interrupted" if interrupted else "time_limit")
    assert found.objective == min(one.objective, three.objective) == found.history[-1][1]
    assert found.objective == cost(problem, found.tree, np.arange(60))
    assert found.lower_bound == (0 if interrupted else 2)
    assert all(told.objective == one.objective for told in shown)
    times = [told.seconds for told in shown]
    assert times == sorted(times)


@pytest.mark.parametrize("proves", [0, 3])
@pytest.mark.parametrize("weighed", [False, True])
def test_meanwhile_every_tree_of_two_valued_columns_is_shown_to_err(
    proves: int, weighed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where some of the rows are enough, and the search has proved nothing by then."""
    monkeypatch.setattr(upwards, "MANY_ROWS", 100)
    monkeypatch.setattr(upwards, "SOME_ROWS", 150)
    rng = np.random.default_rng(2)
    columns = rng.integers(0, 2, (6, 300)).astype(np.int32)
    labels, weights = rng.integers(0, 2, 300).astype(np.int32), rng.integers(2, 9, 300)
    order = np.lexsort((labels, *columns[::-1]))
    columns, labels = np.ascontiguousarray(columns[:, order]), labels[order]
    problem = Problem(columns, labels, 2, weights if weighed else None, max_depth=4)
    one = search(replace(problem, max_depth=1), Limits())
    shown: list[Progress] = []

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        if part.max_depth == 3:
            return one
        for moment in range(3):
            sleep(0.06)
            show(Progress(0.06 * moment, one.objective, proves))
        history = tuple((0.06 * moment, one.objective, proves) for moment in range(3))
        return replace(stopped(one, proves), status="time_limit", history=history)

    found = level_by_level(run, problem, Limits(seconds=0.4), lambda told: shown.append(told))
    least = proves or (2 if weighed else 1)
    assert (found.status, found.lower_bound) == ("time_limit", least)
    assert found.gap == found.objective - least
    assert (problem.row_costs().min() == 2) == weighed
    assert search(problem, Limits()).objective >= least
    for bounds in ([b for *_, b in found.history], [told.lower_bound for told in shown]):
        assert bounds == sorted(bounds) and bounds[-1] == least


@pytest.mark.parametrize("kind", ["numbers", "absolute", "free errors"])
def test_what_is_no_count_of_errors_is_not_shown_to_err(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cost of one error is no bound where trees that err may cost less, or nothing."""
    rng = np.random.default_rng(3)
    columns = rng.integers(0, 2, (6, 300)).astype(np.int32)
    labels = rng.integers(0, 2, 300).astype(np.int32)
    order = np.lexsort((labels, *columns[::-1]))
    columns, labels = np.ascontiguousarray(columns[:, order]), labels[order]
    problem = Problem(columns, labels, 2, max_depth=4)
    if kind == "free errors":
        problem = replace(problem, objective=CostMatrix([[0, 0], [1, 0]]))
    else:
        loss = SquaredError() if kind == "numbers" else AbsoluteError()
        problem = replace(problem, objective=loss, values=np.array([0.0, 1e-9]))
    asked: list[Problem] = []

    def asks(some: Problem, *_: object) -> bool:
        asked.append(some)
        return True

    monkeypatch.setattr(upwards, "no_perfect_tree", asks)
    leaf = search(replace(Problem(columns, labels, 2), max_depth=1), Limits())

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        for moment in range(3 if part.max_depth == 4 else 0):
            sleep(0.06)
            show(Progress(0.06 * moment, leaf.objective, 0))
        return stopped(leaf, 0)

    found = level_by_level(run, problem, Limits(seconds=0.4))
    assert (found.lower_bound, asked) == (0, [])


def test_four_levels_do_not_wait_where_memory_is_limited() -> None:
    problem = random_problem(4, rows=60, levels=4)
    asked = []

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        asked.append(part.max_depth)
        found = search(part, Limits())
        return stopped(found, 0) if part.max_depth == 4 else found

    level_by_level(run, problem, Limits(seconds=100.0, memory=10**9))
    assert asked == [4, 3, 4]


def test_trees_get_better_part_by_part() -> None:
    better = 0
    for seed in range(40):
        problem = random_problem(seed, rows=60, levels=4 + seed % 2)
        rows = np.arange(problem.n_rows)
        first = search(replace(problem, max_depth=1 + seed % 3), Limits()).tree
        found = improved(problem, first)
        assert found.objective == cost(problem, found.tree, rows) <= cost(problem, first, rows)
        assert depth(found.tree) <= problem.max_depth
        least = search(problem, Limits()).objective
        assert found.lower_bound <= least <= found.objective
        assert (found.status == "optimal") == (found.lower_bound == found.objective)
        better += found.objective < cost(problem, first, rows)
    assert better > 20


def test_a_tree_that_does_not_fit_is_cut_down_or_left() -> None:
    """More levels than there may be, splits that part nothing, sides that are too small."""
    problem = replace(random_problem(2, rows=60, levels=6), penalty=0, max_depth=4)
    rows = np.arange(problem.n_rows)
    deep = search(replace(problem, max_depth=6), Limits()).tree
    assert isinstance(deep, Node)
    for start in (deep, Node(deep.split, deep, deep)):
        found = improved(problem, start)
        assert depth(found.tree) <= 4
        assert found.objective == cost(problem, found.tree, rows)
    small = replace(problem, least_side=LeastSide(9))
    found = improved(small, deep)
    assert found.objective == cost(problem, found.tree, rows)
    assert min(len(leaf) for leaf in leaf_rows(found.tree, problem)) >= 9


def test_a_start_decides_nothing() -> None:
    for seed in range(20):
        problem = random_problem(seed, rows=50, levels=4)
        free = search(problem, Limits())
        for levels in (1, 3):
            start = search(replace(problem, max_depth=levels), Limits()).tree
            found = search(problem, Limits(start=start, known=cost(problem, start, np.arange(50))))
            assert (found.status, found.objective, found.tree) == (
                "optimal",
                free.objective,
                free.tree,
            )


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_numbers_get_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, size=(3, 50))
    columns = np.array([np.unique(v, return_inverse=True)[1] for v in values], np.int32)
    numbers, labels = np.unique(rng.normal(size=50).round(1), return_inverse=True)
    problem = Problem(
        columns,
        labels.astype(np.int32),
        len(numbers),
        max_depth=5,
        objective=SquaredError(),
        values=numbers,
    )
    first = search(replace(problem, max_depth=1), Limits())
    found = improved(problem, first.tree)
    leaves = [numbers[labels[rows]] for rows in leaf_rows(found.tree, problem)]
    assert found.objective == pytest.approx(sum(((y - y.mean()) ** 2).sum() for y in leaves))
    assert found.objective < first.objective


def test_a_start_out_of_range_is_refused() -> None:
    problem = random_problem(1)
    with pytest.raises(ValueError, match="a column of the start is out of range"):
        improved(problem, Node(Cut(3, 0, 1), Leaf(0), Leaf(1)))


def test_rows_that_a_tree_errs_on_and_some_beside_them() -> None:
    problem = replace(random_problem(7), penalty=0)
    tree = search(replace(problem, max_depth=2), Limits()).tree
    rows = hard_rows(problem, tree)
    assert cost(problem, tree, np.arange(problem.n_rows)) == cost(problem, tree, rows)
    assert len(np.unique(rows)) == len(rows) < problem.n_rows
    assert every(6, 3).tolist() == [0, 2, 4] and every(2, 3).tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(40))
def test_low_targets_never_prove_too_much(seed: int) -> None:
    problem = random_problem(seed, rows=30 + seed, levels=2 + seed % 3, classes=2 + seed % 4)
    optimum = search(problem, Limits()).objective
    best = int(search(replace(problem, max_depth=1), Limits()).objective)
    targets, bounds = [], [0]

    def below(target: Any, proved: Any) -> Found:
        assert proved == bounds[-1] < target
        found = _search_below(problem, Limits(proved=proved), None, target)
        # Whatever is below the target is found; else the target is proved.
        assert min(optimum, target) <= found.lower_bound <= optimum
        targets.append(target)
        bounds.append(int(found.lower_bound))
        return found

    bound_by_targets(problem, best, 0, below)
    assert targets == sorted(targets) and bounds[-1] == optimum


@pytest.mark.parametrize("seed", range(20))
def test_some_rows_never_prove_too_much(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upwards, "MANY_ROWS", 10)
    monkeypatch.setattr(upwards, "SOME_ROWS", 20)
    problem = random_problem(seed, rows=24 + seed, levels=6, classes=2 + seed % 4)
    optimum, least = int(search(problem, Limits()).objective), int(problem.row_costs().min())
    watch = Watch(Limits(seconds=60.0, known=optimum + 9, proved=optimum), None)
    watch.keep(search(replace(problem, max_depth=1), Limits()))
    rows = every(problem.n_rows, 20)
    some = subproblem(problem, rows, 6)
    if problem.n_classes >= upwards.SEVERAL:
        some = replace(some, penalty=0)  # perfect trees are refuted, whatever their splits cost
    upwards._bound_by_one(_search_below, problem, watch, 1.0)
    assert watch.proved <= optimum
    assert (watch.proved >= least) == (search(some, Limits()).objective >= least)
    upwards._bound_by_one(_search_below, problem, watch, 1.0)
    assert watch.found("local").history[-1][2] == watch.proved


@pytest.mark.parametrize("asked", ["nothing", "to stop"])
def test_the_user_is_asked_while_perfect_trees_are_refuted(
    asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    columns = np.argsort(rng.random((5, 400)), axis=1).astype(np.int32)
    problem = Problem(columns, rng.integers(0, 3, 400).astype(np.int32), 3, max_depth=6)
    shown: list[float] = []

    def show(progress: Progress) -> None:
        shown.append(progress.lower_bound)
        if asked == "to stop":
            raise KeyboardInterrupt

    monkeypatch.setattr("exactree.engines.perfect.EVERY", 0.0)
    watch = Watch(Limits(seconds=60.0), show)
    watch.keep(search(replace(problem, max_depth=1), Limits()))
    upwards._bound_by_one(_search_below, problem, watch, 1.0)
    assert shown and (watch.status, watch.proved) == (
        ("interrupted", 0) if asked == "to stop" else ("optimal", 1)
    )


def numbers_of(problem: Problem, seed: int) -> Problem:
    """Give the rows of a problem targets that are numbers."""
    values = np.random.default_rng(seed).normal(size=problem.n_classes).cumsum()
    return replace(problem, objective=SquaredError(), values=np.sort(values), penalty=0)


@pytest.mark.parametrize("seed", range(40))
def test_low_targets_of_numbers_never_prove_too_much(seed: int) -> None:
    """A target that no tree is below is proved, but for rounding; of others, the best is found."""
    rows = 30 + seed
    problem = numbers_of(random_problem(seed, rows, levels=2 + seed % 3, classes=rows // 2), seed)
    assert has_low_targets(problem)
    optimum = float(search(problem, Limits()).objective)
    bounds = [0.0]

    def below(target: Any, proved: Any) -> Found | None:
        assert proved == bounds[-1]
        options = {"switches": NO_FIRST_TREE}
        found = search_numbers_below(problem, Limits(), None, target, options)
        assert found is not None and found.lower_bound <= optimum * (1 + 1e-9)
        assert found.lower_bound >= min(optimum, target) * (1 - 1e-6)
        bounds.append(max(float(found.lower_bound), proved))
        return found

    bound_by_targets(problem, 8 * optimum, 0.0, below)
    assert bounds[-1] >= optimum * (1 - 1e-6)


@pytest.mark.parametrize("in_time", [False, True])
def test_low_targets_bound_what_no_search_reaches(in_time: bool) -> None:
    """All targets prove the optimum if there is time for them, and then their tree is taken."""
    problem = replace(random_problem(9, rows=300, levels=5, classes=2), penalty=0)

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        return search(part, Limits(seconds=0.0 if part.max_depth > 3 else 9.0))

    def below(part: Problem, limits: Limits, show: Any, cost: Any) -> Found:
        seconds = 9.0 if in_time or cost < 20 else 0.0
        return _search_below(part, replace(limits, seconds=seconds), show, cost)

    assert has_low_targets(problem)
    found = level_by_level(run, problem, Limits(seconds=100.0), below=below)
    optimum = search(problem, Limits()).objective
    assert found.status == ("optimal" if in_time else "time_limit")
    assert 0 < found.lower_bound <= optimum <= found.objective
    assert found.objective == cost(problem, found.tree, np.arange(300))
    assert found.gap == found.objective - found.lower_bound
    bounds = [bound for _, _, bound in found.history]
    assert bounds == sorted(bounds) and bounds[-1] == found.lower_bound


def test_a_least_size_of_leaves_has_no_low_targets() -> None:
    assert not has_low_targets(replace(random_problem(1), least_side=LeastSide(2)))


def test_ctrl_c_ends_all_levels() -> None:
    problem = random_problem(5)
    asked = []

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        asked.append(limits.seconds)
        found = search(part, Limits(seconds=limits.seconds))
        return replace(found, status="interrupted", lower_bound=0, gap=found.objective)

    found = level_by_level(run, problem, Limits(seconds=100.0))
    assert found.status == "interrupted" and len(asked) == 1


def test_nothing_begins_once_the_time_is_over() -> None:
    """On a large table reading it alone takes long, for every number of levels."""
    problem = random_problem(5, rows=60, levels=9)
    asked = []

    def run(part: Problem, limits: Limits, show: Any) -> Found:
        asked.append(limits.seconds)
        sleep(0.02)
        found = search(replace(part, max_depth=2), Limits())
        return replace(found, status="time_limit", lower_bound=1, gap=found.objective - 1)

    found = level_by_level(run, problem, Limits(seconds=0.01))
    assert len(asked) == 1
    assert found.status == "time_limit" and found.lower_bound == 1 < found.objective
    assert found.objective == cost(problem, found.tree, np.arange(60)) == found.history[-1][1]
    assert [t for t, *_ in found.history] == sorted(t for t, *_ in found.history)
