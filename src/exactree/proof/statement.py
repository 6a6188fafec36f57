"""What a certificate says, in words that are made from its header alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from exactree import inputs
from exactree.proof import checking
from exactree.proof.checking import Rejected
from exactree.splits.axis import AxisSplit
from exactree.tree import Leaf, Node, Tree, to_text


@dataclass(frozen=True)
class Proved:
    """One tree, its cost and a bound that no tree of the same budgets is below.

    Parameters
    ----------
    max_splits : int or None
        At most so many splits; None: as many as the depth allows.
    value, bound : Fraction
        The cost of the tree, and what no tree is below.
    tree : Leaf or Node
        The tree; its leaves have the number of a class.
    """

    max_splits: int | None
    value: Fraction
    bound: Fraction
    tree: Tree

    @property
    def optimal(self) -> bool:
        """Whether no tree costs less."""
        return self.value == self.bound


@dataclass(frozen=True, eq=False)
class Statement:
    """What a certificate says.

    Parameters
    ----------
    header : mapping
        The header of the certificate.
    """

    header: Mapping[str, Any]

    @property
    def results(self) -> list[Proved]:
        """The trees with what is said of them; one, or one for each number of splits."""
        return [
            Proved(
                found["max_splits"],
                Fraction(found["value"]),
                Fraction(found["bound"]),
                _tree(found["tree"]),
            )
            for found in self.header["results"]
        ]

    @property
    def optimal(self) -> bool:
        """Whether all trees are said to be optimal."""
        return all(found.optimal for found in self.results)

    def __str__(self) -> str:
        return "\n".join(self._about(found) for found in self.results)

    def trees(self) -> str:
        """Draw the trees."""
        names, classes = self.header["feature_names"], self.header["classes"]
        return "\n".join(
            to_text(found.tree, feature_names=names, class_names=classes) for found in self.results
        )

    def _about(self, found: Proved) -> str:
        head = self.header
        rows = f"{head['rows']} row{'s' * (head['rows'] != 1)}"
        plain = head["costs"] is None and not head["weights"] and head["class_weight"] is None
        if plain and head["penalty"] == "0":
            said = f"makes fewer than {_errors(found.bound)} on these {rows}"
            this = f"this tree makes {found.value}"
        else:
            said = f"costs less than {found.bound} on these {rows} ({self._cost()})"
            this = f"this tree costs {found.value}"
        end = "it is optimal" if found.optimal else f"a gap of {found.value - found.bound} is left"
        return f"no {self._space(found)} {said};\n{this}: {end}"

    def _space(self, found: Proved) -> str:
        head, said = self.header, []
        if head["max_depth"] is not None:
            said.append(f"of depth <= {head['max_depth']}")
        if found.max_splits is not None:
            said.append(f"of at most {found.max_splits} split{'s' * (found.max_splits != 1)}")
        if head["min_samples_leaf"] > 1:
            said.append(f"with at least {head['min_samples_leaf']} rows on each side of a split")
        if head["min_weight_leaf"] != "0":
            said.append(f"with a weight of {head['min_weight_leaf']} on each side of a split")
        return " ".join(["axis-parallel tree", *said])

    def _cost(self) -> str:
        head, said = self.header, []
        if head["costs"] is None:
            said.append("the weight of the misclassified rows")
        else:
            said.append(f"by label and answer {head['costs']}")
        if head["weights"]:
            said.append("rows weighted" + ", to within a millionth" * head["rounded"])
        if head["class_weight"] is not None:
            pairs = zip(head["classes"], head["class_weight"], strict=True)
            said.append("class weights " + ", ".join(f"{c}: {w}" for c, w in pairs))
        if head["penalty"] != "0":
            said.append(f"and {head['penalty']} for each split")
        return "; ".join(said)


def _errors(bound: Fraction) -> str:
    return f"{bound} error{'s' * (bound != 1)}"


def _tree(node: Mapping[str, Any]) -> Tree:
    if "leaf" in node:
        return Leaf(node["leaf"])
    split = AxisSplit(node["column"], float(node["threshold"]))
    return Node(split, _tree(node["left"]), _tree(node["right"]))


def read_statement(path: str | Path) -> Statement:
    """Read what a certificate says, without checking any of it."""
    return Statement(checking.read(path)[0])


def check(
    path: str | Path, X: Any, y: Any, *, sample_weight: Any = None, work: int = checking.WORK
) -> Statement:
    """Check a certificate against the data, and say what it shows.

    Parameters
    ----------
    path : str or Path
        The certificate.
    X, y : array or data frame, array
        The data, as they were for `solve`.
    sample_weight : array or None
        Weights of the rows, if there were any.
    work : int
        Refuse a certificate that takes more: rows times columns that are looked at.

    Returns
    -------
    Statement
        What is shown. A certificate that does not show what it says raises `Rejected`, a
        ValueError that says why.
    """
    values, names = inputs.read_matrix(X)
    said = checking.read(path)[0].get("feature_names")
    if names is not None and said is not None and list(names) != said:
        raise Rejected(f"the columns are {list(names)}, those of the certificate are {said}")
    weights = inputs.read_weights(sample_weight, len(values))
    labels = np.asarray(y).reshape(-1)
    return Statement(checking.check(path, values, labels, weights, work=work))
