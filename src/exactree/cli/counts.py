"""exactree count: how large the search spaces are."""

from __future__ import annotations

import argparse
from math import log10
from typing import Any, NamedTuple

from exactree import counting
from exactree.cli.output import DONE, Output

DEEPEST = 16
READABLE = 10**15


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "count",
        help="count the trees of a search space",
        description="Count the rules that rows in general position define, and the trees over "
        "them: what a search that tried them all would face.",
    )
    parser.add_argument("--rows", type=int, required=True, metavar="N", help="rows of the data")
    parser.add_argument("--columns", type=int, required=True, metavar="D", help="their columns")
    parser.add_argument("--splits", choices=counting.FAMILIES, default="axis", help="split family")
    parser.add_argument("--degree", type=int, help="of polynomial (default 2)")
    parser.add_argument("--max-depth", type=int, default=3, metavar="D", help="default 3")
    parser.add_argument(
        "--max-splits", type=int, metavar="K", help="default: what the depth allows"
    )
    parser.set_defaults(run=run)


class Count(NamedTuple):
    """A number with its name for machines and its name for people."""

    key: str
    words: str
    value: int


def run(args: argparse.Namespace, output: Output) -> int:
    """Count and tell."""
    found = counts(args)
    title = f"{args.rows} rows, {args.columns} columns, splits: {args.splits}"
    output.table(title, ("what", "how many"), [(c.words, written(c.value)) for c in found])
    output.data({c.key: {"count": exact(c.value), "log10": magnitude(c.value)} for c in found})
    return DONE


def counts(args: argparse.Namespace) -> list[Count]:
    """Count rules, combinations of rules and trees."""
    depth = args.max_depth
    if not 0 <= depth <= DEEPEST:
        raise ValueError(f"--max-depth {depth}: give a number from 0 to {DEEPEST}")
    if args.degree is not None and args.splits != "polynomial":
        raise ValueError(f"--degree {args.degree}: only --splits polynomial has a degree")
    degree = 2 if args.degree is None else args.degree
    rules = counting.rules(args.splits, args.rows, args.columns, degree=degree)
    splits = counting.max_splits(depth) if args.max_splits is None else args.max_splits
    by_splits = counting.trees_of_size(rules, splits, at_most=True)
    by_depth = counting.trees_of_depth(rules, depth, at_most=True)
    found = [
        Count("rules", "rules", rules),
        Count("rule_sets", f"sets of {splits} rules", counting.combinations(rules, splits)),
        Count("trees_by_splits", f"trees of at most {splits} splits", by_splits),
        Count("trees_by_depth", f"trees of depth at most {depth}", by_depth),
    ]
    if args.splits != "axis":
        points = counting.points_per_rule(args.splits, args.columns, degree=degree)
        ways = counting.dichotomies(args.rows, points)
        found.insert(1, Count("partitions", "ways to part the rows", ways))
    return found


def written(count: int) -> str:
    """Write a number for people: all digits while they can be read.

    >>> written(1234567), written(3 * 10**20)
    ('1,234,567', '3.00 x 10^20')
    """
    if count < READABLE:
        return f"{count:,}"
    exponent = int(magnitude(count) or 0)
    return f"{10 ** ((magnitude(count) or 0) - exponent):.2f} x 10^{exponent}"


def exact(count: int) -> int | None:
    """Give a number to machines, unless Python itself refuses to write so many digits."""
    return count if (magnitude(count) or 0) < 4000 else None


def magnitude(count: int) -> float | None:
    """Give the decimal logarithm; None of zero."""
    return log10(count) if count else None
