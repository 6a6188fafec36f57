"""Which engine solves a problem: decided here, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from exactree.engines.brute_force import brute_force
from exactree.engines.generic import generic
from exactree.engines.local import local, surfaces
from exactree.engines.search import search
from exactree.engines.size_kperms import size_kperms
from exactree.engines.size_rec import size_rec
from exactree.engines.size_vec import size_vec
from exactree.engines.squares import why_not_whole
from exactree.objectives import Objective
from exactree.objectives.native import NativeForm
from exactree.problem import Engine, Problem
from exactree.suggesting import did_you_mean

# The exact ones. "local" is another.
ENGINES: dict[str, Engine] = {
    "search": search,
    "generic": generic,
    "brute_force": brute_force,
    "size_rec": size_rec,
    "size_vec": size_vec,
    "size_kperms": size_kperms,
}
# Those that ask a constraint of one's own.
ANY_CONSTRAINT = ("generic", "brute_force")
# Those that combine rules of a list with owners instead of taking all partitions of a family.
OVER_RULES = frozenset({"size_rec", "size_vec", "size_kperms"})


@dataclass(frozen=True)
class Choice:
    """The engine for a name and an objective, and what it needs of a problem.

    Parameters
    ----------
    name : str
        As the user gave it.
    engine : Engine
        The function, unless the problem asks for another; see `for_problem`.
    form : NativeForm or None
        What the native search knows of the objective.
    """

    name: str
    engine: Engine
    form: NativeForm | None

    @property
    def over_rules(self) -> bool:
        """Whether the splits have to be listed as rules with owners."""
        return self.name in OVER_RULES

    @property
    def over_cells(self) -> bool:
        """Whether partitions by surfaces may be left for the search to make."""
        return self.form is not None and self.form.over_partitions

    @property
    def over_terms(self) -> bool:
        """Whether a local search does where there are more partitions than can be listed."""
        known = self.form is not None and self.form.over_surfaces
        return known and self.engine in (search, local)

    @property
    def reach(self) -> float:
        """How many partitions by surfaces are few enough to be looked at one by one."""
        return 0 if self.engine is local else inf

    def for_problem(self, problem: Problem) -> Engine:
        """Give the engine that solves this problem; refuse one that was named and cannot."""
        has_terms = problem.partitions is not None and bool(problem.partitions.terms)
        if self.engine is search and has_terms:
            return surfaces
        if self.engine is local and problem.max_depth and not has_terms:
            raise ValueError(
                "engine='local' searches surfaces, and these splits are none: use 'auto'"
            )
        reason = why_not_whole(problem) if self.engine is search else None
        if reason is None:
            return self.engine
        if self.name == "auto":
            return generic
        raise ValueError(f"engine='search' does not solve this problem: {reason}; use 'generic'")


def choose(name: str, objective: Objective, *, constrained: bool = False) -> Choice:
    """Look up an engine; "auto" chooses the fastest that is exact for the objective.

    `constrained` says that there is a constraint beside the least count of a side.

    >>> from exactree.objectives import AbsoluteError, MisclassificationError
    >>> choose("auto", MisclassificationError()).engine is search
    True
    """
    form = None if constrained else objective.native_form()
    if name == "auto":
        return Choice(name, generic if form is None else search, form)
    if name not in (*ENGINES, "local"):
        known = ("auto", *ENGINES, "local")
        listed = ", ".join(map(repr, known))
        raise ValueError(
            f"engine={name!r} is unknown: choose one of {listed}{did_you_mean(name, known)}"
        )
    if constrained and name not in ANY_CONSTRAINT:
        others = " or ".join(map(repr, ANY_CONSTRAINT))
        raise ValueError(f"engine={name!r} knows no constraint of one's own: use {others}")
    if name == "search" and form is None:
        raise ValueError(
            "engine='search' solves objectives 'error', 'squared_error' and cost matrices of whole "
            f"numbers, not {objective!r}: use 'generic'"
        )
    if name == "local" and not (form is not None and form.over_surfaces):
        raise ValueError(
            "engine='local' searches for 'error', 'squared_error' and costs per row, not "
            f"{objective!r}: use 'generic'"
        )
    return Choice(name, ENGINES.get(name, local), form)
