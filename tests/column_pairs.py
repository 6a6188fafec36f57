"""A family of one's own that several tests use: one column compared with another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from exactree.tree import Split

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairSplit(Split):
    """Is column `first` at most column `second`?"""

    first: int
    second: int
    kind: ClassVar[str] = "pair (tests)"

    def goes_left(self, X: NDArray[Any]) -> Bools:
        return np.asarray(X[:, self.first] <= X[:, self.second])

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        names = feature_names or [f"x[{j}]" for j in range(9)]
        return f"{names[self.first]} {'<=' if holds else '>'} {names[self.second]}"

    def features(self) -> tuple[int, ...]:
        return (self.first, self.second)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "first": self.first, "second": self.second}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(data["first"], data["second"])


@dataclass(frozen=True)
class Pairs:
    """x_i <= x_j for all pairs of columns."""

    words: ClassVar[str] = "column-comparing"

    def listed(self, X: Floats) -> list[PairSplit]:
        return [PairSplit(i, j) for i, j in combinations(range(X.shape[1]), 2)]

    def partitions(self, X: Floats) -> Bools:
        return np.array([split.goes_left(X) for split in self.listed(X)])

    def split(self, X: Floats, left: Bools, index: int) -> PairSplit:
        return self.listed(X)[index]
