from fractions import Fraction

import numpy as np
from geometry.partitions import separable
from hypothesis import given
from hypothesis import strategies as st

from exactree.geometry.separation import separate

small_vectors = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.tuples(*[st.integers(-4, 4)] * d), min_size=1, max_size=9)
)


def margin(w: list[Fraction], vectors: list[tuple[int, ...]]) -> Fraction:
    return min(sum((a * b for a, b in zip(w, v, strict=True)), Fraction(0)) for v in vectors)


@given(small_vectors)
def test_separation_by_a_linear_program(vectors: list[tuple[int, ...]]) -> None:
    w = separate([[Fraction(x) for x in v] for v in vectors])
    possible = separable(np.array(vectors, dtype=float), np.ones(len(vectors), dtype=bool))
    assert (w is not None) == possible
    if w is not None:
        assert margin(w, vectors) > 0 and max(abs(x) for x in w) <= 1


@given(small_vectors, st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_no_other_weights_have_a_wider_margin(
    vectors: list[tuple[int, ...]], other: list[int]
) -> None:
    w = separate([[Fraction(x) for x in v] for v in vectors])
    rival = [Fraction(x, 8) for x in other[: len(vectors[0])]]
    best = margin(w, vectors) if w is not None else 0
    assert margin(rival, vectors) <= min(best, 1) or best >= 1
