"""Canonical rows: sorting, merging, ranks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exactree.rows import EXPAND_TOTAL, canonical_rows, dense_ranks, lexicographic


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
    columns, labels = np.ascontiguousarray(data[:, :3].T), data[:, 3]
    order, first = lexicographic(columns, labels)
    ordered = [tuple(row) for row in data[order].tolist()]
    assert ordered == sorted(tuple(row) for row in data.tolist())
    assert first.tolist() == [i == 0 or ordered[i] != ordered[i - 1] for i in range(len(rows))]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 3)), min_size=1))
def test_weights_and_repetition_give_one_problem(rows: list[tuple[int, int, int]]) -> None:
    data = np.array(rows)
    columns, labels = dense_ranks(data[:, :1].T), data[:, 1].astype(np.int32)
    weights = data[:, 2].astype(np.int64)
    merged = canonical_rows(columns, labels, weights)
    written = np.repeat(np.arange(len(rows)), weights)
    spelled = canonical_rows(columns[:, written], labels[written], None)
    assert merged.weights is None
    assert merged.columns.tolist() == spelled.columns[:, :: merged.common].tolist()
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
    assert canonical_rows(columns, labels, np.array([1, 2]), min_rows=1).weights is None
    assert canonical_rows(columns, labels, np.array([1, 2]), min_rows=2).weights is not None
    assert canonical_rows(columns, labels, np.array([2, 2]), min_rows=2).weights is None
