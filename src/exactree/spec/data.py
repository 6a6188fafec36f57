"""What the specification's programs look at: samples, and rules decided on them.

Glossary
    x       the coordinates of a data point, exact numbers (int or Fraction)
    y, w    its label or target, and its weight
    xs      a tuple of samples
    r       a splitting rule; r+ (holds) is the left, r- the right side
    owners  the G data points that define the surface of r; they decide ancestry
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

Number = int | Fraction


class Sample(NamedTuple):
    """A data point with its label; the index keeps equal points apart."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nothing needs
    x: tuple[Number, ...]
    y: int | Fraction
    w: int | Fraction = 1


Samples = tuple[Sample, ...]


@dataclass(frozen=True)
class Rule:
    """A splitting rule decided on a list of samples: the indices where it holds, and its owners.

    `form` says what it is in words or numbers; it plays no part in any program but identity: two
    rules with equal sides and owners but another form are two rules.
    """

    positive: frozenset[int]
    owners: tuple[int, ...]
    form: object = None

    def holds(self, sample: Sample) -> bool:
        """Tell whether the sample lies in r+.

        >>> Rule(frozenset({0, 2}), (0,)).holds(Sample(1, (5,), 0))
        False
        """
        return sample.index in self.positive


def sides(xs: Samples, r: Rule) -> tuple[Samples, Samples]:
    """Part the samples: (xs+, xs-) = ([x | x <- xs, x in r+], [x | x <- xs, x in r-]).

    >>> a, b = Sample(0, (1,), 0), Sample(1, (2,), 1)
    >>> sides((a, b), Rule(frozenset({1}), (1,))) == ((b,), (a,))
    True
    """
    return tuple(x for x in xs if r.holds(x)), tuple(x for x in xs if not r.holds(x))
