"""Rules of tables: thresholds with missing values on either side, categories and their subsets.

The paper has numbers only. A column with an order asks x <= t for every value t that occurs, with
the missing values on the one side or on the other, and whether x is missing. A column of categories
asks whether x is one of them, a missing value being a category of its own; by subsets, whether x is
in any of the sets of categories.

Glossary
    rows    the cells of every sample, by its index
    cell    a number, or a place in an order; text or any other category; None is missing
    kind    what is asked of a column: "order", "equality" or "subset"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import Any

from exactree.spec.data import Rule, Samples

KINDS = ("order", "equality", "subset")
Rows = Sequence[Sequence[Any]]


def table_rules(xs: Samples, rows: Rows, kinds: Sequence[str]) -> list[Rule]:
    """List the rules of all columns on these samples, each partition as often as it is asked for.

    >>> from exactree.spec.data import Sample
    >>> xs = tuple(Sample(i, (0,), 0) for i in range(3))
    >>> [r.form for r in table_rules(xs, [[1], [2], [None]], ["order"])]
    ['0 is missing', '0 <= 1', '0 <= 1 or missing', '0 <= 2', '0 <= 2 or missing']
    >>> [r.form for r in table_rules(xs, [["a"], ["b"], [None]], ["equality"])]
    ["0 in ['a']", "0 in ['b']", '0 in [None]']
    """
    return [r for j, kind in enumerate(kinds) for r in column_rules(xs, rows, j, kind)]


def column_rules(xs: Samples, rows: Rows, j: int, kind: str) -> Iterator[Rule]:
    """List the rules of one column.

    >>> list(column_rules((), [], 0, "magic"))
    Traceback (most recent call last):
    ...
    ValueError: kind 'magic' is unknown: choose one of order, equality, subset
    """
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is unknown: choose one of {', '.join(KINDS)}")
    cells = {x.index: rows[x.index][j] for x in xs}
    different = list(dict.fromkeys(cells.values()))
    if kind == "order":
        yield from _orders(cells, j, sorted(v for v in different if v is not None))
        return
    sizes = (1,) if kind == "equality" else range(1, len(different))
    for chosen in chain.from_iterable(combinations(different, k) for k in sizes):
        yield _rule((i for i, v in cells.items() if v in chosen), f"{j} in {list(chosen)}")


def _orders(cells: dict[int, Any], j: int, values: list[Any]) -> Iterator[Rule]:
    missing = {i for i, v in cells.items() if v is None}
    yield _rule(missing, f"{j} is missing")
    for t in values:
        below = {i for i, v in cells.items() if v is not None and v <= t}
        yield _rule(below, f"{j} <= {t}")
        yield _rule(below | missing, f"{j} <= {t} or missing")


def _rule(indices: Iterable[int], form: str) -> Rule:
    return Rule(frozenset(indices), (), form)
