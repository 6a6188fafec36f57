"""The bound that a search has before it looks for better trees: never above the optimum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree import _native
from exactree.engines.search import search
from exactree.objectives.row_costs import RowCosts
from exactree.preparing import make_problem, read_data, read_priced
from exactree.problem import Found, Limits
from exactree.request import read_request
from exactree.splits import Axis

Rng = np.random.Generator
Terms = dict[str, Any]
EVERYWHERE = 1 << len(_native.prunings())


def searched(X: NDArray[Any], switches: int, y: Any = None, **terms: Any) -> Found:
    request = read_request(terms)
    if y is None:
        data = read_priced(X, request)
        assert data.costs is not None
        request = replace(request, objective=RowCosts(data.costs.table))
    else:
        data = read_data(X, y, request)
    problem = make_problem(data, Axis().sources(data.X), request)
    return search(problem, Limits(), switches=switches)


def classes(rng: Rng, n: int) -> Terms:
    return {"y": rng.integers(0, int(rng.integers(2, 5)), n)}


def costs(rng: Rng, n: int) -> Terms:
    return {"costs": rng.integers(0, 20, (n, int(rng.integers(2, 10))))}


def numbers(objective: str) -> Any:
    def draw(rng: Rng, n: int) -> Terms:
        y = rng.integers(0, 9, n).astype(float)
        return {"y": y, "task": "regression", "objective": objective}

    return draw


KINDS = {
    "classes": classes,
    "costs": costs,
    **{name: numbers(name) for name in ("squared_error", "absolute_error", "poisson")},
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_bound_is_above_the_optimum(kind: str) -> None:
    rng, early = np.random.default_rng(5), 0
    for _ in range(60):
        n = int(rng.integers(8, 60))
        X = rng.integers(0, int(rng.integers(2, 30)), (n, int(rng.integers(1, 5)))).astype(float)
        terms = {
            **KINDS[kind](rng, n),
            "max_depth": int(rng.integers(2, 4)),
            "penalty": float(rng.choice([0, 0, 0.01])),
            "min_samples_leaf": int(rng.choice([1, 1, 3])),
            "sample_weight": rng.integers(1, 4, n) if rng.random() < 0.3 else None,
        }
        plain = searched(X, 0, **terms)
        found = searched(X, EVERYWHERE, **terms)
        assert plain.status == found.status == "optimal"
        assert found.objective == plain.objective and found.tree == plain.tree
        bounds = [bound for _, _, bound in found.history]
        # Of numbers, the history is not counted anew.
        assert max(bounds) <= found.objective * (1 + 1e-9) + 1e-12
        early += any(0 < bound < found.objective for bound in bounds)
    assert early > 20


def test_costs_per_row_have_a_bound_before_the_best_tree() -> None:
    """Some of what the first tree costs, whatever the machine."""
    rng = np.random.default_rng(6)
    X, noise = rng.normal(size=(700, 8)), rng.normal(size=(700, 3))
    found = searched(X, 0, costs=noise + (X[:, :1] > 0) * [[0.0, 0.5, 1.0]], max_depth=3)
    first = next(i for i, (_, _, bound) in enumerate(found.history) if bound > 0)
    _, objective, bound = found.history[first]
    assert objective / 12 < bound < found.objective == found.lower_bound
    assert first < len(found.history) - 2
