"""Lists of rules that data points own: the surfaces through as many points as define one.

Glossary
    vectors   the distinct points, embedded, with a constant in front; c coordinates
    G         c - 1, the number of points that define a surface
    on        the points on a surface: its owners, and in special position others
    flat      the points in the span of some owners
    cell      a subset of a flat that surfaces can part from the rest of it, or all, or nothing
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree import _native
from exactree.combinations import count, unranked
from exactree.geometry.families import Family, family_of
from exactree.geometry.lifting import lift
from exactree.geometry.listing import (
    GIBIBYTE,
    Masks,
    distinct_rows,
    homogeneous,
    independent_columns,
    pack,
    reduced,
)
from exactree.partitions import packed_numbers

Stop = Callable[[], bool]
Vectors = list[list[int]]
Owners = tuple[int, ...]
Rule = tuple[int, Owners]  # the points where it holds, as bits of an integer, and its owners
BLOCK = 4096


class _Stopped(Exception):
    """Raised out of the listing when it is told to stop."""


@dataclass(frozen=True)
class OwnedRules:
    """Rules with their sides and owners.

    masks[k] has the rows where rule k holds, packed; owners[k] the rows that own it, filled up by
    -1; equal rows are owned by the first of them. `complete` is False if `stop` ended the listing.
    """

    masks: Masks
    owners: NDArray[np.int32]
    complete: bool


def owned_rules(
    X: ArrayLike,
    family: str | Family,
    *,
    boundary: str = "all",
    memory_limit: int = GIBIBYTE,
    stop: Stop | None = None,
) -> OwnedRules:
    """List the surfaces through every G points in revolving-door order, with G points as owners.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Finite numbers, read as the shortest decimals that round to them.
    family : str or Family
        The kind of surface, anything but "axis".
    boundary : str
        Where the points on a surface lie. "positive": on its positive side, an arbitrary one of
        the two; "both": once so, once with the sides exchanged; "all": on either side, in every way
        that the family allows, and regions that span less have rules of fewer owners. From the last
        list the combinations of rules reach the optimum over all partitions.
    memory_limit : int
        Bytes, for the rules and a matrix of their relations. What could need more is refused.
    stop : callable, optional
        Asked now and then; True ends the listing early.

    Examples
    --------
    >>> triangle = [[0, 0], [1, 0], [0, 1]]
    >>> [len(owned_rules(triangle, "hyperplane", boundary=b).masks) for b in ("positive", "all")]
    [3, 12]
    """
    kind = family_of(family)
    points, rows = distinct_rows(lift(X, kind.scales_columns_together, stop).rows)
    vectors = homogeneous(points, kind, stop)
    if boundary == "all":
        vectors = independent_columns(vectors, stop)
    _refuse_too_many(kind, len(points), len(vectors[0]), boundary, memory_limit)
    found: list[Rule] = []
    try:
        found.extend(_listed(vectors, boundary, stop or (lambda: False)))
        complete = True
    except _Stopped:
        complete = False
    first = np.unique(rows, return_index=True)[1]
    owners = np.full((len(found), len(vectors[0]) - 1), -1, dtype=np.int32)
    for k, (_, named) in enumerate(found):
        owners[k, : len(named)] = first[list(named)]
    masks = packed_numbers([mask for mask, _ in found], len(points))
    return OwnedRules(_native.expand_masks(masks, rows), owners, complete)


def _count(points: int, coefficients: int, boundary: str) -> int:
    """Count the rules of a list in general position."""
    g = coefficients - 1
    copies: int = {"positive": 1, "both": 2, "all": 2**g}[boundary]
    surfaces = comb(points, g) * copies
    if boundary != "all":
        return surfaces
    flats = [comb(points, k) * ((1 << (k - 1)) - 1) for k in range(2, g)]
    return surfaces + sum(flats)


def _bytes_needed(points: int, coefficients: int, boundary: str) -> int:
    """Bound what the rules and the matrix of their relations take."""
    rules = _count(points, coefficients, boundary)
    return rules * (16 * -(-points // 64) + 8 * coefficients + points + rules)


def _refuse_too_many(
    family: Family, points: int, coefficients: int, boundary: str, memory_limit: int
) -> None:
    needed = _bytes_needed(points, coefficients, boundary)
    if needed <= memory_limit:
        return
    fits = coefficients
    while _bytes_needed(fits + 1, coefficients, boundary) <= memory_limit:
        fits += 1
    raise ValueError(
        f"{points} distinct rows own up to {_count(points, coefficients, boundary)} rules of the "
        f"family {family.name!r}, {needed // 2**20 + 1} MB with their relations, and memory_limit "
        f"is {memory_limit // 2**20} MB: {fits} rows would fit; or use engine='search', which "
        "needs no list of rules, fewer columns or a simpler family"
    )


def _listed(vectors: Vectors, boundary: str, stop: Stop) -> Iterator[Rule]:
    """Yield the rules of the list."""
    g = len(vectors[0]) - 1
    everyone = (1 << len(vectors)) - 1
    known: dict[int, list[int]] = {}
    if g == 0:  # a single point, or several that are one to this family
        return
    for owners, positive, on in _surfaces(vectors, _all_owners(len(vectors), g, stop)):
        if on == everyone:  # these owners define no surface
            continue
        if boundary != "all":
            yield positive | on, owners
            if boundary == "both":
                yield everyone ^ positive, owners
            continue
        if on not in known:
            known[on] = cells(vectors, on)
        yield from ((positive | cell, owners) for cell in known[on])
    if boundary == "all":
        for size in range(2, g):
            yield from _of_flats(vectors, size, stop)


def _all_owners(points: int, g: int, stop: Stop) -> Iterator[NDArray[np.uint32]]:
    """Yield the combinations of g points in revolving-door order, block by block."""
    total = count(points, g)
    for start in range(0, total, BLOCK):
        if stop():
            raise _Stopped
        ranks = np.arange(start, min(start + BLOCK, total))
        yield unranked(g, ranks, points).astype(np.uint32)


def _surfaces(
    vectors: Vectors, blocks: Iterable[NDArray[np.uint32]]
) -> Iterator[tuple[Owners, int, int]]:
    """Yield owners, the points on the positive side of their surface, and the points on it."""
    packed = pack(vectors)
    for owners in blocks:
        positive, on = _native.surface_sides(packed, owners)
        for named, above, at in zip(owners.tolist(), positive, on, strict=True):
            yield tuple(named), _bits(above), _bits(at)


def _bits(words: Masks) -> int:
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


def _members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def cells(vectors: Vectors, on: int) -> list[int]:
    """List the subsets of the points `on` a surface that lie on one side of another one.

    Independent points may be parted in every way; others by what parts the flat that they span.

    >>> cells([[1, 0], [1, 1], [1, 2]], 0b111)
    [0, 7, 1, 6, 3, 4]
    """
    members = _members(on)
    flat = independent_columns([vectors[i] for i in members])
    if len(flat[0]) == len(members):
        singles = [1 << i for i in members]
        return [sum(some) for k in range(len(members) + 1) for some in combinations(singles, k)]
    expected = sum(comb(len(flat), d) for d in range(len(flat[0])))
    masks, _ = _native.dichotomies(pack(flat), expected, None)
    parts = [sum(1 << members[i] for i in _members(_bits(mask))) for mask in masks]
    return [0, on, *(side for part in parts for side in (part, on ^ part))]


def _of_flats(vectors: Vectors, size: int, stop: Stop) -> Iterator[Rule]:
    """Yield a rule for every partition of every flat that `size` points span, owned by these.

    A region within the flat has no G independent points. The rule is a surface through the owners
    and further points, turned a little, so that it also places the points off the flat.
    """
    for block in _all_owners(len(vectors), size, stop):
        for named in block.tolist():
            span = _span(vectors, named)
            if len(span) < size:
                continue
            through = _extended(vectors, named, span)
            ((_, positive, on),) = _surfaces(vectors, [np.array([through], dtype=np.uint32)])
            flat = sum(1 << i for i in _members(on) if not any(reduced(vectors[i], span)))
            part_of = {cell & flat: cell for cell in cells(vectors, on) if cell >> named[0] & 1}
            rules = [positive | cell for part, cell in part_of.items() if part != flat]
            yield from ((rule, tuple(named)) for rule in rules)


def _span(vectors: Vectors, chosen: Sequence[int]) -> dict[int, list[int]]:
    """Eliminate the chosen points: as many rows as are independent, by their pivot columns."""
    pivots: dict[int, list[int]] = {}
    for i in chosen:
        rest = reduced(vectors[i], pivots)
        column = next((c for c, x in enumerate(rest) if x), None)
        if column is not None:
            pivots[column] = rest
    return pivots


def _extended(vectors: Vectors, chosen: list[int], span: dict[int, list[int]]) -> list[int]:
    """Add points that are independent of those before until they define a surface."""
    found, pivots = list(chosen), dict(span)
    for i, vector in enumerate(vectors):
        if len(found) == len(vector) - 1:
            break
        rest = reduced(vector, pivots)
        column = next((c for c, x in enumerate(rest) if x), None)
        if column is not None:
            pivots[column] = rest
            found.append(i)
    return found
