"""The objective scheme E(f, g): what a leaf costs, and how the costs of two subtrees combine.

Glossary
    f       the cost of a leaf, a number for the samples that reach it
    g       the combination of the costs of the two subtrees of a split
    E       the objective: the fold of a tree with f at its leaves and g at its splits
    y, w    label (or target) and weight of a sample

The leaves of a tree given to E carry the samples that reach them, so the intersections with r+ and
r- in the paper's scheme have already been taken. The cost of an empty leaf is 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import add

from exactree.spec.data import Number, Rule, Samples
from exactree.spec.tree import Tree, fold_tree

Combine = Callable[[Number, Number], Number]
Pair = tuple[Number, Number]


@dataclass(frozen=True)
class Objective:
    """E(f, g): E(DL(xs)) = f(xs), E(DN(u, r, v)) = g(E(u), E(v))."""

    name: str
    leaf: Callable[[Samples], Number]
    combine: Combine = add

    def __call__(self, tree: Tree[Rule, Samples]) -> Number:
        """Evaluate a tree whose leaves carry the samples that reach them.

        >>> from exactree.spec.data import Sample
        >>> from exactree.spec.tree import Leaf
        >>> ZERO_ONE(Leaf((Sample(0, (0,), 1), Sample(1, (0,), 0), Sample(2, (0,), 1))))
        1
        """
        return fold_tree(self.leaf, lambda u, _, v: self.combine(u, v), tree)


def errors(xs: Samples) -> int:
    """Count the samples outside the majority class: f(xs) = sum of [y != majority].

    >>> from exactree.spec.data import Sample
    >>> errors((Sample(0, (0,), 1), Sample(1, (0,), 0), Sample(2, (0,), 0)))
    1
    """
    return len(xs) - max(Counter(x.y for x in xs).values(), default=0)


def weighted_errors(xs: Samples) -> Number:
    """Sum the weights outside the heaviest class: f(xs) = w(xs) - max over c of w(xs with y = c).

    >>> from exactree.spec.data import Sample
    >>> weighted_errors((Sample(0, (0,), 1, 5), Sample(1, (0,), 0, 2), Sample(2, (0,), 0, 2)))
    4
    """
    weight: dict[Number, Number] = {}
    for x in xs:
        weight[x.y] = weight.get(x.y, 0) + x.w
    return sum(weight.values()) - max(weight.values(), default=0)


def squared_error(xs: Samples) -> Number:
    """Sum the squared deviations from the mean: f(xs) = sum w y^2 - (sum w y)^2 / sum w, exactly.

    >>> from exactree.spec.data import Sample
    >>> squared_error((Sample(0, (0,), 1), Sample(1, (0,), 4)))
    Fraction(9, 2)
    """
    w = sum(x.w for x in xs)
    if w == 0:
        return 0
    s = sum(x.w * x.y for x in xs)
    return sum(x.w * x.y * x.y for x in xs) - Fraction(s * s) / w


def deviation(xs: Samples) -> Number:
    """Half the range of the targets, what the best constant misses at worst: (max y - min y) / 2.

    >>> from exactree.spec.data import Sample
    >>> deviation((Sample(0, (0,), 1), Sample(1, (0,), 4), Sample(2, (0,), 2)))
    Fraction(3, 2)
    """
    ys = [x.y for x in xs]
    return Fraction(max(ys) - min(ys)) / 2 if ys else 0


def longer_path(a: Number, b: Number) -> Number:
    """One test more than the worse of two subtrees needs: g(a, b) = 1 + max(a, b).

    >>> longer_path(2, 5)
    6
    """
    return 1 + max(a, b)


ZERO_ONE = Objective("zero_one", errors)
WEIGHTED_ZERO_ONE = Objective("weighted_zero_one", weighted_errors)
SQUARED = Objective("squared", squared_error)
# The errors of the worst leaf: g is the maximum.
MAX_ERROR = Objective("max_error", weighted_errors, max)
# The most that one path costs: a test for every split on it, and the errors of its leaf.
WORST_PATH = Objective("worst_path", errors, longer_path)
# Regression for the worst sample: the largest distance of a target from its leaf's value.
MAX_DEVIATION = Objective("max_deviation", deviation, max)

OBJECTIVES = {
    o.name: o for o in (ZERO_ONE, WEIGHTED_ZERO_ONE, SQUARED, MAX_ERROR, WORST_PATH, MAX_DEVIATION)
}


def objective(name: str) -> Objective:
    """Look an objective up by its name.

    >>> objective("squared") is SQUARED
    True
    """
    if name not in OBJECTIVES:
        raise ValueError(f"unknown objective {name!r}: choose one of {', '.join(OBJECTIVES)}")
    return OBJECTIVES[name]


def penalised(objective: Objective, penalty: Number) -> Objective:
    """Charge every split: g'(a, b) = g(a, b) + penalty.

    For additive g this is E(t) + penalty * size(t). One number more on every combination keeps g
    non-decreasing.

    >>> penalised(ZERO_ONE, 3).combine(1, 2)
    6
    """
    if penalty < 0:
        raise ValueError(f"the penalty must not be negative, it is {penalty}")
    if penalty == 0:
        return objective
    return Objective(
        f"{objective.name} + {penalty} per split",
        objective.leaf,
        lambda a, b: objective.combine(a, b) + penalty,
    )


def is_monotone(combine: Combine, values: Iterable[Number]) -> tuple[Pair, Pair] | None:
    """Check a <= a' and b <= b' => g(a, b) <= g(a', b') on the given values.

    Returns None if it holds, else the first counterexample ((a, b), (a', b')). This is what the
    principle of optimality needs: an optimal subtree may replace any other below the same split.
    The paper asks g(a, b) >= max(a, b), which neither implies it (g(0, b) = 100, else a + b) nor is
    implied by it (the minimum). Steps between neighbouring values in one argument suffice: longer
    ones are chains of those.

    >>> is_monotone(max, range(4)) is None
    True
    >>> is_monotone(lambda a, b: 100 if a == 0 else a + b, range(3))
    ((0, 0), (1, 0))
    """
    vs = sorted(set(values))
    steps = list(pairwise(vs))
    pairs = [((a, b), (c, b)) for a, c in steps for b in vs]
    pairs += [((b, a), (b, c)) for a, c in steps for b in vs]
    return next((pq for pq in pairs if combine(*pq[0]) > combine(*pq[1])), None)
