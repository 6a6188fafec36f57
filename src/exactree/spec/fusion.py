"""Filters and bounds moved inside the recursion, in the form in which that is sound.

Glossary
    xs, rs, r   samples, rules, a rule
    E, p        the objective, a predicate on trees
    update      lets a rule sink into a tree to the leaf that its owners lie in
    lb, ub      bounds on the cost of a best tree of depth at most d on some samples
    incumbent   the best tree so far; its cost is ub*

Where the minimum is inside the recursion (`sodt_rec`, `odt_bf`, `odt_depth`), only a separable
filter may be there too: the `constraint` of those programs. The sequential programs have no
minimum inside. There p(update(r, t)) => p(t) is enough: what is dropped early would be dropped in
the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from exactree.spec.constraints import Predicate
from exactree.spec.data import Number, Rule, Samples
from exactree.spec.generators import (
    DTree,
    GenSplits,
    Rules,
    candidates,
    check_all_rules,
    gen_dts_vec,
    unique,
    update,
    updates,
)
from exactree.spec.limits import (
    MAX_SUBPROBLEMS,
    MAX_TREES,
    as_objective,
    check_budget,
    check_subproblems,
)
from exactree.spec.objectives import Objective
from exactree.spec.permutations import gen_dts_by_kperms, tree_of_permutation
from exactree.spec.programs import Valued, least, partings
from exactree.spec.select import fdom, filter_by, gubdom, min_by, thin_by
from exactree.spec.tree import Leaf, Node

Bound = Callable[[int, Samples], Number]
Parting = tuple[Samples, Rule, Samples]


def is_update_closed(p: Predicate, rs: Iterable[Rule], trees: Iterable[DTree]) -> bool:
    """Check p(update(r, t)) => p(t), what the sequential filter fusion needs, on rules and trees.

    >>> r = Rule(frozenset({0}), (0,))
    >>> is_update_closed(lambda t: t == Leaf(()), [r], [Leaf(())])
    True
    >>> is_update_closed(lambda t: t != Leaf(()), [r], [Leaf(())])
    False
    """
    grown = [(t, update(r, t)) for t in trees for r in rs]
    return all(p(t) for t, after in grown if after is not None and p(after))


def gen_filt_vec(
    xs: Samples, rs: Rules, p: Predicate, *, max_trees: int | None = MAX_TREES
) -> list[DTree]:
    """Filter while trees grow: filter_p . genDTs_vec(xs), with the filter after every rule.

    >>> gen_filt_vec((), (), lambda t: False)
    []
    """
    check_all_rules(len(rs), max_trees, gen_dts_vec)
    if not rs:
        return filter_by(p, [Leaf(xs)])
    grown = ((r, gen_filt_vec(xs, rest, p, max_trees=None)) for r, rest in candidates(rs))
    return unique(filter_by(p, [t for r, trees in grown for t in updates(r, trees)]))


def sodt_filt_vec(
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    p: Predicate,
    *,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best admissible tree: min_E . filter_p . genDTs_vec(xs), the filter fused.

    >>> sodt_filt_vec((), (), "zero_one", lambda t: True)
    [Leaf(value=())]
    """
    return min_by(as_objective(e), gen_filt_vec(xs, rs, p, max_trees=max_trees))


def gen_filt_kperms(
    xs: Samples, rs: Rules, p: Predicate, *, max_trees: int | None = MAX_TREES
) -> list[Rules]:
    """Filter while permutations grow at their end, by validity and by p.

    The first rules of a valid permutation are a valid permutation, so validity may be fused with
    appending. It may not be fused with the paper's `ins`: without a root that parts them, rules
    need not be a valid permutation.

    >>> gen_filt_kperms((), (), lambda t: True)
    [()]
    """
    check_all_rules(len(rs), max_trees, gen_dts_by_kperms)
    if not rs:
        return [()] if p(Leaf(xs)) else []
    return [
        (*first, r)
        for r, rest in candidates(rs)
        for first in gen_filt_kperms(xs, rest, p, max_trees=None)
        if any(p(t) for t in tree_of_permutation(xs, (*first, r)))
    ]


def sodt_filt_kperms(
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    p: Predicate,
    *,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best admissible tree: min_E . filter_p . perms, the filters fused.

    >>> sodt_filt_kperms((), (), "zero_one", lambda t: True)
    [Leaf(value=())]
    """
    permutations = gen_filt_kperms(xs, rs, p, max_trees=max_trees)
    return min_by(as_objective(e), [t for q in permutations for t in tree_of_permutation(xs, q)])


def odt_thin_fdom(
    d: int,
    xs: Samples,
    gen_splits: GenSplits,
    e: Objective | str,
    lb: Bound,
    ub: Bound,
    *,
    max_subproblems: int | None = MAX_SUBPROBLEMS,
) -> DTree:
    """Find a best tree of depth at most d, without the splits that another one dominates.

    min_E . mapL_f . thin_fdom, on splits bounded by g(lb(d-1, xs+), lb(d-1, xs-)), likewise ub

    g is non-decreasing, so the bounds of the sides give bounds of f(r), the best tree with the root
    r, and fdom(r, s) => E(f(r)) <= E(f(s)): both laws of thinning hold. A leaf may stand anywhere,
    for an upper bound is one only if some tree attains it, and a side may have no perfect tree.

    >>> odt_thin_fdom(1, (), lambda _: [], "zero_one", lambda d, ys: 0, lambda d, ys: 9)
    Leaf(value=())
    """
    check_budget("the depth", d)
    e = as_objective(e)

    @cache
    def best(d: int, xs: Samples) -> Valued:
        check_subproblems(best.cache_info().currsize, max_subproblems)
        found: list[Valued] = [(e.leaf(xs), Leaf(xs))]
        if d == 0:
            return found[0]
        dominates = fdom(_of_split(d, e, ub), _of_split(d, e, lb))
        for left, r, right in thin_by(dominates, partings(xs, gen_splits)):
            (a, u), (b, v) = best(d - 1, left), best(d - 1, right)
            found.append((e.combine(a, b), Node(u, r, v)))
        return least(found)[0]

    return best(d, xs)[1]


def odt_thin_gub(
    d: int,
    xs: Samples,
    gen_splits: GenSplits,
    e: Objective | str,
    lb: Bound,
    *,
    incumbent: DTree | None = None,
    max_subproblems: int | None = MAX_SUBPROBLEMS,
) -> DTree:
    """Find a best tree of depth at most d, without the splits that cannot beat the incumbent.

    The incumbent is kept: it answers when every split is dropped, even those that would tie with
    it. A side starts from its own leaf, not from the incumbent above it, so that its answer depends
    on its samples and depth alone and may be stored.

    >>> odt_thin_gub(1, (), lambda _: [], "zero_one", lambda d, ys: 0)
    Leaf(value=())
    """
    check_budget("the depth", d)
    e = as_objective(e)

    def improve(d: int, xs: Samples, start: Valued) -> Valued:
        best = least([start, (e.leaf(xs), Leaf(xs))])[0]
        for left, r, right in partings(xs, gen_splits) if d > 0 else []:
            if gubdom(best[0], _of_split(d, e, lb))((left, r, right)):
                continue
            (a, u), (b, v) = solve(d - 1, left), solve(d - 1, right)
            best = least([best, (e.combine(a, b), Node(u, r, v))])[0]
        return best

    @cache
    def solve(d: int, xs: Samples) -> Valued:
        check_subproblems(solve.cache_info().currsize, max_subproblems)
        return improve(d, xs, (e.leaf(xs), Leaf(xs)))

    start: DTree = Leaf(xs) if incumbent is None else incumbent
    return improve(d, xs, (e(start), start))[1]


def _of_split(d: int, e: Objective, bound: Bound) -> Callable[[Parting], Number]:
    """Bound the best tree of depth d under a split by the bounds of its two sides."""
    return lambda parting: e.combine(bound(d - 1, parting[0]), bound(d - 1, parting[2]))
