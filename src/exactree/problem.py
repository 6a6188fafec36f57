"""What an engine looks at and what it gives back.

A `Problem` has no coordinates: ranks, labels, weights and budgets. For an integral objective there
are no real numbers either: one unit of cost is worth `scale` of the user's weight, so that
everything before the final conversion is exact. Other objectives are in the user's units, as
floats. An engine is a function from a problem and its limits to a `Result` in the same units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import MisclassificationError, Objective, Targets
from exactree.sides import Sides, members
from exactree.tables.columns import Kind
from exactree.tree import Split, Tree, size, to_text

Number = int | float
Status = Literal["optimal", "local", "time_limit", "memory_limit", "interrupted"]
Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]


@dataclass(frozen=True)
class Cut(Split):
    """An engine's axis-parallel split: is the rank in `column` at most `rank`?

    `above` is the lowest rank on the other side among the rows of the node, where the engine knows.
    """

    column: int
    rank: int
    above: int | None = field(default=None, compare=False)
    kind: ClassVar[str] = "cut"

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for every row of X, the ranks with a column per feature."""
        return np.asarray(X[:, self.column] <= self.rank)

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down; ranks are whole numbers, so `digits` changes nothing.

        >>> Cut(0, 3).formula()
        'rank[0] <= 3'
        """
        name = f"rank[{self.column}]" if feature_names is None else feature_names[self.column]
        return f"{name} {'<=' if holds else '>'} {self.rank}"

    def features(self) -> tuple[int, ...]:
        """Name the column."""
        return (self.column,)


@dataclass(frozen=True)
class Part(Split):
    """An engine's split by a listed partition: does the row go left in side mask `index`?

    Of a partition that nobody listed, `index` is the number of its Cells, and `left` has the words
    of its mask. It has no answer for other rows; the family writes it down as a split that has.
    """

    index: int
    left: tuple[int, ...] = ()
    kind: ClassVar[str] = "part"

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down.

        >>> Part(3).formula()
        'part[3]'
        """
        return f"{'' if holds else 'not '}part[{self.index}]"

    def features(self) -> tuple[int, ...]:
        """Name no column: a partition does not know any."""
        return ()

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Refuse: only the problem knows the sides of its rows."""
        raise TypeError("a partition has no answer for rows: ask the split that a family writes")


@dataclass(frozen=True)
class Plane(Split):
    """An engine's split by a linear function of the problem's richest `Terms`.

    `plane` has a factor for each term and the constant. Like a Part it has no answer for other
    rows, and the family writes it down.
    """

    plane: tuple[float, ...]
    kind: ClassVar[str] = "plane"

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down.

        >>> Plane((1.0, 0.0, -2.0)).formula()
        'plane[1, 0, -2] <= 0'
        """
        factors = ", ".join(f"{factor:.{digits}g}" for factor in self.plane)
        return f"plane[{factors}] {'<=' if holds else '>'} 0"

    def features(self) -> tuple[int, ...]:
        """Name no column: terms are not columns."""
        return ()

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Refuse: only the problem knows the terms of its rows."""
        raise TypeError("a plane has no answer for rows: ask the split that a family writes")


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything an engine may look at, the rows sorted by their values, then by label.

    Parameters
    ----------
    columns : (D, n) int32
        Dense ranks, from 0, of the samples' values in each column.
    labels : (n,) int32
        Class numbers from 0 to `n_classes` - 1, all of them present; in regression the places of
        the targets in `values`.
    n_classes : int
        How many classes, or different targets, there are.
    weights : (n,) int64 or None
        Cost of misclassifying each row, positive; None: every row costs `unit`.
    counts : (n,) int32 or None
        What each row counts towards `min_rows` (how many of the user's rows it stands for, or its
        weight); None: one.
    unit : int
        Cost of a row without weights.
    penalty : int or float
        Cost of a split.
    objective : Objective
        What a leaf costs.
    max_depth : int
        At most so many splits on a path.
    max_splits : int or None
        At most so many splits; None: as many as the depth allows.
    min_rows : int
        Each side of every split counts at least so much.
    scale : Fraction
        What one unit of weight is worth in the user's weights.
    values : (n_classes,) array or None
        What the labels stand for: the different targets in order, or the user's class numbers;
        None: the labels are those.
    space : str
        The trees that compete, in words.
    sides : Sides or None
        Partitions of the rows that are splits too, beside those of `columns`.
    points : (n,) int32 or None
        Rows of the same number are equal, so that no split can part them; None: rows with equal
        `columns` are.
    origin : (n,) or None
        Which of the user's rows each row is (the first of several equal ones), for the way back.
    """

    columns: Ranks
    labels: Ranks
    n_classes: int
    weights: Ints | None = None
    counts: Ranks | None = None
    unit: int = 1
    penalty: Number = 0
    objective: Objective = field(default_factory=MisclassificationError)
    max_depth: int = 1
    max_splits: int | None = None
    min_rows: int = 1
    scale: Fraction = Fraction(1)
    space: str = "axis-parallel trees"
    sides: Sides | None = None
    points: Ranks | None = None
    origin: NDArray[np.intp] | None = None
    values: NDArray[Any] | None = None

    @property
    def n_rows(self) -> int:
        """How many rows the engine sees."""
        return len(self.labels)

    def row_costs(self) -> Ints:
        """Give the cost of misclassifying each row."""
        if self.weights is not None:
            return self.weights
        return np.full(self.n_rows, self.unit, dtype=np.int64)

    def keys(self) -> Ranks:
        """Give columns in which only equal rows agree."""
        return self.columns if self.points is None else self.points[None]

    def goes_left(self, split: Split, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Answer an engine's question for some of the rows.

        >>> columns, labels = np.array([[0, 2, 1]], np.int32), np.zeros(3, np.int32)
        >>> Problem(columns, labels, 1).goes_left(Cut(0, 1), np.array([1, 2])).tolist()
        [False, True]
        """
        if isinstance(split, Cut):
            return np.asarray(self.columns[split.column, rows] <= split.rank)
        assert self.sides is not None
        if isinstance(split, Plane):
            return ~self.sides.richest.above(split.plane, rows)
        assert isinstance(split, Part)
        if split.left:
            return members(np.array(split.left, dtype=np.uint64), rows)
        return self.sides.among(split.index, rows)

    def targets(self) -> Targets:
        """Give what the objective looks at; real weights are the user's own."""
        costs: NDArray[Any] = self.row_costs()
        if not self.objective.integral:
            costs = costs * float(self.scale)
        values = np.arange(self.n_classes) if self.values is None else self.values
        return Targets(self.labels, costs, values)

    def price(self, cost: Number) -> Number:
        """Turn units into the user's weight: an int if nothing but integers went in.

        >>> columns, labels = np.zeros((1, 1), np.int32), np.zeros(1, np.int32)
        >>> Problem(columns, labels, 1, scale=Fraction(3)).price(2)
        6
        >>> Problem(columns, labels, 1, scale=Fraction(1, 4)).price(2)
        0.5
        """
        if not self.objective.integral:
            return float(cost)
        worth, denominator = int(cost) * self.scale.numerator, self.scale.denominator
        return worth if denominator == 1 and not self.penalty else worth / denominator


@dataclass(frozen=True)
class Limits:
    """When to stop before the proof is complete, and how many threads to use.

    `memory` is in bytes, 0 for no limit; `seed` is where a local search takes its choices from.
    """

    seconds: float = inf
    memory: int = 0
    threads: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Progress:
    """Where a search stands after some `seconds`: best `objective`, proved `lower_bound`."""

    seconds: float
    objective: Number
    lower_bound: Number

    @property
    def gap(self) -> Number:
        """What the best tree may still be away from the optimum."""
        return self.objective - self.lower_bound


OnProgress = Callable[[Progress], None]


def told(on_progress: OnProgress | None, progress: Progress) -> bool:
    """Report the end of a search; if the callback answers with Ctrl-C, there is nothing to stop.

    >>> told(None, Progress(0.0, 1, 1))
    True
    """
    try:
        if on_progress is not None:
            on_progress(progress)
    except KeyboardInterrupt:
        return False
    return True


@dataclass(frozen=True)
class Result:
    """The best tree found, with what is proved about it.

    Parameters
    ----------
    status : str
        "optimal"; "local" if a local search over surfaces ended by itself without a proof (see
        `random_state` of `solve`); or why the search stopped: "time_limit", "memory_limit",
        "interrupted".
    space : str
        The trees that competed, in words: what "optimal" refers to.
    objective : int or float
        The tree's weighted loss, penalty included.
    lower_bound : int or float
        No tree of the space is below: proved.
    gap : int or float
        Objective minus lower bound.
    tree : Leaf or Node
        The tree.
    stats : dict
        Seconds, nodes, and a counter for every pruning.
    history : tuple
        (seconds, objective, lower bound) as they improved.
    classes : tuple
        The class that each index in the tree's leaves stands for.
    feature_names : tuple or None
        Names of the columns, where the data had any.
    columns : tuple of Kind or None
        What each column holds, where they are not all complete numbers.
    """

    status: Status
    space: str
    objective: Number
    lower_bound: Number
    gap: Number
    tree: Tree
    stats: dict[str, Number] = field(default_factory=dict)
    history: tuple[tuple[float, Number, Number], ...] = ()
    classes: tuple[Any, ...] = ()
    feature_names: tuple[str, ...] | None = None
    columns: tuple[Kind, ...] | None = None

    def __str__(self) -> str:
        names = self.classes or None
        text = to_text(self.tree, feature_names=self.feature_names, class_names=names)
        return f"{self.summary()}\n{text}"

    def summary(self) -> str:
        """Say in a line what was found and proved.

        >>> from exactree.tree import Leaf
        >>> Result("optimal", "axis-parallel trees, depth <= 3", 4, 4, 0, Leaf(0)).summary()
        'optimal: objective 4, 0 splits (axis-parallel trees, depth <= 3)'
        """
        splits = size(self.tree)
        found = f"objective {self.objective:.10g}, {splits} split{'s' * (splits != 1)}"
        if self.status != "optimal":
            found += f", proved >= {self.lower_bound:.10g}"
        return f"{self.status}: {found} ({self.space})"


Engine = Callable[[Problem, Limits, OnProgress | None], Result]
