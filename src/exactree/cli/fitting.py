"""exactree fit: from a table to a tree with its proof."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli.models import Model, facts, write_model
from exactree.cli.output import DONE, INTERRUPTED, STOPPED, Output
from exactree.cli.progress import HALF_AN_HOUR, guessed_seconds, progress_line
from exactree.cli.tables import Table, read_table
from exactree.problem import Result
from exactree.report.evidence import read_evidence
from exactree.report.page import report_html
from exactree.solving import solve
from exactree.splits import FAMILIES

STOPPED_BY = {"time_limit": "the time limit", "memory_limit": "the memory limit"}


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to read a table."""
    parser.add_argument(
        "--delimiter", help="what parts the cells of a CSV file (found if not given)"
    )
    header = parser.add_mutually_exclusive_group()
    header.add_argument(
        "--header",
        dest="header",
        action="store_true",
        default=None,
        help="the first line has names (found if not given)",
    )
    header.add_argument(
        "--no-header",
        dest="header",
        action="store_false",
        help="it has data; the columns are then c1, c2, ...",
    )


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that limit the tree and the search."""
    parser.add_argument("--target", required=True, metavar="NAME", help="the column to predict")
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="a column to leave out; may be given more than once",
    )
    parser.add_argument(
        "--max-depth", type=int, metavar="D", help="at most so many splits on a path"
    )
    parser.add_argument("--max-splits", type=int, metavar="K", help="at most so many splits")
    parser.add_argument(
        "--min-samples-leaf",
        type=int,
        default=1,
        metavar="N",
        help="at least so many rows on each side of a split (default 1)",
    )
    parser.add_argument(
        "--penalty",
        type=float,
        default=0.0,
        metavar="P",
        help="cost of a split as a share of the total weight (default 0)",
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="stop then with the best tree so far"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="threads; -1 for all cores (default 1)"
    )
    add_table_options(parser)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "fit",
        help="find the optimal tree of a table, with its proof",
        description="Find a tree of least training loss among all trees within the budgets. "
        "Without --max-depth, --max-splits or --penalty the depth is at most 3.",
    )
    parser.add_argument("data", help="CSV or Parquet; - for CSV from standard input")
    parser.add_argument("--splits", default="axis", choices=[*FAMILIES], help="split family")
    add_search_options(parser)
    parser.add_argument("--weights", metavar="NAME", help="a column of row weights")
    parser.add_argument("--out", metavar="MODEL.json", help="write the model to this file")
    parser.add_argument("--report", metavar="REPORT.html", help="write a report to this file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Fit, tell, write."""
    for path in filter(None, (args.out, args.report)):
        refuse_unwritable(path)
    table = read_table(args.data, delimiter=args.delimiter, header=args.header)
    X, y, names = read_data(table, args)
    weights = table.numbers([args.weights])[:, 0] if args.weights else None
    budgets = read_budgets(args)
    warn_of_hours(output, X, args, budgets)
    result = search(output, X, y, sample_weight=weights, splits=args.splits, **budgets)
    named = replace(result, feature_names=tuple(names))
    model = Model(
        named, args.target, tuple(names), budgets | {"splits": args.splits}, table.has_header
    )
    tell(output, model)
    if args.out:
        write_model(model, args.out)
        output.note(f"model written to {args.out}")
    if args.report:
        write_page(model, X, y, args.report)
        output.note(f"report written to {args.report}")
    return status_of(output, result)


def refuse_unwritable(path: str) -> None:
    """Complain before a long search, not after it, of a file that cannot be written."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no directory {str(folder)!r}: make it first")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise ValueError(f"{path}: this file cannot be written")


def read_data(
    table: Table, args: argparse.Namespace
) -> tuple[NDArray[np.float64], list[str | int], list[str]]:
    """Part the table into features and target."""
    y = table.labels(args.target)
    left_out = [args.target, *args.drop, *filter(None, [getattr(args, "weights", None)])]
    for name in left_out:
        table.column(name)
    names = [name for name in table.names if name not in left_out]
    if not names:
        raise ValueError(f"{table.path}: no column is left to predict {args.target!r} from")
    return table.numbers(names), y, names


def read_budgets(args: argparse.Namespace) -> dict[str, Any]:
    """Collect what limits the tree and the search; depth three if nothing does."""
    free = args.max_depth is None and args.max_splits is None and not args.penalty
    return {
        "max_depth": 3 if free else args.max_depth,
        "max_splits": args.max_splits,
        "min_samples_leaf": args.min_samples_leaf,
        "penalty": args.penalty,
        "time_limit": args.time_limit,
        "n_jobs": args.jobs,
    }


def warn_of_hours(
    output: Output, X: NDArray[np.float64], args: argparse.Namespace, budgets: dict[str, Any]
) -> None:
    """Warn before a search that looks like hours and has no time limit."""
    if args.time_limit is not None or args.splits not in ("axis", "binary"):
        return
    guess = guessed_seconds(X, budgets["max_depth"], budgets["max_splits"])
    if guess is not None and guess > HALF_AN_HOUR:
        output.warn(
            f"this search may take hours ({len(X)} rows, {X.shape[1]} columns; a rough guess): "
            "Ctrl-C or --time-limit end it with the best tree so far"
        )


def search(output: Output, X: NDArray[np.float64], y: list[str | int], **how: Any) -> Result:
    """Solve, with a line of progress on a terminal."""
    with progress_line(output.messages, shown=not output.quiet) as on_progress:
        return solve(X, np.array(y), on_progress=on_progress, **how)


def tell(output: Output, model: Model) -> None:
    """Show the tree and what is proved."""
    output.say(str(model.result))
    output.data(facts(model))


def write_page(model: Model, X: NDArray[np.float64], y: list[str | int], path: str) -> None:
    """Write the report."""
    evidence = replace(read_evidence(model.result, X, y), parameters=model.parameters)
    title = f"Tree for {model.target}"
    Path(path).write_text(report_html(evidence, title), encoding="utf-8")


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
    output.warn(f"stopped at {STOPPED_BY[result.status]}; {kept}")
    return STOPPED
