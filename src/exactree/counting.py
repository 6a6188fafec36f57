"""How many: rules of a family, sets of rules, trees of every search space.

Glossary
    N, D    the number of data points, and of their coordinates
    M, G    the degree of a surface, and how many points define one
    R, K    the number of rules to choose from, and of splits in a tree
    d       the depth of a tree

Exact integers throughout, whatever their size. Where a space depends on the data only through the
numbers named here there is a formula; where it depends on which samples go where, a recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from math import comb, factorial, prod
from typing import TypeVar

# The shape of a tree: None is a leaf, a pair is a split with its left and right subtree.
Shape = tuple["Shape", "Shape"] | None
S = TypeVar("S", bound=Hashable)
Partings = Callable[[S], Iterable[tuple[S, S]]]

FAMILIES = ("axis", "hyperplane", "sphere", "axis_quadric", "quadric", "polynomial")


def _at_least(least: int, **numbers: int) -> None:
    for name, value in numbers.items():
        if value < least:
            raise ValueError(f"{name} must be at least {least}, it is {value}")


# ---- rules -------------------------------------------------------------------------------------


def points_per_rule(family: str, n_features: int, degree: int = 2) -> int:
    """Count the points that define a surface: G, the dimension of the embedding.

    axis 1, hyperplane D, sphere D + 1, axis-aligned quadric 2 D, quadric C(D + 2, D) - 1,
    degree M: C(D + M, D) - 1

    >>> points_per_rule("polynomial", 2, degree=2)
    5
    """
    _at_least(1, n_features=n_features, degree=degree)
    points = {
        "axis": 1,
        "hyperplane": n_features,
        "quadric": comb(n_features + 2, n_features) - 1,
        "polynomial": comb(n_features + degree, n_features) - 1,
        "sphere": n_features + 1,
        "axis_quadric": 2 * n_features,
    }
    if family not in points:
        raise ValueError(f"unknown family {family!r}: choose one of {', '.join(FAMILIES)}")
    return points[family]


def rules(
    family: str, n_samples: int, n_features: int, *, degree: int = 2, assignments: bool = False
) -> int:
    """Count the rules that data points in general position define: C(N, G), axis-parallel N * D.

    With `assignments` the G points on a surface may fall on either side: 2^G rules for each.

    >>> rules("hyperplane", 10, 3)
    120
    >>> rules("hyperplane", 10, 3, assignments=True)
    960
    """
    _at_least(0, n_samples=n_samples)
    g = points_per_rule(family, n_features, degree)
    surfaces = n_samples * n_features if family == "axis" else comb(n_samples, g)
    return surfaces * 2**g if assignments else surfaces


def axis_rules(distinct_values: Sequence[int]) -> int:
    """Count the distinct axis-parallel rules of real data: the sum of distinct values a column.

    One rule for each value, as the paper counts; the largest of a column parts nothing.

    >>> axis_rules([452, 377, 3, 4680, 49, 22, 4589, 72, 5])
    10249
    """
    for value in distinct_values:
        _at_least(0, distinct_values=value)
    return sum(distinct_values)


def dichotomies(n_samples: int, n_dimensions: int) -> int:
    """Cover's number: how hyperplanes part N points in general position, in D dimensions.

    sum for d = 0 .. D of C(N - 1, d); unordered, the trivial one (all on one side) included. The
    paper's number counts every dichotomy twice, once for each orientation. For surfaces take the
    dimension of the embedding, `points_per_rule`.

    >>> dichotomies(12, 3)
    232
    """
    _at_least(1, n_samples=n_samples)
    _at_least(0, n_dimensions=n_dimensions)
    return sum(comb(n_samples - 1, d) for d in range(n_dimensions + 1))


# ---- sets and orders of rules ------------------------------------------------------------------


def combinations(n_rules: int, n_splits: int) -> int:
    """Count the sets of exactly K of R rules: C(R, K).

    The paper's example: at least so many trees with three of the 10249 rules of the bidding data.

    >>> combinations(10249, 3)
    179376727124
    """
    _at_least(0, n_rules=n_rules, n_splits=n_splits)
    return comb(n_rules, n_splits)


def nested_combinations(n_splits: int, families: Mapping[str, int]) -> int:
    """Count the sets of K rules from several families, given the number of rules of each.

    >>> nested_combinations(2, {"axis": 6, "line": 3})
    36
    """
    for name, count in families.items():
        _at_least(0, **{f"rules of {name!r}": count})
    return combinations(sum(families.values()), n_splits)


def permutations(n_rules: int, n_splits: int) -> int:
    """Count the sequences of K of R rules: K! C(R, K), the candidates of `kperms`.

    >>> permutations(5, 2)
    20
    """
    return combinations(n_rules, n_splits) * factorial(n_splits)


def permutations_of_tree(shape: Shape) -> int:
    """Count the orders in which a tree can be grown: K! / product of the sizes of its subtrees.

    Every rule comes after its ancestors. Each such permutation of its rules stands for this tree.

    >>> permutations_of_tree(((None, None), (None, None)))
    2
    """
    return factorial(splits(shape)) // prod(_subtree_sizes(shape))


def splits(shape: Shape) -> int:
    """Count the splits of a shape.

    >>> splits(((None, None), None))
    2
    """
    return 0 if shape is None else 1 + splits(shape[0]) + splits(shape[1])


def _subtree_sizes(shape: Shape) -> list[int]:
    if shape is None:
        return []
    return [splits(shape), *_subtree_sizes(shape[0]), *_subtree_sizes(shape[1])]


# ---- trees -------------------------------------------------------------------------------------


def catalan(n: int) -> int:
    """Count the binary trees of n splits: C(2n, n) / (n + 1).

    >>> [catalan(n) for n in range(6)]
    [1, 1, 2, 5, 14, 42]
    """
    _at_least(0, n=n)
    return comb(2 * n, n) // (n + 1)


def max_splits(depth: int) -> int:
    """Count the most splits a tree of that depth can have: 2^d - 1.

    >>> max_splits(3)
    7
    """
    _at_least(0, depth=depth)
    return (1 << depth) - 1


def labelled_trees(n_splits: int) -> int:
    """Count the trees that use each of K rules once, no ancestry forbidding any: K! Catalan(K).

    The space of binary features, and an upper bound for any list of K rules.

    >>> labelled_trees(3)
    30
    """
    _at_least(0, n_splits=n_splits)
    return factorial(n_splits) * catalan(n_splits)


def binary_trees(n_features: int, n_splits: int) -> int:
    """Count the trees of K splits over D binary features, each used once: C(D, K) K! Catalan(K).

    >>> binary_trees(4, 2)
    24
    """
    _at_least(0, n_features=n_features)
    return combinations(n_features, n_splits) * labelled_trees(n_splits)


def trees_of_size(n_rules: int, n_splits: int, *, at_most: bool = False) -> int:
    """Count the trees if all R rules may stand at every node: R^K Catalan(K).

    >>> trees_of_size(3, 2)
    18
    >>> trees_of_size(3, 2, at_most=True)
    22
    """
    _at_least(0, n_rules=n_rules, n_splits=n_splits)
    sizes = range(n_splits + 1) if at_most else [n_splits]
    return sum(n_rules**k * catalan(k) for k in sizes)


def trees_of_depth(n_rules: int, depth: int, *, at_most: bool = False) -> int:
    """Count the trees if all R rules may stand at every node: perfect, or of depth at most d.

    perfect t(0) = 1, t(d) = R t(d-1)^2; at most t(d) = 1 + R t(d-1)^2, the leaf everywhere

    >>> trees_of_depth(3, 2)
    27
    >>> trees_of_depth(3, 2, at_most=True)
    49
    """
    _at_least(0, n_rules=n_rules, depth=depth)
    count = 1
    for _ in range(depth):
        count = n_rules * count**2 + at_most
    return count


def trees_by_depth(depth: int, samples: S, partings: Partings[S], *, at_most: bool = False) -> int:
    """Count the trees of real data: the perfect ones of depth d, or those of depth at most d.

    perfect t(0, xs) = 1, t(d, xs) = sum over the partings of xs of t(d-1, xs+) t(d-1, xs-); at
    most: one more, the leaf. `partings` gives both sides of every split of a set of samples, which
    must be hashable.

    >>> line = lambda n: [(i, n - i) for i in range(1, n)]
    >>> trees_by_depth(2, 4, line), trees_by_depth(2, 4, line, at_most=True)
    (1, 11)
    """
    _at_least(0, depth=depth)

    @cache
    def count(d: int, xs: S) -> int:
        if d == 0:
            return 1
        return at_most + sum(count(d - 1, a) * count(d - 1, b) for a, b in partings(xs))

    return count(depth, samples)


def trees_by_size(
    n_splits: int, samples: S, partings: Partings[S], *, depth: int | None = None
) -> int:
    """Count the trees of real data with exactly K splits, and of depth at most d if given.

    t(0, xs) = 1, t(k, xs) = sum over the partings and i + j = k - 1 of t(i, xs+) t(j, xs-)

    >>> line = lambda n: [(i, n - i) for i in range(1, n)]
    >>> [trees_by_size(k, 4, line) for k in range(5)]
    [1, 3, 6, 5, 0]
    """
    # A tree of K splits is never deeper than K: no limit and the limit K are the same.
    limit = n_splits if depth is None else depth
    _at_least(0, n_splits=n_splits, depth=limit)

    @cache
    def count(d: int, k: int, xs: S) -> int:
        if k == 0 or d == 0:
            return int(k == 0)
        budgets = [(i, k - 1 - i) for i in range(k)]
        pairs = [(a, b, i, j) for a, b in partings(xs) for i, j in budgets]
        return sum(count(d - 1, i, a) * count(d - 1, j, b) for a, b, i, j in pairs)

    return count(limit, n_splits, samples)
