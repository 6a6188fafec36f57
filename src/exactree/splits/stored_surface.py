"""Reading stored surfaces: the family, its terms and a coefficient for each."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

from exactree.fields import read_list, read_number, read_record, read_text, read_whole, wrong
from exactree.geometry import KINDS, Family, Surface, Term

# A file of a few bytes may ask for terms without end.
MOST_TERMS = 1_000_000


def read_surface(data: Mapping[str, Any]) -> tuple[Surface, int, tuple[float, ...]]:
    """Read what `SurfaceSplit.to_dict` writes: the surface, how many columns, strengths if known.

    >>> read_surface({"kind": "surface", "family": "plane", "degree": 1, "columns": 1,
    ...     "terms": [], "at_most": 0.5})
    Traceback (most recent call last):
    ...
    ValueError: family is 'plane', not one of 'hyperplane', 'sphere', 'axis_quadric', 'polynomial'
    """
    exact = "exact_terms" in data
    listed, limit = ("exact_terms", "exact_at_most") if exact else ("terms", "at_most")
    required = ("kind", "family", "degree", "columns", listed, limit)
    read_record(data, "the split", required, optional=("strongest",))
    columns = read_whole(data["columns"], "columns", 1)
    family = _family(data, columns)
    places = {term: place for place, term in enumerate(family.terms(columns))}
    coefficients = [0 if exact else 0.0] * len(places)
    seen: dict[Term, int] = {}
    for at, entry in enumerate(read_list(data[listed], listed)):
        where = f"{listed}[{at}]"
        value, term = read_list(entry, where, 2)
        key = _read_term(term, where)
        if key not in places or key in seen:
            wanted = "a term of the family" if key not in places else "a term that is new here"
            raise wrong(term, where, wanted)
        seen[key] = places[key]
        coefficients[places[key]] = _read_coefficient(value, where, exact=exact)
    threshold = _read_coefficient(data[limit], limit, exact=exact)
    strengths = _strengths(data.get("strongest"), list(seen.values()), len(places))
    return Surface(family, tuple(coefficients), threshold, exact), columns, strengths


def _strengths(order: Any, listed: list[int], terms: int) -> tuple[float, ...]:
    """Give numbers that fall from the strongest to the weakest of the terms that are listed.

    >>> _strengths([1, 0], [0, 2], 3), _strengths(None, [0, 2], 3)
    ((0.5, 0.0, 1.0), ())
    """
    if order is None:
        return ()
    read = [read_whole(at, "strongest") for at in read_list(order, "strongest")]
    if sorted(read) != list(range(len(listed))):
        raise wrong(order, "strongest", f"the numbers below {len(listed)}, each of them once")
    strengths = [0.0] * terms
    for rank, at in enumerate(read):
        strengths[listed[at]] = 1 - rank / len(read)
    return tuple(strengths)


def _family(data: Mapping[str, Any], columns: int) -> Family:
    name = read_text(data["family"], "family", KINDS)
    degree = read_whole(data["degree"], "degree", 1)
    known = KINDS[name].degree
    if degree != (known or degree):
        raise wrong(degree, "degree", f"{known}, that of a {name}")
    # With more than 20 of both there are more than 10^11 products.
    few = min(degree, columns) <= 20 and max(degree, columns) <= MOST_TERMS
    if not few or (known is None and comb(columns + degree, degree) > MOST_TERMS):
        raise ValueError(f"degree {degree} and {columns} columns have too many terms")
    return Family(name, degree)


def _read_term(term: Any, where: str) -> Term:
    """Read a sum of products of powers: [[[column, power], ...], ...]."""
    return tuple(
        tuple(
            _pair([read_whole(n, where) for n in read_list(pair, where, 2)])
            for pair in read_list(powers, where)
        )
        for powers in read_list(term, where)
    )


def _pair(numbers: list[int]) -> tuple[int, int]:
    column, power = numbers
    return column, power


def _read_coefficient(value: Any, where: str, *, exact: bool) -> int | float:
    if not exact:
        return float(read_number(value, where))
    text = read_text(value, where)
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise wrong(value, where, "an integer written as text")
    try:
        return int(text)
    except ValueError:
        raise wrong(value, where, "an integer of at most 4300 digits") from None
