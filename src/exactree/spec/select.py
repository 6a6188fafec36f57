"""Selection: the minimum, the filter, thinning and the two dominance relations.

Glossary
    E       an objective, smaller is better
    p       a predicate
    R       a dominance relation: R(a, b) says that a makes b unnecessary
    ub, lb  a pessimistic upper and an optimistic lower bound of what can be made of a configuration
    ub*     the value of the incumbent, the best configuration so far
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from exactree.spec.data import Number

A = TypeVar("A")
Relation = Callable[[A, A], bool]
Value = Callable[[A], Number]


def smaller(E: Value[A], a: A, b: A) -> A:
    """Take the better of two, the first if they are equal: a if E(a) <= E(b), else b.

    >>> smaller(len, "ab", "cd")
    'ab'
    """
    return a if E(a) <= E(b) else b


def min_by(E: Value[A], xs: Iterable[A]) -> list[A]:
    """Select the first minimal element, as a list of one, or of none if there is none.

    min_E([a]) = a, min_E(a:as) = smaller_E(a, min_E(as)); the paper leaves min_E([]) undefined

    >>> min_by(len, ["abc", "d", "e"])
    ['d']
    >>> min_by(len, [])
    []
    """
    best: list[A] = []
    for a in reversed(list(xs)):
        best = [smaller(E, a, best[0])] if best else [a]
    return best


def filter_by(p: Callable[[A], bool], xs: Iterable[A]) -> list[A]:
    """Keep what satisfies p: filter_p([]) = [], filter_p(a:as) = a:filter_p(as) if p(a).

    >>> filter_by(str.isupper, "aBcD")
    ['B', 'D']
    """
    return [a for a in xs if p(a)]


def thin_by(R: Relation[A], xs: Iterable[A]) -> list[A]:
    """Drop what another, kept element dominates.

    for all x in xs: x in thin_R(xs), or there is y in thin_R(xs) with R(y, x)

    R must be transitive. It need not be reflexive, as fdom is not, and of two elements that
    dominate each other the first stays: an element is dropped only by one that is still there, and
    what drops that one later dominates both.

    >>> thin_by(lambda a, b: a <= b, [3, 1, 1, 2])
    [1]
    >>> thin_by(lambda a, b: b % a == 0, [4, 6, 2, 9, 3])
    [2, 3]
    """
    ys: list[A] = []
    for x in xs:
        if not any(R(y, x) for y in ys):
            ys = [*(y for y in ys if not R(x, y)), x]
    return ys


def is_thinning(R: Relation[A], ys: Sequence[A], xs: Sequence[A]) -> bool:
    """Check the universal property: ys is a subsequence of xs that keeps or dominates every x.

    >>> is_thinning(lambda a, b: a <= b, [1], [3, 1, 2])
    True
    """
    rest = iter(xs)
    return all(y in rest for y in ys) and all(x in ys or any(R(y, x) for y in ys) for x in xs)


def fdom(ub: Value[A], lb: Value[A]) -> Relation[A]:
    """Finite dominance: fdom(a, b) = ub(a) <= lb(b), the worst of a is no worse than the best of b.

    Transitive if lb <= ub, for then ub(a) <= lb(b) <= ub(b) <= lb(c). Not reflexive unless lb = ub.

    >>> fdom(max, min)((1, 2), (2, 3))
    True
    """
    return lambda a, b: ub(a) <= lb(b)


def gubdom(best: Number, lb: Value[A]) -> Callable[[A], bool]:
    """Dominance by the global upper bound: gubdom(a) = ub* <= lb(a).

    >>> gubdom(2, min)((3, 4))
    True
    """
    return lambda a: best <= lb(a)


def thin_gub(incumbent: A, ub: Value[A], lb: Value[A], xs: Iterable[A]) -> list[A]:
    """Thin by the global upper bound: the incumbent first, then what may still be better.

    The incumbent is kept whatever the filter says of it. If its bounds are equal it dominates
    itself, and a filter alone would leave nothing.

    >>> thin_gub((2, 2), max, min, [(2, 2), (1, 5), (3, 4)])
    [(2, 2), (1, 5)]
    """
    dominated = gubdom(ub(incumbent), lb)
    return [incumbent, *filter_by(lambda a: not dominated(a), xs)]
