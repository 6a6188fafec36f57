"""What a search has proved and found at any moment: the bound below the optimum, the tree above it.

With the bit after the last pruning the native search has all its rounds in small problems too, and
notes its bound after every threshold: one run shows it at hundreds of moments.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from medium import (
    PRUNINGS,
    Generator,
    Medium,
    draw_budgets,
    draw_columns,
    draw_rows,
    lighter,
    many_rows,
    thresholds,
    two_values,
)

from exactree import _native

EVERYWHERE = 1 << PRUNINGS


def many_levels(rng: Generator, most: float) -> Medium:
    """Few rows and values at four and five levels."""
    distinct = rng.choice([3, 4, 6], size=3)
    ranks = draw_columns(rng, int(rng.integers(20, 61)), distinct)
    return draw_rows(rng, *lighter(ranks, int(rng.choice([4, 5])), most))


KINDS: dict[str, tuple[Callable[[Generator, float], Medium], int, float]] = {
    "thresholds": (thresholds, 150, 1e6),
    "two values": (two_values, 60, 1e6),
    "many levels": (many_levels, 60, 2e6),
    "many rows": (many_rows, 3, 2e6),
}


def check_history(found: _native.SearchResult, optimum: int, shown: str) -> None:
    """Every moment has a bound and a tree on either side of the optimum, and neither gets worse."""
    before = (0.0, found.history[0][1], 0)
    for moment in found.history:
        seconds, objective, bound = moment
        assert bound <= optimum <= objective, f"{moment}, {optimum=}, {shown}"
        assert seconds >= before[0] and objective <= before[1] and bound >= before[2], shown
        before = moment


@pytest.mark.parametrize("kind", KINDS)
def test_bound_and_tree_at_every_moment(kind: str) -> None:
    draw, count, most = KINDS[kind]
    rng, moments = np.random.default_rng(20), 0
    for _ in range(count):
        problem = draw(rng, most)
        terms: dict[str, Any] = draw_budgets(rng, problem)
        terms["threads"] = int(rng.choice([1, 2]))
        off = 1 << int(rng.integers(PRUNINGS)) if rng.random() < 0.5 else 0
        found = problem.searched(switches=EVERYWHERE | off, **terms)
        optimum = problem.optimum(terms["max_splits"], terms["penalty"])
        assert found.objective == found.lower_bound == optimum, f"{terms} {problem}"
        check_history(found, optimum, f"{terms} {problem}")
        other = problem.searched(switches=EVERYWHERE | off, **{**terms, "threads": 3})
        assert other.tree == found.tree, f"{terms} {problem}"
        moments += len(found.history)
    assert moments > 5 * count


def four_levels(rng: Generator) -> Medium:
    """Problems that take tenths of a second."""
    distinct = rng.choice([6, 12, 20], size=4)
    return draw_rows(rng, draw_columns(rng, int(rng.integers(100, 201)), distinct), 4)


@pytest.mark.parametrize("sizes", [False, True])
def test_stopped_at_random_moments(sizes: bool) -> None:
    rng = np.random.default_rng(21 + sizes)
    stopped = 0
    for _ in range(3):
        problem = four_levels(rng)
        terms: dict[str, Any] = {"max_splits": 6, "sizes": True} if sizes else {}
        whole = problem.searched(**terms)
        assert whole.status == "optimal"
        for _ in range(6):
            switches = int(rng.choice([0, EVERYWHERE]))
            limit = float(rng.random()) * whole.seconds
            part = problem.searched(time_limit=limit, switches=switches, **terms)
            assert part.lower_bound <= whole.objective <= part.objective
            check_history(part, whole.objective, f"{limit} {problem}")
            bounds = zip(
                part.size_lower_bounds, whole.size_objectives, part.size_objectives, strict=True
            )
            assert all(low <= best <= high for low, best, high in bounds)
            cost, depth, _ = problem.measured(part.tree)
            assert cost == part.objective and depth <= problem.depth
            stopped += part.status == "time_limit"
    assert stopped > 3
