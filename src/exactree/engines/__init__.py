"""Engines: ways to solve a Problem, by name."""

from exactree.engines.brute_force import brute_force
from exactree.engines.generic import generic
from exactree.engines.leaf import single_leaf
from exactree.engines.local import local, surface_sizes, surfaces
from exactree.engines.search import search, search_sizes
from exactree.engines.size_kperms import size_kperms
from exactree.engines.size_rec import size_rec
from exactree.engines.size_vec import size_vec
from exactree.engines.squares import why_not_whole
from exactree.objectives import CostMatrix, MisclassificationError, Objective, SquaredError
from exactree.problem import Engine, Problem

__all__ = [
    "ENGINES",
    "OVER_RULES",
    "as_engine",
    "brute_force",
    "for_problem",
    "generic",
    "is_local",
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

# The exact ones. "local" is another.
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


def is_native(objective: Objective) -> bool:
    """Tell whether the native search knows an objective: itself, not what was derived from it."""
    whole_costs = type(objective) is CostMatrix and objective.integral
    return whole_costs or type(objective) in (MisclassificationError, SquaredError)


def is_local(objective: Objective) -> bool:
    """Tell whether the local search over surfaces knows an objective."""
    return type(objective) in (MisclassificationError, SquaredError)


def as_engine(name: str, objective: Objective | None = None) -> Engine:
    """Look up an engine; "auto" chooses the fastest that is exact for the objective.

    >>> from exactree.objectives import AbsoluteError
    >>> as_engine("auto") is search, as_engine("auto", AbsoluteError()) is generic
    (True, True)
    """
    native = objective is None or is_native(objective)
    if name == "auto":
        return search if native else generic
    if name not in (*ENGINES, "local"):
        known = ", ".join(map(repr, ("auto", *ENGINES, "local")))
        raise ValueError(f"engine={name!r} is unknown: choose one of {known}")
    if name == "search" and not native:
        raise ValueError(
            "engine='search' solves objectives 'error', 'squared_error' and cost matrices of whole "
            f"numbers, not {objective!r}: use 'generic'"
        )
    if name == "local" and not (objective is None or is_local(objective)):
        raise ValueError(
            "engine='local' searches for objectives 'error' and 'squared_error', not "
            f"{objective!r}: use 'generic'"
        )
    return ENGINES.get(name, local)


def for_problem(chosen: Engine, name: str, problem: Problem) -> Engine:
    """Give the engine chosen by name, or another where "auto" chose one that cannot solve this."""
    has_terms = problem.sides is not None and bool(problem.sides.terms)
    if chosen is search and has_terms:
        return surfaces
    if chosen is local and problem.max_depth and not has_terms:
        raise ValueError("engine='local' searches surfaces, and these splits are none: use 'auto'")
    reason = why_not_whole(problem) if chosen is search else None
    if reason is None:
        return chosen
    if name == "auto":
        return generic
    raise ValueError(f"engine='search' does not solve this problem: {reason}; use 'generic'")
