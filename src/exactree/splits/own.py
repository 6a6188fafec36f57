"""A split family of one's own: two methods, which say what splits exist and write one down."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from exactree.partitions import Partitions, packed
from exactree.problem import ListedSplit, Ranks
from exactree.splits.family import Listing, SecondsLeft, Sources, no_limit
from exactree.tree import Split


@runtime_checkable
class OwnFamily(Protocol):
    """What to write for a family of one's own; `docs/families.md` has examples.

    Optional attributes are `name`, and `words`, what to call its trees.
    """

    def partitions(self, X: NDArray[np.float64]) -> Any:
        """List the splits that exist for the rows of X: for each, which rows go left.

        A table of booleans, a line per split; repeated and trivial ones do no harm. The rows are in
        an order of ours, and equal rows have to go together.
        """

    def split(self, X: NDArray[np.float64], left: NDArray[np.bool_], index: int) -> Split:
        """Write down the split that was number `index` of `partitions`, for the rows of a node.

        X has the rows of that node only, and `left` says which of them go left: a split that parts
        them like this is asked for, and may choose freely elsewhere.
        """


@dataclass(eq=False)
class OwnSources(Sources):
    """Rows whose partitions the user's family lists."""

    X: NDArray[np.float64]
    family: OwnFamily
    columns: Ranks
    numbers: NDArray[np.intp]  # the user's number of each partition that was kept

    @property
    def has_partitions(self) -> bool:
        """Say that there are splits beside rank columns."""
        return True

    def partitions(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List the user's partitions, without trivial and repeated ones, whichever side is left."""
        X = self.X[rows]
        table = _checked(self.family, self.family.partitions(X), X)
        _refuse_too_many(self.family, table, listing.memory)
        # The same partition may be listed with either side left; the trivial one comes first.
        one_way = packed(np.concatenate([np.ones((1, len(X)), dtype=bool), table ^ ~table[:, :1]]))
        _, first = np.unique(one_way, axis=0, return_index=True)
        self.numbers = np.sort(first[first > 0]) - 1
        return Partitions(packed(table[self.numbers]))

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> Split:
        """Ask the user's family, with left and right as it listed them, and check the answer."""
        assert isinstance(cut, ListedSplit)
        X = self.X[rows]
        number = int(self.numbers[cut.number])
        split = self.family.split(X, left, number)
        if not isinstance(split, Split) or not np.array_equal(split.goes_left(X), left):
            raise ValueError(
                f"the family {name_of(self.family)!r} wrote its split number {number} down as "
                f"{split!r}, which does not part the rows of the node as asked for: mend split()"
            )
        return split


@dataclass(frozen=True)
class Own:
    """Adapts a user's family to the protocol of the built-in ones."""

    family: OwnFamily

    @property
    def name(self) -> str:
        """What the user calls it, or the name of the class."""
        return name_of(self.family)

    @property
    def words(self) -> str:
        """What the user calls its trees, or its name."""
        return str(getattr(self.family, "words", self.name))

    def sources(self, X: NDArray[Any]) -> OwnSources:
        """Hold the rows for the listing of their partitions."""
        values = np.ascontiguousarray(X, dtype=np.float64)
        columns = np.zeros((0, len(values)), dtype=np.int32)
        return OwnSources(values, self.family, columns, np.zeros(0, dtype=np.intp))


def name_of(family: OwnFamily) -> str:
    """Give the name of a family.

    >>> class Pairs: ...
    >>> name_of(Pairs())
    'Pairs'
    """
    return str(getattr(family, "name", type(family).__name__))


def _checked(family: OwnFamily, table: Any, X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Refuse what is no table of booleans with an entry per row, or parts equal rows."""
    found = np.asarray(table)
    if found.size == 0:
        return np.zeros((0, len(X)), dtype=bool)
    if found.dtype != bool or found.ndim != 2 or found.shape[1] != len(X):
        raise ValueError(
            f"partitions() of the family {name_of(family)!r} gave shape {found.shape} and dtype "
            f"{found.dtype} for {len(X)} rows: give booleans, a line per split, an entry per row"
        )
    first: dict[Hashable, int] = {}
    same = np.array([first.setdefault(tuple(row), i) for i, row in enumerate(X.tolist())])
    parted = np.flatnonzero((found != found[:, same]).any(axis=1))
    if len(parted):
        raise ValueError(
            f"split number {parted[0]} of the family {name_of(family)!r} parts equal rows: let "
            "partitions() look at the values of a row only"
        )
    return found


def _refuse_too_many(family: OwnFamily, table: NDArray[np.bool_], memory: int) -> None:
    needed = len(table) * -(-table.shape[1] // 64) * 8
    if needed > memory:
        raise ValueError(
            f"the family {name_of(family)!r} lists {len(table)} splits, {needed // 2**20 + 1} MB, "
            f"and memory_limit allows {memory // 2**20} MB (1024 unless given): list fewer, or "
            "allow more memory"
        )
