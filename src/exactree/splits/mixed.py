"""Mixtures: every node of a tree chooses among the splits of several families."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.partitions import Masks, Partitions
from exactree.problem import CellSplit, Cut, ListedSplit, Plane, Ranks
from exactree.splits.family import Listing, SecondsLeft, Sources, no_limit
from exactree.splits.selected import selected_sources
from exactree.tables.columns import Table
from exactree.tree import Split


@dataclass(eq=False)
class MixedSources(Sources):
    """The sources of several families, one after the other."""

    parts: list[Sources]
    columns: Ranks
    starts: list[int] = field(default_factory=list)  # the first listed partition of each part
    cell_starts: list[int] = field(default_factory=list)  # the first Cells of each part
    richest: int = 0  # the part whose Terms include all others

    @property
    def has_partitions(self) -> bool:
        """Tell whether any of the families has splits beside rank columns."""
        return any(part.has_partitions for part in self.parts)

    def partitions(self, rows: NDArray[np.intp], listing: Listing) -> Partitions | None:
        """Concatenate the families' partitions."""
        if not self.has_partitions:
            return None
        found = []
        for part in self.parts:
            listed = part.partitions(rows, listing)
            found.append(_none(len(rows)) if listed is None else listed)
            listing = replace(listing, memory=listing.memory - found[-1].masks.nbytes)
        return self._joined(found)

    def rules(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """Concatenate the families' lists of rules."""
        found = []
        for part in self.parts:
            found.append(part.rules(rows, listing))
            listing = replace(listing, memory=listing.memory - found[-1].masks.nbytes)
        return self._joined(found)

    def _joined(self, found: list[Partitions]) -> Partitions:
        self.starts = np.cumsum([0, *map(len, found)]).tolist()[:-1]
        self.cell_starts = np.cumsum([0, *(len(sides.cells) for sides in found)]).tolist()[:-1]
        masks: Masks = np.concatenate([sides.masks for sides in found])
        owned = [sides.owners for sides in found if sides.owners is not None]
        owners = _padded(owned) if len(owned) == len(found) else None
        cells = tuple(cells for sides in found for cells in sides.cells)
        joined = Partitions(
            masks,
            owners,
            all(sides.complete for sides in found),
            cells,
            tuple(terms for sides in found for terms in sides.terms),
            all(sides.exhaustive for sides in found),
        )
        if joined.terms:
            self.richest = [joined.richest in sides.terms for sides in found].index(True)
        return joined

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> Split:
        """Let the family that listed the split write it down."""
        if isinstance(cut, Plane):
            return self.parts[self.richest].split(cut, rows, left, seconds_left)
        if isinstance(cut, ListedSplit):
            family, number = _place(self.starts, cut.number)
            return self.parts[family].split(ListedSplit(number), rows, left, seconds_left)
        if isinstance(cut, CellSplit):
            family, number = _place(self.cell_starts, cut.cells)
            return self.parts[family].split(CellSplit(number, cut.left), rows, left, seconds_left)
        assert isinstance(cut, Cut)
        column = cut.column
        for part in self.parts:
            if column < len(part.columns):
                return part.split(Cut(column, cut.rank), rows, left, seconds_left)
            column -= len(part.columns)
        raise AssertionError(f"no family has column {cut.column}")


def _place(starts: list[int], number: int) -> tuple[int, int]:
    """Give the family that a number belongs to, and the number within it.

    >>> _place([0, 3, 3], 4)
    (2, 1)
    """
    family = int(np.searchsorted(starts, number, side="right")) - 1
    return family, number - starts[family]


def _none(n_rows: int) -> Partitions:
    return Partitions(np.zeros((0, -(-n_rows // 64)), dtype=np.uint64))


def _padded(owners: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Stack lists of owners of different lengths."""
    width = max(table.shape[1] for table in owners)
    fill = [((0, 0), (0, width - table.shape[1])) for table in owners]
    pairs = zip(owners, fill, strict=True)
    return np.concatenate([np.pad(t, pad, constant_values=-1) for t, pad in pairs])


@dataclass(frozen=True)
class Mixed:
    """Splits of several families in one tree, as in `splits=["axis", "hyperplane"]`.

    Parameters
    ----------
    families : sequence
        Names or families.

    Examples
    --------
    >>> from exactree.splits import as_family
    >>> as_family(["axis", "hyperplane"]).words
    'axis-parallel or hyperplane'
    """

    families: Sequence[Any]

    @property
    def name(self) -> str:
        """The names of the families."""
        return "+".join(str(family.name) for family in self.families)

    @property
    def words(self) -> str:
        """What to call its trees."""
        return " or ".join(dict.fromkeys(str(family.words) for family in self.families))

    reads_tables: ClassVar[bool] = True

    def sources(self, X: Any) -> MixedSources:
        """Put the sources of the families together; what needs numbers gets complete columns."""
        parts = [
            selected_sources(family, X)
            if isinstance(X, Table) and not getattr(family, "reads_tables", False)
            else family.sources(X)
            for family in self.families
        ]
        found = MixedSources(parts, np.concatenate([part.columns for part in parts]))
        found.left_out = tuple(pair for part in parts for pair in part.left_out)
        found.remark = ", ".join(filter(None, dict.fromkeys(part.remark for part in parts)))
        return found
