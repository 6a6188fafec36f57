"""Exact geometry: integer lifting, embedding, dichotomies and surfaces of widest margin."""

from exactree.geometry.families import Family, family_of, polynomial
from exactree.geometry.lifting import Lifted, lift
from exactree.geometry.listing import Dichotomies, count_bound, dichotomies, surface_sides
from exactree.geometry.margin import Surface, widest_margin

__all__ = [
    "Dichotomies",
    "Family",
    "Lifted",
    "Surface",
    "count_bound",
    "dichotomies",
    "family_of",
    "lift",
    "polynomial",
    "surface_sides",
    "widest_margin",
]
