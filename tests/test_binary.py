"""Binary columns: the specification, brute force of its own, and what must not matter."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import Case, agrees, optimum
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import exactree
from exactree import _native, tree
from exactree.spec.data import Sample, Samples
from exactree.spec.objectives import ZERO_ONE
from exactree.spec.programs import best_value, odt_bf, odt_depth
from exactree.spec.rules import binary_rules
from exactree.tree import Node

PRUNINGS = list(_native.prunings())
EVERYWHERE = 1 << len(PRUNINGS)  # small problems have first trees as well
Bits = NDArray[np.int32]


def drawn(rng: np.random.Generator, rows: int, columns: int, classes: int) -> tuple[Bits, Bits]:
    """Columns of any density, some of them equal or complementary, and labels with a pattern."""
    X = (rng.random((columns, rows)) < rng.random((columns, 1))).astype(np.int32)
    if columns > 2 and rng.random() < 0.5:
        X[-1], X[-2] = 1 - X[0], X[1]
    X[(X == 1).all(axis=1)] = 0  # ranks are dense
    pattern = (2 * X[0] + X[-1]) % classes
    noise = rng.integers(0, classes, rows)
    return X, np.where(rng.random(rows) < 0.5, noise, pattern).astype(np.int32)


def brute_force(X: Bits, y: Bits, terms: dict[str, Any]) -> int:
    """All trees, by plain recursion on sets of rows."""
    penalty, least = terms["penalty"], terms["min_rows"]
    weights = terms.get("weights", [terms["unit"]] * len(y))

    @cache
    def best(rows: tuple[int, ...], depth: int, splits: int) -> int:
        by_class = dict.fromkeys(y.tolist(), 0)
        for i in rows:
            by_class[int(y[i])] += int(weights[i])
        found = sum(by_class.values()) - max(by_class.values())
        if depth == 0 or splits == 0 or found <= penalty:
            return found
        for column in X:
            left = tuple(i for i in rows if not column[i])
            right = tuple(i for i in rows if column[i])
            if min(len(left), len(right)) < least:
                continue
            below = min(splits - 1, 2**depth - 2)
            for k in range(below + 1):
                cost = best(left, depth - 1, k) + best(right, depth - 1, below - k)
                found = min(found, cost + penalty)
        return found

    every = tuple(range(X.shape[1]))
    return best(every, terms["max_depth"], terms["max_splits"])


def random_terms(rng: np.random.Generator, depth: int) -> dict[str, Any]:
    unit = int(rng.choice([1, 1, 3]))
    splits = 2**depth - 1 if rng.random() < 0.5 else int(rng.integers(0, 8))
    return {
        "max_depth": depth,
        "max_splits": splits,
        "unit": unit,
        "penalty": int(rng.choice([0, 0, 1, 2, 7])),
        "min_rows": int(rng.choice([1, 1, 1, 2, 3])),
    }


def random_weights(rng: np.random.Generator, rows: int) -> dict[str, Any]:
    """None as a rule; else weights of any size, zero among them."""
    top = int(rng.choice([1, 9, 10**6, 2**50], p=[0.6, 0.15, 0.15, 0.1]))
    if top == 1:
        return {}
    weights = rng.integers(0, top, rows)
    if top > 10**6 and rng.random() < 0.5:  # times the number of rows it does not fit 64 bits
        weights[rng.integers(0, rows)] = 2**59
    return {"weights": weights, "unit": 1}


def check(seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth = int(rng.choice([1, 2, 3, 4, 5], p=[0.1, 0.2, 0.4, 0.25, 0.05]))
    rows = int(rng.integers(1, 25 if depth < 4 else 10))
    columns = int(rng.integers(1, 7 if depth < 4 else 5))
    classes = int(rng.choice([1, 2, 2, 2, 3, 5, 9]))
    X, y = drawn(rng, rows, columns, classes)
    terms = random_terms(rng, depth) | random_weights(rng, rows)
    switches = int(rng.integers(0, 2 * EVERYWHERE)) if rng.random() < 0.6 else 0
    found = _native.search_columns(
        X,
        y,
        classes,
        **terms,
        threads=int(rng.integers(1, 3)),
        switches=switches,
        isa=str(rng.choice(_native.instruction_sets())),
    )
    shown = f"{seed=}, {X.tolist()}, {y.tolist()}, {terms}, {switches=}"
    assert found.status == "optimal", shown
    assert found.objective == brute_force(X, y, terms), shown


@pytest.mark.parametrize("block", range(10))
def test_equals_brute_force(block: int) -> None:
    for seed in range(100 * block, 100 * (block + 1)):
        check(seed)


@pytest.mark.fuzz
@given(st.integers(0, 2**63))
def test_equals_brute_force_on_other_seeds(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize("seed", range(60))
def test_large_counts_equal_the_search_by_thresholds(seed: int) -> None:
    """Rows with weights go another way: 252 rows and 32767 rows are where counts get wider."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([252, 253, 700, 40000] if seed < 8 else [250, 253, 600]))
    classes = int(rng.choice([2, 2, 3]))
    X, y = drawn(rng, rows, 6 if rows < 1000 else 3, classes)
    budgets: dict[str, Any] = {"max_depth": 3, "min_rows": int(rng.choice([1, rows // 10]))}
    budgets["max_splits"] = int(rng.choice([3, 5, 7]))
    budgets["penalty"] = int(rng.choice([0, rows // 50]))
    one = np.ones(rows, dtype=np.int64)
    isa = str(rng.choice(_native.instruction_sets()))
    ours = _native.search_columns(X, y, classes, **budgets, sizes=True, isa=isa)
    other = _native.search_columns(X, y, classes, one, **budgets, sizes=True)
    assert ours.size_objectives == other.size_objectives


def two_levels(X: Bits, y: Bits) -> int:
    """Errors of the best tree of two levels, by the counts of all pairs of columns."""
    both = np.stack([X[:, y == c] @ X[:, y == c].T for c in (0, 1)])
    one = np.diagonal(both, axis1=1, axis2=2)
    only_i, only_j = one[:, :, None] - both, one[:, None, :] - both
    neither = np.bincount(y, minlength=2)[:, None, None] - one[:, :, None] - only_j
    inner, outer = both.min(axis=0) + only_i.min(axis=0), only_j.min(axis=0) + neither.min(axis=0)
    return int((inner.min(axis=1) + outer.min(axis=1)).min())


@pytest.mark.parametrize("sizes", [(127, 127), (128, 9), (5, 130), (260, 150)])
@pytest.mark.parametrize("columns", [31, 33, 64, 97])
def test_many_columns_equal_counts_of_pairs(sizes: tuple[int, int], columns: int) -> None:
    """Bytes hold 127 rows of a class; columns are counted 32 at a time."""
    rng = np.random.default_rng(columns)
    X = (rng.random((columns, sum(sizes))) < rng.choice([0.1, 0.4, 0.7], (columns, 1))).astype("i4")
    y = rng.permutation(np.repeat(np.arange(2, dtype=np.int32), sizes))
    X[0] ^= y ^ (rng.random(len(y)) < 0.2)
    sides = [X[f] == value for f in range(columns) for value in (0, 1)]
    errors = [two_levels(X[:, side], y[side]) for side in sides]
    expected = {2: two_levels(X, y), 3: min(map(sum, zip(errors[::2], errors[1::2], strict=True)))}
    for isa in _native.instruction_sets():
        for depth in (2, 3):
            found = _native.search_columns(X, y, 2, max_depth=depth, isa=isa)
            assert found.objective == expected[depth], (isa, depth)


@pytest.mark.parametrize("seed", range(8))
def test_threads_switches_and_instruction_sets_give_one_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes = 2 + seed % 2
    X, y = drawn(rng, 300, 12, classes)
    splits = -1 if seed < 4 else 9
    runs = [
        _native.search_columns(
            X, y, classes, max_depth=4, max_splits=splits, threads=threads, switches=at, isa=isa
        )
        for threads in (1, 2, 3)
        for at in (0, EVERYWHERE)
        for isa in _native.instruction_sets()
    ]
    for run in runs:
        for name, part in run.tree.items():
            assert part == runs[0].tree[name]


def chance(rows: int, columns: int, classes: int, seed: int) -> tuple[Bits, Bits]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (columns, rows), dtype=np.int32)
    return X, rng.integers(0, classes, rows, dtype=np.int32)


def greedy(X: Bits, y: Bits, depth: int, weights: Any) -> float:
    """What CART's tree costs, by the better criterion."""
    costs = []
    for criterion in ("gini", "entropy"):
        cart = DecisionTreeClassifier(max_depth=depth, criterion=criterion, random_state=0)
        wrong = cart.fit(X.T, y, weights).predict(X.T) != y
        costs.append(wrong.sum() if weights is None else weights[wrong].sum())
    return float(min(costs))


@pytest.mark.parametrize(("depth", "classes"), [(4, 2), (4, 3), (5, 2), (6, 4)])
@pytest.mark.parametrize("weighted", [False, True])
def test_first_trees_of_wide_tables_are_better_than_greedy_ones(
    depth: int, classes: int, weighted: bool
) -> None:
    """A search that never ends is stopped as soon as it has a better tree."""
    X, y = chance(400, 250, classes, depth)
    weights = np.random.default_rng(depth).integers(1, 999, len(y)) if weighted else None
    most = greedy(X, y, depth, weights)
    told: list[float] = []

    def better(progress: exactree.Progress) -> bool:
        told.append(progress.objective)
        return progress.objective < most

    options: dict[str, Any] = {"max_depth": depth, "time_limit": 600, "sample_weight": weights}
    found = exactree.solve(X.T, y, on_progress=better, **options)
    assert found.status == "stopped" and found.objective < most
    assert told == sorted(told, reverse=True)


def as_samples(X: Bits, y: Bits) -> Samples:
    rows = zip(X.T.tolist(), y.tolist(), strict=True)
    return tuple(Sample(i, tuple(row), label) for i, (row, label) in enumerate(rows))


def test_equals_the_programs_of_the_specification() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = drawn(rng, int(rng.integers(2, 10)), 3, 2)
        samples = as_samples(X, y)
        for depth in (1, 2, 3):
            found = exactree.solve(X.T, y, splits="binary", max_depth=depth)
            assert found.objective == best_value(samples, binary_rules, ZERO_ONE, max_depth=depth)
            # This program has perfect trees only, and none where no split parts the rows.
            for perfect in odt_depth(depth, samples, binary_rules, ZERO_ONE):
                assert found.objective <= ZERO_ONE(perfect)


@pytest.mark.parametrize("seed", range(30))
def test_never_above_odt_bf_and_equal_with_enough_copies(seed: int) -> None:
    """It uses every rule of its list once; the engine asks a column wherever it likes."""
    rng = np.random.default_rng(seed)
    X, y = drawn(rng, int(rng.integers(4, 12)), 3, 2)
    samples = as_samples(X, y)
    features = tuple(binary_rules(samples))
    for copies in (features[:1], features, features + features[:1]):
        (once,) = odt_bf(samples, copies, ZERO_ONE)
        free = exactree.solve(X.T, y, splits="binary", max_splits=len(copies))
        assert free.objective <= ZERO_ONE(once)
    found = exactree.solve(X.T, y, splits="binary", max_splits=5)
    used = [node.split.features()[0] for node in tree.nodes(found.tree) if isinstance(node, Node)]
    enough = tuple(features[f] for f in sorted(used))
    (best,) = odt_bf(samples, enough, ZERO_ONE)
    assert found.objective == ZERO_ONE(best)


def test_users_parameters_against_the_axis_oracle() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = drawn(rng, int(rng.integers(2, 10)), 3, 3)
        weights = rng.integers(1, 5, len(y)) / 4 if seed % 2 else None
        budgets: dict[str, Any] = {"max_depth": 3, "penalty": 0.05 * (seed % 3)}
        budgets["min_samples_leaf"] = 1 + seed % 2
        case = Case(X.T.astype(float), y.astype(np.int64), weights, budgets)
        found = exactree.solve(case.X, case.y, splits="binary", **case.parameters())
        assert agrees(found.objective, optimum(case))


def high_values() -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    X, y = load_breast_cancer(return_X_y=True)
    return np.median(X, axis=0) < X, y


def test_any_two_values_are_binary() -> None:
    X, y = high_values()
    expected = exactree.solve(X, y, splits="axis", max_depth=3).objective
    for values in ((0, 1), (-1.0, 1.0), (3, 2), (1e-300, 1e300)):
        data = np.where(X, values[1], values[0])
        found = exactree.solve(data, y, splits="binary", max_depth=3)
        assert found.objective == expected
        assert (np.array(found.classes)[tree.predict(found.tree, data)] != y).sum() == expected
    assert exactree.solve(X, y, splits=exactree.splits.Binary(), max_depth=3).space.startswith(
        "binary trees"
    )


def test_other_values_are_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match=r"column 1 of X has 4 values \(0, 1, 2, ...\).*'axis'"):
        exactree.solve([[0, 0], [1, 1], [0, 2], [1, 3]], [0, 1, 0, 1], splits="binary", max_depth=2)
    frame = pd.DataFrame({"one": [0, 1, 0], "many": [0, 1, 2]})
    for splits in ("binary", ["hyperplane", "binary"]):
        with pytest.raises(ValueError, match=r"column 'many' of X has 3 values"):
            exactree.solve(frame, [0, 1, 0], splits=splits, max_depth=2)


def test_constant_columns_and_one_class_give_a_leaf() -> None:
    constant = exactree.solve([[1.0], [1.0]], [0, 1], splits="binary", max_depth=2)
    assert (constant.objective, tree.size(constant.tree)) == (1, 0)
    single = exactree.solve([[0.0], [1.0]], [1, 1], splits="binary", max_depth=2)
    assert (single.objective, tree.size(single.tree)) == (0, 0)


@pytest.mark.parametrize("penalty", [0.001, 0.01, 0.05])
def test_penalty_is_the_lambda_of_sparse_trees(penalty: float) -> None:
    """OSDT and GOSDT minimise errors / n + lambda * leaves, over all trees and one leaf."""
    X, y = high_values()
    X = X[:, :8]
    found = exactree.solve(X, y, splits="binary", max_depth=4, penalty=penalty)
    errors = (np.array(found.classes)[tree.predict(found.tree, X)] != y).sum()
    leaves = len(list(tree.leaves(found.tree)))
    sparse = errors / len(y) + penalty * leaves
    assert found.objective / len(y) + penalty == pytest.approx(sparse, rel=1e-12)
    for k in range(12):
        other = exactree.solve(X, y, splits="binary", max_depth=4, max_splits=k)
        of_other = other.objective / len(y) + penalty * (tree.size(other.tree) + 1)
        assert sparse <= of_other + 1e-12


def test_more_depth_and_splits_never_cost_more() -> None:
    X, y = high_values()
    by_depth = [exactree.solve(X, y, splits="binary", max_depth=d).objective for d in range(6)]
    assert by_depth == sorted(by_depth, reverse=True)
    by_size = [
        exactree.solve(X, y, splits="binary", max_depth=4, max_splits=k).objective
        for k in (0, 3, 7, 11, 15)
    ]
    assert by_size == sorted(by_size, reverse=True)
    assert by_size[-1] == by_depth[4]


@pytest.mark.parametrize("limits", [{"time_limit": 0.05}, {"memory_limit": 10**5}])
def test_limits_give_a_tree_and_a_valid_bound(limits: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (800, 60)), rng.integers(0, 2, 800)
    found = exactree.solve(X, y, splits="binary", max_depth=6, **limits)
    assert found.status == next(iter(limits))
    assert 0 <= found.lower_bound < found.objective <= min(np.bincount(y))
    assert (np.array(found.classes)[tree.predict(found.tree, X)] != y).sum() == found.objective


@pytest.mark.parametrize("memory_limit", [10**6, 3 * 10**5])
def test_the_caches_respect_a_memory_limit(memory_limit: int) -> None:
    """With little memory they evict, and the optimum is the same; hits are reported."""
    X, y = high_values()
    free = exactree.solve(X, y, splits="binary", max_depth=5)
    tight = exactree.solve(X, y, splits="binary", max_depth=5, memory_limit=memory_limit)
    assert tight.status == "optimal" and tight.objective == free.objective
    assert tight.stats["peak_bytes"] <= memory_limit < free.stats["peak_bytes"]
    assert min(tight.stats["pair_cache"], free.stats["pair_cache"]) > 0


def test_the_copies_of_other_threads_count_as_memory() -> None:
    X, y = high_values()
    # Of fewer levels the search is over before all threads have filled what they keep.
    peaks = [
        exactree.solve(X, y, splits="binary", max_depth=6, n_jobs=n).stats["peak_bytes"]
        for n in (1, 3)
    ]
    assert peaks[1] > peaks[0]
