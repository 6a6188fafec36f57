"""Tables with holes, categories and dates: exact against the specification, shown as they are."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from oracles import agrees
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from table_oracle import SIZES, optimum, random_table

from exactree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    export_text,
    rare_categories,
    size_path,
    solve,
    tree,
)
from exactree.problem import Result
from exactree.splits import (
    AxisSplit,
    CategorySplit,
    MissingSplit,
    OrderedSplit,
    SubsetSplit,
    derived,
)
from exactree.tree import Leaf, Node, Split
from exactree.two_levels import TwoLevels


def root(found: Result) -> Split:
    """The first question of a tree."""
    assert isinstance(found.tree, Node)
    return found.tree.split


@pytest.mark.parametrize("block", range(8))
def test_random_tables_against_the_specification(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        case = random_table(np.random.default_rng(seed))
        found = solve(case.frame(), case.y, sample_weight=case.weights, **case.parameters)
        assert found.status == "optimal"
        assert agrees(found.objective, optimum(case)), seed


@pytest.mark.fuzz
def test_many_random_tables_against_the_specification() -> None:
    for seed in range(1000, 21000):
        case = random_table(np.random.default_rng(seed))
        found = solve(case.frame(), case.y, sample_weight=case.weights, **case.parameters)
        assert agrees(found.objective, optimum(case)), seed


def test_fewer_missing_rows_than_a_leaf_has_to_have() -> None:
    for seed in (116131, *range(2000, 2040)):
        case = random_table(np.random.default_rng(seed))
        how = {**case.parameters, "max_depth": 3, "min_samples_leaf": 3}
        case = replace(case, parameters=how, weights=None)
        found = solve(case.frame(), case.y, **how)
        assert agrees(found.objective, optimum(case)), seed


@pytest.mark.parametrize("engine", ["search", "generic", "brute_force"])
def test_every_engine_finds_the_same(engine: str) -> None:
    for seed in range(500, 530):
        case = random_table(np.random.default_rng(seed))
        how = {**case.parameters, "max_depth": min(case.parameters["max_depth"], 2)}
        found = solve(case.frame(), case.y, sample_weight=case.weights, engine=engine, **how)
        wanted = solve(case.frame(), case.y, sample_weight=case.weights, **how)
        assert found.objective == pytest.approx(wanted.objective), seed


@pytest.mark.parametrize("engine", ["size_rec", "size_vec", "size_kperms"])
def test_engines_over_rules_take_tables(engine: str) -> None:
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": ["x", "y", None, "x"]})
    found = solve(frame, [0, 1, 1, 0], max_splits=2, engine=engine)
    assert found.objective == solve(frame, [0, 1, 1, 0], max_splits=2).objective == 0


def test_the_order_of_rows_and_of_categories_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    for seed in range(700, 760):
        case = random_table(np.random.default_rng(seed))
        order = rng.permutation(len(case.y))
        weights = None if case.weights is None else case.weights[order]
        frame = case.frame()
        found = solve(frame, case.y, sample_weight=case.weights, **case.parameters)
        again = solve(frame.iloc[order], case.y[order], sample_weight=weights, **case.parameters)
        assert found.tree == again.tree


def test_training_rows_end_where_the_objective_says() -> None:
    for seed in range(800, 860):
        case = random_table(np.random.default_rng(seed))
        budgets = {k: v for k, v in case.parameters.items() if k != "penalty"}
        model = OptimalTreeClassifier(**budgets).fit(case.frame(), case.y, case.weights)
        weights = np.ones(len(case.y)) if case.weights is None else case.weights
        lost = weights @ (model.predict(case.frame()) != case.y)
        assert lost == model.objective_
        stored = json.loads(json.dumps(tree.to_dict(model.tree_)))
        assert tree.from_dict(stored) == model.tree_


# --- missing values ---------------------------------------------------------------------------


def test_a_hole_is_an_answer_of_its_own() -> None:
    X = np.array([[1.0], [2.0], [np.nan], [3.0]])
    alone = solve(X, [0, 0, 1, 0], max_depth=1)
    assert alone.objective == 0 and alone.tree == Node(
        MissingSplit(0), Leaf(1, 1, (0, 1)), Leaf(0, 3, (3, 0))
    )
    left = solve(X, [0, 0, 0, 1], max_depth=1)
    assert left.objective == 0 and root(left) == AxisSplit(0, 2.5, "left")
    right = solve(X, [0, 1, 1, 1], max_depth=1)
    assert right.objective == 0 and root(right) == AxisSplit(0, 1.5, "right")
    assert "x[0] <= 1.5" in str(right)


@pytest.mark.parametrize("hole", [np.nan, None, pd.NA])
def test_every_way_to_miss_a_value(hole: Any) -> None:
    listed = [[1.0], [2.0], [hole], [3.0]]
    frame = pd.DataFrame({"a": pd.array([1, 2, None if hole is None else pd.NA, 3], "Int64")})
    for X in (listed, np.array(listed, dtype=object), frame, pl.DataFrame({"a": [1, 2, None, 3]})):
        assert solve(X, [0, 0, 1, 0], max_depth=1).objective == 0


def test_missing_dates_and_masks() -> None:
    dates = np.array([["2020-01-01"], ["NaT"], ["2020-01-03"]], dtype="M8[D]")
    assert solve(dates, [0, 1, 0], max_depth=1).objective == 0
    masked = np.ma.masked_invalid([[1.0], [np.nan]])
    with pytest.raises(ValueError, match="masked array"):
        solve(masked, [0, 1], max_depth=1)


def test_missing_can_be_refused() -> None:
    X = [[1.0], [np.nan]]
    with pytest.raises(ValueError, match="Input X contains NaN: column 0, row 1"):
        solve(X, [0, 1], max_depth=1, missing="error")
    frame = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "y"]})
    with pytest.raises(ValueError, match=r"column 'a', row 1; .*, or allow them"):
        OptimalTreeClassifier(missing="error").fit(frame, [0, 1])
    model = OptimalTreeClassifier(missing="error").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="contains NaN"):
        model.predict(X)
    with pytest.raises(ValueError, match="missing='drop' is unknown"):
        solve(X, [0, 1], max_depth=1, missing="drop")


@pytest.mark.parametrize(
    "X", [[[1.0], [np.inf]], pd.DataFrame({"a": [1, np.inf], "b": ["x", "y"]})]
)
def test_infinity_is_still_refused(X: Any) -> None:
    with pytest.raises(ValueError, match="infinity"):
        solve(X, [0, 1], max_depth=1)


def test_missing_labels_and_weights_are_still_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        solve([[1.0], [2.0]], [0.0, np.nan], max_depth=1)
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        solve([[1.0], [2.0]], [0, 1], max_depth=1, sample_weight=[1.0, np.nan])


def test_a_hole_that_training_did_not_have_goes_with_the_larger_weight() -> None:
    X = [[1.0], [2.0], [3.0]]
    for weights, expected in (
        ([1, 1, 1], "b"),
        ([3, 1, 1], "a"),
        ([1, 1, 3], "b"),
        ([2, 1, 1], "a"),
    ):
        model = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "b", "b"], sample_weight=weights)
        assert model.predict([[np.nan]]).tolist() == [expected]
        assert tree.predict(model.tree_, np.array([[np.nan]])).tolist() == [expected == "b"]


def test_scikit_learn_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    tags = OptimalTreeClassifier().__sklearn_tags__().input_tags
    assert tags.allow_nan and tags.categorical and not tags.string
    assert not OptimalTreeRegressor(missing="error").__sklearn_tags__().input_tags.allow_nan


def test_holes_in_regression_and_in_every_estimator() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 2.0, -1.0)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert model.score(X, y) > 0.5
    path = size_path(X, y > 0, max_splits=3)
    chosen = OptimalTreeClassifierCV(max_splits=3, cv=3).fit(X, y > 0)
    assert chosen.objective_ in path.objectives
    assert make_pipeline(FunctionTransformer(), OptimalTreeRegressor()).fit(X, y).predict(X).shape


# --- categories -------------------------------------------------------------------------------

CARS = pd.DataFrame(
    {
        "colour": ["red", "blue", "green", "blue", "red", None],
        "weight": [900.0, 1200.0, np.nan, 800.0, 1300.0, 1000.0],
    }
)
SOLD = ["no", "yes", "yes", "yes", "no", "yes"]


def test_categories_are_shown_by_name() -> None:
    model = OptimalTreeClassifier(max_depth=1).fit(CARS, SOLD)
    assert model.tree_ == Node(CategorySplit(0, "red"), Leaf(0, 2, (2, 0)), Leaf(1, 4, (0, 4)))
    assert "colour = red" in str(model)
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["colour", "weight"]
    assert model.feature_importances_.tolist() == [1.0, 0.0]
    # A category that is not known is none of those asked for.
    unseen = pd.DataFrame({"colour": ["pink", None, "red"], "weight": [1.0, 2.0, np.nan]})
    assert model.predict(unseen).tolist() == ["yes", "yes", "no"]


IN_POLARS = pl.DataFrame(
    {"colour": ["red", "blue", "green", "blue", "red", None], "weight": CARS["weight"].to_list()}
)


@pytest.mark.parametrize(
    "frame",
    [
        CARS.astype({"colour": "category"}),
        CARS.astype({"colour": object}),
        IN_POLARS,
        IN_POLARS.cast({"colour": pl.Categorical}),
    ],
    ids=["category", "object", "polars", "polars categorical"],
)
def test_every_type_of_categories(frame: Any) -> None:
    wanted = solve(CARS, SOLD, max_depth=2)
    assert solve(frame, SOLD, max_depth=2).tree == wanted.tree


@pytest.mark.parametrize("chosen", [[0], ["colour"], [True, False], np.array([True, False])])
def test_categories_by_name_number_or_mask(chosen: Any) -> None:
    found = solve(CARS, SOLD, max_depth=1, categorical_features=chosen)
    assert root(found) == CategorySplit(0, "red")


def test_arrays_have_categories_where_the_user_says_so() -> None:
    X = np.array([[3, 1.5], [1, 2.5], [2, 0.5], [1, 1.0]])
    found = solve(X, [0, 1, 0, 1], max_depth=1, categorical_features=[0])
    assert root(found) == CategorySplit(0, 1)
    assert str(found).splitlines()[1] == "x[0] = 1"
    text = np.array([["a", 1.5], ["b", 2.5], [None, 0.5]], dtype=object)
    found = solve(text, [0, 0, 1], max_depth=1, categorical_features=[0])
    assert root(found) == MissingSplit(0)
    model = OptimalTreeClassifier(categorical_features=[0]).fit(text, [0, 0, 1])
    assert model.predict(text).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["size"], "categorical_features names 'size', and X has 'colour', 'weight'"),
        ([5], "has the entry 5: X has the columns 0 to 1"),
        ([True], "has 1 truths, X has 2 columns"),
        ("colour", "pass 'from_dtype', None, or a list"),
        (3, "pass 'from_dtype', None, or a list"),
    ],
)
def test_categories_that_are_not_there(chosen: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve(CARS, SOLD, max_depth=1, categorical_features=chosen)


@pytest.mark.parametrize(
    "values", [["1", "2", "3"], ["a", "2", "b"], ["a", 2, "b"], ["a", " 1e3", "b"]]
)
@pytest.mark.parametrize("dtype", [object, "string"])
def test_text_that_may_be_numbers_is_not_guessed_at(values: list[Any], dtype: Any) -> None:
    frame = pd.DataFrame({"a": pd.Series(values).astype(dtype)})
    with pytest.raises(ValueError, match=r"column 'a' of X has text, and .*pandas\.to_numeric"):
        solve(frame, [0, 1, 1], max_depth=1)
    assert solve(frame, [0, 1, 1], max_depth=1, categorical_features=["a"]).objective == 0


def test_text_in_arrays_stays_an_error() -> None:
    with pytest.raises(ValueError, match="X holds text"):
        solve(np.array([["a"], ["b"]], dtype=object), [0, 1], max_depth=1)
    with pytest.raises(ValueError, match="column 'colour' of X holds text"):
        solve(CARS, SOLD, max_depth=1, categorical_features=None)


def test_subsets() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "green", "grey", None] * 2})
    y = [0, 1, 0, 1, 1] * 2
    found = solve(frame, y, max_depth=1, categories="subset")
    assert found.objective == 0
    assert root(found) == SubsetSplit(0, ("blue", "grey", None), ("green", "red"))
    assert "colour in {blue, grey, missing}" in str(found)
    assert root(found).formula(["colour"], holds=False) == "colour not in {blue, grey, missing}"
    model = OptimalTreeClassifier(max_depth=1, categories="subset").fit(frame, y)
    # Six of ten rows go left: so does a colour that is not known.
    assert model.predict(pd.DataFrame({"colour": ["pink", "red"]})).tolist() == [1, 0]


def test_too_many_categories_for_subsets() -> None:
    ten = pd.DataFrame({"a": list("abcdefghij")})
    assert solve(ten, range(10), max_depth=1, categories="subset").status == "optimal"
    eleven = pd.DataFrame({"a": list("abcdefghijk")})
    with pytest.raises(ValueError, match="column 'a' of X has 11 categories, which is 1023"):
        solve(eleven, range(11), max_depth=1, categories="subset")
    with pytest.raises(ValueError, match="categories='any' is unknown"):
        solve(ten, range(10), max_depth=1, categories="any")


def test_ordered_categories_are_thresholds() -> None:
    sizes = pd.Categorical(["small", "large", "medium", None], categories=SIZES, ordered=True)
    found = solve(pd.DataFrame({"size": sizes}), [0, 1, 0, 1], max_depth=1)
    assert found.objective == 0
    assert root(found) == OrderedSplit(0, SIZES[:2], SIZES[2:], "right")
    assert "size <= medium" in str(found)
    model = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"size": sizes}), [0, 1, 0, 1])
    new = pd.DataFrame({"size": ["huge", "small", None, "tiny"]})
    assert model.predict(new).tolist() == [1, 0, 1, 0]  # tiny is not in the order: a tie goes left


def test_an_enum_of_polars_is_in_its_order() -> None:
    sizes = pl.Series(["small", "large", "medium", None, "small"], dtype=pl.Enum(SIZES))
    y = [0, 1, 0, 1, 0]
    model = OptimalTreeClassifier(max_depth=1).fit(pl.DataFrame({"size": sizes}), y)
    in_pandas = pd.Categorical(sizes.to_list(), categories=SIZES, ordered=True)
    assert model.tree_ == solve(pd.DataFrame({"size": in_pandas}), y, max_depth=1).tree
    assert "size <= medium" in str(model)
    for given in (sizes, sizes.cast(pl.String), sizes.cast(pl.Categorical)):
        assert model.predict(pl.DataFrame({"size": given})).tolist() == y


def test_booleans_are_yes_and_no() -> None:
    frame = pd.DataFrame({"smoker": [True, False, True, False], "age": [1.0, 2.0, 3.0, 4.0]})
    found = solve(frame, [1, 0, 1, 0], max_depth=1)
    assert root(found) == CategorySplit(0, True)
    assert str(found).splitlines()[1] == "smoker = yes"
    assert root(found).formula(["smoker"], holds=False) == "smoker = no"
    model = OptimalTreeClassifier(max_depth=1).fit(frame, [1, 0, 1, 0])
    numbers = np.array([[1.0, 1.0], [0.0, 9.0]])
    assert model.predict(pd.DataFrame(numbers, columns=frame.columns)).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"has 2\.0, and was yes or no in training"):
        model.predict(pd.DataFrame([[2.0, 1.0]], columns=frame.columns))


# --- dates ------------------------------------------------------------------------------------


def test_dates_are_told_apart_to_the_nanosecond() -> None:
    first = pd.Timestamp("2024-02-29T12:00:00.000000001")
    frame = pd.DataFrame({"seen": [first, first + pd.Timedelta(1, "ns")]})
    assert float(first.value) == float(first.value + 1)
    model = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 1])
    assert model.objective_ == 0
    assert "seen <= 2024-02-29T12:00:00.000000001" in str(model)
    as_objects = frame.astype(object)
    moments = [moment.to_numpy() for moment in frame["seen"]]
    in_numpy = pd.DataFrame({"seen": pd.Series(moments, dtype=object)})
    for given in (frame, as_objects, in_numpy):
        assert model.predict(given).tolist() == [0, 1]
        assert solve(given, [0, 1], max_depth=1).objective == 0
    spans = pd.DataFrame({"for": [pd.Timedelta(1, "ns"), pd.Timedelta(2, "ns")]}).astype(object)
    assert solve(spans, [0, 1], max_depth=1).objective == 0


def test_dates_are_shown_as_dates() -> None:
    days = pd.to_datetime(["2020-01-01", "2020-03-01", "2021-06-01", None])
    found = solve(pd.DataFrame({"seen": days}), [0, 0, 1, 1], max_depth=1)
    assert found.objective == 0
    assert "seen <= 2020-10-15" in str(found)
    assert root(found).formula(["seen"], holds=False) == "seen > 2020-10-15 or missing"
    model = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"seen": days}), [0, 0, 1, 1])
    for new in (
        pd.DataFrame({"seen": days.as_unit("ns")}),
        pd.DataFrame({"seen": days.as_unit("s")}),
        pl.DataFrame({"seen": [None if pd.isna(d) else d.to_pydatetime() for d in days]}),
        pd.DataFrame({"seen": [None if pd.isna(d) else d.date() for d in days]}),
    ):
        assert model.predict(new).tolist() == [0, 0, 1, 1]
    far = pd.DataFrame({"seen": np.array(["0001-01-01", "9999-01-01"], dtype="M8[D]")})
    assert model.predict(far).tolist() == [0, 1]
    with pytest.raises(ValueError, match="column 'seen' of X is no date"):
        model.predict(pd.DataFrame({"seen": ["yesterday"]}))


def test_time_zones_are_compared_in_one() -> None:
    there = pd.DataFrame(
        {"at": pd.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("Asia/Tokyo")}
    )
    model = OptimalTreeClassifier(max_depth=1).fit(there, [0, 1])
    here = pd.DataFrame({"at": there["at"].dt.tz_convert("America/New_York")})
    assert model.predict(here).tolist() == [0, 1]


def test_durations() -> None:
    frame = pd.DataFrame({"took": pd.to_timedelta([1, 2, 50, 60], unit="h")})
    found = solve(frame, [0, 0, 1, 1], max_depth=1)
    assert found.objective == 0
    assert "took <= 1 day" in str(found).splitlines()[1]


# --- surfaces ---------------------------------------------------------------------------------


def test_surfaces_name_the_column_that_has_no_numbers() -> None:
    with pytest.raises(ValueError, match="column 'colour' of X holds a category, and hyperplane"):
        solve(CARS.assign(colour="red"), SOLD, max_depth=1, splits="hyperplane")
    with pytest.raises(ValueError, match=r"column 'weight' of X has missing values.*SimpleImputer"):
        solve(CARS[["weight"]], SOLD, max_depth=1, splits="hyperplane")
    with pytest.raises(ValueError, match="no column of X is complete numbers"):
        solve(CARS, SOLD, max_depth=1, splits=["axis", "hyperplane"])


def test_surfaces_in_mixtures_use_the_complete_columns() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["hole", "a", "b"])
    y = (frame["a"] + frame["b"] > 0).astype(int)
    frame.loc[::4, "hole"] = np.nan
    model = OptimalTreeClassifier(splits=["axis", "hyperplane"], max_depth=1).fit(frame, y)
    assert model.objective_ == 0
    assert model.result_.space.endswith("hyperplane over the complete columns a, b")
    assert set(root(model.result_).features()) == {1, 2}
    assert "a + " in str(model) or "b" in str(model)
    assert model.predict(frame).tolist() == y.tolist()
    assert tree.from_dict(tree.to_dict(model.tree_)) == model.tree_
    with pytest.raises(ValueError, match="contains NaN: column 'b', which the tree reckons with"):
        model.predict(frame.assign(b=np.nan))


def test_surfaces_take_yes_and_no_as_numbers() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [True, False, True, False]})
    model = OptimalTreeClassifier(splits="hyperplane", max_depth=1).fit(frame, [0, 0, 1, 1])
    assert model.objective_ == 0 and model.predict(frame).tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="contains NaN: column 'a'"):
        model.predict(frame.assign(a=np.nan))


# --- more categories than can have columns ----------------------------------------------------


def test_categories_left_out_are_proved_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for a column or two, what is called optimal is, and bounds are bounds."""
    monkeypatch.setattr(derived, "LARGE", 0)
    for module in (derived, rare_categories):
        monkeypatch.setattr(module, "FIRST", 1)
        monkeypatch.setattr(module, "MOST", 2)
    better: list[bool] = []
    plain = TwoLevels.below

    def below(self: TwoLevels, sought: int) -> Any:
        found = plain(self, sought)
        better.append(found is not None and found.cost is not None)
        return found

    monkeypatch.setattr(TwoLevels, "below", below)
    statuses = {"optimal": 0, "memory_limit": 0}
    for seed in range(4000, 4400):
        case = random_table(np.random.default_rng(seed))
        if "category" not in case.kinds or case.parameters.get("categories") == "subset":
            continue
        found = solve(case.frame(), case.y, sample_weight=case.weights, **case.parameters)
        exact = optimum(case)
        statuses[found.status] += 1
        if found.status == "optimal":
            assert agrees(found.objective, exact), seed
        assert found.lower_bound <= exact + 1e-9 and exact <= found.objective + 1e-9, seed
    assert statuses["optimal"] > 50 and statuses["memory_limit"] > 0
    assert sum(better) > 5 and not all(better)


def test_many_small_categories_of_two_levels() -> None:
    """Every category is rare, and two of them are of use: they are found and no other is better."""
    rng = np.random.default_rng(1)
    n = 30_000
    shops = rng.integers(0, 3000, n)
    frame = pd.DataFrame({"shop": [f"s{code}" for code in shops], "age": rng.integers(0, 50, n)})
    y = ((shops < 2) | (frame["age"] > 30)) ^ (rng.random(n) < 0.1)
    weights = rng.integers(1, 4, n)
    found = solve(frame, y, max_depth=2, sample_weight=weights)
    assert found.status == "optimal" and found.lower_bound == found.objective
    assert "shop = s" in export_text(found)
    complement = solve(frame, y, max_depth=2, sample_weight=weights, max_splits=2)
    assert complement.status == "optimal" and complement.objective >= found.objective


def test_ten_thousand_categories() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    zips = rng.integers(0, 10_000, n)
    frame = pd.DataFrame({"age": rng.normal(size=n), "zip": [f"z{code}" for code in zips]})
    y = (np.abs(frame["age"]) > 0.5).astype(int) ^ (rng.random(n) < 0.1)
    found = solve(frame, y, max_splits=2)
    assert found.status == "optimal" and found.lower_bound == found.objective
    with pytest.raises(ValueError, match=r"column 'zip' of X has \d+ categories in 20000 rows"):
        solve(frame, y.astype(float), max_depth=2, task="regression")
    with pytest.raises(ValueError, match="too many for this kind of search"):
        size_path(frame, y, max_splits=2)


def test_columns_in_another_order_are_named_before_their_types() -> None:
    seen = pd.to_datetime(["2020-01-01", "2021-01-01"] * 3)
    frame = pd.DataFrame({"seen": seen, "kind": list("abcabc")})
    clf = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 1] * 3)
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        clf.predict(frame[["kind", "seen"]])


def test_monotone_columns_of_a_table() -> None:
    """Other columns may have holes and categories; the constrained one is complete."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = 30
        full, holed = rng.integers(0, 6, n).astype(float), rng.integers(0, 6, n).astype(float)
        gone = rng.random(n) < 0.2
        kind = rng.choice(["a", "b", "c"], n)
        y = full + 3.0 * (kind == "b") - holed * gone + rng.normal(size=n)
        frame = pd.DataFrame({"full": full, "holed": np.where(gone, np.nan, holed), "kind": kind})
        coded = [full, np.where(gone, -1, holed), np.where(gone, 9, holed)]
        coded += [np.where(kind == name, 0.0, 1.0) for name in "abc"]
        terms: dict[str, Any] = {"max_depth": 2, "task": "regression"}
        for way in (1, -1):
            found = solve(frame, y, monotonic_cst={"full": way}, **terms)
            same = solve(np.stack(coded, 1), y, monotonic_cst=[way, 0, 0, 0, 0, 0], **terms)
            assert abs(found.objective - same.objective) <= 1e-9 * same.objective
        with pytest.raises(ValueError, match="column 'holed' of X, which has missing values"):
            solve(frame, y, monotonic_cst={"holed": 1}, **terms)
        with pytest.raises(ValueError, match="column 'kind' of X, which has categories"):
            solve(frame, y, monotonic_cst=[0, 0, 1], **terms)
