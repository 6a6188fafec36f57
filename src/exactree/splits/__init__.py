"""Split families: which splits exist for some data, and how to write one down."""

from exactree.splits.axis import Axis, AxisSplit
from exactree.splits.binary import Binary
from exactree.splits.family import Sources, SplitFamily

__all__ = ["FAMILIES", "Axis", "AxisSplit", "Binary", "Sources", "SplitFamily", "as_family"]

FAMILIES: dict[str, type[SplitFamily]] = {"axis": Axis, "binary": Binary}


def as_family(splits: SplitFamily | str) -> SplitFamily:
    """Take a split family, or look up its name.

    >>> as_family("axis")
    Axis()
    """
    if isinstance(splits, str):
        if splits not in FAMILIES:
            known = ", ".join(map(repr, FAMILIES))
            raise ValueError(
                f"splits={splits!r} is unknown: choose one of {known}, or pass a split family"
            )
        return FAMILIES[splits]()
    if isinstance(splits, type) or not hasattr(splits, "sources"):
        raise ValueError(f"splits={splits!r} is no split family: pass a name or an object")
    return splits
