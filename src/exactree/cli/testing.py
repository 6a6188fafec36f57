"""fit --test and fit --cv: how good a tree is on rows it has not seen, and of which size."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from exactree import tree
from exactree.cli.models import Model
from exactree.cli.options import Target, families, spelling
from exactree.cli.output import Output
from exactree.cli.predicting import answers_of, judged, kept_as_text, leaves_of, rows_for
from exactree.cli.tables import read_table
from exactree.problem import Result
from exactree.sizes import OptimalTreeClassifierCV, OptimalTreeRegressorCV

Rows = NDArray[np.intp]
MOST_SPLITS = 7  # of --cv, unless --max-splits says otherwise


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of fit."""
    parser.add_argument(
        "--test",
        metavar="FILE|SHARE",
        help="tell how good the tree is on the rows of another file, or on a share of these rows, "
        "such as 0.25, which the fit then leaves out",
    )
    parser.add_argument(
        "--cv",
        type=int,
        metavar="FOLDS",
        help="choose the number of splits by cross-validation: the smallest within one standard "
        f"error of the best, up to --max-splits (default {MOST_SPLITS})",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the share of --test (default 0)")


def share_of(args: argparse.Namespace) -> float | None:
    """Read --test as a share; None if it is a file, or not given."""
    try:
        share = float(args.test)
    except (TypeError, ValueError):
        return None
    if Path(args.test).exists():
        return None
    if not 0 < share < 1:
        raise ValueError(f"--test {args.test}: a share is between 0 and 1; there is no such file")
    return share


def parted(args: argparse.Namespace, y: Target) -> tuple[Rows, Rows]:
    """Part the rows into those of the fit and those of the test, which may be none."""
    every = np.arange(len(y))
    share = share_of(args)
    if share is None:
        return every, every[:0]
    labels = None if args.task == "regression" else np.array(y)
    how = {"test_size": share, "random_state": args.seed}
    try:
        train, test = train_test_split(every, stratify=labels, **how)
    except ValueError:  # too few rows of a class to part each alike
        train, test = train_test_split(every, **how)
    return np.sort(train), np.sort(test)


def tested(
    args: argparse.Namespace, model: Model, X: Any, y: Target, test: Rows, output: Output
) -> dict[str, Any]:
    """Tell how good the tree is on the rows of the test; nothing if there is none."""
    if args.test is None:
        return {}
    if len(test):
        found = _on_rows(model, X[test], np.array(y)[test], output)
    else:
        table = read_table(args.test, **spelling(args), text=kept_as_text(model))
        table.column(model.target)
        answers = answers_of(model, leaves_of(model, rows_for(model, table)))
        found = judged(model, answers, table, output, "test: ")
    return {"test": found}


def left_out(model: Model, X: Any, y: Target, test: Rows) -> tuple[Any, Target] | None:
    """Give the share of the rows that the fit left out; None if there is none, or a new class."""
    answers = [y[i] for i in test.tolist()]
    if not answers or (model.classes and not set(answers) <= set(model.classes)):
        return None
    return X[test], answers


def _on_rows(model: Model, X: Any, y: NDArray[Any], output: Output) -> dict[str, Any]:
    predicted = tree.predict(model.result.tree, X)
    if model.classes:
        right = int((np.array(model.classes)[predicted] == y).sum())
        output.note(f"test: {right} of {len(y)} right ({right / len(y):.1%})")
        return {"rows": len(y), "accuracy": right / len(y)}
    errors = predicted - y
    squared, absolute = float((errors**2).mean()), float(np.abs(errors).mean())
    output.note(f"test: mean squared error {squared:.6g}, mean absolute error {absolute:.6g}")
    return {"rows": len(y), "mean_squared_error": squared, "mean_absolute_error": absolute}


def chosen_by_folds(
    args: argparse.Namespace, X: Any, y: Target, weights: Any, how: dict[str, Any], output: Output
) -> Result:
    """Choose the number of splits by cross-validation; the result is that of all rows."""
    if how["penalty"]:
        raise ValueError("--penalty: --cv chooses the number of splits; leave one of them out")
    kept = ("max_depth", "min_samples_leaf", "time_limit", "n_jobs")
    given: dict[str, Any] = {name: how[name] for name in kept}
    given |= {"splits": families(args.splits or ["axis"]), "cv": args.cv}
    given["max_splits"] = MOST_SPLITS if how["max_splits"] is None else how["max_splits"]
    given |= {"missing": args.missing, "categories": args.categories}
    if args.task == "regression":
        model: Any = OptimalTreeRegressorCV(objective=args.objective or "squared_error", **given)
    elif args.objective not in (None, "error"):
        raise ValueError(f"--objective {args.objective}: --cv knows the loss error only")
    else:
        model = OptimalTreeClassifierCV(class_weight=args.class_weight, **given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the status tells
        model.fit(X, np.array(y), sample_weight=weights)
    rows = [
        [str(k), f"{mean:#.4g}", f"{spread:#.4g}", "<--" if k == model.max_splits_ else ""]
        for k, (mean, spread) in enumerate(
            zip(model.mean_error_, model.standard_error_, strict=True)
        )
    ]
    output.note_table(f"{args.cv} folds", ("splits", "mean error", "+-", "chosen"), rows)
    return model.result_  # type: ignore[no-any-return]
