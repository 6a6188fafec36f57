"""solve(): reading, budgets, units, splits on values, stopping."""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracles import agrees, optimum, random_case
from sklearn.datasets import load_iris

import exactree
from exactree import tree
from exactree.engines import ENGINES, brute_force
from exactree.preparing import make_problem, read_data
from exactree.problem import Found, Limits, Problem
from exactree.request import Request, read_request
from exactree.splits import Axis, AxisSplit
from exactree.translating import translated

LINE = [[1.0], [2.0], [3.0], [4.0]]
STRIPES = ["a", "b", "a", "b"]


def problem_of(X: Any, y: Any, weights: Any = None, **budgets: Any) -> Problem:
    request = read_request({**budgets, "sample_weight": weights})
    data = read_data(X, y, request)
    return make_problem(data, Axis().sources(data.X), request)


# --- Budgets ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budgets", "depth", "splits"),
    [
        ({"max_depth": 2}, 2, None),
        ({"max_depth": 9}, 3, None),  # four rows take three splits
        ({"max_splits": 2}, 2, 2),
        ({"max_splits": 1}, 1, None),
        ({"max_splits": 9}, 3, None),
        ({"max_depth": 2, "max_splits": 2}, 2, 2),
        ({"max_depth": 1, "max_splits": 2}, 1, None),
        ({"max_depth": 3, "penalty": 0.3}, 1, None),  # two errors pay for one split
        ({"penalty": 0.5}, 0, None),
        ({"penalty": 1e300}, 0, None),
    ],
)
def test_budgets_are_tightened(budgets: dict[str, Any], depth: int, splits: int | None) -> None:
    problem = problem_of(LINE, STRIPES, **budgets)
    assert (problem.max_depth, problem.max_splits) == (depth, splits)


def test_words() -> None:
    request = Request(max_splits=2, min_samples_leaf=5, penalty=Fraction(0.01))
    assert request.in_words() == (
        "axis-parallel trees, at most 2 splits, at least 5 rows a side, "
        "0.01 of the total weight per split"
    )
    assert exactree.solve(LINE, STRIPES, max_depth=3).space == "axis-parallel trees, depth <= 3"


def test_without_a_depth_trees_stay_storable() -> None:
    line, stripes = np.arange(1000.0)[:, None], np.arange(1000) % 2
    found = exactree.solve(line, stripes, penalty=1e-9, time_limit=0.1)
    assert found.space.startswith("axis-parallel trees, depth <= 200 (the deepest there are)")
    assert tree.depth(found.tree) <= 200
    assert pickle.loads(pickle.dumps(found)).summary() == found.summary()
    assert str(found)
    assert tree.from_dict(json.loads(json.dumps(tree.to_dict(found.tree)))) == found.tree


# --- Canonical problems -----------------------------------------------------------------------


def same(a: Problem, b: Problem) -> bool:
    def listed(p: Problem) -> list[Any]:
        weights = None if p.weights is None else p.weights.tolist()
        return [p.columns.tolist(), p.labels.tolist(), weights, p.unit, p.penalty, p.scale]

    return listed(a) == listed(b)


@pytest.mark.parametrize("seed", range(20))
def test_order_repetition_and_zero_weights_give_one_problem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(12, 2)).astype(float)
    y = rng.integers(0, 3, 12)
    weights = rng.integers(0, 3, 12)
    weights[0] = 1
    budgets = {"max_depth": 2, "penalty": float(rng.choice([0.0, 0.03]))}
    plain = problem_of(X, y, weights, **budgets)
    order = rng.permutation(np.repeat(np.arange(12), weights))
    assert same(plain, problem_of(X[order], y[order], **budgets))
    order = rng.permutation(np.flatnonzero(weights))
    assert same(plain, problem_of(X[order], y[order], weights[order], **budgets))


def test_absent_classes_are_left_out_of_the_problem() -> None:
    problem = problem_of(LINE, ["a", "b", "c", "d"], [1, 0, 1, 0], max_depth=2)
    assert problem.n_classes == 2
    result = exactree.solve(LINE, ["a", "b", "c", "d"], max_depth=2, sample_weight=[1, 0, 1, 0])
    assert result.classes == ("a", "b", "c", "d")
    assert [leaf.weights for leaf in tree.leaves(result.tree)] == [(1, 0, 0, 0), (0, 0, 1, 0)]


# --- Units ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "kind", "objective"),
    [
        ({}, int, 1),
        ({"sample_weight": [2, 4, 2, 2]}, int, 2),
        ({"sample_weight": [2.0, 2.0, 2.0, 2.0]}, int, 2),
        ({"sample_weight": [0.5, 0.5, 0.25, 0.5]}, float, 0.25),
        ({"penalty": 0.125}, float, 1.5),
        ({"class_weight": {"a": 0.1}}, float, 0.1),
        ({"class_weight": {"a": 3}}, int, 1),
        ({"class_weight": "balanced", "sample_weight": [1, 1, 2, 1]}, float, 1.25),
        ({"sample_weight": 3}, int, 3),
    ],
)
def test_objectives_are_in_the_users_weights(
    parameters: dict[str, Any], kind: type, objective: float
) -> None:
    result = exactree.solve(LINE, STRIPES, max_depth=1, **parameters)
    assert result.objective == pytest.approx(objective, rel=1e-12)
    assert type(result.objective) is type(result.lower_bound) is type(result.gap) is kind
    assert result.gap == 0


def test_leaves_know_their_rows() -> None:
    result = exactree.solve(LINE, STRIPES, max_depth=1, sample_weight=[1.5, 2, 1, 0])
    left, right = tree.leaves(result.tree)
    assert (left.rows, left.weights, left.value, left.cost) == (1, (1.5, 0.0), 0, 0.0)
    assert (right.rows, right.weights, right.value, right.cost) == (2, (1.0, 2.0), 1, 1.0)


def test_real_weights_that_do_not_fit_exactly() -> None:
    rng = np.random.default_rng(0)
    X, y, weights = rng.random((2000, 1)), rng.integers(0, 2, 2000), rng.random(2000)
    result = exactree.solve(X, y, max_depth=1, sample_weight=weights)
    wrong = tree.predict(result.tree, X) != y
    assert result.objective == pytest.approx(weights[wrong].sum(), rel=1e-12)


# --- Thresholds -------------------------------------------------------------------------------


def test_thresholds_are_midpoints_among_the_nodes_rows() -> None:
    X = [[0, 0], [0, 10], [1, 2], [1, 4]]
    result = exactree.solve(X, [0, 0, 0, 1], max_depth=2)
    assert isinstance(result.tree, tree.Node)
    found = {
        (node.split.feature, node.split.threshold)
        for node in tree.nodes(result.tree)
        if isinstance(node, tree.Node) and isinstance(node.split, AxisSplit)
    }
    assert found in ({(0, 0.5), (1, 3.0)}, {(1, 3.0), (0, 0.5)}, {(1, 3.0), (1, 7.0)})


def test_values_one_unit_apart_are_parted() -> None:
    X = np.array([[1.0], [np.nextafter(1.0, 2)], [np.nextafter(1.0, 0)]])
    result = exactree.solve(X, [0, 1, 0], max_depth=1)
    assert result.objective == 0
    assert tree.predict(result.tree, X).tolist() == [0, 1, 0]


# --- Input of many kinds ----------------------------------------------------------------------


def test_kinds_of_input_agree() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    want = exactree.solve(X, y, max_depth=1)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    read_only = X.copy()
    read_only.flags.writeable = False
    wide = np.zeros((len(X), 8))
    wide[:, ::2] = X
    for other in (X.tolist(), np.asfortranarray(X), wide[:, ::2], read_only, frame, X.astype("O")):
        assert exactree.solve(other, y, max_depth=1).tree == want.tree
    named = exactree.solve(frame, y, max_depth=1)
    assert named.feature_names == ("a", "b", "c", "d")
    assert str(named).splitlines()[1].startswith(("a <= ", "d <= "))
    text = exactree.solve(X, np.array(["p", "q", "r"])[y], max_depth=1)
    assert text.classes == ("p", "q", "r")
    assert exactree.solve(X, y - 1, max_depth=1).classes == (-1, 0, 1)


def test_a_result_is_plain_data() -> None:
    result = exactree.solve(LINE, STRIPES, max_depth=2)
    assert pickle.loads(pickle.dumps(result)) == result
    stored = json.dumps([tree.to_dict(result.tree), result.stats, result.history, result.classes])
    assert tree.from_dict(json.loads(stored)[0]) == result.tree
    assert result.stats["seconds"] > 0
    assert result.stats["nodes"] >= 0


# --- Engines ----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(60))
def test_every_engine_finds_the_optimum(engine: str, seed: int) -> None:
    case = random_case(np.random.default_rng(10**6 + seed))
    result = exactree.solve(case.X, case.y, engine=engine, **case.parameters())
    assert result.status == "optimal"
    assert agrees(result.objective, optimum(case))


def test_brute_force_stops_in_time() -> None:
    X, y = load_iris(return_X_y=True)
    problem = problem_of(np.vstack([X, X[:1]]), [*y, 1], max_depth=4)
    seen: list[exactree.Progress] = []
    result = brute_force(problem, Limits(seconds=0.0), seen.append)
    assert result.status == "time_limit"
    assert (result.objective, result.lower_bound, result.gap) == (100, 1, 99)
    assert [p.objective for p in seen] == [100]


def test_brute_force_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["exactree.engines.brute_force"], "axis_rules", interrupt)
    result = exactree.solve(LINE, STRIPES, max_depth=2, engine="brute_force")
    assert result.status == "interrupted"
    assert isinstance(result.tree, tree.Leaf)
    assert result.gap == 2


def test_a_wrong_objective_is_never_returned() -> None:
    request = Request(max_depth=1)
    data = read_data(LINE, STRIPES, request)
    sources = Axis().sources(data.X)
    problem = make_problem(data, sources, request)
    found: Found = brute_force(problem, Limits())
    for lie in (replace(found, objective=0), replace(found, tree=tree.Leaf(0))):
        with pytest.raises(RuntimeError, match="report this as a bug"):
            translated(lie, problem, data, sources, started=0.0)


def test_a_failing_callback_ends_the_search() -> None:
    def fail(progress: exactree.Progress) -> None:
        raise LookupError(progress.objective)

    with pytest.raises(LookupError):
        exactree.solve(LINE, STRIPES, max_depth=2, engine="brute_force", on_progress=fail)
