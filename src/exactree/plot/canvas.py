"""Where to draw: matplotlib, only when a picture is asked for."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#333333"


def pyplot() -> ModuleType:
    """Import matplotlib, or say where it comes from."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "exactree.plot needs matplotlib: install it with pip install 'exactree[plot]'"
        ) from error
    return plt


def axes(ax: Axes | None, width: float = 6.4, height: float = 4.4) -> Axes:
    """Take the axes given, or those of a new figure of so many inches."""
    if ax is not None:
        return ax
    made: Axes = pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return made
