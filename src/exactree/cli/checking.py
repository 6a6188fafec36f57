"""exactree check: compare a certificate with its data."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from exactree.cli.options import add_table_options
from exactree.cli.output import BAD_INPUT, DONE, REJECTED, STOPPED, Output
from exactree.cli.tables import Table, read_table
from exactree.proof import Rejected, Statement, check, read_statement


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "check",
        help="check a certificate of optimality against its data",
        description="Check what a certificate says, computing every number from the data, and say "
        "it in words. Columns are found by the names in the certificate.",
    )
    parser.add_argument("certificate", help="a file that fit --certificate wrote")
    parser.add_argument("data", help="CSV or Parquet; - for CSV from standard input")
    parser.add_argument("--target", metavar="NAME", help="the column that is predicted")
    parser.add_argument("--weights", metavar="NAME", help="the column of row weights, if any")
    add_table_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Read, check, tell."""
    try:
        said = read_statement(args.certificate)
        target = args.target or said.header.get("target")
        if target is None:
            output.error("the certificate has no name of the target: pass --target")
            return BAD_INPUT
        table = read_table(args.data, delimiter=args.delimiter, header=args.header, text=[target])
        columns = _columns(said, table, [target, args.weights])
        weights = table.numbers([args.weights])[:, 0] if args.weights else None
        classes = "classes" in said.header
        y: Any = table.labels(target) if classes else table.numbers([target])[:, 0]
        X = _features(said, table, columns)
        shown = check(args.certificate, X, y, sample_weight=weights)
    except Rejected as error:
        output.error(f"{args.certificate}: rejected: {error}")
        output.data({"accepted": False, "why": str(error)})
        return REJECTED
    output.say(f"checked: {shown}\n{shown.trees()}")
    output.data({"accepted": True, "optimal": shown.optimal, **shown.header})
    return DONE if shown.optimal else STOPPED


def _features(said: Statement, table: Table, columns: list[str]) -> Any:
    """Read the features: numbers, or what the certificate says that they hold."""
    kinds = said.header.get("kinds")
    if not kinds:
        return table.numbers(columns)
    listed = [kind is not None and kind.get("asked") != "order" for kind in kinds]
    named = [name for name, is_one in zip(columns, listed, strict=False) if is_one]
    found = {name: table.typed(name).kind for name in named}
    said_to_be = {name: "category" for name in named if not found[name].has_categories}
    return replace(table, said={**table.said, **said_to_be}).rows(columns)


def _columns(said: Statement, table: Table, others: list[str | None]) -> list[str]:
    """Name the columns of the features: those of the certificate, or all others of the table."""
    names: list[str] | None = said.header.get("feature_names")
    return [name for name in table.names if name not in others] if names is None else names
