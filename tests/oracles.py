"""Random tiny problems, and their optimum by the specification alone.

The oracle reads the user's numbers itself and shares no code with what it judges.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.spec.constraints import both, min_leaf, min_leaf_weight
from exactree.spec.data import Number, Sample
from exactree.spec.objectives import WEIGHTED_ZERO_ONE
from exactree.spec.programs import best_value
from exactree.spec.rules import axis_rules


@dataclass(frozen=True)
class Case:
    """A problem as a user states it."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None
    budgets: dict[str, Any] = field(default_factory=dict)

    def parameters(self) -> dict[str, Any]:
        """The keyword arguments of solve()."""
        return {"sample_weight": self.weights, **self.budgets}


def random_case(rng: np.random.Generator) -> Case:
    """Draw a problem together with its configuration; ties, duplicates and conflicts abound."""
    drawn = int(rng.choice([0, 1, 2, 3, 4, -1], p=[0.03, 0.12, 0.25, 0.4, 0.1, 0.1]))
    depth = None if drawn < 0 else drawn
    n = int(rng.integers(1, {0: 20, 1: 20, 2: 16, 3: 12}.get(drawn, 9)))
    X = rng.integers(0, rng.integers(1, 9), size=(n, int(rng.integers(1, 4)))).astype(float)
    classes = int(rng.choice([1, 2, 3, 4, 5, 9, 11], p=[0.05, 0.35, 0.2, 0.15, 0.1, 0.1, 0.05]))
    y = rng.integers(0, classes, n)
    weights, budgets = _weights(rng, n), _budgets(rng, depth, n)
    # The two limits on leaves go together only without weights, and this one only with integers.
    simple = weights is None or (budgets.get("min_samples_leaf", 1) == 1 and weights[0] >= 1)
    if simple and rng.random() < 0.15:
        budgets["min_weight_fraction_leaf"] = float(rng.choice([0.01, 0.1, 0.2, 0.25, 1 / 3, 0.5]))
    return Case(X, y, weights, budgets)


def _weights(rng: np.random.Generator, n: int) -> NDArray[np.float64] | None:
    kind = rng.choice(["none", "small", "large", "real"], p=[0.4, 0.2, 0.2, 0.2])
    if kind == "none":
        return None
    if kind == "real":
        return rng.random(n)
    top = 4 if kind == "small" else 10**6
    weights = rng.integers(0, top, n).astype(float)
    weights[0] += 1
    return weights


def _budgets(rng: np.random.Generator, depth: int | None, n: int) -> dict[str, Any]:
    budgets: dict[str, Any] = {"max_depth": depth}
    if depth is None or rng.random() < 0.3:
        budgets["max_splits"] = int(rng.integers(0, 6))
    if rng.random() < 0.3:
        budgets["penalty"] = float(rng.choice([0.01, 0.1, 1 / n, 1e-9, rng.random() / 4, 2.0]))
    if rng.random() < 0.3:
        budgets["min_samples_leaf"] = int(rng.integers(1, 4))
    return budgets


def optimum(case: Case) -> Number:
    """The least cost of any tree, exactly."""
    weights = [1.0] * len(case.y) if case.weights is None else case.weights.tolist()
    rows = zip(case.X.tolist(), case.y.tolist(), weights, strict=True)
    samples = tuple(
        Sample(i, tuple(map(Fraction, x)), y, Fraction(w)) for i, (x, y, w) in enumerate(rows) if w
    )
    share = Fraction(repr(case.budgets.get("min_weight_fraction_leaf", 0.0)))
    return best_value(
        samples,
        axis_rules,
        WEIGHTED_ZERO_ONE,
        max_depth=case.budgets.get("max_depth"),
        max_splits=case.budgets.get("max_splits"),
        penalty=Fraction(case.budgets.get("penalty", 0.0)) * sum(map(Fraction, weights)),
        constraint=both(
            min_leaf(case.budgets.get("min_samples_leaf", 1)),
            min_leaf_weight(share * sum(map(Fraction, weights))),
        ),
    )


def agrees(found: float, exact: Number) -> bool:
    """Integers are equal; with real weights or a penalty, 1e-11 relative is asked."""
    if isinstance(found, int):
        return found == exact
    return abs(Fraction(found) - exact) <= Fraction(1, 10**11) * max(exact, 1)


def plain_optimum(case: Case) -> float:
    """The least weighted error within max_depth, by trying every split: for hundreds of rows."""
    weights = np.ones(len(case.y)) if case.weights is None else case.weights
    classes = np.zeros((len(case.y), int(case.y.max()) + 1))
    classes[np.arange(len(case.y)), case.y] = weights
    return _plain(case.X, classes, case.budgets["max_depth"])


def _plain(X: NDArray[np.float64], classes: NDArray[np.float64], depth: int) -> float:
    best = float(_leaf_error(classes.sum(axis=0)))
    for column in X.T if depth > 0 and best > 0 else ():
        order = np.argsort(column, kind="stable")
        ends = np.flatnonzero(np.diff(column[order])) + 1
        below = classes[order].cumsum(axis=0)
        if depth == 1:
            left = below[ends - 1]
            errors = _leaf_error(left) + _leaf_error(below[-1] - left)
            best = min(best, float(errors.min(initial=best)))
            continue
        for end in ends:
            near, far = order[:end], order[end:]
            cost = _plain(X[near], classes[near], depth - 1)
            if cost < best:
                best = min(best, cost + _plain(X[far], classes[far], depth - 1))
    return best


def _leaf_error(classes: NDArray[np.float64]) -> Any:
    return classes.sum(axis=-1) - classes.max(axis=-1)
