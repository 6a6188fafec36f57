"""Certificates of solved problems: both checkers accept them, and see what is wrong with others."""

from __future__ import annotations

import copy
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forging import (
    Table,
    accepted,
    as_plan,
    error_data,
    numbers,
    packed,
    shown_by_second,
    unpacked,
    write_table,
)
from oracles import random_case

import exactree
from exactree.objectives import CostMatrix
from exactree.proof import Rejected, certify, check, checking, read_statement


def judge(seed: int, folder: Path, program: Path | None) -> None:
    """Solve, certify and check a random problem."""
    case = random_case(np.random.default_rng(seed))
    path = folder / "proof.xz"
    result = exactree.solve(case.X, case.y, certificate=path, **case.parameters())
    statement = check(path, case.X, case.y, sample_weight=case.weights)
    assert statement.optimal
    assert float(statement.results[0].value) == pytest.approx(float(result.objective), rel=1e-12)
    if program is not None:
        arguments = write_table(folder / "data.csv", (case.X, case.y, case.weights))
        raw = lzma.decompress(path.read_bytes())
        bounds = shown_by_second(program, raw, arguments)
        assert bounds is not None and bounds[0] >= statement.results[0].bound


@pytest.mark.parametrize("least", [1, 2])
def test_no_number_is_a_missing_value(tmp_path: Path, least: int) -> None:
    """The value -1 was taken for the place of a missing one: found by a checker of the page."""
    X = np.array([[0, np.nan], [-1, -1], [np.nan, 0], [-1, np.nan]] * least)
    y, path = np.array([2, 2, 0, 2] * least), tmp_path / "proof.xz"
    found = exactree.solve(X, y, max_depth=1, min_samples_leaf=least, certificate=path)
    assert found.objective == 0 and check(path, X, y).optimal
    assert "missing" in str(found)
    header, plan = unpacked(path)
    header["results"][0]["tree"]["among"] = [-1, 0]  # a column of numbers has no list
    path.write_bytes(packed(header, plan))
    with pytest.raises((Rejected, LookupError)):
        _ = check(path, X, y).results[0].tree


@pytest.mark.parametrize("seed", range(100))
def test_random_problems_are_certified(seed: int, tmp_path: Path, program: Path) -> None:
    judge(seed, tmp_path, program if seed % 5 == 0 else None)


@pytest.mark.fuzz
def test_many_random_problems_are_certified(tmp_path: Path) -> None:
    first = int(np.random.SeedSequence().generate_state(1)[0])
    for seed in range(first, first + 5000):
        judge(seed, tmp_path, None)


@pytest.mark.parametrize("isa", exactree._native.instruction_sets())
def test_every_instruction_set_writes_the_same_plan(isa: str) -> None:
    X, y, _ = error_data(3, 300)
    ranks = exactree.rows.dense_ranks(X.T)
    ones = np.ones(len(y), np.int64)
    found = [
        exactree._native.prove_columns(
            ranks, y.astype(np.int32), ones, ones, n_classes=2, max_depth=3, targets=[40], isa=name
        )
        for name in (isa, "plain")
    ]
    assert found[0].plan == found[1].plan
    assert found[0].plan


@pytest.mark.parametrize("seed", range(12))
def test_what_the_search_says_is_proved(seed: int, tmp_path: Path, program: Path) -> None:
    """Deep enough to be proved by its hints: weights, costs, ties and several classes."""
    rng = np.random.default_rng(seed)
    depth, classes = 3 + seed % 2, int(rng.integers(2, 5))
    X = rng.integers(0, int(rng.choice([3, 8, 60])), (int(rng.integers(20, 70)), 3)).astype(float)
    y = np.where(rng.random(len(X)) < 0.4, rng.integers(0, classes, len(X)), X.sum(1) % classes)
    y[:classes] = range(classes)
    how: dict[str, Any] = {"max_depth": depth}
    weights = rng.integers(1, 5, len(X)).astype(float) if seed % 3 == 1 else None
    if seed % 3 == 2:
        costs = rng.integers(1, 6, (classes, classes)) * (1 - np.eye(classes))
        how["objective"] = CostMatrix(costs.tolist())
    path = tmp_path / "proof.xz"
    result = exactree.solve(X, y, sample_weight=weights, certificate=path, **how)
    statement = check(path, X, y, sample_weight=weights)
    assert statement.optimal and float(statement.results[0].value) == float(result.objective)
    bounds = shown_by_second(
        program,
        lzma.decompress(path.read_bytes()),
        write_table(tmp_path / "data.csv", (X, y, weights)),
    )
    assert bounds == [statement.results[0].bound]


@pytest.mark.parametrize("depth", [3, 4])
def test_more_than_the_optimum_is_not_shown(depth: int) -> None:
    X, y, _ = error_data(5, 60)
    found = exactree.solve(X, y, max_depth=depth)
    ones, ranks = np.ones(len(y), np.int64), exactree.rows.dense_ranks(X.T)
    proof = exactree._native.prove_columns(
        ranks, y.astype(np.int32), ones, ones, n_classes=2, max_depth=depth, targets=[len(y)]
    )
    assert proof.bounds == [found.objective]


def test_flipped_bits_of_a_file_are_noticed(tmp_path: Path) -> None:
    table = error_data(7, 70)
    path = tmp_path / "proof.xz"
    exactree.solve(*table[:2], max_depth=2, certificate=path)
    raw = path.read_bytes()
    for place in np.random.default_rng(3).choice(8 * len(raw), 300, replace=False).tolist():
        changed = bytearray(raw)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        assert not accepted(path, table), place


def test_cost_matrix(tmp_path: Path, program: Path) -> None:
    X, y, _ = error_data(5, 40)
    path, costs = tmp_path / "proof.xz", CostMatrix([[0, 1], [5, 0]])
    result = exactree.solve(X, y, max_depth=2, objective=costs, certificate=path)
    statement = check(path, X, y)
    assert statement.optimal and statement.results[0].value == result.objective
    assert "by label and answer [[0, 1], [5, 0]]" in str(statement)
    raw = lzma.decompress(path.read_bytes())
    assert shown_by_second(program, raw, write_table(tmp_path / "d.csv", (X, y, None)))


def test_binary_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 6))
    y = (X[:, 0] ^ X[:, 1] ^ X[:, 2]) ^ (rng.random(60) < 0.2)
    result = exactree.solve(X, y, splits="binary", max_depth=3, certificate=tmp_path / "p.xz")
    statement = check(tmp_path / "p.xz", X, y)
    assert statement.optimal and statement.results[0].value == result.objective


def test_a_size_path_has_one_certificate(tmp_path: Path, program: Path) -> None:
    X, y, _ = error_data(1, 50)
    path = exactree.size_path(X, y, max_splits=5, max_depth=3)
    certify(path, X, y, tmp_path / "p.xz", max_splits=5, max_depth=3)
    statement = check(tmp_path / "p.xz", X, y)
    assert [found.value for found in statement.results] == path.objectives
    assert statement.optimal and str(statement).count("no axis-parallel tree") == 6
    raw = lzma.decompress((tmp_path / "p.xz").read_bytes())
    arguments = write_table(tmp_path / "d.csv", (X, y, None))
    assert shown_by_second(program, raw, arguments) == [found.value for found in statement.results]


def test_a_stopped_search_has_its_gap_certified(tmp_path: Path) -> None:
    X, y, _ = error_data(2, 80)
    best = exactree.solve(X, y, max_depth=3)
    stopped = exactree.Result("time_limit", best.space, best.objective, 3, 99, best.tree)
    certify(stopped, X, y, tmp_path / "p.xz", max_depth=3)
    statement = check(tmp_path / "p.xz", X, y)
    assert not statement.optimal and statement.results[0].bound == 3
    assert f"a gap of {best.objective - 3} is left" in str(statement)


def test_costs_that_are_no_whole_numbers_are_refused(tmp_path: Path) -> None:
    X, y, _ = error_data(0, 10)
    loss = CostMatrix([[0, 0.5], [1, 0]])
    result = exactree.solve(X, y, max_depth=1, objective=loss)
    with pytest.raises(ValueError, match="whole numbers"):
        certify(result, X, y, tmp_path / "p.xz", max_depth=1, objective=loss)


# --- Forgeries --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], bytes, Table]:
    table = error_data(7, 70)
    path = tmp_path_factory.mktemp("original") / "proof.xz"
    exactree.solve(*table[:2], max_depth=3, certificate=path)
    return *unpacked(path), table


def false_headers(header: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Statements that are not true of the data, or not what the plan shows."""
    value = int(header["results"][0]["value"])

    def result(**change: Any) -> list[dict[str, Any]]:
        return [{**header["results"][0], **change}]

    def tree(change: Any) -> dict[str, Any]:
        copied = copy.deepcopy(header["results"][0]["tree"])
        change(copied)
        return {"results": result(tree=copied)}

    def leftmost(node: dict[str, Any]) -> dict[str, Any]:
        while "leaf" not in node:
            node = node["left"]
        return node

    return {
        "bound higher": {"results": result(bound=str(value + 1))},
        "both lower": {"results": result(value=str(value - 1), bound=str(value - 1))},
        "both higher": {"results": result(value=str(value + 1), bound=str(value + 1))},
        "bound beyond reading": {"results": result(bound="1e99")},
        "no results": {"results": []},
        "other data": {"data": "0" * 64},
        "less depth": {"max_depth": 2},
        "more depth": {"max_depth": 4},
        "no limit of depth": {"max_depth": None},
        "a limit of splits": {"max_splits": 6, "results": result(max_splits=6)},
        "splits of the result": {"results": result(max_splits=3)},
        "penalty": {"penalty": "1"},
        "least rows": {"min_samples_leaf": 30},
        "least weight": {"min_weight_leaf": "30"},
        "unit": {"unit": "3/4"},
        "unit, and rounding": {"unit": "3/4", "rounded": True},
        "no unit": {"unit": "0"},
        "weights": {"weights": True},
        "class weights": {"class_weight": ["1", "2"]},
        "too few class weights": {"class_weight": ["1"]},
        "costs": {"costs": [[0, 2], [1, 0]]},
        "costs of reals": {"costs": [[0, 1.5], [1, 0]]},
        "other classes": {"classes": [1, 0]},
        "equal classes": {"classes": [0, 0]},
        "one class": {"classes": [0]},
        "rows": {"rows": 69},
        "columns": {"columns": 4},
        "too little work": {"work": 1},
        "too much work": {"work": 1 << 60},
        "negative work": {"work": -1},
        "version": {"version": 2},
        "format": {"format": "proof"},
        "family": {"family": "hyperplane"},
        "a leaf": tree(lambda t: leftmost(t).update(leaf=1 - leftmost(t)["leaf"])),
        "a leaf of no class": tree(lambda t: leftmost(t).update(leaf=7)),
        "a threshold": tree(lambda t: t.update(threshold=t["threshold"] + 3)),
        "no column": tree(lambda t: t.update(column=17)),
        "children swapped": tree(lambda t: t.update(left=t["right"], right=t["left"])),
        "no tree": {"results": result(tree=None)},
    }


def test_false_headers_are_rejected(
    original: tuple[dict[str, Any], bytes, Table], tmp_path: Path, program: Path
) -> None:
    header, plan, table = original
    arguments = write_table(tmp_path / "data.csv", table)
    path = tmp_path / "proof.xz"
    path.write_bytes(packed(header, plan))
    assert accepted(path, table)
    for name, change in false_headers(header).items():
        path.write_bytes(packed({**header, **change}, plan))
        assert not accepted(path, table), name
        raw = lzma.decompress(path.read_bytes())
        assert shown_by_second(program, raw, arguments) is None, name


@pytest.mark.parametrize("name", ["classes", "results", "unit", "work", "target", "costs"])
def test_a_header_without_a_field(
    original: tuple[dict[str, Any], bytes, Table], tmp_path: Path, name: str
) -> None:
    header, plan, table = original
    path = tmp_path / "proof.xz"
    path.write_bytes(packed({k: v for k, v in header.items() if k != name}, plan))
    assert accepted(path, table) == (name == "target")


def test_other_data_are_rejected(
    original: tuple[dict[str, Any], bytes, Table], tmp_path: Path
) -> None:
    header, plan, (X, y, _) = original
    path = tmp_path / "proof.xz"
    path.write_bytes(packed(header, plan))
    moved, wrong = X.copy(), y.copy()
    moved[3, 0] += 1e-9
    wrong[7] = 1 - wrong[7]
    assert not accepted(path, (moved, y, None))
    assert not accepted(path, (X, wrong, None))
    assert not accepted(path, (X, y, np.ones(len(y))))
    digest = checking.data_digest(X, wrong.astype(np.int64), None)
    path.write_bytes(packed({**header, "data": digest}, plan))
    assert not accepted(path, (X, wrong, None))


def damaged(plan: bytes, rng: np.random.Generator) -> bytes:
    """Change a plan somewhere: bits, lengths, thresholds, sides, order."""
    values = numbers(plan)
    i, j = (int(k) for k in rng.integers(0, len(values), 2))
    kind = int(rng.integers(0, 7))
    if kind == 0:
        raw = bytearray(plan)
        raw[rng.integers(len(raw))] ^= 1 << int(rng.integers(8))
        return bytes(raw)
    if kind == 1:
        return plan[: rng.integers(len(plan))]
    if kind == 2:
        return plan + bytes([int(rng.integers(256))])
    if kind == 3:
        values[i] = max(0, values[i] + int(rng.choice([-4, 4])))
    elif kind == 4:
        values[i] = values[i] & ~3 | (values[i] & 1) << 1 | (values[i] & 2) >> 1
    elif kind == 5:
        values[i] &= ~int(rng.integers(1, 4))
    else:
        values[i], values[j] = values[j], values[i]
    return as_plan(values)


def test_both_checkers_agree_on_damaged_plans(tmp_path: Path, program: Path) -> None:
    """1000 of them: the same bound, never above the optimum, or rejected by both."""
    table = error_data(7, 40)
    path = tmp_path / "proof.xz"
    exactree.solve(*table[:2], max_depth=2, certificate=path)
    header, plan = unpacked(path)
    optimum = int(header["results"][0]["value"])
    lenient = {**header, "results": [{**header["results"][0], "bound": "0"}]}
    line = json.dumps(lenient).encode() + b"\n"
    arguments = write_table(tmp_path / "data.csv", table)
    rng = np.random.default_rng(11)
    rejected = lower = 0
    for _ in range(1000):
        body = damaged(plan, rng)
        bounds = shown_by_second(program, line + body, arguments)
        try:
            bound: int | None = first_bound(lenient, body, table)
        except Rejected:
            bound = None
        assert bounds == (None if bound is None else [bound])
        rejected += bound is None
        lower += bound is not None and bound < optimum
        assert bound is None or bound <= optimum
    assert rejected > 100 and lower > 50


def first_bound(header: dict[str, Any], plan: bytes, table: Table) -> int:
    """What the first checker computes."""
    X, y, _ = table
    rows = checking.Rows(header, X, y.astype(np.int64), None)
    checker = checking.Checker(rows, plan, header["work"])
    order = np.argsort(rows.ranks, axis=1, kind="stable")
    bound = int(checker.claim(order, header["max_depth"], None)[-1, -1])
    checking.require(next(checker.plan, None) is None and checker.work >= 0, "too long")
    return bound


# --- Hostile files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not xz",
        lzma.compress(b""),
        lzma.compress(b"{}\n"),
        lzma.compress(b"[" * 100_000 + b"\n"),
        lzma.compress(b'{"a":' * 100_000 + b"\n"),
        lzma.compress(b'{"format": 1, "format": 2}\n'),
        lzma.compress(bytes((1 << 26) + 1), preset=1),
        lzma.compress(b" " * (1 << 21) + b"\n", preset=1),
        lzma.compress(b"{}\n") + b"more",
        lzma.compress(b"{}\n")[:-5],
        lzma.compress(b"{}\n", format=lzma.FORMAT_ALONE),
    ],
    ids=lambda raw: f"{len(raw)} bytes",
)
def test_hostile_files(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "proof.xz"
    path.write_bytes(raw)
    with pytest.raises(Rejected):
        read_statement(path)


def test_a_plan_may_not_take_more_work_than_it_says(tmp_path: Path) -> None:
    table = error_data(7, 70)
    path = tmp_path / "proof.xz"
    exactree.solve(*table[:2], max_depth=3, certificate=path)
    header, plan = unpacked(path)
    path.write_bytes(packed({**header, "work": header["work"] - 1}, plan))
    assert not accepted(path, table)
    with pytest.raises(Rejected, match="work"):
        check(path, *table[:2], work=10)


def test_refusals_say_what_is_other(tmp_path: Path) -> None:
    X, y = np.arange(12.0).reshape(-1, 1), np.array(["a", "b"] * 6)
    path = tmp_path / "proof.xz"
    weights = np.full(12, 1.25)
    exactree.solve(X, y, max_depth=2, certificate=path)
    with pytest.raises(ValueError, match="give y, or the costs="):
        check(path, X)
    with pytest.raises(Rejected, match="11 rows, not 12"):
        check(path, X[:-1], y[:-1])
    with pytest.raises(Rejected, match="knows no class 'c'"):
        check(path, X, np.where(y == "b", "c", y))
    with pytest.raises(Rejected, match="have no weights"):
        check(path, X, y, sample_weight=weights)
    exactree.solve(X, y, max_depth=1, sample_weight=weights, certificate=path)
    with pytest.raises(Rejected, match="have weights"):
        check(path, X, y)
    assert "costs less than 25/4 = 6.25 on" in str(check(path, X, y, sample_weight=weights))
    exactree.solve(X[:1], y[:1], max_depth=1, certificate=path)
    assert "fewer than 0 errors on this row;" in str(check(path, X[:1], y[:1]))
