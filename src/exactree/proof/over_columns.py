"""Certificates over rank columns: errors and costs, or the squared error."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.proof import checking, checking_binary, checking_squared
from exactree.proof.describing import Described, written_tree
from exactree.proof.headers import Header, claimed, file_of, refuse_other_bound, results_of

TOLERANCE = Fraction(1, 10**9)  # of the squared error: what "optimal" means
MOST_PAIRS = 1 << 22  # of columns, times classes: what a table of them may hold at every level
PRICE_BITS = 58  # of the squared error of the single leaf, in the units of the prover


def by_errors(
    result: Any,
    subject: Described,
    labels: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    header: Header,
) -> bytes:
    """Find a plan for what the results say, and pack it with the header that it shows."""
    rows = checking.Rows(header, subject.X, labels, weights)
    pairs = _by_pairs(rows)
    header["family"] = checking_binary.FAMILY if pairs else checking.FAMILY
    results = results_of(result, header)
    splits = header["max_splits"]
    shown: list[Header] = []
    targets = [0] * (1 + (splits or 0))
    for found, budget in results:
        tree = written_tree(found.tree, subject, int)
        value = rows.cost_of(tree, header["max_depth"], budget)
        bound = value if found.status == "optimal" else min(value, Fraction(found.lower_bound))
        shown.append({"max_splits": budget, "value": str(value), "tree": tree})
        targets[-1 if budget is None else budget] = round(bound / rows.unit)
    proof = _native.prove_columns(
        rows.ranks.astype(np.int32),
        rows.label.astype(np.int32),
        rows.weight,
        rows.size,
        n_classes=rows.classes,
        costs=None if rows.plain else rows.costs,
        max_depth=_depth(header, rows.ranks),
        max_splits=-1 if splits is None else splits,
        least=rows.least,
        penalty=rows.penalty,
        targets=targets,
        pairs=pairs,
    )
    claimed(shown, [bound * rows.unit for bound in proof.bounds], header)
    for (found, _), entry in zip(results, shown, strict=True):
        # Where weights had to be rounded, search and checker may have done so differently.
        if found.status == "optimal" and not header["rounded"] and entry["bound"] != entry["value"]:
            refuse_other_bound(found, entry)
    return file_of({**header, "work": proof.work, "results": shown}, proof.plan)


def _by_pairs(rows: checking.Rows) -> bool:
    """Tell whether all columns have two values, and pairs of them are not too many."""
    columns, count = rows.ranks.shape
    small = (rows.classes + 1) * columns**2 <= MOST_PAIRS and columns * count <= checking.CELLS
    return small and int(rows.ranks.max(initial=0)) < 2


def by_squares(
    result: Any,
    subject: Described,
    targets: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    header: Header,
) -> bytes:
    """Do the same for the squared error: the plan is looked for in whole units of it."""
    header["family"] = checking_squared.FAMILY
    rows = checking_squared.Rows(header, subject.X, targets, weights)
    results = results_of(result, header)
    splits = header["max_splits"]
    shown: list[Header] = []
    spread = float((rows.sums**2 / rows.weight).sum())
    price = 2.0 ** (PRICE_BITS - frexp(max(spread, 1.0))[1])
    wanted = [0] * (1 + (splits or 0))
    for found, budget in results:
        tree = written_tree(found.tree, subject, float)
        value = rows.cost_of(tree, header["max_depth"], budget)
        bound = value if found.status == "optimal" else min(value, Fraction(found.lower_bound))
        shown.append({"max_splits": budget, "value": _decimal(value, ceil), "tree": tree})
        # Half of the tolerance is left to roundings.
        units = bound * (1 - TOLERANCE / 2) / rows.unit * Fraction(price)
        wanted[-1 if budget is None else budget] = int(units)
    proof = _native.prove_columns(
        rows.ranks.astype(np.int32),
        np.zeros(len(rows.sums), np.int32),
        rows.weight.astype(np.int64),
        rows.size.astype(np.int64),
        n_classes=1,
        max_depth=_depth(header, rows.ranks),
        max_splits=-1 if splits is None else splits,
        least=int(rows.least),
        penalty=int(rows.penalty * price) if rows.penalty * price < 2**60 else 2**60,
        targets=wanted,
        squares=rows.sums / rows.weight,
        price=price,
    )
    # The checker loses a quantum, 2^-51 of the squares, for every row, and some for every addition.
    lost = spread * (len(rows.sums) + 600) * 2.0**-50
    bounds = [rows.true(max(0.0, bound / price - lost)) for bound in proof.bounds]
    claimed(shown, [Fraction(_decimal(bound, floor)) for bound in bounds], header)
    proved = [e for (found, _), e in zip(results, shown, strict=True) if found.status == "optimal"]
    if not all(map(_is_close, proved)):
        bounds = _shown_by(rows, header, proof)  # which takes longer, and is sharper
        claimed(shown, [Fraction(_decimal(bound, floor)) for bound in bounds], header)
    return file_of({**header, "work": proof.work, "results": shown}, proof.plan)


def _is_close(entry: Header) -> bool:
    return Fraction(entry["value"]) <= Fraction(entry["bound"]) * (1 + TOLERANCE)


def _shown_by(rows: checking_squared.Rows, header: Header, proof: _native.Proof) -> list[Fraction]:
    order = np.argsort(rows.ranks, axis=1, kind="stable")
    checker = checking_squared.Checker(rows, proof.plan, proof.work)
    bounds = checker.claim(order, _depth(header, rows.ranks), header["max_splits"])[-1]
    return [rows.true(float(bound)) for bound in bounds]


def _depth(header: Header, ranks: NDArray[np.int64]) -> int:
    return ranks.shape[1] if header["max_depth"] is None else int(header["max_depth"])


def _decimal(value: Fraction, rounded: Any) -> str:
    """Write a number in 17 digits or more, rounded up or down."""
    whole = len(str(int(value)))
    places = 39 if value < 1 else max(0, 20 - whole)
    return str(Fraction(rounded(value * 10**places), 10**places))
