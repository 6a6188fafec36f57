"""Checking the values of parameters: each as it should be, or an error with the remedy."""

from __future__ import annotations

from collections.abc import Sequence
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
        share = isinstance(value, float) and 0 < value < 1 and name == "min_samples_leaf"
        remedy = f"; for a share of the weight, min_weight_fraction_leaf={value!r}" if share else ""
        raise ValueError(f"{name}={value!r}: pass a whole number, at least {least}{remedy}")
    return int(value)


def read_budget(name: str, value: Any) -> int | None:
    """Take a whole number that is at least 0, or None for no limit.

    >>> read_budget("max_splits", None) is None
    True
    """
    return None if value is None else read_count(name, value, 0)


def read_penalty(name: str, value: Any) -> Fraction:
    """Take a finite number that is at least 0, and read it exactly.

    >>> read_penalty("penalty", 0.25)
    Fraction(1, 4)
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not _fits(value):
        raise ValueError(f"{name}={value!r}: pass a finite number, at least 0")
    if value < 0:
        raise ValueError(f"{name}={value!r} is negative: pass a number that is at least 0")
    if value == 0:
        return NOTHING
    return Fraction(value) if isinstance(value, int | Fraction) else Fraction(float(value))


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


def read_seconds(name: str, value: Any) -> float:
    """Take a number of seconds that is at least 0, or None for no limit.

    >>> read_seconds("time_limit", None)
    inf
    """
    if value is None:
        return inf
    bad = isinstance(value, bool) or not isinstance(value, Real)
    if bad or not value >= 0:
        raise ValueError(f"{name}={value!r}: pass seconds, at least 0, or None")
    return float(value) if _fits(value) else inf


def read_bytes(name: str, value: Any) -> int:
    """Take a number of bytes that is at least 1, or None for no limit (0).

    >>> read_bytes("memory_limit", None)
    0
    """
    # More than any machine has is no limit, but has to fit 64 bits.
    return 0 if value is None else min(read_count(name, value, 1), 2**62)


def read_threads(name: str, value: Any) -> int:
    """Take the number of threads as joblib does: None is one, -1 all cores, -2 all but one.

    >>> read_threads("n_jobs", None)
    1
    """
    if value is None or (value == 1 and type(value) is int):
        return 1
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name}={value!r}: pass a whole number, -1 for all cores, or None")
    if value == 0:
        raise ValueError(f"{name}=0 has no meaning: pass 1 or more, -1 for all cores, or None")
    import joblib

    return int(joblib.effective_n_jobs(value))


def read_seed(name: str, value: Any) -> int:
    """Check where random choices come from.

    >>> read_seed("random_state", 3)
    3
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name}={value!r}: pass a whole number")
    if not 0 <= int(value) < 2**63:
        raise ValueError(f"{name}={value!r}: pass a number from 0 to 2**63 - 1")
    return int(value)


def read_choice(name: str, value: Any, known: Sequence[str]) -> str:
    """Take one of some names.

    >>> read_choice("task", "regresion", ("classification", "regression"))
    Traceback (most recent call last):
    ...
    ValueError: task='regresion' is unknown: choose one of 'classification', 'regression'
    """
    if not isinstance(value, str) or value not in known:
        choice = ", ".join(map(repr, known))
        raise ValueError(f"{name}={value!r} is unknown: choose one of {choice}")
    return value


def read_callback(name: str, value: Any) -> Any:
    """Take a function, or None.

    >>> read_callback("on_progress", None) is None
    True
    """
    if value is not None and not callable(value):
        raise ValueError(f"{name}={value!r}: pass a function of a Progress, or None")
    return value


def read_gap(name: str, value: Any) -> float:
    """Take a finite number that is at least 0.

    >>> read_gap("gap_limit", 0.05)
    0.05
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not _fits(value) or value < 0:
        raise ValueError(f"{name}={value!r}: pass a finite number, at least 0")
    return float(value)
