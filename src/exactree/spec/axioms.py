"""The four axioms of a proper decision tree, as predicates.

Two of them are read more narrowly than the paper words them. Transitivity (3) is a property of the
rules along the paths of one tree: over a list of rules it fails for lines, and for two rules that
may each stand above the other it would contradict the uniqueness of ancestry (4). And whether the
two sides of a rule are connected (1) is a question about the family, not about a tree: it fails
for surfaces of degree two and more, whose trees are used all the same.

Glossary
    xs       the samples that reach the root
    r, r+-   a rule and its two sides
    K_ij     the ancestry relation (see `ancestry`): not zero if ri may stand above rj
    region   the samples that reach a node: the intersection of the sides on the path to it
    above    the pairs (ri, rj) of a tree in which ri is an ancestor of rj
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from exactree.spec.ancestry import left, relation, right
from exactree.spec.data import Rule, Samples, sides
from exactree.spec.rules import Family, each_family
from exactree.spec.tree import Leaf, Tree, rules

SampleTree = Tree[Rule, Samples]


def ambient_partition(xs: Samples, r: Rule) -> bool:
    """Axiom 1: r is decided on xs, so that r+ and r- are disjoint and together are xs.

    >>> from exactree.spec.data import Sample
    >>> ambient_partition((Sample(0, (1,), 0),), Rule(frozenset({0}), (0,)))
    True
    >>> ambient_partition((Sample(0, (1,), 0),), Rule(frozenset({0, 5}), (0,)))
    False
    """
    return (r.positive | set(r.owners)) <= {s.index for s in xs}


def connected_sides(family: Family, dimension: int) -> bool:
    """Axiom 1, "connected": do all surfaces of the family leave two connected sides?

    Half-spaces do, and spheres from two dimensions on; the outside of a sphere on a line, and of a
    hyperbola, has two pieces.

    >>> connected_sides("hyperplane", 2), connected_sides("quadric", 2)
    (True, False)
    """
    half_spaces = ("axis", "binary", "hyperplane", ("polynomial", 1))
    return all(f in half_spaces or (f == "sphere" and dimension >= 2) for f in each_family(family))


def path_intersection(xs: Samples, tree: SampleTree) -> bool:
    """Axiom 2: each leaf L carries its region, the samples of the intersection of its path's sides.

    >>> from exactree.spec.tree import Node
    >>> from exactree.spec.data import Sample
    >>> a, b = Sample(0, (1,), 0), Sample(1, (2,), 1)
    >>> r = Rule(frozenset({0}), (0,))
    >>> path_intersection((a, b), Node(Leaf((a,)), r, Leaf((b,))))
    True
    >>> path_intersection((a, b), Node(Leaf((b,)), r, Leaf((a,))))
    False
    """
    if isinstance(tree, Leaf):
        return tree.value == xs
    positive, negative = sides(xs, tree.rule)
    return path_intersection(positive, tree.left) and path_intersection(negative, tree.right)


def above(tree: SampleTree) -> list[tuple[Rule, Rule]]:
    """List the pairs (ri, rj) in which ri is an ancestor of rj.

    >>> from exactree.spec.tree import Node
    >>> r, s = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> above(Node(Node(Leaf(()), r, Leaf(())), s, Leaf(()))) == [(s, r)]
    True
    """
    if isinstance(tree, Leaf):
        return []
    below = [*rules(tree.left), *rules(tree.right)]
    return [*((tree.rule, r) for r in below), *above(tree.left), *above(tree.right)]


def transitive(tree: SampleTree) -> bool:
    """Axiom 3, part I, on paths: ri above rj above rk, K_ij != 0 and K_jk != 0 give K_ik != 0.

    >>> from exactree.spec.tree import Node
    >>> transitive(Node(Leaf(()), Rule(frozenset({0}), (0,)), Leaf(())))
    True
    """
    return _closed([p for p in above(tree) if _related(*p)])


def transitive_over_list(rs: Sequence[Rule]) -> bool:
    """Axiom 3, part I, in the paper's wording: the same for any three rules, in a tree or not.

    Not part of `is_proper`: lines break it, and so do two rules that may each be above the other.

    >>> transitive_over_list([Rule(frozenset({0, 1}), (1,)), Rule(frozenset({0}), (0,))])
    False
    """
    return _closed([p for p in product(rs, rs) if _related(*p)])


def _related(ri: Rule, rj: Rule) -> bool:
    """Tell whether K_ij is not zero."""
    return left(ri, rj) or right(ri, rj)


def _closed(pairs: Sequence[tuple[Rule, Rule]]) -> bool:
    """Tell whether (i, j) and (j, k) among the pairs give (i, k)."""
    return all((i, k) in pairs for i, j in pairs for j2, k in pairs if j == j2)


def generated_within(tree: SampleTree) -> bool:
    """Axiom 3, part II: K_ij = +1 / -1 for each rj in the left / right subtree of ri.

    So the owners of every rule lie in the region of its node.

    >>> from exactree.spec.tree import Node
    >>> r, s = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> generated_within(Node(Node(Leaf(()), r, Leaf(())), s, Leaf(())))
    True
    >>> generated_within(Node(Leaf(()), s, Node(Leaf(()), r, Leaf(()))))
    False
    """
    if isinstance(tree, Leaf):
        return True
    return (
        all(relation(tree.rule, r) == 1 for r in rules(tree.left))
        and all(relation(tree.rule, r) == -1 for r in rules(tree.right))
        and generated_within(tree.left)
        and generated_within(tree.right)
    )


def unique_ancestry(rs: Sequence[Rule]) -> bool:
    """Axiom 4: of "rj left of ri", "right of ri" and "neither", one is true; K_ii = 0.

    Rules without owners (binary features) break it: they may stand on both sides.

    >>> unique_ancestry([Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))])
    True
    >>> unique_ancestry([Rule(frozenset({0}), ()), Rule(frozenset({0, 1}), ())])
    False
    """
    return not any(left(ri, rj) and right(ri, rj) for ri, rj in product(rs, rs))


def is_proper(tree: SampleTree, xs: Samples) -> bool:
    """Tell whether a tree on xs satisfies the four axioms (transitivity on its paths).

    Part II of the third axiom implies part I; both are asked for, as in the paper.

    >>> from exactree.spec.tree import Node
    >>> from exactree.spec.data import Sample
    >>> a, b = Sample(0, (1,), 0), Sample(1, (2,), 1)
    >>> is_proper(Node(Leaf((a,)), Rule(frozenset({0}), (0,)), Leaf((b,))), (a, b))
    True
    """
    rs = rules(tree)
    return (
        all(ambient_partition(xs, r) for r in rs)
        and path_intersection(xs, tree)
        and unique_ancestry(rs)
        and transitive(tree)
        and generated_within(tree)
    )
