"""Objectives keep the promises they declare."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.objectives import OBJECTIVES, MisclassificationError, as_objective

tables = st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=1, max_size=5).map(
    np.array
)


@pytest.mark.parametrize("name", OBJECTIVES)
@given(table=tables, more=st.integers(0, 20), at=st.integers(0, 2))
def test_declared_properties(name: str, table: np.ndarray, more: int, at: int) -> None:
    objective = as_objective(name)
    cost = objective.leaf_cost(table)
    larger = table.copy()
    larger[:, at] += more
    if objective.monotone:
        assert (objective.leaf_cost(larger) >= cost).all()
    assert (objective.leaf_cost(larger) <= cost + objective.influence(np.array(more))).all()
    if objective.integral:
        assert cost.dtype.kind == "i"
    if objective.additive:
        assert (objective.combine(cost, cost) == 2 * cost).all()


def test_errors_of_leaves() -> None:
    table = np.array([[5, 2, 1], [0, 3, 3]])
    assert MisclassificationError().leaf_cost(table).tolist() == [3, 3]
    assert MisclassificationError().leaf_value(table).tolist() == [0, 1]


def test_unknown_objectives_are_refused() -> None:
    with pytest.raises(ValueError, match="objective='gini' is unknown: choose one of 'error'"):
        as_objective("gini")
