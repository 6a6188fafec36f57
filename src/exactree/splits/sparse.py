"""Hyperplanes of few columns: the splits of every small set of columns, together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from exactree.geometry import (
    Embedding,
    Surface,
    dichotomies,
    exact_vectors,
    family_of,
    unlisted,
    widest_margin,
)
from exactree.partitions import Cells, Partitions, Terms, packed
from exactree.problem import CellSplit, ListedSplit, Plane, Ranks
from exactree.splits.family import Listing, SecondsLeft, Sources, no_limit
from exactree.splits.surface import SurfaceSplit, rows_of
from exactree.tree import Split

PLANE = family_of("hyperplane")


@dataclass(eq=False)
class SparseSources(Sources):
    """Rows whose partitions by hyperplanes of `most` columns are listed when they are asked for."""

    X: NDArray[np.float64]
    most: int
    columns: Ranks
    embedding: Embedding | None = None  # of the rows that `sides` was asked for
    starts: list[int] = field(default_factory=list)  # the first listed partition of each set

    @property
    def has_partitions(self) -> bool:
        """Say that there are splits beside rank columns."""
        return True

    @property
    def sets(self) -> list[tuple[int, ...]]:
        """List the sets of columns; smaller ones are within them."""
        return list(combinations(range(self.X.shape[1]), self.most))

    def partitions(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List the partitions of every set of columns, or leave that to the search."""
        X = rows_of(self.X, rows)
        if listing.needed:
            return self._listed(X, listing)
        self.embedding, values = Embedding.of(X, PLANE, listing.room)
        found = self._within_reach(X, listing)
        exact = partial(exact_vectors, X, PLANE)
        return replace(found, terms=(Terms(values, X.shape[1], self.most, exact),))

    def _within_reach(self, X: NDArray[np.float64], listing: Listing) -> Partitions:
        nothing = packed(np.zeros((0, len(X)), dtype=bool))
        beyond = Partitions(nothing, exhaustive=False)
        sets = comb(X.shape[1], self.most)
        # Every set of columns has a partition between any two values of a column at least.
        if any(sets * (len(np.unique(column)) - 1) > listing.reach for column in X.T):
            return beyond
        cells = []
        try:
            for chosen in self.sets:
                points = X[:, list(chosen)]
                found = unlisted(points, PLANE, listing.stop, listing.reach / sets)
                if found is None:
                    return beyond
                cells.append(Cells(*found))
        except TimeoutError:
            return beyond
        if not listing.listed:
            return Partitions(nothing, cells=tuple(cells))
        listed = self._listed(X, listing)
        return listed if listed.complete else beyond

    def _listed(self, X: NDArray[np.float64], listing: Listing) -> Partitions:
        masks, left = [], listing.memory
        try:
            for chosen in self.sets:
                points = X[:, list(chosen)]
                found = dichotomies(points, PLANE, memory_limit=left, stop=listing.stop)
                masks.append(found.expanded())
                left -= masks[-1].nbytes
                if not found.complete:
                    break
        except TimeoutError:
            return Partitions(packed(np.zeros((0, len(X)), dtype=bool)), complete=False)
        self.starts = np.cumsum([0, *map(len, masks)]).tolist()[:-1]
        return Partitions(np.concatenate(masks), complete=len(masks) == len(self.sets))

    def _set_of(self, cut: Split) -> int:
        """Give the number of the set of columns that a partition is of."""
        if isinstance(cut, CellSplit):
            return cut.cells
        assert isinstance(cut, ListedSplit)
        return int(np.searchsorted(self.starts, cut.number, side="right")) - 1

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> SurfaceSplit:
        """Find the hyperplane of widest margin over the columns of the cut."""
        X = rows_of(self.X, rows)
        if isinstance(cut, Plane):
            assert self.embedding is not None
            surface = self.embedding.surface(cut.plane, X, left, seconds_left)
        else:
            chosen = list(self.sets[self._set_of(cut)])
            found = widest_margin(X[:, chosen], left, PLANE, seconds_left=seconds_left)
            surface = _spread(found, chosen, X.shape[1])
        return SurfaceSplit(surface, X.shape[1], surface.strengths(X))


def _spread(surface: Surface, chosen: list[int], columns: int) -> Surface:
    """Give a hyperplane over some columns as one over all."""
    known = dict(zip(chosen, surface.coefficients, strict=True))
    zero = 0 if surface.exact else 0.0
    coefficients = tuple(known.get(j, zero) for j in range(columns))
    return replace(surface, coefficients=coefficients)
