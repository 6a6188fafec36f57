"""Every generator for count, distinctness and validity, against itertools or a twin."""

from __future__ import annotations

from itertools import chain, combinations, pairwise, permutations
from math import comb, factorial, perm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.combinatorics import (
    Family,
    add_point,
    combs_upto,
    ins,
    kcombs,
    kperms,
    locate,
    nested_combs,
    nested_combs_mixed,
    nested_steps,
    offsets,
    perms,
    rank,
    revolving_door,
    set_empty,
    subs_pair,
    unrank,
)

sizes = st.integers(0, 6)
small = st.integers(0, 4)


@given(small, sizes)
def test_kcombs_are_those_of_itertools(k: int, n: int) -> None:
    assert kcombs(k, range(n)) == list(combinations(range(n), k))


@given(small, sizes)
def test_the_all_sizes_form_holds_the_same_combinations(k: int, n: int) -> None:
    by_size = combs_upto(k, range(n))
    assert len(by_size) == k + 1
    for j, css in enumerate(by_size):
        assert len(css) == len(set(css)) == comb(n, j)
        assert sorted(css) == kcombs(j, range(n))


def test_the_all_sizes_form_is_not_the_exact_one() -> None:
    """What the paper calls kcombs lists every size up to k; its problems want exactly k."""
    assert list(chain(*combs_upto(2, "abc"))) != kcombs(2, "abc") == combs_upto(2, "abc")[2]


@given(sizes)
def test_perms_are_all_permutations_once(n: int) -> None:
    found = perms(range(n))
    assert len(found) == len(set(found)) == factorial(n)
    assert set(found) == set(permutations(range(n)))


@given(sizes)
def test_ins_puts_the_element_everywhere(n: int) -> None:
    found = ins("r", [tuple("abcdef"[:n])])
    assert [p.index("r") for p in found] == list(range(n + 1))
    assert all("".join(p).replace("r", "") == "abcdef"[:n] for p in found)


@given(small, st.integers(0, 5))
def test_kperms_are_those_of_itertools(k: int, n: int) -> None:
    found = kperms(k, range(n))
    assert len(found) == len(set(found)) == perm(n, k)
    assert set(found) == set(permutations(range(n), k))


def test_subs_pair_of_three_as_printed_in_the_paper() -> None:
    lefts = [(), (3,), (2,), (2, 3), (1,), (1, 3), (1, 2), (1, 2, 3)]
    assert [a for a, _ in subs_pair((1, 2, 3), (1, 2, 3))] == lefts


@given(sizes)
def test_subs_pair_parts_the_list_in_every_way(n: int) -> None:
    found = subs_pair(range(n))
    assert len(found) == len(set(found)) == 2**n
    assert all(sorted(a + b) == list(range(n)) for a, b in found)
    assert all(list(a) == sorted(a) and list(b) == sorted(b) for a, b in found)


def test_subs_pair_takes_one_of_equal_elements() -> None:
    assert subs_pair("a", "aba") == [((), ("a", "b", "a")), (("a",), ("b", "a"))]


def test_set_empty_empties_one_place() -> None:
    lists = [[1], [2, 3]]
    assert set_empty(1, lists) == [[1], []]
    assert lists == [[1], [2, 3]]


@given(small, sizes)
def test_revolving_door_lists_every_combination_once(g: int, n: int) -> None:
    found = revolving_door(g, n)
    assert len(found) == len(set(found)) == comb(n, g)
    assert set(found) == set(combinations(range(n), g))


@given(st.integers(1, 4), sizes)
def test_neighbours_exchange_one_element(g: int, n: int) -> None:
    found = revolving_door(g, n)
    around = [*found, found[0]] if len(found) > 1 else found
    assert all(len(set(a) - set(b)) == 1 for a, b in pairwise(around))


def test_without_the_reverse_it_is_another_order() -> None:
    assert combs_upto(2, range(3))[2] != revolving_door(2, 3)


@given(small, sizes)
def test_ranks_are_places_and_do_not_depend_on_n(g: int, n: int) -> None:
    found = revolving_door(g, n)
    assert [rank(c) for c in found] == list(range(len(found)))
    assert [unrank(g, r) for r in range(len(found))] == found
    assert revolving_door(g, n + 1)[: len(found)] == found


@given(st.integers(1, 5), st.integers(0, 10**6))
def test_rank_undoes_unrank(g: int, r: int) -> None:
    assert rank(unrank(g, r)) == r


@given(st.integers(0, 3), st.integers(1, 3), st.integers(0, 4))
def test_nested_combs_are_combinations_of_combinations(k: int, g: int, n: int) -> None:
    found = nested_combs(k, g, n)
    inner = list(combinations(range(n), g))
    assert len(found) == len(set(found)) == comb(comb(n, g), k)
    read = {frozenset(unrank(g, r) for r in c) for c in found}
    assert read == {frozenset(c) for c in combinations(inner, k)}


@given(st.integers(1, 3), st.integers(0, 5))
def test_a_point_brings_the_ranks_between_two_binomials(g: int, n: int) -> None:
    """Correction 9: C(n, G) .. C(n+1, G) - 1, not C(n, G-1) .. C(n, G)."""
    *_, last = nested_steps(1, [Family("surface", g)], n + 1)
    assert [r for (r,) in last] == list(range(comb(n, g), comb(n + 1, g)))
    assert all(unrank(g, r)[-1] == n for (r,) in last)


MIXED = [Family("axis", 1, 2), Family("line", 2), Family("circle", 2, 3)]


@given(st.integers(0, 2), st.integers(0, 4))
def test_mixed_nested_combs_are_the_combinations_of_all_rules(k: int, n: int) -> None:
    rules = 2 * n + 4 * comb(n, 2)
    found = nested_combs_mixed(k, MIXED, n)
    assert len(found) == len(set(found)) == comb(rules, k)
    assert {frozenset(c) for c in found} == {frozenset(c) for c in combinations(range(rules), k)}


@given(st.integers(0, 4))
def test_an_index_names_one_rule(n: int) -> None:
    """Correction 9: axis rules are N * D, and families that need the same G stay apart."""
    rules = 2 * n + 4 * comb(n, 2)
    read = [locate(i, MIXED, n) for i in range(rules)]
    wanted = [(f.name, c, j) for f in MIXED for c in kcombs(f.g, range(n)) for j in range(f.copies)]
    assert sorted(read) == sorted(wanted)
    assert offsets(MIXED, n) == {"axis": 0, "line": 2 * n, "circle": 2 * n + comb(n, 2)}
    with pytest.raises(ValueError, match=f"rule {rules},"):
        locate(rules, MIXED, n)


def test_every_step_uses_its_point_and_only_points_so_far() -> None:
    for i, finished in enumerate(nested_steps(2, MIXED, 4)):
        points = [{p for r in c for p in locate(r, MIXED, 4)[1]} for c in finished]
        assert all(max(ps) == i - 1 for ps in points)


def test_used_lists_are_emptied_not_lost() -> None:
    """Only the largest inner combinations go: all that come later grow from smaller ones."""
    full = add_point(add_point(add_point([[()], [], []], 0), 1), 2)
    thrown = add_point(set_empty(2, add_point(add_point([[()], [], []], 0), 1)), 2)
    assert thrown[:2] == full[:2]
    assert full[2] == [(0, 1), *thrown[2]]


class Printed:
    """Algorithm 1 with the loops as printed, each list update included."""

    def __init__(self, k: int, g: int, n: int) -> None:
        self.ranks: list[int] = []
        self.css: list[list[tuple[int, ...]]] = [[()], *([] for _ in range(g + n))]
        self.ncss: list[list[tuple[int, ...]]] = [[()], *([] for _ in range(k + comb(n, g)))]
        for m in range(n):
            for j in reversed(range(g, m + 1)):
                self.css[j] = self.css[j] + [(*c, m) for c in reversed(self.css[j - 1])]
            for i in range(comb(m, g - 1), comb(m, g)):
                self.ranks.append(i)
                for s in reversed(range(k, i + 1)):
                    self.ncss[s] = [(*c, i) for c in self.ncss[s - 1]] + self.ncss[s]
            self.ncss[k] = []


@given(st.integers(1, 3), st.integers(2, 3), st.integers(0, 6))
def test_the_printed_loops_generate_nothing(k: int, g: int, n: int) -> None:
    """Correction 9: css[G-1] is never filled, and what is finished is emptied before the return."""
    printed = Printed(k, g, n)
    assert printed.css[g] == []
    assert printed.ncss[k] == []
    assert len(nested_combs(k, g, n)) == comb(comb(n, g), k)


def test_the_printed_ranks_miss_combinations() -> None:
    assert Printed(1, 2, 4).ranks == []
    assert Printed(1, 2, 6).ranks == [4, 5, *range(5, 10)], "rank 0 missing, rank 5 twice"


def test_bad_numbers_are_refused() -> None:
    for call in (
        lambda: kcombs(-3, "ab"),
        lambda: combs_upto(-3, "ab"),
        lambda: kperms(-3, "ab"),
        lambda: revolving_door(-3, 2),
        lambda: revolving_door(2, -3),
        lambda: unrank(-3, 0),
        lambda: unrank(2, -3),
        lambda: nested_combs(-3, 2, 4),
        lambda: nested_combs(2, 2, -3),
        lambda: nested_combs(2, -3, 4),
        lambda: locate(-3, MIXED, 4),
        lambda: set_empty(-3, [[1]]),
        lambda: rank((-3, 4)),
    ):
        with pytest.raises(ValueError, match="-3"):
            call()


def test_bad_structures_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2, 1\)"):
        rank((2, 1))
    with pytest.raises(ValueError, match="no rank 1"):
        unrank(0, 1)
    with pytest.raises(ValueError, match="at least one family"):
        nested_combs_mixed(1, [], 3)
    with pytest.raises(ValueError, match="one name"):
        nested_combs_mixed(1, [Family("a", 1), Family("a", 2)], 3)
    with pytest.raises(ValueError, match="copies=0"):
        nested_combs_mixed(1, [Family("a", 1, 0)], 3)
