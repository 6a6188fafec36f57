"""Parameters are declared once; signatures, docstrings, checks and options follow."""

import inspect
from dataclasses import fields
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
import pytest
from sklearn.base import clone

import exactree
from exactree.parameters import Declared, SolveParameters, completed, declared, takes
from exactree.request import Request

ESTIMATORS = (
    exactree.OptimalTreeClassifier,
    exactree.OptimalTreeRegressor,
    exactree.OptimalTreeClassifierCV,
    exactree.OptimalTreeRegressorCV,
)
FUNCTIONS = (exactree.solve, exactree.size_path, exactree.penalty_path, exactree.proof.certify)
LINE, STRIPES = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]


class Colours(TypedDict, total=False):
    """A group of parameters."""

    colour: Annotated[str, Declared("red", "str", "The colour of the leaves.")]


@takes(Colours, default={"colour": "blue"})
def painted(tree: int, **parameters: Unpack[Colours]) -> dict[str, Any]:
    """Paint a tree.

    Parameters
    ----------
    tree : int
        Which one.

    Examples
    --------
    None.
    """
    return completed(painted, parameters)


def test_a_declaration_is_all_there_is_to_a_parameter() -> None:
    assert painted(1) == {"colour": "blue"}
    assert painted(1, colour="green") == {"colour": "green"}
    colour = inspect.signature(painted).parameters["colour"]
    assert (colour.default, colour.annotation, colour.kind) == ("blue", str, colour.KEYWORD_ONLY)
    assert painted.__doc__ == (
        "Paint a tree.\n\nParameters\n----------\ntree : int\n    Which one.\ncolour : str\n"
        "    The colour of the leaves.\n\nExamples\n--------\nNone."
    )


@pytest.mark.parametrize("function", [*FUNCTIONS, *ESTIMATORS], ids=lambda f: f.__name__)
def test_unknown_names_are_refused_with_a_guess(function: Any) -> None:
    rows = () if function in ESTIMATORS else (LINE, STRIPES)
    more = {"max_splits": 1} if "path" in function.__name__ else {}
    if function is exactree.proof.certify:
        rows = (None, *rows, "nowhere")
    with pytest.raises(TypeError, match="'min_sample_leaf'; did you mean 'min_samples_leaf'"):
        function(*rows, **more, min_sample_leaf=2)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda f: f.__name__)
def test_estimators_have_the_parameters_that_are_declared(estimator: Any) -> None:
    made = estimator(max_depth=2, missing="error")
    assert list(made.get_params()) == sorted(inspect.signature(estimator).parameters)
    assert clone(made).get_params() == made.get_params()
    assert made.get_params()["max_depth"] == 2
    assert "max_depth=2, missing='error'" in repr(made)


def test_a_request_has_what_solve_takes() -> None:
    """All but the certificate, which is about the result, and verbose, which is a callback then; a
    ratio is read off the objective."""
    known = set(declared(SolveParameters)) - {"certificate", "verbose"}
    assert {field.name for field in fields(Request)} == known | {"ratio"}


def test_the_penalty_path_reads_columns_and_keeps_to_a_depth() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 5, (40, 3)).astype(float), rng.integers(0, 2, 40)
    X[::7, 0] = np.nan
    path = exactree.penalty_path(X, y, max_splits=5, max_depth=2)
    for step in path:
        for penalty in (step.low, (step.low + min(step.high, 1.0)) / 2):
            best = exactree.solve(X, y, max_depth=2, penalty=penalty)
            mine = step.result.objective + penalty * len(y) * step.splits
            assert mine == pytest.approx(best.objective)
    with pytest.raises(ValueError, match="contains NaN"):
        exactree.penalty_path(X, y, max_splits=1, missing="error")
