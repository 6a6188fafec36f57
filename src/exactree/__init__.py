"""Provably optimal decision trees, for any splitting rule."""

from exactree import objectives, splits
from exactree.estimators import OptimalTreeClassifier
from exactree.problem import Progress, Result
from exactree.solving import solve
from exactree.tree import Leaf, Node, Tree

__version__ = "0.1.0"

__all__ = [
    "Leaf",
    "Node",
    "OptimalTreeClassifier",
    "Progress",
    "Result",
    "Tree",
    "objectives",
    "solve",
    "splits",
]
