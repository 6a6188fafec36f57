"""A split family for tests of what must work with any: inside or outside a circle around 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Result
from exactree.tree import Leaf, Node, Split


@dataclass(frozen=True)
class Disc(Split):
    """Is the sum of squares of the first two columns at most `square`?"""

    square: float
    kind: ClassVar[str] = "disc"

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(X[:, 0] ** 2 + X[:, 1] ** 2 <= self.square)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        a, b = ("x[0]", "x[1]") if feature_names is None else feature_names[:2]
        return f"{a}² + {b}² {'<=' if holds else '>'} {self.square:.{digits}g}"

    def features(self) -> tuple[int, ...]:
        return (0, 1)

    def to_dict(self) -> dict[str, Any]:
        terms = [[1.0, [[[0, 2]], [[1, 2]]]]]
        return {"kind": self.kind, "square": self.square, "terms": terms, "at_most": self.square}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(data["square"])


def disc_problem(rows: int = 60) -> tuple[Result, NDArray[np.float64], NDArray[Any]]:
    """A tree of one disc, and rows that it answers rightly."""
    X = np.random.default_rng(1).uniform(-2, 2, (rows, 2))
    inside = Disc(1.5).goes_left(X)
    n = int(inside.sum())
    root = Node(Disc(1.5), Leaf(0, n, (n, 0)), Leaf(1, rows - n, (0, rows - n)))
    result = Result("optimal", "trees of discs, at most 1 split", 0, 0, 0, root)
    return result, X, np.where(inside, 0, 1)
