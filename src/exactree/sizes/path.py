"""The optimum for every number of splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, overload

from exactree.parameters import PathParameters, completed, takes
from exactree.problem import Number, Result
from exactree.request import read_request
from exactree.sizes.solving import solve_sizes
from exactree.values import read_count

MOST_SHOWN = 20  # sizes in a notebook


@dataclass(frozen=True)
class SizePath(Sequence[Result]):
    """The results for at most 0, 1, 2, ... splits: `path[k]` is the one for k.

    Parameters
    ----------
    results : tuple of Result
        One for every number of splits.
    """

    results: tuple[Result, ...]

    @property
    def objectives(self) -> list[Number]:
        """The objective for every number of splits."""
        return [result.objective for result in self.results]

    @property
    def lower_bounds(self) -> list[Number]:
        """The proved lower bound for every number of splits."""
        return [result.lower_bound for result in self.results]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, index: int | slice) -> Result | tuple[Result, ...]:
        return self.results[index]

    def __repr__(self) -> str:
        return (
            f"<SizePath of 0 to {len(self) - 1} splits: objectives {_shortened(self.objectives)}>"
        )

    def _repr_html_(self) -> str:
        """Draw the objective and what is proved of every size, and the largest tree."""
        rows = "".join(
            f"<tr><td>{k}</td><td>{r.objective:.6g}</td><td>{r.lower_bound:.6g}</td>"
            f"<td>{r.status}</td></tr>"
            for k, r in enumerate(self.results[:MOST_SHOWN])
        )
        more = len(self) - MOST_SHOWN
        rest = f"<div>and {more} more</div>" if more > 0 else ""
        head = "".join(f"<th>{name}</th>" for name in ("splits", "objective", "proved", "status"))
        return f"<table><tr>{head}</tr>{rows}</table>{rest}{self.results[-1]._repr_html_()}"

    def __str__(self) -> str:
        lines = [
            f"{k:6d}  {result.objective:>9.6g}  {result.lower_bound:>9.6g}  {result.status}"
            for k, result in enumerate(self.results)
        ]
        return "\n".join(["splits  objective     proved  status", *lines])


def _shortened(objectives: list[Number]) -> str:
    shown = [f"{one:.6g}" for one in objectives[:MOST_SHOWN]]
    return ", ".join([*shown, *(["..."] if len(objectives) > MOST_SHOWN else [])])


@takes(PathParameters)
def size_path(
    X: Any, y: Any = None, *, max_splits: int, **parameters: Unpack[PathParameters]
) -> SizePath:
    """Find the optimal tree for every number of splits from 0 to `max_splits`.

    Where the native search knows the objective (misclassification, whole-number cost matrices,
    squared error over columns) and there is a `max_depth`, trees of all sizes come from one search,
    which takes little longer than that for the largest. Else there is one for each size, the small
    ones first, which share the time: a path that is stopped has these proved. Stopped early, no
    size has a worse tree than a smaller one.

    Parameters
    ----------
    X, y : array
        Rows by columns, and a label, or a number in regression, for each row.
    max_splits : int
        The largest number of splits.

    Examples
    --------
    >>> path = size_path([[1.0], [2.0], [3.0]], ["a", "b", "a"], max_splits=3)
    >>> path.objectives
    [1, 1, 0, 0]
    >>> print(path)
    splits  objective     proved  status
         0          1          1  optimal
         1          1          1  optimal
         2          0          0  optimal
         3          0          0  optimal
    """
    most = read_count("max_splits", max_splits, 0)
    request = read_request({**completed(size_path, parameters), "max_splits": most})
    return SizePath(tuple(solve_sizes(X, y, request, most)))
