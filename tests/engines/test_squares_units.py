"""Squared error to the unit, and within the tolerance, against an oracle in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from regression_oracle import Oracle, squared_error, units

import exactree
from exactree import _native
from exactree.engines import search
from exactree.preparing import make_problem, read_data
from exactree.problem import Limits, Problem
from exactree.request import read_request
from exactree.splits import Axis

PRUNINGS = list(_native.prunings())
ISAS = _native.instruction_sets()
# Rows that the oracle can take with two columns, by depth.
FEW = {1: 50, 2: 30, 3: 16, 4: 12, 5: 11, 6: 11}


def ranked(columns: NDArray[Any]) -> NDArray[np.int32]:
    return np.stack([np.unique(c, return_inverse=True)[1] for c in columns]).astype(np.int32)


def regression_problem(
    X: NDArray[Any], y: NDArray[Any], *, max_depth: int, penalty: float
) -> Problem:
    request = read_request({"task": "regression", "max_depth": max_depth, "penalty": penalty})
    data = read_data(X, y, request)
    return make_problem(data, Axis().sources(data.X), request)


def drawn(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
    """Coarse units as often as fine ones, so that what is rounded down matters."""
    depth, columns = int(rng.integers(1, 7)), int(rng.integers(1, 3))
    n = int(rng.integers(1, 45 if columns == 1 else FEW[depth]))
    values = rng.integers(0, int(rng.choice([3, 8, 40, 100])), size=(columns, n))
    sums = np.rint(rng.normal(size=n) * 2.0 ** rng.choice([2, 4, 10, 30]))
    given: dict[str, Any] = {"ranks": ranked(values), "sums": sums}
    if rng.random() < 0.4:
        given["weights"] = rng.integers(1, 2 ** int(rng.choice([2, 6, 20])), n).astype(float)
        if rng.random() < 0.5:
            given["counts"] = rng.integers(1, 4, n).astype(np.int32)
    bits = int(np.frexp(float((sums / given.get("weights", 1.0)) @ sums) + 1)[1])
    shift = int(rng.integers(max(bits - 56, 0), bits + 1))
    cost = 2.0 ** (bits - shift)
    terms: dict[str, Any] = {
        "shift": shift,
        "max_depth": depth,
        "min_rows": int(rng.choice([1, 1, 1, 2, 3, 5])),
        "penalty": int(rng.choice([0, 1, 2, *(cost * rng.uniform(0.005, 0.05, 4))])),
    }
    if rng.random() < 0.4:
        terms |= {"max_splits": int(rng.integers(0, 6)), "sizes": bool(rng.random() < 0.5)}
    return given, terms


def optima(given: dict[str, Any], terms: dict[str, Any]) -> list[int]:
    """The optimum, or one for every number of splits."""
    sums = [int(p) for p in given["sums"]]
    weights = [int(w) for w in given.get("weights", np.ones(len(sums)))]
    counts = given["counts"].tolist() if "counts" in given else None
    leaf, pair = units(sums, weights, terms["shift"])
    ranks = given["ranks"].tolist()
    oracle = Oracle(ranks, leaf, pair, terms["penalty"], terms["min_rows"], counts)
    budgets = [terms.get("max_splits")]
    if terms.get("sizes"):
        budgets = list(range(terms["max_splits"] + 1))
    return [int(oracle.optimum(terms["max_depth"], k)) for k in budgets]


def compare_units(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, terms = drawn(rng)
    expected = optima(given, terms)
    one = 1 << int(rng.integers(0, len(PRUNINGS)))
    for off in (0, one, int(rng.integers(0, 2 ** len(PRUNINGS)))):
        found = _native.search_squares(
            **given,
            **terms,
            switches=off,
            isa=str(rng.choice(ISAS)),
            threads=int(rng.integers(1, 3)),
        )
        # Sizes beyond what the depth and the rows have room for are left out.
        rest = len(expected) - len(found.size_objectives)
        costs, bounds = found.size_objectives, found.size_lower_bounds
        proved = (found.status, costs + rest * costs[-1:], bounds + rest * bounds[-1:])
        assert proved == ("optimal", expected, expected), (seed, off)


@pytest.mark.parametrize("block", range(6))
def test_every_switch_thread_and_instruction_set_to_the_unit(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        compare_units(seed)


@pytest.mark.fuzz
def test_to_the_unit_at_length() -> None:
    start = int(np.random.default_rng().integers(10**9))
    for seed in range(start, start + 20000):
        compare_units(seed)


@pytest.mark.parametrize("seed", [5, 10, 55, 131])
def test_a_useful_depth_leaves_every_pair_its_cost(seed: int) -> None:
    """Lowered to the useful splits, the depth made last pairs; these found no tree of the cost."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 41))
    X = rng.integers(0, 20, size=(n, 2)).astype(float) if seed % 2 else rng.normal(size=(n, 2))
    y, penalty = rng.normal(size=n), float(rng.uniform(0.01, 0.05))
    problem = regression_problem(X, y, max_depth=5, penalty=penalty)
    found = [
        search(problem, Limits(), switches=off) for off in (0, 1 << PRUNINGS.index("useful_splits"))
    ]
    assert [f.status for f in found] == ["optimal", "optimal"]
    assert found[0].objective == found[1].objective


@pytest.mark.parametrize("max_depth", [4, 5, 6])
def test_penalties_at_every_depth(max_depth: int) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, y = np.arange(38.0), rng.normal(size=38)
        terms: dict[str, Any] = {"task": "regression", "max_depth": max_depth, "penalty": 0.0202}
        found = exactree.solve(x[:, None], y, **terms)
        leaf = squared_error(y.tolist(), [1.0] * 38)
        oracle = Oracle([x.tolist()], leaf, penalty=Fraction(0.0202) * 38)
        assert found.status == "optimal"
        assert_within(found.objective, oracle.optimum(max_depth))


# --- The tolerance ----------------------------------------------------------------------------


def assert_within(objective: float, optimum: Fraction | int) -> None:
    """What "optimal" means; what adding up in float64 loses is far below."""
    assert abs(Fraction(objective) - optimum) <= Fraction(1e-9) * optimum


def solved_or_refused(
    X: NDArray[Any], y: NDArray[Any], weights: NDArray[Any] | None, **terms: Any
) -> exactree.Result | None:
    """The result, or None where weights are refused."""
    try:
        return exactree.solve(X, y, task="regression", sample_weight=weights, **terms)
    except ValueError as error:
        if "too small beside the sum" not in str(error):
            raise
        return None


def compare_real(seed: int) -> bool:
    """Targets and weights of all sizes; tells whether the problem was solved."""
    rng = np.random.default_rng(seed)
    n, depth = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    X = rng.integers(0, 6, size=(n, int(rng.integers(1, 3)))).astype(float)
    y = rng.normal(size=n) * 10.0 ** rng.uniform(-1, 1, n) ** 3 * 10.0 ** rng.integers(0, 8, n)
    if rng.random() < 0.3:
        y = np.round(y, int(rng.integers(0, 4)))
    weights = None if rng.random() < 0.3 else 10.0 ** rng.uniform(-1, 1, n) ** rng.integers(1, 9)
    if weights is not None and rng.random() < 0.5:
        weights *= 10.0 ** rng.integers(-3, 7, n)
    penalty = 0.0 if rng.random() < 0.6 else float(rng.random() * 0.1 * np.var(y))
    found = solved_or_refused(X, y, weights, max_depth=depth, penalty=penalty)
    if found is None:
        return False
    heavy = np.ones(n) if weights is None else weights
    total = sum(map(Fraction, heavy.tolist()), Fraction(0))
    leaf = squared_error(y.tolist(), heavy.tolist())
    oracle = Oracle(X.T.tolist(), leaf, penalty=Fraction(penalty) * total)
    assert found.status == "optimal" and found.gap == 0
    assert_within(found.objective, oracle.optimum(depth))
    return True


@pytest.mark.parametrize("block", range(4))
def test_optimal_is_within_the_tolerance(block: int) -> None:
    assert sum(compare_real(seed) for seed in range(50 * block, 50 * block + 50)) > 30


@pytest.mark.fuzz
def test_optimal_is_within_the_tolerance_at_length() -> None:
    start = int(np.random.default_rng().integers(10**9))
    for seed in range(start, start + 20000):
        compare_real(seed)


def test_weights_too_unlike_are_refused() -> None:
    light = 2.0**20 * 2.0**-40
    weights = np.array([light + 15 / 32 * 2.0**-40, light - 15 / 32 * 2.0**-40, 2.0**19])
    y = np.array([1.0, 0.0, 1.0])
    with pytest.raises(ValueError, match=r"sample_weight 9.5.*e-07 is too small .* set it to 0"):
        exactree.solve(
            np.arange(3.0)[:, None], y, task="regression", max_splits=1, sample_weight=weights
        )


def test_six_rows_of_all_sizes() -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        y = 10.0 ** rng.uniform(-6, np.log10(7e10), 6)
        weights = 10.0 ** rng.uniform(-3, 6, 6)
        X = rng.permutation(6).astype(float)[:, None]
        found = solved_or_refused(X, y, weights, max_depth=2)
        if found is None:
            continue
        oracle = Oracle([X[:, 0].tolist()], squared_error(y.tolist(), weights.tolist()))
        assert_within(found.objective, oracle.optimum(2))


def test_a_tiny_penalty_beside_a_perfect_tree() -> None:
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 1, 5, 5, 5, 9]) / 3
    found = exactree.solve(X, y, task="regression", max_depth=4, penalty=1e-310)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(3 * 8 * 1e-310, rel=1e-9)


@pytest.mark.parametrize("rows", [2_000, 100_000, 1_000_000])
def test_real_weights_stay_in_whole_numbers(rows: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, size=(rows, 2)).astype(float)
    y, weights = X[:, 0] + rng.normal(size=rows), rng.uniform(0.1, 1.1, rows)
    found = exactree.solve(X, y, task="regression", max_depth=2, sample_weight=weights)
    assert found.status == "optimal" and found.gap == 0
    assert "finished_in_numpy" not in found.stats and found.stats["peak_bytes"] > 0
