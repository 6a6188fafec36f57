"""The optimum for every penalty, as far as trees of few splits tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Any, Unpack, overload

from exactree.bounds import equal_rows_cost
from exactree.parameters import PathParameters, completed, takes
from exactree.preparing import make_problem
from exactree.problem import Number, Result
from exactree.request import Request, read_request
from exactree.sizes.path import size_path
from exactree.solving import Solving, sources_of
from exactree.splits import Listing
from exactree.tree import size


@dataclass(frozen=True)
class PenaltyStep:
    """A tree and the penalties for which it is optimal, both ends among them.

    Parameters
    ----------
    low, high : float
        The range of penalties, as shares of the total weight, as `solve` takes them.
    splits : int
        How many splits the tree has.
    result : Result
        What was found for that many splits; its objective is without the penalty.
    """

    low: float
    high: float
    splits: int
    result: Result


@dataclass(frozen=True)
class PenaltyPath(Sequence[PenaltyStep]):
    """Optimal trees by falling penalty: the single leaf first, each with its range of penalties.

    Parameters
    ----------
    steps : tuple of PenaltyStep
        A tree for every range of penalties.
    unknown_below : float
        Below this penalty a tree of more splits than were tried, or of a size that was not proved,
        could be better.
    """

    steps: tuple[PenaltyStep, ...]
    unknown_below: float

    @property
    def penalties(self) -> list[float]:
        """The least penalty of every step."""
        return [step.low for step in self.steps]

    @property
    def objectives(self) -> list[Number]:
        """The loss of every step's tree, without penalties."""
        return [step.result.objective for step in self.steps]

    def at(self, penalty: float) -> Result | None:
        """Give the tree that is optimal for a penalty, of two the smaller; None: unknown."""
        steps = (step.result for step in self.steps if step.low <= penalty <= step.high)
        return next(steps, None)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[PenaltyStep]:
        return iter(self.steps)

    @overload
    def __getitem__(self, index: int) -> PenaltyStep: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PenaltyStep, ...]: ...
    def __getitem__(self, index: int | slice) -> PenaltyStep | tuple[PenaltyStep, ...]:
        return self.steps[index]

    def __str__(self) -> str:
        lines = [
            f"{step.low:>10.6g}  {step.high:>10.6g}  {step.splits:6d}  "
            f"{step.result.objective:>9.6g}"
            for step in self.steps
        ]
        head = "   penalty          to  splits  objective"
        return "\n".join([head, *lines, f"unknown below {self.unknown_below:.6g}"])


@takes(PathParameters)
def penalty_path(
    X: Any, y: Any = None, *, max_splits: int, **parameters: Unpack[PathParameters]
) -> PenaltyPath:
    """Find the optimal tree for every penalty that up to `max_splits` splits decide.

    It is scikit-learn's `cost_complexity_pruning_path` with optimal trees: from a single leaf to
    more and more splits as the penalty falls. Where the search for a size was stopped, the sizes
    below it count.

    Parameters
    ----------
    X, y : array
        Rows by columns, and a label, or a number in regression, for each row.
    max_splits : int
        The largest number of splits to be tried.

    Examples
    --------
    >>> rows = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
    >>> path = penalty_path(rows, [0, 0, 0, 1, 1, 1, 0, 1], max_splits=3)
    >>> print(path)
       penalty          to  splits  objective
         0.375         inf       0          4
        0.0625       0.375       1          1
             0      0.0625       3          0
    unknown below 0
    >>> path.at(0.2).objective
    1
    """
    given = completed(penalty_path, parameters)
    request = read_request({**given, "max_splits": max_splits})
    if request.ratio is not None:
        raise ValueError(
            f"objective {request.ratio.name!r} is no sum over leaves, and has no penalties: use "
            "size_path"
        )
    proved = []
    for result in size_path(X, y, max_splits=max_splits, **parameters):
        if result.status != "optimal":
            break
        proved.append(result)
    bound, weight = bound_and_weight(X, y, request)
    return lower_hull(proved, Fraction(bound), Fraction(weight))


def bound_and_weight(X: Any, y: Any, request: Request) -> tuple[Number, Number]:
    """Bound the loss of all trees by that of the groups of equal rows; and give the total weight.

    >>> asked = Request(max_splits=1, sample_weight=[1, 3, 1])
    >>> bound_and_weight([[1.0], [1.0], [2.0]], [0, 1, 1], asked)
    (1, 5)
    """
    solving = Solving(request, perf_counter())
    solving.read(X, y)
    data, request = solving.data, solving.request
    nothing = Listing(0, lambda: True, needed=False)
    problem = make_problem(data, sources_of(request.splits, data), request, listing=nothing)
    bound = equal_rows_cost(problem.keys(), problem.targets(), request.objective)
    weight = Fraction(int(problem.row_costs().sum())) * problem.scale
    if data.costs is not None:
        weight = data.costs.weight
    total = int(weight) if weight.denominator == 1 else float(weight)
    return problem.price(bound), total


def lower_hull(proved: Sequence[Result], bound: Fraction, weight: Fraction) -> PenaltyPath:
    """Give the optimal trees by penalty out of the optima of 0, 1, ..., K splits.

    Proof. Let L_k be the optimum of k splits. With price p, a tree of at most K splits costs at
    least min over k of L_k + p k, which is the lower hull of the points (k, L_k) seen in direction
    p. A tree of more splits costs at least B + p (K + 1), B a bound of all trees. So the hull is
    right where L_k + p k <= B + p (K + 1) for some k: for p >= (L_k - B) / (K + 1 - k).
    """
    losses = [Fraction(result.objective) for result in proved]
    least = min((loss - bound) / (len(losses) - k) for k, loss in enumerate(losses))
    steps, k, high = [], 0, None
    while True:
        falls = [((losses[k] - losses[j]) / (j - k), j) for j in range(k + 1, len(losses))]
        # Of equal falls the farthest, so that no step is empty.
        fall, after = max(falls, default=(Fraction(0), k))
        low = max(fall, least)
        top = float("inf") if high is None else float(high / weight)
        if high is None or low < high:
            steps.append(PenaltyStep(float(low / weight), top, size(proved[k].tree), proved[k]))
        if fall <= least or fall <= 0:
            break
        k, high = after, fall
    return PenaltyPath(tuple(steps), float(least / weight))
