"""Trees of hyperplanes, spheres, quadrics and mixtures against the specification."""

from __future__ import annotations

import json
import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import agrees
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import exactree
from exactree import Leaf, Node, solve, tree
from exactree.geometry import Surface, family_of, polynomial, widest_margin
from exactree.spec.constraints import min_leaf
from exactree.spec.data import Number, Sample
from exactree.spec.objectives import WEIGHTED_ZERO_ONE
from exactree.spec.programs import best_value
from exactree.spec.rules import Family, gen_splits
from exactree.splits import Hyperplane, Mixed, Polynomial, Sphere, SurfaceSplit

SQUARE = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
EXCLUSIVE_OR = [0, 1, 1, 0]
# What the user says, what the specification says.
FAMILIES: list[tuple[Any, Family]] = [
    ("hyperplane", "hyperplane"),
    ("sphere", "sphere"),
    ("axis_quadric", "axis_quadric"),
    ("quadric", ("polynomial", 2)),
    (Polynomial(3), ("polynomial", 3)),
    (["axis", "hyperplane"], ["axis", "hyperplane"]),
    (["hyperplane", "axis", Sphere()], ["hyperplane", "axis", "sphere"]),
]


def optimum(X: NDArray[Any], y: NDArray[Any], weights: Any, family: Family, **how: Any) -> Number:
    """The least cost of any tree by the specification."""
    mass = [1.0] * len(y) if weights is None else weights
    rows = enumerate(zip(X.tolist(), y.tolist(), mass, strict=True))
    samples = tuple(
        Sample(i, tuple(Fraction(str(v)) for v in x), label, Fraction(w))
        for i, (x, label, w) in rows
    )
    penalty = Fraction(how.get("penalty", 0.0)) * sum(map(Fraction, mass))
    return best_value(
        samples,
        gen_splits(family),
        WEIGHTED_ZERO_ONE,
        max_depth=how.get("max_depth"),
        max_splits=how.get("max_splits"),
        penalty=penalty,
        constraint=min_leaf(how.get("min_samples_leaf", 1)),
    )


def random_problem(rng: np.random.Generator, n: int) -> tuple[NDArray[Any], NDArray[Any], Any]:
    """Points on a small grid, where many lie on a line, or decimals; weights now and then."""
    X = rng.integers(0, 4, (n, 2)).astype(float)
    if rng.random() < 0.5:
        X = np.round(rng.random((n, 2)), 1)
    weights = rng.integers(1, 5, n).astype(float) if rng.random() < 0.4 else None
    return X, rng.integers(0, int(rng.integers(2, 4)), n), weights


@pytest.mark.parametrize("seed", range(42))
def test_the_optimum_is_that_of_the_specification(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = FAMILIES[seed % len(FAMILIES)]
    X, y, weights = random_problem(rng, 6 if ours in ("quadric", Polynomial(3)) else 8)
    how: dict[str, Any] = {"max_depth": int(rng.integers(1, 3))}
    if rng.random() < 0.3:
        how["penalty"] = 0.1
    if rng.random() < 0.3:
        how["max_splits"] = 2
    if rng.random() < 0.3:
        how["min_samples_leaf"] = 2
    found = solve(X, y, splits=ours, sample_weight=weights, **how)
    assert found.status == "optimal"
    assert agrees(found.objective, optimum(X, y, weights, theirs, **how))


@pytest.mark.parametrize("splits", [f for f, _ in FAMILIES], ids=str)
def test_constant_and_repeated_columns_and_few_rows_are_no_error(splits: Any) -> None:
    assert solve([[1.0, 2.0]], [0], splits=splits, max_depth=2).objective == 0
    assert solve([[1.0, 2.0], [1.0, 2.0]], [0, 1], splits=splits, max_depth=2).objective == 1
    constant = solve([[5.0, i] for i in range(4)], [0, 0, 1, 1], splits=splits, max_depth=1)
    assert constant.objective == 0
    repeated = solve([[i, i] for i in range(4)], [0, 0, 1, 1], splits=splits, max_depth=1)
    assert repeated.objective == 0


def test_one_split_is_the_linear_classifier_of_least_error() -> None:
    assert solve(SQUARE, EXCLUSIVE_OR, splits="hyperplane", max_depth=1).objective == 1
    assert solve(SQUARE, EXCLUSIVE_OR, splits="hyperplane", max_depth=2).objective == 0
    found = solve(SQUARE, EXCLUSIVE_OR, splits="sphere", max_depth=1)
    assert found.objective == 1  # the four corners are on a circle
    assert solve(SQUARE, EXCLUSIVE_OR, splits="quadric", max_depth=1).objective == 0


def test_more_families_are_never_worse() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 5, (9, 2)).astype(float), rng.integers(0, 2, 9)
    named = ["axis", "hyperplane", "sphere", "axis_quadric", "quadric"]
    value = {f: solve(X, y, splits=f, max_depth=1).objective for f in named}
    assert value["axis"] >= value["hyperplane"] >= value["sphere"] >= value["axis_quadric"]
    assert value["axis_quadric"] >= value["quadric"]
    mixed = solve(X, y, splits=["axis", "sphere"], max_depth=1).objective
    assert mixed == value["sphere"]


def test_spaces_are_named() -> None:
    def space(splits: Any) -> str:
        return solve(SQUARE, EXCLUSIVE_OR, splits=splits, max_splits=2).space

    assert space("hyperplane") == "hyperplane trees, at most 2 splits"
    assert space("quadric") == "quadric trees, at most 2 splits"
    assert space(["axis", Polynomial(3)]) == (
        "axis-parallel or degree-3 surface trees, at most 2 splits"
    )
    assert space(Mixed(["axis", "sphere"])) == "axis-parallel or sphere trees, at most 2 splits"


@pytest.mark.parametrize("seed", range(6))
def test_order_and_repetition_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (9, 2)).astype(float), rng.integers(0, 2, 9)
    weights = rng.integers(1, 3, 9)
    how: dict[str, Any] = {"splits": ["axis", "hyperplane"], "max_depth": 2}
    plain = solve(X, y, sample_weight=weights, **how)
    order = rng.permutation(np.repeat(np.arange(9), weights))
    again = solve(X[order], y[order], **how)
    assert again.objective == plain.objective
    assert [split_of(n) for n in tree.nodes(again.tree)] == [
        split_of(n) for n in tree.nodes(plain.tree)
    ]


def split_of(node: tree.Tree) -> Any:
    return node.split if isinstance(node, Node) else node.value


# --- The fitted split -------------------------------------------------------------------------

PLANE = SurfaceSplit(Surface(family_of("hyperplane"), (0.5, -1.0), 2.0), 2)
BALL = SurfaceSplit(Surface(family_of("sphere"), (-2.0, 0.0, 1.0), 3.0), 2)
CURVE = SurfaceSplit(Surface(polynomial(2), (0.0, 1.5, 0.25, -1.0, 0.0), 0.1 + 0.2), 2)
LONG = SurfaceSplit(Surface(family_of("hyperplane"), (10**30, -3), 10**40 + 1, True), 2)


def test_formulas() -> None:
    assert PLANE.formula(["a", "b"]) == "0.5 a - b <= 2"
    assert PLANE.formula(["a", "b"], holds=False) == "0.5 a - b > 2"
    assert BALL.formula() == "-2 x[0] + (x[0]^2 + x[1]^2) <= 3"
    assert CURVE.formula(["a", "b"], digits=17) == "1.5 b + 0.25 a^2 - a b <= 0.30000000000000004"
    assert LONG.formula(["a", "b"]) == f"{10**30} a - 3 b <= {10**40 + 1}"
    scaled = SurfaceSplit(Surface(family_of("hyperplane"), (0.4 / 3.5, 1 / 3.5), 2.2 / 3.5), 2)
    assert scaled.formula(["a", "b"]) == scaled.formula(["a", "b"], digits=12) == "0.4 a + b <= 2.2"
    assert scaled.formula(digits=17).startswith(f"{scaled.surface.coefficients[0]:.17g} x[0]")
    ball = SurfaceSplit(Surface(family_of("sphere"), (4 / 99, 16 / 99, -2 / 99), 33 / 99), 2)
    assert ball.formula(["a", "b"]) == "2 a + 8 b - (a^2 + b^2) <= 16.5"
    whole = SurfaceSplit(Surface(family_of("hyperplane"), (6 * 10**40, 4), -8, True), 2)
    assert whole.formula(["a", "b"]) == f"{15 * 10**39} a + b <= -2"
    huge = SurfaceSplit(Surface(family_of("hyperplane"), (1e-300, 0.0), 1e300), 2)
    assert huge.formula(["a", "b"]) == "1e-300 a <= 1e+300"
    assert (PLANE.features(), BALL.features(), CURVE.features()) == ((0, 1), (0, 1), (0, 1))
    flat = SurfaceSplit(Surface(family_of("quadric"), (0.0, 0.0, 0.0, 0.0, 2.0), 1.0), 2)
    assert flat.features() == (1,)


@pytest.mark.parametrize(
    "split", [PLANE, BALL, CURVE, LONG], ids=["plane", "ball", "curve", "long"]
)
def test_splits_survive_json_and_pickle(split: SurfaceSplit) -> None:
    stump = Node(split, Leaf(0, 1, (1, 0)), Leaf(1, 1, (0, 1)))
    assert tree.from_dict(json.loads(json.dumps(tree.to_dict(stump)))) == stump
    assert pickle.loads(pickle.dumps(stump)) == stump


@pytest.mark.parametrize("split", [PLANE, BALL, CURVE], ids=["plane", "ball", "curve"])
def test_splits_as_python_mean_the_same(split: SurfaceSplit) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 2)) * 3, rng.integers(-3, 4, (200, 2))])
    said = [eval(split.to_python(), {}, {"x": row}) for row in X.tolist()]
    assert said == split.goes_left(X).tolist()


@pytest.mark.parametrize(
    "split", [PLANE, BALL, CURVE, LONG], ids=["plane", "ball", "curve", "long"]
)
def test_the_decision_is_zero_on_the_boundary(split: SurfaceSplit) -> None:
    X = np.random.default_rng(0).normal(size=(200, 2)) * 3
    values = split.decision(X)
    clear = np.abs(values) > 1e-9
    assert ((values <= 0) == split.goes_left(X))[clear].all()


def test_splits_beyond_floats_are_not_written_as_python() -> None:
    with pytest.raises(ValueError, match="longer numbers than floats"):
        LONG.to_python()


def test_a_row_is_decided_alone() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    for split in (PLANE, BALL, CURVE, LONG):
        together = split.goes_left(X).tolist()
        assert [bool(split.goes_left(X[i : i + 1])[0]) for i in range(100)] == together


def test_the_margin_is_that_of_the_node() -> None:
    found = solve([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0]], [0, 0, 1], splits="hyperplane", max_depth=1)
    assert isinstance(found.tree, Node)
    assert found.tree.split.goes_left(np.array([[4.9, 7.0], [5.1, -7.0]])).tolist() == [True, False]


def test_points_that_floats_can_hardly_part() -> None:
    X = np.array([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9], [0.4, 1.2]])
    X[2, 1] += 1e-16 * 2  # one unit in the last place off the line
    found = solve(X, [0, 0, 1, 0], splits="hyperplane", max_depth=1)
    assert (found.objective, found.status) == (0, "optimal")
    assert tree.predict(found.tree, X).tolist() == [0, 0, 1, 0]


# --- Estimators -------------------------------------------------------------------------------


@pytest.mark.parametrize("splits", ["hyperplane", ["axis", "sphere"], Hyperplane()], ids=str)
def test_estimators(splits: Any) -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 6, (10, 2)).astype(float)
    y = np.where(X[:, 0] > X[:, 1], "low", "high")
    model = exactree.OptimalTreeClassifier(splits=splits, max_depth=2).fit(X, y)
    assert (model.predict(X) != y).sum() == model.objective_ == 0
    assert np.isclose(model.feature_importances_.sum(), 1)
    again = clone(model).fit(X, y)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert "return" in exactree.export_python(model)


# --- Limits and bad input ---------------------------------------------------------------------


def test_a_list_too_large_is_refused_before_it_starts() -> None:
    X, y = np.random.default_rng(0).normal(size=(2000, 4)), np.arange(2000) % 2
    how: dict[str, Any] = {"max_depth": 2, "engine": "generic"}
    with pytest.raises(ValueError, match=r"distinct rows have up to \d+ .* rows would fit"):
        solve(X, y, splits="hyperplane", **how)
    with pytest.raises(ValueError, match="memory_limit allows 1 MB"):
        solve(X[:300, :2], y[:300], splits="sphere", memory_limit=2**20, **how)
    with pytest.raises(ValueError, match="surfaces with 22 coefficients, at most 20"):
        solve(np.random.default_rng(0).normal(size=(23, 21)), y[:23], splits="hyperplane", **how)


def test_the_search_needs_no_list_and_keeps_to_its_limits() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    found = solve(X, y, splits="hyperplane", max_depth=2, memory_limit=2**20)
    assert found.status == "memory_limit"
    assert 0 <= found.lower_bound < found.objective < 150
    assert found.stats["peak_bytes"] < 1.2 * 2**20
    timed = solve(X, y, splits=["hyperplane", "axis"], max_depth=2, time_limit=0.3)
    assert timed.status == "time_limit"
    assert timed.stats["seconds"] < 2


@pytest.mark.parametrize("splits", ["hyperplane", "sphere", ["axis", "hyperplane"]])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_stopped_search_has_a_tree(splits: Any, task: str) -> None:
    X = np.random.default_rng(0).normal(size=(150, 3))
    y = np.arange(150) % 2
    how: dict[str, Any] = {"max_depth": 2, "max_splits": 2, "min_samples_leaf": 5}
    found = solve(X, y, task=task, splits=splits, penalty=0.01, time_limit=0.0, **how)
    leaf = 75 if task == "classification" else 37.5
    assert found.status == "time_limit"
    assert 0 <= found.lower_bound < found.objective < leaf
    assert np.isclose(found.gap, found.objective - found.lower_bound)
    assert found.objective == found.history[-1][1]
    assert 1 <= tree.size(found.tree) <= 2
    assert min(end.rows for end in tree.leaves(found.tree)) >= 5


def test_a_first_tree_may_complete_the_proof() -> None:
    X = np.random.default_rng(0).normal(size=(150, 3))
    y = X[:, 1] > 0.3
    found = solve(X, y, splits="hyperplane", max_depth=2, time_limit=0.0)
    assert (found.status, found.objective, found.gap) == ("optimal", 0, 0)
    assert found.space == "hyperplane trees, depth <= 2"


def test_a_stopped_path_has_trees() -> None:
    X = np.random.default_rng(0).normal(size=(150, 3))
    path = exactree.size_path(X, np.arange(150) % 2, max_splits=4, splits="sphere", time_limit=0.0)
    assert [r.status for r in path][1:] == ["time_limit"] * 4
    assert path.objectives[1] < 75 == path.objectives[0]
    assert all(tree.size(result.tree) <= k for k, result in enumerate(path))


def test_a_limit_during_the_listing() -> None:
    X = np.random.default_rng(0).normal(size=(150, 3))
    y = np.arange(150) % 2
    how: dict[str, Any] = {"splits": "hyperplane", "max_depth": 1, "time_limit": 0.0}
    listed = solve(X[:20], y[:20], engine="size_rec", **how)
    assert (listed.status, listed.objective, listed.lower_bound) == ("time_limit", 10, 0)
    assert isinstance(listed.tree, Leaf)  # thresholds are no combination of its rules
    model = exactree.OptimalTreeClassifier(splits="hyperplane", max_depth=1, time_limit=0.0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)


@pytest.mark.parametrize("how", [TimeoutError, KeyboardInterrupt])
@pytest.mark.parametrize("fitted", [0, 1, 2])
def test_fitting_can_be_stopped(monkeypatch: pytest.MonkeyPatch, how: Any, fitted: int) -> None:
    """The tree ends where a surface was not fitted; its bound stays what the search proved."""
    X, y = SQUARE, [0, 1, 2, 3]
    left = [fitted]

    def limited(*args: Any, **rest: Any) -> Surface:
        left[0] -= 1
        if left[0] < 0:
            raise how
        return widest_margin(*args, **rest)

    monkeypatch.setattr("exactree.splits.surface.widest_margin", limited)
    found = solve(X, y, splits="hyperplane", max_depth=2, engine="generic")
    assert found.status == ("time_limit" if how is TimeoutError else "interrupted")
    assert (found.objective, found.lower_bound, found.gap) == (3 - fitted, 0, 3 - fitted)
    assert tree.size(found.tree) == fitted
    assert (tree.predict(found.tree, np.array(X)) != y).sum() == found.objective


def test_fitting_has_some_time_when_the_search_had_none(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 2)), rng.integers(0, 2, 150)
    how: dict[str, Any] = {"splits": "hyperplane", "max_depth": 4, "time_limit": 0.3}
    how["engine"] = "generic"
    assert isinstance(solve(X, y, **how).tree, Node)
    monkeypatch.setattr("exactree.solving.FITTING_SECONDS", 0.0)
    found = solve(X, y, **how)
    assert (found.status, isinstance(found.tree, Leaf)) == ("time_limit", True)


def test_an_interrupted_listing_gives_the_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("exactree.splits.surface.unlisted", interrupted)
    found = solve(SQUARE, EXCLUSIVE_OR, splits="hyperplane", max_depth=1)
    assert (found.status, found.objective) == ("interrupted", 2)


def test_no_budget_for_a_split_needs_no_listing() -> None:
    X = np.random.default_rng(0).normal(size=(2000, 9))
    found = solve(X, np.arange(2000) % 2, splits="hyperplane", max_depth=0)
    assert (found.status, found.objective) == ("optimal", 1000)


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ("plane", "splits='plane' is unknown: choose one of 'axis', .*'quadric'"),
        ([], "splits is an empty list"),
        (["axis", "plane"], "splits='plane' is unknown"),
        (Hyperplane, "is no split family"),
        (3, "is no split family"),
        (Polynomial(0), "degree 0: give an integer of at least 1"),
        (Polynomial(2.5), "degree 2.5: give an integer"),  # type: ignore[arg-type]
        (Hyperplane("some"), "boundary='some' is unknown: choose one of 'all'"),
    ],
)
def test_unknown_families_and_degrees(splits: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve(SQUARE, EXCLUSIVE_OR, splits=splits, max_depth=1)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_none(value: float) -> None:
    with pytest.raises(ValueError, match="column 1"):
        solve([[0.0, value], [1.0, 1.0]], [0, 1], splits="hyperplane", max_depth=1)
    with pytest.raises(ValueError, match="no columns"):
        solve(np.zeros((3, 0)), [0, 1, 0], splits="hyperplane", max_depth=1)


def test_nothing_warns_on_the_way() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve(SQUARE, EXCLUSIVE_OR, splits=["axis", "quadric"], max_depth=2)
