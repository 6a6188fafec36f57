"""What a certificate says, in words that are made from its header alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from exactree import inputs
from exactree.proof import checking, checking_binary, checking_partitions, checking_squared
from exactree.proof.checking import Rejected
from exactree.proof.describing import described_as
from exactree.proof.reducing import one_for_each_answer
from exactree.splits import (
    AxisSplit,
    CategorySplit,
    MissingSplit,
    OrderedSplit,
    SubsetSplit,
    SurfaceSplit,
)
from exactree.tree import Leaf, Node, Split, Tree, to_text

CHECKERS: dict[str, Any] = {
    module.FAMILY: module
    for module in (checking, checking_binary, checking_squared, checking_partitions)
}
SQUARED = checking_squared.FAMILY
TOLERANCE = Fraction(1, 10**9)  # of the squared error


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
        The tree; its leaves have the number of a class, or a number.
    tolerance : Fraction
        Which share of the cost of the tree may be left: 0, or a billionth of a squared error.
    """

    max_splits: int | None
    value: Fraction
    bound: Fraction
    tree: Tree
    tolerance: Fraction = Fraction(0)

    @property
    def optimal(self) -> bool:
        """Whether no tree costs less; of squared errors, by more than a billionth."""
        return self.value <= self.bound * (1 + self.tolerance)


@dataclass(frozen=True)
class ListedSplit(Split):
    """A partition that a certificate lists, by its number."""

    number: int
    kind = "listed"

    def formula(self, feature_names: Any = None, *, holds: bool = True, digits: int = 12) -> str:
        """Name it."""
        return f"{'' if holds else 'not '}partition {self.number} of the list"

    def features(self) -> tuple[int, ...]:
        """Say that no column is known to matter."""
        return ()

    def goes_left(self, X: Any) -> Any:
        """Refuse: only its family can tell."""
        raise ValueError(f"{self.formula()} is only known for the rows of the certificate")


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
                _tree(found["tree"], self.header),
                TOLERANCE if self._squared else Fraction(0),
            )
            for found in self.header["results"]
        ]

    @property
    def optimal(self) -> bool:
        """Whether all trees are said to be optimal."""
        return all(found.optimal for found in self.results)

    @property
    def _squared(self) -> bool:
        return bool(self.header["family"] == SQUARED)

    def __str__(self) -> str:
        return "\n".join(self._about(found) for found in self.results)

    def trees(self) -> str:
        """Draw the trees."""
        names, classes = self.header["feature_names"], self.header.get("classes")
        return "\n".join(
            to_text(found.tree, feature_names=names, class_names=classes) for found in self.results
        )

    def _about(self, found: Proved) -> str:
        head = self.header
        rows = "this row" if head["rows"] == 1 else f"these {head['rows']} rows"
        value, bound, left = found.value, found.bound, found.value - found.bound
        if self._squared:
            told = [f"{float(number):.12g}" for number in (bound, value, left)]
            said = f"costs less than {told[0]} on {rows} ({self._cost()})"
            this, gap = f"this tree costs {told[1]}", told[2]
        elif self._plain():
            said = f"makes fewer than {_errors(bound)} on {rows}"
            this, gap = f"this tree makes {value}", str(left)
        else:
            said = f"costs less than {_told(bound)} on {rows} ({self._cost()})"
            this, gap = f"this tree costs {_told(value)}", _told(left)
        end = f"a gap of {gap} is left"
        if found.optimal:
            end = "it is optimal" + " to within a billionth" * self._squared
        return f"no {self._space(found)} {said};\n{this}: {end}"

    def _plain(self) -> bool:
        head = self.header
        weighted = head["weights"] or head["class_weight"] is not None
        return head["costs"] is None and not weighted and bool(head["penalty"] == "0")

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
        return " ".join([self._family(), *said])

    def _family(self) -> str:
        parts = self.header.get("parts", [{"kind": "thresholds"}])
        words = " or ".join(dict.fromkeys(map(_words, parts)))
        return f"{words} {'regression ' * self._squared}tree"

    def _cost(self) -> str:
        head, said = self.header, []
        if self._squared:
            said.append("the sum of squared errors")
        elif head["costs"] is None:
            said.append("the weight of the misclassified rows")
        else:
            said.append(f"by label and answer {head['costs']}")
        if head["weights"]:
            share = "2^-34" if self._squared else "a millionth"
            said.append("rows weighted" + f", to within {share}" * head["rounded"])
        if head.get("class_weight") is not None:
            pairs = zip(head["classes"], head["class_weight"], strict=True)
            said.append("class weights " + ", ".join(f"{c}: {w}" for c, w in pairs))
        if head["penalty"] != "0":
            penalty = Fraction(head["penalty"])
            told = f"{float(penalty):.12g}" if self._squared else _told(penalty)
            said.append(f"and {told} for each split")
        return "; ".join(said)


def _words(part: Mapping[str, Any]) -> str:
    """Name the trees of some splits."""
    if part["kind"] == "thresholds":
        return "axis-parallel"
    if part["kind"] == "listed":
        return f"{part['name']} (a list of {part['count']} partitions, {part['sha256'][:12]})"
    names = {"axis_quadric": "axis-aligned quadric", "polynomial": f"degree-{part['degree']}"}
    few = "" if part["most"] is None else f"{part['most']}-column "
    return few + str(names.get(part["name"], part["name"]))


def _told(cost: Fraction) -> str:
    """Write a cost exactly, and what a fraction comes to."""
    return str(cost) if cost.denominator == 1 else f"{cost} = {float(cost):.12g}"


def _errors(bound: Fraction) -> str:
    return f"{bound} error{'s' * (bound != 1)}"


def _tree(node: Mapping[str, Any], header: Mapping[str, Any]) -> Tree:
    if "leaf" in node:
        return Leaf(node["leaf"])
    left, right = (_tree(node[side], header) for side in ("left", "right"))
    return Node(_split(node, header), left, right)


def _split(node: Mapping[str, Any], header: Mapping[str, Any]) -> Split:
    if "partition" in node:
        return ListedSplit(node["partition"])
    if "surface" in node:
        return SurfaceSplit.from_dict(node["surface"])
    column, side = node["column"], node.get("missing")
    kinds = header.get("kinds")
    kind = kinds[column] if kinds else None
    if "among" not in node:
        if kind is None:
            return AxisSplit(column, float(node["threshold"]), side)
        end = int(node["threshold"]) + 1
        return OrderedSplit(column, tuple(kind["values"][:end]), tuple(kind["values"][end:]), side)
    if node["among"] == [-1]:
        return MissingSplit(column)
    if kind is None:
        raise LookupError(f"column {column} has no list of values, of which the tree asks")
    among = tuple(None if i < 0 else kind["values"][i] for i in node["among"])
    if len(among) == 1 and among[0] is not None:
        return CategorySplit(column, among[0])
    rest = tuple(value for value in kind["values"] if value not in among)
    return SubsetSplit(column, among, rest)


def checker_of(path: str | Path) -> Any:
    """Find the checker that a certificate is for."""
    for checker in CHECKERS.values():
        try:
            checker.read(path)
        except checker.DAMAGE as error:
            complaint = Rejected(f"this is no certificate, or a damaged one: {error}")
        else:
            return checker
    raise complaint


def read_statement(path: str | Path) -> Statement:
    """Read what a certificate says, without checking any of it."""
    return Statement(checker_of(path).read(path)[0])


def check(
    path: str | Path,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    costs: Any = None,
    work: int | None = None,
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
    costs : array, data frame or None
        What each answer costs for each row, if that was asked, in place of `y`.
    work : int or None
        Refuse a certificate that takes more: what its header counts, in all. None: more than about
        an hour, by its checker.

    Returns
    -------
    Statement
        What is shown. A certificate that does not show what it says raises `Rejected`, a
        ValueError that says why.
    """
    if costs is not None:
        X, y, sample_weight = one_for_each_answer(X, costs, sample_weight)
    elif y is None:
        raise ValueError("give y, or the costs= that the certificate is about")
    checker = checker_of(path)
    said = checker.read(path)[0]
    names, columns = said.get("feature_names"), inputs.column_names(X)
    if names is not None and columns is not None and list(columns) != names:
        raise Rejected(f"the columns are {list(columns)}, those of the certificate are {names}")
    try:
        values = described_as(X, said["kinds"]) if said.get("kinds") else inputs.read_matrix(X)[0]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Rejected(f"a header that is damaged, or of other data: {error}") from error
    labels = np.asarray(y).reshape(-1)
    weights = inputs.read_weights(sample_weight, len(labels))
    _refuse_other_data(said, labels, weights)
    try:
        most = checker.WORK if work is None else work
        return Statement(checker.check(path, values, labels, weights, work=most))
    except checker.Rejected as error:
        raise Rejected(str(error)) from error


def _refuse_other_data(said: Mapping[str, Any], labels: Any, weights: Any) -> None:
    """Say what is not as in a certificate, where its checker would say only that something is."""
    if len(labels) != said.get("rows"):
        raise Rejected(f"these are other data: {len(labels)} rows, not {said.get('rows')}")
    if said.get("weights") is not (weights is not None):
        known = "have" if weights is None else "have no"
        raise Rejected(f"the rows of the certificate {known} weights")
    classes = said.get("classes")
    if isinstance(classes, list) and said["family"] != SQUARED:
        strange = {*map(str, labels.tolist())} - {*map(str, classes)}
        if strange:
            raise Rejected(f"the certificate knows no class {min(strange)!r}")
