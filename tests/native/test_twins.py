"""A column with holes is two rank columns, which one scan looks at (columns/twins.hpp).

Without `jump` every column is scanned by itself, and so it is if the second ones come first. What
is known of one of the two bounds the other (columns/other_order.hpp), unless `transfer` is off.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree import _native

EVERYWHERE = 1 << len(_native.prunings())
NO_JUMP = 1 << list(_native.prunings()).index("jump")
NO_TRANSFER = 1 << list(_native.prunings()).index("transfer")
Ranks = NDArray[np.int32]


def with_holes(rng: np.random.Generator, rows: int, columns: int) -> tuple[Ranks, Ranks]:
    """The first and the second rank columns; few, many or no rows of a column are missing."""
    first, second = [], []
    for _ in range(columns):
        values = rng.integers(0, int(rng.choice([3, 8, rows])) + 1, rows)
        missing = rng.random(rows) < rng.choice([0, 0.1, 0.6])
        known = np.unique(values[~missing], return_inverse=True)[1]
        if not missing.any() or len(known) == 0 or known.max() < 1:
            first.append(np.unique(values, return_inverse=True)[1])
            continue
        ranks = np.zeros(rows, dtype=np.int64)
        ranks[~missing] = known
        first.append(np.where(missing, 0, ranks + 1))
        second.append(np.where(missing, known.max(), ranks))
    shape = (-1, rows)
    return np.array(first, np.int32).reshape(shape), np.array(second, np.int32).reshape(shape)


def drawn(seed: int) -> tuple[Ranks, Ranks, int]:
    """Rank columns as a table with holes has them, and labels that follow some of them."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([5, 63, 64, 65, 130, 200]))
    first, second = with_holes(rng, rows, int(rng.integers(1, 10)))
    classes = 2 if seed % 2 else int(rng.integers(2, 10))
    follow = (first[0] > first[0].mean()).astype(int) + 2 * (first[-1] > first[-1].mean())
    noisy = np.where(rng.random(rows) < 0.3, rng.integers(0, classes, rows), follow % classes)
    labels = np.unique(noisy, return_inverse=True)[1].astype(np.int32)
    return np.concatenate([first, second]), labels, int(labels.max()) + 1


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_one_scan_finds_what_two_find(isa: str) -> None:
    for seed in range(40):
        ranks, labels, classes = drawn(seed)
        terms: dict[str, Any] = {"max_depth": 2 if seed % 4 or len(labels) > 100 else 3}
        terms |= {"penalty": seed % 3, "min_rows": 1 + seed % 7 // 3, "isa": isa}
        if seed % 5 == 0:
            terms |= {"max_splits": 3, "sizes": True}
        plain = _native.search_columns(ranks, labels, classes, switches=NO_JUMP, **terms)
        for switches in (0, EVERYWHERE):
            found = _native.search_columns(ranks, labels, classes, switches=switches, **terms)
            assert found.status == plain.status == "optimal"
            assert found.objective == plain.objective, seed
            assert list(found.size_objectives) == list(plain.size_objectives), seed


@pytest.mark.parametrize("classes", [2, 5])
def test_second_columns_are_not_scanned(classes: int) -> None:
    rng = np.random.default_rng(classes)
    first, second = with_holes(rng, 300, 6)
    labels = rng.integers(0, classes, 300, dtype=np.int32)
    together = _native.search_columns(np.concatenate([first, second]), labels, classes, max_depth=2)
    apart = _native.search_columns(np.concatenate([second, first]), labels, classes, max_depth=2)
    assert len(second) > 2 and together.objective == apart.objective
    if classes == 2 or len(_native.instruction_sets()) > 1:  # several classes: in vectors only
        assert together.counters["scans"] < 0.8 * apart.counters["scans"]


def posed(seed: int) -> tuple[Any, dict[str, Any]]:
    """A problem over columns with holes: classes, weights, numbers; sizes, a limit for leaves."""
    ranks, labels, classes = drawn(seed)
    rng = np.random.default_rng(seed)
    keep = rng.permutation(len(labels))[: int(rng.choice([8, 20, 70]))]
    ranks = np.array([np.unique(column, return_inverse=True)[1] for column in ranks[:, keep]])
    terms: dict[str, Any] = {"max_depth": 2 + seed % 2 + (len(keep) < 10), "penalty": seed % 3}
    if seed % 7 == 0:
        terms |= {"max_splits": 4, "sizes": True}
    if seed % 5 == 0:
        terms["min_rows"] = 2
    if seed % 3 == 0:
        terms["weights"] = rng.integers(1, 5, len(keep))
    return (ranks.astype(np.int32), labels[keep], classes), terms


def test_what_one_order_says_of_the_other_holds() -> None:
    fewer = 0
    for seed in range(60):
        problem, terms = posed(seed)
        plain = _native.search_columns(*problem, switches=EVERYWHERE - 1, **terms)
        for switches in (0, EVERYWHERE, NO_TRANSFER):
            found = _native.search_columns(*problem, switches=switches, **terms)
            assert found.objective == plain.objective, (seed, switches)
            assert list(found.size_objectives) == list(plain.size_objectives), (seed, switches)
            if switches != EVERYWHERE:
                sign = 1 if switches == NO_TRANSFER else -1
                fewer += sign * found.counters["evaluations"]
    assert fewer > 0


def test_one_order_spares_splits_of_the_other() -> None:
    rng = np.random.default_rng(0)
    first, second = with_holes(rng, 600, 8)
    labels = rng.integers(0, 5, 600, dtype=np.int32)
    # Apart from each other the two are not known to be orders of one column.
    other = np.concatenate([second, first])
    together = _native.search_columns(np.concatenate([first, second]), labels, 5, max_depth=2)
    apart = _native.search_columns(other, labels, 5, max_depth=2)
    assert together.objective == apart.objective
    assert together.counters["scans"] < 0.8 * apart.counters["scans"]


@pytest.mark.parametrize("threads", [1, 2])
def test_both_orders_of_a_root_column_are_bounded_at_once(threads: int) -> None:
    fewer = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        first, second = with_holes(rng, 150, 4)
        labels = ((first[0] > 3) ^ (first[-1] > 5) ^ (rng.random(150) < 0.2)).astype(np.int32)
        problem = np.concatenate([first, second]), labels, 2
        terms: dict[str, Any] = {"max_depth": 3, "penalty": seed % 2, "threads": threads}
        apart = _native.search_columns(*problem, switches=NO_TRANSFER, **terms)
        for switches in (0, EVERYWHERE):
            found = _native.search_columns(*problem, switches=switches, **terms)
            assert found.status == "optimal"
            assert (found.objective, found.tree) == (apart.objective, apart.tree), seed
        fewer += apart.counters["evaluations"] - found.counters["evaluations"]
    assert fewer > 0


def test_few_rows_on_a_side_are_no_first_tree() -> None:
    """What one order says of the other may leave fewer rows on a side than a leaf has to have."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(4, 9))
        first, second = with_holes(rng, rows, int(rng.integers(1, 4)))
        labels = np.unique(rng.integers(0, 3, rows), return_inverse=True)[1].astype(np.int32)
        problem = np.concatenate([first, second]), labels, int(labels.max()) + 1
        terms: dict[str, Any] = {"max_depth": 2 + seed % 2, "min_rows": 1 + seed // 2 % 3}
        plain = _native.search_columns(*problem, switches=EVERYWHERE - 1, **terms)
        for switches in (0, EVERYWHERE):
            found = _native.search_columns(*problem, switches=switches, **terms)
            assert found.objective == plain.objective, seed
