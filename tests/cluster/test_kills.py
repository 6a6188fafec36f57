"""What a run that was killed leaves is not searched again.

Evaluations are counted over all lives, those that a kill lost too, and compared with those of a run
that nobody killed.
"""

from __future__ import annotations

from math import inf
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import numpy as np
import pytest
from kills import many_lives
from shuffled import compare, random_posing

from exactree import _native
from exactree.cluster.posing import Posing


def noisy(rows: int, columns: int, **terms: Any) -> Posing:
    dice = np.random.default_rng(0)
    X = dice.normal(size=(rows, columns))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (dice.random(rows) < 0.25)
    ranks = np.argsort(np.argsort(X, axis=0), axis=0).T
    given = (np.ascontiguousarray(ranks, np.int32), y.astype(np.int32), 2)
    return Posing("columns", given, {"max_depth": 4, **terms})


class Life:
    """A run by the piece in this thread, and what it leaves."""

    def __init__(self, posing: Posing, before: Life | None = None, seconds: float = inf) -> None:
        self.seconds = seconds  # of a slice
        self.session = _native.Session(posing.pose(), keep=True)
        self.session.open(before.plan if before else None)
        self.plan: Any = self.session.plan
        self.claims: list[Any] = list(before.claims) if before else []
        for claim in self.claims:
            self.session.restore(*claim)
        self.helper = _native.Helper(self.session)

    def run(self, pieces: float) -> bool:
        """Solve so many pieces; True if there are no more."""
        while pieces > 0:
            if self.helper.take() != 0:
                return True
            self.helper.answer(self.seconds)
            if not self.helper.give():  # it cannot be divided
                self.helper.answer(inf)
                self.helper.give()
            self.claims += self.session.take_claims()
            pieces -= 1
        return False

    def die_within(self) -> bool:
        """Leave what is known of a piece that is not done; False: it was done too soon."""
        self.helper.want_part()
        if self.helper.take() != 0:
            return False
        self.helper.answer(inf)
        part: Any = self.helper.take_part(0.0)
        if part is not None:
            self.claims.append(part)
        return part is not None

    def evaluations(self) -> int:
        return int(self.session.evaluations + self.helper.evaluations)


@pytest.mark.parametrize("terms", [{}, {"max_splits": 5}, {"max_splits": 5, "sizes": True}])
def test_time_is_over_when_a_side_is_to_be_opened(terms: dict[str, Any]) -> None:
    """Nobody has looked at the clock until then; with many classes the side does, and threw."""
    dice = np.random.default_rng(0)
    ranks = np.array([np.unique(dice.integers(0, 50, 200), return_inverse=True)[1]] * 5, np.int32)
    given = (ranks, dice.permutation(200).astype(np.int32) % 17, 17)
    posing = Posing("columns", given, {"max_depth": 5, **terms})
    session = _native.Session(posing.pose(), time_limit=1.0, keep=True)
    if not session.open():
        return  # a slow machine
    helper = _native.Helper(session)
    assert helper.take() == 0 and helper.divisible
    helper.answer(0.0)
    sleep(1.0)
    assert helper.give()
    session.take_claims()
    assert session.poll()
    found = session.finish()
    assert found.status == "time_limit" and 0 <= found.lower_bound <= found.objective


def lives(posing: Posing, dice: Random, kills: int, seconds: float) -> tuple[Life, int]:
    """Kill it between pieces; give the last life, and all evaluations but for the last trees."""
    life = Life(posing, seconds=seconds)
    spent = 0
    for _ in range(kills):
        if life.run(dice.randint(1, 12)):
            break
        spent += life.evaluations()
        life = Life(posing, life, seconds)
    life.run(inf)
    return life, spent + life.evaluations()


@pytest.mark.parametrize(
    ("terms", "seconds"),
    [({}, inf), ({"min_rows": 3}, inf), ({}, 0.0)],
    ids=["whole", "rows", "divided"],
)
def test_nothing_that_is_written_is_done_twice(terms: dict[str, Any], seconds: float) -> None:
    posing = noisy(250, 4, **terms)
    whole = Life(posing, seconds=seconds)
    whole.run(inf)
    once = whole.evaluations()
    expected = whole.session.finish()
    for seed in range(2):
        life, spent = lives(posing, Random(seed), 20, seconds)
        found = life.session.finish()
        assert (found.objective, found.lower_bound, found.tree) == (
            expected.objective,
            expected.lower_bound,
            expected.tree,
        )
        assert spent <= 1.05 * once


def test_what_is_known_of_a_piece_under_way_is_used() -> None:
    posing = noisy(250, 4)
    spared = 0
    for pieces in range(2, 10, 4):
        first = Life(posing)
        first.run(pieces)
        without = Life(posing, first)
        assert first.die_within()
        after = Life(posing, first)
        for life in (without, after):
            life.run(1)
        spared += without.evaluations() - after.evaluations()
        compare(posing, finished(after))
    assert spared > 0


def test_a_piece_under_way_is_solved_as_far_as_before() -> None:
    """What it proves beyond the best cost rules out its neighbours."""
    posing = noisy(250, 4)
    first = Life(posing)
    first.run(2)
    assert first.die_within()
    after = Life(posing, first)
    assert after.die_within()
    (begun, _), (again, _) = first.claims[-1], after.claims[-1]
    assert (begun["feature"], begun["position"]) == (again["feature"], again["position"])
    assert begun["best"] == again["best"] < begun["target"] == again["target"]


def finished(life: Life) -> Any:
    life.run(inf)
    return life.session.finish()


@pytest.mark.parametrize("problems", [60, pytest.param(3000, marks=pytest.mark.fuzz)])
def test_killed_within_and_between_pieces(problems: int) -> None:
    within = 0
    for seed in range(problems):
        posing, dice = random_posing(seed), Random(seed)
        life = Life(posing)
        for _ in range(dice.randint(1, 4)):
            if life.run(dice.randint(0, 6)):
                break
            within += life.die_within()
            life = Life(posing, life)
        compare(posing, finished(life))
    assert within > problems // 4


def claim(path: Any, place: tuple[int, int, int], best: int, lo: Any, hi: Any) -> tuple[Any, Any]:
    sides = {"lo": [[cost] for cost in lo], "hi": [[cost] for cost in hi]}
    feature, position, turn = place
    piece = {"path": path, "feature": feature, "position": position, "round": turn}
    question = {**piece, **sides, "best": [best], "goal": [best], "target": [best]}
    return question, {**sides, "counters": [0] * 28}


def test_rounds_of_a_side_that_was_opened_for_less_prove_less() -> None:
    posing = random_posing(16)
    below = [[0, 14, 1]]
    claims = [  # of a side in round 6 of the root, of its piece, and of the side in round 7
        (claim(below, (1, 1, 1), 9, (0, 7), (2, 7)), True),
        (claim([], (0, 14, 6), 11, (9, 1), (11, 1)), True),
        (claim(below, (1, 10, 0), 10, (4, 0), (9, 5)), False),
    ]
    life = Life(posing)
    for (question, reply), complete in claims:
        life.session.restore(question, {**reply, "complete": complete})
    compare(posing, finished(life))


@pytest.mark.parametrize(
    ("rows", "kills", "most"),
    # A kill costs some thirty milliseconds: the first run is too short for that to be little, the
    # other takes two minutes.
    [(250, 3, 2.0), pytest.param(3600, 100, 1.05, marks=pytest.mark.fuzz)],
)
def test_killed_at_any_moment(rows: int, kills: int, most: float, tmp_path: Path) -> None:
    posing = noisy(rows, 5)
    expected = posing.pose().run()
    once = expected.counters["evaluations"]
    path = tmp_path / "run.ckpt"
    found, spent, killed = many_lives(posing, path, kills, once, Random(rows))
    assert killed > 0
    assert (found.objective, found.lower_bound, found.tree) == (
        expected.objective,
        expected.lower_bound,
        expected.tree,
    )
    assert spent <= most * once
