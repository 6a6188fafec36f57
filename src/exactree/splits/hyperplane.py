"""Hyperplane splits: a weighted sum of columns against a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from numpy.typing import NDArray

from exactree.splits.family import Sources
from exactree.splits.sparse import SparseSources
from exactree.splits.surface import SurfaceFamily, surface_sources


@dataclass(frozen=True)
class Hyperplane(SurfaceFamily):
    """All hyperplanes: `a1 x1 + ... + aD xD <= t`, also called oblique splits.

    Every partition of the rows by a hyperplane competes, whatever their position; of N rows there
    are up to C(N-1, 0) + ... + C(N-1, D) of them. Of the hyperplanes that make the chosen partition
    of a node's rows, the tree has the one of widest margin. With one split this is the linear
    classifier of least 0-1 loss, which logistic regression and support vectors only approximate.

    Parameters
    ----------
    boundary : str
        For the engines over a list of rules ("size_rec" and so on): on which side the rows that
        define a hyperplane may lie. "all": on any, the complete list; "positive" and "both": on
        the positive side of either one or both of its orientations, as the paper has it, which
        misses some partitions.
    columns : int or None
        At most so many columns in a split, any of them; None: all. Few columns make splits that
        can be read, and trees that overfit less.

    Examples
    --------
    >>> from exactree import solve
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> solve(square, [0, 1, 1, 1], splits=Hyperplane(), max_depth=1).summary()
    'optimal: objective 0, 1 split (hyperplane trees, depth <= 1)'
    >>> cube = [[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]
    >>> three = [0, 0, 0, 1, 0, 1, 1, 1]  # are two of the three set?
    >>> [solve(cube, three, splits=Hyperplane(columns=k), max_depth=1).objective for k in (1, 2, 3)]
    [2, 2, 0]
    """

    boundary: str = "all"
    columns: int | None = None
    name: ClassVar[str] = "hyperplane"
    sentence: ClassVar[str] = (
        "hyperplanes: every question compares a weighted sum of features with a number"
    )

    @property
    def words(self) -> str:
        """What to call its trees."""
        return "hyperplane" if self.columns is None else f"{self.columns}-column hyperplane"

    def sources(self, X: NDArray[Any]) -> Sources:
        """Hold the rows for the listing of their partitions."""
        dense = surface_sources(X, self.surface, self.boundary)
        if self.columns is None:
            return dense
        whole = isinstance(self.columns, Integral) and not isinstance(self.columns, bool)
        if not whole or self.columns < 1:
            raise ValueError(
                f"columns={self.columns!r}: pass a whole number of at least 1, or None"
            )
        if self.columns >= X.shape[1]:
            return dense
        return SparseSources(dense.X, int(self.columns), dense.columns)
