"""The laws of the minimum, the filter and thinning, and where the paper's wording breaks them."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.select import (
    fdom,
    filter_by,
    gubdom,
    is_thinning,
    min_by,
    smaller,
    thin_by,
    thin_gub,
)

numbers = st.lists(st.integers(-5, 5), max_size=7)
# a configuration is (lb, ub, tag); the tag keeps equal bounds apart
Config = tuple[int, int, str]
configs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("abc")).map(
        lambda t: (min(t[:2]), max(t[:2]), t[2])
    ),
    max_size=7,
)


def lb(c: Config) -> int:
    return c[0]


def ub(c: Config) -> int:
    return c[1]


DOM = fdom(ub, lb)


@given(numbers)
def test_min_by_is_the_first_minimum(xs: list[int]) -> None:
    assert min_by(abs, xs) == ([min(xs, key=abs)] if xs else [])


@given(st.integers(), st.integers())
def test_smaller_takes_the_first_of_equals(a: int, b: int) -> None:
    assert smaller(abs, a, b) == (a if abs(a) <= abs(b) else b)


@given(st.lists(numbers, max_size=4))
def test_min_distributes_over_concat(xss: list[list[int]]) -> None:
    """min_E . concat = min_E . concat . map min_E, empty lists included."""
    assert min_by(abs, chain(*xss)) == min_by(abs, chain(*(min_by(abs, xs) for xs in xss)))


@given(st.lists(numbers, max_size=4))
def test_filter_distributes_over_concat(xss: list[list[int]]) -> None:
    def p(x: int) -> bool:
        return x % 2 == 0

    assert filter_by(p, chain(*xss)) == list(chain(*(filter_by(p, xs) for xs in xss)))


@given(st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=5), st.integers(0, 6))
def test_a_prefix_closed_filter_may_go_before_the_step(xss: list[list[int]], most: int) -> None:
    """If p(step(x)) => p(x): filter . concatMap step = filter . concatMap step . filter."""

    def p(x: list[int]) -> bool:
        return sum(x) <= most

    def step(x: list[int]) -> list[list[int]]:
        return [[*x, i] for i in range(4)]

    late = filter_by(p, [y for x in xss for y in step(x)])
    assert late == filter_by(p, [y for x in filter_by(p, xss) for y in step(x)])


def test_a_filter_that_is_not_prefix_closed_may_not() -> None:
    def even(x: int) -> bool:
        return x % 2 == 0

    late = filter_by(even, [x + 1 for x in [1]])
    assert late == [2] != filter_by(even, [x + 1 for x in filter_by(even, [1])])


def divides(a: int, b: int) -> bool:
    return b % a == 0


@given(st.lists(st.integers(1, 12), max_size=7))
def test_thinning_by_a_preorder_keeps_the_universal_property(xs: list[int]) -> None:
    ys = thin_by(divides, xs)
    assert is_thinning(divides, ys, xs)
    assert all(any(divides(y, x) for y in ys) for x in xs)
    assert not any(divides(a, b) for i, a in enumerate(ys) for j, b in enumerate(ys) if i != j)


@given(configs)
def test_thinning_by_fdom_keeps_or_dominates(cs: list[Config]) -> None:
    assert is_thinning(DOM, thin_by(DOM, cs), cs)


@given(configs)
def test_fdom_is_transitive_but_not_reflexive(cs: list[Config]) -> None:
    assert all(DOM(a, c) for a in cs for b in cs for c in cs if DOM(a, b) and DOM(b, c))
    assert not DOM((1, 2, "a"), (1, 2, "a"))


def test_is_thinning_refuses_what_is_no_thinning() -> None:
    assert not is_thinning(divides, [3], [2, 4])
    assert not is_thinning(divides, [2, 3], [3, 2])
    assert not is_thinning(divides, [2], [2, 3])


def naive_thin(cs: list[Config]) -> list[Config]:
    """Drop whatever any other element dominates."""
    return [c for i, c in enumerate(cs) if not any(DOM(d, c) for j, d in enumerate(cs) if i != j)]


def test_dropping_naively_loses_both_of_two_equals() -> None:
    """Correction 17."""
    twins = [(2, 2, "a"), (2, 2, "b")]
    assert naive_thin(twins) == []
    assert thin_by(DOM, twins) == [(2, 2, "a")]


def test_the_printed_universal_property_cannot_hold_for_fdom() -> None:
    """Correction 17: with R not reflexive even the whole list does not dominate itself."""
    cs: list[Config] = [(0, 3, "a"), (1, 4, "b")]
    assert not any(DOM(y, x) for x in cs for y in cs)
    assert thin_by(DOM, cs) == cs


@given(configs, st.data())
def test_thin_introduction(cs: list[Config], data: st.DataObject) -> None:
    """min_E = min_E . thin_R by value, since R(a, b) => E(a) <= E(b) whatever E in [lb, ub] is."""
    value = {c: data.draw(st.integers(*c[:2])) for c in cs}
    everything, thinned = min_by(value.__getitem__, cs), min_by(value.__getitem__, thin_by(DOM, cs))
    assert [value[c] for c in everything] == [value[c] for c in thinned]


def test_thin_introduction_needs_its_condition() -> None:
    """Correction 17: a preorder that has nothing to do with E throws the optimum away."""

    def greater(a: int, b: int) -> bool:
        return a >= b

    assert thin_by(greater, [1, 2]) == [2]
    assert min_by(int, [1, 2]) == [1] != min_by(int, thin_by(greater, [1, 2]))


@given(numbers, st.integers(0, 3), st.integers(-3, 3))
def test_thin_map(xs: list[int], slope: int, shift: int) -> None:
    """map f . thin_R1 is a thinning of map f by R2 if R1(a, b) => R2(f a, f b)."""

    def f(x: int) -> int:
        return slope * x + shift

    thinned = [f(x) for x in thin_by(int.__le__, xs)]
    assert is_thinning(int.__le__, thinned, [f(x) for x in xs])


def test_thin_map_needs_the_condition_on_images() -> None:
    """Correction 17: the paper asks R1(a, b) => R2(a, b), which holds here with R1 = R2."""
    mapped_late = [-x for x in thin_by(int.__le__, [1, 2])]
    assert not is_thinning(int.__le__, mapped_late, [-1, -2])


@given(configs, st.integers(0, 2), st.integers(0, 2))
def test_dominance_survives_an_update_that_tightens(cs: list[Config], up: int, down: int) -> None:
    """Monotonicity: ub falls and lb rises with every update."""

    def update(c: Config) -> Config:
        return (c[0] + up, c[1] - down, c[2])

    assert all(DOM(update(a), update(b)) for a in cs for b in cs if DOM(a, b))
    assert all(gubdom(2, lb)(update(a)) for a in cs if gubdom(2, lb)(a))


@given(configs.filter(bool), st.data())
def test_thinning_by_the_incumbent_keeps_the_optimum(cs: list[Config], data: st.DataObject) -> None:
    value = {c: data.draw(st.integers(*c[:2])) for c in cs}
    incumbent = data.draw(st.sampled_from(cs))
    kept = thin_gub(incumbent, ub, lb, cs)
    assert min(value[c] for c in kept) == min(value.values())


def test_filtering_alone_loses_the_incumbent() -> None:
    """Correction 17: the printed filter drops the optimum itself, and min_E has nothing left."""
    best: Config = (2, 2, "a")
    dominated = gubdom(ub(best), lb)
    assert filter_by(lambda c: not dominated(c), [best, (3, 4, "b")]) == []
    assert thin_gub(best, ub, lb, [best, (3, 4, "b")]) == [best]
