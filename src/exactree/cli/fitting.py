"""exactree fit: from a table to a tree with its proof."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from exactree.cli import testing
from exactree.cli.effort import HALF_AN_HOUR, guessed_seconds
from exactree.cli.models import Model, facts, to_dict, write_model
from exactree.cli.options import (
    SPLITS,
    Target,
    add_search_options,
    families,
    family_names,
    read_budgets,
    read_data,
    table_of,
)
from exactree.cli.output import DONE, INTERRUPTED, STOPPED, Output
from exactree.cli.progress import progress_line
from exactree.cli.tables import is_number
from exactree.cluster.pools import dask_client, process_pool
from exactree.cluster.running import using
from exactree.interrupts import deferred
from exactree.problem import Result
from exactree.proof import certify
from exactree.report.evidence import read_evidence
from exactree.report.page import report_html
from exactree.solving import solve
from exactree.tables import Table

MOST_SHOWN = 20  # columns
NATIVE = (None, "error", "squared_error")  # losses that are searched natively over all splits
COLUMNS = {"axis", "binary"}  # splits over which all losses are
STOPPED_BY = {
    "time_limit": "the time limit",
    "memory_limit": "the memory limit",
    "gap_limit": "the gap limit",
}


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "fit",
        help="find the optimal tree of a table, with its proof",
        description="Find a tree of least training loss among all trees within the budgets. "
        "Without --max-depth, --max-splits or --penalty the depth is at most 3.",
    )
    add_search_options(parser)
    parser.add_argument(
        "--splits",
        type=family_names,
        action="extend",
        metavar="FAMILY[,...]",
        help=f"split family (default axis): {SPLITS}; several are mixed",
    )
    parser.add_argument(
        "--class-weight", choices=["balanced"], help="give all classes the same total weight"
    )
    parser.add_argument("--weights", metavar="NAME", help="a column of row weights")
    parser.add_argument("--out", metavar="MODEL.json", help="write the model to this file")
    parser.add_argument("--report", metavar="REPORT.html", help="write a report to this file")
    parser.add_argument(
        "--certificate",
        metavar="PROOF.xz",
        help="write a certificate of what is proved to this file, for exactree check",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--processes", type=int, metavar="N", help="search in so many processes of this machine"
    )
    where.add_argument(
        "--dask", metavar="ADDRESS", help="search on a Dask cluster: the address of its scheduler"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="keep what is proved in this file; the same command goes on from it",
    )
    testing.add(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Fit, tell, write."""
    for path in filter(None, (args.out, args.report, args.certificate, args.checkpoint)):
        refuse_unwritable(path)
    table = table_of(args)
    X, y, names = read_data(table, args)
    show_columns(output, X, names)
    weights = table.numbers([args.weights])[:, 0] if args.weights else None
    every, (train, test) = (X, y), testing.parted(args, y)
    if len(test):
        X, y = X[train], [y[i] for i in train.tolist()]
        weights = None if weights is None else weights[train]
    budgets, splits = read_budgets(args), args.splits or ["axis"]
    warn_of_numbers(output, y, args)
    native = args.objective in NATIVE or COLUMNS.issuperset(splits)
    warn_of_hours(output, X, splits, budgets, native=native)
    how = {"task": args.task, "objective": args.objective, "class_weight": args.class_weight}
    parameters = {**how, "splits": splits if len(splits) > 1 else splits[0], **budgets}
    # From the first tree to the written model, Ctrl-C ends the search and nothing else.
    with deferred() as noted:
        if args.cv:
            if args.checkpoint:
                raise ValueError("--checkpoint keeps one search, not those of --cv: leave one out")
            with executor_of(args) as executor, using(executor):
                result = testing.chosen_by_folds(args, X, y, weights, budgets, output)
            parameters |= {"cv": args.cv}
        else:
            how |= {"sample_weight": weights, "splits": families(splits)}
            with executor_of(args) as executor:
                how |= {"executor": executor, "checkpoint": args.checkpoint}
                result = search(output, named_columns(X, names), y, **how, **budgets)
        named = replace(result, feature_names=tuple(names))
        if named.columns is not None:
            parameters |= {"missing": args.missing, "categories": args.categories}
        model = Model(named, args.target, tuple(names), parameters, table.has_header)
        tell(output, model, testing.tested(args, model, *every, test, output))
        if args.out:
            write_model(model, args.out)
            output.note(f"model written to {args.out}")
    try:
        noted.tell()
        if args.certificate:
            write_certificate(model, X, y, weights, args.certificate)
            output.note(f"certificate written to {args.certificate}")
        if args.report:
            unseen = testing.left_out(model, *every, test)
            write_page(model, X, y, args.report, args.certificate, unseen)
            output.note(f"report written to {args.report}")
    except KeyboardInterrupt:
        status_of(output, result)
        output.warn("interrupted; the tree was kept, and the report was not written")
        return INTERRUPTED
    return status_of(output, result)


@contextmanager
def executor_of(args: argparse.Namespace) -> Iterator[Any]:
    """Start the workers of the command line, or find them."""
    if args.processes is not None:
        if args.processes < 1:
            raise ValueError(f"--processes {args.processes}: pass a number that is at least 1")
        pool = process_pool(args.processes)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    elif args.dask is not None:
        with dask_client(args.dask) as client:
            yield client
    else:
        yield None


def show_columns(output: Output, X: Any, names: Sequence[str]) -> None:
    """Tell what the columns were found to hold, before anything is made of it."""
    rows = [[name, *_told(X, j)] for j, name in enumerate(names)]
    if len(rows) > MOST_SHOWN:
        rows = [*rows[: MOST_SHOWN - 1], [f"{len(rows) - MOST_SHOWN + 1} more", "", "", ""]]
    output.note_table(f"{len(X)} rows", ("column", "holds", "values", "missing"), rows)


def _told(X: Any, j: int) -> list[str]:
    if not isinstance(X, Table):
        return ["number", str(len(np.unique(X[:, j]))), "0"]
    column = X.column(j)
    known = column.values[~column.missing]
    return [column.kind.name, str(len(np.unique(known))), str(int(column.missing.sum()))]


def refuse_unwritable(path: str) -> None:
    """Refuse a file that cannot be written before the long search, not after it."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no directory {str(folder)!r}: make it first")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise ValueError(f"{path}: this file cannot be written")


def warn_of_numbers(output: Output, y: Target, args: argparse.Namespace) -> None:
    """Ask whether a target of fractions, or of mostly different numbers, is meant as classes."""
    different = set(y)
    if args.task != "classification" or not all(map(is_number, different)):
        return
    fraction = next((value for value in y if not float(value).is_integer()), None)
    if fraction is not None or len(different) > max(20, len(y) // 2):
        such = "" if fraction is None else f", such as {fraction},"
        output.warn(
            f"the target {args.target!r} has {len(different)} different numbers{such} in {len(y)} "
            "rows, each taken as a class: --task regression predicts numbers"
        )


def warn_of_hours(
    output: Output,
    X: Any,
    splits: Sequence[str],
    budgets: dict[str, Any],
    *,
    native: bool = True,
) -> None:
    """Warn before a search that looks like hours and has no time limit."""
    if budgets["time_limit"] is not None:
        return
    guess = guessed_seconds(X, budgets["max_depth"], budgets["max_splits"], splits, native=native)
    if guess is not None and guess > HALF_AN_HOUR:
        output.warn(
            f"this search may take hours ({len(X)} rows, {X.shape[1]} columns; a rough guess): "
            "Ctrl-C or --time-limit end it with the best tree so far"
        )


class Named(np.ndarray[Any, Any]):
    """An array that knows the names of its columns, as a data frame does."""

    columns: Sequence[str] = ()


def named_columns(X: Any, names: Sequence[str]) -> Any:
    """Let a search know what its columns are called: errors, and the file it keeps, show names."""
    if not isinstance(X, np.ndarray):
        return X
    named = X.view(Named)
    named.columns = names
    return named


def search(output: Output, X: Any, y: Target, **how: Any) -> Result:
    """Solve, with a line of progress on a terminal."""
    with progress_line(output.messages, shown=not output.quiet) as on_progress:
        return solve(X, np.array(y), on_progress=on_progress, **how)


def tell(output: Output, model: Model, more: dict[str, Any] | None = None) -> None:
    """Show the tree and what is proved."""
    output.say(str(model.result))
    output.data({**facts(model), **(more or {}), "tree": to_dict(model)["tree"]})


def write_certificate(model: Model, X: Any, y: Target, weights: Any, path: str) -> None:
    """Write what is proved, for others to check."""
    how = model.parameters
    certify(
        model.result,
        X,
        np.array(y),
        path,
        task=how["task"],
        splits=families([how["splits"]] if isinstance(how["splits"], str) else how["splits"]),
        max_depth=how["max_depth"],
        max_splits=how["max_splits"],
        min_samples_leaf=how["min_samples_leaf"],
        penalty=how["penalty"],
        objective=how["objective"],
        sample_weight=weights,
        class_weight=how["class_weight"],
        feature_names=model.features,
        target=model.target,
    )


def write_page(
    model: Model,
    X: Any,
    y: Target,
    path: str,
    certificate: str | None = None,
    test: tuple[Any, Target] | None = None,
) -> None:
    """Write the report, with how good the tree is on rows that it was not fitted to."""
    evidence = replace(
        read_evidence(model.result, X, y), parameters=model.parameters, certificate=certificate
    )
    title = f"Tree for {model.target}"
    unseen = None if test is None else read_evidence(model.result, *test)
    Path(path).write_text(report_html(evidence, title, unseen), encoding="utf-8")


def status_of(output: Output, result: Result) -> int:
    """Say if the tree is not proved optimal, and give the exit status."""
    if result.status == "optimal":
        return DONE
    kept = (
        f"the best tree so far was kept: objective {result.objective:.10g}, "
        f"proved >= {result.lower_bound:.10g}, gap {result.gap:.10g}"
    )
    if result.status == "interrupted":
        output.warn(f"interrupted; {kept}")
        return INTERRUPTED
    if result.status == "local":
        output.warn(f"a local search ended without a proof; {kept}")
        return STOPPED
    output.warn(f"stopped at {STOPPED_BY[result.status]}; {kept}")
    return STOPPED
