"""A constraint, an objective and a split family from outside the package, against brute force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import exactree
from exactree.geometry.families import KINDS, Kind, Term
from exactree.objectives import Objective, Targets
from exactree.proof.over_partitions import parts_of
from exactree.splits.surface import SurfaceFamily, SurfaceSplit
from exactree.tree import Leaf, Node, Split, Tree, leaves

Values = NDArray[Any]


@dataclass(frozen=True)
class FewErrors(exactree.Constraint):
    """At most a third of the rows of a side outside its largest class: not closed under unions."""

    words = "mostly one class a side"

    def measures(self, targets: Targets, counts: NDArray[np.int64]) -> Values:
        return np.asarray((targets.y[:, None] == np.arange(3)) * counts[:, None])

    def allows(self, sums: Values) -> NDArray[np.bool_]:
        return np.asarray(3 * (sums.sum(axis=-1) - sums.max(axis=-1)) <= sums.sum(axis=-1))


@dataclass(frozen=True)
class MostWeight(exactree.Constraint):
    """At most so much weight a side."""

    most: float
    words = "light sides"

    def measures(self, targets: Targets, counts: NDArray[np.int64]) -> Values:
        return targets.weights[:, None]

    def allows(self, sums: Values) -> NDArray[np.bool_]:
        return np.asarray(sums[..., 0] <= self.most)


@dataclass(frozen=True)
class WorstLeaf(Objective):
    """The largest number of errors in any leaf."""

    name = "worst_leaf"
    additive = False
    integral = True
    monotone = True

    def leaf_cost(self, statistics: Values) -> Values:
        return np.asarray(statistics.sum(axis=-1) - statistics.max(axis=-1))

    def combine(self, left: Values, right: Values) -> Values:
        return np.asarray(np.maximum(left, right))


@dataclass(frozen=True)
class Parity(Split):
    """Is the value in a column even?"""

    column: int
    kind = "test_parity"

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(X[:, self.column] % 2 == 0)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        return f"x[{self.column}] is {'even' if holds else 'odd'}"

    def features(self) -> tuple[int, ...]:
        return (self.column,)


@dataclass(frozen=True)
class Parities:
    """Even and odd numbers."""

    words = "parity"

    def partitions(self, X: NDArray[np.float64]) -> Values:
        return np.asarray((X % 2 == 0).T)

    def split(self, X: NDArray[np.float64], left: NDArray[np.bool_], index: int) -> Split:
        return Parity(index)


@dataclass(frozen=True)
class Saddle(SurfaceFamily):
    """Columns and their products, without squares."""

    boundary: str = "all"
    name: ClassVar[str] = "test_saddle"
    words: ClassVar[str] = "saddle"


def products(columns: int, degree: int) -> list[Term]:
    chosen = [c for k in range(1, degree + 1) for c in combinations(range(columns), k)]
    return [(tuple((j, 1) for j in some),) for some in chosen]


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, Saddle.name, Kind(2, products))


CONSTRAINTS: list[exactree.Constraint] = [FewErrors(), MostWeight(7.0)]
EXTENSIONS: list[dict[str, Any]] = [
    *({"constraint": one} for one in CONSTRAINTS),
    {"objective": WorstLeaf()},
    {"splits": ["axis", Parities()]},
    {"splits": Saddle()},
    {"constraint": FewErrors(), "splits": Parities(), "objective": WorstLeaf()},
]


def drawn(rng: np.random.Generator) -> tuple[Values, Values, dict[str, Any]]:
    n = int(rng.integers(3, 9))
    X = rng.integers(0, 5, (n, 2)).astype(float)
    y = rng.integers(0, 3, n)
    y[:3] = 0, 1, 2
    weights = rng.integers(1, 4, n) if rng.random() < 0.5 else None
    depth, least = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    return X, y, {"sample_weight": weights, "max_depth": depth, "min_samples_leaf": least}


@pytest.mark.parametrize("extension", EXTENSIONS, ids=lambda e: "+".join(e))
def test_extensions_are_solved_as_brute_force_does(extension: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    splits = 0
    for _ in range(40):
        X, y, given = drawn(rng)
        found = exactree.solve(X, y, **given, **extension)
        truth = exactree.solve(X, y, **given, **extension, engine="brute_force")
        assert found.status == "optimal"
        assert found.objective == truth.objective
        splits += isinstance(found.tree, Node)
    assert splits > 5


def sides(tree: Tree, rows: Values, X: Values) -> list[Values]:
    """The rows on every side of every split."""
    if isinstance(tree, Leaf):
        return []
    left = tree.split.goes_left(X[rows])
    below = [(tree.left, rows[left]), (tree.right, rows[~left])]
    return [part for child, inside in below for part in (inside, *sides(child, inside, X))]


def test_every_side_keeps_to_the_constraint() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 9, (60, 3)).astype(float), rng.integers(0, 3, 60)
    weights = rng.integers(1, 3, 60)
    free = exactree.solve(X, y, max_depth=2, sample_weight=weights)
    most = 0.6 * weights.sum()
    given: dict[str, Any] = {"sample_weight": weights, "constraint": MostWeight(most)}
    found = exactree.solve(X, y, max_depth=2, **given)
    parts = sides(found.tree, np.arange(60), X)
    assert parts and all(weights[part].sum() <= most for part in parts)
    assert found.objective >= free.objective
    assert "light sides" in found.space
    path = exactree.size_path(X, y, max_depth=2, max_splits=3, **given)
    assert path[3].objective == found.objective
    model = exactree.OptimalTreeClassifier(max_depth=2, constraint=MostWeight(most))
    assert model.fit(X, y, sample_weight=weights).objective_ == found.objective
    assert len(leaves(model.tree_)) == len(leaves(found.tree))


def test_what_does_not_know_a_constraint_refuses_it() -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    for engine in ("search", "size_rec", "local"):
        with pytest.raises(ValueError, match="use 'generic' or 'brute_force'"):
            exactree.solve(X, y, max_splits=1, constraint=FewErrors(), engine=engine)
    with pytest.raises(ValueError, match="has no certificates"):
        exactree.solve(X, y, max_splits=1, constraint=FewErrors(), certificate="nowhere")
    with pytest.raises(ValueError, match="is no Constraint"):
        exactree.solve(X, y, max_splits=1, constraint=FewErrors)  # type: ignore[arg-type]


def test_measures_of_another_shape_are_refused() -> None:
    class Wrong(MostWeight):
        def measures(self, targets: Targets, counts: NDArray[np.int64]) -> Values:
            return targets.weights

    with pytest.raises(ValueError, match=r"has shape \(2,\): give a line for each of the 2 rows"):
        exactree.solve([[0.0], [1.0]], [0, 1], max_depth=1, constraint=Wrong(1.0))


def test_a_surface_of_ones_own_is_written_down_stored_and_searched_locally() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] * X[:, 1] > 0.1).astype(int)
    found = exactree.solve(X, y, splits=Saddle(), max_depth=1)
    assert found.objective == 0
    assert isinstance(found.tree, Node) and isinstance(found.tree.split, SurfaceSplit)
    split = found.tree.split
    assert "x[0] x[1]" in split.formula() and "^2" not in split.formula(digits=17)
    again = SurfaceSplit.from_dict(split.to_dict())
    assert (again.goes_left(X) == split.goes_left(X)).all()
    with pytest.raises(ValueError, match="no certificates"):
        parts_of(Saddle())
