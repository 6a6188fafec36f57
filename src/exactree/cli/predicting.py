"""exactree predict and exactree show: use and read a model file."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import tables, tree
from exactree.cli.models import Model, facts, read_model, to_dict
from exactree.cli.options import add_table_options, refuse_holes, spelling
from exactree.cli.output import DONE, Output
from exactree.cli.tables import Table, is_number, read_table
from exactree.export import export_dot, export_python, export_rules
from exactree.routing import ends
from exactree.suggesting import did_you_mean
from exactree.tables import Column, Kind

FORMS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "rules": export_rules,
    "dot": export_dot,
    "python": export_python,
}


def add(commands: Any) -> None:
    """Add both commands to the parser."""
    predict = commands.add_parser(
        "predict",
        help="predict the rows of a table",
        description="Write a prediction for each row of a table, as CSV. Columns are found by "
        "name; a table without a header must have the columns of the fit in their order.",
    )
    predict.add_argument("model", help="a file that fit wrote")
    predict.add_argument("data", help="CSV or Parquet; - for CSV from standard input")
    predict.add_argument("--proba", action="store_true", help="add the share of each class")
    predict.add_argument("--out", metavar="FILE.csv", help="write there, not to standard output")
    add_table_options(predict)
    predict.set_defaults(run=run_predict)
    show = commands.add_parser("show", help="show a model file", description="Show a model file.")
    show.add_argument("model", help="a file that fit wrote")
    show.add_argument(
        "--as",
        dest="form",
        choices=[*FORMS],
        default="text",
        help="how to write the tree (default text)",
    )
    show.set_defaults(run=run_show)


def run_predict(args: argparse.Namespace, output: Output) -> int:
    """Predict, and tell the accuracy if the table has the answers."""
    model = read_model(args.model)
    if args.proba and not model.classes:
        raise ValueError("--proba: this model predicts numbers, which have no probabilities")
    table = read_table(args.data, **spelling(args), text=kept_as_text(model))
    leaf = leaves_of(model, rows_for(model, table))
    answers = answers_of(model, leaf)
    shares = class_shares(model, leaf) if args.proba else None
    found: dict[str, Any] = {"predictions": answers}
    if shares is not None:
        found |= {"classes": list(model.classes), "probabilities": shares.tolist()}
    if table.has_header and model.target in table.names:
        found |= judged(model, answers, table, output)
    if args.out or not output.as_json:
        write_predictions(model, answers, shares, args.out)
    output.data(found)
    return DONE


def answers_of(model: Model, leaf: NDArray[np.intp]) -> list[Any]:
    """Give the class, or the number, of the leaf of each row."""
    values = tree.leaf_values(model.result.tree).tolist()
    return [model.classes[int(values[i])] if model.classes else values[i] for i in leaf]


def judged(
    model: Model, answers: list[Any], table: Table, output: Output, title: str = ""
) -> dict[str, Any]:
    """Compare the answers with the target where the table has it, and say how well they do."""
    cells = table.column(model.target)
    known = [i for i, cell in enumerate(cells) if (cell if model.classes else is_number(cell))]
    if not known:
        return {}
    of_these = "" if len(known) == len(cells) else f", of {len(known)} rows with an answer"
    if not model.classes:
        errors = np.array([answers[i] - float(cells[i]) for i in known])
        squared, absolute = float((errors**2).mean()), float(np.abs(errors).mean())
        errors_told = f"mean squared error {squared:.6g}, mean absolute error {absolute:.6g}"
        output.note(title + errors_told + of_these)
        return {"mean_squared_error": squared, "mean_absolute_error": absolute}
    right = sum(str(answers[i]) == cells[i] for i in known)
    output.note(f"{title}{right} of {len(known)} right ({right / len(known):.1%})")
    return {"accuracy": right / len(known)}


def kept_as_text(model: Model) -> list[str]:
    """Name the columns whose cells are to stay as they are written."""
    kinds = model.result.columns or ()
    pairs = zip(model.features, kinds, strict=False)
    return [model.target, *(name for name, kind in pairs if kind.has_categories)]


def leaves_of(model: Model, X: Any) -> NDArray[np.intp]:
    """Send rows down the tree."""
    try:
        return ends(model.result.tree, X)
    except tree.NeedsNumber as error:
        raise error.named(model.features) from None


def rows_for(model: Model, table: Table) -> Any:
    """Find the model's columns in a table: by name, or by position if there are no names."""
    if table.has_header and model.has_header:
        missing = [name for name in used_by(model) if name not in table.names]
        if missing:
            others = [name for name in table.names if name not in model.features]
            raise ValueError(
                f"{table.path}: there is no column {' and no '.join(map(repr, missing))}, which "
                f"the tree asks for{did_you_mean(missing[0], others)}"
            )
        return _rows(model, table, model.features)
    if set(model.features) <= set(table.names):
        return _rows(model, table, model.features)
    if len(table.names) != len(model.features):
        raise ValueError(
            f"{table.path}: {len(table.names)} columns without names; the model was fitted with "
            f"{len(model.features)}: {', '.join(map(repr, model.features))}"
        )
    return _rows(model, table, table.names)


def _rows(model: Model, table: Table, names: Sequence[str]) -> Any:
    """Read what the tree looks at; the other columns need not be there, nor be right."""
    kinds = model.result.columns or (Kind(),) * len(names)
    pairs = zip(names, model.features, kinds, strict=True)
    used = [(name, kind) for name, feature, kind in pairs if feature in used_by(model)]
    found = table.rows([name for name, _ in used], [kind for _, kind in used]) if used else None
    if model.parameters.get("missing") == "error" and isinstance(found, tables.Table):
        refuse_holes(table, found, [name for name, _ in used])
    places = {name: j for j, (name, _) in enumerate(used)}
    nothing = Column(Kind(), np.zeros(len(table)))
    columns = [_column(found, places[n]) if n in places else nothing for n in names]
    return tables.simplest(tables.Table(columns, tuple(names)))


def _column(X: Any, j: int) -> Column:
    return X.column(j) if isinstance(X, tables.Table) else Column(Kind(), X[:, j])


def used_by(model: Model) -> list[str]:
    """Name the columns that the tree asks for."""
    splits = [n.split for n in tree.nodes(model.result.tree) if isinstance(n, tree.Node)]
    used = {j for split in splits for j in split.features()}
    return [name for j, name in enumerate(model.features) if j in used]


def class_shares(model: Model, ends: NDArray[np.intp]) -> NDArray[np.float64]:
    """Give the share of each class in the training weight of the leaf of each row."""
    weights = np.array([n.weights for n in tree.nodes(model.result.tree)], dtype=np.float64)
    return np.asarray((weights / weights.sum(axis=1, keepdims=True))[ends])


def write_predictions(
    model: Model, answers: list[Any], shares: NDArray[np.float64] | None, path: str | None
) -> None:
    """Write a line for each row."""
    names = [] if shares is None else [f"p({name})" for name in model.classes]
    with Path(path).open("w", newline="") if path else nullcontext(sys.stdout) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["prediction", *names])
        extra = [[]] * len(answers) if shares is None else shares.tolist()
        writer.writerows([answer, *more] for answer, more in zip(answers, extra, strict=True))


def run_show(args: argparse.Namespace, output: Output) -> int:
    """Show the tree and its proof."""
    model = read_model(args.model)
    output.say(FORMS[args.form](model.result))
    output.data({**facts(model), "tree": to_dict(model)["tree"]})
    return DONE
