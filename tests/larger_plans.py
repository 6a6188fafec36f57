"""Random plans for problems of up to 200 rows, so that blocks of splits and chunks are met.

What is best is found by a plain recursion over all splits, with arrays for the last level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from random_plans import (
    Family,
    Generator,
    Problem,
    of_classes,
    shown_by_columns,
    shown_by_pairs,
    thresholds,
)

from exactree.proof import checking, checking_binary, checking_squared

Bools = NDArray[np.bool_]


class Larger(Problem):
    """A problem that is solved by trying all trees, the last splits together."""

    def brute_force(self) -> Any:
        every = np.ones((1, self.masks.shape[1]), bool)
        most = 2**self.depth - 1 if self.splits is None else self.splits
        return self.best(every, self.depth, most)[-1]

    def leaves(self, sets: Bools) -> NDArray[Any]:
        """What each set of rows costs in a leaf."""
        rows = self.rows
        if isinstance(rows, checking_squared.Rows):
            weight, target = (np.array([float(p[i]) for p in rows.exact]) for i in range(2))
            W, P, Q = sets @ weight, sets @ (weight * target), sets @ (weight * target**2)
            return np.asarray(Q - P**2 / np.maximum(W, 1))
        each = rows.weight[:, None] * rows.costs[rows.label]
        return np.asarray((sets.astype(np.int64) @ each).min(1))

    def best(self, inside: Bools, depth: int, most: int) -> list[Any]:
        """The least costs with at most 0, 1, ... splits."""
        found = [self.leaves(inside)[0]] * (most + 1)
        if depth == 0 or most == 0:
            return found
        left, right = self.masks & inside, ~self.masks & inside
        size = [side.astype(np.int64) @ self.rows.size.astype(np.int64) for side in (left, right)]
        allowed = left.any(1) & right.any(1) & (np.minimum(*size) >= self.rows.least)
        left, right = left[allowed], right[allowed]
        if depth == 1:
            costs = self.leaves(left) + self.leaves(right) + self.penalty
            return found[:1] + [costs.min(initial=found[0])] * most
        for a, b in zip(left, right, strict=True):
            one, two = (self.best(side[None], depth - 1, most - 1) for side in (a, b))
            for k in range(1, most + 1):
                both = min(one[i] + two[k - 1 - i] for i in range(k)) + self.penalty
                found[k] = min(found[k], both)
        return [min(found[: k + 1]) for k in range(most + 1)]


def drawn(rng: Generator) -> tuple[int, int, int | None, int]:
    """Rows, levels, splits, and how many values a column has at most."""
    depth = int(rng.choice([1, 2, 2, 2, 3]))
    splits = int(rng.integers(1, 4)) if rng.random() < 0.3 else None
    return int(rng.integers(20, 200)), depth, splits, 5 if depth == 3 else 40


def columns(rng: Generator, n: int, values: int) -> NDArray[np.int64]:
    found = [rng.integers(0, values, n) for _ in range(int(rng.integers(1, 3)))]
    return np.stack([np.unique(c, return_inverse=True)[1] for c in found]).astype(np.int64)


def axis(rng: Generator, kind: str) -> Problem:
    n, depth, splits, values = drawn(rng)
    rows = checking.Rows.__new__(checking.Rows)
    rows.ranks = columns(rng, n, values)
    of_classes(rng, kind, n, rows)
    rows.label = np.where(rows.ranks[0] > values // 3, rows.label, rows.classes - 1)
    return Larger(rows, depth, splits, thresholds(rows.ranks), sums_of(rows), rows.penalty)


def pairs(rng: Generator, kind: str) -> Problem:
    n, depth = int(rng.integers(20, 300)), int(rng.choice([2, 3, 3]))
    rows = checking_binary.Rows.__new__(checking_binary.Rows)
    rows.ranks = rng.integers(0, 2, (int(rng.integers(2, 9)), n)).astype(np.int64)
    rows.ranks[-1] = 1 - rows.ranks[0]
    of_classes(rng, kind, n, rows)
    rows.label = np.where(rows.ranks[0] & rows.ranks[1], rows.label, rows.classes - 1)
    splits = int(rng.integers(1, 5)) if rng.random() < 0.3 else None
    return Larger(rows, depth, splits, thresholds(rows.ranks), sums_of(rows), rows.penalty)


def sums_of(rows: Any) -> Any:
    """What a leaf costs, and what checkers sum up, of labels that were drawn again."""
    by_label = rows.weight * (rows.label == np.arange(rows.classes)[:, None])
    sizes = [rows.size] * (rows.variants - 1)
    rows.amounts = np.vstack([by_label, *sizes]).astype(rows.amounts.dtype)
    return lambda inside: int((by_label[:, inside].sum(1) @ rows.costs).min())


def squared(rng: Generator, kind: str) -> Problem:
    n, depth, splits, values = drawn(rng)
    X = columns(rng, n, values).T.astype(float)
    y = (X[:, 0] > values // 3) * 3.0 + rng.integers(0, 5, n)
    weights = rng.integers(1, 4, n).astype(float) if rng.random() < 0.4 else None
    header = {
        "rows": n,
        "columns": X.shape[1],
        "feature_names": None,
        "weights": weights is not None,
        "data": checking_squared.data_digest(X, y, weights),
        "unit": "1",
        "penalty": str(rng.choice(["0", "3"])),
        "min_weight_leaf": "0",
        "min_samples_leaf": int(rng.choice([1, 1, 5])),
        "rounded": False,
    }
    rows = checking_squared.Rows(header, X, y, weights)
    return Larger(rows, depth, splits, thresholds(rows.ranks), len, int(header["penalty"]))


LARGER = {
    **{f"larger {kind}": Family(axis, shown_by_columns) for kind in ("plain", "costs", "sizes")},
    **{
        f"larger pairs, {kind}": Family(pairs, shown_by_pairs)
        for kind in ("plain", "costs", "sizes")
    },
    "larger squared": Family(squared, shown_by_columns),
}


def compare(name: str, seed: int, plans: int) -> dict[str, int]:
    """Compare so many plans, four for a problem, with trying all trees."""
    rng, family = np.random.default_rng(seed), LARGER[name]
    counts = {"plans": 0, "full": 0, "tight": 0}
    kind = name.removeprefix("larger ").removeprefix("pairs, ")
    while counts["plans"] < plans:
        problem = family.draw(rng, kind)
        optimum = problem.brute_force()
        for share in (1.0, *rng.choice([0.5, 0.2, 0.1], 3)):
            shown = family.shown(problem, rng, float(share))
            slack = 1e-9 * max(1.0, float(optimum)) if kind == "squared" else 0
            assert shown <= optimum + slack, (name, seed, counts)
            exact = shown >= optimum - slack
            assert exact or share < 1, (name, seed, counts)
            counts["plans"] += 1
            counts["full"] += share == 1
            counts["tight"] += bool(exact and share < 1)
    return counts
