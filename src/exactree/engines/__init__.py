"""Engines: exact ways to solve a Problem, by name."""

from exactree.engines.brute_force import brute_force
from exactree.engines.generic import generic
from exactree.engines.leaf import single_leaf
from exactree.engines.search import search, search_sizes
from exactree.engines.size_kperms import size_kperms
from exactree.engines.size_rec import size_rec
from exactree.engines.size_vec import size_vec
from exactree.objectives import MisclassificationError, Objective
from exactree.problem import Engine

__all__ = [
    "ENGINES",
    "OVER_RULES",
    "as_engine",
    "brute_force",
    "generic",
    "search",
    "search_sizes",
    "single_leaf",
    "size_kperms",
    "size_rec",
    "size_vec",
]

ENGINES: dict[str, Engine] = {
    "search": search,
    "generic": generic,
    "brute_force": brute_force,
    "size_rec": size_rec,
    "size_vec": size_vec,
    "size_kperms": size_kperms,
}
# Those that combine rules of a list with owners instead of taking all partitions of a family.
OVER_RULES = frozenset({"size_rec", "size_vec", "size_kperms"})


def as_engine(name: str, objective: Objective | None = None) -> Engine:
    """Look up an engine; "auto" chooses the fastest that is exact for the objective.

    >>> from exactree.objectives import SquaredError
    >>> as_engine("auto") is search, as_engine("auto", SquaredError()) is generic
    (True, True)
    """
    native = objective is None or type(objective) is MisclassificationError
    if name == "auto":
        return search if native else generic
    if name not in ENGINES:
        known = ", ".join(map(repr, ("auto", *ENGINES)))
        raise ValueError(f"engine={name!r} is unknown: choose one of {known}")
    if name == "search" and not native:
        raise ValueError(
            f"engine='search' solves objective 'error' alone, not {objective!r}: use 'generic'"
        )
    return ENGINES[name]
