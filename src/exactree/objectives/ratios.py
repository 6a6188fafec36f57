"""Ratios of counts over all rows: F-scores, Jaccard's index, the balanced error.

They are no sums over leaves, so they are no `Objective`; `exactree.ratios` finds their optimum by
several searches, or by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from numpy.typing import NDArray


@dataclass(frozen=True)
class Ratio:
    """What is minimised is (u FN + v FP) / ((u + v) P - v FN + v FP), or what grows with it.

    FN is the weight of the positive rows that are predicted to be others, FP that of the others
    that are predicted to be positive, P that of all positive ones.

    Parameters
    ----------
    positive : object
        The positive class; None: the second of two, in sorted order.
    """

    positive: Any = field(default=None, kw_only=True)
    name: ClassVar[str] = ""

    def factors(self) -> tuple[int, int]:
        """Give u and v, the prices of a false negative and of a false positive."""
        return 1, 1

    def worth(self, loss: Fraction) -> Fraction:
        """Turn the loss of the F-score with these factors into that of this ratio."""
        return loss

    def place(self, classes: NDArray[Any]) -> int:
        """Find the positive class among those of y.

        >>> import numpy as np
        >>> FBeta().place(np.array(["no", "yes"]))
        1
        """
        known: Sequence[Any] = classes.tolist()
        if self.positive is None:
            if len(known) != 2:
                raise ValueError(
                    f"y has {len(known)} classes and objective {self.name!r} is about two, or one "
                    "against the rest: name it, for example FBeta(positive=...)"
                )
            return 1
        if self.positive not in known:
            raise ValueError(
                f"positive={self.positive!r} does not occur in y: choose one of "
                f"{', '.join(map(repr, known[:9]))}"
            )
        return known.index(self.positive)


@dataclass(frozen=True)
class FBeta(Ratio):
    """One minus the F-score: the harmonic mean of precision and recall, recall `beta` times.

    F = (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP).

    Parameters
    ----------
    beta : float
        How many times recall is worth what precision is; read as a decimal.
    positive : object
        The positive class, by keyword; None: the second of two, in sorted order.

    Examples
    --------
    >>> FBeta(0.5).factors()
    (1, 4)
    """

    beta: float = 1.0
    name: ClassVar[str] = "f1"

    def __post_init__(self) -> None:
        if not (isinstance(self.beta, int | float) and 0 < self.beta < float("inf")):
            raise ValueError(f"beta={self.beta!r}: pass a number above 0, 1 for the F1 score")
        if max(self.factors()) >= 2**20:
            raise ValueError(
                f"beta={self.beta!r} squared has too many digits: pass a number such as 0.5 or 2"
            )

    def factors(self) -> tuple[int, int]:
        """Give beta^2 as a fraction."""
        square = Fraction(str(self.beta)) ** 2
        return square.numerator, square.denominator


@dataclass(frozen=True)
class Jaccard(Ratio):
    """One minus Jaccard's index J = TP / (TP + FN + FP).

    J = F / (2 - F) grows with the F1 score F: the tree is the same.

    >>> Jaccard().worth(Fraction(1, 3))
    Fraction(1, 2)
    """

    name: ClassVar[str] = "jaccard"

    def worth(self, loss: Fraction) -> Fraction:
        """Give 1 - J = 2 (1 - F) / (2 - F)."""
        return 2 * loss / (1 + loss)


@dataclass(frozen=True)
class BalancedError:
    """One minus the balanced accuracy: the mean over classes of the share that is wrong."""

    name: ClassVar[str] = "balanced_error"


RATIOS: dict[str, type[Ratio] | type[BalancedError]] = {
    "f1": FBeta,
    "jaccard": Jaccard,
    "balanced_error": BalancedError,
}


def as_ratio(objective: Any, task: str = "classification") -> Ratio | BalancedError | None:
    """Take a ratio, or look up its name; None if it is something else.

    >>> as_ratio("f1")
    FBeta(positive=None, beta=1.0)
    """
    found = RATIOS[objective]() if isinstance(objective, str) and objective in RATIOS else objective
    if not isinstance(found, Ratio | BalancedError):
        return None
    if task != "classification":
        raise ValueError(
            f"objective {found.name!r} is for classification, the task is {task!r}: pass "
            "task='classification' or another objective"
        )
    return found
