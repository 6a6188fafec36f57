"""Folds, and the score of a tree on the rows that one leaves out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def folds(cv: Any, model: Any, y: NDArray[Any], weights: Floats, groups: Any) -> list[Any]:
    """Give the rows of every fold to train and to test with, those of no weight left out.

    A splitter parts the rows that have a weight, so that zeros mean what leaving the rows out does.
    Folds that the user lists have numbers of the user's rows, so they are taken first.
    """
    kept = np.flatnonzero(weights > 0)
    listed = hasattr(cv, "__iter__") and not hasattr(cv, "split") and not isinstance(cv, str)
    rows = np.arange(len(y)) if listed else kept
    parts = check_cv(cv, y[rows], classifier=is_classifier(model))
    some = None if groups is None else _groups(groups, len(y))[rows]
    found = []
    for number, pair in enumerate(parts.split(rows[:, None], y[rows], some)):
        train, test = (rows[_places(part, len(rows), number)] for part in pair)
        found.append((train[weights[train] > 0], test[weights[test] > 0]))
        if not all(map(len, found[-1])):
            raise ValueError(
                f"cv: fold {number} has no row with a weight to "
                f"{'test' if len(found[-1][0]) else 'train'} with: leave the fold out"
            )
    if not found:
        raise ValueError("cv has no folds: pass at least one")
    return found


def _groups(groups: Any, n_rows: int) -> NDArray[Any]:
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise ValueError(
            f"groups has shape {found.shape}: pass one group for each of {n_rows} rows"
        )
    return found


def _places(part: Any, n_rows: int, number: int) -> Rows:
    """Read the rows of a fold: numbers, or a truth for every row."""
    found = np.asarray(part)
    if found.dtype == bool and len(found) == n_rows:
        return np.flatnonzero(found)
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
        raise ValueError(f"cv: fold {number} is no list of row numbers, but {part!r}")
    if len(found) and not -n_rows <= found.min() <= found.max() < n_rows:
        row = found[(found < -n_rows) | (found >= n_rows)][0]
        raise ValueError(f"cv: fold {number} has row {row}, and X has the rows 0 to {n_rows - 1}")
    return found.astype(np.intp)


def scorer_of(scoring: Any, *, weighted: bool) -> Callable[..., float]:
    """Find the scorer of a name, or take a function of estimator, X and y, as scikit-learn does."""
    if isinstance(scoring, list | tuple | set | dict):
        raise ValueError(
            f"scoring={scoring!r}: the size is chosen by one score; pass a name or a function"
        )
    found = get_scorer(scoring) if isinstance(scoring, str) else scoring
    if not callable(found):
        raise ValueError(
            f"scoring={scoring!r}: pass a name of sklearn.metrics.get_scorer_names() or a function "
            "of estimator, X and y"
        )
    if not weighted:
        return lambda model, X, y, weights: float(found(model, X, y))
    if not _takes_weights(found):
        raise ValueError(
            "scoring takes no sample_weight, and there are weights: let the function have a "
            "parameter sample_weight, or leave the weights out"
        )
    return lambda model, X, y, weights: float(found(model, X, y, sample_weight=weights))


def _takes_weights(scorer: Callable[..., Any]) -> bool:
    known = inspect.signature(scorer).parameters.values()
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in known)


def search_results(errors: Floats) -> dict[str, Any]:
    """Write errors, folds by sizes, as `cv_results_` of scikit-learn's searches has its scores.

    >>> found = search_results(np.array([[0.5, 0.25], [0.5, 0.75]]))
    >>> found["mean_test_score"].tolist(), found["rank_test_score"].tolist()
    ([-0.5, -0.5], [1, 1])
    >>> list(found)[-3:]
    ['mean_test_score', 'std_test_score', 'rank_test_score']
    """
    scores = 0.0 - errors  # no negative zeros
    mean = scores.mean(axis=0)
    sizes = np.arange(errors.shape[1])
    return {
        "param_max_splits": sizes,
        "params": [{"max_splits": k} for k in sizes.tolist()],
        **{f"split{fold}_test_score": score for fold, score in enumerate(scores)},
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=0),
        "rank_test_score": 1 + (mean[:, None] < mean[None, :]).sum(axis=1),
    }
