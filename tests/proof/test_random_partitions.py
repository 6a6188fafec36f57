"""Random plans over lists of partitions against brute force, and the lists of surfaces."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree.geometry import dichotomies, family_of
from exactree.partitions import unpacked
from exactree.proof.checking_partitions import Checker, Rejected, Rows, separated, vectors
from exactree.proof.listing import Prover, as_plan


def draw(rng: np.random.Generator) -> tuple[Rows, int, int | None]:
    n, count, classes = (int(rng.integers(*r)) for r in ((2, 9), (1, 14), (1, 4)))
    weight = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, np.int64)
    size = weight if rng.random() < 0.3 else np.ones(n, np.int64)
    costs = 1 - np.eye(classes, dtype=np.int64)
    if rng.random() < 0.3:
        costs = rng.integers(0, 5, (classes, classes))
    rows = Rows(
        rng.random((count, n)) < rng.choice([0.2, 0.5]),
        rng.integers(0, classes, n),
        weight,
        size,
        costs,
        int(rng.choice([0, 0, 1, 2])),
        int(rng.choice([1, 1, 2, 3])),
        Fraction(1),
    )
    splits = None if rng.random() < 0.5 else int(rng.integers(0, 6))
    return rows, int(rng.integers(0, 4)), splits


def brute_force(rows: Rows, depth: int, splits: int | None) -> int:
    """The optimum by trying all trees; it shares nothing with the checker."""

    @cache
    def best(inside: tuple[int, ...], depth: int, splits: int) -> int:
        answers = range(len(rows.costs))
        found = min(
            sum(int(rows.weight[i] * rows.costs[rows.label[i], a]) for i in inside) for a in answers
        )
        if depth == 0 or splits == 0:
            return found
        for mask in rows.masks:
            left = tuple(i for i in inside if mask[i])
            right = tuple(i for i in inside if not mask[i])
            sizes = [sum(int(rows.size[i]) for i in side) for side in (left, right)]
            if not left or not right or min(sizes) < rows.least:
                continue
            for k in range(splits):
                both = best(left, depth - 1, k) + best(right, depth - 1, splits - 1 - k)
                found = min(found, both + rows.penalty)
        return found

    return best(tuple(range(len(rows.label))), depth, 2**depth - 1 if splits is None else splits)


def invented(rng: np.random.Generator, rows: int) -> Iterator[int]:
    """A plan that is made up as it is read."""
    while True:
        yield 0 if rng.random() < 0.6 else int(rng.integers(1, rows + 1))


def compare(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    fine = tight = 0
    for _ in range(count):
        rows, depth, splits = draw(rng)
        optimum = brute_force(rows, depth, splits)
        every = np.ones(len(rows.label), bool)
        prover = Prover(rows)
        bounds, codes = prover.prove(every, depth, splits, optimum)
        assert bounds[-1, -1] == optimum
        checker = Checker(rows, as_plan(codes), prover.spent)
        assert checker.claim(every, depth, splits)[-1, -1] == optimum
        assert next(checker.plan, None) is None and checker.work == 0
        for _ in range(4):
            checker = Checker(rows, b"", 1 << 40)
            checker.plan = invented(rng, len(rows.label))
            try:
                shown = int(checker.claim(every, depth, splits)[-1, -1])
            except (Rejected, RecursionError):
                continue
            assert shown <= optimum
            fine += 1
            tight += shown == optimum
    assert count < fine and count // 4 < tight < fine


def test_random_plans() -> None:
    compare(0, 150)


@pytest.mark.fuzz
def test_many_random_plans() -> None:
    compare(int(np.random.SeedSequence().generate_state(1)[0]), 25_000)


def points(rng: np.random.Generator) -> NDArray[np.float64]:
    """Points of all kinds: in general position, on a grid, in a flat, repeated."""
    n, columns = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 6), (n, columns)).astype(float)
    if rng.random() < 0.3:
        X = rng.random((n, columns)).round(int(rng.integers(1, 17)))
    if columns > 1 and rng.random() < 0.3:
        X[:, -1] = X[:, 0] * 2
    return X


@pytest.mark.parametrize("seed", range(40))
def test_lists_of_surfaces(seed: int) -> None:
    """All partitions by surfaces, as the native search lists them: another way to them."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice(["hyperplane", "sphere", "axis_quadric", "polynomial"]))
    X = points(rng)
    part = {"name": name, "degree": 2 if name == "polynomial" else 1, "most": None}
    family = family_of("quadric" if name == "polynomial" else name)
    distinct, place = np.unique(X, axis=0, return_inverse=True)
    found = separated(vectors(part, distinct))[:, place.reshape(-1)]
    masks = unpacked(dichotomies(X, family).expanded(), len(X))
    assert one_way(found) == one_way(masks)


def one_way(masks: NDArray[np.bool_]) -> set[bytes]:
    """Partitions, whichever side is left, without the trivial one."""
    return {(mask ^ mask[0]).tobytes() for mask in masks} - {bytes(masks.shape[1])}
