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
    "splits": _native.search_splits,
    "sparse": _native.search_sparse,
}


def run_native(limits: Limits, kind: str, rows: tuple[Any, ...], terms: dict[str, Any]) -> Any:
    """Run a search of one of these kinds, given what its native function takes."""
    if limits.elsewhere is not None:
        return limits.elsewhere(kind, rows, terms)
    return SEARCHES[kind](*rows, **terms)
