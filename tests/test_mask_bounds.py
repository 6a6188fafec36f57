"""What a search over side masks has proved when it is stopped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactree import _native, solve
from exactree.datasets import ground_truth
from exactree.geometry import dichotomies


def planes(n: int, seed: int, columns: int = 3) -> tuple[Any, Any]:
    """All planes among noisy points, and the labels of these."""
    truth = ground_truth(n, columns, splits="hyperplane", noise=0.3, seed=seed)
    return dichotomies(truth.X, "hyperplane").expanded(), truth.y.astype(np.int32)


# Memory is used as the tree of masks grows. So with one thread a limit on it stops the same search
# at the same place every time, and the search with the higher limit is the longer one.
@pytest.mark.parametrize(
    "terms",
    [
        {"max_depth": 2},
        {"max_depth": 3, "max_splits": 3},
        {"max_depth": 2, "penalty": 3, "unit": 2},
        {"max_depth": 2, "min_rows": 8},
        {"max_depth": 1},
    ],
)
def test_a_longer_search_confirms_the_bound(terms: dict[str, Any]) -> None:
    for seed in (2, 4, 6):
        masks, labels = planes(40, seed)
        full = _native.search_masks(masks, labels, 2, **terms)
        bounds = []
        for limit in np.linspace(masks.nbytes, full.peak_bytes, 9):
            found = _native.search_masks(masks, labels, 2, memory_limit=int(limit), **terms)
            assert found.lower_bound <= full.objective <= found.objective
            bounds.append(found.lower_bound)
        assert bounds == sorted(bounds)
        assert bounds[-1] == full.objective


def test_every_size_has_a_bound_of_its_own() -> None:
    masks, labels = planes(40, 2)
    terms: dict[str, Any] = {"max_depth": 3, "max_splits": 4, "sizes": True}
    full = _native.search_masks(masks, labels, 2, **terms)
    for limit in np.linspace(masks.nbytes, full.peak_bytes, 9):
        found = _native.search_masks(masks, labels, 2, memory_limit=int(limit), **terms)
        pairs = zip(found.size_lower_bounds, full.size_objectives, strict=True)
        assert all(lower <= best for lower, best in pairs)
        assert found.size_lower_bounds[0] == full.size_objectives[0]  # the leaf


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_of_some_time_shows_a_bound_on_its_way(threads: int) -> None:
    masks, labels = planes(170, 1)
    full = _native.search_masks(masks, labels, 2, max_depth=2, threads=threads)

    def enough(seconds: float, objective: int, bound: int, *more: int) -> None:
        if bound > 0:
            raise KeyboardInterrupt

    found = _native.search_masks(masks, labels, 2, max_depth=2, poll=enough, threads=threads)
    assert found.status == "interrupted"
    assert 0 < found.lower_bound <= full.objective <= found.objective
    for history in (full.history, found.history):
        bounds = [bound for _, _, bound in history]
        assert bounds == sorted(bounds)


def test_the_bound_reaches_the_result() -> None:
    truth = ground_truth(200, 3, splits="hyperplane", noise=0.3, seed=1)
    seen: list[Any] = []

    def watch(progress: Any) -> None:
        seen.append(progress)
        if progress.lower_bound > 0:
            raise KeyboardInterrupt

    found = solve(truth.X, truth.y, splits="hyperplane", max_depth=2, on_progress=watch)
    assert found.status == "interrupted"
    assert 0 < seen[-1].lower_bound <= found.lower_bound < found.objective
    assert found.gap == found.objective - found.lower_bound
