"""The ancestry relation: who may stand below whom, decided by owners."""

import pytest

from exactree.spec.ancestry import ancestry, left, relation, right
from exactree.spec.data import Rule, Sample
from exactree.spec.rules import axis_rules, binary_rules

LINE = tuple(Sample(i, (i,), 0) for i in range(3))


def test_matrix_of_thresholds_on_a_line() -> None:
    assert ancestry(axis_rules(LINE)) == ((0, -1, -1), (1, 0, -1), (1, 1, 0))


def test_owners_on_both_sides_give_no_relation() -> None:
    root = Rule(frozenset({0, 1}), (1,))
    assert relation(root, Rule(frozenset(), (0, 1))) == 1
    assert relation(root, Rule(frozenset(), (2, 3))) == -1
    assert relation(root, Rule(frozenset(), (1, 2))) == 0


def test_a_rule_has_no_relation_to_itself() -> None:
    r = Rule(frozenset({0}), (0,))
    assert relation(r, r) == 0
    assert not left(r, r)
    assert not right(r, r)


def test_equal_sides_with_other_owners_are_other_rules() -> None:
    a, b = Rule(frozenset({0, 1}), (0,)), Rule(frozenset({0, 1}), (1,))
    assert ancestry([a, b]) == ((0, 1), (1, 0))


def test_a_rule_without_owners_could_stand_on_both_sides_and_is_refused() -> None:
    a, b = binary_rules((Sample(0, (0, 1), 0), Sample(1, (1, 1), 1)))
    assert left(a, b)
    assert right(a, b)
    with pytest.raises(ValueError, match=r"\('binary', 1\) has no owners"):
        relation(a, b)
    assert relation(a, a) == 0
