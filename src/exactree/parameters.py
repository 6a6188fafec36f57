"""Reading budgets, penalties and limits: numbers of the right kind, or an error with the remedy."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

NOTHING = Fraction(0)


def read_count(name: str, value: Any, least: int) -> int:
    """Take a whole number that is at least `least`.

    >>> read_count("max_depth", 2.5, 0)
    Traceback (most recent call last):
    ...
    ValueError: max_depth=2.5: pass a whole number, at least 0
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name}={value!r}: pass a whole number, at least {least}")
    return int(value)


def read_budget(name: str, value: Any) -> int | None:
    """Take a whole number that is at least 0, or None for no limit.

    >>> read_budget("max_splits", None) is None
    True
    """
    return None if value is None else read_count(name, value, 0)


def read_penalty(penalty: Any) -> Fraction:
    """Take a finite number that is at least 0, and read it exactly.

    >>> read_penalty(0.25)
    Fraction(1, 4)
    """
    if isinstance(penalty, bool) or not isinstance(penalty, Real) or not _fits(penalty):
        raise ValueError(f"penalty={penalty!r}: pass a finite number, at least 0")
    if penalty < 0:
        raise ValueError(f"penalty={penalty!r} is negative: pass a number that is at least 0")
    if penalty == 0:
        return NOTHING
    return Fraction(penalty) if isinstance(penalty, int | Fraction) else Fraction(float(penalty))


def _fits(value: Any) -> bool:
    """Tell whether a real number is finite as a float."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def read_share(name: str, value: Any) -> Fraction:
    """Take a number from 0 to 0.5 and read it as the decimal it is written as.

    >>> read_share("min_weight_fraction_leaf", 0.01)
    Fraction(1, 100)
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value <= 0.5:  # type: ignore[operator]
        raise ValueError(f"{name}={value!r}: pass a number from 0 to 0.5")
    return Fraction(repr(float(value))) if value else NOTHING


def read_seconds(time_limit: Any) -> float:
    """Take a number of seconds that is at least 0, or None for no limit.

    >>> read_seconds(None)
    inf
    """
    if time_limit is None:
        return inf
    bad = isinstance(time_limit, bool) or not isinstance(time_limit, Real)
    if bad or not time_limit >= 0:
        raise ValueError(f"time_limit={time_limit!r}: pass seconds, at least 0, or None")
    return float(time_limit) if _fits(time_limit) else inf


def read_bytes(memory_limit: Any) -> int:
    """Take a number of bytes that is at least 1, or None for no limit (0).

    >>> read_bytes(None)
    0
    """
    # More than any machine has is no limit, but has to fit 64 bits.
    return 0 if memory_limit is None else min(read_count("memory_limit", memory_limit, 1), 2**62)


def read_threads(n_jobs: Any) -> int:
    """Take the number of threads as joblib does: None is one, -1 all cores, -2 all but one.

    >>> read_threads(None)
    1
    """
    if n_jobs is None or (n_jobs == 1 and type(n_jobs) is int):
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise ValueError(f"n_jobs={n_jobs!r}: pass a whole number, -1 for all cores, or None")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: pass 1 or more, -1 for all cores, or None")
    import joblib

    return int(joblib.effective_n_jobs(n_jobs))


def read_seed(random_state: Any) -> int:
    """Check where random choices come from.

    >>> read_seed(3)
    3
    """
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise ValueError(f"random_state={random_state!r}: pass a whole number")
    if not 0 <= int(random_state) < 2**63:
        raise ValueError(f"random_state={random_state!r}: pass a number from 0 to 2**63 - 1")
    return int(random_state)
