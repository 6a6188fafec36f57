"""Problem, Result and Progress: units, words, plain data."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from exactree import tree
from exactree.problem import Cut, Limits, ListedSplit, Problem, Progress, Result
from exactree.tree import Leaf, Node

COLUMNS = np.array([[0, 1, 2], [1, 0, 1]], np.int32)
LABELS = np.array([0, 1, 0], np.int32)


def test_row_costs() -> None:
    assert Problem(COLUMNS, LABELS, 2, unit=3).row_costs().tolist() == [3, 3, 3]
    weights = np.array([1, 2, 4])
    assert Problem(COLUMNS, LABELS, 2, weights=weights).row_costs().tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("scale", "penalty", "price"),
    [(Fraction(2), 0, 14), (Fraction(2), 1, 14.0), (Fraction(1, 2), 0, 3.5)],
)
def test_prices_are_integers_if_everything_is(scale: Fraction, penalty: int, price: float) -> None:
    found = Problem(COLUMNS, LABELS, 2, scale=scale, penalty=penalty).price(7)
    assert found == price
    assert type(found) is type(price)


def test_a_cut_is_a_split_on_ranks() -> None:
    cut = Cut(1, 0)
    assert cut.goes_left(COLUMNS.T).tolist() == [False, True, False]
    assert cut.formula(["a", "b"], holds=False) == "b > 0"
    assert cut.features() == (1,)
    with pytest.raises(TypeError, match="Cut has no to_dict"):
        tree.to_dict(Node(cut, Leaf(1), Leaf(0)))  # ranks mean nothing outside their problem


def test_words_of_a_result() -> None:
    stump = Node(Cut(0, 1), Leaf(1, 2, (0, 2)), Leaf(0, 1, (1, 0)))
    result = Result("time_limit", "some trees", 12, 3, 9, stump, classes=("no", "yes"))
    assert str(result).splitlines() == [
        "time_limit: objective 12, 1 split, proved >= 3 (some trees)",
        "rank[0] <= 1",
        "├─ yes: yes (2 rows)",
        "└─ no: no (1 row)",
    ]
    assert pickle.loads(pickle.dumps(result)) == result


def test_progress_has_a_gap() -> None:
    assert Progress(0.5, 7, 3).gap == 4
    assert Limits().seconds == float("inf")


def test_a_partition_answers_for_no_other_rows() -> None:
    with pytest.raises(TypeError, match="a listed partition has no answer for rows"):
        ListedSplit(0).goes_left(np.zeros((1, 1)))
