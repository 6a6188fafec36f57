"""The search spaces of the paper as programs that list their trees.

Glossary
    xs           samples; xs+ and xs- those where a rule holds and where it does not
    rs, r        rules; rs+ and rs- those whose owners lie in r+ and in r-
    K_ij         the ancestry relation: +1 / -1 if r_j may stand left / right below r_i, else 0
    K, d         the number of splits (size) and the depth
    gen_splits   what makes the rules of a node from the samples that reach it

Five spaces: the permutations of `spec.permutations`; the recursion on the datatype (rec); one rule
after the other (vec); perfect trees of a depth, and trees of at most a depth; binary features (bf).
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial
from typing import Protocol

from exactree.spec.ancestry import relation
from exactree.spec.combinatorics import kcombs, subs_pair
from exactree.spec.data import Rule, Samples, sides
from exactree.spec.limits import (
    MAX_SUBPROBLEMS,
    MAX_TREES,
    check_budget,
    check_size,
    check_splits,
    check_subproblems,
)
from exactree.spec.permutations import parts
from exactree.spec.tree import Leaf, Node, Tree, map_tree

DTree = Tree[Rule, Samples]
Rules = tuple[Rule, ...]
GenSplits = Callable[[Samples], list[Rule]]


class GenTrees(Protocol):
    """A space of trees that use every rule of a list once."""

    def __call__(self, xs: Samples, rs: Rules, *, max_trees: int | None = MAX_TREES) -> list[DTree]:
        """List its trees, or refuse if there may be more than `max_trees`."""


def splits(rs: Rules) -> list[tuple[Rules, Rule, Rules]]:
    """List the rules that may be the root of all others, each with the two parts of the others.

    splits(rs) = [(rs+, r_i, rs-) | r_i <- rs, K_ij != 0 for all j != i],
    rs+- = [r_j | r_j <- rs, K_ij = +-1]

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> splits((a, b)) == [((), a, (b,)), ((a,), b, ())]
    True
    """
    return [
        (positive, r, negative)
        for i, r in enumerate(rs)
        for positive, negative in [parts(r, rs[:i] + rs[i + 1 :])]
        if len(positive) + len(negative) == len(rs) - 1
    ]


def restrict(tree: DTree, xs: Samples) -> DTree:
    """Intersect every leaf with the samples: mapD_(cap xs)(t).

    >>> from exactree.spec.data import Sample
    >>> restrict(Leaf((Sample(0, (1,), 0),)), ())
    Leaf(value=())
    """
    return map_tree(lambda ys: tuple(y for y in ys if y in xs), tree)


def stump(xs: Samples, r: Rule) -> DTree:
    """Split once: DN(DL(xs+), r, DL(xs-)).

    >>> stump((), Rule(frozenset(), ())).left
    Leaf(value=())
    """
    left, right = sides(xs, r)
    return Node(Leaf(left), r, Leaf(right))


# Recursion on the datatype


def gen_dts_rec(xs: Samples, rs: Rules, *, max_trees: int | None = MAX_TREES) -> list[DTree]:
    """List the proper trees that use every rule once, by their roots.

    genDTs_rec(xs, []) = [DL(xs)]
    genDTs_rec(xs, [r]) = [DN(DL(xs+), r, DL(xs-))]
    genDTs_rec(xs, rs) = [DN(mapD_(cap xs+)(u), r, mapD_(cap xs-)(v)) | (rs+, r, rs-) <- splits(rs),
                          u <- genDTs_rec(xs, rs+), v <- genDTs_rec(xs, rs-)]

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> [t.rule.owners for t in gen_dts_rec((), (a, b))]
    [(0,), (1,)]
    """
    check_all_rules(len(rs), max_trees, gen_dts_rec)
    if not rs:
        return [Leaf(xs)]
    if len(rs) == 1:
        return [stump(xs, rs[0])]
    return [
        Node(restrict(u, left), r, restrict(v, right))
        for positive, r, negative in splits(rs)
        for left, right in [sides(xs, r)]
        for u in gen_dts_rec(xs, positive, max_trees=None)
        for v in gen_dts_rec(xs, negative, max_trees=None)
    ]


# One rule after the other


def candidates(rs: Rules) -> list[tuple[Rule, Rules]]:
    """Take each rule out once: candidates(rs) = [(r, rs without r) | r <- rs].

    >>> [(r.form, len(rest)) for r, rest in candidates((Rule(frozenset(), (), "a"),))]
    [('a', 0)]
    """
    return [(r, rs[:i] + rs[i + 1 :]) for i, r in enumerate(rs)]


def update(r: Rule, tree: DTree) -> DTree | None:
    """Let a rule sink into a tree to the leaf that its owners lie in, or give None.

    update(r, DL(xs)) = DN(DL(xs+), r, DL(xs-))
    update(r, DN(u, s, v)) = DN(update(r, u), s, v) if K_sr = 1, DN(u, s, update(r, v)) if K_sr = -1

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> update(b, stump((), a)) == Node(Leaf(()), a, stump((), b))
    True
    >>> update(a, stump((), a)) is None
    True
    """
    if isinstance(tree, Leaf):
        return stump(tree.value, r)
    side = relation(tree.rule, r)
    if side == 0:
        return None
    below = update(r, tree.left if side == 1 else tree.right)
    if below is None:
        return None
    return Node(below, tree.rule, tree.right) if side == 1 else Node(tree.left, tree.rule, below)


def updates(r: Rule, trees: list[DTree]) -> list[DTree]:
    """Let a rule sink into every tree that can take it: catMaybes [update(r, t) | t <- ts].

    >>> r = Rule(frozenset(), ())
    >>> updates(r, [Leaf(())]) == [stump((), r)]
    True
    """
    return [t for t in (update(r, tree) for tree in trees) if t is not None]


def unique(trees: list[DTree]) -> list[DTree]:
    """Drop every tree that occurred before.

    >>> unique([Leaf(()), Leaf(())])
    [Leaf(value=())]
    """
    return list(dict.fromkeys(trees))


def gen_dts_vec(xs: Samples, rs: Rules, *, max_trees: int | None = MAX_TREES) -> list[DTree]:
    """List the proper trees that use every rule once, by the rule added last.

    genDTs_vec(xs, []) = [DL(xs)]
    genDTs_vec(xs, rs) = unique (concat [updates(r, genDTs_vec(xs, rs'))
                                         | (r, rs') <- candidates(rs)])

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> len(gen_dts_vec((), (a, b)))
    2
    """
    check_all_rules(len(rs), max_trees, gen_dts_vec)
    if not rs:
        return [Leaf(xs)]
    grown = ((r, gen_dts_vec(xs, rest, max_trees=None)) for r, rest in candidates(rs))
    return unique([t for r, trees in grown for t in updates(r, trees)])


# Depth


def gen_dtds_depth(
    d: int, xs: Samples, gen_splits: GenSplits, *, max_trees: int | None = MAX_TREES
) -> list[DTree]:
    """List the perfect trees of depth d; a split goes if one of its sides has no such tree.

    genDTDs_depth(0, xs) = [DL(xs)]
    genDTDs_depth(d, xs) = [DN(u, r, v) | r <- gen_splits(xs), u <- genDTDs_depth(d-1, xs+),
                            v <- genDTDs_depth(d-1, xs-)]

    >>> from exactree.spec.data import Sample
    >>> xs = tuple(Sample(i, (i,), 0) for i in range(3))
    >>> alone = lambda ys: [Rule(frozenset({y.index}), ()) for y in ys]
    >>> [len(gen_dtds_depth(d, xs, alone)) for d in range(3)]
    [1, 3, 6]
    """
    check_budget("the depth", d)
    check_size(f"the space of depth {d}", count_depth(d, xs, gen_splits, at_most=False), max_trees)
    return _depth(d, xs, gen_splits, at_most=False)


def gen_dtds_upto(
    d: int, xs: Samples, gen_splits: GenSplits, *, max_trees: int | None = MAX_TREES
) -> list[DTree]:
    """List the trees of depth at most d: a leaf may stand at every depth.

    This is not the union of the perfect trees of depth 0..d: a leaf may have a deep sibling. Rules
    that leave a side empty are left out; a leaf in their place costs no more.

    >>> from exactree.spec.data import Sample
    >>> xs = tuple(Sample(i, (i,), 0) for i in range(3))
    >>> alone = lambda ys: [Rule(frozenset({y.index}), ()) for y in ys]
    >>> [len(gen_dtds_upto(d, xs, alone)) for d in range(3)]
    [1, 4, 10]
    """
    check_budget("the depth", d)
    check_size(f"the space of depth {d}", count_depth(d, xs, gen_splits, at_most=True), max_trees)
    return _depth(d, xs, gen_splits, at_most=True)


def node_rules(xs: Samples, gen_splits: GenSplits, *, parting: bool) -> list[Rule]:
    """List the rules of a node, none if no sample reaches it; `parting` leaves out empty sides.

    >>> node_rules((), lambda _: [Rule(frozenset(), ())], parting=False)
    []
    """
    rs = gen_splits(xs) if xs else []
    return [r for r in rs if not parting or all(sides(xs, r))]


def _depth(d: int, xs: Samples, gen_splits: GenSplits, *, at_most: bool) -> list[DTree]:
    if d == 0:
        return [Leaf(xs)]
    leaf: list[DTree] = [Leaf(xs)] if at_most else []
    return leaf + [
        Node(u, r, v)
        for r in node_rules(xs, gen_splits, parting=at_most)
        for left, right in [sides(xs, r)]
        for u in _depth(d - 1, left, gen_splits, at_most=at_most)
        for v in _depth(d - 1, right, gen_splits, at_most=at_most)
    ]


def count_depth(d: int, xs: Samples, gen_splits: GenSplits, *, at_most: bool) -> int:
    """Count the trees of (at most) depth d without listing them.

    c(0, xs) = 1, c(d, xs) = [1 if at most] + sum over r of c(d-1, xs+) * c(d-1, xs-)

    >>> from exactree.spec.data import Sample
    >>> xs = tuple(Sample(i, (i,), 0) for i in range(3))
    >>> alone = lambda ys: [Rule(frozenset({y.index}), ()) for y in ys]
    >>> [count_depth(d, xs, alone, at_most=True) for d in range(3)]
    [1, 4, 10]
    """
    memo: dict[tuple[int, tuple[int, ...]], int] = {}

    def count(d: int, xs: Samples) -> int:
        key = d, tuple(x.index for x in xs)
        if d > 0 and key not in memo:
            check_subproblems(len(memo), MAX_SUBPROBLEMS)
            pairs = [sides(xs, r) for r in node_rules(xs, gen_splits, parting=at_most)]
            memo[key] = at_most + sum(count(d - 1, p) * count(d - 1, m) for p, m in pairs)
        return memo[key] if d > 0 else 1

    return count(d, xs)


# Binary features


def splits_bf(rs: Rules) -> list[tuple[Rules, Rules]]:
    """Part the rules left below a root in every way: splits_BF(rs) = subsPair(rs, rs).

    >>> splits_bf(())
    [((), ())]
    """
    return subs_pair(rs, rs)


def gen_dtbfs(xs: Samples, rs: Rules, *, max_trees: int | None = MAX_TREES) -> list[DTree]:
    """List the trees that use every binary feature once; any feature may stand anywhere.

    genDTBFs(xs, []) = [DL(xs)]
    genDTBFs(xs, rs) = [DN(mapD_(cap xs+)(u), r, mapD_(cap xs-)(v)) | (r, rs') <- candidates(rs),
                        (rs+, rs-) <- splits_BF(rs'),
                        u <- genDTBFs(xs, rs+), v <- genDTBFs(xs, rs-)]

    >>> [len(gen_dtbfs((), tuple(Rule(frozenset(), (), i) for i in range(k)))) for k in range(4)]
    [1, 1, 4, 30]
    """
    check_all_rules(len(rs), max_trees, gen_dtbfs)
    if not rs:
        return [Leaf(xs)]
    return [
        Node(restrict(u, left), r, restrict(v, right))
        for r, rest in candidates(rs)
        for left, right in [sides(xs, r)]
        for positive, negative in splits_bf(rest)
        for u in gen_dtbfs(xs, positive, max_trees=None)
        for v in gen_dtbfs(xs, negative, max_trees=None)
    ]


# Size-constrained spaces


def gen_dtss(
    k: int,
    xs: Samples,
    rs: Rules,
    gen_dts: GenTrees = gen_dts_rec,
    *,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """List the trees of exactly K splits: genDTSs(K) = concatMap_genDTs(xs) . kcombs(K).

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> [len(gen_dtss(k, (), (a, b))) for k in range(3)]
    [1, 2, 2]
    """
    check_size(f"the space of {k} splits", bound_size(k, len(rs), gen_dts), max_trees)
    return [t for chosen in kcombs(k, rs) for t in gen_dts(xs, chosen, max_trees=max_trees)]


def gen_dtss_upto(
    k: int,
    xs: Samples,
    rs: Rules,
    gen_dts: GenTrees = gen_dts_rec,
    *,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """List the trees of at most K splits, the union of the exact spaces of 0..K splits.

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> len(gen_dtss_upto(2, (), (a, b)))
    5
    """
    check_splits(k, len(rs))
    bound = sum(bound_size(i, len(rs), gen_dts) for i in range(k + 1))
    check_size(f"the space of at most {k} splits", bound, max_trees)
    sizes = range(k + 1)
    return [t for i in sizes for t in gen_dtss(i, xs, rs, gen_dts, max_trees=max_trees)]


def bound_size(k: int, n_rules: int, gen_dts: GenTrees = gen_dts_rec) -> int:
    """Bound the number of trees of K splits: C(R, K) K!, for binary features C(R, K) K! Catalan(K).

    >>> bound_size(2, 3), bound_size(2, 3, gen_dtbfs)
    (6, 12)
    """
    check_splits(k, n_rules)
    shapes = comb(2 * k, k) // (k + 1) if gen_dts is gen_dtbfs else 1
    return comb(n_rules, k) * factorial(k) * shapes


def check_all_rules(n_rules: int, max_trees: int | None, gen_dts: GenTrees) -> None:
    """Refuse to list the trees of all R rules if there may be more than `max_trees`.

    >>> check_all_rules(4, 23, gen_dts_rec)
    Traceback (most recent call last):
    ...
    ValueError: the space of all 4 rules may hold 24 trees, more than max_trees = 23; raise it, \
or pass None
    """
    bound = bound_size(n_rules, n_rules, gen_dts)
    check_size(f"the space of all {n_rules} rules", bound, max_trees)
