"""The engines over combinations of rules, against the specification and the search."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree import solve, tree
from exactree.combinations import count, unranked
from exactree.constraints import LeastSide
from exactree.engines import ENGINES, OVER_RULES, combining
from exactree.engines.rule_list import ancestry, rules_of
from exactree.engines.size_kperms import kperms
from exactree.engines.size_rec import rec
from exactree.engines.size_vec import size_vec, vec
from exactree.partitions import Partitions, packed
from exactree.problem import Limits, Problem
from exactree.spec.ancestry import ancestry as spec_ancestry
from exactree.spec.constraints import Constraint, max_depth
from exactree.spec.data import Rule, Sample
from exactree.spec.generators import gen_dts_rec, gen_dtss
from exactree.spec.objectives import WEIGHTED_ZERO_ONE, penalised
from exactree.spec.permutations import gen_dtss_kperms
from exactree.spec.problems import brute_size
from exactree.splits import Hyperplane, Polynomial
from exactree.tree import Leaf, Node, Tree

SIZES = sorted(OVER_RULES)


def random_problem(rng: np.random.Generator, n_rules: int = 7) -> Problem:
    """Rules of any sides and owners, as no geometry would make them, with random budgets."""
    n, classes = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    labels = np.sort(rng.integers(0, classes, n)).astype(np.int32)
    table = rng.random((n_rules, n)) < 0.5
    owners = np.sort(rng.integers(0, n, (n_rules, 2)), axis=1).astype(np.int32)
    owners[rng.random(n_rules) < 0.4, 1] = -1
    weights = rng.integers(1, 5, n) * (2**50 if rng.random() < 0.2 else 1)
    return Problem(
        np.zeros((0, n), np.int32),
        labels,
        classes,
        weights=weights if rng.random() < 0.5 else None,
        least_side=LeastSide(
            int(rng.choice([1, 1, 2])),
            rng.integers(1, 3, n).astype(np.int32) if rng.random() < 0.3 else None,
        ),
        penalty=int(rng.integers(0, 2)),
        max_depth=int(rng.integers(1, 4)),
        max_splits=int(rng.integers(1, 4)),
        partitions=Partitions(packed(table), owners),
        points=np.arange(n, dtype=np.int32),
    )


def spec_of(problem: Problem) -> tuple[tuple[Sample, ...], tuple[Rule, ...]]:
    assert problem.partitions is not None and problem.partitions.owners is not None
    costs = problem.row_costs().tolist()
    labelled = zip(problem.labels.tolist(), costs, strict=True)
    xs = tuple(Sample(i, (i,), y, w) for i, (y, w) in enumerate(labelled))
    everyone = np.arange(problem.n_rows)
    rules = [
        Rule(
            frozenset(np.flatnonzero(problem.partitions.among(k, everyone)).tolist()),
            tuple(i for i in owners if i >= 0),
            k,
        )
        for k, owners in enumerate(problem.partitions.owners.tolist())
    ]
    return xs, tuple(rules)


def by_specification(problem: Problem) -> int:
    """The least cost by listing every tree of the space."""
    xs, rules = spec_of(problem)
    least, counts = problem.least_side.least, problem.least_side.counts
    counted = [1] * len(xs) if counts is None else counts.tolist()

    def enough(ys: Any) -> bool:
        return bool(sum(counted[x.index] for x in ys) >= least)

    rows = Constraint("rows", lambda _, a, b: enough(a) and enough(b))
    shallow = max_depth(problem.max_depth)
    objective = penalised(WEIGHTED_ZERO_ONE, int(problem.penalty))
    (best,) = brute_size(
        problem.max_splits or 0,
        xs,
        rules,
        objective,
        gen_dts_rec,
        p=lambda t: rows(t) and shallow(t),
        at_most=True,
    )
    return int(objective(best))


def recounted(problem: Problem, found: Tree, rows: NDArray[np.intp]) -> int:
    """The cost of a tree on the problem's rows, counted from its splits."""
    if isinstance(found, Leaf):
        wrong = problem.labels[rows] != found.value
        return int(problem.row_costs()[rows][wrong].sum())
    left = problem.goes_left(found.split, rows)
    sides = recounted(problem, found.left, rows[left]) + recounted(
        problem, found.right, rows[~left]
    )
    return sides + int(problem.penalty)


@pytest.mark.parametrize("engine", SIZES)
@pytest.mark.parametrize("seed", range(25))
def test_the_optimum_is_that_of_the_specification(engine: str, seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    found = ENGINES[engine](problem, Limits(), None)
    assert found.status == "optimal"
    assert found.objective == found.lower_bound == by_specification(problem)
    assert recounted(problem, found.tree, np.arange(problem.n_rows)) == found.objective
    assert tree.size(found.tree) <= (problem.max_splits or 0)
    assert tree.depth(found.tree) <= problem.max_depth


@pytest.mark.parametrize("seed", range(10))
def test_ancestry_is_that_of_the_specification(seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed), n_rules=12)
    rules = rules_of(problem)
    assert rules.ancestry.tolist() == [list(row) for row in spec_ancestry(spec_of(problem)[1])]


def test_a_matrix_of_several_blocks() -> None:
    rng = np.random.default_rng(0)
    holds = rng.random((1100, 9)) < 0.5
    owners = rng.integers(-1, 9, (1100, 2)).astype(np.int32)
    owners[:, 0] = np.abs(owners[:, 0])
    matrix = ancestry(holds, owners)
    for i, j in rng.integers(0, 1100, (300, 2)).tolist():
        sides = {bool(holds[i, p]) for p in owners[j] if p >= 0}
        expected = 0 if i == j or len(sides) == 2 else (1 if True in sides else -1)
        assert matrix[i, j] == expected


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_tree_and_every_valid_order_is_tried_once(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    values = rng.permutation(n)
    table = values[None, :] <= values[:, None]  # x <= p on a line: many trees are proper
    problem = Problem(
        np.zeros((0, n), np.int32),
        rng.integers(0, 2, n).astype(np.int32),
        2,
        max_depth=k,
        least_side=LeastSide(0),
        partitions=Partitions(packed(table), np.arange(n, dtype=np.int32)[:, None]),
    )
    xs, rules = spec_of(problem)
    combos = unranked(k, np.arange(count(n, k)), n)
    listed = rules_of(problem)
    assert vec(listed, combos).tried == len(gen_dtss(k, xs, rules))
    assert kperms(listed, combos).tried == len(gen_dtss_kperms(k, rules))


# --- Against the search, on data --------------------------------------------------------------

RICH: list[Any] = ["axis", "hyperplane", "sphere", ["axis", "hyperplane"]]


@pytest.mark.parametrize("splits", RICH, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_complete_lists_reach_the_optimum_of_all_partitions(splits: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (7, 2)).astype(float), rng.integers(0, 2, 7)
    weights = rng.integers(1, 4, 7) if seed % 2 else None
    how: dict[str, Any] = {"splits": splits, "max_splits": 2, "sample_weight": weights}
    least = solve(X, y, engine="search", **how).objective
    for engine in SIZES:
        assert solve(X, y, engine=engine, **how).objective == least


@pytest.mark.parametrize("boundary", ["positive", "both"])
def test_the_lists_of_the_paper_are_never_better(boundary: str) -> None:
    worse = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 9, (6, 3)).astype(float), rng.integers(0, 2, 6)
        least = solve(X, y, splits="hyperplane", max_splits=1).objective
        found = solve(X, y, splits=Hyperplane(boundary), max_splits=1, engine="size_vec")
        assert found.objective >= least
        worse += found.objective > least
    assert worse


def test_flats_in_space_need_rules_of_fewer_owners() -> None:
    """Two points that a root sets apart from the rest are parted by a plane that two points own."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        X, y = rng.integers(0, 9, (6, 3)).astype(float), rng.integers(0, 3, 6)
        least = solve(X, y, splits="hyperplane", max_splits=2).objective
        assert solve(X, y, splits="hyperplane", max_splits=2, engine="size_rec").objective == least


def test_spaces_and_counters_are_named() -> None:
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    found = solve(X, y, splits="hyperplane", max_splits=2, engine="size_vec")
    assert found.space == "hyperplane trees, at most 2 splits, combined from 24 rules by ancestry"
    assert found.objective == 0
    assert found.stats["rules"] == 24
    assert found.stats["combinations"] <= 24 + 24 * 23 // 2
    axis = solve(X, y, max_splits=3, engine="size_kperms")
    assert (axis.objective, axis.space) == (
        0,
        "axis-parallel trees, at most 3 splits, combined from 8 rules by ancestry",
    )
    assert str(axis).count("x[") == 3


def test_one_quadric() -> None:
    X = [[-2.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, -1.5], [0.5, 3.0]]
    y = [1, 0, 0, 1, 0, 0, 1]
    quadric = Polynomial(2)
    least = solve(X, y, splits=quadric, max_splits=1).objective
    assert solve(X, y, splits=quadric, max_splits=1, engine="size_vec").objective == least


# --- Batches, processes, namespaces, limits ---------------------------------------------------


def noisy(n: int = 12) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(1)
    return rng.integers(0, 9, (n, 2)).astype(float), rng.integers(0, 2, n)


def test_small_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy()
    how: dict[str, Any] = {"splits": "hyperplane", "max_splits": 2}
    plain = {engine: solve(X, y, engine=engine, **how) for engine in SIZES}
    monkeypatch.setattr(combining, "BATCH_BYTES", 2**16)
    for engine in SIZES:
        again = solve(X, y, engine=engine, **how)
        assert (again.objective, again.tree) == (plain[engine].objective, plain[engine].tree)


@pytest.mark.parametrize("method", [rec, vec, kperms])
@pytest.mark.parametrize(("n", "k"), [(6, 3), (6, 4), (30, 3), (200, 2), (200, 3)])
def test_the_memory_of_a_batch_is_bounded(
    monkeypatch: pytest.MonkeyPatch, method: Any, n: int, k: int
) -> None:
    """On a line, where any rule may stand below any other, there are as many trees as can be."""
    monkeypatch.setattr(combining, "BATCH_BYTES", 2**20)
    places = np.arange(max(n, 40)) % n
    problem = Problem(
        np.zeros((0, n), np.int32),
        (np.arange(n) % 2).astype(np.int32),
        2,
        max_depth=k,
        least_side=LeastSide(0),
        partitions=Partitions(
            packed(np.arange(n)[None, :] <= places[:, None]), places[:, None].astype(np.int32)
        ),
    )
    rules = rules_of(problem)
    combos = unranked(k, np.arange(combining.batch_size(k, n)), len(rules))
    tracemalloc.start()
    try:
        method(rules, combos)
        assert tracemalloc.get_traced_memory()[1] <= 2**20
    finally:
        tracemalloc.stop()


def test_processes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combining, "BATCH_BYTES", 2**18)
    X, y = noisy()
    how: dict[str, Any] = {"splits": "hyperplane", "max_splits": 2, "engine": "size_vec"}
    alone, together = (solve(X, y, n_jobs=n, **how) for n in (1, 2))
    assert (alone.objective, alone.tree) == (together.objective, together.tree)
    assert alone.stats["tried"] == together.stats["tried"]


@pytest.mark.parametrize("name", ["array_api_strict", "array_api_compat.torch"])
def test_other_array_namespaces(name: str) -> None:
    xp = pytest.importorskip(name)
    for seed in range(6):
        problem = random_problem(np.random.default_rng(seed))
        plain = size_vec(problem, Limits())
        assert size_vec(problem, Limits(), xp=xp).objective == plain.objective


@pytest.mark.parametrize("engine", SIZES)
def test_time_limits(engine: str) -> None:
    X, y = noisy(40)
    found = solve(X, y, splits="hyperplane", max_splits=3, engine=engine, time_limit=0.5)
    assert found.status == "time_limit"
    assert found.lower_bound <= found.objective
    assert found.stats["seconds"] < 20
    assert [a >= b for a, b in pairwise(entry[1] for entry in found.history)]


def test_relating_the_rules_keeps_to_the_limits() -> None:
    problem = random_problem(np.random.default_rng(0))
    assert problem.partitions is not None and problem.partitions.owners is not None
    with pytest.raises(TimeoutError):
        rules_of(problem, Limits(seconds=0))
    found = ENGINES["size_rec"](problem, Limits(seconds=0), None)
    assert (found.status, found.stats["combinations"]) == ("time_limit", 0)
    with pytest.raises(ValueError, match=r"7 rules need 0 MB to be related.*use engine='auto'"):
        rules_of(problem, Limits(memory=60))


def test_interruption_keeps_the_best_tree() -> None:
    X = noisy(14)[0]
    y = X[:, 0] // 3

    def stop(progress: Any) -> None:
        raise KeyboardInterrupt

    found = solve(X, y, splits="hyperplane", max_splits=2, engine="size_vec", on_progress=stop)
    assert found.status == "interrupted"
    assert isinstance(found.tree, Node)


@pytest.mark.parametrize("engine", SIZES)
def test_what_is_refused(engine: str) -> None:
    X, y = np.random.default_rng(0).normal(size=(300, 3)), np.arange(300) % 2
    with pytest.raises(ValueError, match="rows would fit; or use engine='search'"):
        solve(X, y, splits="hyperplane", max_splits=2, engine=engine)
    with pytest.raises(ValueError, match="have no owners"):
        solve([[0], [1]], [0, 1], splits="binary", max_splits=1, engine=engine)
    line = np.arange(90.0)[:, None]
    with pytest.raises(ValueError, match="more than can be numbered"):
        solve(line, np.arange(90) % 2, max_splits=31, engine=engine, time_limit=5)
