"""Runs that are killed again and again, and what they evaluate until they are done.

A kill here is what the file sees of one: from a moment on nothing more is written. What had been
evaluated by then counts, whether it had been written or not.
"""

from __future__ import annotations

from math import inf
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep
from typing import Any

from exactree.cluster.crew import Crew
from exactree.cluster.ledger import Ledger
from exactree.cluster.posing import Posing


class DyingLedger(Ledger):
    """Writes nothing once it is dead."""

    dead = False

    def claims(self, claims: Any) -> None:
        if not self.dead:
            super().claims(claims)

    def _append(self, *content: Any) -> None:
        if not self.dead:
            super()._append(*content)


def evaluations_of(crew: Crew) -> int:
    """Count all threads of a run, at any moment."""
    session = getattr(crew, "_session", None)
    own = 0 if session is None else session.evaluations
    return int(own + sum(helper.evaluations for helper in crew.helpers))


def one_life(posing: Posing, path: Path, until: float, threads: int = 1) -> tuple[Any, int]:
    """Run until so much is evaluated; give the result, None if it was killed, and how much."""
    ledger = DyingLedger(path)
    crew = Crew(posing, ledger, threads=threads)
    found: list[Any] = []
    runner = Thread(target=lambda: found.append(crew.run(inf, None)))
    runner.start()
    spent = 0
    while runner.is_alive():
        spent = evaluations_of(crew)
        if spent >= until and crew.helpers:
            ledger.dead = True
            spent = evaluations_of(crew)
            if (session := getattr(crew, "_session", None)) is not None:  # or it is over
                session.stop("interrupted")
            runner.join()
            break
        sleep(0.001)
    ledger.close()
    if ledger.dead:
        return None, spent
    return found[0], int(found[0].counters["evaluations"])


def many_lives(
    posing: Posing, path: Path, kills: int, whole: int, dice: Random, threads: int = 1
) -> tuple[Any, int, int]:
    """Kill a run at random moments, spread over the whole; give result, evaluations and kills."""
    spent = killed = 0
    for _ in range(kills):
        found, used = one_life(posing, path, dice.uniform(0, 2 * whole / kills), threads)
        spent += used
        if found is not None:
            return found, spent, killed
        killed += 1
    found, used = one_life(posing, path, inf, threads)
    return found, spent + used, killed
