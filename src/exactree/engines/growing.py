"""Partial trees in batches: arrays in which a rule sinks into all of them at once.

A tree over k rules is a set of used rules and the relation "above". No pointers are needed: rule i
is on the way of a sinking rule r if r takes the same turn as i at every rule above i, and r may
sink if its owners lie on one side of every rule on its way. These are the paths of `update` in the
specification.

Glossary
    S, k, n  partial trees, rules in a combination, rows
    combo    (S,) which combination of the batch the tree belongs to
    turn     (S, k, k) the ancestry relation within that combination: +1, -1 or 0
    used     (S, k) the rules in the tree
    above    (S, k, k) rule i stands above rule j
    way      (S, k) the rules above the one that sinks

The code is written in the array-API standard: `xp` is NumPy or another namespace of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactree.engines.combining import Best
from exactree.engines.rule_list import Ints, Rules

Array = Any


@dataclass(frozen=True, eq=False)
class Forest:
    """Partial trees of one batch with their costs."""

    combo: Array
    used: Array
    above: Array
    cost: Array

    def __len__(self) -> int:
        return int(self.combo.shape[0])


class Batch:
    """Combinations of k rules, and the ground that trees of them grow on."""

    def __init__(self, rules: Rules, combinations: Ints, xp: Any = np) -> None:
        self.xp = xp
        self.rules = rules
        self.size, self.k = combinations.shape
        turns = rules.ancestry[combinations[:, :, None], combinations[:, None, :]]
        self.turn = xp.asarray(turns)
        self.chosen = xp.asarray(combinations)
        self.holds = xp.asarray(rules.holds)
        self.measures = xp.asarray(rules.measures)

    def leaves(self) -> Forest:
        """Start with a leaf for every combination."""
        xp, cells = self.xp, (self.size, self.k)
        everything = self.rules.measures.sum(axis=0)
        cost = int(self.rules.leaf_costs(everything))
        return Forest(
            xp.arange(self.size),
            xp.zeros(cells) > 0,
            xp.zeros((*cells, self.k)) > 0,
            xp.zeros(self.size, dtype=xp.int64) + cost,
        )

    def sink(self, forest: Forest, r: int, *, once: bool) -> Forest:
        """Let rule r of each combination sink into its trees; drop those that cannot take it.

        With `once` a tree is kept only where r is the last of its rules without a rule below: of
        the ways to grow a tree rule by rule this picks one, since taking such a rule out always
        leaves a tree. It does for arrays what `unique` does for lists.
        """
        xp = self.xp
        forest = _kept(forest, ~forest.used[:, r])
        turn = xp.take(self.turn, forest.combo, axis=0)
        mine = turn[:, :, r]
        astray = xp.any(forest.above & (mine[:, :, None] != turn), axis=1)
        way = forest.used & ~astray
        able = ~xp.any(way & (mine == 0), axis=1)
        able &= xp.sum(xp.asarray(way, dtype=xp.int64), axis=1) < self.rules.max_depth
        if once:
            below = xp.any(forest.above, axis=2) | way
            last = forest.used & ~below
            able &= ~xp.any(last[:, r + 1 :], axis=1)
        forest, way, mine = _kept(forest, able), way[able], mine[able]
        return self._grown(forest, r, way, mine)

    def _grown(self, forest: Forest, r: int, way: Array, mine: Array) -> Forest:
        """Replace the leaf at the end of the way by a split, where both sides have enough rows."""
        xp = self.xp
        chosen = xp.take(self.chosen, forest.combo, axis=0)
        region = xp.zeros((len(forest), self.rules.n_rows)) == 0
        for i in range(self.k):
            held = xp.take(self.holds, chosen[:, i], axis=0)
            region &= ~way[:, i, None] | (held == (mine[:, i, None] > 0))
        inside = region & xp.take(self.holds, chosen[:, r], axis=0)
        whole, left = self._sums(region), self._sums(inside)
        right = whole - left
        enough = xp.asarray(self.rules.enough(left) & self.rules.enough(right))
        costs = self.rules.leaf_costs
        change = costs(left) + costs(right) - costs(whole) + self.rules.penalty
        here = xp.arange(self.k) == r
        return _kept(
            Forest(
                forest.combo,
                forest.used | here[None, :],
                forest.above | (way[:, :, None] & here[None, None, :]),
                forest.cost + xp.asarray(change),
            ),
            enough,
        )

    def _sums(self, regions: Array) -> Any:
        return np.asarray(self.xp.asarray(regions, dtype=self.measures.dtype) @ self.measures)

    def joined(self, forests: Sequence[Forest]) -> Forest:
        """Put several lots of trees together."""
        fields = ("combo", "used", "above", "cost")
        concat = getattr(self.xp, "concat", np.concatenate)  # NumPy 1 has it by another name
        return Forest(*(concat([getattr(f, name) for f in forests]) for name in fields))


def _kept(forest: Forest, keep: Array) -> Forest:
    return Forest(forest.combo[keep], forest.used[keep], forest.above[keep], forest.cost[keep])


def best_of(forest: Forest) -> Best:
    """Take the cheapest tree, of the first combination that has one."""
    if not len(forest):
        return Best()
    cost = np.asarray(forest.cost)
    least = int(cost.min())
    return Best(least, int(np.asarray(forest.combo)[cost == least].min()), len(forest))
