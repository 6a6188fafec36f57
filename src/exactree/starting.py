"""A tree to begin with: read from what the user has, and made a tree of the problem."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engines import search
from exactree.engines.subproblems import in_ranks_of, subproblem
from exactree.leaves import counter
from exactree.preparing import Data
from exactree.problem import Cut, Found, Limits, Number, Problem
from exactree.routing import ends
from exactree.splits import SurfaceSplit
from exactree.splits.axis import AxisSplit
from exactree.splits.selected import SelectedSplit
from exactree.tree import Leaf, Node, Split, Tree, depth, from_dict, size

Rows = NDArray[np.intp]
# A leaf of a start that may be split further is given so many levels: they take milliseconds.
GROWN_LEVELS = 2
GROWING_SECONDS = 0.5


@dataclass(frozen=True)
class Start:
    """A tree that is known before the search.

    Parameters
    ----------
    cost : number
        What it costs on the data, in the units of the problem.
    tree : Tree
        With splits of the problem, or with the user's own where the problem has no such splits.
    translated : bool
        Whether the splits are the user's own.
    """

    cost: Number
    tree: Tree
    translated: bool

    def better(self, found: Found) -> Found:
        """Give the better of the start and what a search found, with what the search proved."""
        if self.cost >= found.objective:
            return found
        bound = min(found.lower_bound, self.cost)
        last = found.history[-1][0] if found.history else 0.0
        return replace(
            found,
            status="optimal" if bound == self.cost else found.status,
            objective=self.cost,
            lower_bound=bound,
            gap=self.cost - bound,
            tree=self.tree,
            history=(*found.history, (last, self.cost, bound)),
        )


def read_start(start: Any, names: Sequence[str] | None) -> Tree:
    """Find the tree in what the user gave; its columns have to be those of the data."""
    if isinstance(start, Leaf | Node):
        return start
    if isinstance(start, str | PathLike):
        return _from_file(Path(start), names)
    own = getattr(start, "tree_", getattr(start, "tree", None))
    known = getattr(start, "feature_names_in_", getattr(start, "feature_names", None))
    _refuse_other_columns(known, names)
    if isinstance(own, Leaf | Node):
        return own
    grown = start if own is None else own
    if hasattr(grown, "children_left"):
        return _from_sklearn(grown, 0)
    if hasattr(start, "fit") and not any(name.endswith("_") for name in vars(start)):
        raise ValueError(
            f"start={type(start).__name__} is not fitted: fit it; where scikit-learn clones the "
            "estimator, which forgets fits, pass the tree_ or the result_ of the start"
        )
    raise ValueError(
        f"start={type(start).__name__} has no tree: pass a tree, a Result, a fitted estimator of "
        "exactree, a fitted tree of scikit-learn, or the path of a model file"
    )


def _from_file(path: Path, names: Sequence[str] | None) -> Tree:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"start={str(path)!r} is no model file: {error}") from None
    if not isinstance(data, dict):
        raise ValueError(f"start={str(path)!r} is no model file: it holds no object")
    _refuse_other_columns(data.get("features"), names)
    return from_dict(data.get("tree", data))


def _refuse_other_columns(known: Any, names: Sequence[str] | None) -> None:
    if known is None or names is None:
        return
    if tuple(map(str, known)) != tuple(names):
        raise ValueError(
            f"start was fitted to the columns {list(map(str, known))}, the data have "
            f"{list(names)}: pass the same columns in the same order"
        )


def _from_sklearn(tree: Any, node: int) -> Tree:
    """Read a tree of scikit-learn: it compares values as float32, and rows are counted anew."""
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left < 0:
        return Leaf(0)
    missing = None
    if getattr(tree, "missing_go_to_left", None) is not None:
        missing = "left" if tree.missing_go_to_left[node] else "right"
    split = AxisSplit(int(tree.feature[node]), float(tree.threshold[node]), missing)
    return Node(split, _from_sklearn(tree, left), _from_sklearn(tree, right))


def make_start(given: Tree, problem: Problem, data: Data, limits: Limits) -> Start:
    """Make a tree of the problem of it, with the best answers and grown leaves, or refuse it."""
    assert problem.origin is not None
    shape = _used(given, data.X[problem.origin], np.arange(problem.n_rows))
    _refuse_too_large(shape, problem)
    made = _Making(problem, data).tree(shape, np.arange(problem.n_rows))
    if made is None:
        filled = counter(problem, data, ends(shape, data.X))
        return Start(filled.fill(shape)[1], shape, translated=True)
    return _Growing(problem, limits).start(made)


def _used(tree: Tree, X: Any, rows: Rows) -> Tree:
    """Leave out the splits that part none of the rows."""
    if isinstance(tree, Leaf):
        return tree
    try:
        left = tree.goes_left(X[rows])
    except IndexError:
        raise ValueError(
            f"start asks for column {max(tree.split.features())}, the data have {X.shape[1]} "
            "columns: pass a tree for the same columns"
        ) from None
    if left.all() or not left.any():
        return _used(tree.left if left.all() else tree.right, X, rows)
    return Node(tree.split, _used(tree.left, X, rows[left]), _used(tree.right, X, rows[~left]))


def _refuse_too_large(shape: Tree, problem: Problem) -> None:
    if problem.max_splits is not None and size(shape) > problem.max_splits:
        raise ValueError(
            f"start has {size(shape)} splits, and max_splits={problem.max_splits} allows no more: "
            "prune it, or raise max_splits"
        )
    if depth(shape) > problem.max_depth:
        raise ValueError(
            f"start is {depth(shape)} splits deep, and max_depth={problem.max_depth} allows no "
            "more: prune it, or raise max_depth"
        )


class _Making:
    """Writes a tree in the splits of the problem."""

    def __init__(self, problem: Problem, data: Data) -> None:
        self.problem, self.data = problem, data

    def tree(self, shape: Tree, rows: Rows) -> Tree | None:
        """Give the tree in ranks, or None if one of its splits is a surface of the problem."""
        if isinstance(shape, Leaf):
            return shape
        assert self.problem.origin is not None
        left = shape.goes_left(self.data.X[self.problem.origin[rows]])
        self._refuse_small(left, rows)
        split = self._cut(left, rows)
        if split is None:
            self._refuse_other_kind(shape.split, left, rows)
        sides = self.tree(shape.left, rows[left]), self.tree(shape.right, rows[~left])
        if split is None or sides[0] is None or sides[1] is None:
            return None
        return Node(split, sides[0], sides[1])

    def _refuse_small(self, left: NDArray[np.bool_], rows: Rows) -> None:
        if self.problem.side_limit.allows_sides(rows[left], rows[~left]):
            return
        sizes = sorted((int(left.sum()), int((~left).sum())))
        raise ValueError(
            f"start has a split with {sizes[0]} and {sizes[1]} rows on its sides, which "
            f"{self.problem.space} do not allow: prune it, or lower the limit"
        )

    def _cut(self, left: NDArray[np.bool_], rows: Rows) -> Cut | None:
        """Find the column that parts these rows alike, the first of several."""
        columns = self.problem.columns
        for j in range(len(columns)):
            ranks = columns[j, rows]
            low, high = int(ranks[left].max()), int(ranks[~left].min())
            if low < high:
                return Cut(j, low, high)
        return None

    def _refuse_other_kind(self, split: Split, left: NDArray[np.bool_], rows: Rows) -> None:
        known = self.problem.partitions
        inner = split.split if isinstance(split, SelectedSplit) else split
        if known is not None:
            words = self.problem.space.split(" trees")[0]
            if isinstance(inner, SurfaceSplit) and inner.surface.family.name in words:
                return
            if isinstance(inner, AxisSplit) and "hyperplane" in words:
                return
            listed = (known.among(i, rows) for i in range(len(known)))
            if any(np.array_equal(left, side) or np.array_equal(~left, side) for side in listed):
                return
        raise ValueError(
            f"start splits by {split.formula()!r}, which is none of the splits of "
            f"{self.problem.space}: pass a tree of such splits"
        )


class _Growing:
    """Splits the leaves of a start further, exactly but for few levels each."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem = problem
        self.limits = replace(limits, seconds=min(GROWING_SECONDS, limits.seconds / 10), threads=1)
        room = 2**problem.max_depth - 1 if problem.max_depth < 60 else problem.n_rows
        self.splits = room if problem.max_splits is None else problem.max_splits

    def start(self, made: Tree) -> Start:
        """Give the tree with its leaves grown."""
        self.splits -= size(made)
        tree, cost = self.grown(made, np.arange(self.problem.n_rows), self.problem.max_depth)
        return Start(cost, tree, translated=False)

    def grown(self, tree: Tree, rows: Rows, levels: int) -> tuple[Tree, Any]:
        """Give the tree of some rows, and what it costs."""
        if isinstance(tree, Node):
            left = self.problem.goes_left(tree.split, rows)
            below, a = self.grown(tree.left, rows[left], levels - 1)
            beside, b = self.grown(tree.right, rows[~left], levels - 1)
            return Node(tree.split, below, beside), a + b + self.problem.penalty
        objective = self.problem.objective
        inside = self.problem.targets().take(rows)
        exact = objective.cost(inside)
        cost: Number = int(exact) if objective.integral else float(exact)
        leaf = Leaf(objective.prediction(inside))
        if not cost or not levels or not self.splits or objective.native_form() is None:
            return leaf, cost
        return self._searched(leaf, cost, rows, levels)

    def _searched(self, leaf: Leaf, cost: Number, rows: Rows, levels: int) -> tuple[Tree, Number]:
        problem = self.problem
        if problem.partitions is not None or problem.constraint is not None:
            return leaf, cost
        levels = min(levels, GROWN_LEVELS)
        splits = None if self.splits >= 2**levels - 1 else self.splits
        part = subproblem(problem, rows, levels, splits)
        found = search(part, self.limits)
        if found.objective >= cost:
            return leaf, cost
        self.splits -= size(found.tree)
        return in_ranks_of(found.tree, problem.columns[:, rows]), found.objective
