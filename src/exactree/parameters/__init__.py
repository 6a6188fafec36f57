"""The public parameters: each is declared once, with its type, default and documentation.

`problem` and `search` declare them, in groups that travel together; a group is a TypedDict, whose
fields are the types that mypy and editors see. `taken` says which function takes which groups.
`takes` gives a function, or an estimator, the signature and the docstring that follow.
"""

from exactree.parameters.declaration import Declared, Flag, completed, declared, takes
from exactree.parameters.problem import TASKS
from exactree.parameters.taken import (
    CertifyParameters,
    ClassifierCVParameters,
    ClassifierParameters,
    PathParameters,
    PolicyParameters,
    RegressorCVParameters,
    RegressorParameters,
    SolveParameters,
)

__all__ = [
    "TASKS",
    "CertifyParameters",
    "ClassifierCVParameters",
    "ClassifierParameters",
    "Declared",
    "Flag",
    "PathParameters",
    "PolicyParameters",
    "RegressorCVParameters",
    "RegressorParameters",
    "SolveParameters",
    "completed",
    "declared",
    "takes",
]
