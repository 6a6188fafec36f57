"""F-scores, Jaccard's index and the balanced error against all trees there are."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import exactree
from exactree.objectives import FBeta, Jaccard
from exactree.tree import leaves

Pairs = frozenset[tuple[int, int]]


def mistakes(
    X: NDArray[Any],
    positive: NDArray[Any],
    weights: NDArray[Any],
    depth: int,
    splits: int,
    least: int,
) -> Pairs:
    """List what all trees miss and take wrongly, (FN, FP), whatever their leaves answer."""

    @cache
    def of(rows: tuple[int, ...], depth: int, splits: int) -> Pairs:
        inside = list(rows)
        all_of_them = int(weights[inside] @ positive[inside])
        found = {(all_of_them, 0), (0, int(weights[inside].sum()) - all_of_them)}
        if not depth or not splits:
            return frozenset(found)
        for column in X.T:
            for low in np.unique(column[inside])[:-1]:
                sides = [
                    tuple(i for i in rows if (column[i] <= low) == goes) for goes in (True, False)
                ]
                if min(map(len, sides)) < least:
                    continue
                for k in range(splits):
                    left, right = (
                        of(sides[0], depth - 1, k),
                        of(sides[1], depth - 1, splits - 1 - k),
                    )
                    found |= {(a + c, b + d) for a, b in left for c, d in right}
        return frozenset(found)

    return of(tuple(range(len(X))), depth, splits)


def best_loss(pairs: Pairs, total: int, beta: Fraction) -> Fraction:
    """Give the least 1 - F by its definition."""

    def score(missed: int, false: int) -> Fraction:
        hits = (1 + beta**2) * (total - missed)
        return hits / (hits + beta**2 * missed + false)

    return 1 - max(score(*pair) for pair in pairs)


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(1, 10))
    X = rng.integers(0, rng.integers(1, 8), (n, int(rng.integers(1, 4)))).astype(float)
    y = rng.integers(0, 2, n)
    y[rng.integers(0, n)] = 1
    weights = rng.integers(1, 6, n) if rng.random() < 0.4 else None
    depth = int(rng.integers(0, 4))
    return {
        "X": X,
        "y": y,
        "sample_weight": weights,
        "max_depth": depth,
        "max_splits": int(rng.integers(0, 2**depth)) if rng.random() < 0.4 else None,
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2])),
    }


def check(problem: dict[str, Any], beta: float) -> None:
    X, y, weights = problem["X"], problem["y"], problem["sample_weight"]
    ones = np.ones(len(y), np.int64) if weights is None else weights
    most = 2 ** problem["max_depth"] - 1
    splits = most if problem["max_splits"] is None else problem["max_splits"]
    pairs = mistakes(X, y, ones, problem["max_depth"], splits, problem["min_samples_leaf"])
    right = best_loss(pairs, int(ones @ y), Fraction(str(beta)))
    if len(np.unique(y)) < 2:
        problem = {**problem, "objective": FBeta(beta=beta, positive=1)}
    found = exactree.solve(**{"objective": FBeta(beta=beta), **problem})
    assert found.status == "optimal"
    assert found.objective == found.lower_bound == float(right)
    assert found.stats["solves"] <= 8
    if beta == 1:
        other = exactree.solve(**{**problem, "objective": Jaccard(positive=1)})
        assert other.objective == other.lower_bound == float(1 - (1 - right) / (1 + right))
    assert sum(leaf.rows for leaf in leaves(found.tree)) == len(y)


def test_f_scores_of_all_trees() -> None:
    rng = np.random.default_rng(0)
    for _ in range(120):
        check(drawn(rng), float(rng.choice([1.0, 1.0, 0.5, 2.0, 0.1])))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_f_scores_of_many_trees(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(1000):
        check(drawn(rng), float(rng.choice([1.0, 1.0, 0.5, 2.0, 0.1])))


def f1(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    hits = int((y & predicted).sum())
    return 2 * hits / (2 * hits + int((y != predicted).sum()))


def data(n: int = 300, seed: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] > 1.0) & (X[:, 1] > 0) ^ (rng.random(n) < 0.1)
    return X, y.astype(int)


def test_the_estimator_has_the_score_it_says() -> None:
    X, y = data()
    tree = exactree.OptimalTreeClassifier(max_depth=2, objective="f1").fit(X, y)
    assert tree.objective_ == pytest.approx(1 - f1(y, tree.predict(X)), abs=1e-12)
    plain = exactree.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert f1(y, tree.predict(X)) >= f1(y, plain.predict(X))


def test_jaccard_has_the_same_tree() -> None:
    X, y = data()
    one = exactree.solve(X, y, max_depth=2, objective="f1")
    other = exactree.solve(X, y, max_depth=2, objective="jaccard")
    assert one.tree == other.tree
    score = 1 - one.objective
    assert 1 - other.objective == pytest.approx(score / (2 - score), abs=1e-12)
    assert exactree.solve(X, y, max_depth=1, objective=Jaccard(positive=0)).status == "optimal"


def test_one_class_against_the_rest() -> None:
    X, y = data()
    names = np.array(["a", "b", "c"])[np.where(y == 1, 1, (X[:, 2] > 0) * 2)]
    found = exactree.solve(X, names, max_depth=2, objective=FBeta(positive="b"))
    assert found.objective == exactree.solve(X, y, max_depth=2, objective="f1").objective
    assert found.classes == ("a", "b", "c")
    for leaf in leaves(found.tree):
        others = [w for name, w in zip(found.classes, leaf.weights, strict=True) if name != "b"]
        if found.classes[int(leaf.value)] != "b":
            assert leaf.weights[int(leaf.value)] == max(others)


def test_the_first_argument_of_an_f_score_is_beta() -> None:
    """It was the positive class: FBeta(2) of classes 1, 2 and 3 meant the F1 score of class 2."""
    assert FBeta(2) == FBeta(beta=2, positive=None)
    assert FBeta(1, positive="b").positive == "b"
    with pytest.raises(TypeError):
        Jaccard("b")  # type: ignore[call-arg]


def test_the_balanced_error_is_a_mean_of_shares() -> None:
    X, y = data()
    found = exactree.solve(X, y, max_depth=2, objective="balanced_error")
    tree = exactree.OptimalTreeClassifier(max_depth=2, objective="balanced_error").fit(X, y)
    wrong = tree.predict(X) != y
    shares = [wrong[y == c].mean() for c in (0, 1)]
    assert found.objective == pytest.approx(np.mean(shares), abs=1e-12)
    assert found.status == "optimal" and found.objective == found.lower_bound


def test_a_limit_leaves_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(3000, 8)), rng.integers(0, 2, 3000)
    found = exactree.solve(X, y, max_depth=3, objective="f1", time_limit=0.4)
    assert found.status == "time_limit"
    assert 0 <= found.lower_bound < found.objective < 1
    best = exactree.solve(X[:, :1], y, max_depth=1, objective="f1")
    assert found.lower_bound <= best.objective


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"penalty": 0.1}, "penalty"),
        ({"min_weight_fraction_leaf": 0.1}, "min_weight_fraction_leaf"),
        ({"objective": FBeta(positive=7)}, "does not occur"),
        ({"sample_weight": np.linspace(0.1, 1, 4) ** 0.5}, "60 bits"),
        ({"y": [0, 1, 2, 2]}, "name it"),
        ({"y": [0, 0, 0, 0]}, "name it"),
    ],
)
def test_what_does_not_go_together_is_refused(more: dict[str, Any], said: str) -> None:
    given = {"X": [[1], [2], [3], [4]], "y": [0, 1, 0, 1], "max_depth": 1, "objective": "f1"}
    with pytest.raises(ValueError, match=said):
        exactree.solve(**{**given, **more})


@pytest.mark.parametrize("beta", [0, -1, float("nan"), "1", 0.123456789])
def test_bad_betas_are_refused(beta: Any) -> None:
    with pytest.raises(ValueError, match="beta"):
        FBeta(beta=beta)


@pytest.mark.parametrize("how", ["KeyboardInterrupt", "StopIteration", "True"])
@pytest.mark.parametrize("calls", [1, 2, 3, 4])
def test_a_function_that_ends_the_steps_keeps_the_tree(how: str, calls: int) -> None:
    """It is called within a search, and between two of them."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    told: list[exactree.Progress] = []

    def end(progress: exactree.Progress) -> bool:
        told.append(progress)
        if len(told) < calls:
            return False
        if how == "KeyboardInterrupt":
            raise KeyboardInterrupt
        if how == "StopIteration":
            raise StopIteration
        return True

    found = exactree.solve(X, y, objective="f1", max_depth=2, on_progress=end)
    best = exactree.solve(X, y, objective="f1", max_depth=2)
    assert found.lower_bound <= best.objective <= found.objective < 1
    if len(told) >= calls and found.gap:
        assert found.status == ("interrupted" if how == "KeyboardInterrupt" else "stopped")
