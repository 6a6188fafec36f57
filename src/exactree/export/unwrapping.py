"""The tree inside pipelines and searches of scikit-learn, and what is done to rows before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def unwrapped(model: Any) -> tuple[Any, list[Any]]:
    """Find the last estimator, and the transformers before it, the first of them first.

    >>> unwrapped("a tree")
    ('a tree', [])
    """
    before: list[Any] = []
    while True:
        if hasattr(model, "best_estimator_"):  # of GridSearchCV and its like
            model = model.best_estimator_
        elif hasattr(model, "steps") and len(model.steps):  # of a Pipeline
            if len(model.steps) > 1:
                before.append(model[:-1])
            model = model.steps[-1][1]
        else:
            return model, before


def names_after(before: list[Any]) -> tuple[str, ...] | None:
    """Give the names of the columns that the transformers make, where they know them."""
    names: Any = None
    for transformer in before:
        find: Callable[..., Any] | None = getattr(transformer, "get_feature_names_out", None)
        if find is None:
            return None
        try:
            names = find() if names is None else find(names)
        except (AttributeError, ValueError):  # a step without names, such as a plain function
            return None
    return None if names is None else tuple(map(str, names))


def transformed(before: list[Any], X: Any) -> Any:
    """Send rows through the transformers."""
    for transformer in before:
        X = transformer.transform(X)
    return X
