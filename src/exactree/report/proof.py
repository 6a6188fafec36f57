"""What is proved about a tree, in plain words, and what is not."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import quote

from exactree.problem import Result
from exactree.report.evidence import Evidence, element, number
from exactree.report.history import history_html
from exactree.splits import as_family
from exactree.tree import size

STOPPED = {
    "time_limit": "reached its time limit",
    "memory_limit": "reached its memory limit",
    "interrupted": "was interrupted",
    "gap_limit": "ended when its gap was small enough",
    "stopped": "was stopped by the program that started it",
}
# What the engines count besides prunings, in words.
EFFORT = {
    "nodes": "subproblems",
    "evaluations": "splits evaluated",
    "scans": "scans of a column",
    "rounds": "rounds of the local search",
    "line_searches": "line searches",
}


def headline(result: Result) -> str:
    """Say in two words whether the tree is proved optimal."""
    return "Proved optimal" if result.status == "optimal" else "Not proved optimal"


def verdict(result: Result) -> str:
    """Say what competed, and how far from the proof a stopped search is.

    >>> from exactree.tree import Leaf
    >>> verdict(Result("time_limit", "axis-parallel trees, depth <= 3", 4, 3, 1, Leaf(0)))
    'axis-parallel trees, depth <= 3: loss 4, a better tree could reach 3 at best'
    """
    if result.status == "optimal":
        return result.space
    best = number(result.lower_bound)
    return (
        f"{result.space}: loss {number(result.objective)}, a better tree could reach {best} at best"
    )


def statement(evidence: Evidence) -> list[str]:
    """Say in a few sentences what the search proved.

    The words follow from the status and the numbers of the result alone.
    """
    result = evidence.result
    if result.status == "optimal":
        return [_optimal(result, exact=evidence.subject.classes is not None), CAVEAT]
    return [_stopped(result), CAVEAT]


CAVEAT = (
    "This is about the training rows only. It does not say how the tree does on rows it has not "
    "seen, nor that trees with other kinds of splits or larger budgets would not do better."
)


def _optimal(result: Result, *, exact: bool) -> str:
    meet = f"its loss and the proved lower bound meet at {number(result.objective)}"
    if not exact:
        meet += ", to within a billionth of it"
    return (
        "Of all the trees that competed, none has a smaller loss on the training rows than this "
        f"one: {meet}. Nothing was left to chance or to a heuristic."
    )


def _stopped(result: Result) -> str:
    reason = STOPPED.get(result.status, f"stopped ({result.status})")
    because = f"The search {reason} before it was done, so this"
    if result.status == "local":
        because = "There are too many trees of such splits to look at them all. This"
    share = f", {result.gap / result.objective:.1%} of its loss" if result.objective else ""
    return (
        f"{because} is the best tree the search found and maybe not the best there is. Its loss "
        f"is {number(result.objective)}; no tree that competed can be below "
        f"{number(result.lower_bound)}. A better tree could gain at most "
        f"{number(result.gap)}{share}."
    )


FEWER = "; that no fewer splits have this loss is not proved"


def facts(evidence: Evidence) -> list[tuple[str, str]]:
    """List what the proof refers to: name and words."""
    result = evidence.result
    splits = size(result.tree)
    return [
        ("Trees that competed", result.space),
        *_family(evidence.parameters.get("splits")),
        ("Objective", _objective(evidence)),
        (
            "Loss of this tree",
            f"{number(result.objective)} with {splits} split{'s' * (splits != 1)}"
            + FEWER * (result.status == "optimal" and result.stats.get("fewest_splits") == 0),
        ),
        ("Proved lower bound", number(result.lower_bound)),
        ("Gap", number(result.gap)),
        ("Search effort", _effort(result)),
    ]


def _family(splits: Any) -> list[tuple[str, str]]:
    if isinstance(splits, str):
        splits = as_family(splits)
    if isinstance(splits, list | tuple):
        return [("Split families", "; ".join(words for s in splits for _, words in _family(s)))]
    words = getattr(splits, "sentence", getattr(splits, "words", None))
    return [("Split family", str(words))] if words else []


def _objective(evidence: Evidence) -> str:
    objective = evidence.parameters.get("objective")
    words = "squared error" if evidence.subject.classes is None else "misclassified training weight"
    if objective is not None and objective not in ("error", "squared_error"):
        words = str(objective)
    penalty = evidence.parameters.get("penalty") or 0
    if penalty:
        words += f", plus {number(penalty)} of the total weight for every split"
    return words


def _effort(result: Result) -> str:
    stats = result.stats
    said = [f"{stats['seconds']:.3g} seconds"] if "seconds" in stats else []
    said += [f"{number(stats[key])} {words}" for key, words in EFFORT.items() if key in stats]
    if "peak_bytes" in stats:
        said.append(f"{stats['peak_bytes'] / 2**20:.1f} MiB of memory")
    return ", ".join(said) or "not recorded"


def counters(result: Result) -> list[tuple[str, str]]:
    """List every counter of the search."""
    return [(key.replace("_", " "), number(value)) for key, value in result.stats.items()]


def certificate_html(evidence: Evidence) -> str:
    """Link to the certificate, and say how to check it."""
    if evidence.certificate is None:
        return ""
    name = evidence.certificate
    link = element("a", escape(name), href=quote(name))
    command = element("code", escape(f"exactree check {name} data.csv"))
    return element(
        "p",
        f"You need not believe this: {link} is a certificate. {command} computes every bound again "
        "from the data, by a program that shares nothing with the search.",
    )


def proof_html(evidence: Evidence) -> str:
    """Write the statement, the facts and the counters."""
    said = "".join(element("p", escape(text)) for text in statement(evidence))
    said += certificate_html(evidence)
    named = "".join(
        element("div", element("dt", escape(name)) + element("dd", escape(words)))
        for name, words in facts(evidence)
    )
    rows = "".join(
        element("tr", element("th", escape(name), scope="row") + element("td", value))
        for name, value in counters(evidence.result)
    )
    more = element(
        "details", element("summary", "All counters of the search") + element("table", rows)
    )
    history = history_html(evidence.result)
    return said + element("dl", named, class_="facts") + history + (more if rows else "")
