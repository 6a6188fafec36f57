"""What the records of the study say: means, ranks, and the family that cross-validation chooses."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.models import FAMILIES

Record = dict[str, Any]
CHOSEN = "family chosen"


def with_chosen(records: Sequence[Record]) -> list[Record]:
    """Add what OptimalTreeClassifierCV(families=...) does.

    It takes the family of least inner error, the first among equals, and its tree is that of the
    family: so nothing has to be fitted again, and the time is that of all families.
    """
    by_fold: dict[tuple[str, int], dict[str, Record]] = defaultdict(dict)
    for record in records:
        if record["method"] in FAMILIES and "errors" in record:
            by_fold[record["table"], record["fold"]][record["method"]] = record
    added = []
    for found in by_fold.values():
        if len(found) < len(FAMILIES):
            continue
        best = min(FAMILIES, key=lambda name: found[name]["inner_error"])
        seconds = sum(record["cpu_seconds"] for record in found.values())
        added.append({**found[best], "method": CHOSEN, "family": best, "cpu_seconds": seconds})
    return [*records, *added]


@dataclass(frozen=True)
class Table:
    """Tables by methods: accuracy in per cent, splits and seconds, means over the folds."""

    tables: list[str]
    methods: list[str]
    accuracy: NDArray[np.float64]
    splits: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def ranks(self) -> NDArray[np.float64]:
        """Mean ranks of the methods, 1 the best, equals sharing theirs."""
        from scipy.stats import rankdata

        return np.asarray(rankdata(-np.round(self.accuracy, 9), axis=1).mean(axis=0))

    def critical_difference(self, level: float = 0.05) -> float:
        """Mean ranks that differ by less may be equal, by the test of Nemenyi."""
        from scipy.stats import studentized_range

        k, n = len(self.methods), len(self.tables)
        q = studentized_range.ppf(1 - level, k, np.inf) / sqrt(2)
        return float(q * sqrt(k * (k + 1) / (6 * n)))


def summarized(records: Sequence[Record], methods: Sequence[str]) -> Table:
    """Only folds that every method has done, and tables that have one."""
    done: dict[tuple[str, int], dict[str, Record]] = defaultdict(dict)
    for record in records:
        if "errors" in record and record["method"] in methods:
            done[record["table"], record["fold"]][record["method"]] = record
    whole: dict[str, list[dict[str, Record]]] = defaultdict(list)
    for (table, _), found in done.items():
        if len(found) == len(methods):
            whole[table].append(found)

    def means(read: Any) -> NDArray[np.float64]:
        cells = [
            [np.mean([read(found[m]) for found in whole[t]]) for m in methods]
            for t in sorted(whole)
        ]
        return np.array(cells, dtype=float)

    return Table(
        sorted(whole),
        list(methods),
        means(lambda r: 100 * (1 - r["errors"] / r["rows"])),
        means(lambda r: np.nan if r["splits"] is None else r["splits"]),
        means(lambda r: r["cpu_seconds"]),
    )


def lines(table: Table) -> list[list[str]]:
    """A line a method, the best mean rank first."""
    ranks = table.ranks()
    found = []
    for j in np.argsort(ranks, kind="stable"):
        splits = table.splits[:, j].mean()
        found.append(
            [
                table.methods[j],
                f"{ranks[j]:.2f}",
                f"{table.accuracy[:, j].mean():.2f}",
                "" if np.isnan(splits) else f"{splits:.1f}",
                f"{table.seconds[:, j].mean():.2f}",
            ]
        )
    return found


def details(table: Table) -> list[list[str]]:
    """A line a table: the accuracies of all methods."""
    return [
        [name, *(f"{value:.1f}" for value in row)]
        for name, row in zip(table.tables, table.accuracy, strict=True)
    ]
