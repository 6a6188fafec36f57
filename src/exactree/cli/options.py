"""Options that commands share: how to read a table, what limits the tree and the search."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import tables
from exactree.cli.cells import CHOICES
from exactree.cli.tables import Table, read_table
from exactree.objectives import OBJECTIVES
from exactree.objectives.ratios import RATIOS
from exactree.parameters import SolveParameters, declared
from exactree.splits import FAMILIES, Polynomial, SplitFamily
from exactree.suggesting import did_you_mean

SPLITS = f"{', '.join(FAMILIES)}, polynomial:M"
# The parameters of `solve` that are options too; those of tables are seen to by `read_data`.
FLAGGED = {name: one for name, (_, one) in declared(SolveParameters).items() if one.flag}
OF_TABLES = ("task", "missing", "categories")
Target = list[str | int] | NDArray[np.float64]


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to read a table."""
    parser.add_argument(
        "--delimiter", help="what parts the cells of a CSV file (found if not given)"
    )
    parser.add_argument("--encoding", help="of a CSV file, for example cp1252 (default UTF-8)")
    parser.add_argument(
        "--decimal", choices=[".", ","], help="the decimal point of a CSV file (found if not given)"
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


def column_kind(text: str) -> tuple[str, str]:
    """Read what a column holds, for the parser.

    >>> column_kind("zip code=category")
    ('zip code', 'category')
    """
    name, _, kind = text.rpartition("=")
    if not name or kind not in CHOICES:
        known = ", ".join(CHOICES)
        raise argparse.ArgumentTypeError(f"{text!r}: write NAME=KIND, the kind one of {known}")
    return name, kind


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that limit the tree and the search."""
    parser.add_argument("data", help="CSV or Parquet; - for CSV from standard input")
    parser.add_argument("--target", required=True, metavar="NAME", help="the column to predict")
    parser.add_argument(
        "--objective",
        choices=[*OBJECTIVES, *RATIOS],
        help="the loss (default: error, or squared_error in regression)",
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="a column to leave out; may be given more than once",
    )
    parser.add_argument(
        "--column",
        type=column_kind,
        action="append",
        default=[],
        metavar="NAME=KIND",
        help=f"what a column holds, if not what is found: {', '.join(CHOICES)}; may be given more "
        "than once",
    )
    _add_flags(parser)
    add_table_options(parser)


def _add_flags(parser: argparse.ArgumentParser) -> None:
    """Add an option for every parameter of `solve` that is declared to have one."""
    for name, one in FLAGGED.items():
        assert one.flag is not None
        option = one.flag.name or f"--{name.replace('_', '-')}"
        parser.add_argument(
            option, dest=name, default=one.default, help=one.flag.help, **one.flag.of
        )


def family_names(text: str) -> tuple[str, ...]:
    """Read families parted by commas, for the parser.

    >>> family_names("axis,polynomial:3")
    ('axis', 'polynomial:3')
    """
    names = tuple(text.split(","))
    for name in names:
        kind, _, degree = name.partition(":")
        if name not in FAMILIES and not (kind == "polynomial" and degree.isdecimal()):
            raise argparse.ArgumentTypeError(
                f"{name!r} is unknown: choose from {SPLITS}{did_you_mean(name, FAMILIES)}"
            )
    return names


def families(names: Sequence[str]) -> list[str | SplitFamily]:
    """Give what `solve` takes.

    >>> families(["axis", "polynomial:3"])
    ['axis', Polynomial(degree=3, boundary='all')]
    """
    return [n if n in FAMILIES else Polynomial(int(n.partition(":")[2])) for n in names]


def table_of(args: argparse.Namespace) -> Table:
    """Read the table that the options name; the target stays as it is written."""
    return read_table(args.data, **spelling(args), text=[args.target], said=dict(args.column))


def spelling(args: argparse.Namespace) -> dict[str, Any]:
    """Collect the options of `add_table_options`."""
    return {name: getattr(args, name) for name in ("delimiter", "header", "encoding", "decimal")}


def refuse_holes(table: Table, X: tables.Table, names: Sequence[str]) -> None:
    """Refuse missing values, with the line of the first."""
    for j, name in enumerate(names):
        missing = X.column(j).missing
        if missing.any():
            raise ValueError(
                f"{table.where(int(missing.argmax()))}: no value in column {name!r}: fill it in, "
                "leave the column out by --drop, or allow it by --missing split"
            )


def _numbers(table: Table, target: str) -> Target:
    """Read a target of numbers; where it has text, say how to predict classes."""
    try:
        column = table.typed(target, "number")
    except ValueError as error:
        raise ValueError(
            f"{error}; --task regression predicts numbers: leave it out to predict classes"
        ) from None
    if column.missing.any():
        row = table.where(int(column.missing.argmax()))
        raise ValueError(f"{row}: no value in column {target!r}, the target: drop such rows")
    return np.asarray(column.values)


def read_data(table: Table, args: argparse.Namespace) -> tuple[Any, Target, list[str]]:
    """Part the table into features and target: classes, or numbers in regression."""
    y: Target
    if args.task == "regression":
        y = _numbers(table, args.target)
    else:
        y = table.labels(args.target)
    left_out = [args.target, *args.drop, *filter(None, [getattr(args, "weights", None)])]
    for name in left_out:
        table.column(name)
    for name in table.unnamed:
        if name not in left_out:
            raise ValueError(
                f"{table.path}: column {name[1:]} has no name, as an index that pandas wrote: "
                f"leave it out by --drop {name}, or name it in the first line"
            )
    names = [name for name in table.names if name not in left_out]
    if not names:
        raise ValueError(f"{table.path}: no column is left to predict {args.target!r} from")
    X = table.rows(names)
    if isinstance(X, tables.Table):
        if args.missing == "error":
            refuse_holes(table, X, names)
        X.subsets = args.categories == "subset"
    return X, y, names


def read_budgets(args: argparse.Namespace) -> dict[str, Any]:
    """Collect what limits the tree and the search; depth three if nothing does."""
    found = {name: getattr(args, name) for name in FLAGGED if name not in OF_TABLES}
    free = args.max_depth is None and args.max_splits is None and not args.penalty
    return {**found, "max_depth": 3} if free else found
