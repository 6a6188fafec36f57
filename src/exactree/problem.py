"""What an engine looks at and what it gives back.

A `Problem` has no coordinates: ranks, labels, weights and budgets. For an integral objective there
are no real numbers either: a unit of cost is worth `scale` of the user's weight, and all before the
final conversion is exact. Others are in the user's units, as floats. An engine is a function from a
problem and its limits to a `Found` in the same units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.constraints import Constraint, LeastSide, SideLimit
from exactree.objectives import MisclassificationError, Objective, Targets
from exactree.objectives.native import NativeForm
from exactree.partitions import Partitions, members
from exactree.showing import tree_html
from exactree.tables.columns import Kind
from exactree.tree import Split, Tree, size, to_text

Number = int | float
Status = Literal[
    "optimal", "local", "gap_limit", "stopped", "time_limit", "memory_limit", "interrupted"
]
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


class _OfRows(Split):
    """A question that only the problem can answer, for its own rows; a family writes it down."""

    def features(self) -> tuple[int, ...]:
        """Name no column: it does not know any."""
        return ()

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        """Refuse: only the problem knows the sides of its rows."""
        raise TypeError(f"a {self.kind} has no answer for rows: ask the split that a family writes")


@dataclass(frozen=True)
class ListedSplit(_OfRows):
    """An engine's split by a partition of the problem's list: number `number` of its masks."""

    number: int
    kind: ClassVar[str] = "listed partition"

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down.

        >>> ListedSplit(3).formula()
        'partition[3]'
        """
        return f"{'' if holds else 'not '}partition[{self.number}]"


@dataclass(frozen=True)
class CellSplit(_OfRows):
    """An engine's split by a partition that is not listed: of the problem's Cells `cells`.

    `left` has the words of the mask of the rows that go left.
    """

    cells: int
    left: tuple[int, ...]
    kind: ClassVar[str] = "partition of cells"

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        """Write the question down.

        >>> CellSplit(1, (5,)).formula()
        'cells[1]: 5'
        """
        return f"{'' if holds else 'not '}cells[{self.cells}]: {', '.join(map(str, self.left))}"


@dataclass(frozen=True)
class Plane(_OfRows):
    """An engine's split by a linear function of the problem's richest `Terms`.

    `plane` has a factor for each term and the constant. It has no answer for
    other rows, and the family writes it down.
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


# What the nodes of an engine's tree ask: one of these four, whatever the family.
EngineSplit = Cut | ListedSplit | CellSplit | Plane


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
    least_side : LeastSide
        What each row counts (how many of the user's rows it stands for, or its weight), and how
        much each side of every split has to count.
    scale : Fraction
        What one unit of weight is worth in the user's weights.
    values : (n_classes,) array or None
        What the labels stand for: the different targets in order, or the user's class numbers;
        None: the labels are those.
    offset : Fraction
        What every tree costs besides, in the user's units.
    space : str
        The trees that compete, in words.
    partitions : Partitions or None
        Partitions of the rows that are splits too, beside those of `columns`.
    points : (n,) int32 or None
        Rows of the same number are equal, so that no split can part them; None: rows with equal
        `columns` are.
    constraint : Constraint or None
        What else each side of every split has to keep to; for engines that ask `side_limit`.
    copies : (n,) int32 or None
        How many of the user's rows each row stands for, where a constraint asks; None: one.
    origin : (n,) or None
        Which of the user's rows each row is (the first of several equal ones), for the way back.
    """

    columns: Ranks
    labels: Ranks
    n_classes: int
    weights: Ints | None = None
    unit: int = 1
    penalty: Number = 0
    objective: Objective = field(default_factory=MisclassificationError)
    max_depth: int = 1
    max_splits: int | None = None
    least_side: LeastSide = field(default_factory=LeastSide)
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    space: str = "axis-parallel trees"
    partitions: Partitions | None = None
    points: Ranks | None = None
    origin: NDArray[np.intp] | None = None
    values: NDArray[Any] | None = None
    constraint: Constraint | None = None
    copies: Ranks | None = None

    @property
    def n_rows(self) -> int:
        """How many rows the engine sees."""
        return len(self.labels)

    @cached_property
    def form(self) -> NativeForm | None:
        """What the native search knows of the objective."""
        return self.objective.native_form()

    @cached_property
    def side_limit(self) -> SideLimit:
        """All that the sides of splits have to keep to."""
        ones = np.ones(self.n_rows, dtype=np.int64)
        limits: list[tuple[Constraint, Targets, Ints]] = []
        if self.least_side.binds:
            limits.append((self.least_side, self.targets(), ones))
        if self.constraint is not None:
            weights = self.row_costs() * float(self.scale)
            targets = replace(self.targets(), weights=weights)
            copies = ones if self.copies is None else self.copies.astype(np.int64)
            limits.append((self.constraint, targets, copies))
        return SideLimit(self.n_rows, limits)

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
        assert self.partitions is not None
        if isinstance(split, Plane):
            return ~self.partitions.richest.above(split.plane, rows)
        if isinstance(split, CellSplit):
            return members(np.array(split.left, dtype=np.uint64), rows)
        assert isinstance(split, ListedSplit)
        return self.partitions.among(split.number, rows)

    def targets(self) -> Targets:
        """Give what the objective looks at; real weights are the user's own."""
        costs: NDArray[Any] = self.row_costs()
        if not self.objective.integral:
            costs = costs * float(self.scale)
        values = np.arange(self.n_classes) if self.values is None else self.values
        return Targets(self.labels, costs, values)

    def price(self, cost: Number) -> Number:
        """Turn the cost of a tree into the user's units: an int if nothing but integers went in.

        >>> columns, labels = np.zeros((1, 1), np.int32), np.zeros(1, np.int32)
        >>> Problem(columns, labels, 1, scale=Fraction(3)).price(2)
        6
        >>> Problem(columns, labels, 1, scale=Fraction(1, 4), offset=Fraction(1)).price(2)
        1.5
        """
        if not self.objective.integral or not self.offset:
            return self.worth(cost)
        exact = int(cost) * self.scale + self.offset
        return int(exact) if exact.denominator == 1 and not self.penalty else float(exact)

    def worth(self, cost: Number) -> Number:
        """Turn a difference of costs into the user's units.

        >>> columns, labels = np.zeros((1, 1), np.int32), np.zeros(1, np.int32)
        >>> Problem(columns, labels, 1, scale=Fraction(1, 4)).worth(2)
        0.5
        """
        if not self.objective.integral:
            return float(cost)
        worth, denominator = int(cost) * self.scale.numerator, self.scale.denominator
        return worth if denominator == 1 and not self.penalty else worth / denominator


class Runner(Protocol):
    """Runs native searches somewhere; for a watcher, costs are divided by `units`."""

    units: int

    def __call__(self, kind: str, rows: tuple[Any, ...], terms: dict[str, Any]) -> Any:
        """Run a search, given its kind and what its native function takes."""

    def watched(self, best: Number, bound: Number, *, begins: bool) -> None:
        """Let those who watch know of a search that runs here: that it begins, or has ended."""


@dataclass(frozen=True)
class Limits:
    """When to stop before the proof is complete, and what to run on.

    `memory` is in bytes, 0 for no limit; `seed` is where a local search takes its choices from;
    `known` is what a known tree costs: dearer ones are of no interest; `start` is one over ranks;
    no tree costs less than `proved`; `elsewhere` runs native searches, given kind, rows and terms.
    """

    seconds: float = inf
    memory: int = 0
    threads: int = 1
    seed: int = 0
    known: Number | None = None
    start: Tree | None = None
    proved: Number = 0
    elsewhere: Runner | None = None


@dataclass(frozen=True)
class Progress:
    """Where a search stands after some `seconds`: best `objective`, proved `lower_bound`.

    `open_pieces` may hold a better tree: thresholds of the first split, or branches of partitions.
    `nodes` is how many subproblems were opened. Both are None where a search does not count them.
    """

    seconds: float
    objective: Number
    lower_bound: Number
    open_pieces: int | None = None
    nodes: int | None = None

    @property
    def gap(self) -> Number:
        """How far the best tree may be from the optimum."""
        return self.objective - self.lower_bound


# What the user's function returns ends the search if it is True.
OnProgress = Callable[[Progress], object]


def told(on_progress: OnProgress | None, progress: Progress) -> bool:
    """Report the end of a search; a KeyboardInterrupt from the callback is swallowed: it has ended.

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
class Found:
    """What an engine gives back, in the problem's units: the fields of `Result`, tree in ranks."""

    status: Status
    space: str
    objective: Number
    lower_bound: Number
    gap: Number
    tree: Tree
    stats: dict[str, Number] = field(default_factory=dict)
    history: tuple[tuple[float, Number, Number], ...] = ()


@dataclass(frozen=True)
class Result(Found):
    """The best tree found, with what is proved about it, in the user's splits, classes and weights.

    Parameters
    ----------
    status : str
        "optimal"; "local" if a local search over surfaces ended by itself without a proof (see
        `random_state` of `solve`); or why the search stopped: "gap_limit", "stopped" (by
        `on_progress`), "time_limit", "memory_limit", "interrupted".
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

    classes: tuple[Any, ...] = ()
    feature_names: tuple[str, ...] | None = None
    columns: tuple[Kind, ...] | None = None

    def __str__(self) -> str:
        names = self.classes or None
        text = to_text(self.tree, feature_names=self.feature_names, class_names=names)
        return f"{self.summary()}\n{text}"

    def __repr__(self) -> str:
        """Fit on a line: trees, counters and history do not."""
        return f"<Result {self.summary()}>"

    def _repr_html_(self) -> str:
        """Draw the tree in a notebook."""
        return tree_html(self.tree, self.summary(), self.feature_names, self.classes or None)

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


Engine = Callable[[Problem, Limits, OnProgress | None], Found]
