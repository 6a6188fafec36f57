"""`sodt_rec` for whole batches of combinations: the minimum is taken inside the recursion."""

from __future__ import annotations

import numpy as np

from exactree.engines.combining import Best, best_combination
from exactree.engines.rule_list import Bools, Ints, Rules
from exactree.problem import Found, Limits, OnProgress, Problem

# Above every cost, and such that a sum of a few does not overflow.
NONE = np.int64(2**61)


def size_rec(problem: Problem, limits: Limits, on_progress: OnProgress | None = None) -> Found:
    """Solve the problem over its list of rules: min_E . concatMap_sodt_rec . kcombs(k), k <= K."""
    return best_combination(problem, limits, on_progress, rec)


def rec(rules: Rules, combinations: Ints) -> Best:
    """Find the best tree of every combination by the recursion on its roots."""
    size, k = combinations.shape
    recursion = _Recursion(rules, combinations)
    everything = np.ones((size, rules.n_rows), dtype=bool)
    every_rule = np.ones((size, k), dtype=bool)
    costs = recursion.best(np.arange(size), every_rule, everything, rules.max_depth)
    position = int(costs.argmin())
    if costs[position] >= NONE:
        return Best(tried=recursion.tried)
    return Best(int(costs[position]), position, recursion.tried)


class _Recursion:
    """best(xs, rs) for many pairs of a region xs and a set of rules rs at once.

    Glossary
        combo    (S,) the combination that each pair belongs to
        rs       (S, k) the rules that the tree has to use
        xs       (S, n) the rows of the region
        turn     (B, k, k) ancestry within each combination
    """

    def __init__(self, rules: Rules, combinations: Ints) -> None:
        self.rules = rules
        self.combinations = combinations
        self.turn = rules.ancestry[combinations[:, :, None], combinations[:, None, :]]
        self.tried = 0

    def best(self, combo: Ints, rs: Bools, xs: Bools, depth: int) -> Ints:
        """Give the least cost of a tree that uses each rule once, NONE if there is no tree."""
        costs = np.full(len(combo), NONE)
        done = ~rs.any(axis=1)
        costs[done] = self.rules.leaf_costs(self.rules.sums(xs[done]))
        for r in range(rs.shape[1]) if depth else ():
            turn = self.turn[combo, r]
            others = rs.copy()
            others[:, r] = False
            root = np.flatnonzero(rs[:, r] & ~(others & (turn == 0)).any(axis=1))
            if len(root):
                value = self._split(combo[root], r, others[root], xs[root], depth)
                costs[root] = np.minimum(costs[root], value)
        return costs

    def _split(self, combo: Ints, r: int, others: Bools, xs: Bools, depth: int) -> Ints:
        """Put rule r at the root: the best of both sides, if both have enough rows."""
        held = self.rules.holds[self.combinations[combo, r]]
        turn = self.turn[combo, r]
        costs = np.full(len(combo), NONE)
        left, right = xs & held, xs & ~held
        enough = [self.rules.enough(self.rules.sums(side)) for side in (left, right)]
        kept = np.flatnonzero(enough[0] & enough[1])
        self.tried += len(kept)
        both = self.best(
            np.concatenate([combo[kept]] * 2),
            np.concatenate([(others & (turn > 0))[kept], (others & (turn < 0))[kept]]),
            np.concatenate([left[kept], right[kept]]),
            depth - 1,
        )
        a, b = both[: len(kept)], both[len(kept) :]
        costs[kept] = np.where((a < NONE) & (b < NONE), a + b + self.rules.penalty, NONE)
        return costs
