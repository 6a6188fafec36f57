"""The figures at the top of a report: how good the tree is, then what is proved."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree.report.evidence import Evidence, element, number
from exactree.tables import Table
from exactree.tree import depth, size


def headlines_html(
    evidence: Evidence, test: Evidence | None = None, folds: list[float] | None = None
) -> str:
    """Write a card for each figure."""
    root, result = evidence.subject.tree, evidence.result
    trained = len(evidence.X) == root.rows  # else they are other rows than those of the fit
    found = goodness(evidence, "training " if trained else "")
    if test is not None:
        found |= goodness(test, "test ")
    if folds is not None:
        score = "R²" if evidence.subject.classes is None else "accuracy"
        shown = ".3f" if evidence.subject.classes is None else ".1%"
        found[f"cross-validated {score}, {len(folds)} folds"] = format(float(np.mean(folds)), shown)
    if trained:
        found |= cart(evidence, test)
    found |= {
        "training loss": number(result.objective),
        "proved lower bound": number(result.lower_bound),
        "splits": number(size(root)),
        "depth": number(depth(root)),
        "rows": number(len(evidence.X)),
    }
    return "".join(
        element("div", element("dt", name) + element("dd", value)) for name, value in found.items()
    )


def cross_validated(model: Any, X: Any, y: Any, cv: Any) -> list[float]:
    """Fit the estimator anew on each fold, and give its scores on the rows that were held out."""
    if not hasattr(model, "fit"):
        raise ValueError(
            f"cv={cv!r} fits the model anew, and a {type(model).__name__} cannot be: pass the "
            "estimator"
        )
    return [float(score) for score in cross_val_score(clone(model), X, y, cv=cv)]


def goodness(evidence: Evidence, where: str) -> dict[str, str]:
    """Give the accuracy, or in regression the share explained and the mean error."""
    if evidence.subject.classes is not None:
        return {f"{where}accuracy": f"{1 - float(np.mean(evidence.wrong)):.1%}"}
    mean_error = {f"{where}mean error": number(float(np.mean(evidence.wrong)))}
    spread = float(((evidence.truth - evidence.truth.mean()) ** 2).sum())
    if not spread:  # R² is not defined
        return mean_error
    return {f"{where}R²": f"{1 - float((evidence.wrong**2).sum()) / spread:.3f}", **mean_error}


def cart(evidence: Evidence, test: Evidence | None) -> dict[str, str]:
    """Give the score of a greedy tree as large and as deep at most, where it can read the rows."""
    leaves = size(evidence.subject.tree) + 1
    if isinstance(evidence.X, Table) or leaves < 2:
        return {}
    kind = DecisionTreeRegressor if evidence.subject.classes is None else DecisionTreeClassifier
    greedy = kind(max_leaf_nodes=leaves, max_depth=depth(evidence.subject.tree), random_state=0)
    model = greedy.fit(evidence.X, evidence.truth)
    score = "R²" if evidence.subject.classes is None else "accuracy"
    shown = ".3f" if evidence.subject.classes is None else ".1%"
    found = {f"CART of this size, training {score}": evidence}
    if test is not None and not isinstance(test.X, Table):
        found[f"CART of this size, test {score}"] = test
    return {
        name: format(float(model.score(rows.X, rows.truth)), shown)
        for name, rows in found.items()
        if len(np.unique(rows.truth)) > 1 or score == "accuracy"
    }
