"""The optimum of a ratio of counts, by a sequence of weighted searches (Dinkelbach's method).

Letters: P is the weight of the positive rows, FN and FP what a tree gets wrong of them and of the
others; N = u FN + v FP and D = (u + v) P - v FN + v FP, so that N / D is the loss: one minus the
F-score with beta^2 = u / v. All are whole numbers.

Step. Let a tree have the loss a / b. Another has a lower one if and only if b N - a D < 0, that is

    (b u + a v) FN + (b - a) v FP < a (u + v) P.

On the left is a weighted error, whose optimum is found by a search; if that is not below the right
side, the tree is optimal and the search has proved it. If it is, the tree that was found has a
lower loss, and the next step starts from there: it searches below what that tree costs. There are
finitely many losses, so this ends.

Bound. If a search has proved that the left side is L at least, then b N - a D >= L - a (u + v) P
=: -d for every tree. D is u P at least, since FN is P at most. So no tree has a loss below
a / b - d / (b u P).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import MisclassificationError
from exactree.objectives.ratios import BalancedError, Ratio
from exactree.preparing import Data
from exactree.problem import Found, Problem, Progress, Result, Status
from exactree.request import Request
from exactree.routing import ends
from exactree.shaping import given_shapes
from exactree.tree import Leaf, Node, Tree, nodes
from exactree.weights import COST_LIMIT, IntegerWeights, balanced, with_class_weights

# Solves a request for some data: the problem, what the engine found, and the same in the user's
# splits.
Run = Callable[[Data, Request], tuple[Problem, Found, Result]]


@dataclass(frozen=True, eq=False)
class Counts:
    """The rows as a ratio sees them: positive or not, with whole weights, and its factors."""

    positive: NDArray[np.bool_]
    weights: NDArray[np.int64]
    u: int
    v: int

    @property
    def total(self) -> int:
        """P, the weight of the positive rows."""
        return int(self.weights[self.positive].sum())

    def loss(self, answers: NDArray[np.bool_]) -> Fraction:
        """Give N / D of these answers."""
        missed = int(self.weights[self.positive & ~answers].sum())
        false = int(self.weights[~self.positive & answers].sum())
        above = self.u * missed + self.v * false
        return Fraction(above, (self.u + self.v) * self.total + self.v * (false - missed))

    def prices(self, loss: Fraction) -> tuple[int, int, int]:
        """Give what FN and FP cost in the step from a loss, and what the sum has to be below.

        >>> Counts(np.array([True, False]), np.array([3, 1]), 1, 1).prices(Fraction(1, 7))
        (4, 3, 3)
        """
        a, b = loss.as_integer_ratio()
        missed, false, right = b * self.u + a * self.v, (b - a) * self.v, a * (self.u + self.v)
        common = gcd(missed, false, right * self.total)
        return missed // common, false // common, right * self.total // common


def counted(data: Data, ratio: Ratio) -> Counts:
    """Read which rows are positive; refuse it if none is."""
    place = ratio.place(data.classes)
    weights = np.ones(len(data.labels), np.int64) if data.weights is None else data.weights
    found = Counts(data.labels == place, weights // int(np.gcd.reduce(weights)), *ratio.factors())
    if not found.total:
        raise ValueError(f"no row has the positive class {data.classes[place]!r}: nothing to find")
    return found


def refuse_beside(request: Request) -> None:
    """Refuse what is not linear in FN and FP, or would be about other weights."""
    assert request.ratio is not None
    if request.penalty and isinstance(request.ratio, Ratio):
        raise ValueError(
            f"penalty={float(request.penalty):g} does not go with objective "
            f"{request.ratio.name!r}, which is no sum over leaves: limit max_depth or max_splits, "
            "or compare sizes with size_path"
        )
    if request.constraint is not None:
        raise ValueError(
            f"a constraint of one's own does not go with objective {request.ratio.name!r}, whose "
            "searches weigh the rows otherwise: leave one of them out"
        )
    if request.monotonic_cst is not None and isinstance(request.ratio, Ratio):
        raise ValueError(
            f"monotonic_cst does not go with objective {request.ratio.name!r}: it is for objective "
            "'error' with two classes and for 'squared_error'"
        )
    if request.min_weight_fraction_leaf:
        raise ValueError(
            f"min_weight_fraction_leaf does not go with objective {request.ratio.name!r}, whose "
            "searches weigh the rows otherwise: use min_samples_leaf"
        )


def solved_ratio(request: Request, data: Data, run: Run, started: float) -> Result:
    """Find a tree of least loss for the ratio of a request."""
    refuse_beside(request)
    if isinstance(request.ratio, BalancedError):
        return _balanced(request, data, run)
    return RatioSearch(request, data, run, started).solved()


def _balanced(request: Request, data: Data, run: Run) -> Result:
    """Give all classes the same weight, and the error as a share of the whole."""
    if request.class_weight is not None:
        raise ValueError(
            f"class_weight={request.class_weight!r} does not go with objective 'balanced_error', "
            "which weighs the classes itself: leave one of them out"
        )
    weights = np.ones(len(data.labels), np.int64) if data.weights is None else data.weights
    given, labels = IntegerWeights(weights, data.scale), data.labels.astype(np.intp)
    own = with_class_weights(given, labels, balanced(weights, labels))
    total = float(int(own.values.sum()) * own.scale)
    tell = request.on_progress

    def show(progress: Progress) -> None:
        if tell is not None:
            best, bound = progress.objective / total, progress.lower_bound / total
            tell(replace(progress, objective=best, lower_bound=bound))

    plain = replace(request, ratio=None, on_progress=show)
    found = run(replace(data, weights=own.values, scale=own.scale), plain)[2]
    return replace(
        found,
        objective=found.objective / total,
        lower_bound=found.lower_bound / total,
        gap=found.gap / total,
        history=tuple((s, best / total, bound / total) for s, best, bound in found.history),
    )


def ratio_of(found: Tree, ratio: Ratio, data: Data) -> float:
    """Run a tree of the user's classes on the data, and give its loss."""
    positive = _answers(found, data.X, ratio.place(data.classes))
    return float(ratio.worth(counted(data, ratio).loss(positive)))


class RatioSearch:
    """Steps from loss to loss, with the best tree and what is proved."""

    def __init__(self, request: Request, data: Data, run: Run, started: float) -> None:
        assert isinstance(request.ratio, Ratio)
        self.ratio, self.data, self.run, self.started = request.ratio, data, run, started
        self.counts = counted(data, request.ratio)
        self.request = replace(
            request, ratio=None, objective=MisclassificationError(), on_progress=self._show
        )
        self.on_progress = request.on_progress
        self.time_limit = request.time_limit
        self.history: list[tuple[float, float, float]] = []
        self.steps = 0
        # All rows positive: the best tree known before the first step.
        self.loss = self.counts.loss(np.ones(len(data.labels), bool))
        self.bound = Fraction(0)
        self.found: Result | None = None

    def solved(self) -> Result:
        """Step until the optimum says that there is nothing better, or a limit is reached."""
        status: Status = "optimal"
        while self.found is None or self.bound < self.loss:
            try:
                stopped = self._step()
            except KeyboardInterrupt:  # between two searches, which keep what they have
                if self.found is None:
                    raise
                stopped = "interrupted"
            if stopped is not None:
                status = stopped
                break
        assert self.found is not None
        return self._result(self.found, status)

    def _step(self) -> Status | None:
        """Search once; give why it stopped before the end, if it did."""
        missed, false, right = self.counts.prices(self.loss)
        data = self._priced(missed, false)
        left = max(self.time_limit - (perf_counter() - self.started), 0.0)
        start = self.request.start if self.found is None else self._last_tree()
        asked = replace(self.request, time_limit=left, start=start)
        problem, engine, written = self.run(data, asked)
        self.steps += 1
        self._raise_bound(right, Fraction(engine.lower_bound) * problem.scale)
        loss = self.counts.loss(_answers(written.tree, data.X))
        if self.found is None or loss < self.loss:
            self.found, self.loss = written, loss
        self.bound = min(self.bound, self.loss)
        ended = self._ended()
        if written.status != "optimal":
            return written.status
        return "stopped" if ended else None

    def _ended(self) -> bool:
        """Tell the user's function between two searches; it may end them as it may end one."""
        try:
            return self._show(Progress(0.0, 0, 0)) is True
        except StopIteration:
            return True

    def _last_tree(self) -> Tree | None:
        """Give the tree to begin the next search with: it costs just what has to be beaten."""
        assert self.found is not None
        return None if given_shapes(self.request) else self.found.tree

    def _priced(self, missed: int, false: int) -> Data:
        """Give the data with two classes, whose rows weigh what a wrong answer costs."""
        positive, weights = self.counts.positive, self.counts.weights
        most = missed * self.counts.total + false * int(weights[~positive].sum())
        if most >= COST_LIMIT:
            raise ValueError(
                f"objective {self.ratio.name!r} takes products of weights, which add up to "
                f"{float(most):.4g} and have to stay below {COST_LIMIT:.4g}, 60 bits: round "
                "sample_weight to fewer digits"
            )
        return replace(
            self.data,
            labels=positive.astype(np.int32),
            classes=np.arange(2),
            weights=weights * np.where(positive, missed, false),
            scale=Fraction(1),
        )

    def _raise_bound(self, right: int, least: Fraction) -> None:
        """Take what a search from this loss has proved; see Bound above."""
        if least >= right:
            self.bound = self.loss
            return
        a, b = self.loss.as_integer_ratio()
        exact = a * (self.counts.u + self.counts.v) * self.counts.total
        common = Fraction(exact, right)
        below = (right - least) * common / (b * self.counts.u * self.counts.total)
        self.bound = max(self.bound, self.loss - below)

    def _show(self, _: Progress) -> object:
        """Tell the user's function how far the steps have come, whatever a search tells."""
        best, bound = map(float, (self.ratio.worth(self.loss), self.ratio.worth(self.bound)))
        seconds = perf_counter() - self.started
        if not self.history or self.history[-1][1:] != (best, bound):
            self.history.append((seconds, best, bound))
        return (
            None if self.on_progress is None else self.on_progress(Progress(seconds, best, bound))
        )

    def _result(self, found: Result, status: Status) -> Result:
        loss, bound = self.ratio.worth(self.loss), self.ratio.worth(self.bound)
        filled = _Filling(self.data, self.ratio, found.tree).tree()
        return replace(
            found,
            status="optimal" if loss == bound else status,
            objective=float(loss),
            lower_bound=float(bound),
            gap=float(loss - bound),
            tree=filled,
            stats={**found.stats, "seconds": perf_counter() - self.started, "solves": self.steps},
            history=tuple(self.history),
            classes=tuple(self.data.classes.tolist()),
        )


def _answers(found: Tree, X: Any, positive: int = 1) -> NDArray[np.bool_]:
    """Tell which rows a tree calls positive."""
    values = np.array([node.value if isinstance(node, Leaf) else 0 for node in nodes(found)])
    return np.asarray(values[ends(found, X)] == positive)


class _Filling:
    """Gives the leaves of a tree their class, rows and weights; they cost what they get wrong."""

    def __init__(self, data: Data, ratio: Ratio, found: Tree) -> None:
        self.data, self.found, self.place = data, found, ratio.place(data.classes)
        self.ends = ends(found, data.X)
        self.weights = np.ones(len(data.labels), np.int64) if data.weights is None else data.weights
        self.numbers = iter(range(2 * len(self.ends) + 1))

    def tree(self) -> Tree:
        return self._filled(self.found)

    def _filled(self, found: Tree) -> Tree:
        number = next(self.numbers)
        if isinstance(found, Node):
            left = self._filled(found.left)
            return Node(found.split, left, self._filled(found.right))
        rows = self.ends == number
        by_class = np.zeros(len(self.data.classes), np.int64)
        np.add.at(by_class, self.data.labels[rows], self.weights[rows])
        value = self.place
        if found.value == 0:
            others = by_class.copy()
            others[self.place] = -1
            value = int(others.argmax())
        # To take one class for another where neither is positive is no mistake here.
        inside = int(by_class[self.place])
        cost = int(by_class.sum()) - inside if value == self.place else inside
        worth = [self._worth(w) for w in by_class.tolist()]
        return Leaf(value, int(rows.sum()), tuple(worth), self._worth(cost))

    def _worth(self, units: int) -> int | float:
        worth = units * self.data.scale
        return int(worth) if worth.denominator == 1 else float(worth)
