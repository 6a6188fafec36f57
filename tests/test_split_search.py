"""Trees that only their splits limit, over rank columns: against brute force of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from exactree import _native, size_path, solve
from exactree.tree import size

PRUNINGS = list(_native.prunings())
OWN = [
    PRUNINGS.index(name)
    for name in (
        "sub_interval",
        "neighbour",
        "archive",
        "archive_like",
        "carving",
        "small_side",
        "quadrant",
        "branch",
        "look_ahead",
        "majority",
        "side_cap",
        "two_splits",
    )
]
# Methods that pay only for some data are used for all.
EVERYWHERE = 1 << len(PRUNINGS)


@dataclass(frozen=True)
class Case:
    """Rows by column, as the native search takes them; no limit on splits is -1."""

    ranks: NDArray[np.int32]
    labels: NDArray[np.int32]
    weights: NDArray[np.int64] | None
    splits: int
    unit: int
    penalty: int

    @property
    def classes(self) -> int:
        return int(self.labels.max()) + 1

    def costs(self) -> NDArray[np.int64]:
        if self.weights is not None:
            return self.weights
        return np.full(len(self.labels), self.unit, dtype=np.int64)

    def solved(self, **options: Any) -> _native.SearchResult:
        found = _native.search_splits(
            self.ranks,
            self.labels,
            self.classes,
            self.weights,
            max_splits=self.splits,
            unit=self.unit,
            penalty=self.penalty,
            **options,
        )
        assert found is not None
        return found


def with_missing(
    rng: np.random.Generator, columns: NDArray[np.int32] | NDArray[np.int64]
) -> NDArray[np.int32]:
    """Columns with missing rows, which are lowest and then highest, as they reach the search."""
    low, high = [], []
    for column in columns:
        missing = rng.random(len(column)) < 0.3
        if not missing.any() or missing.all():
            low.append(np.unique(column, return_inverse=True)[1])
            continue
        known = np.unique(column[~missing], return_inverse=True)[1]
        both = np.zeros((2, len(column)), dtype=np.int64)
        both[0, ~missing] = known + 1
        both[1, ~missing] = known
        both[1, missing] = known.max() + 1
        low.append(both[0])
        high.append(both[1])
    return np.array(low + high, dtype=np.int32)


def random_case(rng: np.random.Generator) -> Case:
    n, columns = int(rng.integers(2, 15)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, n + 2), size=(n, columns))
    X = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    classes = int(rng.choice([2, 2, 2, 3, 5]))
    y = rng.integers(0, classes, n)
    if rng.random() < 0.5:
        y = (X[:, 0] // 3 + X[:, -1] // 2 + (rng.random(n) < 0.2)) % classes
    labels = np.unique(y, return_inverse=True)[1].astype(np.int32)
    top = int(rng.choice([0, 0, 4, 30, 10**6]))
    weights = rng.integers(1, top + 1, n) if top else None
    unit = 1 if top else int(rng.integers(1, 4))
    penalty = int(rng.integers(0, 2 * (top or unit) + 1))
    splits = int(rng.integers(0, 6)) if penalty == 0 or rng.random() < 0.5 else -1
    ranks = np.ascontiguousarray(X.T.astype(np.int32))
    if rng.random() < 0.4:
        ranks = with_missing(rng, ranks[:2])
    return Case(ranks, labels, weights, splits, unit, penalty)


def optimum(case: Case, levels: int = 99) -> int:
    """The least cost of any tree: every split of every set of rows is tried."""
    costs = case.costs()
    known: dict[tuple[frozenset[int], int, int], int] = {}

    def best(rows: frozenset[int], splits: int, levels: int) -> int:
        if (rows, splits, levels) in known:
            return known[rows, splits, levels]
        of_class = [0] * case.classes
        for i in rows:
            of_class[case.labels[i]] += int(costs[i])
        least = sum(of_class) - max(of_class)
        for column in case.ranks if splits and levels else ():
            for rank in {int(column[i]) for i in rows}:
                above = frozenset(i for i in rows if column[i] > rank)
                if not above:
                    continue
                for i in range(splits) if splits > 0 else (0,):
                    shares = (i, splits - 1 - i) if splits > 0 else (-1, -1)
                    sides = best(above, shares[0], levels - 1)
                    sides += best(rows - above, shares[1], levels - 1)
                    least = min(least, case.penalty + sides)
        known[rows, splits, levels] = least
        return least

    return best(frozenset(range(len(case.labels))), case.splits, levels)


def tree_cost(case: Case, found: _native.SearchResult) -> int:
    tree, wrong = found.tree, 0
    for i, cost in enumerate(case.costs()):
        node = 0
        while tree["feature"][node] >= 0:
            rank = case.ranks[tree["feature"][node], i]
            assert not tree["low"][node] < rank < tree["high"][node]
            node = tree["right" if rank > tree["low"][node] else "left"][node]
        wrong += int(cost) * (tree["label"][node] != case.labels[i])
    splits = sum(f >= 0 for f in tree["feature"])
    assert case.splits < 0 or splits <= case.splits
    return wrong + case.penalty * splits


def check_random_cases(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        case, switches = random_case(rng), int(rng.choice([0, EVERYWHERE]))
        isa = str(rng.choice(_native.instruction_sets()))
        found = case.solved(isa=isa, switches=switches)
        assert found.status == "optimal"
        assert found.objective == found.lower_bound == tree_cost(case, found) == optimum(case), case


@pytest.mark.parametrize("seed", range(5))
def test_equals_brute_force(seed: int) -> None:
    check_random_cases(seed, 60)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 140))
def test_equals_brute_force_at_length(seed: int) -> None:
    check_random_cases(seed, 150)


def check_deeper_trees(seed: int, count: int) -> int:
    """Few levels are known: the search has to find what is cheaper. How often that is so."""
    rng = np.random.default_rng(seed)
    deeper = 0
    for _ in range(count):
        case, levels = random_case(rng), int(rng.integers(1, 4))
        case = replace(case, splits=int(rng.integers(levels, 7)))
        few, best = optimum(case, levels), optimum(case)
        switches = int(rng.choice([0, EVERYWHERE]))
        found = case.solved(upper_bound=few, max_depth=levels, switches=switches)
        assert (found.status, found.lower_bound) == ("optimal", best), case
        assert found.objective == tree_cost(case, found) and (
            best == few or found.objective == best
        )
        deeper += best < few
    return deeper


@pytest.mark.parametrize("seed", range(4))
def test_trees_of_few_levels_need_not_be_looked_for(seed: int) -> None:
    assert check_deeper_trees(seed, 60)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(200, 240))
def test_trees_of_few_levels_at_length(seed: int) -> None:
    check_deeper_trees(seed, 150)


def test_deeper_trees_of_many_rows() -> None:
    in_groups = 0
    for seed in range(8):
        case = medium_case(seed, 4 + seed % 2, 0, classes=2 + seed % 3)
        few = _native.search_columns(
            case.ranks, case.labels, case.classes, max_depth=3, max_splits=case.splits
        )
        found = case.solved(upper_bound=few.objective, max_depth=3)
        assert found.lower_bound == case.solved().objective
        assert found.counters["look_ahead"] > 0
        in_groups += found.counters["branch"]
    assert in_groups > 0


@pytest.mark.parametrize("seed", range(3))
def test_prunings_do_not_change_the_value(seed: int) -> None:
    rng = np.random.default_rng(50 + seed)
    for _ in range(50):
        case, off = random_case(rng), sum(1 << p for p in OWN if rng.random() < 0.5)
        found = case.solved(switches=off | int(rng.choice([0, EVERYWHERE])))
        assert found.objective == found.lower_bound == tree_cost(case, found)
        assert found.objective == case.solved().objective


def medium_case(seed: int, splits: int, penalty: int, classes: int = 2) -> Case:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3)).round(1)
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > X[:, 2]) + (rng.random(80) < 0.15)
    ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in X.T]).astype(np.int32)
    return Case(ranks, (y % classes).astype(np.int32), None, splits, 1, penalty)


@pytest.mark.parametrize(("splits", "penalty"), [(3, 0), (4, 0), (4, 1), (-1, 8)])
def test_prunings_act_and_agree_on_many_rows(splits: int, penalty: int) -> None:
    case = medium_case(penalty, splits, penalty, classes=2 + splits % 2)
    found = case.solved()
    assert found.status == "optimal" and found.objective == tree_cost(case, found)
    for p in OWN:
        assert case.solved(switches=1 << p).objective == found.objective
    in_order = ("quadrant",) if case.classes == 2 else ()
    supported = ("small_side",) if penalty > 1 else ()
    for name in ("sub_interval", "neighbour", "archive", "carving"):
        assert found.counters[name] > 0
    for name in (*in_order, *supported):
        assert found.counters[name] > 0


@pytest.mark.parametrize(("splits", "penalty"), [(4, 0), (5, 0), (4, 1), (-1, 4)])
def test_a_rare_class_is_searched_by_label(splits: int, penalty: int) -> None:
    rng = np.random.default_rng(penalty)
    X = rng.normal(size=(160, 3)).round(1)
    near = np.argsort(np.abs(X[:, 0] - 0.4) + np.abs(X[:, 1]))
    labels = np.zeros(160, dtype=np.int32)
    labels[rng.choice(near[:16], 10, replace=False)] = 1
    ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in X.T]).astype(np.int32)
    case = Case(ranks, labels, None, splits, 1, penalty)
    # Few errors: pairs of leaves would settle nearly all.
    found = case.solved(switches=1 << PRUNINGS.index("two_splits"))
    assert found.status == "optimal" and found.objective == tree_cost(case, found)
    assert found.objective == case.solved().objective
    weighted = replace(case, weights=np.ones(160, dtype=np.int64)).solved()
    in_no_order = case.solved(switches=1 << PRUNINGS.index("quadrant"))
    assert weighted.objective == in_no_order.objective == found.objective
    assert found.counters["quadrant"] > in_no_order.counters["quadrant"] == 0


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_columns_with_missing_values_are_all_searched(isa: str) -> None:
    rng = np.random.default_rng(5)
    for seed in range(25):
        X = rng.integers(0, 12, size=(4, 120))
        labels = ((X[0] > 5) ^ (X[1] > 7) ^ (rng.random(120) < 0.1)).astype(np.int32)
        case = Case(with_missing(rng, X), labels, None, 2 + seed % 2, 1, seed % 3)
        by_depth = _native.search_columns(
            case.ranks, labels, 2, max_depth=3, max_splits=case.splits, penalty=case.penalty
        )
        found = case.solved(isa=isa, switches=EVERYWHERE * (seed % 2))
        assert found.objective == by_depth.objective == tree_cost(case, found)


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_pairs_of_leaves_that_leave_too_many_errors_are_not_searched(isa: str) -> None:
    off, acted = 1 << PRUNINGS.index("two_splits"), 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rows = int(rng.choice([64, 120, 128, 300]))
        X = rng.normal(size=(6, rows)).round(1 + seed % 2)
        y = (X[0] < 0.2) & (X[1] < 0.5) | (X[2] > 1.2)
        y ^= rng.random(rows) < 0.02
        ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in X]).astype(np.int32)
        if seed % 3 == 0:
            ranks = with_missing(rng, ranks[:4])
        case = Case(ranks, y.astype(np.int32), None, 2 + seed % 3, 1 + seed % 2, seed % 4)
        found, plain = case.solved(isa=isa), case.solved(isa=isa, switches=off)
        assert found.objective == plain.objective == tree_cost(case, found)
        assert (
            plain.counters["two_splits"] == 0 and found.counters["scans"] <= plain.counters["scans"]
        )
        acted += found.counters["two_splits"]
    assert acted > 0


def test_more_classes_than_leaves_are_not_searched() -> None:
    acted = 0
    for seed in range(4):
        case = medium_case(seed, 4, 0, classes=3 + seed % 2)
        found, off = case.solved(), case.solved(switches=1 << PRUNINGS.index("majority"))
        assert off.objective == found.objective and off.counters["majority"] == 0
        acted += found.counters["majority"]
    assert acted


def test_equals_the_search_with_a_depth() -> None:
    for seed in range(6):
        case = medium_case(seed, 3, seed % 2, classes=2 + seed % 3)
        by_depth = _native.search_columns(
            case.ranks,
            case.labels,
            case.classes,
            max_depth=3,
            max_splits=3,
            penalty=case.penalty,
        )
        assert case.solved().objective == by_depth.objective


def test_a_tree_that_is_known_is_the_bound_if_none_is_better() -> None:
    case = medium_case(1, 4, 0)
    best = case.solved().objective
    same = case.solved(upper_bound=best)
    assert (same.lower_bound, same.status) == (best, "optimal")
    assert same.tree["feature"] == [-1]
    better = case.solved(upper_bound=best + 1)
    assert better.objective == better.lower_bound == best == tree_cost(case, better)


def test_stopped_searches_have_a_true_bound() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in X.T]).astype(np.int32)
    case = Case(ranks, y.astype(np.int32), None, 6, 1, 0)
    found = case.solved(time_limit=0.3)
    assert found.status == "time_limit" and found.seconds < 2.0
    assert 0 <= found.lower_bound <= 12 and found.objective == tree_cost(case, found)
    options: dict[str, Any] = {"max_splits": 6, "memory_limit": 100_000, "time_limit": 5.0}
    assert _native.search_splits(case.ranks, case.labels, 2, **options) is None


def test_a_tree_found_by_a_stopped_search_is_kept() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in X.T]).astype(np.int32)
    case = Case(ranks, y.astype(np.int32), None, 4, 1, 0)
    seconds, found = 0.2, case.solved(time_limit=0.1)
    while found.status == "time_limit" and found.objective == 212:  # the single leaf
        seconds, found = 1.4 * seconds, case.solved(time_limit=seconds)
        assert found.lower_bound <= 14 <= found.objective == tree_cost(case, found)
    assert found.status == "time_limit" and len(found.tree["feature"]) > 1


def test_a_search_without_limits_on_trees_is_refused() -> None:
    case = medium_case(0, -1, 0)
    with pytest.raises(ValueError, match="neither max_splits nor a penalty"):
        case.solved()


def test_five_splits_of_any_shape() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, [7, 21, 22, 23]]
    found = solve(X, y, max_splits=5)
    assert found.status == "optimal" and size(found.tree) <= 5
    assert found.objective <= solve(X, y, max_splits=5, max_depth=3).objective
    path = size_path(X, y, max_splits=5)
    assert path[5].objective == found.objective
    assert [r.status for r in path] == ["optimal"] * 6


def test_a_penalty_on_raw_columns_equals_the_best_size() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, [7, 21, 22, 23]]
    found = solve(X, y, penalty=0.02)
    price = 0.02 * len(y)
    sizes = size_path(X, y, max_splits=5)
    best = min(r.objective + price * k for k, r in enumerate(sizes))
    assert found.status == "optimal" and found.objective == pytest.approx(best)
