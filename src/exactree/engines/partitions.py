"""Listed partitions of the rows as a source of the generic engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from exactree.engines.candidates import Costs, Group, Mask, Rows, Sample, Scan, Values
from exactree.partitions import Partitions, packed, unpacked
from exactree.problem import ListedSplit


class Distinct(NamedTuple):
    """The partitions of a node's rows that differ: their numbers, and who goes left in each."""

    numbers: Rows
    left: Mask


class PartitionGroup(Group):
    """Partitions of one node: what contains what decides who learns from whom."""

    def __init__(self, scan: PartitionScan, shares: int) -> None:
        super().__init__(scan.costs, scan.cost, scan.allowed, shares)
        self.scan = scan
        self.left_of = scan.listed.left
        if self.costs.influence is not None:
            self.influence = self.costs.influence[scan.among]

    def wider(self, t: int, *, on_left: bool) -> Mask:
        """Mark the partitions whose left (right) side contains that of t."""
        lacking = self.left_of[t] & ~self.left_of if on_left else self.left_of & ~self.left_of[t]
        return np.asarray(~lacking.any(axis=1))

    def between(self, t: int) -> Values:
        """Give the influence of the rows that change sides, or of the others if that is less.

        Left and right are interchangeable: every share of the splits has its mirror image.
        """
        moved = (self.left_of ^ self.left_of[t]) @ self.influence
        return np.asarray(np.minimum(moved, self.influence.sum() - moved))

    def sides(self, t: int) -> tuple[Rows, Rows]:
        """Give the rows left and right of a partition."""
        return self.scan.sides(t)

    def split(self, t: int) -> ListedSplit:
        """Name the partition."""
        return self.scan.split(t)


@dataclass(frozen=True, eq=False)
class PartitionScan(Scan):
    """All partitions of the rows `among` that are listed."""

    among: Rows
    listed: Distinct

    def sides(self, i: int) -> tuple[Rows, Rows]:
        """Give the rows left and right of a partition."""
        left = self.listed.left[i]
        return self.among[left], self.among[~left]

    def split(self, i: int) -> ListedSplit:
        """Name the partition."""
        return ListedSplit(int(self.listed.numbers[i]))

    def groups(self, shares: int) -> list[Group]:
        """Keep all partitions together."""
        return [PartitionGroup(self, shares)] if len(self.cost) else []


class ListedPartitions:
    """Listed partitions; a node has those that part its rows, each once."""

    def __init__(self, partitions: Partitions | None, n_rows: int, costs: Costs) -> None:
        self.costs = costs
        masks = np.zeros((0, 1), np.uint64) if partitions is None else partitions.masks
        self.table = unpacked(masks, n_rows)

    def everything(self) -> Distinct:
        """Give the partitions of all rows."""
        return distinct(Distinct(np.arange(len(self.table)), self.table))

    def among(self, listed: Distinct, kept: Mask) -> Distinct:
        """Give the partitions of the rows of a node that are kept."""
        return distinct(Distinct(listed.numbers, listed.left[:, kept]))

    def scan(self, listed: Distinct, sample: Sample) -> list[Scan]:
        """Cost all partitions from the rows' statistics."""
        if not len(listed.numbers):
            return []
        rows, statistics = sample.rows, sample.statistics
        left = listed.left.astype(statistics.dtype) @ statistics
        measures = self.costs.limit.measures[rows]
        lefts = listed.left.astype(measures.dtype) @ measures
        return [
            PartitionScan(
                costs=self.costs,
                rows=len(rows),
                cost=self.costs.singles(left, statistics.sum(axis=0) - left),
                allowed=self.costs.limit.allows(lefts, measures.sum(axis=0) - lefts),
                among=rows,
                listed=listed,
            )
        ]


def distinct(listed: Distinct) -> Distinct:
    """Drop partitions with an empty side, and all but the first of equal or mirrored ones.

    >>> table = np.array([[True, False], [False, True], [True, True]])
    >>> distinct(Distinct(np.arange(3), table)).numbers.tolist()
    [0]
    """
    numbers, left = listed
    if not left.size:
        return Distinct(numbers[:0], left[:0])
    # The first row goes right in all of them: of a partition and its mirror image one is left.
    keys = packed(left ^ left[:, :1])
    first = np.unique(keys, axis=0, return_index=True)[1]
    chosen = np.sort(first[keys[first].any(axis=1)])
    return Distinct(numbers[chosen], left[chosen])
