"""Partitions as packed bit sets."""

import numpy as np
import pytest

from exactree.partitions import Partitions, packed, unpacked


@pytest.mark.parametrize("n", [1, 7, 8, 63, 64, 65, 130])
def test_packing_and_back(n: int) -> None:
    table = np.random.default_rng(n).random((5, n)) < 0.5
    masks = packed(table)
    assert masks.shape == (5, -(-n // 64)) and masks.dtype == np.uint64
    assert np.array_equal(unpacked(masks, n), table)
    rows = np.random.default_rng(0).integers(0, n, 20)
    assert all(np.array_equal(Partitions(masks).among(k, rows), table[k, rows]) for k in range(5))
    row, bit = n - 1, int(masks[0, (n - 1) // 64]) >> (n - 1) % 64
    assert bit & 1 == table[0, row]


def test_no_partitions() -> None:
    none = packed(np.zeros((0, 70), dtype=bool))
    assert none.shape == (0, 2)
    assert unpacked(none, 70).shape == (0, 70)
    assert len(Partitions(none)) == 0
