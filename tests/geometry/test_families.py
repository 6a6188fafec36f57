from math import comb

import pytest

from exactree.geometry import family_of, polynomial
from exactree.geometry.families import embed


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_terms_of_a_surface(d: int) -> None:
    terms = {
        "hyperplane": d,
        "sphere": d + 1,
        "axis_quadric": 2 * d,
        "quadric": comb(d + 2, 2) - 1,
    }
    assert {name: len(family_of(name).terms(d)) for name in terms} == terms
    for m in (1, 2, 3, 4):
        assert len(polynomial(m).terms(d)) == comb(d + m, d) - 1


def test_embedding_in_the_plane() -> None:
    rows = [(2, 5)]
    assert embed(family_of("hyperplane").terms(2), rows) == [[2, 5]]
    assert embed(family_of("sphere").terms(2), rows) == [[2, 5, 29]]
    assert embed(family_of("axis_quadric").terms(2), rows) == [[2, 5, 4, 25]]
    assert embed(family_of("quadric").terms(2), rows) == [[2, 5, 4, 10, 25]]
    assert sorted(embed(polynomial(3).terms(2), rows)[0]) == sorted(
        2**i * 5**j for i in range(4) for j in range(4) if 1 <= i + j <= 3
    )


def test_names_follow_the_terms() -> None:
    assert family_of("quadric").names(["u", "v"]) == ("u", "v", "u^2", "u v", "v^2")
    assert family_of("sphere").names(["u", "v"])[-1] == "u^2 + v^2"


def test_unknown_families() -> None:
    with pytest.raises(ValueError, match="unknown family 'circle': choose one of axis"):
        family_of("circle")
    for degree in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="at least 1"):
            polynomial(degree)  # type: ignore[arg-type]
