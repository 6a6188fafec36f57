"""A price for each split, size by size: against brute force over all trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from exactree import Progress
from exactree.engines.brute_force import brute_force
from exactree.engines.search import search
from exactree.engines.upwards import upwards
from exactree.engines.watch import RunSplits
from exactree.engines.without_depth import by_splits_of
from exactree.problem import Found, Limits, Number, OnProgress, Problem
from exactree.tree import size


def random_problem(rng: np.random.Generator) -> Problem:
    rows = int(rng.integers(6, 13))
    X = rng.integers(0, rng.integers(3, 9), size=(rows, int(rng.integers(1, 4))))
    y = rng.integers(0, 2 + int(rng.random() < 0.3), rows)
    order = np.lexsort((y, *X.T[::-1]))
    columns = np.stack([np.unique(c, return_inverse=True)[1] for c in X[order].T]).astype(np.int32)
    labels = np.unique(y[order], return_inverse=True)[1].astype(np.int32)
    top = int(rng.choice([0, 0, 4]))
    unit = 1 if top else 3
    return Problem(
        columns,
        labels,
        int(labels.max()) + 1,
        weights=rng.integers(1, top + 1, rows) if top else None,
        unit=unit,
        penalty=int(rng.integers(1, 3)),
        max_depth=rows,
        max_splits=int(rng.integers(4, 7)) if rng.random() < 0.3 else None,
    )


class Counting:
    """The search by splits; how often it was asked for a size, and for all of them."""

    def __init__(self, problem: Problem) -> None:
        found = by_splits_of(problem, {})
        assert found is not None
        self.run: RunSplits = found
        self.sizes = self.others = 0

    def __call__(
        self, problem: Problem, limits: Limits, show: OnProgress | None, below: Number, levels: int
    ) -> Found | None:
        self.sizes += not problem.penalty
        self.others += bool(problem.penalty)
        return self.run(problem, limits, show, below, levels)


def check(seed: int, count: int) -> int:
    """Compare with brute force. How many optimal trees had more than three splits."""
    rng = np.random.default_rng(seed)
    large = 0
    for _ in range(count):
        problem = random_problem(rng)
        least = brute_force(problem, Limits()).objective
        by_splits = Counting(problem)
        seen: list[Progress] = []
        found = upwards(search, problem, Limits(), seen.append, by_splits)
        assert (found.status, found.objective, found.lower_bound) == ("optimal", least, least)
        assert all(told.lower_bound <= least <= told.objective for told in seen)
        stopped = upwards(search, problem, Limits(seconds=1e-3), None, by_splits)
        assert stopped.lower_bound <= least <= stopped.objective
        large += size(found.tree) > 3 and by_splits.sizes > 0
    return large


@pytest.mark.parametrize("seed", range(3))
def test_sizes_of_a_price_equal_brute_force(seed: int) -> None:
    assert check(seed, 40) > 0


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(300, 320))
def test_sizes_of_a_price_at_length(seed: int) -> None:
    check(seed, 200)


def test_very_many_sizes_are_searched_at_once() -> None:
    ranks, labels = np.arange(40, dtype=np.int32)[None], (np.arange(40) % 2).astype(np.int32)
    problem = Problem(ranks, labels, 2, unit=5, penalty=4, max_depth=39)
    by_splits = Counting(problem)
    found = upwards(search, problem, Limits(), None, by_splits)
    assert (by_splits.sizes, by_splits.others) == (0, 1)
    assert found.status == "optimal" and found.objective == 99  # an end is cut off
    cheap = replace(problem, penalty=19)
    assert upwards(search, cheap, Limits(), None, by_splits).objective == 100
    assert by_splits.sizes > 0
