"""The decision tree datatype of the paper, its map and its folds.

Glossary
    DTree(A, B) = DL(B) | DN(DTree, A, DTree)   a tree with rules of type A and leaves of type B
    DL(b)        Leaf(b)
    DN(u, r, v)  Node(u, r, v): u is the left subtree, where r holds (r+), v the right one (r-)
    size         the number of splits (branch nodes) K; a tree has K + 1 leaves
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Leaf(Generic[B]):
    """DL(b): a leaf that carries b (in the generators: the list of samples that reach it)."""

    value: B


@dataclass(frozen=True, slots=True)
class Node(Generic[A, B]):
    """DN(u, r, v): a rule r with the subtree u of its positive and v of its negative side."""

    left: Tree[A, B]
    rule: A
    right: Tree[A, B]


# Node first: a generic alias takes its parameters in order of appearance, here A then B.
Tree = Node[A, B] | Leaf[B]


def fold_tree(leaf: Callable[[B], C], node: Callable[[C, A, C], C], tree: Tree[A, B]) -> C:
    """Replace the constructors: fold(DL(b)) = leaf(b), fold(DN(u,r,v)) = node(fold(u), r, fold(v)).

    >>> fold_tree(lambda b: b, lambda u, r, v: u + v, Node(Leaf(1), "r", Leaf(2)))
    3
    """
    if isinstance(tree, Leaf):
        return leaf(tree.value)
    return node(fold_tree(leaf, node, tree.left), tree.rule, fold_tree(leaf, node, tree.right))


def map_tree(f: Callable[[B], C], tree: Tree[A, B]) -> Tree[A, C]:
    """Apply f to every leaf: mapD(f, DL(b)) = DL(f(b)), mapD(f, DN(u,r,v)) = DN(mapD u, r, mapD v).

    >>> map_tree(len, Node(Leaf("ab"), "r", Leaf("c")))
    Node(left=Leaf(value=2), rule='r', right=Leaf(value=1))
    """
    if isinstance(tree, Leaf):
        return Leaf(f(tree.value))
    return Node(map_tree(f, tree.left), tree.rule, map_tree(f, tree.right))


def size(tree: Tree[A, B]) -> int:
    """Count the splits: size(DL) = 0, size(DN(u,r,v)) = size(u) + 1 + size(v).

    >>> size(Node(Leaf(0), "r", Leaf(1)))
    1
    """
    return fold_tree(lambda _: 0, lambda u, _, v: u + 1 + v, tree)


def depth(tree: Tree[A, B]) -> int:
    """Count the splits on the longest path: depth(DL) = 0, depth(DN(u,r,v)) = 1 + max.

    >>> depth(Node(Node(Leaf(0), "s", Leaf(1)), "r", Leaf(1)))
    2
    """
    if isinstance(tree, Leaf):
        return 0
    return 1 + max(depth(tree.left), depth(tree.right))


def leaves(tree: Tree[A, B]) -> list[B]:
    """List what the leaves carry, from left to right.

    >>> leaves(Node(Leaf("a"), "r", Leaf("b")))
    ['a', 'b']
    """
    return fold_tree(lambda b: [b], lambda u, _, v: u + v, tree)


def rules(tree: Tree[A, B]) -> list[A]:
    """List the rules, root first, then those of the left and of the right subtree.

    >>> rules(Node(Node(Leaf(0), "s", Leaf(1)), "r", Leaf(1)))
    ['r', 's']
    """
    if isinstance(tree, Leaf):
        return []
    return [tree.rule, *rules(tree.left), *rules(tree.right)]
