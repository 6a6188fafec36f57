"""Random plans of squared errors against brute force: none shows more than the optimum."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from forging import as_plan
from numpy.typing import NDArray

from exactree.proof.checking_squared import Checker, Rows, prepared

Ints = NDArray[np.int64]


def draw(rng: np.random.Generator) -> tuple[dict[str, Any], NDArray[Any], NDArray[Any], Any]:
    """A header of a tiny problem, with its data."""
    n, features = int(rng.integers(2, 10)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 9), (n, features)).astype(float)
    kind = rng.choice(["whole", "real", "huge"])
    y = {"whole": rng.integers(0, 9, n) * 1.0, "real": rng.random(n), "huge": 1e9 + rng.random(n)}[
        str(kind)
    ]
    weights = [None, rng.integers(1, 4, n).astype(float)][int(rng.random() < 0.4)]
    header = {
        "unit": "1",
        "penalty": str(rng.choice(["0", "1", "1/7"])),
        "min_weight_leaf": str(rng.choice(["0", "0", "2"])) if weights is not None else "0",
        "min_samples_leaf": 1,
        "rounded": False,
        "max_depth": int(rng.integers(0, 4)),
        "max_splits": [None, int(rng.integers(0, 6))][int(rng.random() < 0.5)],
    }
    if header["min_weight_leaf"] == "0":
        header["min_samples_leaf"] = int(rng.choice([1, 1, 2, 3]))
    return header, X, y, weights


def brute_force(rows: Rows, depth: int, splits: int | None, penalty: Fraction) -> Fraction:
    """The optimum by trying all trees, exactly; it shares nothing with the checker."""

    @cache
    def best(inside: tuple[int, ...], depth: int, splits: int) -> Fraction:
        pairs = [rows.exact[i] for i in inside]
        weight, total = sum(w for w, _ in pairs), sum(w * t for w, t in pairs)
        found = sum(w * t * t for w, t in pairs) - Fraction(total * total) / weight
        if depth == 0 or splits == 0:
            return Fraction(found)
        for ranks in rows.ranks:
            for cut in {int(ranks[i]) for i in inside}:
                left = tuple(i for i in inside if ranks[i] <= cut)
                right = tuple(i for i in inside if ranks[i] > cut)
                if not right or min(rows.size[list(s)].sum() for s in (left, right)) < rows.least:
                    continue
                for k in range(splits):
                    both = best(left, depth - 1, k) + best(right, depth - 1, splits - 1 - k)
                    found = min(found, both + penalty)
        return Fraction(found)

    return best(tuple(range(len(rows.sums))), depth, 2**depth - 1 if splits is None else splits)


def plan(
    rows: Rows,
    order: Ints,
    depth: int,
    splits: int | None,
    rng: np.random.Generator,
    share: float,
) -> list[int]:
    """Choose every threshold, and every side of it, with a probability."""
    depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)
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
                    out += plan(rows, kept, depth - 1, below, rng, share)
    return out


def compare(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    tight = 0
    for _ in range(count):
        header, X, y, weights = draw(rng)
        rows, _ = prepared(header, X, y, weights)
        order = np.argsort(rows.ranks, axis=1, kind="stable")
        depth, splits = header["max_depth"], header["max_splits"]
        optimum = brute_force(rows, depth, splits, Fraction(header["penalty"]))
        for share in (1.0, 0.7, 0.4):
            codes = plan(rows, order, depth, splits, rng, share)
            checker = Checker(rows, as_plan(codes), 1 << 40)
            shown = rows.true(float(checker.claim(order, depth, splits)[-1, -1]))
            assert next(checker.plan, None) is None
            assert shown <= optimum
            close = float(optimum - shown) <= 1e-11 * max(
                1.0, float(sum(w * t * t for w, t in rows.exact)) * 1e-16 + 1
            )
            assert close or share < 1
            tight += close and share < 1
    assert count // 10 < tight < 2 * count, "random plans should be neither all good nor all bad"


def test_random_plans() -> None:
    compare(0, 120)


@pytest.mark.fuzz
def test_many_random_plans() -> None:
    compare(int(np.random.SeedSequence().generate_state(1)[0]), 34_000)
