"""Certificates over lists of partitions: surfaces, mixtures, families of one's own."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.partitions import unpacked
from exactree.problem import Problem
from exactree.proof import checking_partitions
from exactree.proof.describing import Described, written_partitions
from exactree.proof.headers import Header, claimed, file_of, refuse_other_bound, results_of
from exactree.proof.listing import Prover, as_plan
from exactree.splits import Axis, Binary, Mixed, SplitFamily
from exactree.splits.own import Own
from exactree.splits.surface import SurfaceFamily

Bools = NDArray[np.bool_]
# The surfaces that the checkers know, who take no terms on trust.
CHECKED = ("hyperplane", "sphere", "axis_quadric", "polynomial")


def parts_of(family: SplitFamily) -> list[Header]:
    """Describe the splits of a family, so that a checker can list them."""
    if isinstance(family, Mixed):
        return [part for one in family.families for part in parts_of(one)]
    if isinstance(family, Axis | Binary):
        return [{"kind": "thresholds"}]
    if isinstance(family, Own):
        return [{"kind": "listed", "name": family.name}]
    if not isinstance(family, SurfaceFamily) or family.name not in CHECKED:
        raise ValueError(f"splits={family.name!r} has no certificates")
    degree = family.surface.degree if family.name == "polynomial" else 1
    most = getattr(family, "columns", None)
    return [{"kind": "surfaces", "name": family.name, "degree": degree, "most": most}]


def by_partitions(
    result: Any,
    subject: Described,
    labels: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    header: Header,
    searched: tuple[SplitFamily, Problem, NDArray[np.float64]],
) -> bytes:
    """Find a plan for what the results say, and pack it with the header that it shows."""
    X, family = subject.X, searched[0]
    own = _own(X, *searched)
    octets = np.packbits(own, axis=1, bitorder="little").tobytes()
    parts = parts_of(family)
    for part in parts:
        if part["kind"] == "listed":
            part |= {"count": len(own), "sha256": hashlib.sha256(octets).hexdigest()}
        elif part["kind"] == "surfaces" and part["most"] is not None:
            part["most"] = min(part["most"], X.shape[1])
    header |= {"family": checking_partitions.FAMILY, "parts": parts}
    rows = checking_partitions.Rows(header, X, labels, weights, octets)
    results = results_of(result, header)
    depth, splits = header["max_depth"], header["max_splits"]
    shown: list[Header] = []
    need = 0
    for found, budget in results:
        tree = written_partitions(found.tree, X, np.flatnonzero(rows.kept), own)
        value = rows.cost_of(tree, depth, budget)
        bound = value if found.status == "optimal" else min(value, Fraction(found.lower_bound))
        shown.append({"max_splits": budget, "value": str(value), "tree": tree})
        need = max(need, round(bound / rows.unit))
    prover = Prover(rows)
    every = np.ones(len(rows.label), bool)
    bounds, codes = prover.prove(every, len(every) if depth is None else depth, splits, need)
    claimed(shown, [Fraction(int(b)) * rows.unit for b in bounds[-1]], header)
    for (found, _), entry in zip(results, shown, strict=True):
        if found.status == "optimal" and not header["rounded"] and entry["bound"] != entry["value"]:
            refuse_other_bound(found, entry)
    header |= {"work": prover.spent, "results": shown}
    return file_of(header, octets + as_plan(codes))


def _own(
    X: NDArray[np.float64], family: SplitFamily, problem: Problem, searched: NDArray[np.float64]
) -> Bools:
    """Give the partitions that only their family can list, for all rows of X."""
    families = family.families if isinstance(family, Mixed) else [family]
    if not any(isinstance(one, Own) for one in families):
        return np.zeros((0, len(X)), bool)
    if len([one for one in families if isinstance(one, Own)]) > 1:
        raise ValueError("mixtures of two families of one's own have no certificates")
    if problem.partitions is None:  # no splits are allowed
        return np.zeros((0, len(X)), bool)
    assert problem.origin is not None
    known = {tuple(searched[i]): place for place, i in enumerate(problem.origin.tolist())}
    places = np.array([known.get(tuple(row), -1) for row in X])
    masks = unpacked(problem.partitions.masks, problem.n_rows)
    return np.asarray(np.where(places >= 0, masks[:, places], False))
