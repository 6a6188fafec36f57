"""exactree compare: CART and optimal trees of every split family on the same folds."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from exactree.cli.fitting import add_search_options, read_budgets, read_data
from exactree.cli.output import DONE, Output
from exactree.cli.tables import read_table
from exactree.estimators import OptimalTreeClassifier
from exactree.splits import FAMILIES

HEAD = ("tree", "accuracy, unseen", "+-", "training errors", "splits", "status", "seconds")


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compare",
        help="compare CART with optimal trees by cross-validation",
        description="Fit CART and optimal trees of every split family within the same budgets, to "
        "all rows and, for the accuracy on unseen rows, to each fold of a cross-validation.",
    )
    parser.add_argument("data", help="CSV or Parquet; - for CSV from standard input")
    parser.add_argument(
        "--splits",
        action="append",
        choices=[*FAMILIES],
        help="a split family; may be given more than once (default: all)",
    )
    parser.add_argument("--folds", type=int, default=5, help="default 5")
    parser.add_argument("--seed", type=int, default=0, help="of the folds (default 0)")
    add_search_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Compare and tell."""
    table = read_table(args.data, delimiter=args.delimiter, header=args.header)
    X, y, _ = read_data(table, args)
    folds = folds_of(np.array(y), args)
    found = []
    for name, make in contenders(args).items():
        output.note(f"fitting {name}")
        found.append({"tree": name, **judged(make, X, np.array(y), folds)})
    output.table("Same budgets, same folds", HEAD, [_row(entry) for entry in found])
    for entry in found:
        if "refused" in entry:
            output.note(f"{entry['tree']}: {entry['refused']}")
    output.data({"folds": args.folds, "seed": args.seed, "trees": found})
    return DONE


def folds_of(y: NDArray[Any], args: argparse.Namespace) -> StratifiedKFold:
    """Make the folds, or say why there cannot be so many."""
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if not 2 <= args.folds <= rarest:
        raise ValueError(
            f"--folds {args.folds}: give a number from 2 to {rarest}, the rows of the rarest class"
        )
    return StratifiedKFold(args.folds, shuffle=True, random_state=args.seed)


def contenders(args: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    """Name what is compared: CART, and ours by split family."""
    budgets = read_budgets(args)
    named: dict[str, Callable[[], Any]] = {"CART": partial(_cart, budgets)}
    for family in args.splits or FAMILIES:
        named[f"optimal, {family}"] = partial(OptimalTreeClassifier, splits=family, **budgets)
    return named


def _cart(budgets: dict[str, Any]) -> DecisionTreeClassifier:
    most = budgets["max_splits"]
    return DecisionTreeClassifier(
        max_depth=budgets["max_depth"],
        max_leaf_nodes=None if most is None else max(most + 1, 2),
        min_samples_leaf=budgets["min_samples_leaf"],
        # Both count a split as a share of the total; CART prunes by impurity.
        ccp_alpha=budgets["penalty"],
        random_state=0,
    )


def judged(
    make: Callable[[], Any], X: NDArray[np.float64], y: NDArray[Any], folds: StratifiedKFold
) -> dict[str, Any]:
    """Fit to all rows and to every fold; a family that does not suit the data says so."""
    start = perf_counter()
    model = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the status tells
        try:
            model.fit(X, y)
            seconds = perf_counter() - start
            scores = cross_val_score(clone(model), X, y, cv=folds, error_score="raise")
        except ValueError as error:
            return {"refused": str(error)}
    return {
        "accuracy": float(scores.mean()),
        "deviation": float(scores.std()),
        "training_errors": int((model.predict(X) != y).sum()),
        "splits": int(model.get_n_leaves()) - 1,
        "status": getattr(model, "status_", "greedy"),
        "seconds": seconds,
    }


def _row(entry: dict[str, Any]) -> list[str]:
    if "refused" in entry:
        return [entry["tree"], *["-"] * 4, "not suited", "-"]
    return [
        entry["tree"],
        f"{entry['accuracy']:.1%}",
        f"{entry['deviation']:.1%}",
        str(entry["training_errors"]),
        str(entry["splits"]),
        entry["status"],
        f"{entry['seconds']:.2f}",
    ]
