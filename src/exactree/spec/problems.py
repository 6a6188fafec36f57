"""The five problems of the paper as brute force: list the space, filter it, take the least.

Glossary
    xs, rs      samples, rules
    K, d        the number of splits and the depth; exact unless `at_most`
    E, p        the objective, a predicate on trees
    gen, sodt   a space of trees for given rules; a best one of its trees (zero or one)

Every problem answers with a list of zero or one tree, since a space may be empty: min_E([]) = [].
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from exactree.spec.combinatorics import kcombs
from exactree.spec.constraints import ANY_TREE, Predicate
from exactree.spec.data import Samples
from exactree.spec.generators import (
    DTree,
    GenSplits,
    GenTrees,
    Rules,
    gen_dtbfs,
    gen_dtds_depth,
    gen_dtds_upto,
    gen_dts_rec,
    gen_dts_vec,
    gen_dtss,
    gen_dtss_upto,
)
from exactree.spec.limits import MAX_TREES, as_objective, check_samples, check_size, check_splits
from exactree.spec.objectives import Objective
from exactree.spec.permutations import gen_dts_by_kperms
from exactree.spec.select import filter_by, min_by

Sodt = Callable[[Samples, Rules], list[DTree]]


def brute_size(
    k: int,
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    gen_dts: GenTrees,
    *,
    p: Predicate = ANY_TREE,
    at_most: bool = False,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best tree of (at most) K splits: min_E . filter_p . concatMap_genDTs(xs) . kcombs(K).

    >>> from exactree.spec.data import Sample
    >>> brute_size(0, (Sample(0, (1,), 1),), (), "zero_one", gen_dts_rec)
    [Leaf(value=(Sample(index=0, x=(1,), y=1, w=1),))]
    """
    check_samples(xs)
    space = (gen_dtss_upto if at_most else gen_dtss)(k, xs, rs, gen_dts, max_trees=max_trees)
    return min_by(as_objective(e), filter_by(p, space))


def brute_kperms(
    k: int,
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    *,
    p: Predicate = ANY_TREE,
    at_most: bool = False,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best tree among those of the valid K-permutations: odt_kperms(K).

    >>> from exactree.spec.data import Sample
    >>> brute_kperms(0, (Sample(0, (1,), 1),), (), "zero_one")
    [Leaf(value=(Sample(index=0, x=(1,), y=1, w=1),))]
    """
    return brute_size(k, xs, rs, e, gen_dts_by_kperms, p=p, at_most=at_most, max_trees=max_trees)


def brute_rec(
    k: int,
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    *,
    p: Predicate = ANY_TREE,
    at_most: bool = False,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best tree among those of genDTs_rec: odt_rec(K).

    >>> from exactree.spec.data import Sample
    >>> brute_rec(0, (Sample(0, (1,), 1),), (), "zero_one")
    [Leaf(value=(Sample(index=0, x=(1,), y=1, w=1),))]
    """
    return brute_size(k, xs, rs, e, gen_dts_rec, p=p, at_most=at_most, max_trees=max_trees)


def brute_vec(
    k: int,
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    *,
    p: Predicate = ANY_TREE,
    at_most: bool = False,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best tree among those of genDTs_vec: odt_vec(K).

    >>> from exactree.spec.data import Sample
    >>> brute_vec(0, (Sample(0, (1,), 1),), (), "zero_one")
    [Leaf(value=(Sample(index=0, x=(1,), y=1, w=1),))]
    """
    return brute_size(k, xs, rs, e, gen_dts_vec, p=p, at_most=at_most, max_trees=max_trees)


def brute_bf(
    k: int,
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    *,
    p: Predicate = ANY_TREE,
    at_most: bool = False,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best tree that uses K binary features, each once: min_E . genDTBFs over kcombs(K).

    >>> from exactree.spec.data import Sample
    >>> brute_bf(0, (Sample(0, (1,), 1),), (), "zero_one")
    [Leaf(value=(Sample(index=0, x=(1,), y=1, w=1),))]
    """
    return brute_size(k, xs, rs, e, gen_dtbfs, p=p, at_most=at_most, max_trees=max_trees)


def brute_depth(
    d: int,
    xs: Samples,
    gen_splits: GenSplits,
    e: Objective | str,
    *,
    p: Predicate = ANY_TREE,
    at_most: bool = False,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Find a best perfect tree of depth d, or a best tree of depth at most d: min_E . genDTDs(d).

    >>> from exactree.spec.data import Sample
    >>> brute_depth(1, (Sample(0, (1,), 1),), lambda _: [], "zero_one")
    []
    """
    check_samples(xs)
    gen_dtds = gen_dtds_upto if at_most else gen_dtds_depth
    space = gen_dtds(d, xs, gen_splits, max_trees=max_trees)
    return min_by(as_objective(e), filter_by(p, space))


def simplified(
    k: int,
    xs: Samples,
    rs: Rules,
    e: Objective | str,
    sodt: Sodt,
    *,
    at_most: bool = False,
    max_trees: int | None = MAX_TREES,
) -> list[DTree]:
    """Solve the problem by one best tree for each combination of rules.

    min_E . concatMap_sodt(xs) . kcombs(K) = min_E . concatMap_genDTs(xs) . kcombs(K)
    if sodt = min_E . genDTs, since min_E distributes over concatenation.

    >>> from exactree.spec.data import Sample
    >>> simplified(0, (Sample(0, (1,), 1),), (), "zero_one", gen_dts_rec)
    [Leaf(value=(Sample(index=0, x=(1,), y=1, w=1),))]
    """
    check_samples(xs)
    check_splits(k, len(rs))
    sizes = range(0 if at_most else k, k + 1)
    check_size(f"{k} of {len(rs)} rules", sum(comb(len(rs), i) for i in sizes), max_trees)
    return min_by(
        as_objective(e), [t for i in sizes for chosen in kcombs(i, rs) for t in sodt(xs, chosen)]
    )
