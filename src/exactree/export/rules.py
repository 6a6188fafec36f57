"""A tree as a list of rules: one for every leaf, if ... then ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from exactree.export.subject import Subject, class_number, read_subject
from exactree.splits.axis import AxisSplit, enclosed, or_missing, shown
from exactree.tree import Leaf, Split, Tree, telling, value_text

Step = tuple[Split, bool]


@dataclass(frozen=True)
class LeafRule:
    """What leads to a leaf and what is known there.

    Parameters
    ----------
    conditions : tuple of str
        All of them hold for a row of the leaf; none for a tree that is a leaf.
    value : object
        The class or the number that it predicts.
    probability : float or None
        The share of that class in the weight of the leaf's training rows; None for a number.
    rows : int
        How many training rows reach the leaf.
    support : float
        Their share of all training rows; 0 where those are unknown.
    """

    conditions: tuple[str, ...]
    value: Any
    probability: float | None
    rows: int
    support: float

    def __str__(self) -> str:
        value = value_text(self.value)
        told = f"if {' and '.join(self.conditions)} then {value}" if self.conditions else value
        return f"{told} ({self._known()})" if self.rows else told

    def _known(self) -> str:
        count = f"{self.rows} row{'s' * (self.rows != 1)}, {self.support:.1%} of all"
        return count if self.probability is None else f"probability {self.probability:.3g}, {count}"


def leaf_rules(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    digits: int = 12,
) -> list[LeafRule]:
    """List what leads to every leaf, from left to right, as data.

    Several thresholds on one column are drawn together, so that the tightest remain.

    Parameters
    ----------
    model : estimator, Result or tree
        What to write down.
    feature_names, class_names : sequence of str or None
        Names to use instead of the model's own.
    digits : int
        Significant digits of thresholds; 17 are exact. There are more where these would write two
        splits of the tree the same.
    """
    subject = read_subject(model, feature_names, class_names)
    enough = telling(subject.tree, digits=digits)["digits"]
    return [_rule(subject, leaf, path, enough) for leaf, path in paths(subject.tree)]


def export_rules(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    digits: int = 12,
) -> str:
    """Write a rule for every leaf, a line each: if ... then ... (probability, support).

    Parameters
    ----------
    model : estimator, Result or tree
        What to write down.
    feature_names, class_names : sequence of str or None
        Names to use instead of the model's own.
    digits : int
        Significant digits of thresholds; 17 are exact. There are more where these would write two
        splits of the tree the same.

    Examples
    --------
    >>> from exactree.tree import Node
    >>> stump = Node(AxisSplit(0, 2.5), Leaf(0, 3, (3, 0)), Leaf(1, 4, (1, 3), 1))
    >>> print(export_rules(stump, feature_names=["age"], class_names=["no", "yes"]))
    if age <= 2.5 then no (probability 1, 3 rows, 42.9% of all)
    if age > 2.5 then yes (probability 0.75, 4 rows, 57.1% of all)
    """
    rules = leaf_rules(model, feature_names=feature_names, class_names=class_names, digits=digits)
    return "\n".join(map(str, rules))


def paths(tree: Tree, before: tuple[Step, ...] = ()) -> Iterator[tuple[Leaf, tuple[Step, ...]]]:
    """Go through the leaves with the splits above them, and whether they hold.

    >>> list(paths(Leaf(1)))
    [(Leaf(value=1, rows=0, weights=(), cost=0), ())]
    """
    if isinstance(tree, Leaf):
        yield tree, before
        return
    yield from paths(tree.left, (*before, (tree.split, True)))
    yield from paths(tree.right, (*before, (tree.split, False)))


def _rule(subject: Subject, leaf: Leaf, path: tuple[Step, ...], digits: int) -> LeafRule:
    shares = None if subject.classes is None else subject.shares(leaf)
    return LeafRule(
        conditions=tuple(_conditions(subject, path, digits)),
        value=subject.value(leaf),
        probability=None if shares is None else shares[class_number(leaf)],
        rows=leaf.rows,
        support=leaf.rows / subject.tree.rows if subject.tree.rows else 0.0,
    )


def _conditions(subject: Subject, path: tuple[Step, ...], digits: int) -> Iterator[str]:
    """Write the questions in the order in which columns first occur, each column once."""
    told: set[int] = set()
    for split, holds in path:
        if not isinstance(split, AxisSplit) or split.two_values:
            yield _alone(split.formula(subject.feature_names, holds=holds, digits=digits))
        elif split.feature not in told:
            told.add(split.feature)
            yield _interval(subject, split.feature, path, digits)


def _interval(subject: Subject, feature: int, path: tuple[Step, ...], digits: int) -> str:
    steps = [(s, h) for s, h in path if isinstance(s, AxisSplit) and s.feature == feature]
    # A missing value that came as far as the last of them came by all.
    missing = or_missing(steps[-1][0].missing, holds=steps[-1][1])
    above = [s.threshold for s, holds in steps if not holds]
    below = [s.threshold for s, holds in steps if holds]
    if above and below:
        low, high = shown(max(above), digits), shown(min(below), digits)
        return _alone(f"{low} < {enclosed(subject.feature(feature))} <= {high}{missing}")
    tightest = AxisSplit(feature, min(below) if below else max(above))
    told = tightest.formula(subject.feature_names, holds=bool(below), digits=digits)
    return _alone(told + missing)


def _alone(condition: str) -> str:
    """Put brackets around a condition that would not stand among others."""
    return f"({condition})" if condition.endswith(" or missing") else condition
