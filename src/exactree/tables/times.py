"""Dates and durations as 64-bit integers of a unit, and how they are written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.tables.columns import NANOSECONDS, NOT_A_TIME, Column, Kind

LARGEST = np.iinfo(np.int64).max
Ints = NDArray[np.int64]


def of_times(values: NDArray[Any], unit: str | None = None) -> Column:
    """Count dates (dtype datetime64) or durations (timedelta64) in a unit, or in their own.

    What is finer than the unit is cut off; what is beyond 64 bits becomes the last date there is.

    >>> of_times(np.array(["1970-01-02", "NaT"], dtype="M8[D]"), "h").values.tolist()[0]
    24
    """
    kind = "date" if values.dtype.kind == "M" else "duration"
    own, count = np.datetime_data(values.dtype)
    if own not in NANOSECONDS:  # years and months have no fixed length, finer ones no use here
        coarse = own in ("Y", "M")
        values = values.astype(f"{values.dtype.kind}8[{'D' if coarse else 'ns'}]")
        own, count = ("D" if coarse else "ns"), 1
    numbers = values.astype(np.int64)
    to = own if unit is None else unit
    return Column(Kind(kind, unit=to), _counted(numbers, count * NANOSECONDS[own], NANOSECONDS[to]))


def _counted(numbers: Ints, given: int, wanted: int) -> Ints:
    """Turn multiples of `given` nanoseconds into multiples of `wanted`, rounded down."""
    if given == wanted:
        return numbers
    missing = numbers == NOT_A_TIME
    if given > wanted:
        factor = given // wanted
        most = LARGEST // factor
        found = np.where(np.abs(numbers) <= most, numbers * factor, np.sign(numbers) * LARGEST)
    else:
        found = numbers // (wanted // given)
    return np.where(missing, NOT_A_TIME, found)


def middle(low: int, high: int, unit: str) -> int:
    """Give a threshold t of two neighbours: low <= t < high, as round a date as lies near halfway.

    >>> day = 86_400
    >>> middle(0, day, "s"), middle(0, 4 * day, "s") // day, middle(5, 6, "s")
    (0, 2, 5)
    """
    halfway = (low + high) // 2
    for step in list(NANOSECONDS.values())[1:]:  # from days on: nobody counts weeks since 1970
        round_ = step // NANOSECONDS[unit]
        if round_ and low <= (found := halfway // round_ * round_):
            return found
    return halfway


def written(count: int, kind: str, unit: str) -> str:
    """Write a date as ISO 8601 has it, a duration in days, hours, minutes and seconds.

    >>> written(0, "date", "ns"), written(90, "date", "s"), written(90_000, "duration", "s")
    ('1970-01-01', '1970-01-01T00:01:30', '1 day 01:00:00')
    """
    if kind == "date":
        text = str(np.array(count).astype(f"M8[{unit}]"))
        day, _, time = text.partition("T")
        time = time.rstrip("0").rstrip(".") if "." in time else time
        return day if not time.strip("0:") else f"{day}T{time}"
    sign, left = ("-" if count < 0 else ""), abs(count) * NANOSECONDS[unit]
    days, left = divmod(left, NANOSECONDS["D"])
    seconds, rest = divmod(left, NANOSECONDS["s"])
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if rest:
        clock += f".{rest:09}".rstrip("0")
    told = f"{days} day{'s' * (days != 1)}" if days else ""
    return sign + " ".join(filter(None, [told, clock if seconds or rest or not days else ""]))
