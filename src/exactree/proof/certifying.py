"""Certificates: a second pass over a solved problem, and the file that it makes."""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native, inputs
from exactree.objectives import CostMatrix, MisclassificationError, Objective, as_objective
from exactree.preparing import Budgets, Data, make_problem, read_budgets, read_data
from exactree.problem import Problem, Result
from exactree.proof import checking
from exactree.splits import Axis, AxisSplit, Binary, SplitFamily, Splits, as_family
from exactree.tree import Leaf, Tree
from exactree.weights import balanced, integer_weights

LARGEST_BUDGET = 63


def certify(
    result: Result | Sequence[Result],
    X: Any,
    y: Any,
    path: str | Path,
    *,
    splits: Splits = "axis",
    max_depth: int | None = None,
    max_splits: int | None = None,
    min_samples_leaf: int = 1,
    min_weight_fraction_leaf: float = 0.0,
    penalty: float = 0.0,
    objective: Objective | str | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    feature_names: Sequence[str] | None = None,
    target: str | None = None,
) -> None:
    """Write a certificate of what a result has proved, for anyone to check.

    The file holds the tree and a plan of where to look, and no bound that would have to be
    believed: `exactree.proof.check`, or one of the two checkers that need nothing of exactree,
    computes every number from the data. A search that was stopped has its lower bound certified.

    Parameters
    ----------
    result : Result or sequence of Result
        What `solve` gave; or a `SizePath`, whose results go into one certificate.
    X, y
        The data, as they were for `solve`.
    path : str or Path
        The file to write.
    splits, objective
        As for `solve`: "axis" or "binary"; errors, or a `CostMatrix` of whole numbers.
    max_depth, max_splits, min_samples_leaf, min_weight_fraction_leaf, penalty
        The budgets, as for `solve`. Of a `SizePath`, `max_splits` is its largest.
    sample_weight, class_weight
        Weights of the rows, as for `solve`.
    feature_names, target : sequence of str, str; or None
        Names of the columns of X, where it has none itself, and of y: for those who check a table.

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
    loss = as_objective(objective, "classification")
    family = as_family(splits)
    budgets = read_budgets(
        max_depth, max_splits, min_samples_leaf, penalty, min_weight_fraction_leaf
    )
    data = read_data(X, y, sample_weight, class_weight)
    if not isinstance(data.X, np.ndarray):
        raise ValueError(
            "missing values, categories and dates have no certificates yet: pass numbers only"
        )
    loss = loss.for_classes(data.classes)
    _refuse_other_problems(family, loss)
    problem = make_problem(data, family.sources(data.X), budgets, loss, family.words)
    subject = _subject(X, y, sample_weight, class_weight)
    names = feature_names if feature_names is not None else data.feature_names
    header = {
        "format": "exactree.proof",
        "version": 1,
        "family": "axis",
        **subject.header,
        "feature_names": None if names is None else list(names),
        "target": target,
        "unit": str(data.scale if data.weights is None else _common(data.weights) * data.scale),
        "costs": _costs(loss),
        **_budgets(problem, data, budgets),
    }
    header["rounded"] = _is_rounded(subject, header)
    Path(path).write_bytes(_certificate(result, subject, header))


@dataclass(frozen=True, eq=False)
class Subject:
    """The data as a certificate describes them, before rows of no weight are left out."""

    X: NDArray[np.float64]
    labels: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    header: dict[str, Any]


def _refuse_other_problems(family: SplitFamily, loss: Objective) -> None:
    if not isinstance(family, Axis | Binary):
        raise ValueError(
            f"splits={family.name!r} has no certificates: they are for splits='axis' and 'binary'"
        )
    whole = isinstance(loss, CostMatrix) and loss.integral
    if type(loss) is not MisclassificationError and not whole:
        raise ValueError(
            f"objective {loss.name!r} has no certificates: they are for errors and for a "
            "CostMatrix of whole numbers"
        )


def _common(weights: NDArray[np.int64]) -> int:
    return int(np.gcd.reduce(weights))


def _costs(loss: Objective) -> list[list[int]] | None:
    return loss.matrix(np.int64).tolist() if isinstance(loss, CostMatrix) else None


def _subject(X: Any, y: Any, sample_weight: Any, class_weight: Any) -> Subject:
    values, _ = inputs.read_matrix(X)
    classes, numbers = inputs.read_labels(y, len(values))
    weights = inputs.read_weights(sample_weight, len(values))
    labels = numbers.astype(np.int64)
    header = {
        "rows": len(values),
        "columns": values.shape[1],
        "classes": [c if isinstance(c, str | int | float) else str(c) for c in classes.tolist()],
        "weights": weights is not None,
        "class_weight": _factors(class_weight, classes, numbers, weights),
        "data": checking.data_digest(values, labels, weights),
    }
    return Subject(values, labels, weights, header)


def _factors(
    class_weight: Any,
    classes: NDArray[Any],
    numbers: NDArray[np.intp],
    weights: NDArray[np.float64] | None,
) -> list[str] | None:
    """Write the factor of every class as a fraction."""
    factors = inputs.read_class_weight(class_weight, classes)
    if factors is None:
        return None
    if isinstance(factors, str):
        whole = integer_weights(np.ones(len(numbers)) if weights is None else weights)
        factors = balanced(whole.values, numbers)
    return [str(factors.get(i, Fraction(1))) for i in range(len(classes))]


def _is_rounded(subject: Subject, header: dict[str, Any]) -> bool:
    """Tell whether some weight is no multiple of the unit: there were too many digits."""
    factors, unit = header["class_weight"], Fraction(header["unit"])
    weights = np.ones(len(subject.labels)) if subject.weights is None else subject.weights
    pairs = set(zip(subject.labels.tolist(), weights.tolist(), strict=True))
    exact = ((Fraction(w) * (1 if factors is None else Fraction(factors[c]))) for c, w in pairs)
    return any((weight / unit).denominator > 1 for weight in exact)


def _budgets(problem: Problem, data: Data, budgets: Budgets) -> dict[str, Any]:
    """Write the budgets as the search understood them."""
    rows, weight = budgets.min_samples_leaf, Fraction(0)
    if budgets.min_weight and problem.weights is None and (rows > 1 or data.weights is None):
        rows = problem.min_rows
    elif budgets.min_weight:
        weight = problem.min_rows * problem.unit * problem.scale
    depth, splits = budgets.max_depth, budgets.max_splits
    if depth is None and problem.max_depth == checking.DEEPEST:
        depth = checking.DEEPEST
    if splits is not None and splits > LARGEST_BUDGET:
        raise ValueError(f"max_splits={splits} has no certificates: pass {LARGEST_BUDGET} at most")
    return {
        "max_depth": depth,
        "max_splits": splits,
        "min_samples_leaf": rows,
        "min_weight_leaf": str(weight),
        "penalty": str(Fraction(problem.penalty) * problem.scale),
    }


def _written(tree: Tree) -> dict[str, Any]:
    if isinstance(tree, Leaf):
        return {"leaf": int(tree.value)}
    assert isinstance(tree.split, AxisSplit)
    return {
        "column": tree.split.feature,
        "threshold": tree.split.threshold,
        "left": _written(tree.left),
        "right": _written(tree.right),
    }


def _certificate(
    result: Result | Sequence[Result], subject: Subject, header: dict[str, Any]
) -> bytes:
    """Find a plan for what the results say, and pack it with the header that it shows."""
    rows, kept = checking.prepared(header, subject.X, subject.labels, subject.weights)
    results = [result] if isinstance(result, Result) else list(result)
    depth, splits = header["max_depth"], header["max_splits"]
    if isinstance(result, Result) and splits is not None and splits >= 2 ** (depth or 64) - 1:
        header["max_splits"] = splits = None  # it cannot bind
    budgets = [splits] if isinstance(result, Result) else list(range(len(results)))
    shown: list[dict[str, Any]] = []
    targets = [0] * (1 + (splits or 0))
    for found, budget in zip(results, budgets, strict=True):
        tree = _written(found.tree)
        cost, used = checking.tree_cost(tree, subject.X[kept], rows, depth, budget)
        value = cost * rows.unit + used * Fraction(header["penalty"])
        bound = value if found.status == "optimal" else min(value, Fraction(found.lower_bound))
        shown.append({"max_splits": budget, "value": str(value), "tree": tree})
        targets[-1 if budget is None else budget] = round(bound / rows.unit)
    proof = _prove(rows, header, targets)
    for found, entry in zip(results, shown, strict=True):
        last = len(proof.bounds) - 1
        bound = proof.bounds[last if splits is None else min(entry["max_splits"], last)] * rows.unit
        entry["bound"] = str(min(bound, Fraction(entry["value"])))
        # Where weights had to be rounded, search and checker may have done so differently.
        if found.status == "optimal" and not header["rounded"] and entry["bound"] != entry["value"]:
            raise RuntimeError(
                f"the search found an optimum of {entry['value']}, the proof shows "
                f"{entry['bound']}: please report this as a bug of exactree"
            )
    header |= {"work": proof.work, "results": shown}
    return _packed(json.dumps(header, allow_nan=False).encode() + b"\n" + proof.plan)


def _packed(data: bytes) -> bytes:
    """Compress; a dictionary as long as the data is enough, and quick to set up."""
    best = 9 | lzma.PRESET_EXTREME
    size = min(max(4096, len(data)), 1 << 26)
    chain = [{"id": lzma.FILTER_LZMA2, "preset": best, "dict_size": size}]
    return lzma.compress(data, filters=chain)


def _prove(rows: checking.Rows, header: dict[str, Any], targets: list[int]) -> _native.Proof:
    depth, splits = header["max_depth"], header["max_splits"]
    return _native.prove_columns(
        rows.ranks.astype(np.int32),
        rows.label.astype(np.int32),
        rows.weight,
        rows.size,
        n_classes=rows.classes,
        costs=rows.costs,
        max_depth=rows.ranks.shape[1] if depth is None else depth,
        max_splits=-1 if splits is None else splits,
        least=rows.least,
        penalty=rows.penalty,
        targets=targets,
    )
