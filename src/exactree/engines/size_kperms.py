"""`sodt_kperms` for whole batches of combinations: every order of the rules, if it is valid."""

from __future__ import annotations

from itertools import permutations

from exactree.engines.combining import Best, best_combination
from exactree.engines.growing import Batch, best_of
from exactree.engines.rule_list import Ints, Rules
from exactree.problem import Found, Limits, OnProgress, Problem


def size_kperms(problem: Problem, limits: Limits, on_progress: OnProgress | None = None) -> Found:
    """Solve the problem over its list of rules: min_E . concatMap_sodt_kperms . kcombs(k), k <= K.

    A tree is tried once for every order in which its rules can sink into it.
    """
    return best_combination(problem, limits, on_progress, kperms)


def kperms(rules: Rules, combinations: Ints) -> Best:
    """Let the rules of every combination sink in every order and take the cheapest tree."""
    batch = Batch(rules, combinations)
    best, tried = Best(), 0
    for order in permutations(range(batch.k)):
        forest = batch.leaves()
        for r in order:
            forest = batch.sink(forest, r, once=False)
        found = best_of(forest)
        tried += found.tried
        best = min(best, found, key=lambda b: (b.cost, b.position))
    return best._replace(tried=tried)
