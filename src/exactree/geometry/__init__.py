"""Exact geometry: integer lifting, embedding, dichotomies and surfaces of widest margin."""

from exactree.geometry.embedding import Embedding, exact_vectors
from exactree.geometry.families import KINDS, Family, Term, family_of, polynomial
from exactree.geometry.lifting import Lifted, lift
from exactree.geometry.listing import (
    Dichotomies,
    count_bound,
    dichotomies,
    surely_more,
    surface_sides,
    unlisted,
)
from exactree.geometry.margin import SecondsLeft, Surface, no_limit, widest_margin
from exactree.geometry.owning import OwnedRules, owned_rules

__all__ = [
    "KINDS",
    "Dichotomies",
    "Embedding",
    "Family",
    "Lifted",
    "OwnedRules",
    "SecondsLeft",
    "Surface",
    "Term",
    "count_bound",
    "dichotomies",
    "exact_vectors",
    "family_of",
    "lift",
    "no_limit",
    "owned_rules",
    "polynomial",
    "surely_more",
    "surface_sides",
    "unlisted",
    "widest_margin",
]
