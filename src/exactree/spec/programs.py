"""The programs derived from the problems: the minimum moved inside the recursion.

Glossary
    xs, r    samples, a splitting rule; xs+ and xs- its two sides
    E        the objective E(f, g): f costs a leaf, g combines the costs of two subtrees
    d, k     budgets: depth and number of splits, "at most"
    valued   a tree together with its cost, so that no cost is computed twice
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from exactree.spec.constraints import ANY_TREE, Constraint
from exactree.spec.data import Number, Rule, Samples, sides
from exactree.spec.limits import (
    MAX_SUBPROBLEMS,
    as_objective,
    check_budget,
    check_samples,
    check_subproblems,
)
from exactree.spec.objectives import Objective, penalised
from exactree.spec.tree import Leaf, Node, Tree

DTree = Tree[Rule, Samples]
GenSplits = Callable[[Samples], list[Rule]]
Valued = tuple[Number, DTree]


def best_tree(
    xs: Samples,
    gen_splits: GenSplits,
    objective: Objective | str,
    *,
    max_depth: int | None = None,
    max_splits: int | None = None,
    penalty: Number = 0,
    constraint: Constraint | None = None,
    max_subproblems: int | None = MAX_SUBPROBLEMS,
) -> DTree:
    """Find a best tree with at most `max_depth` levels and `max_splits` splits (None: no limit).

    best(d, k, xs) = min_E ([DL(xs)] ++ [DN(best(d-1, i, xs+), r, best(d-1, j, xs-))
                                         | r <- gen_splits(xs), i + j = k - 1])

    Budgets are arguments, not filters: a filter could reject every combination of the best
    subtrees. A split must part its samples, so n samples take at most n - 1 splits and the
    recursion ends without any budget.

    >>> from exactree.spec.data import Sample
    >>> from exactree.spec.tree import leaves
    >>> xs = tuple(Sample(i, (i,), y) for i, y in enumerate([0, 1, 0]))
    >>> one_out = lambda ys: [Rule(frozenset({x.index}), ()) for x in ys]
    >>> [[x.y for x in leaf] for leaf in leaves(best_tree(xs, one_out, "zero_one", max_splits=1))]
    [[1], [0, 0]]
    """
    check_samples(xs)
    for name, budget in (
        ("max_depth", max_depth),
        ("max_splits", max_splits),
        ("penalty", penalty),
    ):
        check_budget(name, budget)
    n = len(xs)
    found = _best(
        xs,
        gen_splits,
        penalised(as_objective(objective), penalty),
        budgets=(n if max_depth is None else max_depth, n if max_splits is None else max_splits),
        constraint=constraint or ANY_TREE,
        max_subproblems=max_subproblems,
    )
    if not found:
        raise ValueError(f"no tree within these budgets satisfies {constraint}")
    return found[0][1]


def _best(
    xs: Samples,
    gen_splits: GenSplits,
    e: Objective,
    *,
    budgets: tuple[int, int],
    constraint: Constraint,
    max_subproblems: int | None,
) -> list[Valued]:
    """Solve best(d, k, xs), memoised on what it depends on: the samples and the budgets."""
    memo: dict[tuple[int, int, tuple[int, ...]], list[Valued]] = {}
    parted: dict[tuple[int, ...], list[tuple[Samples, Rule, Samples]]] = {}

    def best(d: int, k: int, xs: Samples) -> list[Valued]:
        # No tree on n samples has more than n - 1 splits, nor one of depth d more than 2^d - 1;
        # cutting the budgets down changes no answer and lets more calls share one.
        d = min(d, len(xs) - 1)
        k = min(k, 2**d - 1, len(xs) - 1)
        key = min(d, k), k, tuple(x.index for x in xs)
        if key not in memo:
            check_subproblems(len(memo), max_subproblems)
            found = list(candidates(*key, xs))
            memo[key] = [min(found, key=lambda valued: valued[0])] if found else []
        return memo[key]

    def candidates(d: int, k: int, rows: tuple[int, ...], xs: Samples) -> Iterator[Valued]:
        if constraint.leaf(xs):
            yield e.leaf(xs), Leaf(xs)
        if k == 0:
            return
        if rows not in parted:
            parted[rows] = partings(xs, gen_splits, constraint)
        for left, r, right in parted[rows]:
            for i in range(k):
                for a, u in best(d - 1, i, left):
                    for b, v in best(d - 1, k - 1 - i, right):
                        yield e.combine(a, b), Node(u, r, v)

    return best(*budgets, xs)


def best_value(
    xs: Samples,
    gen_splits: GenSplits,
    objective: Objective | str,
    *,
    max_depth: int | None = None,
    max_splits: int | None = None,
    penalty: Number = 0,
    constraint: Constraint | None = None,
    max_subproblems: int | None = MAX_SUBPROBLEMS,
) -> Number:
    """Give the cost of `best_tree`, the penalty of its splits included: E(best(d, k, xs)).

    >>> from exactree.spec.data import Sample
    >>> xs = tuple(Sample(i, (i,), y) for i, y in enumerate([0, 1, 0]))
    >>> one_out = lambda ys: [Rule(frozenset({x.index}), ()) for x in ys]
    >>> [best_value(xs, one_out, "zero_one", max_splits=k) for k in range(3)]
    [1, 0, 0]
    """
    tree = best_tree(
        xs,
        gen_splits,
        objective,
        max_depth=max_depth,
        max_splits=max_splits,
        penalty=penalty,
        constraint=constraint,
        max_subproblems=max_subproblems,
    )
    return penalised(as_objective(objective), penalty)(tree)


def partings(
    xs: Samples, gen_splits: GenSplits, constraint: Constraint = ANY_TREE
) -> list[tuple[Samples, Rule, Samples]]:
    """List the rules that part the samples as the constraint allows, each with its two sides.

    [(xs+, r, xs-) | r <- gen_splits(xs), xs+ and xs- not empty, q(r, xs+, xs-)]

    >>> from exactree.spec.data import Sample
    >>> xs = (Sample(0, (1,), 0), Sample(1, (2,), 1))
    >>> rules = [Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))]
    >>> [r.owners for _, r, _ in partings(xs, lambda _: rules)]
    [(0,)]
    """
    triples = ((left, r, right) for r in gen_splits(xs) for left, right in [sides(xs, r)])
    return [
        (left, r, right)
        for left, r, right in triples
        if left and right and constraint.split(r, left, right)
    ]
