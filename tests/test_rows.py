"""Canonical rows: sorting, merging, ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree import _native
from exactree.rows import EXPAND_TOTAL, canonical_rows, dense_ranks


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_dense_ranks_keep_the_order(values: list[float]) -> None:
    ranks = dense_ranks(np.array([values]))[0].tolist()
    order = sorted(set(values))
    assert ranks == [order.index(v) for v in values]


@given(
    st.lists(
        st.tuples(*[st.integers(0, 3)] * 3, st.integers(0, 1)),
        min_size=1,
        max_size=30,
    ),
    st.booleans(),
)
def test_rows_are_sorted_by_ranks_then_label(
    rows: list[tuple[int, int, int, int]], wide: bool
) -> None:
    data = np.array(rows, dtype=np.int32)
    if wide:
        data[:, :3] *= 2**28  # keys of three columns no longer fit one word
    columns, labels = np.ascontiguousarray(data[:, :3].T), data[:, 3].copy()
    order, points, first = _native.sort_rows(columns, labels)
    ordered = [tuple(row) for row in data[order].tolist()]
    assert ordered == sorted(tuple(row) for row in data.tolist())
    assert first.tolist() == [i == 0 or ordered[i] != ordered[i - 1] for i in range(len(rows))]
    distinct = sorted({row[:3] for row in ordered})
    assert points.tolist() == [distinct.index(row[:3]) for row in ordered]


@pytest.mark.parametrize("rows", [60, 3000])
@pytest.mark.parametrize("values", [2, 50, 10**6])
def test_many_rows_are_ranked_and_sorted_like_numpy_does(rows: int, values: int) -> None:
    rng = np.random.default_rng(rows + values)
    table = rng.integers(-values, values, size=(70, rows)) * rng.choice([1e-9, 1.0, 1e9], (70, 1))
    table[:, : rows // 3] = table[:, rows // 3 : 2 * (rows // 3)]
    ranks = dense_ranks(table)
    for column, found in zip(table[::10], ranks[::10], strict=True):
        assert (np.unique(column, return_inverse=True)[1] == found).all()
    labels = rng.integers(0, 3, rows).astype(np.int32)
    for features in (0, 1, 5, 70):
        order, _, _ = _native.sort_rows(ranks[:features], labels)
        keys = (labels, *ranks[:features][::-1])
        assert (order == np.lexsort(keys)).all(), "equal rows keep their order"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 3)), min_size=1))
def test_weights_and_repetition_give_one_problem(rows: list[tuple[int, int, int]]) -> None:
    data = np.array(rows)
    columns, labels = dense_ranks(data[:, :1].T), data[:, 1].astype(np.int32)
    weights = data[:, 2].astype(np.int64)
    merged = canonical_rows(columns, labels, weights)
    written = np.repeat(np.arange(len(rows)), weights)
    spelled = canonical_rows(columns[:, written], labels[written], None)
    assert merged.weights is None
    ranks, same = columns[:, merged.origin], columns[:, written[spelled.origin]]
    assert ranks.tolist() == same[:, :: merged.common].tolist()
    assert merged.points.tolist() == spelled.points[:: merged.common].tolist()
    assert merged.labels.tolist() == spelled.labels[:: merged.common].tolist()


def test_large_weights_stay_weights() -> None:
    columns = np.array([[0, 1, 0]], np.int32)
    labels = np.array([0, 1, 0], np.int32)
    rows = canonical_rows(columns, labels, np.array([3, EXPAND_TOTAL * 3, 6], np.int64))
    assert rows.weights is not None and rows.weights.tolist() == [3, EXPAND_TOTAL]
    assert rows.counts is not None and rows.counts.tolist() == [2, 1]
    assert rows.common == 3
    assert rows.total == 3 + EXPAND_TOTAL


def test_counting_rows_forbids_writing_out_weights() -> None:
    columns, labels = np.array([[0, 1]], np.int32), np.array([0, 1], np.int32)
    assert canonical_rows(columns, labels, np.array([1, 2]), counted=False).weights is None
    assert canonical_rows(columns, labels, np.array([1, 2]), counted=True).weights is not None
    assert canonical_rows(columns, labels, np.array([2, 2]), counted=True).weights is None
