"""A bound of one error: no tree of so many levels gets every row right.

That no perfect tree exists can be shown without counting errors (cpp/shapes/perfect.hpp), and most
quickly where there are several classes: a side with more classes than leaves has none.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from exactree import _native
from exactree.problem import OnProgress, Problem, Progress

# Seconds between two looks at what the user wants.
EVERY = 0.05


def no_perfect_tree(problem: Problem, seconds: float, show: OnProgress | None) -> bool:
    """Tell whether it is proved that every tree errs; False if there was no time to.

    >>> rows = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.int32)
    >>> either = Problem(rows, np.array([0, 1, 1, 0], np.int32), 2, max_depth=1)
    >>> no_perfect_tree(either, 1.0, None)
    True
    """
    started = perf_counter()
    asked, raised = started, list[BaseException]()

    def stop() -> bool:
        nonlocal asked
        now = perf_counter()
        if show is not None and now >= asked + EVERY:
            asked = now
            try:
                show(Progress(now - started, 0, 0))
            except BaseException as error:
                raised.append(error)
        return bool(raised) or now >= started + seconds

    columns = np.ascontiguousarray(problem.columns)
    found, _ = _native.perfect_tree(columns, problem.labels, problem.max_depth, stop)
    if raised:
        raise raised[0]
    return found is False
