"""The ancestry relation between rules, decided by the data points that own them.

Glossary
    ri, rj   splitting rules; ri+ is where ri holds, ri- the rest
    owners   the data points that define the surface of a rule
    left     the paper's south-west arrow: rj may stand in the left subtree of ri
    right    the paper's south-east arrow: rj may stand in the right subtree of ri
    K        the ancestry relation matrix: +1 left, -1 right, 0 neither
"""

from __future__ import annotations

from collections.abc import Sequence

from exactree.spec.data import Rule

Matrix = tuple[tuple[int, ...], ...]


def left(ri: Rule, rj: Rule) -> bool:
    """Tell whether rj can be generated from ri+: owners(rj) is a subset of ri+, and rj is not ri.

    >>> left(Rule(frozenset({0, 1}), (1,)), Rule(frozenset({0}), (0,)))
    True
    """
    return ri != rj and all(p in ri.positive for p in rj.owners)


def right(ri: Rule, rj: Rule) -> bool:
    """Tell whether rj can be generated from ri-: owners(rj) is a subset of ri-, and rj is not ri.

    >>> right(Rule(frozenset({0, 1}), (1,)), Rule(frozenset({0}), (0,)))
    False
    """
    return ri != rj and all(p not in ri.positive for p in rj.owners)


def relation(ri: Rule, rj: Rule) -> int:
    """Give the entry K_ij: +1 if rj lies in ri+, -1 if it lies in ri-, else 0; K_ii = 0.

    A rule without owners (a binary feature) may stand on both sides of any other, so that no
    single entry is right: that is how it breaks the fourth axiom, and it is refused here.

    >>> relation(Rule(frozenset({0, 1}), (1,)), Rule(frozenset({0}), (0,)))
    1
    >>> relation(Rule(frozenset({0, 1}), (1,)), Rule(frozenset({0}), (0, 2)))
    0
    """
    if not rj.owners and ri != rj:
        raise ValueError(
            f"the rule {rj.form!r} has no owners, hence no ancestry; "
            "use gen_dtbfs or odt_bf for binary features"
        )
    return int(left(ri, rj)) - int(right(ri, rj))


def ancestry(rules: Sequence[Rule]) -> Matrix:
    """Tabulate the ancestry relation matrix K with K[i][j] = relation(rules[i], rules[j]).

    >>> first, both = Rule(frozenset({0}), (0,)), Rule(frozenset({0, 1}), (1,))
    >>> ancestry([first, both])
    ((0, -1), (1, 0))
    """
    return tuple(tuple(relation(ri, rj) for rj in rules) for ri in rules)
