"""Packed bit sets against sets of integers, for every instruction set of this processor."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree import _native

Words = npt.NDArray[np.uint64]
ISAS = ["auto", *_native.instruction_sets()]

each_isa = pytest.mark.parametrize("isa", ISAS)


def pack(members: set[int], words: int) -> Words:
    """The naive twin of the layout: member i is bit i % 64 of word i // 64."""
    ints = [sum(1 << (i % 64) for i in members if i // 64 == word) for word in range(words)]
    return np.array(ints, dtype=np.uint64)


def unpack(words: Words) -> set[int]:
    return {64 * w + i for w, word in enumerate(words.tolist()) for i in range(64) if word >> i & 1}


@st.composite
def set_pairs(draw: st.DrawFn) -> tuple[int, set[int], set[int]]:
    """Two sets packed in the same number of words: odd lengths, so that vector loops have rests."""
    words = draw(st.integers(0, 11))
    if words == 0:
        return 0, set(), set()
    members = st.sets(st.integers(0, 64 * words - 1)) | st.just(set(range(64 * words)))
    return words, draw(members), draw(members)


@each_isa
@given(pair=set_pairs())
def test_and_is_intersection(isa: str, pair: tuple[int, set[int], set[int]]) -> None:
    words, a, b = pair
    both = _native.bitset_and(pack(a, words), pack(b, words), isa)
    assert both.dtype == np.uint64
    assert both.shape == (words,)
    assert unpack(both) == a & b
    assert _native.bitset_count_and(pack(a, words), pack(b, words), isa) == len(a & b)


@each_isa
@given(pair=set_pairs())
def test_and_not_is_difference(isa: str, pair: tuple[int, set[int], set[int]]) -> None:
    words, a, b = pair
    assert unpack(_native.bitset_and_not(pack(a, words), pack(b, words), isa)) == a - b


@each_isa
@given(pair=set_pairs())
def test_members_in_order(isa: str, pair: tuple[int, set[int], set[int]]) -> None:
    words, a, _ = pair
    packed = pack(a, words)
    assert _native.bitset_count(packed, isa) == len(a)
    assert [_native.bitset_kth(packed, k, isa) for k in range(len(a))] == sorted(a)


@pytest.mark.fuzz
@given(seed=st.integers(0, 2**32 - 1), words=st.integers(0, 300))
def test_instruction_sets_agree_on_long_sets(seed: int, words: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2**64, size=(2, words), dtype=np.uint64)
    ints = [int.from_bytes(x.tobytes(), "little") for x in (a, b)]
    for isa in ISAS:
        both, rest = _native.bitset_and(a, b, isa), _native.bitset_and_not(a, b, isa)
        assert int.from_bytes(both.tobytes(), "little") == ints[0] & ints[1]
        assert int.from_bytes(rest.tobytes(), "little") == ints[0] & ~ints[1]
        assert _native.bitset_count_and(a, b, isa) == (ints[0] & ints[1]).bit_count()


@each_isa
def test_kth_beyond_the_last_member_names_both_numbers(isa: str) -> None:
    with pytest.raises(ValueError, match="k = 2, but the set has 2 members"):
        _native.bitset_kth(pack({3, 70}, 2), 2, isa)


def test_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="1 and 2 words"):
        _native.bitset_and(pack(set(), 1), pack(set(), 2))
    with pytest.raises(ValueError, match="2 and 1 words"):
        _native.bitset_count_and(pack(set(), 2), pack(set(), 1))


def test_plain_runs_everywhere_and_unknown_sets_are_refused() -> None:
    assert _native.instruction_sets()[0] == "plain"
    with pytest.raises(ValueError, match='unknown instruction set "mmx": use "auto", "plain"'):
        _native.bitset_count(pack({1}, 1), "mmx")


def test_a_wrong_type_is_no_bit_set() -> None:
    with pytest.raises(TypeError):
        _native.bitset_count(np.zeros(2, dtype=np.float64))


@each_isa
def test_threads_share_their_input(isa: str) -> None:
    packed = pack(set(range(0, 6400, 3)), 100)
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: _native.bitset_count(packed, isa), range(64)))
    assert set(counts) == {len(range(0, 6400, 3))}
