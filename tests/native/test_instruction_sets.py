"""Every copy of the native module on this processor against plain loops.

These tests import nothing but the module: they are run for the installed wheel too.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from exactree import _native

Ints = npt.NDArray[np.int32]
ISAS = ["auto", *_native.instruction_sets()]


def drawn(seed: int) -> tuple[Ints, Ints, int]:
    """Random rank columns and labels, more rows than a vector register has lanes."""
    rng = np.random.default_rng(seed)
    rows, columns, classes = int(rng.integers(1, 90)), int(rng.integers(1, 4)), 2 + seed % 9
    values = rng.integers(0, int(rng.integers(1, 30)) + 1, size=(columns, rows))
    ranks = np.stack([np.unique(column, return_inverse=True)[1] for column in values])
    return ranks.astype(np.int32), rng.integers(0, classes, rows).astype(np.int32), classes


def errors(ranks: Ints, labels: Ints, depth: int) -> int:
    """The errors of the best tree: every split, one after the other."""
    best = len(labels) - int(np.bincount(labels).max(initial=0))
    if depth == 0 or best == 0:
        return best
    for column in ranks:
        for rank in np.unique(column)[1:]:
            left = column < rank
            sides = [errors(ranks[:, rows], labels[rows], depth - 1) for rows in (left, ~left)]
            best = min(best, sum(sides))
    return best


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("depth", [1, 2])
def test_the_best_tree_has_the_errors_that_loops_find(depth: int, isa: str) -> None:
    for seed in range(30 if depth == 1 else 6):
        ranks, labels, classes = drawn(seed)
        found = _native.search_columns(ranks, labels, classes, max_depth=depth, isa=isa)
        assert (found.status, found.objective) == ("optimal", errors(ranks, labels, depth))
        assert found.lower_bound == found.objective


@pytest.mark.parametrize("isa", ISAS)
def test_threads_of_the_caller_do_not_disturb_each_other(isa: str) -> None:
    ranks, labels, classes = drawn(3)

    def solve(_: int) -> int:
        return _native.search_columns(ranks, labels, classes, max_depth=2, isa=isa).objective

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(solve, range(32)))) == 1


def test_an_unknown_instruction_set_is_refused() -> None:
    ranks, labels, classes = drawn(0)
    with pytest.raises(ValueError, match="mmx"):
        _native.search_columns(ranks, labels, classes, max_depth=1, isa="mmx")


def test_arrays_are_never_converted() -> None:
    ranks, labels, classes = drawn(0)
    with pytest.raises(TypeError):
        _native.search_columns(ranks.astype(np.int64), labels, classes, max_depth=1)
