"""Constraints on the columns of a tree, read for some data and put around an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from exactree.engines.shapes import few_features, interactions, monotone
from exactree.objectives.native import ClassWeights, Squares
from exactree.preparing import Data
from exactree.problem import Engine, Problem
from exactree.request import Request
from exactree.splits import Sources
from exactree.suggesting import did_you_mean
from exactree.tables import Table

NAMES = ("monotonic_cst", "interaction_cst", "max_features_used")


def given_shapes(request: Request) -> list[str]:
    """Name the constraints on columns that were asked for."""
    return [name for name in NAMES if getattr(request, name) is not None]


def shaped(
    engine: Engine, request: Request, data: Data, problem: Problem, sources: Sources
) -> Engine:
    """Put the constraint of a request around an engine; refuse what does not go together."""
    names = given_shapes(request)
    if not names:
        return engine
    if len(names) > 1:
        raise ValueError(f"{names[0]} does not go with {names[1]}: give one of them")
    (name,) = names
    features = _features(name, problem, sources)
    columns = _Columns(name, data)
    if name == "max_features_used":
        return partial(
            _around, few_features, engine=engine, features=features, most=request.max_features_used
        )
    if name == "interaction_cst":
        groups = columns.groups(request.interaction_cst)
        of_ranks = [frozenset(i for i, f in enumerate(features) if f in group) for group in groups]
        return partial(_around, interactions, engine=engine, groups=of_ranks)
    _refuse_other_answers(request, problem)
    directions = columns.directions(request.monotonic_cst)
    for j, direction in enumerate(directions):
        if direction and isinstance(data.X, Table):
            _refuse_without_order(data.X, j)
    ways = [directions[f] for f in features]
    return partial(_around, monotone, engine=engine, directions=ways)


def _refuse_without_order(table: Table, j: int) -> None:
    """Refuse a column whose values are not all known, or have no order."""
    remedy = None
    if table.column(j).missing.any():
        remedy = "has missing values: fill them in"
    elif table.kinds[j].name in ("category", "boolean"):
        remedy = "has categories without an order: code them as numbers, or make them ordered"
    if remedy is not None:
        raise ValueError(f"monotonic_cst names column {table.name(j)} of X, which {remedy}")


def _around(
    search: Callable[..., Any], problem: Problem, limits: Any, show: Any, **more: Any
) -> Any:
    """Call a search around an engine as an engine is called."""
    return search(problem, limits, show, **more)


def _features(name: str, problem: Problem, sources: Sources) -> Sequence[int]:
    if problem.partitions is not None or sources.features is None:
        raise ValueError(f"{name} is for splits='axis' and 'binary', which ask one column each")
    return sources.features


def _refuse_other_answers(request: Request, problem: Problem) -> None:
    """Refuse objectives of which it is not known what a leaf answers, or in what order."""
    form = problem.form
    two = isinstance(form, ClassWeights) and problem.n_classes <= 2
    if request.ratio is not None or not (two or isinstance(form, Squares)):
        raise ValueError(
            "monotonic_cst is for objective 'error' with two classes and for 'squared_error': "
            "leave it out, or give another objective"
        )


class _Columns:
    """The columns of the data, by number or by name."""

    def __init__(self, parameter: str, data: Data) -> None:
        self.parameter, self.names = parameter, data.feature_names
        self.count = int(data.X.shape[1])

    def place(self, column: Any) -> int:
        """Find a column."""
        if isinstance(column, str):
            if self.names is None or column not in self.names:
                raise ValueError(
                    f"{self.parameter} names column {column!r}, which X has not"
                    + did_you_mean(column, self.names or ())
                )
            return self.names.index(column)
        if isinstance(column, bool) or column != int(column) or not 0 <= column < self.count:
            raise ValueError(
                f"{self.parameter} has column {column!r}, and X has columns 0 to {self.count - 1}"
            )
        return int(column)

    def groups(self, given: Any) -> list[frozenset[int]]:
        """Read groups; columns in none of them are one more together, as in scikit-learn."""
        everything = range(self.count)
        if isinstance(given, str):
            if given == "no_interactions":
                return [frozenset({i}) for i in everything]
            if given == "pairwise":
                return [frozenset({i, j}) for i in everything for j in everything if i <= j]
            raise ValueError(
                f"interaction_cst={given!r}: pass 'no_interactions', 'pairwise' or a list of lists "
                "of columns"
            )
        found = [frozenset(map(self.place, group)) for group in given]
        rest = frozenset(everything) - frozenset().union(*found)
        return [*found, rest] if rest else found

    def directions(self, given: Any) -> list[int]:
        """Read -1, 0 or 1 for every column."""
        if isinstance(given, Mapping):
            found = [0] * self.count
            for column, direction in given.items():
                found[self.place(column)] = direction
        else:
            found = list(given)
            if len(found) != self.count:
                raise ValueError(
                    f"monotonic_cst has {len(found)} entries, and X has {self.count} columns: give "
                    "one for each, or a dict"
                )
        for direction in found:
            if direction not in (-1, 0, 1):
                raise ValueError(
                    f"monotonic_cst has {direction!r}: pass 1 (increasing), -1 (decreasing) or 0"
                )
        return [int(direction) for direction in found]
