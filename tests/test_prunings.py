"""Every pruning of the native search fires somewhere, and without it the optimum is the same.

A pruning that never fires is dead code that looks like speed: it fails here. The bounds themselves
are judged by the audit build (make asan).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree import _native

PRUNINGS = list(_native.prunings())
EVERYWHERE = 1 << len(PRUNINGS)  # also where they do not pay: the problems here are small


@dataclass(frozen=True)
class Small:
    """A problem in ranks, as the native search takes it."""

    ranks: NDArray[np.int32]
    labels: NDArray[np.int32]
    max_depth: int | None
    penalty: int = 0
    as_masks: bool = False

    def solved(self, switches: int = 0) -> _native.SearchResult:
        classes, words = int(self.labels.max()) + 1, -(-len(self.labels) // 64)
        if self.max_depth is None:
            return self._solved_without_depth(classes, switches)
        limits: dict[str, Any] = {"max_depth": self.max_depth, "penalty": self.penalty}
        limits["switches"] = switches
        if self.as_masks:
            none = np.zeros((0, words), dtype=np.uint64)
            result = _native.search_masks(none, self.labels, classes, ranks=self.ranks, **limits)
        else:
            result = _native.search_columns(self.ranks, self.labels, classes, **limits)
        assert result.status == "optimal"
        return result

    def _solved_without_depth(self, classes: int, switches: int) -> _native.SearchResult:
        terms: dict[str, Any] = {"max_depth": 200, "penalty": self.penalty, "switches": switches}
        result = _native.search_sparse(self.ranks, self.labels, classes, **terms)
        assert result is not None and result.status == "optimal"
        return result


def thresholds(depth: int, *, rows: int = 90, penalty: int = 0) -> Small:
    """Three columns of many values; labels that follow two of them, with noise."""
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(rows) for _ in range(3)], dtype=np.int32)
    pattern = (ranks[0] > rows // 2) ^ (ranks[1] > rows // 3)
    noise = rng.random(rows) < 0.2
    return Small(ranks, (pattern ^ noise).astype(np.int32), depth, penalty)


def two_values(depth: int | None, *, rows: int = 120, pairs: int = 6, penalty: int = 0) -> Small:
    """Pairs of columns of two values, much alike; labels that follow three, with noise."""
    rng = np.random.default_rng(0)
    ranks = rng.integers(0, 2, size=(2 * pairs, rows), dtype=np.int32)
    ranks[pairs:] = ranks[:pairs] ^ (rng.random((pairs, rows)) < 0.05)
    pattern = ranks[0] ^ (ranks[1] & ranks[2])
    noise = rng.random(rows) < 0.2
    return Small(ranks, (pattern ^ noise).astype(np.int32), depth, penalty)


PROBLEMS: dict[str, Callable[[], Small]] = {
    "two levels": lambda: thresholds(2),
    "three levels": lambda: thresholds(3, rows=60),
    "penalty": lambda: thresholds(3, rows=60, penalty=4),
    "masks": lambda: replace(thresholds(3, rows=60), as_masks=True),
    "binary, four levels": lambda: two_values(4),
    "binary, five levels": lambda: two_values(5),
    "binary, equal rows": lambda: two_values(4, pairs=3),
    "binary, penalty": lambda: two_values(4, penalty=5),
    "binary, no depth": lambda: two_values(None, pairs=4, penalty=3),
}


def fired(problem: Small) -> set[str]:
    counters = problem.solved(EVERYWHERE).counters
    return {name for name in PRUNINGS if counters[name] > 0}


def fired_by_splits() -> set[str]:
    """Of the search for trees that only their splits limit; its own tests switch each off."""
    small = thresholds(3)
    found = _native.search_splits(small.ranks, small.labels, 2, max_splits=4, upper_bound=2**40)
    assert found is not None
    return {name for name in PRUNINGS if found.counters[name] > 0}


def test_every_pruning_fires() -> None:
    everything = fired_by_splits().union(*(fired(make()) for make in PROBLEMS.values()))
    assert set(PRUNINGS) - everything == set()


@pytest.mark.parametrize("name", PROBLEMS)
def test_each_pruning_switched_off_leaves_the_optimum(name: str) -> None:
    problem = PROBLEMS[name]()
    optimum = problem.solved().objective
    for bit, pruning in enumerate(PRUNINGS):
        without = problem.solved(switches=EVERYWHERE | 1 << bit)
        assert without.objective == without.lower_bound == optimum, pruning


@pytest.mark.parametrize(
    "problem",
    [thresholds(3, rows=25), two_values(4, rows=30), two_values(None, rows=30, penalty=2)],
)
def test_a_pruning_switched_off_does_not_fire(problem: Small) -> None:
    counters = problem.solved(switches=EVERYWHERE | EVERYWHERE - 1).counters
    # A side without errors is known in any case.
    assert {name for name in PRUNINGS if counters[name] > 0} <= {"side_known"}
