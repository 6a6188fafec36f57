"""Constraints on trees: separable filters, which a recursion applies, and budgets, which it counts.

Glossary
    p       a predicate on trees
    q       its part for one split: a predicate on the rule and the samples of both sides
    xs+/-   the samples on the positive and the negative side of a split
    N_min   the least number of samples on each side of a split

A predicate is separable if p(DN(u, r, v)) = p(u) and p(v) and q(r, xs+, xs-): whether two
admissible subtrees may stand below a split depends on the samples alone, not on which subtrees they
are. Only such a filter may be fused with a minimum inside the recursion. Prefix-closed, as the
paper has it, is not enough: size and depth are prefix-closed, yet the best subtrees may exceed the
limit together where slightly worse ones would not. They are budgets: arguments of the recursion,
plain predicates here. With labels `1 0*10 1*10 0*10 1` on a line, depth <= 2 and at most two
splits, filtering inside the recursion answers 10 errors and the budget 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from exactree.spec.data import Number, Rule, Samples
from exactree.spec.tree import Leaf, Tree, depth, leaves, size

Predicate = Callable[[Tree[Rule, Samples]], bool]


def any_split(r: Rule, positive: Samples, negative: Samples) -> bool:
    """Allow every split: q = True.

    >>> any_split(Rule(frozenset(), ()), (), ())
    True
    """
    return True


def any_leaf(xs: Samples) -> bool:
    """Allow every leaf.

    >>> any_leaf(())
    True
    """
    return True


@dataclass(frozen=True)
class Constraint:
    """A separable filter: p(DL(xs)) = leaf(xs), p(DN(u,r,v)) = p(u) and p(v) and q(r, xs+, xs-).

    `split` is q.
    """

    name: str
    split: Callable[[Rule, Samples, Samples], bool] = any_split
    leaf: Callable[[Samples], bool] = any_leaf

    def __call__(self, tree: Tree[Rule, Samples]) -> bool:
        """Tell whether a tree whose leaves carry the samples that reach them satisfies p.

        >>> min_leaf(2)(Leaf(()))
        True
        """
        if isinstance(tree, Leaf):
            return self.leaf(tree.value)
        u, v = tree.left, tree.right
        return self(u) and self(v) and self.split(tree.rule, reaching(u), reaching(v))


def reaching(tree: Tree[Rule, Samples]) -> Samples:
    """Gather the samples of all leaves, by index.

    >>> reaching(Leaf(()))
    ()
    """
    return tuple(sorted((x for xs in leaves(tree) for x in xs), key=lambda x: x.index))


ANY_TREE = Constraint("any tree")


def min_leaf(n: int) -> Constraint:
    """At least n samples on each side of every split; the single leaf is always allowed.

    q(r, xs+, xs-) = |xs+| >= N_min and |xs-| >= N_min; samples are counted, not weighed.

    >>> from exactree.spec.data import Sample
    >>> a, b = Sample(0, (0,), 0), Sample(1, (1,), 1)
    >>> min_leaf(1).split(Rule(frozenset({0}), ()), (a,), (b,))
    True
    """
    _not_negative("the least number of samples in a leaf", n)
    return Constraint(f"min_leaf({n})", lambda r, p, m: len(p) >= n and len(m) >= n)


def min_leaf_weight(w: Number) -> Constraint:
    """At least the weight w on each side of every split; the single leaf is always allowed.

    >>> min_leaf_weight(1).split(Rule(frozenset(), ()), (), ())
    False
    """
    _not_negative("the least weight in a leaf", w)
    return Constraint(
        f"min_leaf_weight({w})",
        lambda r, p, m: min(sum(x.w for x in p), sum(x.w for x in m)) >= w,
    )


def only_rules(allowed: Iterable[Rule]) -> Constraint:
    """Split by the allowed rules alone: q(r, xs+, xs-) = r in allowed.

    >>> only_rules([]).split(Rule(frozenset(), ()), (), ())
    False
    """
    rs = frozenset(allowed)
    return Constraint(f"only_rules({len(rs)} rules)", lambda r, p, m: r in rs)


def max_leaf_cost(f: Callable[[Samples], Number], limit: Number) -> Constraint:
    """Leaves of a cost up to the limit: p(DL(xs)) = f(xs) <= limit; there may be no such tree.

    >>> max_leaf_cost(len, 0).leaf(())
    True
    """
    return Constraint(f"max_leaf_cost({limit})", leaf=lambda xs: f(xs) <= limit)


def both(a: Constraint, b: Constraint) -> Constraint:
    """Both of two constraints; separable filters are closed under conjunction.

    >>> both(min_leaf(1), min_leaf(2)).name
    'min_leaf(1) and min_leaf(2)'
    """
    return Constraint(
        f"{a.name} and {b.name}",
        lambda r, p, m: a.split(r, p, m) and b.split(r, p, m),
        lambda xs: a.leaf(xs) and b.leaf(xs),
    )


def max_size(k: int) -> Predicate:
    """At most k splits, a budget: p(t) = size(t) <= k.

    >>> max_size(0)(Leaf(()))
    True
    """
    _not_negative("the budget of splits", k)
    return lambda t: size(t) <= k


def max_depth(d: int) -> Predicate:
    """At most d splits on every path, a budget: p(t) = depth(t) <= d.

    >>> max_depth(0)(Leaf(()))
    True
    """
    _not_negative("the budget of depth", d)
    return lambda t: depth(t) <= d


def is_prefix_closed(p: Predicate, trees: Iterable[Tree[Rule, Samples]]) -> bool:
    """Check p(DN(u, r, v)) => p(u) and p(v) on the given trees.

    >>> is_prefix_closed(max_size(3), [Leaf(())])
    True
    """
    return all(isinstance(t, Leaf) or not p(t) or (p(t.left) and p(t.right)) for t in trees)


def _not_negative(what: str, value: Number) -> None:
    if value < 0:
        raise ValueError(f"{what} must not be negative, it is {value}")
