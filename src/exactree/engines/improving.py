"""A tree made better part by part: its last levels solved anew, the splits above them moved.

Neither step needs more than the tree at hand, and no step makes it worse. A split is moved to the
place in any column where the two sides as they are cost least: every row then costs what the
subtree on its side says, so that one pass over every column finds the best place of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engines import squares
from exactree.engines.subproblems import Rows, leaf_rows, with_best_ends
from exactree.engines.whole import tree_cost
from exactree.objectives.native import ClassWeights
from exactree.problem import Cut, Found, Number, Problem
from exactree.tree import Leaf, Node, Tree, size

Values = NDArray[Any]


def better_trees(
    tree: Tree, problem: Problem, solve: Callable[[Problem], Found]
) -> Iterator[tuple[Tree, Number]]:
    """Give better and better trees with their costs, until no step helps."""
    moves = _Moves(problem) if _can_move(problem) else None
    cost = exact_cost(problem, tree)
    while True:
        before = cost
        found = with_best_ends(tree, problem, solve)[0]
        if (counted := exact_cost(problem, found)) < cost:
            tree, cost = found, counted
            yield tree, cost
        if moves is not None:
            found = moves.moved(tree)
            if (counted := exact_cost(problem, found)) < cost:
                tree, cost = found, counted
                yield tree, cost
        if cost >= before:
            return


def exact_cost(problem: Problem, tree: Tree) -> Number:
    """Count what a tree costs with the best predictions of its leaves."""
    if squares.is_squared(problem):
        return squares.loss(problem, tree)
    if not problem.objective.integral:
        return tree_cost(problem, tree)
    targets = problem.targets()
    whole = (int(problem.objective.cost(targets.take(rows))) for rows in leaf_rows(tree, problem))
    return sum(whole) + size(tree) * int(problem.penalty)


def _can_move(problem: Problem) -> bool:
    """Tell whether rows cost by themselves, and every split of them is allowed."""
    known = isinstance(problem.form, ClassWeights) or squares.is_squared(problem)
    return known and problem.partitions is None and not problem.least_side.binds


class _Moves:
    def __init__(self, problem: Problem) -> None:
        self.problem, self.targets = problem, problem.targets()
        self.y = self.targets.y
        self.classes = isinstance(problem.form, ClassWeights)

    def moved(self, tree: Tree) -> Tree:
        """Move the splits of a tree one by one, from the root down."""
        return self._moved(tree, np.arange(self.problem.n_rows))

    def _moved(self, tree: Tree, rows: Rows) -> Tree:
        tree = self._tidy(tree, rows)
        if isinstance(tree, Leaf):
            return tree
        here = self._best_cut(tree, rows)
        if here is not None:
            tree = self._tidy(Node(here, tree.left, tree.right), rows)
        if isinstance(tree, Leaf):
            return tree
        left = self.problem.goes_left(tree.split, rows)
        return Node(
            tree.split, self._moved(tree.left, rows[left]), self._moved(tree.right, rows[~left])
        )

    def _tidy(self, tree: Tree, rows: Rows) -> Tree:
        """Leave out splits that part nothing, and let the leaves predict what is best."""
        if isinstance(tree, Leaf):
            return Leaf(self.problem.objective.prediction(self.targets.take(rows)))
        left = self.problem.goes_left(tree.split, rows)
        if left.all() or not left.any():
            return self._tidy(tree.left if left.any() else tree.right, rows)
        assert isinstance(tree.split, Cut)
        ranks = self.problem.columns[tree.split.column, rows]
        cut = Cut(tree.split.column, int(ranks[left].max()), int(ranks[~left].min()))
        return Node(cut, self._tidy(tree.left, rows[left]), self._tidy(tree.right, rows[~left]))

    def _best_cut(self, tree: Node, rows: Rows) -> Cut | None:
        """Find the place where the sides as they are cost least; None: where it is."""
        more = self._costs(tree.left, rows) - self._costs(tree.right, rows)
        left = self.problem.goes_left(tree.split, rows)
        least, best = float(more[left].sum()), None
        for column, values in enumerate(self.problem.columns[:, rows]):
            order = np.argsort(values, kind="stable")
            ranks, sums = values[order], np.cumsum(more[order])
            ends = np.flatnonzero(ranks[1:] != ranks[:-1])
            if not len(ends):
                continue
            at = int(ends[np.argmin(sums[ends])])
            if sums[at] < least - 1e-9 * abs(least):
                least, best = float(sums[at]), Cut(column, int(ranks[at]), int(ranks[at + 1]))
        return best

    def _costs(self, tree: Tree, rows: Rows) -> Values:
        """Give what every row costs in a tree as it is."""
        if isinstance(tree, Leaf):
            y, weights = self.y[rows], self.targets.weights[rows]
            if self.classes:
                return np.where(y == tree.value, 0.0, weights)
            return np.asarray(weights * (y - tree.value) ** 2, dtype=np.float64)
        left = self.problem.goes_left(tree.split, rows)
        costs = np.empty(len(rows))
        costs[left] = self._costs(tree.left, rows[left])
        costs[~left] = self._costs(tree.right, rows[~left])
        return costs
