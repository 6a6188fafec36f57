"""Planes over scaled terms as surfaces: exactly the same function, whatever the size of numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactree.geometry import Embedding, family_of, polynomial
from exactree.geometry.families import evaluate
from exactree.geometry.scaling import Scalings
from exactree.geometry.widening import widened

FAMILIES = [family_of(n) for n in ("hyperplane", "sphere", "axis_quadric", "quadric")]
FAMILIES.append(polynomial(3))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.name}{f.degree}")
@pytest.mark.parametrize("size", [1.0, 1e-200, 1e90])
def test_a_surface_is_its_plane(family: Any, size: float) -> None:
    rng = np.random.default_rng(0)
    X = size * rng.integers(-50, 50, (40, 3)).astype(float)
    embedding, values = Embedding.of(X, family)
    plane = [*rng.normal(size=len(values)), 0.25]
    weights, threshold = embedding._weights(plane)
    terms = family.terms(3)
    above = np.array(plane[:-1]) @ values + plane[-1] > 0
    for row, side in zip(X, above, strict=True):
        x = [Fraction(v) for v in row]
        total = sum(w * evaluate(t, x) for w, t in zip(weights, terms, strict=True))
        assert (total > threshold) == side


@pytest.mark.parametrize("seed", range(40))
def test_weights_are_exactly_those_of_the_plane(seed: int) -> None:
    """At any point both have the same value, but for a power of two."""
    rng = np.random.default_rng(seed)
    d, family = 1 + seed % 3, FAMILIES[seed % len(FAMILIES)]
    X = rng.normal(size=(20, d)) * 10.0 ** rng.integers(-60, 60, d)
    X += (rng.random(d) < 0.5) * 10.0 ** rng.integers(-3, 12, d)
    embedding, values = Embedding.of(X, family)
    factors = rng.normal(size=len(values) + 1) * 10.0 ** rng.integers(-20, 20, len(values) + 1)
    plane = (factors * (rng.random(len(values) + 1) < 0.8)).tolist()
    weights, threshold = embedding._weights(plane)
    assert not any(weights) or 1 <= 2 * max(map(abs, weights)) < 4
    ratios: set[Fraction] = set()
    for row in X[:5]:
        x = [Fraction(v) for v in row]
        columns = scaled(embedding.columns, x)
        terms = scaled(embedding.terms, [evaluate(t, columns) for t in family.terms(d)])
        wanted = sum(Fraction(p) * z for p, z in zip(plane, [*terms, Fraction(1)], strict=True))
        found = zip(weights, [evaluate(t, x) for t in family.terms(d)], strict=True)
        value = sum(w * z for w, z in found) - threshold
        assert (value == 0) == (wanted == 0)
        ratios |= {wanted / value} if value else set()
    assert len(ratios) <= 1
    assert all((r.numerator * r.denominator).bit_count() == 1 for r in ratios)


def scaled(scalings: Scalings, values: list[Fraction]) -> list[Fraction]:
    powers = [Fraction(2) ** -e for e in scalings.exponents.tolist()]
    shifts = map(Fraction, scalings.shifts.tolist())
    return [x * power - s for x, power, s in zip(values, powers, shifts, strict=True)]


def test_many_columns_are_scaled_as_each_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(50, 7)) * 10.0 ** rng.integers(-300, 300, (50, 1))
    columns[::7] = 5.0
    alone = [Scalings.of(column[None]) for column in columns]
    for numbers in (1, 70, 10**6):
        monkeypatch.setattr("exactree.geometry.scaling.NUMBERS_AT_ONCE", numbers)
        found, out = Scalings.of(columns), np.empty(columns.shape)
        assert found.exponents.tolist() == [int(one.exponents[0]) for one in alone]
        assert found.shifts.tolist() == [float(one.shifts[0]) for one in alone]
        found.apply(columns, out)
        assert np.isfinite(out).all() and np.abs(out).max() < 10


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.name}{f.degree}")
def test_the_surface_parts_the_rows_like_the_plane(family: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2)) * [1, 100] + [3, 1e4]
    embedding, values = Embedding.of(X, family)
    plane = (*rng.normal(size=len(values)), 0.1)
    left = ~(np.array(plane[:-1]) @ values + plane[-1] > 0)
    assert 0 < left.sum() < 60
    for seconds_left in (lambda: 0.0, lambda: 10.0):
        surface = embedding.surface(plane, X, left, seconds_left)
        assert surface.left(X).tolist() == left.tolist()


def test_other_rows_have_the_same_columns() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 3)) * 1e5
    embedding, values = Embedding.of(X, family_of("quadric"))
    assert np.array_equal(embedding.values(X[:7]), values[:, :7])


def test_columns_without_spread_are_no_error() -> None:
    X = np.array([[5.0, 1e300], [5.0, 1e300]])
    _, values = Embedding.of(X, family_of("quadric"))
    assert np.isfinite(values).all() and not values[0].any()


@pytest.mark.parametrize("seed", range(5))
def test_margins_get_wider_and_sides_stay(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(3, 3000))
    plane = (*rng.normal(size=3), 0.2)

    def margins(w: tuple[float, ...]) -> Any:
        return (np.array(w[:-1]) @ values + w[-1]) / np.abs(w[:-1]).sum()

    left = margins(plane) <= 0
    wide = widened(plane, values, left, lambda: 10.0)
    assert ((margins(wide) <= 0) == left).all()
    assert np.abs(margins(wide)).min() >= np.abs(margins(plane)).min()
    sparse = (1.0, 0.0, 0.0, 0.1)
    assert widened(sparse, values, margins(sparse) <= 0, lambda: 10.0)[1:3] == (0.0, 0.0)
    assert widened(plane, values, left, lambda: 0.0) == plane


def test_there_is_no_program_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing the program down takes time as well: of 8,000 columns half a second."""
    monkeypatch.setattr("exactree.geometry.widening.solved", lambda *_, **__: pytest.fail("solved"))
    values = np.random.default_rng(0).normal(size=(8000, 300))
    plane = (1.0, *np.ones(7999), 0.0)
    left = np.array(plane[:-1]) @ values <= 0
    assert widened(plane, values, left, lambda: 0.1) == plane
