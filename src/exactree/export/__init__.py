"""Trees in other forms: text, rules, Graphviz, Python, scikit-learn.

Every function takes a fitted estimator, a `Result` or a tree, and finds the names of features and
classes in it where there are any.
"""

from exactree.export.dot import export_dot
from exactree.export.python import export_python
from exactree.export.rules import LeafRule, export_rules, leaf_rules
from exactree.export.scikit_learn import to_sklearn
from exactree.export.text import export_text

__all__ = [
    "LeafRule",
    "export_dot",
    "export_python",
    "export_rules",
    "export_text",
    "leaf_rules",
    "to_sklearn",
]
