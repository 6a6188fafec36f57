"""What the script of the page knows, as JSON inside the page."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from exactree.export.colours import class_colours
from exactree.report.drawing import SIZES, Place, height, node_colour, places, width
from exactree.report.evidence import Evidence
from exactree.report.fields import cell
from exactree.report.questions import full_question, told_apart
from exactree.report.regions import scales, two_features
from exactree.splits.axis import AxisSplit, MissingSplit
from exactree.splits.categories import CategorySplit, OrderedSplit, SubsetSplit, shown_value
from exactree.splits.moments import MomentSplit
from exactree.splits.selected import SelectedSplit
from exactree.tree import Node, Split

SAMPLES = 6  # rows shown for a node
LONGEST_NAME = 24  # letters of a class in the tables of the panel


def script_data(evidence: Evidence) -> str:
    """Write the JSON, safe inside a script element whatever the names are."""
    samples = [_samples_of(evidence, n) for n in range(len(evidence.seen))]
    classes = evidence.subject.classes
    names = [str(name) for name in classes or ()]
    data = {
        "features": [evidence.subject.feature(j) for j in range(evidence.subject.n_features)],
        "used": evidence.used_features(),
        "classes": None if classes is None else names,
        "short": told_apart(names, LONGEST_NAME),
        "colours": [] if classes is None else class_colours(len(classes)),
        "sizes": SIZES,
        "nodes": [
            _node(evidence, place, samples[place.number]) for place in places(evidence.subject.tree)
        ],
        "samples": {str(i): _sample(evidence, i) for rows in samples for i in rows},
        "regions": _regions(evidence),
        "ranges": {str(j): _range(evidence, j) for j in shown_features(evidence)},
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def question(split: Split) -> dict[str, Any] | None:
    """Write a split as a comparison that the script can evaluate, or None if there is none.

    The comparison is: sum of coefficient * (sum of products of powers) <= at_most. Other kinds of
    split take part if their `to_dict` has "terms", [[coefficient, [[[column, power], ...], ...]],
    ...], and "at_most", or the same in integers of any length, "exact_terms" and "exact_at_most".

    >>> question(AxisSplit(1, 2.5))
    {'terms': [[1, [[[1, 1]]]]], 'at_most': 2.5}
    """
    if isinstance(split, AxisSplit):
        return {"terms": [[1, [[[split.feature, 1]]]]], "at_most": split.threshold}
    if isinstance(split, MissingSplit):
        return {"missing": split.feature, "known": split.known}
    if isinstance(split, CategorySplit):
        return {"among": split.feature, "left": [shown_value(split.category)]}
    if isinstance(split, SubsetSplit | OrderedSplit):
        sides = {side: [shown_value(v) for v in getattr(split, side)] for side in ("left", "right")}
        return {"among": split.feature, **sides}
    if isinstance(split, MomentSplit):
        if split.holds == "duration":
            return {"terms": [[1, [[[split.feature, 1]]]]], "at_most": split.threshold}
        moment = np.array(split.threshold).astype(f"M8[{split.unit}]").astype("M8[ns]")
        return {"date": split.feature, "until": str(moment)}
    if isinstance(split, SelectedSplit):
        return _renumbered(question(split.split), split.columns)
    if type(split).to_dict is Split.to_dict:  # it cannot be stored
        return None
    data = split.to_dict()
    for words in (("terms", "at_most"), ("exact_terms", "exact_at_most")):
        if all(word in data for word in words):
            return {word: data[word] for word in words}
    return None


def _renumbered(asked: dict[str, Any] | None, columns: tuple[int, ...]) -> dict[str, Any] | None:
    """Number the columns of a sum of products as the whole table does."""
    if asked is None:
        return None
    key = next(key for key in asked if key.endswith("terms"))
    terms = [
        [c, [[[columns[j], power] for j, power in product] for product in term]]
        for c, term in asked[key]
    ]
    return {**asked, key: terms}


def _asked(node: Node) -> dict[str, Any] | None:
    """Write what a node asks, and where it sends what the split has no answer for."""
    found = question(node.split)
    if found is None or not node.split.reads_tables or isinstance(node.split, SelectedSplit):
        return found
    missing = getattr(node.split, "missing", None)
    if isinstance(node.split, CategorySplit):
        return {**found, "otherwise": False}
    left = node.heavier_left if missing is None else missing == "left"
    return {**found, "otherwise": node.heavier_left, "missing_left": left}


def _node(evidence: Evidence, place: Place, samples: list[int]) -> dict[str, Any]:
    node, subject = place.node, evidence.subject
    found: dict[str, Any] = {
        "parent": place.parent,
        "left": place.left,
        "right": place.right,
        "level": place.level,
        "width": width(subject, node),
        "height": height(evidence, place),
        "rows": node.rows,
        "here": len(evidence.seen[place.number]),
        "weights": list(node.weights),
        "cost": node.cost,
        "answer": subject.answer(node),
        "colour": node_colour(subject, node),
        "samples": samples,
    }
    if isinstance(node, Node):
        names, digits = subject.feature_names, subject.digits
        found["yes"] = node.split.formula(names, **digits)
        found["no"] = node.split.formula(names, holds=False, **digits)
        found["asks"] = node.split.question(names, **digits)
        found["answers"] = node.split.answers
        found["question"] = _asked(node)
        whole = full_question(subject, node)
        if len(whole) > len(found["yes"]):
            found["whole"] = whole
    return found


def _range(evidence: Evidence, j: int) -> dict[str, Any] | None:
    """Give the ends of a column of numbers, and whether all of them are whole."""
    if evidence.kind(j).name not in ("number", "duration"):
        return None
    values = evidence.known_numbers(j)
    if not len(values):
        return None
    whole = bool((values == np.floor(values)).all())
    return {"low": float(values.min()), "high": float(values.max()), "whole": whole}


def _samples_of(evidence: Evidence, node: int) -> list[int]:
    """Choose rows of a node: the worst first, then the first."""
    rows = evidence.seen[node]
    worst = np.argsort(-evidence.wrong[rows], kind="stable")[:SAMPLES]
    return [int(i) for i in rows[worst]]


def _sample(evidence: Evidence, i: int) -> dict[str, Any]:
    subject = evidence.subject
    truth, answer = evidence.truth[i], evidence.answers[i]
    names = subject.classes
    return {
        "x": {str(j): cell(evidence.column(j), i) for j in shown_features(evidence)},
        "truth": f"{truth:.6g}" if names is None else str(names[int(truth)]),
        "answer": f"{answer:.6g}" if names is None else str(names[int(answer)]),
        "wrong": bool(names is not None and truth != answer),
    }


def shown_features(evidence: Evidence) -> list[int]:
    """List the columns of the form: those of the tree, and those of the picture."""
    return sorted({*evidence.used_features(), *(two_features(evidence) or ())})


def _regions(evidence: Evidence) -> dict[str, Any] | None:
    pair = two_features(evidence)
    if pair is None:
        return None
    x, y = scales(evidence, pair)
    return {"features": pair, "x": x.to_dict(), "y": y.to_dict()}
