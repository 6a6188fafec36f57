"""The protocol of split families.

A family turns data into sources that an engine can look at, and an engine's choices back into
splits that predict. Sources are decided exactly and once; the engine never sees a coordinate.

For a family of one's own, the two methods of `exactree.splits.own` are the shorter way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.geometry import SecondsLeft, no_limit
from exactree.partitions import Partitions
from exactree.problem import Ranks
from exactree.tree import Split

__all__ = ["Listing", "SecondsLeft", "Sources", "SplitFamily", "no_limit"]

GIBIBYTE = 2**30


@dataclass(frozen=True)
class Listing:
    """What a listing of partitions may take: `memory` in bytes; `stop()` ends it early.

    Not `needed`: the engine can do with Terms alone where there are more partitions than `reach`,
    and up to that with Cells if not `listed`. Terms and the search over them may take `room`.
    """

    memory: int = GIBIBYTE
    stop: Callable[[], bool] | None = None
    needed: bool = True
    listed: bool = True
    reach: float = inf
    room: float = inf


class Sources(ABC):
    """What a family offers for some data; the base of all kinds."""

    columns: Ranks
    """Rank columns (D, n), D may be 0: a threshold on any of them is a split of the family."""

    features: Sequence[int] | None = None
    """The column of the data behind each rank column; None: it is not one."""

    left_out: tuple[tuple[int, int], ...] = ()
    """Categories without a rank column, as there are too many: columns of the data and codes."""

    remark: str = ""
    """What to add to the words for the trees, where the family could not use all of the data."""

    @property
    def has_partitions(self) -> bool:
        """Tell whether the family has splits beside those of its rank columns."""
        return False

    def partitions(self, rows: NDArray[np.intp], listing: Listing) -> Partitions | None:
        """List the family's other partitions of these rows of the data, each once."""
        return None

    def rules(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List all splits as rules that rows own, for the engines over combinations of rules."""
        raise ValueError(
            "these splits have no owners, which the engines 'size_rec', 'size_vec' and "
            "'size_kperms' need: use engine='auto', or axis-parallel splits and surfaces"
        )

    def known(self, cut: Split) -> Split | None:
        """Write down an engine's choice without looking at rows, where that is possible."""
        return None

    @abstractmethod
    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: NDArray[np.bool_],
        seconds_left: SecondsLeft = no_limit,
    ) -> Split:
        """Write down an engine's choice, which parts the node's rows of the data like `left`.

        TimeoutError says that this would take longer than `seconds_left()`.
        """


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
