"""Linear programs that can be given up: HiGHS itself hears neither Ctrl-C nor a limit at once."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Event, Thread
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, linprog

Floats = NDArray[np.float64]
# Programs of fewer numbers are over before anybody could wait; a thread costs a millisecond.
QUICK = 20_000
# How long a wait lasts before the clock is looked at.
WAIT_SECONDS = 0.02


def solved(
    costs: Floats, seconds_left: Callable[[], float], *, method: str = "highs", **given: Any
) -> OptimizeResult | None:
    """Give what `linprog` says of a program if that is an optimum, within the time that is left.

    A large program is solved in a thread of its own, and whoever asked waits for it. When the time
    is over, or Ctrl-C is raised meanwhile, the thread is left to itself: it ends when HiGHS does,
    and what it finds is not looked at. Python waits for it before it exits.

    >>> solved(np.array([1.0, 1.0]), lambda: 9.0, A_ub=[[-1.0, -2.0]], b_ub=[-4.0]).x.tolist()
    [0.0, 2.0]
    """
    seconds = seconds_left()
    if seconds <= 0:
        return None
    options = {} if seconds == inf else {"time_limit": seconds}

    def solve() -> OptimizeResult:
        return linprog(costs, method=method, options=options, **given)

    result = solve() if _numbers(given) < QUICK else _waited_for(solve, perf_counter() + seconds)
    return result if result is not None and result.status == 0 else None


def _numbers(given: dict[str, Any]) -> int:
    return sum(np.size(given[name]) for name in ("A_ub", "A_eq") if name in given)


def _waited_for(solve: Callable[[], OptimizeResult], end: float) -> OptimizeResult | None:
    """Call in another thread until then; Ctrl-C is raised here, since only this thread hears it."""
    found: list[OptimizeResult | BaseException] = []
    over = Event()

    def work() -> None:
        try:
            found.append(solve())
        except BaseException as error:
            found.append(error)
        over.set()

    thread = Thread(target=work, name="exactree linear program")
    try:
        thread.start()
    except RuntimeError:  # the system has no thread for us
        return solve()
    # Not `thread.join`: left by an exception it takes the thread for ended, and Python would exit.
    while not over.wait(WAIT_SECONDS) and perf_counter() < end:
        pass
    if not found:
        return None
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]
