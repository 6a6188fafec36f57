"""Several targets: exact, and in everything that shows or stores a tree."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import loss_oracle
import numpy as np
import pytest
from regression_oracle import Oracle
from sklearn.tree import DecisionTreeRegressor

import exactree
from exactree import tree
from exactree.export import export_dot, export_python, export_rules, export_text, to_sklearn


def drawn(seed: int, n: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    y = rng.normal(size=(n, 1 + seed % 3 + 1))
    if seed % 2:
        y = np.round(y, 1)
    weights = None if seed % 3 else rng.random(n) + 0.1
    return X, y, weights


@pytest.mark.parametrize("seed", range(24))
def test_against_every_tree(seed: int) -> None:
    n, depth = 7 + seed % 4, 1 + seed % 3
    X, y, weights = drawn(seed, n)
    penalty = 0.05 if seed % 4 == 0 else 0.0
    found = exactree.solve(
        X, y, task="regression", max_depth=depth, sample_weight=weights, penalty=penalty
    )
    w = np.ones(n) if weights is None else weights
    cost = Fraction(penalty) * sum(map(Fraction, w.tolist()))
    oracle = Oracle(X.T.tolist(), loss_oracle.squares(y.tolist(), w.tolist()), penalty=cost)
    best = float(oracle.optimum(depth))
    assert found.status == "optimal" and "finished_in_numpy" not in found.stats
    assert best * (1 - 1e-10) - 1e-13 <= found.objective <= best * (1 + 1e-9) + 1e-13


def test_one_target_twice_is_the_same_tree() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 3)), rng.normal(size=300)
    one = exactree.OptimalTreeRegressor(max_depth=3).fit(X, y)
    two = exactree.OptimalTreeRegressor(max_depth=3).fit(X, np.column_stack([y, y]))
    assert two.objective_ == pytest.approx(2 * one.objective_)
    assert np.array_equal(one.apply(X), two.apply(X))
    assert np.allclose(two.predict(X), one.predict(X)[:, None])
    greedy = DecisionTreeRegressor(max_depth=3).fit(X, np.column_stack([y, y]))
    assert two.predict(X).shape == greedy.predict(X).shape
    loss = ((greedy.predict(X) - np.column_stack([y, y])) ** 2).sum()
    assert two.objective_ <= loss * (1 + 1e-9)
    assert exactree.solve(
        X, np.column_stack([y, y]), task="regression", max_depth=1, engine="generic"
    ).objective == pytest.approx(2 * exactree.solve(X, y, task="regression", max_depth=1).objective)


def test_shown_and_stored() -> None:
    X, y = [[1.0], [2.0], [3.0]], [[0.0, 5.0], [2.0, 5.0], [9.0, 1.5]]
    model = exactree.OptimalTreeRegressor(max_depth=1).fit(X, y)
    assert "(1, 5) (2 rows, loss 2)" in str(model)
    assert "(9, 1.5)" in export_text(model) and "(9, 1.5)" in str(export_rules(model))
    assert "(9, 1.5)" in export_dot(model) and "(9, 1.5)" in model._repr_html_()
    names: dict[str, Any] = {}
    exec(export_python(model), names)
    assert names["predict"]([3.0]) == (9.0, 1.5)
    stored = tree.to_dict(model.tree_)
    assert tree.from_dict(stored) == model.tree_
    theirs = to_sklearn(model)
    assert np.array_equal(theirs.predict(X), model.predict(X))
    assert model.feature_importances_.tolist() == [1.0]
