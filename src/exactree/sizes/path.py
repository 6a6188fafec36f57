"""The optimum for every number of splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from exactree.objectives import Objective
from exactree.problem import Number, OnProgress, Result
from exactree.solving import solve_sizes
from exactree.splits import Splits


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

    def __str__(self) -> str:
        lines = [
            f"{k:6d}  {result.objective:>9.6g}  {result.lower_bound:>9.6g}  {result.status}"
            for k, result in enumerate(self.results)
        ]
        return "\n".join(["splits  objective     proved  status", *lines])


def size_path(
    X: Any,
    y: Any,
    *,
    max_splits: int,
    task: str = "classification",
    splits: Splits = "axis",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    min_weight_fraction_leaf: float = 0.0,
    objective: Objective | str | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
    missing: str = "split",
    categorical_features: Any = "from_dtype",
    categories: str = "equality",
) -> SizePath:
    """Find the optimal tree for every number of splits from 0 to `max_splits`.

    Where the native search knows the objective (misclassification, whole-number cost matrices,
    squared error over columns) and there is a `max_depth`, trees of all sizes come from one search,
    which takes little longer than that for the largest. Else there is one for each size, the small
    ones first: a path that is stopped has these proved. Stopped early, no size has a worse tree
    than a smaller one.

    Parameters
    ----------
    X, y : array
        Rows by columns, and a label, or a number in regression, for each row.
    max_splits : int
        The largest number of splits.
    task, objective
        "classification" or "regression", and the loss, as for `solve`.
    splits, max_depth, min_samples_leaf, min_weight_fraction_leaf
        What limits the trees, as for `solve`.
    sample_weight, class_weight
        Weights of the rows, as for `solve`.
    time_limit, memory_limit, n_jobs, random_state, on_progress
        As for `solve`; where there is a search for each size, they share the time.
    missing, categorical_features, categories
        How the columns are read, as for `solve`.

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
    results = solve_sizes(
        X,
        y,
        max_splits=max_splits,
        task=task,
        splits=splits,
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
        min_weight_fraction_leaf=min_weight_fraction_leaf,
        objective=objective,
        sample_weight=sample_weight,
        class_weight=class_weight,
        time_limit=time_limit,
        memory_limit=memory_limit,
        n_jobs=n_jobs,
        random_state=random_state,
        on_progress=on_progress,
        missing=missing,
        categorical_features=categorical_features,
        categories=categories,
    )
    return SizePath(tuple(results))
