"""`sodt_vec` for whole batches of combinations: trees grow rule by rule, each tree once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from exactree.engines.combining import Best, best_combination
from exactree.engines.growing import Batch, best_of
from exactree.engines.rule_list import Ints, Rules
from exactree.problem import Found, Limits, OnProgress, Problem


def size_vec(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None = None,
    *,
    xp: Any = np,
) -> Found:
    """Solve the problem over its list of rules: min_E . concatMap_sodt_vec . kcombs(k), k <= K.

    `xp` is the array namespace that does the work, NumPy or another one of the array-API standard.
    """
    return best_combination(problem, limits, on_progress, partial(vec, xp=xp))


def vec(rules: Rules, combinations: Ints, xp: Any = np) -> Best:
    """List every tree of every combination and take the cheapest."""
    batch = Batch(rules, combinations, xp)
    forest = batch.leaves()
    for _ in range(batch.k):
        forest = batch.joined([batch.sink(forest, r, once=True) for r in range(batch.k)])
    return best_of(forest)
