"""A price per split and no limit on depth, against brute force of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree import _native, solve
from exactree.tree import Leaf, Tree, size

CONFLICT, INCUMBENT = (list(_native.prunings()).index(name) for name in ("conflict", "incumbent"))
SMALL_SIDE = list(_native.prunings()).index("small_side")
SPARSE = [
    list(_native.prunings()).index(name)
    for name in ("sibling", "second_split", "small_side", "two_splits", "majority", "archive")
]


@dataclass(frozen=True)
class Case:
    """Rows sorted by their values, then by label, as the native search takes them."""

    ranks: NDArray[np.int32]
    labels: NDArray[np.int32]
    weights: NDArray[np.int64] | None
    unit: int
    penalty: int

    @property
    def classes(self) -> int:
        return int(self.labels.max()) + 1

    def costs(self) -> NDArray[np.int64]:
        if self.weights is not None:
            return self.weights
        return np.full(len(self.labels), self.unit, dtype=np.int64)

    def solved(self, switches: int = 0, isa: str = "auto", **limits: Any) -> _native.SearchResult:
        found = _native.search_sparse(
            self.ranks,
            self.labels,
            self.classes,
            self.weights,
            max_depth=200,
            unit=self.unit,
            penalty=self.penalty,
            switches=switches,
            isa=isa,
            **limits,
        )
        assert found is not None
        return found


def sorted_case(
    X: NDArray[np.int64], y: NDArray[np.int64], weights: NDArray[np.int64] | None, penalty: int
) -> Case:
    order = np.lexsort((y, *X.T[::-1]))
    labels = np.unique(y, return_inverse=True)[1][order].astype(np.int32)
    ranks = np.ascontiguousarray(X[order].T.astype(np.int32))
    unit = int(penalty % 3 + 1)
    return Case(ranks, labels, None if weights is None else weights[order], unit, penalty)


def random_case(rng: np.random.Generator) -> Case:
    n, columns = int(rng.integers(2, 22)), int(rng.integers(1, 7))
    X = (rng.random((n, columns)) < rng.choice([0.2, 0.5, 0.7])).astype(np.int64)
    if rng.random() < 0.4:
        X = rng.integers(0, rng.integers(2, 6), size=(n, min(columns, 3)))
    X = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    classes = int(rng.choice([2, 2, 3, 4]))
    y = rng.integers(0, classes, n)
    if rng.random() < 0.5:
        y = (X[:, 0] + X[:, -1] + (rng.random(n) < 0.2)) % classes
    top = int(rng.choice([0, 0, 4, 30, 10**6]))
    weights = rng.integers(1, top + 1, n) if top else None
    heavy = 3 if weights is None else int(weights.max())
    return sorted_case(X, y, weights, int(rng.integers(1, 2 * heavy + 1)))


def case_of_many_rows(rng: np.random.Generator) -> Case:
    """Few columns of two values, so that a price can be many errors, and all sets can be tried."""
    n, columns = int(rng.integers(20, 150)), int(rng.integers(2, 6))
    X = (rng.random((n, columns)) < rng.choice([0.1, 0.3, 0.5], columns)).astype(np.int64)
    X = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    classes = int(rng.choice([2, 2, 3]))
    y = (X[:, 0] + X[:, -1] * X[:, 1] + (rng.random(n) < rng.choice([0.1, 0.4]))) % classes
    return sorted_case(X, y, None, int(rng.integers(3, 30)))


def optimum(case: Case) -> int:
    """The least cost of any tree: every split of every set of rows is tried."""
    costs, known = case.costs(), {}

    def best(rows: frozenset[int]) -> int:
        if rows not in known:
            of_class = [0] * case.classes
            for i in rows:
                of_class[case.labels[i]] += int(costs[i])
            least = sum(of_class) - max(of_class)
            for column in case.ranks:
                for rank in range(column.max()):
                    above = frozenset(i for i in rows if column[i] > rank)
                    if above and above != rows:
                        least = min(least, case.penalty + best(above) + best(rows - above))
            known[rows] = least
        return known[rows]

    return best(frozenset(range(len(case.labels))))


def tree_cost(case: Case, found: _native.SearchResult) -> int:
    tree, wrong = found.tree, 0
    for i, cost in enumerate(case.costs()):
        node = 0
        while tree["feature"][node] >= 0:
            right = case.ranks[tree["feature"][node], i] > tree["low"][node]
            node = tree["right" if right else "left"][node]
        wrong += int(cost) * (tree["label"][node] != case.labels[i])
    return wrong + case.penalty * sum(f >= 0 for f in tree["feature"])


@pytest.mark.parametrize("seed", range(8))
def test_equals_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        case = random_case(rng)
        found = case.solved(isa=str(rng.choice(_native.instruction_sets())))
        assert found.status == "optimal"
        assert found.objective == found.lower_bound == tree_cost(case, found) == optimum(case)


@pytest.mark.parametrize("make", [case_of_many_rows, random_case])
@pytest.mark.parametrize("seed", range(3))
def test_each_pruning_alone_equals_brute_force(
    seed: int, make: Callable[[np.random.Generator], Case]
) -> None:
    rng = np.random.default_rng(200 + seed)
    every = (1 << len(_native.prunings())) - 1
    for _ in range(60):
        case = make(rng)
        best = optimum(case)
        alone = int(rng.choice(np.asarray(SPARSE)))
        for off in (0, every & ~(1 << alone)):
            found = case.solved(switches=off, isa=str(rng.choice(_native.instruction_sets())))
            assert found.objective == found.lower_bound == tree_cost(case, found) == best


@pytest.mark.parametrize("seed", range(4))
def test_prunings_change_neither_value_nor_tree(seed: int) -> None:
    """But for those that change the first tree, which is taken where it is optimal."""
    rng = np.random.default_rng(100 + seed)
    for _ in range(40):
        case, off = random_case(rng), int(rng.integers(0, 1 << 23))
        found = case.solved(switches=off)
        other = case.solved(
            switches=off & (1 << CONFLICT | 1 << INCUMBENT | 1 << SMALL_SIDE),
            isa=str(rng.choice(_native.instruction_sets())),
        )
        assert found.objective == other.objective == other.lower_bound
        assert found.tree == other.tree


def test_the_tree_is_that_by_rule_where_the_first_one_is_not_optimal() -> None:
    """A leaf if it is optimal, else the first column of an optimal tree: by brute force."""
    rng, by_rule = np.random.default_rng(5), 0
    for _ in range(150):
        case = random_case(rng)
        found = case.solved(switches=1 << INCUMBENT)
        if len(found.tree["feature"]) == 1:
            continue
        splits = [(f, r) for f, column in enumerate(case.ranks) for r in range(column.max())]
        firsts = [split for split in splits if _with_first(case, *split) == found.objective]
        assert (found.tree["feature"][0], found.tree["low"][0]) == firsts[0]
        assert found.tree["high"][0] == firsts[0][1] + 1  # ranks are dense
        by_rule += len(firsts) > 1
    assert by_rule > 10


def _with_first(case: Case, column: int, rank: int) -> int:
    ones = case.ranks[column] > rank
    return case.penalty + sum(optimum(_part(case, side)) for side in (ones, ~ones))


def _part(case: Case, rows: NDArray[np.bool_]) -> Case:
    weights = None if case.weights is None else case.weights[rows]
    return replace(case, ranks=case.ranks[:, rows], labels=case.labels[rows], weights=weights)


def medium(rows: int = 300, columns: int = 14, noise: float = 0.15) -> Case:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(rows, columns))
    y = (X[:, 0] & X[:, 1] | X[:, 2] & X[:, 3] & ~X[:, 4] & 1) ^ (rng.random(rows) < noise)
    return sorted_case(X, y, None, 7)


def test_equals_the_search_with_a_depth_on_medium_problems() -> None:
    """That search is another program; below its depth there is room for all useful splits."""
    for columns, penalty in [(8, 30), (10, 45), (6, 20)]:
        case = replace(medium(columns=columns), penalty=penalty)
        other = _native.search_columns(
            case.ranks, case.labels, 2, max_depth=8, unit=case.unit, penalty=penalty
        )
        found = case.solved()
        assert found.status == other.status == "optimal"
        assert found.objective == other.objective


def test_stopped_at_any_moment_the_bound_holds_and_the_tree_costs_what_it_says() -> None:
    case = medium(rows=400, columns=20)
    best = case.solved().objective
    for calls in (0, 1, 3, 10):
        found = _native.search_sparse(
            case.ranks,
            case.labels,
            2,
            max_depth=200,
            unit=case.unit,
            penalty=case.penalty,
            poll=interrupting_after(calls),
        )
        assert found is not None and found.status in ("optimal", "interrupted")
        assert found.lower_bound <= best <= found.objective == tree_cost(case, found)


def interrupting_after(calls: int) -> Callable[..., None]:
    """A function that is Ctrl-C the next time after so many calls."""
    seen: list[float] = []

    def poll(seconds: float, objective: int, lower_bound: int, *more: int) -> None:
        assert lower_bound <= objective
        seen.append(seconds)
        if len(seen) > calls:
            raise KeyboardInterrupt

    return poll


def test_no_time_and_little_memory() -> None:
    case = medium()
    best = case.solved().objective
    at_once = case.solved(time_limit=0.0)
    assert at_once.lower_bound <= best <= at_once.objective == tree_cost(case, at_once)
    # The table of row sets forgets, and the answer is the same.
    small = case.solved(memory_limit=1 << 20)
    assert small.objective == best and small.peak_bytes <= 1 << 20


def test_too_large_weights_are_left_to_the_other_search() -> None:
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    y = ["a", "b", "b", "a"]
    weights = [1.0, 2.0**40, 1.0, 3.0]
    result = solve(X, y, splits="binary", penalty=1e-12, sample_weight=weights)
    assert result.status == "optimal" and size(result.tree) == 1


def depth(tree: Tree) -> int:
    return 0 if isinstance(tree, Leaf) else 1 + max(depth(tree.left), depth(tree.right))


def test_few_valued_columns_against_the_search_with_a_depth() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 12, size=(150, 3))
    y = ((X[:, 0] > 4) ^ (X[:, 1] > 7)).astype(np.int64) ^ (rng.random(150) < 0.1)
    for penalty in (9, 16, 30):
        case = sorted_case(X, y, None, penalty)
        other = _native.search_columns(
            case.ranks, case.labels, 2, max_depth=6, unit=case.unit, penalty=penalty
        )
        found = case.solved()
        assert found.objective == found.lower_bound == tree_cost(case, found) == other.objective


@pytest.mark.parametrize("splits", ["binary", "axis"])
def test_solve_without_depth_uses_it(splits: str) -> None:
    case = medium()
    X, y = case.ranks.T.astype(float), case.labels
    result = solve(X, y, splits=splits, penalty=0.02)
    assert "small_side" in result.stats and result.stats["evaluations"] == 0
    deep = solve(X, y, splits=splits, penalty=0.02, max_depth=depth(result.tree))
    assert deep.objective == pytest.approx(result.objective, rel=1e-12)
    assert result.space.endswith("0.02 of the total weight per split")


def test_a_depth_that_binds_is_kept() -> None:
    case = medium()
    result = solve(case.ranks.T.astype(float), case.labels, penalty=0.001, max_depth=2)
    assert depth(result.tree) <= 2
