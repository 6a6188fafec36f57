"""Combinations, permutations and nested combinations, as lists of tuples.

Glossary
    k, K    the size of a combination; for nested ones, of the outer combination (rules in a tree)
    G       the size of the inner combinations (data points that define one rule)
    N       the number of data points, 0 .. N-1; n is the one being added
    css     inner combinations by size: css[j] lists those of size j
    ncss    nested combinations by size: ncss[k] lists those of k ranks
    rank    the position of an inner combination in revolving-door order; it does not depend on N

Everything is built one element at a time from the lists before that element. The printed loops
update the lists in place, which is why they must run downwards over the sizes; a new list of lists
made from the old one needs no such care.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import NamedTuple, TypeVar

A = TypeVar("A")


def kcombs(k: int, xs: Sequence[A]) -> list[tuple[A, ...]]:
    """List the combinations of exactly k elements, in the order of the elements.

    kcombs(0, xs) = [[]], kcombs(k, []) = [],
    kcombs(k, x:xs) = map (x:) kcombs(k-1, xs) ++ kcombs(k, xs)

    >>> kcombs(2, "abc")
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    _not_negative("the size of a combination", k)
    if k == 0:
        return [()]
    if k > len(xs):
        return []
    x, rest = xs[0], xs[1:]
    return [(x, *c) for c in kcombs(k - 1, rest)] + kcombs(k, rest)


def combs_upto(k: int, xs: Sequence[A]) -> list[list[tuple[A, ...]]]:
    """List the combinations of 0, 1, ... k elements by size: the paper's form of kcombs.

    css_j(xs ++ [x]) = css_j(xs) ++ map (++ [x]) css_{j-1}(xs)

    >>> combs_upto(2, "ab")
    [[()], [('a',), ('b',)], [('a', 'b')]]
    """
    _not_negative("the size of a combination", k)
    css: list[list[tuple[A, ...]]] = [[()], *([] for _ in range(k))]
    for x in xs:
        css = _extend(css, x)
    return css


def ins(r: A, ps: Sequence[Sequence[A]]) -> list[tuple[A, ...]]:
    """Insert r at every position of every partial permutation.

    ins(r, ps) = [take(i, p) ++ [r] ++ drop(i, p) | p <- ps, i <- [0 .. |p|]]

    >>> ins("r", ["ab"])
    [('r', 'a', 'b'), ('a', 'r', 'b'), ('a', 'b', 'r')]
    """
    return [(*p[:i], r, *p[i:]) for p in ps for i in range(len(p) + 1)]


def perms(rs: Sequence[A]) -> list[tuple[A, ...]]:
    """List the permutations: perms([]) = [[]], perms(r:rs) = ins(r, perms(rs)).

    >>> perms("ab")
    [('a', 'b'), ('b', 'a')]
    """
    return ins(rs[0], perms(rs[1:])) if rs else [()]


def kperms(k: int, xs: Sequence[A]) -> list[tuple[A, ...]]:
    """List the permutations of exactly k elements: kperms_k = concatMap perms . kcombs_k.

    >>> kperms(2, "ab")
    [('a', 'b'), ('b', 'a')]
    """
    return [p for c in kcombs(k, xs) for p in perms(c)]


def subs_pair(
    xs: Sequence[A], ys: Sequence[A] | None = None
) -> list[tuple[tuple[A, ...], tuple[A, ...]]]:
    """List every sublist of xs with what it leaves of ys (of xs itself if ys is not given).

    subsPair([], ys) = [([], ys)]
    subsPair(x:xs, ys) = subsPair(xs, ys) ++ [(x:as, bs / x) | (as, bs) <- subsPair(xs, ys)]

    >>> subs_pair([1, 2])
    [((), (1, 2)), ((2,), (1,)), ((1,), (2,)), ((1, 2), ())]
    """
    ys = xs if ys is None else ys
    if not xs:
        return [((), tuple(ys))]
    x, rest = xs[0], subs_pair(xs[1:], ys)
    return rest + [((x, *a), _without(b, x)) for a, b in rest]


def set_empty(g: int, xss: Sequence[list[A]]) -> list[list[A]]:
    """Empty the list at place g: setEmpty(g, xss).

    >>> set_empty(1, [[1], [2], [3]])
    [[1], [], [3]]
    """
    if not 0 <= g < len(xss):
        raise ValueError(f"there is no list at place {g}, only 0 to {len(xss) - 1}")
    return [*xss[:g], [], *xss[g + 1 :]]


def add_point(css: list[list[tuple[int, ...]]], n: int) -> list[list[tuple[int, ...]]]:
    """Let the combinations of points 0 .. n-1 grow by point n, in revolving-door order.

    css_j(n+1) = css_j(n) ++ reverse(map (++ [n]) css_{j-1}(n))

    >>> add_point([[()], [(0,), (1,)], [(0, 1)]], 2)
    [[()], [(0,), (1,), (2,)], [(0, 1), (1, 2), (0, 2)]]
    """
    news = [[(*c, n) for c in reversed(smaller)] for smaller in css[:-1]]
    return [css[0], *(old + new for old, new in zip(css[1:], news, strict=True))]


def revolving_door(g: int, n: int) -> list[tuple[int, ...]]:
    """List the g-combinations of 0 .. n-1 so that neighbours exchange one element.

    >>> revolving_door(2, 4)
    [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (0, 3)]
    """
    _not_negative("the size of a combination", g)
    _not_negative("the number of points", n)
    css: list[list[tuple[int, ...]]] = [[()], *([] for _ in range(g))]
    for i in range(n):
        css = add_point(css, i)
    return css[g]


def rank(c: Sequence[int]) -> int:
    """Find the place of an ascending combination in revolving-door order.

    rank([]) = 0, rank(c ++ [m]) = C(m+1, G) - 1 - rank(c): the C(m, G) combinations of smaller
    points come first, then those with m in the reverse order of what is left.

    >>> [rank(c) for c in revolving_door(2, 4)]
    [0, 1, 2, 3, 4, 5]
    """
    if any(a >= b for a, b in zip([-1, *c], c, strict=False)):
        raise ValueError(f"a combination is ascending and not negative, this one is {tuple(c)}")
    return comb(c[-1] + 1, len(c)) - 1 - rank(c[:-1]) if c else 0


def unrank(g: int, r: int) -> tuple[int, ...]:
    """Find the g-combination at place r of the revolving-door order.

    unrank(0, 0) = [], unrank(G, r) = unrank(G-1, C(m+1, G) - 1 - r) ++ [m], m the largest with
    C(m, G) <= r.

    >>> unrank(2, 3)
    (2, 3)
    """
    _not_negative("the size of a combination", g)
    _not_negative("the rank", r)
    if g == 0 and r > 0:
        raise ValueError(f"there is one combination of no elements, so no rank {r}")
    if g == 0:
        return ()
    m = g - 1
    while comb(m + 1, g) <= r:
        m += 1
    return (*unrank(g - 1, comb(m + 1, g) - 1 - r), m)


class Family(NamedTuple):
    """A family of rules in a mixed problem: G points each, and how many rules those points define.

    Axis-parallel rules have G = 1 and one copy for every coordinate; surfaces one copy, or 2^G if
    their points may fall on either side.
    """

    name: str
    g: int
    copies: int = 1


def nested_combs(k: int, g: int, n: int) -> list[tuple[int, ...]]:
    """List the k-combinations of ranks of g-combinations of n points: Algorithm 1.

    nestedCombs(K, G) = kcombs(K) . !(G) . kcombs(G), with ranks in place of the inner combinations

    >>> nested_combs(2, 2, 3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return nested_combs_mixed(k, [Family("surface", g)], n)


def nested_combs_mixed(k: int, families: Sequence[Family], n: int) -> list[tuple[int, ...]]:
    """List the k-combinations of rules of several families over n points: Algorithm 2.

    nestedCombs'(K, Gs) = kcombs(K) . !!(Gs) . kcombs(max Gs), with indices as `locate` reads them

    >>> nested_combs_mixed(1, [Family("axis", 1, 2), Family("line", 2)], 2)
    [(0,), (1,), (2,), (3,), (4,)]
    """
    return [c for finished in nested_steps(k, families, n) for c in finished]


def nested_steps(k: int, families: Sequence[Family], n: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield the nested combinations that each point completes; none is kept afterwards.

    First comes what needs no point at all, the empty combination if k = 0. The rules that point i
    adds to a family have the ranks C(i, G) .. C(i+1, G) - 1. A list is emptied once it is used: the
    largest inner combinations after their ranks are known, the finished outer ones after the yield.

    >>> list(nested_steps(1, [Family("line", 2)], 3))
    [[], [], [(0,)], [(1,), (2,)]]
    """
    _check_nested(k, families, n)
    first = offsets(families, n)
    largest = max(f.g for f in families)
    css: list[list[tuple[int, ...]]] = [[()], *([] for _ in range(largest))]
    ncss: list[list[tuple[int, ...]]] = [[()], *([] for _ in range(k))]
    yield ncss[k]
    for i in range(n):
        ncss = set_empty(k, ncss)
        css = add_point(set_empty(largest, css), i)
        for rule in _new_rules(families, first, css, i):
            ncss = _extend(ncss, rule)
        yield ncss[k]


def offsets(families: Sequence[Family], n: int) -> dict[str, int]:
    """Number the rules family by family: the first index of each.

    offset(F) = sum of copies(F') * C(N, G(F')) over the families F' before F

    >>> offsets([Family("axis", 1, 2), Family("line", 2)], 5)
    {'axis': 0, 'line': 10}
    """
    first, start = {}, 0
    for f in families:
        first[f.name] = start
        start += f.copies * comb(n, f.g)
    return first


def locate(index: int, families: Sequence[Family], n: int) -> tuple[str, tuple[int, ...], int]:
    """Read an index of a mixed problem: its family, its points, and which copy it is.

    >>> locate(11, [Family("axis", 1, 2), Family("line", 2)], 5)
    ('line', (1, 2), 0)
    """
    _not_negative("the index of a rule", index)
    r = index
    for f in families:
        if r < f.copies * comb(n, f.g):
            return f.name, unrank(f.g, r // f.copies), r % f.copies
        r -= f.copies * comb(n, f.g)
    raise ValueError(f"there is no rule {index}, only 0 to {index - r - 1}")


def _extend(css: list[list[tuple[A, ...]]], x: A) -> list[list[tuple[A, ...]]]:
    """Let the combinations grow by x, in the order of the elements."""
    pairs = zip(css[1:], css[:-1], strict=True)
    return [css[0], *(old + [(*c, x) for c in smaller] for old, smaller in pairs)]


def _new_rules(
    families: Sequence[Family],
    first: dict[str, int],
    css: list[list[tuple[int, ...]]],
    i: int,
) -> list[int]:
    """The indices of the rules whose largest point is i, in the order of the families."""
    return [
        first[f.name] + rank(c) * f.copies + copy
        for f in families
        for c in css[f.g]
        if c[-1] == i
        for copy in range(f.copies)
    ]


def _check_nested(k: int, families: Sequence[Family], n: int) -> None:
    _not_negative("the size of a combination", k)
    _not_negative("the number of points", n)
    if not families:
        raise ValueError("a mixed problem needs at least one family of rules")
    if len({f.name for f in families}) < len(families):
        raise ValueError(f"two families have one name: {[f.name for f in families]}")
    for f in families:
        if f.g < 1 or f.copies < 1:
            raise ValueError(f"a rule needs at least one point and one copy: {f}")


def _without(xs: tuple[A, ...], x: A) -> tuple[A, ...]:
    """Take the first x out: xs / x."""
    i = xs.index(x)
    return (*xs[:i], *xs[i + 1 :])


def _not_negative(what: str, value: int) -> None:
    if value < 0:
        raise ValueError(f"{what} must not be negative, it is {value}")
