"""The native search against the specification: thousands of random problems and configurations."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import Case, agrees, optimum, plain_optimum, random_case
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

import exactree
from exactree import _native, tree
from exactree.engines.search import search
from exactree.preparing import make_problem, read_data
from exactree.problem import Limits, Problem, Result
from exactree.request import read_request
from exactree.sizes import size_path
from exactree.splits import Axis, AxisSplit
from exactree.translating import translated

PRUNINGS = list(_native.prunings())
BLOCKS, BLOCK = 20, 120


def prepared(case: Case) -> tuple[Problem, Any, Any]:
    request = read_request({**case.budgets, "sample_weight": case.weights})
    data = read_data(case.X, case.y, request)
    sources = Axis().sources(data.X)
    return make_problem(data, sources, request), data, sources


def searched(case: Case, threads: int = 1, **options: Any) -> Result:
    problem, data, sources = prepared(case)
    found = search(problem, Limits(threads=threads), **options)
    return translated(found, problem, data, sources, started=0.0)


def check(case: Case, rng: np.random.Generator) -> None:
    """Solve with random switches, instruction set and threads; the optimum is the same."""
    everywhere = 1 << len(PRUNINGS)  # used where they do not pay too
    switches = int(rng.integers(0, 2 * everywhere)) if rng.random() < 0.7 else everywhere
    isa = str(rng.choice([*_native.instruction_sets(), "auto"]))
    threads = int(rng.integers(1, 4))
    found = searched(case, threads, switches=switches, isa=isa)
    shown = f"{case}, {switches=}, {isa=}, {threads=}, {found}"
    assert found.status == "optimal" and found.gap == 0, shown
    assert agrees(found.objective, optimum(case)), shown
    within_budgets(found, case.budgets)


def within_budgets(found: Result, budgets: dict[str, Any]) -> None:
    limit_depth, limit_splits = budgets.get("max_depth"), budgets.get("max_splits")
    assert limit_depth is None or tree.depth(found.tree) <= limit_depth
    assert limit_splits is None or tree.size(found.tree) <= limit_splits
    if isinstance(found.tree, tree.Node):
        fewest = min(leaf.rows for leaf in tree.leaves(found.tree))
        assert fewest >= budgets.get("min_samples_leaf", 1)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_equals_the_specification(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        rng = np.random.default_rng(seed)
        check(random_case(rng), rng)


@pytest.mark.fuzz
@given(st.integers(0, 2**63))
def test_equals_the_specification_on_other_seeds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    check(random_case(rng), rng)


@st.composite
def lines(draw: st.DrawFn) -> Case:
    """Few rows of hypothesis's own choice, so that a failure shrinks to something readable."""
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)),
            min_size=1,
            max_size=9,
        )
    )
    data = np.array(rows)
    budgets = {"max_depth": draw(st.integers(0, 3)), "max_splits": draw(st.integers(0, 5))}
    return Case(data[:, :2].astype(float), data[:, 2], None, budgets)


@settings(max_examples=300)
@given(lines(), st.integers(0, 2**32))
def test_equals_the_specification_on_shrinking_data(case: Case, seed: int) -> None:
    check(case, np.random.default_rng(seed))


def test_every_pruning_fires() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    wine = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    high = (X[:, :12] > np.median(X[:, :12], axis=0)).astype(float)
    runs = [
        exactree.solve(X[:, :6], y, max_depth=3),
        exactree.solve(*wine, max_depth=2),
        exactree.solve(X[:, :4].round(0), y, max_depth=3, max_splits=5),
        exactree.solve(X[:, :4], y, max_depth=3, min_samples_leaf=5),
        exactree.solve(X[:, :3], y, max_depth=2, sample_weight=rng.random(len(y))),
        exactree.solve(high, y, max_depth=5, penalty=0.005),
        exactree.solve(X[:60, :2], rng.permutation(y[:60]), splits="hyperplane", max_depth=2),
        exactree.solve(*noisy(0, 3000), max_depth=2),
    ]
    # Few thresholds and a penalty without a depth have prunings of their own.
    runs.append(exactree.solve(high, y, penalty=0.005))
    # So have splits without a depth.
    runs.append(exactree.solve(X[:200, :4], y[:200], max_splits=4))
    silent = [name for name in PRUNINGS if not any(run.stats.get(name, 0) for run in runs)]
    assert not silent


# --- What must not matter ---------------------------------------------------------------------


def noisy(seed: int, n: int = 150, columns: int = 3) -> tuple[NDArray[np.float64], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns)).round(1)
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < 0.15)
    return X, y.astype(int) + (X[:, 2] > 1.2)


TRANSFORMATIONS: dict[str, Callable[[Any], Any]] = {
    "tiny": lambda x: x * 1e-9,
    "shifted": lambda x: x + 1e8,
    "time stamps": lambda x: 1.7e9 + 86400 * x,
    "ids": lambda x: 2**24 + 1 + np.unique(x, return_inverse=True)[1].reshape(x.shape),
    "huge": lambda x: np.sinh(x) * 1e306,
    "one ulp apart": lambda x: _ulps(np.unique(x, return_inverse=True)[1].reshape(x.shape)),
}


def _ulps(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
    return (np.float64(1).view(np.int64) + ranks).view(np.float64)


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_increasing_transformations_change_nothing(name: str, seed: int) -> None:
    X, y = noisy(seed)
    moved = TRANSFORMATIONS[name](X)
    before, after = (exactree.solve(Z, y, max_depth=2) for Z in (X, moved))
    assert before.objective == after.objective
    errors = np.array(after.classes)[tree.predict(after.tree, moved)] != y
    assert errors.sum() == after.objective


@pytest.mark.parametrize("seed", range(6))
def test_row_order_repetition_and_threads_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = noisy(seed)
    X = X.round(0)
    weights = rng.integers(0, 4, len(y))
    budgets: dict[str, Any] = {"max_depth": 3} if seed % 2 else {"max_depth": 4, "max_splits": 4}
    plain = exactree.solve(X, y, sample_weight=weights, **budgets)
    assert plain.status == "optimal"
    order = rng.permutation(np.repeat(np.arange(len(y)), weights))
    repeated = exactree.solve(X[order], y[order], **budgets)
    assert stripped(repeated.tree) == stripped(plain.tree)
    assert repeated.objective == plain.objective
    for jobs in (2, 3):
        shuffled = rng.permutation(len(y))
        again = exactree.solve(
            X[shuffled], y[shuffled], sample_weight=weights[shuffled], n_jobs=jobs, **budgets
        )
        assert again.tree == plain.tree


def stripped(found: tree.Tree) -> tree.Tree:
    """The tree without the number of its rows, which repetition does change."""
    return tree.map_leaves(lambda leaf: tree.Leaf(leaf.value, 0, leaf.weights, leaf.cost), found)


def test_weights_scale() -> None:
    X, y = noisy(8)
    weights = np.random.default_rng(8).integers(1, 10**6, len(y))
    small = exactree.solve(X, y, max_depth=2, sample_weight=weights)
    large = exactree.solve(X, y, max_depth=2, sample_weight=weights * 2.0**-30)
    assert large.objective == small.objective * 2.0**-30
    assert isinstance(small.objective, int)


# --- Limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.02, 0.1])
def test_a_time_limit_gives_a_tree_and_a_valid_bound(seconds: float, depth: int) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    limited = exactree.solve(X, y, max_depth=depth, time_limit=seconds)
    full = exactree.solve(X, y, max_depth=depth)
    assert full.status == "optimal"
    assert limited.lower_bound <= full.objective <= limited.objective
    assert limited.gap == limited.objective - limited.lower_bound
    if limited.status == "optimal":
        assert limited.gap == 0
    within_budgets(limited, {"max_depth": depth})


def test_a_limited_run_is_no_worse_than_cart() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    cart = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    limited = exactree.solve(X, y, max_depth=4, time_limit=0.05)
    assert limited.objective <= (cart.predict(X) != y).sum()


def test_a_memory_limit_gives_a_tree_and_a_valid_bound() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    full = exactree.solve(X, y, max_depth=3)
    for limit in (1, 10**5):
        limited = exactree.solve(X, y, max_depth=3, memory_limit=limit)
        assert limited.status == "memory_limit"
        assert limited.lower_bound <= full.objective < limited.objective
    enough = exactree.solve(X, y, max_depth=3, memory_limit=10**9)
    assert (enough.status, enough.objective) == ("optimal", full.objective)


def test_history_and_progress_only_improve() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    seen: list[exactree.Progress] = []
    found = exactree.solve(X, y, max_depth=4, time_limit=0.4, on_progress=seen.append)
    assert seen
    reports = [(p.seconds, p.objective, p.lower_bound) for p in seen]
    for entries in (list(found.history), reports):
        for (t, best, bound), (later, better, tighter) in pairwise(entries):
            assert t <= later and better <= best and bound <= tighter
    assert found.history[-1][1:] == (found.objective, found.lower_bound)
    assert all(p.gap == p.objective - p.lower_bound for p in seen)


def hopeless() -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Labels without any pattern: nothing is proved at depth five within a test's patience."""
    rng = np.random.default_rng(0)
    return rng.random((600, 8)), rng.integers(0, 2, 600)


@contextmanager
def ctrl_c_soon() -> Iterator[None]:
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_gives_a_tree_and_a_valid_bound(jobs: int) -> None:
    X, y = hopeless()
    with ctrl_c_soon():
        found = exactree.solve(X, y, max_depth=5, n_jobs=jobs)
    assert found.status == "interrupted"
    assert 0 <= found.lower_bound < found.objective
    within_budgets(found, {"max_depth": 5})


def test_ctrl_c_stops_a_fit_after_it_kept_its_tree() -> None:
    X, y = hopeless()
    clf = exactree.OptimalTreeClassifier(max_depth=5)
    with ctrl_c_soon(), pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert clf.status_ == "interrupted"
    assert (clf.predict(X) != y).sum() == clf.objective_


def test_an_error_in_the_callback_ends_the_search() -> None:
    def fail(progress: exactree.Progress) -> None:
        raise LookupError(f"enough after {progress.seconds}")

    X, y = hopeless()
    with pytest.raises(LookupError, match="enough"):
        exactree.solve(X, y, max_depth=5, on_progress=fail)


# --- Sizes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_all_sizes_in_one_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    depth = int(rng.integers(1, 4))
    k = int(rng.integers(0, 8))
    least = int(rng.integers(1, 3))
    found = size_path(
        case.X,
        case.y,
        max_splits=k,
        max_depth=depth,
        sample_weight=case.weights,
        min_samples_leaf=least,
    )
    assert len(found) == k + 1
    for splits, result in enumerate(found):
        budgets = {"max_depth": depth, "max_splits": splits, "min_samples_leaf": least}
        assert agrees(result.objective, optimum(Case(case.X, case.y, case.weights, budgets)))
        assert result.status == "optimal"
        within_budgets(result, budgets)


def test_sizes_on_real_data() -> None:
    X, y = load_iris(return_X_y=True)
    path = size_path(X, y, max_splits=7, max_depth=3)
    assert [r.objective for r in path[:3]] == [100, 50, 6]
    single = [exactree.solve(X, y, max_splits=k, max_depth=3).objective for k in range(8)]
    assert [r.objective for r in path] == single


# --- Depth and numbers beyond the tiny --------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_hundreds_of_rows_at_depth_two(seed: int) -> None:
    """Bit masks of several words, many classes, many ties."""
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(60, 260)), int(rng.choice([2, 3, 8, 9, 12]))
    X = rng.normal(size=(n, 2)).round(int(rng.integers(0, 3)))
    y = (np.abs(X[:, 0] * 3 + X[:, 1]).astype(int) + (rng.random(n) < 0.2)) % classes
    weights = rng.integers(1, 10**4, n).astype(float) if seed % 3 == 0 else None
    case = Case(X, y, weights, {"max_depth": 2})
    found = exactree.solve(X, y, max_depth=2, sample_weight=weights, n_jobs=1 + seed % 2)
    assert found.objective == plain_optimum(case)


@pytest.mark.parametrize("seed", range(6))
def test_depth_three_beyond_the_specification(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 9, size=(40, 2)).astype(float), rng.integers(0, 2 + seed % 3, 40)
    found = exactree.solve(X, y, max_depth=3)
    assert found.objective == plain_optimum(Case(X, y, None, {"max_depth": 3}))


def test_more_distinct_values_than_sixteen_bits_hold() -> None:
    n, flipped = 70_000, 7
    rng = np.random.default_rng(0)
    x = rng.permutation(n).astype(float)
    y = (x * 4 // n).astype(int) % 2
    X = np.column_stack([rng.permutation(n), x])
    assert exactree.solve(X, y, max_depth=2).objective == 0
    # A flipped label in the middle of a stripe costs one error, and two splits to mend.
    middle = np.flatnonzero(np.abs(x % (n // 4) - n // 8) < n // 16)
    y[rng.choice(middle, flipped, replace=False)] ^= 1
    found = exactree.solve(x[:, None], y, max_depth=2)
    assert found.objective == flipped


@pytest.mark.parametrize("seed", range(4))
def test_weights_too_large_to_write_out_choose_the_same_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, size=(30, 2)).astype(float), rng.integers(0, 2, 30)
    weights = rng.integers(150, 160, 30)
    twice = rng.permutation(np.repeat(np.arange(30), weights))
    weighted = exactree.solve(X, y, max_depth=3, sample_weight=weights)
    repeated = exactree.solve(X[twice], y[twice], max_depth=3)
    assert weighted.objective == repeated.objective
    assert stripped(weighted.tree) == stripped(repeated.tree)


def test_known_optima() -> None:
    X, y = load_iris(return_X_y=True)
    assert [exactree.solve(X, y, max_depth=d).objective for d in range(5)] == [100, 50, 6, 1, 0]


def test_depth_five() -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, size=(40, 6)).astype(float)
    y = X.sum(axis=1).astype(int) % 2
    case = Case(X, y, None, {"max_depth": 5})
    assert exactree.solve(X, y, max_depth=5).objective == parity_optimum(case)


def parity_optimum(case: Case) -> int:
    """Depth first over two-valued columns, by plain recursion."""

    def best(rows: NDArray[np.intp], depth: int) -> int:
        counts = np.bincount(case.y[rows], minlength=2)
        leaf = int(counts.min())
        if depth == 0 or leaf == 0:
            return leaf
        for j in range(case.X.shape[1]):
            left = case.X[rows, j] < 0.5
            if left.any() and not left.all():
                cost = best(rows[left], depth - 1)
                if cost < leaf:
                    leaf = min(leaf, cost + best(rows[~left], depth - 1))
        return leaf

    return best(np.arange(len(case.y)), case.budgets["max_depth"])


def test_penalty_against_sizes() -> None:
    """The best of loss + penalty * total * splits over the path of sizes."""
    X, y = noisy(3, n=120)
    path = [r.objective for r in size_path(X, y, max_splits=7, max_depth=3)]
    for penalty in (0.005, 0.01, 0.05, 1 / 3):
        found = exactree.solve(X, y, max_depth=3, penalty=penalty)
        exact = min(Fraction(e) + Fraction(penalty) * len(y) * k for k, e in enumerate(path))
        assert agrees(found.objective, exact)


def idle_splits(found: tree.Tree) -> int:
    """Splits whose subtree loses no less than a leaf in its place would."""
    inner = [node for node in tree.nodes(found) if isinstance(node, tree.Node)]
    return sum(node.cost >= sum(node.weights) - max(node.weights) for node in inner)


def test_idle_splits_are_seen() -> None:
    row = AxisSplit(0, 0.5)
    assert idle_splits(tree.Node(row, tree.Leaf(0, 2, (2, 0)), tree.Leaf(0, 2, (1, 1), 1))) == 1
    assert idle_splits(tree.Node(row, tree.Leaf(0, 2, (2, 0)), tree.Leaf(1, 2, (0, 2)))) == 0


def test_a_leaf_is_preferred_to_splits_that_change_nothing() -> None:
    """One wrong label among five: at depth one and two all splits cost as much as the leaf."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    for engine in ("search", "generic", "brute_force"):
        found = exactree.solve(X, [0, 0, 1, 0, 0], max_depth=1, engine=engine)
        assert (found.objective, tree.size(found.tree)) == (1, 0)


@pytest.mark.parametrize("seed", range(60))
def test_ties_go_to_fewer_splits_below_every_node(seed: int) -> None:
    """Few values, noisy labels: within the optimal trees there are many that split in vain."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (25, 3)).astype(float)
    y = (X[:, 0] > 1) ^ (rng.random(25) < 0.25)
    for depth in (2, 3, 4):
        assert idle_splits(exactree.solve(X, y, max_depth=depth).tree) == 0
