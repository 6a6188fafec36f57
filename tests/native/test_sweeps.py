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
LARGE = 2**21  # numbers that add up to more than a sweep has digits for


def drawn(seed: int, columns: int | None = None) -> tuple[Any, Any]:
    """Ranks, tied or not, of rows that fill words or do not; numbers that depend on the first."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([2, 63, 64, 65, 130, 200]))
    columns = int(rng.integers(1, 8)) if columns is None else columns
    values = rng.integers(1, rows + 1, columns)
    ranks = np.array([rng.integers(0, v, rows) for v in values])
    if seed % 3 == 0:
        ranks = np.array([rng.permutation(rows) for _ in range(columns)])
    dense = [np.unique(column, return_inverse=True)[1] for column in ranks]
    numbers = ranks[0] / rows + rng.choice([0.02, 0.4]) * rng.normal(size=rows)
    return np.array(dense, dtype=np.int32), numbers


def labelled(numbers: Any, classes: int) -> Any:
    """Long runs of one class, with some others in between."""
    return np.clip(np.round(numbers * classes), 0, classes - 1).astype(np.int32)


def both(search: Any, given: dict[str, Any], terms: dict[str, Any], switches: int) -> Any:
    """Solve with sweeps and without, and compare; with sweeps."""
    swept = search(**given, switches=switches, **terms)
    plain = search(**given, switches=NO_JUMP, **terms)
    assert swept.status == plain.status == "optimal"
    assert swept.objective == plain.objective == swept.lower_bound
    assert swept.size_objectives == plain.size_objectives
    assert swept.tree == plain.tree
    return swept


def terms_of(seed: int, isa: str) -> dict[str, Any]:
    """Terms with a penalty, and with all sizes, now and then."""
    terms: dict[str, Any] = {"max_depth": 2, "isa": isa, "penalty": seed % 4}
    if seed % 5 == 0:
        terms |= {"max_splits": 3, "sizes": True}
    return terms


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_sweeps_and_scans_agree(isa: str) -> None:
    for seed in range(48):
        ranks, numbers = drawn(seed)
        classes = 2 + seed % 2 * (seed % 9)
        given = {"ranks": ranks, "labels": labelled(numbers, classes), "n_classes": classes}
        both(_native.search_columns, given, terms_of(seed, isa), EVERYWHERE)


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_sweeps_and_scans_of_numbers_agree(isa: str) -> None:
    for seed in range(48):
        ranks, numbers = drawn(seed)
        size, shift = [(3, 0), (100, 0), (LARGE, 0), (LARGE, 20), (LARGE * 2**20, 57)][seed % 5]
        sums = np.round((numbers - numbers.mean()) * size)
        terms = terms_of(seed, isa) | {"shift": shift}
        both(_native.search_squares, {"ranks": ranks, "sums": sums}, terms, EVERYWHERE)


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_very_many_columns(isa: str) -> None:
    for seed in range(6):
        ranks, numbers = drawn(seed, columns=130)
        terms = {"max_depth": 2, "isa": isa}
        given = {"ranks": ranks, "labels": labelled(numbers, 3), "n_classes": 3}
        by_class = both(_native.search_columns, given, terms, 0)
        sums = np.round((numbers - numbers.mean()) * LARGE)
        by_number = both(
            _native.search_squares, {"ranks": ranks, "sums": sums, "shift": 20}, terms, 0
        )
        # Both sides of nearly all thresholds, in all columns; by numbers, those left out that
        # what is known of their neighbours shows too dear.
        assert by_class.counters["scans"] >= 200 * by_class.counters["evaluations"]
        assert by_number.counters["scans"] >= 100 * by_number.counters["evaluations"]


def test_threads_sweep_too() -> None:
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(70) for _ in range(130)], dtype=np.int32)
    labels = (ranks[0] > ranks[1]).astype(np.int32)
    one, two = (_native.search_columns(ranks, labels, 2, max_depth=2, threads=n) for n in (1, 2))
    assert one.objective == two.objective and one.tree == two.tree
    # Both sides of nearly all thresholds, in all columns.
    assert one.counters["scans"] > 200 * one.counters["evaluations"] > 0
