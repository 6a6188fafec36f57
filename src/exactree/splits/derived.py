"""The splits of a table as rank columns, so that engines need not know what a column holds.

- A column with an order and nothing missing is one rank column, as ever.
- With missing values it is two: in the first, missing is below all values, so that each threshold
  has the missing rows on its left, and the lowest asks whether the value is missing. In the second,
  missing stands with the highest value, so that each threshold has the missing rows on its right.
  Together they have every threshold with the missing rows on either side, and "is missing", once.
  The second ones come after all other columns: the native search scans each along with its first.
- Where no column has more than two values, the same are three columns of two ranks, for the kernels
  over such columns.
- A category is a column of two ranks: it or another. Of two categories one column is enough.
- So is a subset of categories, and of a subset and its complement one is enough: the one with the
  first category.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.partitions import Partitions
from exactree.problem import Cut, ListedSplit, Ranks
from exactree.rows import dense_ranks
from exactree.splits.axis import (
    AxisColumns,
    AxisSplit,
    MissingSplit,
    between,
    zeros_and_ones,
)
from exactree.splits.categories import CategorySplit, OrderedSplit, SubsetSplit
from exactree.splits.family import Listing, SecondsLeft, Sources, no_limit
from exactree.splits.moments import MomentSplit
from exactree.tables.columns import Column, Table, Value
from exactree.tables.times import middle
from exactree.tree import Split

MOST_CATEGORIES = 10  # of which all subsets are tried
# Rank columns of more bytes than this are not all made; then so many categories have one, first and
# at most.
LARGE, FIRST, MOST = 2**28, 40, 320
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Asked:
    """What a rank column asks of a column of the table."""

    feature: int
    by: str  # "order", "equality" or "subset"
    category: Value | None = None


Asks = Iterator[tuple[Asked, NDArray[Any]]]


@dataclass(frozen=True, eq=False)
class TableColumns(Sources):
    """The rank columns of a table, and what each of them asks."""

    table: Table
    asked: tuple[Asked, ...]
    columns: Ranks
    left_out: tuple[tuple[int, int], ...] = ()

    @property
    def features(self) -> tuple[int, ...]:  # type: ignore[override]
        """Give the column that each rank column asks."""
        return tuple(asked.feature for asked in self.asked)

    def rules(self, rows: NDArray[np.intp], listing: Listing) -> Partitions:
        """List the rules of the rank columns, owned by rows, as those of any rank columns."""
        return AxisColumns(np.empty((0, 0)), self.columns).rules(rows, listing)

    def known(self, cut: Split) -> Split | None:
        """Write down what asks for a category; thresholds depend on the node's rows."""
        if not isinstance(cut, Cut) or self.asked[cut.column].by != "equality":
            return None
        return _equality(self.asked[cut.column])

    def split(
        self,
        cut: Split,
        rows: NDArray[np.intp],
        left: Bools,
        seconds_left: SecondsLeft = no_limit,
    ) -> Split:
        """Write the question down for the node's rows."""
        if isinstance(cut, ListedSplit):
            asked = self.asked[cut.number % len(self.columns)]
        else:
            assert isinstance(cut, Cut)
            asked = self.asked[cut.column]
        if asked.by == "equality":
            return _equality(asked)
        whole = self.table.column(asked.feature)
        column = whole.take(rows)
        if asked.by == "subset":
            return _subset(asked.feature, column, left)
        found = _threshold(asked.feature, column, left)
        if isinstance(found, AxisSplit):
            return replace(found, two_values=zeros_and_ones(whole.numbers()))
        return found


def _equality(asked: Asked) -> Split:
    if asked.category is None:
        return MissingSplit(asked.feature)
    return CategorySplit(asked.feature, asked.category)


def _subset(feature: int, column: Column, left: Bools) -> SubsetSplit:
    named = (*column.categories, None)
    sides = [tuple(named[i] for i in np.unique(column.values[s]) if i >= 0) for s in (left, ~left)]
    ends = [side + ((None,) if column.missing[s].any() else ()) for side, s in _pairs(sides, left)]
    return SubsetSplit(feature, ends[0], ends[1])


def _pairs(sides: list[Any], left: Bools) -> Iterator[tuple[Any, Bools]]:
    return zip(sides, (left, ~left), strict=True)


def _threshold(feature: int, column: Column, left: Bools) -> Split:
    """Put the threshold between the values on the two sides; missing ones are on one of them."""
    missing, values = column.missing, column.values
    low, high = values[left & ~missing], values[~left & ~missing]
    if not len(low) or not len(high):
        return MissingSplit(feature, known=len(low) > 0)
    side = None
    if missing.any():
        side = "left" if left[missing][0] else "right"
    kind = column.kind
    if kind.name == "ordered":
        end = int(low.max()) + 1
        return OrderedSplit(feature, column.categories[:end], column.categories[end:], side)
    if kind.is_time:
        threshold = middle(int(low.max()), int(high.min()), kind.unit)
        return MomentSplit(feature, threshold, kind.name, kind.unit, side)
    return AxisSplit(feature, between(float(low.max()), float(high.min())), side)


def table_columns(
    table: Table, room: int | None = None, also: frozenset[tuple[int, int]] = frozenset()
) -> TableColumns:
    """Make the rank columns of a table.

    Where there are so many categories that their columns would fill memory, the most frequent ones
    have a column, `room` of them, and those of `also`, by column and code; the others are left out,
    which is told.
    """
    rare = _rare(table, FIRST if room is None else room, also)
    orders = {j: _dense(table.column(j)) for j in range(table.shape[1]) if _has_order(table, j)}
    two_valued = all(ranks.max(initial=0) <= 1 for ranks in orders.values())
    asked: list[Asked] = []
    ranks: list[Ranks] = []
    second: list[tuple[Asked, Ranks]] = []
    for j in range(table.shape[1]):
        if j in orders:
            found = _orders(orders.pop(j), table.column(j).missing, two_valued)
            asks: Asks = ((Asked(j, "order"), ranks) for ranks in found)
        else:
            asks = _categories(table, j, rare.get(j, frozenset()))
        made = [(question, column.astype(np.int32, copy=False)) for question, column in asks]
        if len(made) == 2 and made[0][0].by == "order":
            second.append(made.pop())
        asked += [question for question, _ in made]
        ranks += [column for _, column in made]
    asked += [question for question, _ in second]
    ranks += [column for _, column in second]
    if not ranks:  # nothing differs anywhere, and engines like to see a column
        asked, ranks = [Asked(0, "order")], [np.zeros(len(table), dtype=np.int32)]
    left_out = tuple((j, code) for j, codes in rare.items() for code in sorted(codes))
    return TableColumns(table, tuple(asked), np.stack(ranks), left_out)


def _rare(table: Table, room: int, also: frozenset[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """Choose the categories to leave out, the rarest, if columns for all would be too large."""
    if table.subsets:
        return {}
    counted: list[tuple[int, int, int]] = []
    pairs: list[int] = []  # columns of two categories: to ask for either is the same
    others = 0
    for j in range(table.shape[1]):
        if _has_order(table, j):
            others += 2
            continue
        codes, counts = np.unique(table.column(j).values, return_counts=True)
        pairs += [j] if len(codes) == 2 else []
        counted += [(-int(n), j, int(c)) for c, n in zip(codes, counts, strict=True)]
    if 4 * (len(counted) + others) * len(table) <= LARGE:
        return {}
    found: dict[int, set[int]] = {}
    for _, j, code in sorted(counted)[room:]:
        if (j, code) not in also:
            found.setdefault(j, set()).add(code)
    for j in pairs:
        if len(found.get(j, ())) == 1:
            del found[j]
    return {j: frozenset(codes) for j, codes in found.items()}


def _has_order(table: Table, j: int) -> bool:
    return table.kinds[j].name not in ("category", "boolean")


def _categories(table: Table, j: int, rare: frozenset[int]) -> Asks:
    column = table.column(j)
    return _subsets(table, j, column) if table.subsets else _equalities(j, column, rare)


def _dense(column: Column) -> Ranks:
    """Rank the values that are known, from 0; the others are of no meaning."""
    known = ~column.missing
    if not known.any():
        return np.zeros(len(column), dtype=np.int32)
    if column.kind.name == "number":
        filled = np.where(known, column.values, column.values[known.argmax()])
        return np.asarray(dense_ranks(filled[None])[0])
    filled = np.where(known, column.values, column.values[known].min())
    ranks: Any = np.unique(filled, return_inverse=True)[1]
    return np.asarray(ranks.reshape(-1), dtype=np.int32)


def _orders(ranks: Ranks, missing: Bools, two_valued: bool) -> Iterator[NDArray[Any]]:
    """Give the rank columns of one with an order, of two ranks each where all have so few."""
    if not missing.any():
        yield ranks
        return
    if missing.all():
        return
    top = int(ranks.max())
    if top == 0 or two_valued:
        yield ~missing
    if top == 1 and two_valued:
        yield np.where(missing, 0, ranks)
        yield np.where(missing, 1, ranks)
    elif top > 0:
        yield np.where(missing, 0, ranks + 1)
        yield np.where(missing, top, ranks)


def _equalities(j: int, column: Column, rare: frozenset[int]) -> Asks:
    present = _present(column)
    for code in present[: len(present) - 1] if len(present) < 3 else present:
        if code in rare:
            continue
        category = None if code < 0 else column.categories[code]
        yield Asked(j, "equality", category), column.values != code


def _present(column: Column) -> list[int]:
    """Give the categories that occur, a missing one last."""
    found: list[int] = np.unique(column.values).tolist()
    return [code for code in found if code >= 0] + [code for code in found if code < 0]


def _subsets(table: Table, j: int, column: Column) -> Asks:
    present = _present(column)
    count = len(present)
    if count > MOST_CATEGORIES:
        raise ValueError(
            f"column {table.name(j)} of X has {count} categories, which is {2 ** (count - 1) - 1} "
            f"subsets: categories='subset' takes {MOST_CATEGORIES} at most; merge some, or ask by "
            "categories='equality'"
        )
    places = np.zeros(len(column.categories) + 1, dtype=np.intp)  # -1 is the last place
    places[present] = np.arange(count)
    row = places[column.values]
    for others in range(2 ** max(count - 1, 0) - 1):  # beside the first category
        left = np.array([True, *(bool(others >> k & 1) for k in range(count - 1))])
        yield Asked(j, "subset"), ~left[row]
