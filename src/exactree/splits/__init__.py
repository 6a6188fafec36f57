"""Split families: which splits exist for some data, and how to write one down."""

from exactree.splits.axis import AxisSplit

__all__ = ["AxisSplit"]
