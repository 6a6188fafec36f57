"""At most so many different columns in the whole tree: branch and bound over sets of columns.

A tree that may ask all columns but those left out costs no more than one that may ask few of them.
If it asks few enough it is the best. Else one of the columns it asks, c, is chosen: the best tree
of few columns either has c in its set or not. Sets that are full are searched as they are. Nothing
of the bounds inside the engine changes, since it never sees the constraint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from time import perf_counter

from exactree.engines.shapes.restricting import (
    Inner,
    Stopped,
    all_rows,
    result_of,
    whole_budget,
)
from exactree.problem import Cut, Engine, Found, Limits, Number, OnProgress, Problem
from exactree.tree import Leaf, Node, Tree, nodes

Features = frozenset[int]
UNKNOWN = Leaf(0)


def few_features(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None,
    engine: Engine,
    features: Sequence[int],
    most: int,
) -> Found:
    """Find the best tree of at most `most` features; `features` has that of each rank column."""
    started = perf_counter()
    inner = Inner(problem, engine, limits, started, on_progress)
    search = _Sets(inner, features, most)
    status = "optimal"
    try:
        search.run()
    except Stopped as stopped:
        status = stopped.status
    bound = search.cost if status == "optimal" else search.bound()
    return result_of(problem, search.cost, bound, search.tree, status, started)


def asked(tree: Tree, features: Sequence[int]) -> list[int]:
    """List the features that a tree asks, in the order of its nodes."""
    found: dict[int, None] = {}
    for node in nodes(tree):
        if isinstance(node, Node) and isinstance(node.split, Cut):
            found[features[node.split.column]] = None
    return list(found)


@dataclass
class _Sets:
    """Open choices of columns, the best tree and the bounds."""

    inner: Inner
    features: Sequence[int]
    most: int
    open: list[tuple[Number, Features, Features]] = field(default_factory=list)
    cost: Number = inf
    tree: Tree = UNKNOWN
    known: dict[tuple[int, ...], tuple[Number, Tree]] = field(default_factory=dict)

    def run(self) -> None:
        """Search all sets."""
        self.cost, self.tree = self.inner.leaf(all_rows(self.inner.problem))
        self.open.append((0, frozenset(), frozenset()))
        while self.open:
            bound, taken, out = self.open[-1]
            self.inner.bound = self.bound()
            if bound < self.cost:
                self._branch(taken, out)
            else:
                self.open.pop()

    def bound(self) -> Number:
        """Bound all trees by those of the open choices."""
        return min([self.cost, *(bound for bound, _, _ in self.open)])

    def _branch(self, taken: Features, out: Features) -> None:
        """Solve one choice, which is then replaced by smaller ones."""
        full = len(taken) >= self.most
        allowed = [
            column
            for column, feature in enumerate(self.features)
            if (feature in taken if full else feature not in out)
        ]
        cost, tree = self._solved(tuple(allowed))
        self.open.pop()
        used = asked(tree, self.features)
        if len(used) <= self.most:
            if cost < self.cost:
                self.cost, self.tree = cost, tree
                self.inner.best = cost
            return
        if cost >= self.cost:
            return
        chosen = next(feature for feature in used if feature not in taken)
        self.open.append((cost, taken, out | {chosen}))
        self.open.append((cost, taken | {chosen}, out))

    def _solved(self, allowed: tuple[int, ...]) -> tuple[Number, Tree]:
        """Solve for these columns, once: to take one more in changes nothing yet."""
        if allowed not in self.known:
            problem = self.inner.problem
            found = self.inner.solve(all_rows(problem), allowed, whole_budget(problem))
            self.known[allowed] = found
        return self.known[allowed]
