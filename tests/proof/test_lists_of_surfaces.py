"""All partitions by surfaces, as a checker lists them, against those of the native search."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree.geometry import dichotomies, family_of
from exactree.partitions import unpacked
from exactree.proof.checking_partitions import Rejected, Rows, separated, vectors


def points(rng: np.random.Generator) -> NDArray[np.float64]:
    """Points of all kinds: in general position, on a grid, in a flat, repeated."""
    n, columns = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 6), (n, columns)).astype(float)
    if rng.random() < 0.3:
        X = rng.random((n, columns)).round(int(rng.integers(1, 17)))
    if columns > 1 and rng.random() < 0.3:
        X[:, -1] = X[:, 0] * 2
    return X


@pytest.mark.parametrize("seed", range(40))
def test_lists_of_surfaces(seed: int) -> None:
    """All partitions by surfaces, as the native search lists them: another way to them."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice(["hyperplane", "sphere", "axis_quadric", "polynomial"]))
    X = points(rng)
    part = {"name": name, "degree": 2 if name == "polynomial" else 1, "most": None}
    family = family_of("quadric" if name == "polynomial" else name)
    distinct, place = np.unique(X, axis=0, return_inverse=True)
    found = separated(vectors(part, distinct))[:, place.reshape(-1)]
    masks = unpacked(dichotomies(X, family).expanded(), len(X))
    assert one_way(found) == one_way(masks)


@pytest.mark.parametrize(
    ("power", "left"), [(1, 2), (9, 1), (10, None), (0, None), (-1, None), (2.0, None)]
)
def test_powers_of_a_surface_are_taken_as_they_are(power: float, left: int | None) -> None:
    """0.5 and 2 to some power, at most 2: a power that is not counted with is refused."""
    rows = Rows.__new__(Rows)  # goes_left() looks at the values alone
    rows.X = np.array([[0.5], [2.0]])
    node = {"surface": {"terms": [["1", [[[0, power]]]]], "at_most": "2"}}
    if left is None:
        with pytest.raises(Rejected, match="one that is none"):
            rows.goes_left(node)
    else:
        assert rows.goes_left(node).sum() == left


def one_way(masks: NDArray[np.bool_]) -> set[bytes]:
    """Partitions, whichever side is left, without the trivial one."""
    return {(mask ^ mask[0]).tobytes() for mask in masks} - {bytes(masks.shape[1])}
