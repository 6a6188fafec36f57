"""Provably optimal decision trees, for any splitting rule."""

from exactree import counting, datasets, export, objectives, plot, proof, splits
from exactree.binarize import ThresholdBinarizer
from exactree.cluster.running import using
from exactree.constraints import Constraint
from exactree.estimators import OptimalTreeClassifier, OptimalTreeRegressor
from exactree.export import (
    export_dot,
    export_python,
    export_rules,
    export_text,
    to_sklearn,
)
from exactree.policy import OptimalPolicyTree
from exactree.problem import Progress, Result
from exactree.report import write_report
from exactree.sizes import (
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
    PenaltyPath,
    SizePath,
    penalty_path,
    size_path,
)
from exactree.solving import solve
from exactree.tree import Leaf, Node, Tree

__version__ = "0.1.0"

__all__ = [
    "Constraint",
    "Leaf",
    "Node",
    "OptimalPolicyTree",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "PenaltyPath",
    "Progress",
    "Result",
    "SizePath",
    "ThresholdBinarizer",
    "Tree",
    "counting",
    "datasets",
    "export",
    "export_dot",
    "export_python",
    "export_rules",
    "export_text",
    "objectives",
    "penalty_path",
    "plot",
    "proof",
    "size_path",
    "solve",
    "splits",
    "to_sklearn",
    "using",
    "write_report",
]
