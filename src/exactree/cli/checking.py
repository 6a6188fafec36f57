"""exactree check: compare a certificate with its data."""

from __future__ import annotations

import argparse
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
        labels = table.labels(target)
        shown = check(args.certificate, table.numbers(columns), labels, sample_weight=weights)
    except Rejected as error:
        output.error(f"{args.certificate}: rejected: {error}")
        output.data({"accepted": False, "why": str(error)})
        return REJECTED
    output.say(f"checked: {shown}\n{shown.trees()}")
    output.data({"accepted": True, "optimal": shown.optimal, **shown.header})
    return DONE if shown.optimal else STOPPED


def _columns(said: Statement, table: Table, others: list[str | None]) -> list[str]:
    """Name the columns of the features: those of the certificate, or all others of the table."""
    names: list[str] | None = said.header.get("feature_names")
    return [name for name in table.names if name not in others] if names is None else names
