"""Random problems of medium size for the native search, and their optimum by the plain oracle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plain_trees import Costs, Ints, tree_costs

import exactree
from exactree import _native
from exactree.proof import certify
from exactree.proof import check as prove

PRUNINGS = len(_native.prunings())
Generator = np.random.Generator


@dataclass(frozen=True)
class Medium:
    """A problem in ranks (columns x rows); the first `masks` columns are given as masks."""

    ranks: Ints
    labels: Ints
    classes: int
    depth: int
    masks: int = 0
    weights: Costs | None = None
    counts: Ints | None = None
    costs: Costs | None = None
    least: int = 1
    unit: int = 1

    @cached_property
    def best(self) -> list[int]:
        """The least cost with at most k splits, for every k that the depth allows."""
        weights = np.full(len(self.labels), self.unit) if self.weights is None else self.weights
        return tree_costs(
            self.depth,
            self.ranks,
            self.labels,
            self.classes,
            weights=weights,
            counts=self.counts,
            costs=self.costs,
            least=self.least,
        )

    def optimum(self, max_splits: int, penalty: int) -> int:
        """The least cost with a penalty for every split."""
        budget = len(self.best) - 1 if max_splits < 0 else min(max_splits, len(self.best) - 1)
        return min(cost + penalty * k for k, cost in enumerate(self.best[: budget + 1]))

    def shuffled(self, rng: Generator) -> Medium:
        """The same problem, rows in another order and so the columns."""
        order = rng.permutation(len(self.labels))
        columns = np.concatenate(
            [rng.permutation(self.masks), rng.permutation(np.arange(self.masks, len(self.ranks)))]
        )
        return Medium(
            np.ascontiguousarray(self.ranks[np.ix_(columns, order)]),
            self.labels[order],
            self.classes,
            self.depth,
            self.masks,
            None if self.weights is None else self.weights[order],
            None if self.counts is None else self.counts[order],
            self.costs,
            self.least,
            self.unit,
        )

    def searched(self, **terms: Any) -> _native.SearchResult:
        """Solve by the native search."""
        rows = (self.labels, self.classes, self.weights, self.counts)
        terms |= {"max_depth": self.depth, "min_rows": self.least, "unit": self.unit}
        if self.masks == 0:
            return _native.search_columns(self.ranks, *rows, costs=self.costs, **terms)
        ranks = self.ranks[self.masks :] if self.masks < len(self.ranks) else None
        return _native.search_masks(packed(self.ranks[: self.masks]), *rows, ranks=ranks, **terms)

    def measured(self, tree: dict[str, list[int]]) -> tuple[int, int, int]:
        """The cost of a tree, its depth and the number of its splits; limits on leaves are met."""

        def visit(node: int, rows: NDArray[np.intp]) -> tuple[int, int, int]:
            feature = tree["feature"][node]
            if feature < 0:
                return self.leaf_cost(rows, tree["label"][node]), 0, 0
            left = self.ranks[feature, rows] <= (tree["low"][node] if feature >= self.masks else 0)
            sides = []
            for child, side in (("left", rows[left]), ("right", rows[~left])):
                assert self.counted(side) >= self.least and len(side) > 0
                sides.append(visit(tree[child][node], side))
            (a, deep, small), (b, deeper, smaller) = sides
            return a + b, 1 + max(deep, deeper), 1 + small + smaller

        return visit(0, np.arange(len(self.labels)))

    def counted(self, rows: NDArray[np.intp]) -> int:
        return len(rows) if self.counts is None else int(self.counts[rows].sum())

    def leaf_cost(self, rows: NDArray[np.intp], label: int) -> int:
        actual = self.labels[rows]
        each = (actual != label) if self.costs is None else self.costs[actual, label]
        weights = self.unit if self.weights is None else self.weights[rows]
        return int((each * weights).sum())


def packed(columns: Ints) -> NDArray[np.uint64]:
    """Masks of the rows that have the lower of two values: these go left."""
    padded = np.zeros((len(columns), -(-columns.shape[1] // 64) * 64), dtype=np.uint8)
    padded[:, : columns.shape[1]] = columns == 0
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


# --- Drawing ----------------------------------------------------------------------------------


def dense(column: NDArray[Any]) -> Ints:
    return np.unique(column, return_inverse=True)[1].astype(np.int32)


def draw_columns(rng: Generator, rows: int, distinct: NDArray[np.int64]) -> Ints:
    """Columns of about so many values, some of them nearly the same as the one before."""
    columns: list[Ints] = []
    for m in distinct:
        values = rng.permutation(np.arange(rows) % m) if rng.random() < 0.5 else None
        if values is None:
            values = rng.integers(0, m, rows)
        if columns and rng.random() < 0.25:
            near = columns[-1] * m // (columns[-1].max() + 1)
            values = np.where(rng.random(rows) < 0.1, values, near)
        columns.append(dense(values))
    return np.array(columns, dtype=np.int32).reshape(len(distinct), rows)


def draw_labels(rng: Generator, ranks: Ints, classes: int) -> Ints:
    """Classes that follow a tree on three columns, with much, little or no noise, or only noise."""
    rows = ranks.shape[1]
    code = np.zeros(rows, dtype=np.int64)
    for column in ranks[rng.integers(0, len(ranks), 3)]:
        code = 2 * code + (column > rng.integers(0, column.max() + 1))
    meaning = rng.integers(0, classes, 8)
    if classes > 8:
        labels = (meaning[code] + rng.integers(0, max(classes // 8, 2), rows)) % classes
    else:
        labels = meaning[code]
    noisy = rng.random(rows) < rng.choice([0.0, 0.02, 0.2, 0.5, 1.0])
    return np.where(noisy, rng.integers(0, classes, rows), labels).astype(np.int32)


def draw_weights(rng: Generator, rows: int) -> Costs | None:
    kind = rng.choice(["none", "equal", "few", "many", "huge"], p=[0.5, 0.08, 0.17, 0.17, 0.08])
    if kind == "none":
        return None
    top = {"equal": 1, "few": 4, "many": 10**5, "huge": 2**40}[str(kind)]
    return rng.integers(1, top + 1, rows)


def draw_rows(rng: Generator, ranks: Ints, depth: int, masks: int = 0) -> Medium:
    """Labels, weights, costs and limits on leaves for these columns."""
    rows = ranks.shape[1]
    classes = int(rng.choice([2, 3, 4, 5, 8, 9, 16, 17, 40, 300], p=[0.4, 0.12, *[0.06] * 8]))
    labels = draw_labels(rng, ranks, classes)
    weights, costs = draw_weights(rng, rows), None
    if masks == 0 and classes <= 9 and rng.random() < 0.1:
        costs = rng.integers(0, 6, (classes, classes))
        if rng.random() < 0.7:
            np.fill_diagonal(costs, 0)
        weights = np.ones(rows, dtype=np.int64) if weights is None else weights
    else:
        labels = dense(labels)
        classes = int(labels.max()) + 1
    counts: Ints | None = None
    if weights is not None and rng.random() < 0.3:
        counts = np.asarray(rng.integers(1, 5, size=(rows,)), dtype=np.int32)
    least = int(rng.choice([1, 2, 5, 1 + rows // 20, 1 + rows // 6], p=[0.6, *[0.1] * 4]))
    unit = 1 if weights is not None else int(rng.choice([1, 1, 1, 3, 1000]))
    return Medium(ranks, labels, classes, depth, masks, weights, counts, costs, least, unit)


def effort(ranks: Ints, depth: int) -> float:
    """About how many rows the oracle looks at: every split of every node of every level."""
    splits = float(ranks.max(axis=1).sum())
    return float(ranks.size * splits ** (depth - 1))


def lighter(ranks: Ints, depth: int, most: float) -> tuple[Ints, int]:
    """Drop columns, then levels, until the oracle has no more to do than `most`."""
    while effort(ranks, depth) > most and len(ranks) > 1:
        ranks = ranks[:-1]
    while effort(ranks, depth) > most and depth > 1:
        depth -= 1
    return np.ascontiguousarray(ranks), depth


def thresholds(rng: Generator, most: float) -> Medium:
    """Up to 300 rows at up to three levels."""
    rows, depth = int(rng.integers(10, 301)), int(rng.choice([1, 2, 3, 3, 3]))
    distinct = rng.choice([2, 3, 4, 6, 9, 15, 30, 60, 300], size=int(rng.integers(1, 7)))
    return draw_rows(rng, *lighter(draw_columns(rng, rows, distinct), depth, most))


def many_rows(rng: Generator, most: float) -> Medium:
    """Thousands of rows at two levels, and numbers of values at the edge of a byte."""
    rows = int(rng.integers(2000, 6001))
    distinct = rng.choice([2, 7, 40, 200, 254, 255, 256, 257, 258, 600], size=rng.integers(1, 5))
    return draw_rows(rng, *lighter(draw_columns(rng, rows, distinct), 2, most))


def edge_of_a_byte(rng: Generator, most: float) -> Medium:
    """Hundreds of rows at two levels, with columns of 255, 256 and 257 values."""
    rows = int(rng.integers(257, 420))
    distinct = rng.choice([2, 30, 255, 256, 257], size=rng.integers(1, 11))
    return draw_rows(rng, *lighter(draw_columns(rng, rows, distinct), 2, most))


def two_values(rng: Generator, most: float) -> Medium:
    """Columns of two values at up to five levels."""
    rows, depth = int(rng.integers(10, 301)), int(rng.integers(1, 6))
    ranks = draw_columns(rng, rows, np.full(int(rng.integers(1, 24)), 2))
    ranks = ranks[ranks.max(axis=1) == 1]
    ranks = ranks if len(ranks) else np.array([np.arange(rows) % 2], dtype=np.int32)
    return draw_rows(rng, *lighter(ranks, depth, most))


def listed(rng: Generator, most: float) -> Medium:
    """Masks, alone and beside columns of more values."""
    problem = two_values(rng, most / 4)
    masks, rows, depth = problem.ranks, len(problem.labels), problem.depth
    if rng.random() < 0.5:
        more = draw_columns(rng, rows, rng.choice([3, 8, 20, 300], size=rng.integers(1, 3)))
        both = np.concatenate([masks, more])
        while effort(both, depth) > most and depth > 1:
            depth -= 1
        return draw_rows(rng, both, depth, len(masks))
    return draw_rows(rng, masks, depth, len(masks))


# --- Comparing --------------------------------------------------------------------------------


def configuration(rng: Generator) -> dict[str, Any]:
    """Random prunings off, or used everywhere; instruction set; threads."""
    everywhere = 1 << PRUNINGS
    some, one = int(rng.integers(0, 2 * everywhere)), 1 << int(rng.integers(PRUNINGS))
    return {
        "switches": int(
            rng.choice([0, everywhere, some, everywhere | one], p=[0.3, 0.1, 0.4, 0.2])
        ),
        "isa": str(rng.choice([*_native.instruction_sets(), "auto"])),
        "threads": int(rng.choice([1, 1, 2, 3])),
    }


def draw_budgets(rng: Generator, problem: Medium) -> dict[str, int]:
    """A number of splits, and a penalty that is worth paying for some."""
    full = 2**problem.depth - 1
    splits = int(rng.integers(0, full + 2)) if rng.random() < 0.4 else -1
    gain = problem.best[0] - problem.best[-1]
    penalty = int(rng.integers(0, 2 * gain // full + 2)) if rng.random() < 0.4 else 0
    return {"max_splits": splits, "penalty": penalty}


def check(problem: Medium, rng: Generator, runs: int = 2) -> None:
    """Search with several budgets and configurations; the cost is the oracle's to the unit."""
    for _ in range(runs):
        terms = {**draw_budgets(rng, problem), **configuration(rng)}
        given = problem.shuffled(rng)
        found = given.searched(**terms)
        expected = problem.optimum(terms["max_splits"], terms["penalty"])
        proved = (found.objective, found.lower_bound)
        shown = f"{terms}: {proved=}, {expected=}, {given}"
        assert found.status == "optimal", shown
        assert found.objective == found.lower_bound == expected, shown
        cost, depth, splits = given.measured(found.tree)
        assert cost + splits * terms["penalty"] == expected, shown
        assert depth <= problem.depth, shown
        assert splits <= terms["max_splits"] or terms["max_splits"] < 0, shown


def check_sizes(problem: Medium, rng: Generator) -> None:
    """One search for all numbers of splits gives every one of the oracle's costs."""
    splits = int(rng.integers(0, 2**problem.depth))
    terms = {"max_splits": splits, **configuration(rng)}
    found = problem.searched(sizes=True, **terms)
    expected = [problem.optimum(k, 0) for k in range(splits + 1)]
    shown = f"{terms}: {found.size_objectives}, {expected=}, {problem}"
    assert found.status == "optimal", shown
    assert found.size_objectives == found.size_lower_bounds == expected, shown
    for k, tree in enumerate(found.size_trees):
        cost, depth, used = problem.measured(tree)
        assert cost == expected[k] and depth <= problem.depth and used <= k, shown


def check_solve(problem: Medium, rng: Generator, certified: float) -> None:
    """So does the front door, which sorts, merges equal rows and counts weights of its own.

    That share of the results is certified and checked.
    """
    splits = int(rng.integers(0, 2**problem.depth)) if rng.random() < 0.4 else None
    X, y = problem.ranks.T.astype(float) - 0.5, problem.labels
    how: Any = {
        "sample_weight": problem.weights,
        "max_depth": problem.depth,
        "max_splits": splits,
        "min_samples_leaf": problem.least,
    }
    found = exactree.solve(X, y, n_jobs=int(rng.integers(1, 3)), **how)
    assert found.status == "optimal" and found.gap == 0, problem
    expected = problem.optimum(-1 if splits is None else splits, 0)
    assert found.objective * problem.unit == expected, (found, problem)
    if X.size <= 2000 and rng.random() < certified:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "proof.xz"
            certify(found, X, y, path, **how)
            assert prove(path, X, y, sample_weight=problem.weights).optimal, problem
