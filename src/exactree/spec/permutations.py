"""Trees as permutations of their rules: the first search space of the paper.

Glossary
    rs, r        rules; rs+ and rs- those whose owners lie in r+ and in r-
    K_ij         the ancestry relation: +1 / -1 if r_j may stand left / right below r_i, else 0
    permutation  the rules of a tree in an order in which it can be built from the root downwards
    valid        a permutation is valid if it stands for a proper tree
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import factorial, perm
from typing import TypeVar

from exactree.spec.ancestry import relation
from exactree.spec.combinatorics import kperms, perms
from exactree.spec.data import Rule, Samples, sides
from exactree.spec.limits import MAX_TREES, check_size, check_splits
from exactree.spec.select import filter_by
from exactree.spec.tree import Leaf, Node, Tree, size

DTree = Tree[Rule, Samples]
Rules = tuple[Rule, ...]
A = TypeVar("A")


def parts(r: Rule, rs: Rules) -> tuple[Rules, Rules]:
    """Part rules by the side of r that they belong to; those with K = 0 are in neither part.

    rs+- = [r_j | r_j <- rs, K_ij = +-1]

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> parts(a, (b,)) == ((), (b,))
    True
    """
    return tuple(s for s in rs if relation(r, s) == 1), tuple(s for s in rs if relation(r, s) == -1)


def tree_of_permutation(xs: Samples, rs: Rules) -> list[DTree]:
    """Build the one tree that a permutation of rules stands for, or none if it is not valid.

    The first rule is the root; each other rule goes to the side of the root that it belongs to, in
    its order. A permutation is valid if no rule meets a root to which it has no relation.

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> [t.rule == a and t.right.rule == b for t in tree_of_permutation((), (a, b))]
    [True]
    """
    if not rs:
        return [Leaf(xs)]
    root, rest = rs[0], rs[1:]
    positive, negative = parts(root, rest)
    if len(positive) + len(negative) < len(rest):
        return []
    left, right = sides(xs, root)
    return [
        Node(u, root, v)
        for u in tree_of_permutation(left, positive)
        for v in tree_of_permutation(right, negative)
    ]


def is_valid(rs: Rules) -> bool:
    """Tell whether a permutation of rules stands for a proper tree: the p of filter_p.

    >>> a, b = Rule(frozenset({0, 1}), (0, 1)), Rule(frozenset({0, 2}), (1, 2))
    >>> is_valid((a,)), is_valid((a, b)), is_valid((b, a))
    (True, False, False)
    """
    return bool(tree_of_permutation((), rs))


def shuffles(xs: Sequence[A], ys: Sequence[A]) -> list[tuple[A, ...]]:
    """List all ways to merge two lists that keep the order of each.

    >>> shuffles("ab", "x")
    [('a', 'b', 'x'), ('a', 'x', 'b'), ('x', 'a', 'b')]
    """
    n = len(xs) + len(ys)
    merged = []
    for places in combinations(range(n), len(xs)):
        first, second = iter(xs), iter(ys)
        merged.append(tuple(next(first) if i in places else next(second) for i in range(n)))
    return merged


def permutations_of_tree(tree: DTree) -> list[Rules]:
    """List the permutations that stand for a tree: its root, then any merge of its two sides'.

    >>> a, b, c = (Rule(frozenset(), (), form) for form in "abc")
    >>> t = Node(Node(Leaf(()), b, Leaf(())), a, Node(Leaf(()), c, Leaf(())))
    >>> ["".join(r.form for r in rs) for rs in permutations_of_tree(t)]
    ['abc', 'acb']
    """
    if isinstance(tree, Leaf):
        return [()]
    return [
        (tree.rule, *merged)
        for us in permutations_of_tree(tree.left)
        for vs in permutations_of_tree(tree.right)
        for merged in shuffles(us, vs)
    ]


def n_permutations(tree: DTree) -> int:
    """Count the permutations that stand for a tree: K! / product of the sizes of its subtrees.

    >>> n_permutations(Node(Leaf(()), Rule(frozenset(), ()), Leaf(())))
    1
    """
    return factorial(size(tree)) // _product_of_sizes(tree)


def _product_of_sizes(tree: DTree) -> int:
    if isinstance(tree, Leaf):
        return 1
    return size(tree) * _product_of_sizes(tree.left) * _product_of_sizes(tree.right)


def gen_dts_kperms(rs: Rules, *, max_trees: int | None = MAX_TREES) -> list[Rules]:
    """List the valid permutations of all rules: genDTs_kperms = filter_p . perms.

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> len(gen_dts_kperms((a, b)))
    2
    """
    check_size(f"the space of all {len(rs)} rules", factorial(len(rs)), max_trees)
    return filter_by(is_valid, perms(rs))


def gen_dtss_kperms(k: int, rs: Rules, *, max_trees: int | None = MAX_TREES) -> list[Rules]:
    """List the valid K-permutations: genDTSs_kperms(K) = filter_p . kperms_K.

    >>> a, b = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> gen_dtss_kperms(1, (a, b)) == [(a,), (b,)]
    True
    """
    check_splits(k, len(rs))
    check_size(f"the space of {k}-permutations of {len(rs)} rules", perm(len(rs), k), max_trees)
    return filter_by(is_valid, kperms(k, rs))


def gen_dts_by_kperms(xs: Samples, rs: Rules, *, max_trees: int | None = MAX_TREES) -> list[DTree]:
    """List the trees of the valid permutations of all rules, a tree once for each of them.

    >>> gen_dts_by_kperms((), ())
    [Leaf(value=())]
    """
    permutations = gen_dts_kperms(rs, max_trees=max_trees)
    return [t for permutation in permutations for t in tree_of_permutation(xs, permutation)]
