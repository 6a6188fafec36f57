"""Random plans for tiny problems, and what trying all trees finds: no plan may show more.

A family is what is drawn, what trying all trees costs, and what a plan shows. Brute force shares
nothing with the checkers: it is told what a set of rows costs in a leaf and how it can be parted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from forging import as_plan
from numpy.typing import NDArray

from exactree.proof import checking, checking_binary, checking_partitions, checking_squared
from exactree.proof.listing import Prover
from exactree.proof.listing import as_plan as as_codes

Ints = NDArray[np.int64]
Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Problem:
    """A tiny problem: rows, budgets, and how a set of rows can be parted and what it costs."""

    rows: Any
    depth: int
    splits: int | None
    masks: NDArray[np.bool_]
    leaf: Callable[[list[int]], Any]
    penalty: Any

    def brute_force(self) -> Any:
        """The optimum by trying all trees. A set of rows is a number, a bit for each."""
        bits = [1 << i for i in range(self.masks.shape[1])]
        masks = {sum(b for b, left in zip(bits, mask, strict=True) if left) for mask in self.masks}
        sizes = self.rows.size

        @cache
        def alone(inside: int) -> tuple[Any, int]:
            rows = [i for i, bit in enumerate(bits) if inside & bit]
            return self.leaf(rows), sum(int(sizes[i]) for i in rows)

        @cache
        def best(inside: int, depth: int, splits: int) -> Any:
            found = alone(inside)[0]
            if depth == 0 or splits == 0:
                return found
            for left, right in {(inside & mask, inside & ~mask) for mask in masks}:
                if not left or not right:
                    continue
                if min(alone(left)[1], alone(right)[1]) < self.rows.least:
                    continue
                for k in range(splits):
                    both = best(left, depth - 1, k) + best(right, depth - 1, splits - 1 - k)
                    found = min(found, both + self.penalty)
            return found

        every = 2**self.depth - 1 if self.splits is None else self.splits
        return best(sum(bits), self.depth, min(every, 2**self.depth - 1))


def budgets(rng: Generator) -> tuple[int, int | None]:
    return int(rng.choice([1, 2, 2, 2, 3])), [None, int(rng.integers(0, 7))][
        int(rng.random() < 0.4)
    ]


def thresholds(ranks: Ints) -> NDArray[np.bool_]:
    found = [column <= cut for column in ranks for cut in range(column.max())]
    return np.array(found, bool).reshape(-1, ranks.shape[1])


def ranked(rng: Generator, n: int, *, values: int) -> Ints:
    columns = range(int(rng.integers(1, 4)))
    drawn = [rng.integers(0, rng.integers(2, values + 1), n) for _ in columns]
    return np.stack([np.unique(c, return_inverse=True)[1] for c in drawn]).astype(np.int64)


def of_classes(rng: Generator, kind: str, n: int, rows: Any) -> Callable[[list[int]], int]:
    """Draw labels, weights, costs and a least size; give what a leaf costs."""
    classes = int(rng.integers(2, 6))
    rows.label = rng.integers(0, classes, n)
    rows.weight = np.ones(n, np.int64) if rng.random() < 0.5 else rng.integers(1, 4, n)
    if kind == "heavy":
        rows.weight = rows.weight * (1 << 50) + rng.integers(0, 1000, n)
    rows.costs = 1 - np.eye(classes, dtype=np.int64)
    if kind == "costs":
        rows.costs = rng.integers(0, 5, (classes, classes))
    rows.plain, rows.classes, rows.unit = kind != "costs", classes, Fraction(1)
    rows.penalty = int(rng.choice([0, 0, 1, 2]))
    rows.size, rows.least = np.ones(n, np.int64), 1
    if kind == "sizes":
        rows.size = rows.weight if rng.random() < 0.5 else rows.size
        rows.least = int(rng.integers(2, 4))
    rows.variants = 1 if rows.least <= 1 else 2
    by_label = rows.weight * (rows.label == np.arange(classes)[:, None])
    exact = np.float32 if kind != "heavy" else np.int64
    rows.amounts = np.vstack([by_label, *[rows.size] * (rows.variants - 1)]).astype(exact)
    weight, table, label = rows.weight.tolist(), rows.costs.tolist(), rows.label.tolist()

    def leaf(inside: list[int]) -> int:
        return min(sum(int(weight[i] * table[label[i]][a]) for i in inside) for a in range(classes))

    return leaf


def axis(rng: Generator, kind: str) -> Problem:
    n, rows = int(rng.integers(3, 10)), checking.Rows.__new__(checking.Rows)
    rows.ranks = ranked(rng, n, values=2 if kind == "binary" else 8)
    leaf = of_classes(rng, kind, n, rows)
    return Problem(rows, *budgets(rng), thresholds(rows.ranks), leaf, rows.penalty)


def pairs(rng: Generator, kind: str) -> Problem:
    """Columns of two values, by the rules for pairs of them."""
    n, rows = int(rng.integers(3, 12)), checking_binary.Rows.__new__(checking_binary.Rows)
    rows.ranks = rng.integers(0, 2, (int(rng.integers(1, 6)), n)).astype(np.int64)
    what = kind.removeprefix("pairs").strip(", ")
    leaf = of_classes(rng, what, n, rows)
    depth = int(rng.choice([1, 2, 3, 3, 4]))
    return Problem(rows, depth, budgets(rng)[1], thresholds(rows.ranks), leaf, rows.penalty)


def squared(rng: Generator, kind: str) -> Problem:
    n = int(rng.integers(3, 9))
    X = ranked(rng, n, values=8).T.astype(float)
    targets = rng.integers(0, 9, n) * 1.0, rng.random(n), 1e9 + rng.random(n)
    y: NDArray[np.float64] = targets[int(rng.integers(3))].astype(np.float64)
    weights = [None, rng.integers(1, 4, n).astype(float)][int(rng.random() < 0.4)]
    by_weight = weights is not None and rng.random() < 0.4
    header = {
        "rows": n,
        "columns": X.shape[1],
        "feature_names": None,
        "weights": weights is not None,
        "data": checking_squared.data_digest(X, y, weights),
        "unit": "1",
        "penalty": str(rng.choice(["0", "1", "1/7"])),
        "min_weight_leaf": "2" if by_weight else "0",
        "min_samples_leaf": 1 if by_weight else int(rng.choice([1, 1, 2, 3])),
        "rounded": False,
    }
    rows = checking_squared.Rows(header, X, y, weights)

    def leaf(inside: list[int]) -> Fraction:
        pairs = [rows.exact[i] for i in inside]
        weight, total = sum(w for w, _ in pairs), sum(w * t for w, t in pairs)
        return sum((w * t * t for w, t in pairs), Fraction(0)) - Fraction(total * total) / weight

    penalty = Fraction(header["penalty"])
    return Problem(rows, *budgets(rng), thresholds(rows.ranks), leaf, penalty)


def partitions(rng: Generator, kind: str) -> Problem:
    n, rows = int(rng.integers(3, 9)), checking_partitions.Rows.__new__(checking_partitions.Rows)
    masks = rng.random((int(rng.integers(1, 12)), n)) < rng.choice([0.2, 0.5])
    if kind == "surfaces":
        X = rng.integers(0, 5, (n, 2)).astype(float)
        distinct, place = np.unique(X, axis=0, return_inverse=True)
        part = {"name": str(rng.choice(["hyperplane", "sphere"])), "degree": 1, "most": None}
        vectors = checking_partitions.vectors(part, distinct)
        masks = checking_partitions.separated(vectors)[:, place.reshape(-1)]
    drawn = checking.Rows.__new__(checking.Rows)
    leaf = of_classes(rng, str(rng.choice(["costs", "sizes", "plain"])), n, drawn)
    names = ("label", "weight", "size", "costs", "penalty", "least", "unit")
    for name in names:
        setattr(rows, name, getattr(drawn, name))
    rows.masks = masks
    return Problem(rows, *budgets(rng), masks, leaf, rows.penalty)


# --- Plans ------------------------------------------------------------------------------------


def by_columns(
    problem: Problem, order: Ints, depth: int, splits: int | None, rng: Generator, share: float
) -> list[int]:
    """Choose every threshold, and every side of it, with a probability."""
    rows = problem.rows
    depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)
    if isinstance(rows, checking.Rows):
        leaf = problem.leaf(order[0].tolist())
        if leaf == 0 or rows.penalty:
            depth = min(depth, (leaf - 1) // rows.penalty) if leaf else 0
    out: list[int] = []
    for f, inside in enumerate(order if depth > 1 else []):
        places = np.flatnonzero(np.diff(rows.ranks[f, inside])) + 1
        taken = places[rng.random(len(places)) < share]
        used = rng.random((len(taken), 2)) < max(share, 0.5)
        out += [len(taken), *(np.diff(taken, prepend=0) * 4 + used @ [1, 2]).tolist()]
        for p, (left, right) in zip(taken, used, strict=True) if depth > 2 else ():
            for side, wanted in ((inside[:p], left), (inside[p:], right)):
                if wanted:
                    kept = order[np.isin(order, side)].reshape(len(order), -1)
                    below = None if splits is None else splits - 1
                    out += by_columns(problem, kept, depth - 1, below, rng, share)
    return out


def shown_by_columns(problem: Problem, rng: Generator, share: float) -> Any:
    """What a random plan shows; a share of 1: a full one."""
    rows, depth, splits = problem.rows, problem.depth, problem.splits
    order = np.argsort(rows.ranks, axis=1, kind="stable")
    plan = as_plan(by_columns(problem, order, depth, splits, rng, share))
    module = checking if isinstance(rows, checking.Rows) else checking_squared
    checker = module.Checker(rows, plan, 1 << 40)
    bound = checker.claim(order, depth, splits)[-1, -1]
    assert next(checker.plan, None) is None and checker.work >= 0
    return int(bound) if module is checking else rows.true(float(bound))


def by_sides(
    problem: Problem, inside: Ints, depth: int, splits: int | None, rng: Generator, share: float
) -> list[int]:
    """Choose every column, and every side of it, with a probability."""
    rows, leaf = problem.rows, problem.leaf(inside.tolist())
    depth = min(depth, len(inside) - 1, depth if splits is None else splits)
    if leaf == 0 or rows.penalty:
        depth = min(depth, (leaf - 1) // rows.penalty) if leaf else 0
    if depth < 3:
        return []
    codes, claims, last = [], [], -1
    for j, column in enumerate(rows.ranks):
        sides = [inside[column[inside] == s] for s in range(2)]
        if rng.random() >= share or not all(map(len, sides)):
            continue
        used = rng.random(2) < max(share, 0.5)
        codes.append((j - last) << 2 | int(used @ [1, 2]))
        last, below = j, None if splits is None else splits - 1
        for side, wanted in zip(sides, used, strict=True):
            if wanted:
                claims += by_sides(problem, side, depth - 1, below, rng, share)
    return [len(codes), *codes, *claims]


def shown_by_pairs(problem: Problem, rng: Generator, share: float) -> int:
    rows, depth, splits = problem.rows, problem.depth, problem.splits
    every = np.arange(len(rows.label))
    plan = as_plan(by_sides(problem, every, depth, splits, rng, share))
    checker = checking_binary.Checker(rows, plan, 1 << 40)
    bound = checker.claim(every, depth, splits)[-1, -1]
    assert next(checker.plan, None) is None
    return int(bound)


def shown_by_cells(problem: Problem, rng: Generator, share: float) -> Any:
    """The same over partitions: a full plan is the prover's; None if a random one is no plan."""
    rows, depth, splits = problem.rows, problem.depth, problem.splits
    every = np.ones(len(rows.label), bool)
    if share == 1:
        prover = Prover(rows)
        _, codes = prover.prove(every, depth, splits, problem.brute_force())
        checker = checking_partitions.Checker(rows, as_codes(codes), prover.spent)
    else:
        checker = checking_partitions.Checker(rows, b"", 1 << 40)
        checker.plan = invented(rng, len(rows.label), share)
    try:
        bound = checker.claim(every, depth, splits)[-1, -1]
    except (checking_partitions.Rejected, RecursionError):
        return None
    assert share < 1 or (next(checker.plan, None) is None and checker.work == 0)
    return int(bound)


def invented(rng: Generator, rows: int, share: float) -> Iterator[int]:
    """A plan that is made up as it is read."""
    while True:
        yield 0 if rng.random() < share else int(rng.integers(1, rows + 1))


@dataclass(frozen=True)
class Family:
    """A family of problems with its plans."""

    draw: Callable[[Generator, str], Problem]
    shown: Callable[[Problem, Generator, float], Any]


FAMILIES = {
    **{
        kind: Family(axis, shown_by_columns)
        for kind in ("axis", "binary", "costs", "sizes", "heavy")
    },
    **{
        kind: Family(pairs, shown_by_pairs)
        for kind in ("pairs", "pairs, costs", "pairs, sizes", "pairs, heavy")
    },
    "squared": Family(squared, shown_by_columns),
    **{kind: Family(partitions, shown_by_cells) for kind in ("partitions", "surfaces")},
}


def compare(name: str, seed: int, plans: int) -> dict[str, int]:
    """Compare so many plans of a family, twelve for a problem, with brute force."""
    rng, family = np.random.default_rng(seed), FAMILIES[name]
    counts = {"problems": 0, "plans": 0, "full": 0, "tight": 0, "none": 0}
    while counts["plans"] < plans:
        problem = family.draw(rng, name)
        optimum = problem.brute_force()
        counts["problems"] += 1
        for share in (1.0, *rng.choice([0.8, 0.6, 0.4, 0.25], 11)):
            shown = family.shown(problem, rng, float(share))
            if shown is None:
                counts["none"] += 1
                continue
            assert shown <= optimum, (name, seed, counts)
            exact = shown == optimum if name != "squared" else close(problem, shown, optimum)
            assert exact or share < 1, (name, seed, counts)
            counts["plans"] += 1
            counts["full"] += share == 1
            counts["tight"] += bool(exact and share < 1)
    return counts


def close(problem: Problem, shown: Fraction, optimum: Fraction) -> bool:
    """Whether a squared error is shown but for rounding."""
    squares = float(sum(w * t * t for w, t in problem.rows.exact))
    return float(optimum - shown) <= 1e-11 * max(1.0, squares * 1e-16 + 1)
