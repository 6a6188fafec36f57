"""Certificates: a second pass over a solved problem, and the file that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from exactree import inputs
from exactree.objectives.native import ClassWeights, CostTable, Outputs, Squares
from exactree.parameters import CertifyParameters, completed, takes
from exactree.preparing import Data, make_problem, read_data
from exactree.problem import Problem, Result
from exactree.proof import checking
from exactree.proof.describing import Described, described
from exactree.proof.headers import Header, budgets_of, costs_of, factors_of, is_rounded, unit_of
from exactree.proof.over_columns import by_errors, by_squares
from exactree.proof.over_partitions import by_partitions, parts_of
from exactree.proof.reducing import reduced, refuse_beside_costs
from exactree.request import Request, read_request
from exactree.splits import Axis, Binary, Listing
from exactree.tables import Table

MOST_CLASSES = 256


@takes(CertifyParameters)
def certify(
    result: Result | Sequence[Result],
    X: Any,
    y: Any,
    path: str | Path,
    **parameters: Unpack[CertifyParameters],
) -> None:
    """Write a certificate of what a result has proved, for anyone to check.

    The file holds the tree and a plan of where to look, and no bound that would have to be
    believed: `exactree.proof.check`, or one of the checkers that need nothing of exactree, computes
    every number from the data. A search that was stopped has its lower bound certified.

    Certified are errors and a `CostMatrix` of whole numbers, for all splits, and the squared error
    for "axis" and "binary". Costs per row are certified as weighted errors of a row for each
    answer, "f1" and its like as the cost matrix of their last search: `docs/certificates.md` says
    how.

    Parameters
    ----------
    result : Result or sequence of Result
        What `solve` gave; or a `SizePath`, whose results go into one certificate.
    X, y
        The data, as they were for `solve`.
    path : str or Path
        The file to write.

    Examples
    --------
    >>> import exactree, os, tempfile
    >>> X, y = [[1.0], [2.0], [3.0]], ["a", "b", "a"]
    >>> result = exactree.solve(X, y, max_depth=1)
    >>> path = os.path.join(tempfile.mkdtemp(), "proof.xz")
    >>> certify(result, X, y, path, max_depth=1)
    >>> print(exactree.proof.check(path, X, y))
    no axis-parallel tree of depth <= 1 makes fewer than 1 error on these 3 rows;
    this tree makes 1: it is optimal
    """
    given = completed(certify, parameters)
    request = read_request(given)
    refuse_certificate(request)
    if request.costs is not None or request.ratio is not None:
        result, X, y, given = reduced(result, X, y, request, given)
        request = read_request(given)
    data = read_data(X, y, request)
    request = replace(request, objective=request.objective.for_classes(data.classes))
    refuse_problem(request, data)
    subject = described(X, request.reading)
    names = given["feature_names"] if given["feature_names"] is not None else subject.names
    made = _Certificate(result, subject, _posed(data, request), data, request)
    header = {
        "format": "exactree.proof",
        "version": 1,
        "rows": len(subject.X),
        "columns": subject.X.shape[1],
        "kinds": subject.kinds,
        "weights": made.weights is not None,
        "feature_names": None if names is None else list(names),
        "target": given["target"],
        **budgets_of(made.problem, data, request),
    }
    squares = isinstance(request.objective.native_form(), Squares)
    Path(path).write_bytes((made.of_numbers if squares else made.of_classes)(y, header))


def _posed(data: Data, request: Request) -> Problem:
    """Pose the problem, for its budgets; surfaces need not be listed for that."""
    sources = request.splits.sources(data.X)
    if sources.left_out:
        raise ValueError("X has too many categories for a certificate: merge some")
    return make_problem(data, sources, request, listing=Listing(needed=False, reach=0))


def refuse_problem(request: Request, data: Data) -> None:
    """Refuse a problem that has no certificates; for costs per row and ratios, the reduced one."""
    family, loss = request.splits, request.objective
    form = loss.native_form()
    if isinstance(form, Outputs):
        raise ValueError("several outputs have no certificates: certify them one by one")
    if not isinstance(form, ClassWeights | CostTable | Squares):
        raise ValueError(
            f"objective {loss.name!r} has no certificates: they are for errors, a CostMatrix of "
            "whole numbers, costs per row and the squared error; leave certificate out, or choose "
            "one of these"
        )
    if not isinstance(form, Squares) and len(data.classes) > MOST_CLASSES:
        raise ValueError(
            f"{len(data.classes)} classes have no certificates: {MOST_CLASSES} at most do; leave "
            "certificate out, or join rare classes"
        )
    if isinstance(family, Axis | Binary):
        return
    if isinstance(form, Squares):
        raise ValueError(
            f"the squared error of splits={family.name!r} has no certificates: use splits='axis'"
        )
    if isinstance(data.X, Table):
        raise ValueError(
            f"splits={family.name!r} of a table with missing values, categories or dates has no "
            "certificates: pass complete numbers"
        )
    parts_of(family)  # refuses what it does not know


def refuse_certificate(request: Request) -> None:
    """Refuse what is no sum of the costs of classes before anything is searched."""
    if request.constraint is not None:
        raise ValueError("a constraint of one's own has no certificates: leave one of them out")
    shapes = ("monotonic_cst", "interaction_cst", "max_features_used")
    for shape in shapes:
        if getattr(request, shape) is not None:
            raise ValueError(f"{shape} has no certificates: leave one of them out")
    if request.costs is not None:
        refuse_beside_costs(request)


@dataclass(frozen=True, eq=False)
class _Certificate:
    """What a certificate is made of."""

    result: Result | Sequence[Result]
    subject: Described
    problem: Problem
    data: Data
    request: Request

    @property
    def weights(self) -> NDArray[np.float64] | None:
        return inputs.read_weights(self.request.sample_weight, len(self.subject.X))

    def of_classes(self, y: Any, header: Header) -> bytes:
        subject, weights = self.subject, self.weights
        classes, numbers = inputs.read_labels(y, len(subject.X))
        labels = numbers.astype(np.int64)
        named = [c if isinstance(c, str | int | float) else str(c) for c in classes.tolist()]
        header |= {
            "classes": named,
            "class_weight": factors_of(self.request.class_weight, classes, numbers, weights),
            "data": checking.data_digest(subject.X, labels, weights),
            "unit": str(unit_of(self.data)),
            "costs": costs_of(self.request.objective),
        }
        header["rounded"] = is_rounded(header, labels, weights)
        family = self.request.splits
        if isinstance(family, Axis | Binary):
            return by_errors(self.result, subject, labels, weights, header)
        searched = (family, self.problem, self.data.X)
        return by_partitions(self.result, subject, labels, weights, header, searched)

    def of_numbers(self, y: Any, header: Header) -> bytes:
        subject, weights = self.subject, self.weights
        targets = inputs.read_targets(y, len(subject.X))
        header |= {
            "data": checking.data_digest(subject.X, targets, weights),
            "unit": str(unit_of(self.data, below=1 << 51)),
        }
        header["rounded"] = is_rounded(header, None, weights)
        return by_squares(self.result, subject, targets, weights, header)
