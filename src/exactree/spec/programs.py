"""The programs derived from the problems: the minimum moved inside the recursion.

Glossary
    xs, r    samples, a splitting rule; xs+ and xs- its two sides
    rs       a list of rules; rs+ and rs- those that belong below r, left and right
    E        the objective E(f, g): f costs a leaf, g combines the costs of two subtrees
    d, k     budgets: depth and number of splits, "at most"
    valued   a tree together with its cost, so that no cost is computed twice

Each program equals its problem of `spec.problems` if g is non-decreasing in both arguments: then a
best subtree may replace any other below the same split. A constraint may be fused with the minimum
because it is separable: which split is allowed does not depend on the subtrees below it. A memo is
keyed by all that a subproblem depends on and no more: the samples with the budgets, or the samples
with the rules; not the root above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from exactree.spec.constraints import ANY_TREE, Constraint
from exactree.spec.data import Number, Rule, Samples, sides
from exactree.spec.generators import (
    DTree,
    GenSplits,
    Rules,
    candidates,
    gen_dts_vec,
    node_rules,
    splits,
    splits_bf,
)
from exactree.spec.limits import (
    MAX_SUBPROBLEMS,
    MAX_TREES,
    as_objective,
    check_budget,
    check_samples,
    check_subproblems,
)
from exactree.spec.objectives import Objective, penalised
from exactree.spec.permutations import gen_dts_by_kperms
from exactree.spec.select import min_by
from exactree.spec.tree import Leaf, Node

Valued = tuple[Number, DTree]
SplitRules = Callable[[Rules], list[tuple[Rules, Rule, Rules]]]


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
            memo[key] = least(choices(*key, xs))
        return memo[key]

    def choices(d: int, k: int, rows: tuple[int, ...], xs: Samples) -> Iterator[Valued]:
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
    return [
        (left, r, right)
        for r in node_rules(xs, gen_splits, parting=True)
        for left, right in [sides(xs, r)]
        if constraint.split(r, left, right)
    ]


def least(valued: Iterable[Valued]) -> list[Valued]:
    """Take the first of the cheapest, if there is any: min_E on trees with their costs.

    >>> [cost for cost, _ in least([(3, Leaf(())), (2, Leaf(()))])]
    [2]
    """
    return min_by(lambda pair: pair[0], list(valued))


def sodt_kperms(
    xs: Samples, rs: Rules, e: Objective | str, *, max_trees: int | None = MAX_TREES
) -> list[DTree]:
    """Find a best tree with the given rules: sodt_kperms = min_E . filter_p . perms.

    The minimum stays outside: see `nonexistence.kperms_counterexample`.

    >>> sodt_kperms((), (), "zero_one")
    [Leaf(value=())]
    """
    return min_by(as_objective(e), gen_dts_by_kperms(xs, rs, max_trees=max_trees))


def sodt_vec(
    xs: Samples, rs: Rules, e: Objective | str, *, max_trees: int | None = MAX_TREES
) -> list[DTree]:
    """Find a best tree with the given rules: sodt_vec(xs) = min_E . genDTs_vec(xs).

    The minimum stays outside: see `nonexistence.vec_counterexample`.

    >>> sodt_vec((), (), "zero_one")
    [Leaf(value=())]
    """
    return min_by(as_objective(e), gen_dts_vec(xs, rs, max_trees=max_trees))


def sodt_rec(
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    *,
    constraint: Constraint = ANY_TREE,
    max_subproblems: int | None = MAX_SUBPROBLEMS,
) -> list[DTree]:
    """Find a best tree with the given rules by dynamic programming (filter fused: sodt_filtRec).

    sodt_rec(xs, []) = [DL(xs)]
    sodt_rec(xs, rs) = min_E [DN(u, r, v) | (rs+, r, rs-) <- splits(rs), q(r, xs+, xs-),
                              u <- sodt_rec(xs+, rs+), v <- sodt_rec(xs-, rs-)]

    >>> sodt_rec((), (), "zero_one")
    [Leaf(value=())]
    """
    return _by_rules(xs, rs, as_objective(e), splits, constraint, max_subproblems)


def odt_bf(
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    *,
    constraint: Constraint = ANY_TREE,
    max_subproblems: int | None = MAX_SUBPROBLEMS,
) -> list[DTree]:
    """Find a best tree that uses every binary feature once, by dynamic programming.

    odt_BF(xs, []) = [DL(xs)]
    odt_BF(xs, rs) = min_E [DN(u, r, v) | (r, rs') <- candidates(rs), (rs+, rs-) <- splits_BF(rs'),
                            u <- odt_BF(xs+, rs+), v <- odt_BF(xs-, rs-)]

    >>> odt_bf((), (), "zero_one")
    [Leaf(value=())]
    """

    def roots(rs: Rules) -> list[tuple[Rules, Rule, Rules]]:
        return [(ps, r, ms) for r, rest in candidates(rs) for ps, ms in splits_bf(rest)]

    return _by_rules(xs, rs, as_objective(e), roots, constraint, max_subproblems)


def _by_rules(
    xs: Samples,
    rs: Rules,
    e: Objective,
    split_rules: SplitRules,
    constraint: Constraint,
    max_subproblems: int | None,
) -> list[DTree]:
    """Solve best(xs, rs), memoised on the samples and the rules."""

    @cache
    def best(xs: Samples, rs: Rules) -> list[Valued]:
        check_subproblems(best.cache_info().currsize, max_subproblems)
        if not rs:
            return [(e.leaf(xs), Leaf(xs))] if constraint.leaf(xs) else []
        return least(
            (e.combine(a, b), Node(u, r, v))
            for positive, r, negative in split_rules(rs)
            for left, right in [sides(xs, r)]
            if constraint.split(r, left, right)
            for a, u in best(left, positive)
            for b, v in best(right, negative)
        )

    return [t for _, t in best(xs, rs)]


def odt_depth(
    d: int,
    xs: Samples,
    gen_splits: GenSplits,
    e: Objective | str,
    *,
    constraint: Constraint = ANY_TREE,
    max_subproblems: int | None = MAX_SUBPROBLEMS,
) -> list[DTree]:
    """Find a best perfect tree of depth d by dynamic programming (filter fused: odt_filtDep).

    odt_depth(0, xs) = [DL(xs)]
    odt_depth(d, xs) = min_E [DN(u, r, v) | r <- gen_splits(xs), q(r, xs+, xs-),
                              u <- odt_depth(d-1, xs+), v <- odt_depth(d-1, xs-)]

    >>> odt_depth(0, (), lambda _: [], "zero_one"), odt_depth(1, (), lambda _: [], "zero_one")
    ([Leaf(value=())], [])
    """
    check_budget("the depth", d)
    e = as_objective(e)

    @cache
    def best(d: int, xs: Samples) -> list[Valued]:
        check_subproblems(best.cache_info().currsize, max_subproblems)
        if d == 0:
            return [(e.leaf(xs), Leaf(xs))] if constraint.leaf(xs) else []
        return least(
            (e.combine(a, b), Node(u, r, v))
            for r in node_rules(xs, gen_splits, parting=False)
            for left, right in [sides(xs, r)]
            if constraint.split(r, left, right)
            for a, u in best(d - 1, left)
            for b, v in best(d - 1, right)
        )

    return [t for _, t in best(d, xs)]
