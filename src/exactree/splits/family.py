"""The protocol of split families: write these two classes to add one.

A family turns data into sources that an engine can look at, and an engine's cuts back into splits
that predict. Sources are decided exactly and once; the engine never sees a coordinate.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Cut, Ranks
from exactree.tree import Split


class Sources(Protocol):
    """What a family offers for some rows."""

    @property
    def columns(self) -> Ranks:
        """Rank columns (D, n): a threshold on any of them is a split of the family."""

    def split(self, cut: Cut, rows: NDArray[np.intp]) -> Split:
        """Write down the cut, for which only the given rows matter."""


class SplitFamily(Protocol):
    """What splits exist for some data."""

    @property
    def name(self) -> str:
        """The name by which `splits=` knows the family."""

    @property
    def words(self) -> str:
        """What to call its trees: "axis-parallel"."""

    def sources(self, X: NDArray[Any]) -> Sources:
        """Decide the splits of these rows."""
