"""Sweeps, many thresholds at once (columns/sweep.hpp), find what the scans one by one find.

They are used where there are very many columns, and everywhere if tests ask for it. Without `jump`
there are none.
"""

from typing import Any

import numpy as np
import pytest

from exactree import _native

EVERYWHERE = 1 << len(_native.prunings())
NO_JUMP = 1 << list(_native.prunings()).index("jump")


def drawn(seed: int) -> tuple[Any, Any]:
    """Ranks, tied or not, of rows that fill words or do not; sums of long runs of one class."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.choice([2, 63, 64, 65, 130, 200])), int(rng.integers(1, 8))
    values = rng.integers(1, rows + 1, columns)
    ranks = np.array([rng.integers(0, v, rows) for v in values])
    if seed % 3 == 0:
        ranks = np.array([rng.permutation(rows) for _ in range(columns)])
    labels = (ranks[0] > rows // 3) ^ (rng.random(rows) < rng.choice([0.02, 0.4]))
    dense = [np.unique(column, return_inverse=True)[1] for column in ranks]
    return np.array(dense, dtype=np.int32), labels.astype(np.int32)


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_sweeps_and_scans_agree(isa: str) -> None:
    for seed in range(24):
        ranks, labels = drawn(seed)
        terms: dict[str, Any] = {"max_depth": 2, "isa": isa, "penalty": seed % 4}
        if seed % 5 == 0:
            terms |= {"max_splits": 3, "sizes": True}
        swept = _native.search_columns(ranks, labels, 2, switches=EVERYWHERE, **terms)
        plain = _native.search_columns(ranks, labels, 2, switches=NO_JUMP, **terms)
        assert swept.status == plain.status == "optimal"
        assert swept.objective == plain.objective == swept.lower_bound
        assert swept.size_objectives == plain.size_objectives
        assert swept.tree == plain.tree


def test_threads_sweep_too() -> None:
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(70) for _ in range(130)], dtype=np.int32)
    labels = (ranks[0] > ranks[1]).astype(np.int32)
    one, two = (_native.search_columns(ranks, labels, 2, max_depth=2, threads=n) for n in (1, 2))
    assert one.objective == two.objective and one.tree == two.tree
    # Both sides of nearly all thresholds, in all columns.
    assert one.counters["scans"] > 200 * one.counters["evaluations"] > 0
