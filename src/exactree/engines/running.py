"""Where a native search runs: in this process, or wherever the limits say."""

from __future__ import annotations

from typing import Any

from exactree import _native
from exactree.problem import Limits

SEARCHES: dict[str, Any] = {
    "columns": _native.search_columns,
    "costs": _native.search_costs,
    "squares": _native.search_squares,
    "masks": _native.search_masks,
    "mask_costs": _native.search_mask_costs,
}
UNDIVIDED: dict[str, Any] = {"splits": _native.search_splits, "sparse": _native.search_sparse}


def run_native(limits: Limits, kind: str, rows: tuple[Any, ...], terms: dict[str, Any]) -> Any:
    """Run a search over columns, costs, squares or masks, given what its native function takes."""
    if limits.elsewhere is not None:
        return limits.elsewhere(kind, rows, terms)
    return SEARCHES[kind](*rows, **terms)


def run_undivided(limits: Limits, kind: str, rows: tuple[Any, ...], terms: dict[str, Any]) -> Any:
    """Run a search by splits or by penalties, which stays in this process.

    A file of claims has what it ended with, so that no other run has to do it again.
    """
    if limits.elsewhere is None:
        return UNDIVIDED[kind](*rows, **terms)
    return limits.elsewhere.undivided(UNDIVIDED[kind], kind, rows, terms)
