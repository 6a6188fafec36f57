"""Plots of results. Without matplotlib there are none, and the tables say the same."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.report import Line, View

Series = dict[str, list[tuple[float, float]]]


def available() -> bool:
    return find_spec("matplotlib") is not None


def _figure(height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, height), layout="constrained")
    return figure, figure.add_subplot()


def times(every: Sequence[Line], view: View, path: Path) -> bool:
    """A row an instance, a mark a solver, on a logarithmic axis; False if there is nothing."""
    shown = [line for line in every if line.shown]
    if not shown or not available():
        return False
    solvers = list(dict.fromkeys(name for line in shown for name in line.best))
    figure, axes = _figure(1.2 + 0.35 * len(shown))
    for line_number, line in enumerate(shown):
        found = [s for s in (line.seconds(name, view.clock) for name in solvers) if s is not None]
        axes.plot([min(found), max(found)], [line_number] * 2, color="0.8", zorder=1)
    for name, marker in zip(solvers, "osD^vP*X" * len(solvers), strict=False):
        marks = [(line.seconds(name, view.clock), i) for i, line in enumerate(shown)]
        kept = [(seconds, i) for seconds, i in marks if seconds is not None]
        axes.scatter(*zip(*kept, strict=True), marker=marker, label=name) if kept else None
    axes.set_yticks(range(len(shown)), [line.group.instance for line in shown])
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="seconds")
    axes.legend(loc="best")
    figure.savefig(path)
    return True


def growth(series: Series, label: str, path: Path, quantity: str = "seconds") -> bool:
    """Seconds, or something else, against size, both logarithmic, one line a solver."""
    if not any(series.values()) or not available():
        return False
    figure, axes = _figure(4.5)
    for name, points in series.items():
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel=quantity)
    axes.grid(visible=True, which="major", color="0.9")
    axes.legend(loc="best")
    figure.savefig(path)
    return True
