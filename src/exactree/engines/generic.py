"""The generic engine: best(samples, depth, splits, budget) for any objective, in NumPy.

One recursion. A node takes the leaf, or the best single split (all candidates costed at once), or
searches its groups of candidates: a candidate is evaluated by solving its two sides, what that
proves spreads to the other candidates of the group, and the search goes on where something better
may still be. A subproblem gets a cap and may answer "at least this much".

Every answer carries two lower bounds: `low` for the problem as it is, and `free` for the one
without a limit on the rows of a side. Only the latter obeys the subset bound, so only it spreads.

Soundness of what is left out: each candidate that is never evaluated has a lower bound, by a proof
in `exactree.bounds`, that reaches the best tree of its node or the cap; and the lower bound of the
node is the least over all of them. Costs that differ by less than 1e-12 relative count as equal;
along a path of two hundred splits that stays far below the 1e-9 that "optimal" means for floats.
"""

from __future__ import annotations

from math import inf
from time import perf_counter
from typing import NamedTuple

import numpy as np

from exactree.bounds import child_cap, equal_rows_cost, useful_splits
from exactree.engines.candidates import NEVER, Costs, Group, Mask, Rows, Sample, Scan
from exactree.engines.columns import Chain, Columns
from exactree.engines.partitions import Distinct, ListedPartitions
from exactree.engines.screening import Screen
from exactree.interrupts import interruptible
from exactree.problem import Found, Limits, Number, OnProgress, Problem, Progress, Status, told
from exactree.tree import Leaf, Node, Tree

# A child may look for more than is needed: a sharper bound prunes its neighbours too.
GENEROSITY = 1.2
# Answers are kept while they take less than this, unless the user sets another limit.
MEMORY = 1 << 28
POLL_SECONDS = 0.05
UNKNOWN = Leaf(0)


class Answer(NamedTuple):
    """What is known of a subproblem: bounds, and the cheapest tree found."""

    low: Number
    free: Number
    cost: Number
    tree: Tree


class Place(NamedTuple):
    """The rows of a node: a mark for each row of the problem, their number, a key."""

    inside: Mask
    size: int
    key: bytes


class View(NamedTuple):
    """What the sources know of a node: its rows, their order in each column, their partitions."""

    rows: Rows
    orders: Rows
    listed: Distinct


class Budget(NamedTuple):
    """How many splits a tree may have on a path and in all; None: as the depth allows."""

    depth: int
    splits: int | None

    def within(self, rows: int) -> Budget:
        """Cut it down to what can bind, so that more subproblems are the same one."""
        depth = min(self.depth, rows - 1)
        if self.splits is None:
            return Budget(depth, None)
        splits = min(self.splits, rows - 1)
        depth = min(depth, splits)
        return Budget(depth, None if splits >= 2**depth - 1 else splits)

    def shares(self) -> list[tuple[Budget, Budget]]:
        """Give the ways to share it out between two sides that none of the others contains."""
        depth = self.depth - 1
        if self.splits is None:
            return [(Budget(depth, None), Budget(depth, None))]
        rest, most = self.splits - 1, 2**depth - 1
        lefts = range(max(0, rest - most), min(rest, most) + 1)
        return [(Budget(depth, i), Budget(depth, rest - i)) for i in lefts]


class Stop(Exception):
    """Raised out of the recursion when the time is up."""


def generic(
    problem: Problem,
    limits: Limits,
    on_progress: OnProgress | None = None,
    *,
    without: frozenset[str] = frozenset(),
) -> Found:
    """Solve the problem, or stop at a limit with the best tree and a proved bound.

    It runs in one thread, and its memory is that of the data and of a cache that the memory limit
    bounds. `without` turns prunings off ("interval", "neighbour", "cache", "screen"), for tests;
    none changes the objective.
    """
    search = Search(problem, limits, on_progress, without)
    status: Status = "optimal"
    try:
        with interruptible():
            search.run()
    except Stop:
        status = "time_limit"
    except KeyboardInterrupt:
        status = "interrupted"
    return search.result(status)


class Search:
    """The recursion with its incumbent, limits, cache and counters."""

    def __init__(
        self,
        problem: Problem,
        limits: Limits,
        on_progress: OnProgress | None,
        without: frozenset[str],
    ) -> None:
        self.problem, self.limits, self.on_progress = problem, limits, on_progress
        self.start = self.polled = perf_counter()
        self.without = without
        self.costs = Costs(problem, without=without)
        self.columns = Columns(problem.columns, self.costs)
        self.parts = ListedPartitions(problem.partitions, problem.n_rows, self.costs)
        self.cache: dict[tuple[bytes, Budget], Answer] = {}
        self.cached_most = 0
        if "cache" not in without:
            # A key has a bit for every row; the answer and the dict take about as given here.
            self.cached_most = (limits.memory or MEMORY) // (problem.n_rows // 8 + 600)
        self.counters = dict.fromkeys(
            ("nodes", "evaluations", "screened", "cache_hits", "skipped"), 0
        )
        self.rows = np.arange(problem.n_rows)
        self.best = Answer(0, 0, self.costs.leaf(self.rows), UNKNOWN)
        # What the groups of the root prove; until it has any, only equal rows prove something.
        self.root_groups: list[Group] = []
        self.floor = equal_rows_cost(problem.keys(), self.costs.targets, problem.objective)
        self.history: list[tuple[float, Number, Number]] = []

    # --- The whole problem --------------------------------------------------------------------

    def run(self) -> None:
        """Search the whole problem."""
        self.note()
        budget = Budget(self.problem.max_depth, self.problem.max_splits)
        self.best = self.solve(self.place(self.rows), None, budget, inf)

    def improve(self, cost: Number, tree: Tree) -> None:
        """Keep a better tree for the whole problem."""
        if cost < self.best.cost:
            self.best = Answer(0, 0, cost, tree)
            self.note()

    def lower_bound(self) -> Number:
        """Give what is proved so far."""
        known = min((group.lowest() for group in self.root_groups), default=0)
        return min(max(known, self.floor), self.best.cost)

    def note(self) -> None:
        """Write the state of the search down."""
        entry = (perf_counter() - self.start, self.best.cost, self.lower_bound())
        self.history.append(entry)
        if self.on_progress is not None:
            self.on_progress(Progress(*entry))

    def poll(self) -> None:
        """Stop if the time is up; report now and then."""
        now = perf_counter()
        if now - self.start >= self.limits.seconds:
            raise Stop
        if self.on_progress is not None and now - self.polled >= POLL_SECONDS:
            self.polled = now
            self.on_progress(Progress(now - self.start, self.best.cost, self.lower_bound()))

    def result(self, status: Status) -> Found:
        """Give what was found and proved, the cost added up again from the finished leaves."""
        tree, cost = self.filled(self.best.tree, self.rows)
        bound = cost if status == "optimal" else min(self.lower_bound(), cost)
        if bound == cost:
            status = "optimal"
        seconds = perf_counter() - self.start
        self.history.append((seconds, cost, bound))
        if not told(self.on_progress, Progress(seconds, cost, bound)) and status != "optimal":
            status = "interrupted"
        return Found(
            status=status,
            space=self.problem.space,
            objective=cost,
            lower_bound=bound,
            gap=cost - bound,
            tree=tree,
            stats={"seconds": seconds, **self.counters},
            history=tuple(self.history),
        )

    def filled(self, tree: Tree, rows: Rows) -> tuple[Tree, Number]:
        """Give every leaf its prediction, and the cost of the tree."""
        if isinstance(tree, Leaf):
            inside = self.costs.targets.take(rows)
            return Leaf(self.costs.objective.prediction(inside)), self.costs.leaf(rows)
        goes_left = self.problem.goes_left(tree.split, rows)
        left, a = self.filled(tree.left, rows[goes_left])
        right, b = self.filled(tree.right, rows[~goes_left])
        return Node(tree.split, left, right), self.costs.split(a, b)

    # --- The recursion ------------------------------------------------------------------------

    def place(self, rows: Rows) -> Place:
        """Mark the rows of a node."""
        inside = np.zeros(self.problem.n_rows, dtype=bool)
        inside[rows] = True
        return Place(inside, len(rows), np.packbits(inside).tobytes())

    def view(self, inside: Mask, parent: View | None) -> View:
        """Narrow what the sources know of the parent down to the rows of a node."""
        if parent is None:
            return View(self.rows, self.columns.everything(), self.parts.everything())
        kept = inside[parent.rows]
        orders = self.columns.among(parent.orders, inside)
        return View(parent.rows[kept], orders, self.parts.among(parent.listed, kept))

    def scans(self, view: View, sample: Sample) -> list[Scan]:
        """Cost all candidates of a node as single splits."""
        found: list[Scan] = []
        for scan in self.columns.scan(view.orders, sample):
            found.append(scan)
            self.poll()
        return found + self.parts.scan(view.listed, sample)

    def solve(self, place: Place, parent: View | None, budget: Budget, cap: Number) -> Answer:
        """Find the best tree on these rows, or show that none is below the cap."""
        budget = budget.within(place.size)
        known = self.cache.get((place.key, budget))
        if known is not None and known.low + self.costs.slack(known.cost) >= min(known.cost, cap):
            self.counters["cache_hits"] += 1
            return known
        self.poll()
        self.counters["nodes"] += 1
        sample = self.costs.sample(np.flatnonzero(place.inside))
        leaf = sample.leaf
        most = self.useful(budget, leaf)
        if most.depth == 0 or leaf <= self.costs.split(0, 0):
            answer = Answer(leaf, leaf, leaf, UNKNOWN)
        else:
            view = self.view(place.inside, parent)
            scans = self.scans(view, sample)
            answer = self.single(scans, leaf)
            if most.depth > 1:
                answer = self.split(view, scans, most, cap, best=answer, top=parent is None)
        return self.remember((place.key, budget), answer)

    def useful(self, budget: Budget, leaf: Number) -> Budget:
        """Cut the budget down to what can still pay for its penalties."""
        if not self.costs.objective.additive:
            return budget
        most = useful_splits(leaf, self.costs.penalty)
        # As among most + 1 rows: no tree there has more splits.
        return budget if most is None else budget.within(most + 1)

    def remember(self, key: tuple[bytes, Budget], answer: Answer) -> Answer:
        """Keep the answer; a full cache starts again empty."""
        if len(self.cache) >= self.cached_most:
            self.cache.clear()
        if self.cached_most:
            self.cache[key] = answer
        return answer

    def split(
        self,
        view: View,
        scans: list[Scan],
        budget: Budget,
        cap: Number,
        *,
        best: Answer,
        top: bool,
    ) -> Answer:
        """Find the best split with optimal sides, beside the best tree of one split at most."""
        shares = len(budget.shares())
        every = [group for scan in scans for group in scan.groups(shares)]
        groups = sorted((g for g in every if g.allowed.any()), key=Group.best_single)
        if top:
            self.root_groups = groups
            self.improve(best.cost, best.tree)
            self.improve(*self.greedy(view, budget))
            best = best._replace(cost=self.best.cost, tree=self.best.tree)
            # One candidate of each, so that a stopped search has proved something of all.
            for group in groups:
                best = self.search(group, view, budget, cap, best=best, top=top, most=1)
        if (screen := self.screen(view, budget, shares)) is not None:
            self.screen_once(screen, groups, min(best.cost, cap))
        for group in groups:
            best = self.search(group, view, budget, cap, best=best, top=top, screen=screen)
        low = min([best.cost, *(group.lowest() for group in groups)])
        if low >= best.cost - 2 * self.costs.slack(best.cost):
            low = best.cost
        if not self.costs.limit.binding:
            return best._replace(low=low, free=low)
        return best._replace(low=low, free=min([low, *(g.lowest_relaxed() for g in every)]))

    def greedy(self, view: View, budget: Budget) -> tuple[Number, Tree]:
        """Split where a single split is best, and again, as other trees are grown: a start."""
        sample = self.costs.sample(view.rows)
        leaf = sample.leaf
        budget = self.useful(budget.within(len(view.rows)), leaf)
        if budget.depth == 0 or leaf <= self.costs.split(0, 0):
            return leaf, UNKNOWN
        found = self.single(self.scans(view, sample), leaf).tree
        if isinstance(found, Leaf):
            return leaf, UNKNOWN
        ways = budget.shares()
        goes_left = self.problem.goes_left(found.split, view.rows)
        places = [self.place(view.rows[side]) for side in (goes_left, ~goes_left)]
        views = [self.view(place.inside, view) for place in places]
        (a, u), (b, v) = map(self.greedy, views, ways[len(ways) // 2])
        cost = self.costs.split(a, b)
        return (cost, Node(found.split, u, v)) if cost < leaf else (leaf, UNKNOWN)

    def single(self, scans: list[Scan], leaf: Number) -> Answer:
        """Take the best single split, the first among equals, if it beats the leaf."""
        cost: Number = leaf
        tree: Tree = UNKNOWN
        for scan in scans:
            found = scan.best(leaf)
            if found is not None and found[0] < cost - self.costs.slack(cost):
                cost, tree = found[0], Node(found[1], UNKNOWN, UNKNOWN)
        free = cost
        if self.costs.limit.binding:
            free = self.costs.number(min([cost, *(scan.least() for scan in scans)]))
        return Answer(cost, free, cost, tree)

    def search(
        self,
        group: Group,
        view: View,
        budget: Budget,
        cap: Number,
        *,
        best: Answer,
        top: bool,
        most: float = inf,
        screen: Screen | None = None,
    ) -> Answer:
        """Evaluate candidates of a group until none can beat the best tree and the cap."""
        while group.evaluated < most:
            limit = min(best.cost, cap)
            limit -= self.costs.slack(limit)
            if screen is not None and self.screened(screen, group, limit):
                continue
            t = group.next(limit)
            if t is None:
                self.counters["skipped"] += group.n_skipped()
                break
            self.counters["evaluations"] += 1
            cost, tree = self.evaluate(group, t, view, budget, limit)
            if cost < best.cost - self.costs.slack(best.cost):
                best = best._replace(cost=cost, tree=tree)
                if top:
                    self.improve(cost, tree)
        return best

    def screened(self, screen: Screen, group: Group, limit: Number) -> int:
        """Bound some candidates of a group at once; give how many."""
        self.poll()
        assert isinstance(group, Chain)
        count = group.screened(screen.lows, screen.at_once(), limit)
        self.counters["screened"] += count
        return count

    def screen_once(self, screen: Screen, groups: list[Group], limit: Number) -> None:
        """Bound some candidates of each group, and put the one with the best of them first."""
        for group in groups:
            self.screened(screen, group, limit)
        groups.sort(key=Group.lowest)

    def screen(self, view: View, budget: Budget, shares: int) -> Screen | None:
        """Prepare to bound many candidates of two levels at once, if sums tell what they cost."""
        if budget.depth != 2 or shares != 1 or "screen" in self.without:
            return None
        if self.problem.partitions is not None:
            return None
        sample = self.costs.sample(view.rows)
        fits = Screen.fits(self.costs, sample)
        return Screen(self.costs, self.problem.columns, view.orders, sample) if fits else None

    def evaluate(
        self, group: Group, t: int, view: View, budget: Budget, limit: Number
    ) -> tuple[Number, Tree]:
        """Solve the sides of a candidate as far as they can stay below the limit together."""
        left, right = group.sides(t)
        places = self.place(left), self.place(right)
        proved: Number = NEVER
        best: tuple[Number, Tree] = NEVER, UNKNOWN
        for share, budgets in enumerate(budget.shares()):
            bound, answers = self.both(group, t, share, places, view, budgets=budgets, limit=limit)
            proved = min(proved, bound)
            if answers is not None:
                a, b = answers
                cost = self.costs.split(a.cost, b.cost)
                if cost < best[0]:
                    best = cost, Node(group.split(t), a.tree, b.tree)
        group.prove(t, proved)
        return best

    def both(
        self,
        group: Group,
        t: int,
        share: int,
        places: tuple[Place, Place],
        view: View,
        *,
        budgets: tuple[Budget, Budget],
        limit: Number,
    ) -> tuple[Number, tuple[Answer, Answer] | None]:
        """Solve the larger side, then the other if it still matters; bound the split.

        The group learns what the sides cost at least; without an answer the limit is out of reach.
        """
        lows = [self.costs.number(side[share, t]) for side in (group.left, group.right)]
        frees = list(lows)
        answers: list[Answer | None] = [None, None]
        for i in sorted((0, 1), key=lambda i: -places[i].size):
            if self.costs.split(*lows) >= limit:
                break
            answer = self.solve(places[i], view, budgets[i], self.cap(limit, lows[1 - i]))
            answers[i] = answer
            lows[i], frees[i] = max(lows[i], answer.low), max(frees[i], answer.free)
        group.learn(share, t, *frees)
        a, b = answers
        return self.costs.split(*lows), None if a is None or b is None else (a, b)

    def cap(self, limit: Number, other: Number) -> Number:
        """Give the cost from which on a side proves that its split is out of reach."""
        objective = self.costs.objective
        if objective.additive:
            return float(child_cap(GENEROSITY * limit, other, self.costs.penalty))
        return GENEROSITY * limit - self.costs.penalty if objective.dominates else inf
