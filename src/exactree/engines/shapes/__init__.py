"""Constraints on which columns a tree asks, and on how its answers follow them: a file each.

Each is a search around another engine, which it asks for trees without the constraint: on some of
the columns, on some of the rows. Such a tree costs no more than one with the constraint. So a tree
without it that keeps to it by chance is optimal, and if not, its cost is a bound.
"""

from exactree.engines.shapes.few_features import few_features
from exactree.engines.shapes.interactions import interactions
from exactree.engines.shapes.monotone import monotone

__all__ = ["few_features", "interactions", "monotone"]
