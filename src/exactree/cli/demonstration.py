"""exactree demo: a tree of bundled data, in one command."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from exactree.cli.fitting import refuse_unwritable, search, status_of, tell, write_page
from exactree.cli.models import Model
from exactree.cli.output import Output

TARGETS = {"iris": "species", "wine": "cultivar", "breast_cancer": "diagnosis"}
DATA = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer}


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "demo",
        help="fit a tree to bundled data",
        description="Fit an optimal tree to data that come with scikit-learn, beside CART.",
    )
    parser.add_argument("--data", choices=[*DATA], default="breast_cancer", help="which data")
    parser.add_argument("--max-depth", type=int, default=3, metavar="D", help="default 3")
    parser.add_argument("--report", metavar="REPORT.html", help="write a report to this file")
    parser.add_argument("--save", metavar="DATA.csv", help="write the data to this file too")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, output: Output) -> int:
    """Fit, compare with CART on the training rows, tell."""
    for path in filter(None, (args.report, args.save)):
        refuse_unwritable(path)
    data = DATA[args.data]()
    X, y = data.data, data.target_names[data.target].tolist()
    budgets = {"max_depth": args.max_depth}
    names = tuple(map(str, data.feature_names))
    result = replace(search(output, X, y, **budgets), feature_names=names)
    model = Model(result, TARGETS[args.data], names, {**budgets, "splits": "axis"})
    tell(output, model)
    cart = DecisionTreeClassifier(max_depth=args.max_depth, random_state=0).fit(X, y)
    wrong = int((cart.predict(X) != y).sum())
    output.say(f"\nTraining errors: {result.objective} optimal, {wrong} by CART at the same depth.")
    if args.save:
        save(args.save, [*names, TARGETS[args.data]], zip(X.tolist(), y, strict=True))
        output.note(f"data written to {args.save}; the target is {TARGETS[args.data]!r}")
    if args.report:
        write_page(model, X, y, args.report)
        output.note(f"report written to {args.report}")
    return status_of(output, result)


def save(path: str, names: list[str], rows: Iterable[tuple[list[float], str]]) -> None:
    """Write the data as a table that fit can read."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([*row, label] for row, label in rows)
