"""What the specification refuses: bad budgets, bad data, and spaces too large to walk through.

Glossary
    K, d   budgets: the number of splits, the depth
    R      the number of rules in a list
"""

from __future__ import annotations

from exactree.spec.data import Number, Samples
from exactree.spec.objectives import Objective, objective

MAX_TREES = 1_000_000
MAX_SUBPROBLEMS = 1_000_000


def check_budget(name: str, value: Number | None) -> None:
    """Refuse a negative budget (None means unlimited and passes).

    >>> check_budget("max_depth", -1)
    Traceback (most recent call last):
    ...
    ValueError: max_depth is -1; it must be at least 0
    """
    if value is not None and value < 0:
        raise ValueError(f"{name} is {value}; it must be at least 0")


def check_splits(k: int, n_rules: int) -> None:
    """Refuse a number of splits K that is negative or larger than the number of rules R.

    >>> check_splits(3, 2)
    Traceback (most recent call last):
    ...
    ValueError: 3 splits asked for, but there are only 2 rules; take at most 2
    """
    check_budget("the number of splits", k)
    if k > n_rules:
        raise ValueError(
            f"{k} splits asked for, but there are only {n_rules} rules; take at most {n_rules}"
        )


def check_samples(xs: Samples) -> None:
    """Refuse an empty list of samples, and samples that share an index.

    >>> check_samples(())
    Traceback (most recent call last):
    ...
    ValueError: the list of samples is empty: (); give at least one
    """
    if not xs:
        raise ValueError(f"the list of samples is empty: {xs}; give at least one")
    seen: set[int] = set()
    for x in xs:
        if x.index in seen:
            raise ValueError(f"two samples have the index {x.index}; number them apart")
        seen.add(x.index)


def check_size(what: str, count: int, max_trees: int | None) -> None:
    """Refuse a space that may hold more than `max_trees` trees (None: no limit).

    >>> check_size("this space", 120, 100)
    Traceback (most recent call last):
    ...
    ValueError: this space may hold 120 trees, more than max_trees = 100; raise it, or pass None
    """
    if max_trees is not None and count > max_trees:
        raise ValueError(
            f"{what} may hold {count} trees, more than max_trees = {max_trees}; "
            "raise it, or pass None"
        )


def check_subproblems(count: int, max_subproblems: int | None) -> None:
    """Refuse to store more than `max_subproblems` subproblems (None: no limit).

    >>> check_subproblems(100, 100)
    Traceback (most recent call last):
    ...
    ValueError: more than max_subproblems = 100 subproblems; raise it, or pass None
    """
    if max_subproblems is not None and count >= max_subproblems:
        raise ValueError(
            f"more than max_subproblems = {max_subproblems} subproblems; raise it, or pass None"
        )


def as_objective(name: Objective | str) -> Objective:
    """Take an objective, or look up its name.

    >>> as_objective("zero_one").name
    'zero_one'
    """
    return objective(name) if isinstance(name, str) else name
