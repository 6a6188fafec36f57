"""What the header of a certificate says of weights and budgets, and the file as a whole."""

from __future__ import annotations

import json
import lzma
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs
from exactree.objectives import Objective
from exactree.objectives.native import CostTable
from exactree.preparing import Data
from exactree.problem import Problem, Result
from exactree.proof import checking
from exactree.request import Request
from exactree.weights import balanced, integer_weights

LARGEST_BUDGET = 63
MOST_DIGITS = 40  # of a numerator or denominator that a checker reads
Header = dict[str, Any]


def unit_of(data: Data, below: int | None = None) -> Fraction:
    """Give what all weights are multiples of; or a larger unit, with fewer of it in all."""
    if data.weights is None:
        return data.scale
    common = int(np.gcd.reduce(data.weights))
    total, unit = int(data.weights.sum()) // common, common * data.scale
    while below is not None and total >= below:
        total, unit = total // 2, unit * 2
    return unit


def costs_of(loss: Objective) -> list[list[int]] | None:
    """Give the table of costs, if there is one."""
    form = loss.native_form()
    return form.whole().tolist() if isinstance(form, CostTable) else None


def factors_of(
    class_weight: Any,
    classes: NDArray[Any],
    numbers: NDArray[np.intp],
    weights: NDArray[np.float64] | None,
) -> list[str] | None:
    """Write the factor of every class as a fraction."""
    factors = inputs.read_class_weight(class_weight, classes)
    if factors is None:
        return None
    if isinstance(factors, str):
        whole = integer_weights(np.ones(len(numbers)) if weights is None else weights)
        factors = balanced(whole.values, numbers)
    return [str(factors.get(i, Fraction(1))) for i in range(len(classes))]


def is_rounded(header: Header, labels: Any, weights: NDArray[np.float64] | None) -> bool:
    """Tell whether some weight is no multiple of the unit: there were too many digits."""
    factors, unit = header.get("class_weight"), Fraction(header["unit"])
    if weights is None and factors is None:
        return False
    count = len(labels if weights is None else weights)
    given = np.ones(count) if weights is None else weights
    classes = np.zeros(count, np.int64) if labels is None else labels
    pairs = set(zip(classes.tolist(), given.tolist(), strict=True))
    exact = ((Fraction(w) * (1 if factors is None else Fraction(factors[c]))) for c, w in pairs)
    return any((weight / unit).denominator > 1 for weight in exact)


def budgets_of(problem: Problem, data: Data, request: Request) -> Header:
    """Write the budgets as the search understood them."""
    rows, weight, share = request.min_samples_leaf, Fraction(0), request.min_weight_fraction_leaf
    if share and problem.weights is None and (rows > 1 or data.weights is None):
        rows = problem.least_side.least
    elif share:
        weight = problem.least_side.least * problem.unit * problem.scale
    depth, splits = request.max_depth, request.max_splits
    if problem.max_depth == checking.DEEPEST or (depth or 0) > checking.DEEPEST:
        depth = checking.DEEPEST  # no tree is deeper than that
    if splits is not None and splits > LARGEST_BUDGET:
        raise ValueError(f"max_splits={splits} has no certificates: pass {LARGEST_BUDGET} at most")
    cost = Fraction(problem.penalty) * (problem.scale if problem.objective.integral else 1)
    if max(cost.numerator, cost.denominator) >= 10**MOST_DIGITS:
        raise ValueError(
            f"penalty={float(request.penalty):g} has no certificates: as a fraction it has more "
            f"than {MOST_DIGITS} digits; pass a rounder number"
        )
    return {
        "max_depth": depth,
        "max_splits": splits,
        "min_samples_leaf": rows,
        "min_weight_leaf": str(weight),
        "penalty": str(cost),
    }


def results_of(result: Any, header: Header) -> list[tuple[Result, int | None]]:
    """Give the results with the number of splits that each may have."""
    depth, splits = header["max_depth"], header["max_splits"]
    if isinstance(result, Result):
        if splits is not None and splits >= 2 ** (depth or 64) - 1:
            header["max_splits"] = splits = None  # it cannot bind
        return [(result, splits)]
    return [(found, k) for k, found in enumerate(result)]


def claimed(entries: list[Header], bounds: list[Fraction], header: Header) -> None:
    """Put into the results what a plan shows of them."""
    last = len(bounds) - 1
    for entry in entries:
        most = entry["max_splits"]
        bound = bounds[last if most is None else min(most, last)]
        entry["bound"] = str(min(bound, Fraction(entry["value"])))


def refuse_other_bound(found: Result, entry: Header) -> None:
    """Complain of an optimum that the plan does not show."""
    raise RuntimeError(
        f"the search found an optimum of {entry['value']}, the proof shows {entry['bound']}: "
        f"please report this as a bug of exactree ({found.status})"
    )


def file_of(header: Header, plan: bytes) -> bytes:
    """Compress; a dictionary as long as the data is enough, and quick to set up."""
    data = json.dumps(header, allow_nan=False).encode() + b"\n" + plan
    best = 9 | lzma.PRESET_EXTREME
    size = min(max(4096, len(data)), 1 << 26)
    chain = [{"id": lzma.FILTER_LZMA2, "preset": best, "dict_size": size, "lc": 1, "pb": 0}]
    return lzma.compress(data, filters=chain)
