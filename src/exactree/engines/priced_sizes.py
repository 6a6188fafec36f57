"""A price for each split, size by size.

Trees of few levels were searched before, and the best one costs u. Any cheaper tree has k splits,
more than there are levels, and errors of less than u - k p, p the price. That is a budget of splits
and no price: with k p taken off, so little is left that such searches are short, and often pairs of
rows (`close_pairs`) prove that no tree of k splits errs so little.

Proof that levels may be left out of them as well. A tree of so few levels and j <= k splits costs u
at least, so that its errors are u - j p at least: no less than u - k p.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

from exactree.bounds import useful_splits
from exactree.engines.close_pairs import Pairs, bounds_by, close_pairs, rows_for_pairs
from exactree.engines.watch import RunSplits, Watch
from exactree.problem import Found, Problem, Status
from exactree.tree import size

# From more sizes on, one search of all of them learns more.
MOST_SIZES = 10
# A search that is over within this needs no pairs.
QUICK_SECONDS = 0.05


def by_sizes(
    by_splits: RunSplits, problem: Problem, watch: Watch, levels: int, share: float
) -> Found | None:
    """Search size by size within a share of the time; None if there are too many sizes."""
    most = useful_splits(watch.least(), problem.penalty)
    if problem.max_splits is not None and most is not None:
        most = min(most, problem.max_splits)
    if not levels or most is None or most > levels + MOST_SIZES:
        return None
    return _Sizes(by_splits, problem, watch, levels, share).searched(most)


class _Sizes:
    def __init__(
        self, by_splits: RunSplits, problem: Problem, watch: Watch, levels: int, share: float
    ) -> None:
        self.by_splits, self.problem, self.watch = by_splits, problem, watch
        self.levels, self.share = levels, share
        self.price = int(problem.penalty)
        self.status: Status = "optimal"
        self.pairs: Pairs | None = None

    def searched(self, most: int) -> Found | None:
        """Search sizes up to `most`; larger trees cost no less than the best."""
        bound = inf
        for k in range(self.levels + 1, most + 1):
            errors = self.of_size(k)
            if errors is None:
                return None
            bound = min(bound, errors + k * self.price)
        self.watch.proves(int(min(bound, self.watch.least())))
        return self.watch.found(self.status)

    def of_size(self, k: int) -> int | None:
        """Bound the errors of trees of up to k splits, up to what would make them the best."""
        sized = replace(self.problem, max_splits=k, max_depth=k, penalty=0)
        proved = self.search(sized, 0, QUICK_SECONDS)
        if proved is None:
            return None
        for bound in self.by_pairs(sized) if proved < self.below(k) else ():
            proved = max(proved, min(bound, self.below(k)))
            if proved == self.below(k):
                return proved
        return proved if proved >= self.below(k) else self.search(sized, proved, inf)

    def by_pairs(self, sized: Problem) -> Iterator[int]:
        """Bound the errors of a size by pairs, which are the same for all sizes."""
        if self.pairs is None:
            assert self.watch.best is not None
            rows = rows_for_pairs(self.problem, self.watch.best.tree, self.seconds_left())
            self.pairs = close_pairs(self.problem, rows)
        yield from bounds_by(sized, self.pairs, self.seconds_left)

    def seconds_left(self) -> float:
        """Give what is left of our share of the time."""
        return self.watch.limits(self.share).seconds

    def below(self, k: int) -> int:
        """Give what errors of k splits have to be below."""
        return max(int(self.watch.least()) - k * self.price, 0)

    def search(self, sized: Problem, proved: int, seconds: float) -> int | None:
        """Search a size for a tree that is the best, for so long at most; give what is proved."""
        watch, cap = self.watch, self.below(sized.max_splits or 0)
        if not cap:
            return 0
        limits = watch.limits(self.share)
        limits = replace(limits, proved=proved, seconds=min(limits.seconds, seconds))
        found = self.by_splits(sized, limits, watch.still(), cap, self.levels)
        if found is None:
            return None if seconds == inf else 0
        if found.objective < cap:
            watch.took(found.tree, found.objective + size(found.tree) * self.price)
        if found.status == "interrupted":
            watch.status = found.status
        if found.status != "optimal" and (seconds == inf or found.status == "interrupted"):
            self.status = found.status
        return min(int(found.lower_bound), cap)
