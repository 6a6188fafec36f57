"""What a search over surfaces that was stopped can still offer: a tree of thresholds.

A threshold on a column is a surface of every family that has hyperplanes, and trees of thresholds
are found in milliseconds. The bound stays that of the stopped search, which is about all surfaces.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from exactree.engines import as_engine, for_problem
from exactree.preparing import Data
from exactree.problem import Limits, Problem, Result
from exactree.splits import Axis, Sources

# The limit is reached already: a first tree, and what can be mended in no time.
SECONDS = 0.03


def by_thresholds(
    found: Result, problem: Problem, data: Data, sources: Sources, share: float = 1.0
) -> tuple[Result, Problem, Sources]:
    """Give a better tree of thresholds if there is one, with the problem and sources it is in.

    `share` is that of the time, where several results have to share it.

    >>> from exactree import solve
    >>> X, y = [[i % 5, i // 5] for i in range(40)], [i % 5 < 2 for i in range(40)]
    >>> stopped = solve(X, y, splits="hyperplane", max_depth=2, time_limit=0)
    >>> stopped.objective, stopped.space
    (0, 'hyperplane trees, depth <= 2')
    """
    if found.status == "optimal" or problem.sides is None or not sources.has_thresholds:
        return found, problem, sources
    assert problem.origin is not None
    axis = Axis().sources(data.X)
    plain = replace(problem, columns=np.take(axis.columns, problem.origin, axis=1), sides=None)
    engine = for_problem(as_engine("auto", problem.objective), "auto", plain)
    other = engine(plain, Limits(seconds=share * SECONDS), None)
    if other.objective >= found.objective:
        return found, problem, sources
    bound = min(found.lower_bound, other.objective)
    last = (max(seconds for seconds, _, _ in found.history), other.objective, bound)
    better = replace(
        found,
        status="optimal" if bound == other.objective else found.status,
        objective=other.objective,
        lower_bound=bound,
        gap=other.objective - bound,
        tree=other.tree,
        history=(*found.history, last),
    )
    return better, plain, axis
