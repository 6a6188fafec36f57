"""Random plans against brute force: none shows more than the optimum, a full one shows it."""

from __future__ import annotations

import numpy as np
import pytest
from larger_plans import LARGER
from larger_plans import compare as compare_larger
from random_plans import FAMILIES, axis, compare, shown_by_columns


@pytest.mark.parametrize("name", FAMILIES)
def test_random_plans(name: str) -> None:
    counts = compare(name, 0, 400)
    others = counts["plans"] - counts["full"]
    assert others // 10 < counts["tight"] < others, "neither all good nor all bad"


def test_classes_alone_show_a_bound() -> None:
    """Answers: a plan that lists nothing shows what the lightest classes weigh, and no more."""
    rng, told = np.random.default_rng(0), 0
    for _ in range(1500):
        problem = axis(rng, "axis")
        if problem.depth < 2 or problem.splits is not None:
            continue
        weights = np.sort(problem.rows.amounts.sum(1))
        wrong = int(weights[: max(0, len(weights) - 2**problem.depth)].sum())
        shown = shown_by_columns(problem, rng, 0)
        assert min(wrong, problem.leaf(list(range(len(problem.rows.label))))) <= shown
        assert shown <= problem.brute_force()
        told += wrong > 0
    assert told > 10


@pytest.mark.parametrize("name", LARGER)
def test_larger_problems(name: str) -> None:
    counts = compare_larger(name, 0, 60)
    assert 0 < counts["tight"] < counts["plans"] - counts["full"]


@pytest.mark.fuzz
@pytest.mark.parametrize("name", LARGER)
def test_many_larger_problems(name: str) -> None:
    compare_larger(name, int(np.random.SeedSequence().generate_state(1)[0]), 2_000)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", FAMILIES)
def test_many_random_plans(name: str) -> None:
    compare(name, int(np.random.SeedSequence().generate_state(1)[0]), 100_000)
