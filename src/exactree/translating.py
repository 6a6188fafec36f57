"""The engine's answer back to the data: splits on values, leaves with their rows, prices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.interrupts import again, interruptible
from exactree.leaves import counter
from exactree.preparing import Data
from exactree.problem import Cut, Found, Plane, Problem, Result, Status
from exactree.routing import ends
from exactree.splits import Sources
from exactree.splits.family import SecondsLeft, no_limit
from exactree.tree import Leaf, Node, Split, Tree, to_text

# What Ctrl-C leaves to the splits of a tree that is found: without them it is lost.
SECONDS_AFTER_CTRL_C = 0.1


def translated(
    found: Found,
    problem: Problem,
    data: Data,
    sources: Sources,
    *,
    started: float,
    seconds_left: SecondsLeft = no_limit,
    shaped: Tree | None = None,
) -> Result:
    """Turn an engine's result into the user's: splits on values, leaves with their rows, prices.

    The finished tree is run on the training data and its cost counted again: it has to be the
    objective, to the last unit where costs are integers. Where there is no time for a split to be
    fitted, the tree ends. `shaped` is the tree if it has the user's splits already.
    """
    fitting = _Fitting(problem, data, sources, seconds_left)
    shaped = shaped or _known(found.tree, sources)
    if shaped is None:
        shaped = fitting.fitted(found.tree, np.arange(problem.n_rows))
    filled, cost = counter(problem, data, ends(shaped, data.X)).fill(shaped)
    if fitting.stopped == "interrupted" and found.status != "optimal":
        found = replace(found, status="interrupted")
    if fitting.changed and cost != found.objective:
        gap = cost - found.lower_bound
        found = replace(found, status=fitting.status(found, cost), objective=cost, gap=gap)
    _refuse_other_cost(found, problem, cost)
    history = tuple(
        (seconds, problem.price(best), problem.price(bound))
        for seconds, best, bound in found.history
    )
    return Result(
        status=found.status,
        space=found.space,
        objective=problem.price(found.objective),
        lower_bound=problem.price(found.lower_bound),
        gap=problem.worth(found.gap),
        tree=filled,
        stats={**found.stats, "seconds": perf_counter() - started},
        history=history,
        classes=tuple(data.answers.tolist()) if data.task == "classification" else (),
        feature_names=data.feature_names,
        columns=data.kinds,
    )


def _known(found: Tree, sources: Sources) -> Tree | None:
    """Write down the splits if the engine's answer is enough for all of them."""
    if isinstance(found, Leaf):
        return found
    split = sources.known(found.split)
    left = None if split is None else _known(found.left, sources)
    right = None if left is None else _known(found.right, sources)
    return None if split is None or left is None or right is None else Node(split, left, right)


class _Fitting:
    """Writes the splits of an engine's tree down, until there is no time left.

    Ctrl-C leaves the rest of them a little time, most need no more.
    """

    def __init__(
        self, problem: Problem, data: Data, sources: Sources, seconds_left: SecondsLeft
    ) -> None:
        self.problem, self.data, self.sources = problem, data, sources
        self.seconds_left = seconds_left
        self.stopped: Status | None = None
        self.moved = False  # a row is on another side than the engine thought

    @property
    def changed(self) -> bool:
        """Tell whether the tree may be another one than the engine's."""
        return self.moved or self.stopped is not None

    def status(self, found: Found, cost: Any) -> Status:
        """Give the status of the tree that was written down."""
        if self.stopped is not None:
            return self.stopped
        if found.status == "optimal":
            return "optimal" if cost == found.lower_bound else "local"
        return found.status

    def fitted(self, found: Tree, rows: NDArray[np.intp]) -> Tree:
        """Give the tree with the user's splits; it ends where a split was not fitted."""
        if isinstance(found, Leaf):
            return found
        left = self.problem.goes_left(found.split, rows)
        split = self._split(found.split, rows, left)
        if split is None:
            return Leaf(0)
        if isinstance(found.split, Plane):
            assert self.problem.origin is not None
            said = split.goes_left(self.data.X[self.problem.origin[rows]])
            if not np.array_equal(said, left):
                self.moved, left = True, said
                if not self.problem.side_limit.allows_sides(rows[left], rows[~left]):
                    return Leaf(0)
        return Node(
            split, self.fitted(found.left, rows[left]), self.fitted(found.right, rows[~left])
        )

    def _split(self, cut: Split, rows: NDArray[np.intp], left: NDArray[np.bool_]) -> Split | None:
        assert self.problem.origin is not None
        origin = self.problem.origin[rows]
        if self.stopped is None:
            try:
                with interruptible():
                    return self.sources.split(cut, origin, left, self.seconds_left)
            except TimeoutError:
                self.stopped = "time_limit"
            except KeyboardInterrupt:
                again()
                self.stopped = "interrupted"
                end = perf_counter() + SECONDS_AFTER_CTRL_C
                self.seconds_left = lambda: end - perf_counter()
        # A plane needs no time to be written down, only for a wider margin.
        left_over = no_time if isinstance(cut, Plane) else self.seconds_left
        try:
            return self.sources.split(cut, origin, left, left_over)
        except (TimeoutError, KeyboardInterrupt):
            return None


def no_time() -> float:
    """Say that there is no time left."""
    return 0.0


def _refuse_other_cost(found: Found, problem: Problem, counted: Fraction | float) -> None:
    # Sums of floats in another order differ in their last digits.
    off, share = abs(counted - found.objective), 0.0 if problem.objective.integral else 1e-9
    if off > share * abs(float(counted)) and off > share * _tiny(problem):
        raise RuntimeError(
            f"the tree costs {float(counted)} on the training data, the engine said "
            f"{found.objective}: please report this as a bug of exactree"
        )


def _tiny(problem: Problem) -> float:
    """Give a cost that is nothing beside that of the single leaf."""
    return 1e-12 * abs(float(problem.objective.cost(problem.targets())))


def sketch(
    rows: Sequence[Sequence[int]], problem: Problem, data: Data, sources: Sources
) -> str | None:
    """Draw a tree of the native search for those who watch; None if its splits are not at hand.

    `rows` has a node each, in preorder: column, highest rank on the left, lowest on the right, left
    and right child, class.
    """
    if problem.partitions is not None:
        return None
    built: list[Tree] = [Leaf(0)] * len(rows)
    for i, (column, low, high, left, right, label) in reversed(list(enumerate(rows))):
        if column < 0:
            built[i] = Leaf(label)
            continue
        split = sources.known(Cut(column, low, high))
        if split is None:
            return None
        built[i] = Node(split, built[left], built[right])
    classes = data.classes.tolist() if data.task == "classification" else None
    text = to_text(built[0], feature_names=data.feature_names, class_names=classes)
    return text.replace(" (0 rows)", "") if classes else re.sub(r": 0 \(0 rows\)", ": ...", text)
