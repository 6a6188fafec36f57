"""Random plans against brute force: none shows more than the optimum, a full one shows it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from forging import as_plan
from numpy.typing import NDArray

from exactree.proof.checking import Checker, Rows

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Draw:
    """A tiny problem with its budgets."""

    rows: Rows
    depth: int
    splits: int | None

    def brute_force(self) -> int:
        """The optimum by trying all trees; it shares nothing with the checker."""
        rows, classes = self.rows, self.rows.classes
        costs = 1 - np.eye(classes, dtype=int) if rows.costs is None else rows.costs

        @cache
        def best(inside: tuple[int, ...], depth: int, splits: int) -> int:
            weights = [0] * classes
            for i in inside:
                weights[rows.label[i]] += int(rows.weight[i])
            answers = range(classes)
            found = min(sum(w * int(costs[c, a]) for c, w in enumerate(weights)) for a in answers)
            if depth == 0 or splits == 0:
                return found
            for ranks in rows.ranks:
                for cut in {int(ranks[i]) for i in inside}:
                    left = tuple(i for i in inside if ranks[i] <= cut)
                    right = tuple(i for i in inside if ranks[i] > cut)
                    sizes = [sum(int(rows.size[i]) for i in side) for side in (left, right)]
                    if not right or min(sizes) < rows.least:
                        continue
                    for k in range(splits):
                        both = best(left, depth - 1, k) + best(right, depth - 1, splits - 1 - k)
                        found = min(found, both + rows.penalty)
            return found

        splits = 2**self.depth - 1 if self.splits is None else self.splits
        return best(tuple(range(len(rows.label))), self.depth, splits)

    def plan(self, rng: np.random.Generator, share: float) -> list[int]:
        """Choose every threshold, and every side of it, with a probability."""
        order = np.argsort(self.rows.ranks, axis=1, kind="stable")
        return self._plan(order, self.depth, self.splits, rng, share)

    def _plan(
        self, order: Ints, depth: int, splits: int | None, rng: np.random.Generator, share: float
    ) -> list[int]:
        rows = self.rows
        leaf = int(rows.answers(order[0]).min())
        depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)
        if leaf == 0:
            return []
        if rows.penalty:
            depth = min(depth, (leaf - 1) // rows.penalty)
        out: list[int] = []
        for f, inside in enumerate(order if depth > 1 else []):
            places = np.flatnonzero(np.diff(rows.ranks[f, inside])) + 1
            taken = [int(p) for p in places if rng.random() < share]
            used = rng.random((len(taken), 2)) < max(share, 0.5)
            codes = np.diff(taken, prepend=0) * 4 + used @ [1, 2]
            out += [len(taken), *map(int, codes)]
            for p, (left, right) in zip(taken, used, strict=True):
                for side, wanted in ((inside[:p], left), (inside[p:], right)):
                    if wanted:
                        kept = order[np.isin(order, side)].reshape(len(order), -1)
                        below = None if splits is None else splits - 1
                        out += self._plan(kept, depth - 1, below, rng, share)
        return out

    def shown(self, plan: list[int]) -> int:
        """What a plan shows."""
        order = np.argsort(self.rows.ranks, axis=1, kind="stable")
        checker = Checker(self.rows, as_plan(plan), 1 << 40)
        bound = int(checker.claim(order, self.depth, self.splits)[-1, -1])
        assert next(checker.plan, None) is None
        return bound


def draw(rng: np.random.Generator) -> Draw:
    n, features, classes = (int(rng.integers(*r)) for r in ((2, 11), (1, 4), (1, 4)))
    ranks = np.stack(
        [
            np.unique(rng.integers(0, rng.integers(2, 9), n), return_inverse=True)[1]
            for _ in range(features)
        ]
    )
    weight = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, np.int64)
    size, costs = np.ones(n, np.int64), None
    kind = rng.choice(["plain", "heavy", "costs", "sized"], p=[0.5, 0.1, 0.2, 0.2])
    if kind == "heavy":
        weight = weight * (1 << 50) + rng.integers(0, 1000, n)
    elif kind == "costs":
        costs = rng.integers(0, 5, (classes, classes))
    elif kind == "sized":
        size = weight
    least, penalty = int(rng.choice([1, 1, 2, 3])), int(rng.choice([0, 0, 1, 2]))
    rows = Rows(
        ranks.astype(np.int64),
        rng.integers(0, classes, n),
        weight,
        size,
        costs,
        classes,
        penalty,
        least,
        Fraction(1),
    )
    splits: Any = None if rng.random() < 0.5 else int(rng.integers(0, 8))
    return Draw(rows, int(rng.integers(0, 4)), splits)


def compare(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    tight = 0
    for _ in range(count):
        drawn = draw(rng)
        optimum = drawn.brute_force()
        assert drawn.shown(drawn.plan(rng, 1.0)) == optimum
        for share in (0.7, 0.5, 0.3):
            shown = drawn.shown(drawn.plan(rng, share))
            assert shown <= optimum
            tight += shown == optimum
    assert count // 10 < tight < 3 * count, "random plans should be neither all good nor all bad"


def test_random_plans() -> None:
    compare(0, 250)


@pytest.mark.fuzz
def test_many_random_plans() -> None:
    compare(int(np.random.SeedSequence().generate_state(1)[0]), 25_000)
