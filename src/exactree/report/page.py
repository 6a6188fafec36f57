"""The page: parts put into a template, with its style and script inside."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

from exactree.export.rules import LeafRule, leaf_rules
from exactree.report.answers import answers_html
from exactree.report.drawing import node_colour, tree_svg
from exactree.report.evidence import Evidence, element, number, read_evidence
from exactree.report.fields import field
from exactree.report.headlines import cross_validated, headlines_html
from exactree.report.proof import headline, proof_html, verdict
from exactree.report.questions import surface_of
from exactree.report.regions import regions_html
from exactree.report.script_data import script_data, shown_features
from exactree.tree import Digits, Leaf, Node, leaves, value_text

SCRIPTS = ("page.js", "what_if.js", "change.js", "save.js", "start.js")


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | PathLike[str],
    *,
    title: str = "",
    test: tuple[Any, Any] | None = None,
    cv: Any = None,
) -> None:
    """Write a page that shows a tree, its proof and its answers, and lets the reader try it.

    The page is one file that asks nothing of the network: it can be mailed, kept and printed. It
    names up to six rows of X for each node, with the values that the tree looks at.

    Parameters
    ----------
    model : estimator or Result
        A fitted estimator of exactree, a pipeline or a search that ends with one, or what `solve`
        returned.
    X, y : array or data frame, array
        Rows with their answers to show the tree with, usually the training data.
    path : path
        The file to write, for example "report.html".
    title : str
        Heading of the page; by default the kind of tree.
    test : pair or None
        Rows that the tree was not fitted to, with their answers: (X, y). How good it is on them is
        told beside how good it is on the others.
    cv : int, splitter or None
        Fit the estimator anew on so many folds of the rows, and tell its cross-validated score.
    """
    unseen = None if test is None else read_evidence(model, *test)
    folds = None if cv is None else cross_validated(model, X, y, cv)
    page = report_html(read_evidence(model, X, y), title, unseen, folds)
    Path(path).write_text(page, encoding="utf-8")


def report_html(
    evidence: Evidence,
    title: str = "",
    test: Evidence | None = None,
    folds: list[float] | None = None,
) -> str:
    """Put the page together."""
    return _template("page.html").substitute(
        title=escape(title or _title(evidence)),
        style=_text("page.css"),
        script=_script(),
        data=script_data(evidence),
        status="optimal" if evidence.result.status == "optimal" else "stopped",
        headline=escape(headline(evidence.result)),
        verdict=escape(verdict(evidence.result)),
        cards=headlines_html(evidence, test, folds),
        tree=tree_svg(evidence),
        form=_form(evidence),
        proof=proof_html(evidence),
        answers_heading="Errors" if evidence.subject.classes is None else "Confusion matrix",
        answers=answers_html(evidence),
        regions=regions_html(evidence),
        rules=_rules(evidence),
    )


def _script() -> str:
    """Join the scripts in one function, so that they share names with each other alone."""
    return '"use strict";\n(() => {\n' + "\n".join(map(_text, SCRIPTS)) + "})();\n"


def _text(name: str) -> str:
    return files("exactree.report").joinpath(name).read_text(encoding="utf-8")


def _template(name: str) -> Template:
    return Template(_text(name))


def _title(evidence: Evidence) -> str:
    kind = "Regression" if evidence.subject.classes is None else "Classification"
    return f"{kind} tree"


def _form(evidence: Evidence) -> str:
    """Ask for the features that the tree or the picture looks at, starting from their medians."""
    used = evidence.used_features()
    if not used:
        return element("p", "The tree is a single leaf: it gives every sample the same answer.")
    return "".join(field(evidence, j, asked=j in used) for j in shown_features(evidence))


def _rules(evidence: Evidence) -> str:
    """Write a table with a row for each leaf: what leads there and what is known."""
    subject = evidence.subject
    surfaces = any(surface_of(node.split) for node in evidence.nodes if isinstance(node, Node))
    # Thresholds are written in full; a sum of many terms is for reading, and the model has it.
    digits: Digits = subject.few_digits if surfaces else {}
    rules = leaf_rules(
        subject.tree,
        feature_names=subject.feature_names,
        class_names=subject.classes,
        **digits,
    )
    rows = "".join(
        _rule(rule, leaf, node_colour(subject, leaf))
        for rule, leaf in zip(rules, leaves(subject.tree), strict=True)
    )
    names = ("If", "then", "rows", "loss")
    head = element("tr", "".join(element("th", name, scope="col") for name in names))
    table = element("thead", head) + element("tbody", rows)
    return element("div", element("table", table, class_="rules"), class_="scroll")


def _rule(rule: LeafRule, leaf: Leaf, colour: str) -> str:
    conditions = element("br").removesuffix("</br>").join(map(escape, rule.conditions)) or "always"
    dot = element("span", "", class_="dot", style=f"background:{colour}")
    value = value_text(rule.value)
    return element(
        "tr",
        element("td", conditions)
        + element("td", dot + escape(value))
        + element("td", number(rule.rows))
        + element("td", number(leaf.cost)),
    )
