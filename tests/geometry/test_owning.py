"""Lists of rules with owners against the specification's lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from geometry.partitions import once_lifted
from numpy.typing import NDArray

from exactree.geometry import dichotomies, owned_rules
from exactree.partitions import unpacked
from exactree.spec.combinatorics import revolving_door
from exactree.spec.data import Sample
from exactree.spec.rules import surface_rules

Named = tuple[tuple[int, ...], frozenset[int]]


def ours(X: NDArray[Any], family: str, boundary: str) -> list[Named]:
    found = owned_rules(X, family, boundary=boundary)
    assert found.complete
    sides = unpacked(found.masks, len(X))
    return [
        (tuple(i for i in owners if i >= 0), frozenset(np.flatnonzero(side).tolist()))
        for owners, side in zip(found.owners.tolist(), sides, strict=True)
    ]


def theirs(X: NDArray[Any], family: str, boundary: str) -> list[Named]:
    xs = tuple(Sample(i, tuple(map(int, x)), 0) for i, x in enumerate(X.tolist()))
    return [(r.owners, r.positive) for r in surface_rules(xs, family, boundary)]


def general(n: int, d: int) -> NDArray[Any]:
    """Integer points in general position, as good as certainly."""
    return np.random.default_rng(n * d).integers(-(10**6), 10**6, (n, d)).astype(float)


def counted(named: list[Named]) -> list[tuple[tuple[int, ...], list[int] | None]]:
    """Sort rules for comparison: unordered partitions, and of fewer owners just the owners."""
    full = max(len(owners) for owners, _ in named)

    def told(owners: tuple[int, ...], side: frozenset[int]) -> list[int] | None:
        if len(owners) < full:
            return None
        return sorted(side if 0 in side else frozenset(range(6)) - side)

    return sorted(((owners, told(owners, side)) for owners, side in named), key=str)


@pytest.mark.parametrize("family", ["hyperplane", "sphere", "axis_quadric"])
@pytest.mark.parametrize("boundary", ["both", "all"])
def test_lists_in_general_position(family: str, boundary: str) -> None:
    X = general(6, 2)
    assert counted(ours(X, family, boundary)) == counted(theirs(X, family, boundary))


def test_the_literal_list_has_one_orientation_of_each() -> None:
    X = general(7, 2)
    literal, both = ours(X, "hyperplane", "positive"), set(ours(X, "hyperplane", "both"))
    assert [owners for owners, _ in literal] == revolving_door(2, 7)
    assert set(literal) <= both and len(both) == 42


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("family", ["hyperplane", "sphere", "axis_quadric"])
def test_every_partition_of_every_region_is_owned_by_it(family: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = 3 if family == "hyperplane" and seed % 2 else 2
    X = np.unique(rng.integers(0, 3, (7, d)), axis=0).astype(float)
    rules = ours(X, family, "all")
    for _ in range(8):
        region = np.flatnonzero(rng.random(len(X)) < 0.7)
        if len(region) < 2:
            continue
        everyone = frozenset(region.tolist())
        owned = [side & everyone for owners, side in rules if everyone >= set(owners)]
        listed = dichotomies(X[region], family)
        for k in range(len(listed)):
            side = frozenset(region[listed.side(k)].tolist())
            assert side in owned or everyone - side in owned, (region, side)


@pytest.mark.parametrize("seed", range(8))
def test_every_rule_is_a_partition_of_the_family(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (7, 3)).astype(float)
    listed = dichotomies(X, "hyperplane")
    real = {frozenset(np.flatnonzero(listed.side(k)).tolist()) for k in range(len(listed))}
    everyone = frozenset(range(7))
    for _, side in ours(X, "hyperplane", "all"):
        assert side in real or everyone - side in real or side in (frozenset(), everyone)


def test_equal_rows_have_one_owner() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    rules = ours(X, "hyperplane", "all")
    assert {owner for owners, _ in rules for owner in owners} == {0, 1, 3}
    assert all((0 in side) == (2 in side) for _, side in rules)


def test_few_points() -> None:
    assert ours(np.array([[1.0, 2.0]]), "hyperplane", "all") == []
    two = ours(np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 2.0]]), "hyperplane", "all")
    assert {owners for owners, _ in two} == {(0,), (2,)}


def test_a_list_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match=r"own up to \d+ rules .* \d+ rows would fit"):
        owned_rules(general(300, 3), "hyperplane")


def test_a_listing_may_be_stopped() -> None:
    X = general(20, 2)
    with pytest.raises(TimeoutError):
        owned_rules(X, "hyperplane", stop=lambda: True)
    found = owned_rules(X, "hyperplane", stop=once_lifted(X, "hyperplane"))
    assert not found.complete and len(found.masks) == 0
