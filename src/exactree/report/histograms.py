"""A small histogram in a node: the values of its rows, by class, and where the split parts them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exactree.export.colours import class_colours
from exactree.report.evidence import Evidence, Floats, element
from exactree.report.questions import surface_of
from exactree.splits.axis import AxisSplit
from exactree.splits.moments import MomentSplit
from exactree.tables import Table
from exactree.tree import Node, Split

HEIGHT = 24
BINS = 24
FEWEST = 2  # rows that make a histogram


def asked_values(evidence: Evidence, node: Node, rows: NDArray[np.intp]) -> Floats | None:
    """Give what the split compares with 0 for each row, or None if it does not compare numbers.

    Rows with a missing value are left out.
    """
    split = node.split
    if isinstance(split, AxisSplit):
        values = evidence.column(split.feature).numbers()[rows] - split.threshold
    elif isinstance(split, MomentSplit):
        column = evidence.column(split.feature)
        values = (column.values[rows] - split.threshold).astype(np.float64)
        values[column.missing[rows]] = np.nan
    else:
        return _of_surface(evidence, split, rows)
    return np.asarray(values)


def _of_surface(evidence: Evidence, split: Split, rows: NDArray[np.intp]) -> Floats | None:
    found = surface_of(split)
    if found is None:
        return None
    surface, columns = found
    if not isinstance(evidence.X, Table):
        seen = evidence.X[rows]
        return surface.decision(seen if columns is None else seen[:, list(columns)])
    known = range(evidence.subject.n_features) if columns is None else columns
    return surface.decision(np.column_stack([evidence.column(j).numbers()[rows] for j in known]))


def has_histogram(evidence: Evidence, node: Node, rows: NDArray[np.intp]) -> bool:
    """Tell whether there is something to draw."""
    values = asked_values(evidence, node, rows)
    return values is not None and int(np.isfinite(values).sum()) >= FEWEST


def histogram(
    evidence: Evidence, node: Node, rows: NDArray[np.intp], left: float, top: float, wide: float
) -> str:
    """Draw the bars of every class on top of each other, and a line at the threshold."""
    values = asked_values(evidence, node, rows)
    assert values is not None
    known = np.isfinite(values)
    values, rows = values[known], rows[known]
    low, high = _ends(values)
    place = np.clip(((values - low) / (high - low) * BINS).astype(int), 0, BINS - 1)
    classes = evidence.subject.classes
    kinds = np.zeros(len(rows), dtype=int) if classes is None else evidence.truth[rows]
    colours = ["currentColor"] if classes is None else class_colours(len(classes))
    counts = np.zeros((len(colours), BINS), dtype=int)
    np.add.at(counts, (kinds, place), 1)
    unit, step = HEIGHT / counts.sum(axis=0).max(), wide / BINS
    tops = top + HEIGHT - np.cumsum(counts, axis=0) * unit
    bars = "".join(
        element("path", d=_bars(left, step, tops[k], counts[k] * unit), fill=colours[k])
        for k in range(len(colours))
        if counts[k].any()
    )
    x = round(left + wide * float(np.clip(-low / (high - low), 0, 1)), 2)
    line = element("path", class_="cut", d=f"M{x} {top - 2}V{top + HEIGHT}")
    faint = 0.5 if classes is None else 0.75
    return element("g", element("g", bars, opacity=faint) + line, class_="histogram")


def _ends(values: Floats) -> tuple[float, float]:
    """Give a stretch that has nearly all values and the threshold, which is 0."""
    low, high = np.quantile(values, [0.01, 0.99])
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    margin = (high - low) / 20 or 1.0
    return low - margin, high + margin


def _bars(left: float, step: float, tops: Floats, heights: Floats) -> str:
    return "".join(
        f"M{left + i * step:.1f} {y:.1f}h{0.9 * step:.1f}v{h:.1f}h{-0.9 * step:.1f}z"
        for i, (y, h) in enumerate(zip(tops, heights, strict=True))
        if h
    )
