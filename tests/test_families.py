"""Families of one's own: two methods, in trees, mixtures and estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pytest
from column_pairs import Pairs, PairSplit
from numpy.typing import NDArray

import exactree
from exactree import Leaf, Node, solve, tree
from exactree.splits import AxisSplit
from exactree.tree import Split

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SubsetSplit(Split):
    """Is the category in column `feature` among `values`?"""

    feature: int
    values: frozenset[float]
    kind: ClassVar[str] = "subset (tests)"

    def goes_left(self, X: NDArray[Any]) -> Bools:
        return np.isin(X[:, self.feature], list(self.values))

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        inside = ", ".join(f"{value:g}" for value in sorted(self.values))
        return f"x[{self.feature}] {'' if holds else 'not '}in {{{inside}}}"

    def features(self) -> tuple[int, ...]:
        return (self.feature,)


@dataclass(frozen=True)
class Subsets:
    """Any subset of the categories of a column; those unseen at a node go right."""

    feature: int = 0
    name: ClassVar[str] = "subsets"

    def partitions(self, X: Floats) -> Bools:
        seen = np.unique(X[:, self.feature])
        sets = [s for k in range(len(seen) + 1) for s in combinations(seen.tolist(), k)]
        return np.array([np.isin(X[:, self.feature], s) for s in sets])

    def split(self, X: Floats, left: Bools, index: int) -> SubsetSplit:
        return SubsetSplit(self.feature, frozenset(X[left, self.feature].tolist()))


def brute(table: Bools, y: NDArray[Any], depth: int) -> int:
    """The fewest errors of a tree with these partitions, by trying everything."""
    best = len(y) - int(np.bincount(y).max()) if len(y) else 0
    if depth and best:
        for left in table:
            if 0 < left.sum() < len(y):
                sides = [brute(table[:, s], y[s], depth - 1) for s in (left, ~left)]
                best = min(best, sum(sides))
    return best


@pytest.mark.parametrize("family", [Pairs(), Subsets(), Subsets(2)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_trees_are_optimal(family: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (14, 4)).astype(float), rng.integers(0, 3, 14)
    for depth in (1, 2):
        found = solve(X, y, splits=family, max_depth=depth)
        assert found.status == "optimal"
        assert found.objective == brute(family.partitions(X), y, depth)
        assert (tree.predict(found.tree, X) != y).sum() == found.objective


def test_names_and_formulas() -> None:
    X, y = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]], [0, 1, 0]
    found = solve(X, y, splits=Pairs(), max_depth=1)
    assert str(found).startswith(
        "optimal: objective 0, 1 split (column-comparing trees, depth <= 1)\nx[0] <= x[1]\n"
    )
    assert solve(X, y, splits=Subsets(), max_depth=1).space == "subsets trees, depth <= 1"
    assert tree.from_dict(tree.to_dict(found.tree)) == found.tree


def test_mixtures_take_any_family() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, (16, 3)).astype(float)
    y = np.where(X[:, 0] <= X[:, 1], np.isin(X[:, 2], [0, 3]), X[:, 2] > 2).astype(int)
    mixed: list[Any] = [Pairs(), Subsets(2), "axis"]
    found = solve(X, y, splits=mixed, max_depth=2)
    assert found.objective == 0
    assert found.space == "column-comparing or subsets or axis-parallel trees, depth <= 2"
    kinds = {type(n.split) for n in tree.nodes(found.tree) if isinstance(n, Node)}
    # Which of several perfect trees is found, is not promised.
    assert kinds <= {PairSplit, SubsetSplit, AxisSplit}
    assert len(kinds) >= 2
    with_planes = solve(X[:9], y[:9], splits=["hyperplane", Subsets(2)], max_depth=1)
    alone = solve(X[:9], y[:9], splits="hyperplane", max_depth=1)
    assert with_planes.objective <= alone.objective


def test_estimators_take_them() -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, (20, 3)).astype(float)
    y = np.where(X[:, 0] <= X[:, 1], "yes", "no")
    model = exactree.OptimalTreeClassifier(splits=[Pairs(), "axis"], max_depth=1).fit(X, y)
    assert model.objective_ == 0
    assert model.predict(X).tolist() == y.tolist()
    assert model.get_params()["splits"] == [Pairs(), "axis"]


def test_a_family_without_splits_gives_a_leaf() -> None:
    found = solve([[1.0], [2.0]], [0, 1], splits=Pairs(), max_depth=2)
    assert (found.status, found.objective) == ("optimal", 1)
    assert isinstance(found.tree, Leaf)


# --- What is refused --------------------------------------------------------------------------


class Wrong(Pairs):
    """Its methods are replaced one at a time."""


def refused(monkeypatch: pytest.MonkeyPatch, method: str, answer: Any, message: str) -> None:
    monkeypatch.setattr(Wrong, method, answer)
    with pytest.raises(ValueError, match=message):
        solve([[1.0, 2.0], [2.0, 1.0], [2.0, 1.0]], [0, 1, 1], splits=Wrong(), max_depth=1)


def test_numbers_are_no_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    refused(monkeypatch, "partitions", lambda _, X: X.T, "'Wrong' gave shape .* dtype float64")


def test_a_partition_has_an_entry_per_row(monkeypatch: pytest.MonkeyPatch) -> None:
    refused(monkeypatch, "partitions", lambda *_: [[True]], r"shape \(1, 1\).* for 3 rows")


def test_equal_rows_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [[True, False, True]]
    refused(monkeypatch, "partitions", lambda *_: odd, "split number 0 .* parts equal rows")


def test_a_split_does_what_was_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    other = PairSplit(1, 0)
    refused(monkeypatch, "split", lambda *_: other, "number 0 down as PairSplit.* mend split")
    refused(monkeypatch, "split", lambda *_: "x <= y", "mend split")


def test_half_a_family() -> None:
    class Half:
        def split(self, X: Floats, left: Bools, index: int) -> Split:
            return PairSplit(0, 1)

    class OtherHalf:
        def partitions(self, X: Floats) -> Bools:
            return X.T > 1

    with pytest.raises(ValueError, match=r"has no method partitions\(\)"):
        solve([[1.0], [2.0]], [0, 1], splits=Half(), max_depth=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"has no method split\(\)"):
        solve([[1.0], [2.0]], [0, 1], splits=OtherHalf(), max_depth=1)  # type: ignore[arg-type]


def test_too_many_splits_for_the_memory() -> None:
    X = np.arange(13.0)[:, None]
    with pytest.raises(ValueError, match="'subsets' lists 8192 splits, 1 MB"):
        solve(X, np.arange(13) % 2, splits=Subsets(), max_depth=1, memory_limit=1000)
