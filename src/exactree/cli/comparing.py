"""exactree compare: CART and optimal trees of every split family on the same folds."""

from __future__ import annotations

import argparse
import warnings
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree.cli.effort import A_MINUTE, guessed_seconds
from exactree.cli.options import (
    SPLITS,
    add_search_options,
    families,
    family_names,
    read_budgets,
    read_data,
    table_of,
)
from exactree.cli.output import DONE, Output
from exactree.estimators import OptimalTree, OptimalTreeClassifier, OptimalTreeRegressor
from exactree.splits import FAMILIES, Binary
from exactree.splits.selected import is_complete
from exactree.tables import Table

UNSEEN = {"classification": "accuracy, unseen", "regression": "R2, unseen"}
TRAINING = {"classification": "training errors", "regression": "training loss"}


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compare",
        help="compare CART with optimal trees by cross-validation",
        description="Fit CART and optimal trees of every split family within the same budgets, to "
        "all rows and, for the score on unseen rows, to each fold of a cross-validation.",
    )
    add_search_options(parser)
    parser.add_argument(
        "--splits",
        type=family_names,
        action="append",
        metavar="FAMILY[,...]",
        help=f"a split family, or several to be mixed; may be given more than once: {SPLITS} "
        "(default: each alone that suits the data)",
    )
    parser.add_argument("--folds", type=int, default=5, help="default 5")
    parser.add_argument("--seed", type=int, default=0, help="of the folds (default 0)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Compare and tell."""
    X, y, _ = read_data(table_of(args), args)
    folds = folds_of(np.array(y), args)
    found = []
    if not args.splits:
        args.splits = usual(X, read_budgets(args), output)
    for name, model in contenders(args).items():
        output.note(f"fitting {name}")
        found.append({"tree": name, **judged(model, X, np.array(y), folds)})
    head = ("tree", UNSEEN[args.task], "+-", TRAINING[args.task], "splits", "status", "seconds")
    output.table("Same budgets, same folds", head, [_row(entry) for entry in found])
    for entry in found:
        if "refused" in entry:
            output.note(f"{entry['tree']}: {entry['refused']}")
    output.data({"task": args.task, "folds": args.folds, "seed": args.seed, "trees": found})
    return DONE


def folds_of(y: NDArray[Any], args: argparse.Namespace) -> StratifiedKFold | KFold:
    """Make the folds, or say why there cannot be so many."""
    numbers = args.task == "regression"
    most = len(y) // 2 if numbers else int(np.unique(y, return_counts=True)[1].min())
    if most < 2:
        what = "there are fewer than 4 rows" if numbers else "a class has a single row"
        raise ValueError(f"{what}: cross-validation needs more; add rows, or leave that one out")
    if not 2 <= args.folds <= most:
        what = "half the rows" if numbers else "the rows of the rarest class"
        raise ValueError(f"--folds {args.folds}: give a number from 2 to {most}, {what}")
    kind = KFold if numbers else StratifiedKFold
    return kind(args.folds, shuffle=True, random_state=args.seed)


def usual(X: Any, budgets: dict[str, Any], output: Output) -> list[tuple[str, ...]]:
    """Choose the families that suit the data and take less than a minute, at a guess."""
    found: list[str] = []
    slow: list[str] = []
    for name in FAMILIES:
        guess = guessed_seconds(X, budgets["max_depth"], budgets["max_splits"], [name])
        if name == "binary" and not _is_binary(X):
            continue
        numbers = not isinstance(X, Table) or all(map(is_complete, X.kinds))
        if name not in ("axis", "binary") and not numbers:
            continue
        long = name not in ("axis", "binary") and (guess or 0.0) > A_MINUTE
        (slow if long else found).append(name)
    if slow:
        output.note(
            f"left out, as a search may take more than a minute: {', '.join(slow)}; --splits "
            "includes a family all the same"
        )
    return [(name,) for name in found]


def _is_binary(X: Any) -> bool:
    if not isinstance(X, Table):
        return all(len(np.unique(column)) <= 2 for column in X.T)
    try:
        Binary().sources(X)
    except ValueError:
        return False
    return True


def contenders(args: argparse.Namespace) -> dict[str, Any]:
    """Name what is compared: CART, and ours by split family."""
    budgets = read_budgets(args)
    named = {"CART": _cart(args, budgets)}
    kind = OptimalTreeRegressor if args.task == "regression" else OptimalTreeClassifier
    loss = {} if args.objective is None else {"objective": args.objective}
    for names in args.splits:
        model = kind(splits=families(names), **loss, **budgets)
        named[f"optimal, {' + '.join(names)}"] = model
    return named


def _cart(args: argparse.Namespace, budgets: dict[str, Any]) -> Any:
    most = budgets["max_splits"]
    how = {
        "max_depth": budgets["max_depth"],
        "max_leaf_nodes": None if most is None else max(most + 1, 2),
        "min_samples_leaf": budgets["min_samples_leaf"],
        # Both count a split as a share of the total; CART prunes by impurity.
        "ccp_alpha": budgets["penalty"],
        "random_state": 0,
    }
    if args.task == "classification":
        return DecisionTreeClassifier(**how)
    # CART's squared error is its default; the names of the others are ours too.
    return DecisionTreeRegressor(criterion=args.objective or "squared_error", **how)


def judged(model: Any, X: Any, y: NDArray[Any], folds: StratifiedKFold | KFold) -> dict[str, Any]:
    """Fit to all rows and to every fold; a family that does not suit the data says so."""
    if isinstance(X, Table) and not isinstance(model, OptimalTree):
        X = one_hot(X)
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the status tells
        try:
            model.fit(X, y)
            seconds = perf_counter() - start
            scores = np.array(
                [
                    clone(model).fit(X[train], y[train]).score(X[test], y[test])
                    for train, test in folds.split(y, y)
                ]
            )
        except ValueError as error:
            return {"refused": str(error)}
    return {
        **scored(model, X, y, scores),
        "splits": int(model.get_n_leaves()) - 1,
        "status": getattr(model, "status_", "greedy"),
        "seconds": seconds,
    }


def one_hot(table: Table) -> NDArray[np.float64]:
    """Give CART what it can read: a column for each category, NaN for what is missing."""
    found: list[NDArray[np.float64]] = []
    for j in range(table.shape[1]):
        column = table.column(j)
        if column.kind.name == "category":
            found += [(column.values == code).astype(float) for code in np.unique(column.values)]
        elif column.kind.name in ("number", "boolean"):
            found.append(column.numbers())
        else:  # in their order
            found.append(np.where(column.missing, np.nan, column.values.astype(float)))
    return np.column_stack(found)


def scored(model: Any, X: Any, y: NDArray[Any], scores: NDArray[np.float64]) -> dict[str, Any]:
    """Name the score on unseen rows, and what is lost on all."""
    spread = {"deviation": float(scores.std())}
    if is_classifier(model):
        wrong = int((model.predict(X) != y).sum())
        return {"accuracy": float(scores.mean()), **spread, "training_errors": wrong}
    # The squared error whatever the objective, so that all of the table can be compared.
    loss = float(((model.predict(X) - y) ** 2).sum())
    return {"r2": float(scores.mean()), **spread, "training_loss": loss}


def _row(entry: dict[str, Any]) -> list[str]:
    if "refused" in entry:
        return [entry["tree"], *["-"] * 4, "not suited", "-"]
    if "accuracy" in entry:
        score = [f"{entry['accuracy']:.1%}", f"{entry['deviation']:.1%}"]
        lost = str(entry["training_errors"])
    else:
        score = [f"{entry['r2']:.3f}", f"{entry['deviation']:.3f}"]
        lost = f"{entry['training_loss']:.6g}"
    seconds = f"{entry['seconds']:.2f}"
    return [entry["tree"], *score, lost, str(entry["splits"]), entry["status"], seconds]
