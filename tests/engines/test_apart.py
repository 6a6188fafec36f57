"""Rows that need a leaf each: a bound of one error, never where a perfect tree exists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from exactree import solve
from exactree.engines.apart import NAME, SWITCH, apart, largest_found, needs_more_leaves
from exactree.engines.brute_force import brute_force
from exactree.engines.search import search
from exactree.problem import Limits, Problem
from exactree.tree import Leaf


def random_problem(rng: np.random.Generator) -> Problem:
    rows, classes = int(rng.integers(3, 13)), int(rng.choice([2, 2, 3]))
    X = rng.integers(0, rng.integers(3, 12), size=(int(rng.integers(1, 4)), rows))
    labels = np.unique(rng.integers(0, classes, rows), return_inverse=True)[1].astype(np.int32)
    columns = np.stack([np.unique(c, return_inverse=True)[1] for c in X]).astype(np.int32)
    return Problem(columns, labels, int(labels.max()) + 1, max_depth=rows, max_splits=0)


def check(seed: int, count: int) -> int:
    """Compare with brute force. How often it was shown that every tree errs."""
    rng = np.random.default_rng(seed)
    shown = 0
    for _ in range(count):
        problem = replace(random_problem(rng), max_splits=int(rng.integers(0, 5)))
        if needs_more_leaves(problem, Leaf(0), lambda: 60.0):
            shown += 1
            assert brute_force(problem, Limits()).objective > 0, problem
    return shown


@pytest.mark.parametrize("seed", range(4))
def test_no_perfect_tree_is_denied(seed: int) -> None:
    assert check(seed, 100) > 20


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 140))
def test_no_perfect_tree_is_denied_at_length(seed: int) -> None:
    assert check(seed, 200) > 40


def test_it_acts_in_a_search_and_can_be_turned_off() -> None:
    # Classes that take turns on a line: each row needs a leaf.
    columns, labels = np.arange(40, dtype=np.int32)[None], np.arange(40, dtype=np.int32) % 2
    problem = Problem(columns, labels, 2, max_depth=6, max_splits=6)
    found = search(problem, Limits(seconds=60.0))
    off = search(problem, Limits(seconds=60.0), switches=SWITCH)
    assert found.stats[NAME] == 1 and NAME not in off.stats
    assert found.status == off.status == "optimal" and found.objective == off.objective == 17
    assert NAME not in search(problem, Limits()).stats  # a search that nothing stops


def test_rows_between_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        columns = rng.integers(0, 9, size=(int(rng.integers(1, 4)), 90)).astype(np.int32)
        inside, outside = np.arange(12), np.arange(12, 90)
        found = apart(columns, inside, outside)
        for i in inside:
            for j in inside:
                low, high = columns[:, [i, j]].min(axis=1), columns[:, [i, j]].max(axis=1)
                rows = columns[:, outside].T
                assert found[i, j] == (i != j and ((low <= rows) & (rows <= high)).all(1).any())


def test_a_large_set_is_one_whose_members_are_all_related() -> None:
    rng = np.random.default_rng(2)
    related = np.triu(rng.random((9, 9)) < 0.6, 1)
    related |= related.T
    sets = [[i for i in range(9) if s >> i & 1] for s in range(1, 2**9)]
    most = max(len(s) for s in sets if all(related[i, j] for i in s for j in s if i < j))
    assert 2 <= largest_found(related) <= most


def test_a_stopped_search_knows_that_every_tree_of_few_leaves_errs() -> None:
    rng = np.random.default_rng(3)
    X = rng.random((400, 2))
    y = ((X * 6).astype(int).sum(axis=1) % 2).astype(int)
    assert solve(X, y, max_splits=10, time_limit=0.3).lower_bound > 0


def test_nothing_is_looked_at_when_time_is_over() -> None:
    problem = replace(random_problem(np.random.default_rng(4)), max_splits=1)
    assert not needs_more_leaves(replace(problem, max_splits=9), Leaf(0), lambda: 0.0)
    assert not needs_more_leaves(replace(problem, max_splits=None), Leaf(0), lambda: 60.0)
