"""Costs per row and ratios of counts, as the weighted errors that certificates are about.

Costs per row. Let a row cost c[a] if it is answered a, and m be the largest of these. Put in its
place a row for each answer a, of the class a and with the weight m - c[a]. Answered b, these are
wrong by the sum of all weights less m - c[b]: by c[b] and what does not depend on the answer.

Ratios. Let a / b be the loss (u FN + v FP) / ((u + v) P - v FN + v FP) of a tree. No tree has less
if and only if (b u + a v) FN + (b - a) v FP is nowhere below a (u + v) P, which is what it is for
this tree: a cost matrix, and the last search of Dinkelbach's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import fsum, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import inputs
from exactree.costs import read_costs
from exactree.objectives import CostMatrix
from exactree.objectives.ratios import BalancedError, Ratio
from exactree.problem import Result
from exactree.request import Request
from exactree.tree import Leaf, nodes

Floats = NDArray[np.float64]


def one_for_each_answer(
    X: Any, costs: Any, sample_weight: Any
) -> tuple[Any, NDArray[np.int64], Floats]:
    """Give a row for each row and answer: its values, the answer as its class, and its weight.

    >>> one_for_each_answer(np.array([[5.0]]), [[1.0, 3.0, 0.0]], None)[1:]
    (array([0, 1, 2]), array([2., 0., 3.]))
    """
    table, answers = read_costs(costs, None)
    copies = np.repeat(np.arange(len(table)), len(answers))
    weight = (table.max(axis=1)[:, None] - table).astype(np.float64)
    given = inputs.read_weights(sample_weight, len(table))
    if given is not None:
        weight = weight * given[:, None]
    repeated = X.iloc[copies] if hasattr(X, "iloc") else np.asarray(X)[copies]
    return repeated, np.tile(np.arange(len(answers)), len(table)), weight.reshape(-1)


def reduced(
    result: Result | Sequence[Result], X: Any, y: Any, request: Request, given: Mapping[str, Any]
) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Give result, X, y and parameters of the weighted errors that stand for another problem."""
    if request.costs is not None:
        refuse_beside_costs(request)
        X, y, weight = one_for_each_answer(X, request.costs, request.sample_weight)
        found = _alone(result, "costs", stopped=True)
        added = fsum(weight) - _largest(request)
        shifted = replace(found, lower_bound=float(found.lower_bound) + added)
        return shifted, X, y, {**given, "costs": None, "sample_weight": weight}
    assert request.ratio is not None
    found = _alone(result, f"objective {request.ratio.name!r}", stopped=False)
    if isinstance(request.ratio, BalancedError):
        return found, X, y, {**given, "objective": "error", "class_weight": "balanced"}
    classes, _ = inputs.read_labels(y, len(y))
    return found, X, y, {**given, "objective": _prices(found, request.ratio, classes)}


def refuse_beside_costs(request: Request) -> None:
    """Refuse what counts rows: there are others in a certificate of costs."""
    named = ("penalty", "min_samples_leaf", "min_weight_fraction_leaf")
    for name, value in ((name, getattr(request, name)) for name in named):
        if value and (name != "min_samples_leaf" or value > 1):
            raise ValueError(f"{name} with costs has no certificates: leave it out")


def _largest(request: Request) -> float:
    """Add up the largest costs of all rows."""
    table, _ = read_costs(request.costs, None)
    largest = table.max(axis=1).astype(np.float64)
    weights = inputs.read_weights(request.sample_weight, len(table))
    return fsum(largest if weights is None else largest * weights)


def _alone(result: Result | Sequence[Result], name: str, *, stopped: bool) -> Result:
    if not isinstance(result, Result):
        raise ValueError(f"a path of {name} has no certificate: certify its results one by one")
    if result.status != "optimal" and not stopped:
        raise ValueError(f"a search for {name} that was stopped has no certificate: let it end")
    return result


def _prices(found: Result, ratio: Ratio, classes: NDArray[Any]) -> CostMatrix:
    """Give what each kind of mistake costs in the search that shows that a tree is optimal."""
    place, (u, v) = ratio.place(classes), ratio.factors()
    total = missed = false = 0
    for leaf in (node for node in nodes(found.tree) if isinstance(node, Leaf)):
        if not all(isinstance(weight, int) for weight in leaf.weights):
            raise ValueError(
                f"objective {ratio.name!r} has certificates for weights that are whole numbers: "
                "multiply sample_weight by a constant"
            )
        positive = int(leaf.weights[place])
        total += positive
        missed += 0 if leaf.value == place else positive
        false += int(sum(leaf.weights)) - positive if leaf.value == place else 0
    loss = Fraction(u * missed + v * false, (u + v) * total + v * (false - missed))
    a, b = loss.as_integer_ratio()
    prices = (b * u + a * v, (b - a) * v)
    common = gcd(*prices)
    table = np.zeros((len(classes), len(classes)), np.int64)
    table[place], table[:, place] = prices[0] // common, prices[1] // common
    table[place, place] = 0
    return CostMatrix(table.tolist())
