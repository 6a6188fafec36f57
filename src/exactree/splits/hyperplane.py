"""Hyperplane splits: a weighted sum of columns against a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from exactree.geometry import family_of
from exactree.splits.surface import SurfaceSources, surface_sources


@dataclass(frozen=True)
class Hyperplane:
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

    Examples
    --------
    >>> from exactree import solve
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> solve(square, [0, 1, 1, 1], splits=Hyperplane(), max_depth=1).summary()
    'optimal: objective 0, 1 split (hyperplane trees, depth <= 1)'
    """

    boundary: str = "all"
    name: ClassVar[str] = "hyperplane"
    words: ClassVar[str] = "hyperplane"

    def sources(self, X: NDArray[Any]) -> SurfaceSources:
        """Hold the rows for the listing of their partitions."""
        return surface_sources(X, family_of("hyperplane"), self.boundary)
