"""Stored data, field by field: what is not as documented is refused, with where it stands.

Each function takes a value and the name of its place in the file, and gives the value back if it is
of the right kind. Nothing here trusts the data: any value may be anything that JSON can hold.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any


def wrong(value: Any, where: str, wanted: str) -> ValueError:
    """Say what is wrong, however large or deep the value is.

    >>> print(wrong([[[[[[[[]]]]]]]], "root", "a number"))
    root is [[[[[[[...]]]]]]], not a number
    """
    return ValueError(f"{where} is {reprlib.repr(value)}, not {wanted}")


def read_record(
    value: Any,
    where: str,
    required: Collection[str],
    *,
    optional: Collection[str] = (),
    more: bool = False,
) -> Mapping[str, Any]:
    """Take an object that has these fields, and no other but `optional`, unless `more` is allowed.

    >>> read_record({"a": 1}, "root", ["a", "b"])
    Traceback (most recent call last):
    ...
    ValueError: root has no field 'b'
    """
    if not isinstance(value, Mapping):
        raise wrong(value, where, "an object with named fields")
    for name in required:
        if name not in value:
            raise ValueError(f"{where} has no field {name!r}")
    for name in () if more else value:
        if name not in required and name not in optional:
            raise ValueError(f"{where} has a field {reprlib.repr(name)} that is not known")
    return value


def read_text(value: Any, where: str, among: Collection[str] = ()) -> str:
    """Take a text, one of some if there are any to choose from.

    >>> read_text("b", "kind", ["a"])
    Traceback (most recent call last):
    ...
    ValueError: kind is 'b', not one of 'a'
    """
    if not isinstance(value, str):
        raise wrong(value, where, "text")
    if among and value not in among:
        raise wrong(value, where, f"one of {', '.join(map(repr, among))}")
    return value


def read_list(value: Any, where: str, length: int | None = None) -> list[Any] | tuple[Any, ...]:
    """Take a list, of some length if that is given.

    >>> read_list([1, 2], "pair", 2)
    [1, 2]
    """
    if not isinstance(value, list | tuple):
        raise wrong(value, where, "a list")
    if length is not None and len(value) != length:
        raise ValueError(f"{where} has {len(value)} entries, not {length}")
    return value


def read_whole(value: Any, where: str, least: int = 0) -> int:
    """Take a whole number that is at least `least`.

    >>> read_whole(True, "rows")
    Traceback (most recent call last):
    ...
    ValueError: rows is True, not a whole number of at least 0
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise wrong(value, where, f"a whole number of at least {least}")
    return value


def read_number(value: Any, where: str, *, negative: bool = True) -> int | float:
    """Take a finite number that a float64 can hold; an integer stays one.

    >>> read_number(2, "cost"), read_number(0.5, "cost")
    (2, 0.5)
    """
    good = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        good = good and isfinite(value)
    except OverflowError:
        good = False
    if not good or (value < 0 and not negative):
        raise wrong(value, where, f"a finite number{'' if negative else ' of at least 0'}")
    return value  # type: ignore[no-any-return]
