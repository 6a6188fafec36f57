"""A family of splits of one's own: corners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from exactree.tree import Split


@dataclass(frozen=True)
class Corner(Split):
    """Are two values at most the corner's?"""

    a: float
    b: float
    kind = "corner"

    def goes_left(self, X: Any) -> Any:
        return (X[:, 0] <= self.a) & (X[:, 1] <= self.b)

    def formula(self, feature_names: Any = None, *, holds: bool = True, digits: int = 12) -> str:
        return f"x <= {self.a}, {self.b}"

    def features(self) -> tuple[int, ...]:
        return (0, 1)


class Corners:
    """A family of one's own."""

    name = "corners"

    def partitions(self, X: Any) -> Any:
        return np.array([self.of(row).goes_left(X) for row in np.unique(X, axis=0)])

    def of(self, row: Any) -> Corner:
        return Corner(float(row[0]), float(row[1]))

    def split(self, X: Any, left: Any, index: int) -> Split:
        inside = X[left]
        return Corner(float(inside[:, 0].max()), float(inside[:, 1].max()))
