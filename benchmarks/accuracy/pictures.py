"""Pictures of the study."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.recovery import BASE, METHODS, VARIED
from benchmarks.accuracy.summary import Table

OURS = "#1f5fa8"


def _figure(width: float, height: float) -> Any:
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "exactree"  # the same file for the same records
    return Figure(figsize=(width, height), layout="constrained")


def critical_differences(table: Table, ours: Sequence[str], path: Path) -> None:
    """Mean ranks on a line; bars join methods whose ranks do not differ significantly."""
    ranks, width = table.ranks(), table.critical_difference()
    order = np.argsort(ranks, kind="stable")
    half = (len(order) + 1) // 2
    low, high = int(np.floor(ranks.min())), int(np.ceil(ranks.max()))
    groups = _groups(ranks[order], width)
    figure = _figure(8, 1.3 + 0.27 * half + 0.14 * len(groups))
    axes = figure.add_subplot()
    top = 0.5 + 0.5 * len(groups)
    for place, j in enumerate(order):
        left = place < half
        level = -top - 1.0 * (place if left else len(order) - 1 - place)
        edge = low - 0.3 if left else high + 0.3
        color = OURS if table.methods[j] in ours else "0.25"
        axes.plot([ranks[j], ranks[j], edge], [0, level, level], color=color, lw=1)
        text = (
            f"{table.methods[j]}  {ranks[j]:.2f}" if left else f"{ranks[j]:.2f}  {table.methods[j]}"
        )
        axes.text(
            edge + (-0.1 if left else 0.1),
            level,
            text,
            ha="right" if left else "left",
            va="center",
            color=color,
            fontsize=9,
        )
    for number, (first, last) in enumerate(groups):
        level = -0.45 - 0.5 * number
        axes.plot([first - 0.05, last + 0.05], [level, level], color="0.1", lw=3)
    axes.plot([low, high], [0, 0], color="black", lw=1)
    for rank in range(low, high + 1):
        axes.plot([rank, rank], [0, 0.25], color="black", lw=1)
        axes.text(rank, 0.4, str(rank), ha="center", va="bottom", fontsize=9)
    axes.plot([low, low + width], [1.9, 1.9], color="black", lw=2)
    axes.text(low + width + 0.1, 1.9, f"critical difference {width:.2f}", va="center", fontsize=9)
    axes.set(xlim=(low - 3.4, high + 3.4), ylim=(-top - half, 2.6))
    axes.axis("off")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _groups(ranks: Any, width: float) -> list[tuple[float, float]]:
    """The longest runs of ranks within the critical difference."""
    found: list[tuple[float, float]] = []
    for first in ranks:
        last = max(rank for rank in ranks if rank <= first + width)
        if last > first and (not found or last > found[-1][1]):
            found.append((float(first), float(last)))
    return found


def differences(table: Table, methods: Sequence[str], base: str, path: Path) -> None:
    """Points of accuracy above the base, a line a table."""
    start = table.accuracy[:, table.methods.index(base)]
    gains = {m: table.accuracy[:, table.methods.index(m)] - start for m in methods}
    order = np.argsort(gains[methods[0]], kind="stable")
    figure = _figure(7, 1.0 + 0.2 * len(order))
    axes = figure.add_subplot()
    axes.axvline(0, color="0.4", lw=1)
    for place, i in enumerate(order):
        values = [gains[m][i] for m in methods]
        axes.plot([min(values), max(values)], [place, place], color="0.85", lw=1, zorder=1)
    # The first is a ring, so that others are seen inside where they are equal.
    rings: list[dict[str, Any]] = [{"s": 70, "facecolors": "none", "edgecolors": OURS, "zorder": 3}]
    styles = [*rings, *({"s": 22} for _ in methods[1:])]
    for method, marker, style in zip(methods, "osD^v", styles, strict=False):
        axes.scatter(gains[method][order], range(len(order)), marker=marker, label=method, **style)
    axes.set_yticks(range(len(order)), [table.tables[i] for i in order], fontsize=8)
    axes.set_xlabel(f"points of accuracy above {base}")
    axes.legend(loc="lower right", fontsize=8)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def recovery(records: Sequence[dict[str, Any]], path: Path) -> None:
    """A panel for each number that is varied, a line a method: means over the seeds."""
    figure = _figure(8, 5.4)
    panels = figure.subplots(2, 2, sharey=True)
    for axes, (name, values) in zip(panels.flat, VARIED.items(), strict=True):
        for method, marker in zip(METHODS, "osD^v", strict=True):
            found = defaultdict(list)
            for record in records:
                others = {k: v for k, v in record["planted"].items() if k not in (name, "seed")}
                if record["method"] == method and all(
                    getattr(BASE, k) == v for k, v in others.items()
                ):
                    found[record["planted"][name]].append(100 * record["recovered"])
            known = [value for value in values if found[value]]
            means = [np.mean(found[value]) for value in known]
            axes.plot([str(v) for v in known], means, marker=marker, label=method)
        axes.set_xlabel({"noise": "share of labels changed"}.get(name, name))
        axes.grid(visible=True, color="0.93")
    for axes in panels[:, 0]:
        axes.set_ylabel("fresh rows right, %")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
