"""Why the minimum cannot move into the sequential programs: the theorem, by counterexample.

Glossary
    t, t'       trees over the same rules
    r           the rule that comes next
    rs, rs'     permutations of the same rules
    fused       a program with the minimum after every step, as if each step were monotone

Adding a rule is not monotone: E(t) <= E(t') does not give E(update(r, t)) <= E(update(r, t')). So
`sodt_vec` and `sodt_kperms` keep their minimum outside. This is about these two recursions alone:
the same space has a dynamic programme, `sodt_rec`.
"""

from __future__ import annotations

from exactree.spec.combinatorics import ins
from exactree.spec.data import Number, Rule, Samples
from exactree.spec.generators import (
    DTree,
    Rules,
    candidates,
    check_all_rules,
    gen_dts_vec,
    update,
    updates,
)
from exactree.spec.limits import MAX_TREES, as_objective
from exactree.spec.objectives import Objective
from exactree.spec.permutations import gen_dts_kperms, is_valid, tree_of_permutation
from exactree.spec.select import min_by
from exactree.spec.tree import Leaf


def vec_counterexample(
    xs: Samples, rs: Rules, e: Objective | str
) -> tuple[Rule, DTree, DTree] | None:
    """Find (r, t, t') with E(t) <= E(t') but E(update(r, t)) > E(update(r, t')).

    >>> vec_counterexample((), (Rule(frozenset(), (0,)),), "zero_one") is None
    True
    """
    e = as_objective(e)
    for r, rest in candidates(rs):
        grown = [(t, update(r, t)) for t in gen_dts_vec(xs, rest)]
        valued = [(t, e(t), e(after)) for t, after in grown if after is not None]
        for t, before, after in valued:
            for other, other_before, other_after in valued:
                if before <= other_before and after > other_after:
                    return r, t, other
    return None


def kperms_counterexample(
    xs: Samples, rs: Rules, e: Objective | str
) -> tuple[Rule, Rules, Rules] | None:
    """Find (r, rs, rs') with E(rs) <= E(rs') but the best of ins(r, rs) above that of ins(r, rs').

    >>> kperms_counterexample((), (Rule(frozenset(), (0,)),), "zero_one") is None
    True
    """
    e = as_objective(e)
    for r, rest in candidates(rs):
        valued = [
            (ps, e(t), after[0])
            for ps in gen_dts_kperms(rest)
            for t in tree_of_permutation(xs, ps)
            for after in [_values_after(xs, r, ps, e)]
            if after
        ]
        for ps, before, best_after in valued:
            for other, other_before, other_after in valued:
                if before <= other_before and best_after > other_after:
                    return r, ps, other
    return None


def _values_after(xs: Samples, r: Rule, ps: Rules, e: Objective) -> list[Number]:
    """Give the costs of the valid permutations that ins makes of one, in ascending order."""
    return sorted(e(t) for q in ins(r, [ps]) for t in tree_of_permutation(xs, q))


def fused_vec(xs: Samples, rs: Rules, e: Objective | str) -> list[DTree]:
    """Keep only the best tree of each set of rules in `gen_dts_vec`: not a solution of sodt_vec.

    >>> fused_vec((), (), "zero_one")
    [Leaf(value=())]
    """
    check_all_rules(len(rs), MAX_TREES, gen_dts_vec)
    if not rs:
        return [Leaf(xs)]
    grown = [t for r, rest in candidates(rs) for t in updates(r, fused_vec(xs, rest, e))]
    return min_by(as_objective(e), grown)


def fused_kperms(xs: Samples, rs: Rules, e: Objective | str) -> list[Rules]:
    """Keep only the best valid permutation of each tail in `perms`: not a solution of sodt_kperms.

    >>> fused_kperms((), (), "zero_one")
    [()]
    """
    if not rs:
        return [()]
    valid = [q for q in ins(rs[0], fused_kperms(xs, rs[1:], e)) if is_valid(q)]
    return min_by(lambda q: as_objective(e)(tree_of_permutation(xs, q)[0]), valid)
