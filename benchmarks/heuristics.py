"""Heuristic tree solvers, which claim no optimum."""

from importlib import import_module

import numpy as np

from benchmarks.data import Labels, Matrix
from benchmarks.jobs import Problem
from benchmarks.solvers import Answer, Options, Prepared, solver


@solver("licketysplit", "licketysplit", exact=False)
def licketysplit(
    X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options
) -> Prepared:
    """LicketySPLIT on every threshold there is, listed as binary features: for binned data."""
    del seconds  # it knows no limit
    make = import_module("licketysplit").LicketySPLITClassifier
    if problem.task != "classification" or problem.splits != "axis" or problem.max_splits:
        raise ValueError("licketysplit is asked for classes and thresholds, limited by depth")
    bits = np.concatenate([column[:, None] <= np.unique(column)[:-1] for column in X.T], axis=1)
    arguments = {"depth_budget": problem.max_depth, "lambda_leaf": problem.penalty, **options}

    def read(model: object) -> Answer:
        wrong = np.asarray(model.predict(bits)) != y  # type: ignore[attr-defined]
        return Answer(int(wrong.sum()), "greedy")

    return Prepared(lambda: make(**arguments).fit(bits, y), read)
