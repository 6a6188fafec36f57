"""The datatype, its map and its folds, on random trees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.tree import Leaf, Node, Tree, depth, fold_tree, leaves, map_tree, rules, size

IntTree = Tree[str, int]
trees: st.SearchStrategy[IntTree] = st.recursive(
    st.integers(-3, 3).map(Leaf),
    lambda below: st.builds(Node, below, st.sampled_from("abc"), below),
    max_leaves=8,
)


@given(trees)
def test_a_tree_has_one_leaf_more_than_splits(t: IntTree) -> None:
    assert len(leaves(t)) == size(t) + 1
    assert len(rules(t)) == size(t)


@given(trees)
def test_depth_and_size_bound_each_other(t: IntTree) -> None:
    assert depth(t) <= size(t) <= 2 ** depth(t) - 1


@given(trees)
def test_folding_with_the_constructors_changes_nothing(t: IntTree) -> None:
    def leaf(b: int) -> IntTree:
        return Leaf(b)

    def node(u: IntTree, r: str, v: IntTree) -> IntTree:
        return Node(u, r, v)

    assert fold_tree(leaf, node, t) == t


@given(trees)
def test_map_tree_obeys_the_laws_of_a_map(t: IntTree) -> None:
    assert map_tree(lambda b: b, t) == t
    assert map_tree(lambda b: 2 * (b + 1), t) == map_tree(
        lambda b: 2 * b, map_tree(lambda b: b + 1, t)
    )
    assert leaves(map_tree(abs, t)) == [abs(b) for b in leaves(t)]
    assert rules(map_tree(abs, t)) == rules(t)


def test_rules_come_root_first_and_leaves_from_left_to_right() -> None:
    t = Node(Node(Leaf(1), "s", Leaf(2)), "r", Node(Leaf(3), "t", Leaf(4)))
    assert rules(t) == ["r", "s", "t"]
    assert leaves(t) == [1, 2, 3, 4]
    assert (size(t), depth(t)) == (3, 2)
