"""Engines: ways to solve a Problem, by name."""

from exactree.engines.brute_force import brute_force
from exactree.engines.choice import ENGINES, OVER_RULES, Choice, choose
from exactree.engines.generic import generic
from exactree.engines.leaf import single_leaf
from exactree.engines.local import local, surface_sizes, surfaces
from exactree.engines.search import search, search_sizes
from exactree.engines.size_kperms import size_kperms
from exactree.engines.size_rec import size_rec
from exactree.engines.size_vec import size_vec

__all__ = [
    "ENGINES",
    "OVER_RULES",
    "Choice",
    "brute_force",
    "choose",
    "generic",
    "local",
    "search",
    "search_sizes",
    "single_leaf",
    "size_kperms",
    "size_rec",
    "size_vec",
    "surface_sizes",
    "surfaces",
]
