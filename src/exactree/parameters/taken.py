"""What each function and each estimator takes."""

from exactree.parameters.problem import (
    ClassWeight,
    Columns,
    Constrained,
    Costs,
    Loss,
    MaxSplits,
    Penalty,
    SampleWeight,
    Shape,
    Task,
    Trees,
)
from exactree.parameters.search import (
    Certificate,
    Choosing,
    Engine,
    Limits,
    Names,
    Progress,
    Start,
    Verbose,
    Workers,
)


class CertifyParameters(
    Task, Trees, MaxSplits, Penalty, Loss, Costs, SampleWeight, ClassWeight, Columns, Names
):
    """Of `certify`."""


class PathParameters(
    Task,
    Trees,
    Constrained,
    Shape,
    Loss,
    Costs,
    SampleWeight,
    ClassWeight,
    Limits,
    Workers,
    Start,
    Progress,
    Columns,
):
    """Of `size_path` and `penalty_path`, which give `max_splits` a meaning of its own."""


class SolveParameters(
    Task,
    Trees,
    MaxSplits,
    Penalty,
    Constrained,
    Shape,
    Loss,
    Costs,
    SampleWeight,
    ClassWeight,
    Limits,
    Workers,
    Start,
    Engine,
    Progress,
    Verbose,
    Columns,
    Certificate,
):
    """Of `solve`."""


class RegressorParameters(
    Trees, MaxSplits, Penalty, Constrained, Shape, Loss, Limits, Start, Verbose, Columns
):
    """Of `OptimalTreeRegressor`."""


class ClassifierParameters(
    Trees,
    MaxSplits,
    Penalty,
    Constrained,
    Shape,
    Loss,
    ClassWeight,
    Limits,
    Start,
    Verbose,
    Columns,
):
    """Of `OptimalTreeClassifier`."""


class PolicyParameters(Trees, MaxSplits, Penalty, Shape, Limits, Verbose, Columns):
    """Of `OptimalPolicyTree`."""


class RegressorCVParameters(
    Trees, MaxSplits, Constrained, Loss, Choosing, Limits, Start, Verbose, Columns
):
    """Of `OptimalTreeRegressorCV`."""


class ClassifierCVParameters(
    Trees, MaxSplits, Constrained, Choosing, ClassWeight, Limits, Start, Verbose, Columns
):
    """Of `OptimalTreeClassifierCV`."""
