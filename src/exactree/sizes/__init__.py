"""How large a tree should be: the optimum for every number of splits, and a choice among them."""

from exactree.sizes.classifier import OptimalTreeClassifierCV
from exactree.sizes.path import SizePath, size_path
from exactree.sizes.prices import PenaltyPath, PenaltyStep, penalty_path
from exactree.sizes.regressor import OptimalTreeRegressorCV

__all__ = [
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressorCV",
    "PenaltyPath",
    "PenaltyStep",
    "SizePath",
    "penalty_path",
    "size_path",
]
