"""Split families: which splits exist for some data, and how to write one down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from exactree.splits.axis import Axis, AxisSplit, MissingSplit
from exactree.splits.binary import Binary
from exactree.splits.categories import CategorySplit, OrderedSplit, SubsetSplit
from exactree.splits.family import Listing, Sources, SplitFamily
from exactree.splits.hyperplane import Hyperplane
from exactree.splits.mixed import Mixed
from exactree.splits.moments import MomentSplit
from exactree.splits.own import Own, OwnFamily
from exactree.splits.polynomial import AxisQuadric, Polynomial, Sphere
from exactree.splits.selected import SelectedSplit, numbers_for
from exactree.splits.surface import SurfaceSplit

__all__ = [
    "FAMILIES",
    "Axis",
    "AxisQuadric",
    "AxisSplit",
    "Binary",
    "CategorySplit",
    "Hyperplane",
    "Listing",
    "MissingSplit",
    "Mixed",
    "MomentSplit",
    "OrderedSplit",
    "OwnFamily",
    "Polynomial",
    "SelectedSplit",
    "Sources",
    "Sphere",
    "SplitFamily",
    "Splits",
    "SubsetSplit",
    "SurfaceSplit",
    "as_family",
    "numbers_for",
]

FAMILIES: dict[str, Callable[[], SplitFamily]] = {
    "axis": Axis,
    "binary": Binary,
    "hyperplane": Hyperplane,
    "sphere": Sphere,
    "axis_quadric": AxisQuadric,
    "quadric": Polynomial,
}
Splits = SplitFamily | OwnFamily | str | Sequence["SplitFamily | OwnFamily | str"]


def as_family(splits: Splits) -> SplitFamily:
    """Take a split family or one of the user's, look up a name, or mix a list of these.

    >>> as_family("axis")
    Axis()
    >>> as_family("quadric")
    Polynomial(degree=2, boundary='all')
    """
    if isinstance(splits, str):
        if splits not in FAMILIES:
            known = ", ".join(map(repr, FAMILIES))
            raise ValueError(
                f"splits={splits!r} is unknown: choose one of {known}, or pass a split family"
            )
        return FAMILIES[splits]()
    if isinstance(splits, list | tuple):
        return _mixture(splits)
    known_class: Any = splits
    own = [method for method in ("partitions", "split") if hasattr(splits, method)]
    if isinstance(splits, type) or not (hasattr(splits, "sources") or own):
        raise ValueError(f"splits={splits!r} is no split family: pass a name or an object")
    if not hasattr(splits, "sources"):
        if len(own) < 2:
            missing = "split" if own == ["partitions"] else "partitions"
            raise ValueError(f"splits={splits!r} has no method {missing}(): see docs/families.md")
        return Own(known_class)
    if isinstance(splits, Mixed):
        return _mixture(splits.families)
    return known_class  # type: ignore[no-any-return]


def _mixture(splits: Sequence[Splits]) -> SplitFamily:
    """Mix the families of a list; a family within a family that is there too does no harm."""
    if not splits:
        raise ValueError("splits is an empty list: name at least one family")
    families = [as_family(part) for part in splits]
    return families[0] if len(families) == 1 else Mixed(tuple(families))
