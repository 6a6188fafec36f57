"""What was asked for: the parameters of `solve`, each read and checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from exactree.constraints import Constraint
from exactree.objectives import MisclassificationError, Objective, as_objective
from exactree.objectives.ratios import BalancedError, Ratio, as_ratio
from exactree.parameters import SolveParameters, declared
from exactree.problem import Limits, OnProgress
from exactree.splits import Axis, SplitFamily
from exactree.tables import Reading
from exactree.tree import DEEPEST

NO_COST = Fraction(0)


@dataclass(frozen=True)
class Request:
    """The parameters of `solve` by their names; `docs/api.md` says what they mean.

    Families and objectives are no longer names, shares are exact, and limits that were not given
    are infinite, or 0 for memory.
    """

    splits: SplitFamily = field(default_factory=Axis)
    objective: Objective = field(default_factory=MisclassificationError)
    task: str = "classification"
    engine: str = "auto"
    max_depth: int | None = None
    max_splits: int | None = None
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: Fraction = NO_COST
    penalty: Fraction = NO_COST
    constraint: Constraint | None = None
    monotonic_cst: Any = None
    interaction_cst: Any = None
    max_features_used: int | None = None
    sample_weight: Any = None
    class_weight: Any = None
    costs: Any = None
    ratio: Ratio | BalancedError | None = None
    missing: str = "split"
    categorical_features: Any = "from_dtype"
    categories: str = "equality"
    time_limit: float = inf
    memory_limit: int = 0
    n_jobs: int = 1
    gap_limit: float = 0.0
    gap_limit_absolute: float = 0.0
    random_state: int = 0
    executor: Any = None
    checkpoint: str | Path | None = None
    start: Any = None
    on_progress: OnProgress | None = None

    @cached_property
    def reading(self) -> Reading:
        """How the columns are read."""
        return Reading(self.missing, self.categorical_features, self.categories)

    @property
    def limits(self) -> Limits:
        """What an engine keeps to."""
        return Limits(self.time_limit, self.memory_limit, self.n_jobs, self.random_state)

    def in_words(self, remark: str = "", *, deepest: bool = False) -> str:
        """Say which trees compete; `deepest` if the depth is at the limit of what can be stored.

        >>> Request(max_depth=3, max_splits=1, min_samples_leaf=2).in_words()
        'axis-parallel trees, depth <= 3, at most 1 split, at least 2 rows a side'
        """
        said = [f"{self.splits.words} trees"]
        if self.max_depth is not None:
            said.append(f"depth <= {self.max_depth}")
        elif deepest:
            said.append(f"depth <= {DEEPEST} (the deepest there are)")
        if self.max_splits is not None:
            said.append(f"at most {self.max_splits} split{'s' * (self.max_splits != 1)}")
        if self.min_samples_leaf > 1:
            said.append(f"at least {self.min_samples_leaf} rows a side")
        if self.min_weight_fraction_leaf:
            said.append(
                f"at least {float(self.min_weight_fraction_leaf):g} of the total weight a side"
            )
        if self.constraint is not None:
            said.append(self.constraint.words)
        if self.monotonic_cst is not None:
            said.append("monotone as asked")
        if self.interaction_cst is not None:
            said.append("paths within the allowed groups of columns")
        if self.max_features_used is not None:
            most = self.max_features_used
            said.append(f"at most {most} column{'s' * (most != 1)}")
        if self.penalty:
            said.append(f"{float(self.penalty):g} of the total weight per split")
        return ", ".join(filter(None, [*said, remark]))


_READERS = {name: one.read for name, (_, one) in declared(SolveParameters).items()}
_FIELDS = tuple(one.name for one in fields(Request))


def read_request(given: Mapping[str, Any]) -> Request:
    """Check the parameters one by one, and that something limits the tree.

    >>> read_request({"max_depth": 2, "penalty": 0.5}).penalty
    Fraction(1, 2)
    >>> read_request({})
    Traceback (most recent call last):
    ...
    ValueError: nothing limits the tree: give max_depth, max_splits or a penalty above 0
    """
    read = {name: _READERS[name](name, given[name]) for name in _FIELDS if name in given}
    task, loss = read.get("task", "classification"), given.get("objective")
    read["ratio"] = as_ratio(loss, task)
    read["objective"] = as_objective(None if read["ratio"] else loss, task)
    found = Request(**read)
    if found.costs is not None:
        _refuse_beside_costs(given)
    if found.max_depth is None and found.max_splits is None and not found.penalty:
        raise ValueError("nothing limits the tree: give max_depth, max_splits or a penalty above 0")
    return found


def _refuse_beside_costs(given: Mapping[str, Any]) -> None:
    """Refuse what would say twice what an answer costs, or ask for targets that are not there."""
    for name in ("objective", "class_weight", "constraint"):
        if given.get(name) is not None:
            raise ValueError(
                f"{name}={given[name]!r} does not go with costs, which stand in place of "
                "targets and weights: leave one of them out"
            )
    if given.get("task", "classification") != "classification":
        raise ValueError(f"task={given['task']!r} does not go with costs: leave task out")
