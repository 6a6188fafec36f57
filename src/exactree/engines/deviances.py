"""Deviances in whole numbers, as the native search wants them.

A leaf with the sums T and X costs the least, over its prediction m, of

    m T - X log m                                   Poisson (X events in a weight or time T),
                                                    gamma (X the weights, T the sums, m inverse)
    T m^(2-p) / (2-p) + X m^(1-p) / (p-1)           Tweedie

less what its rows cost one by one, and a leaf with X = 0 costs nothing. T and X are whole numbers
of units here; units of m and what is linear in X alone change nothing but the price. Predictions
are a grid that is even in theta = log m, theta = origin + k / steps, and the factors of T and X
are rounded to whole numbers:

    A(k) ~ scale exp(theta),             B(k) = -k scale / steps               Poisson, gamma
    A(k) ~ scale exp((2-p) theta)/(2-p), B(k) ~ scale exp((1-p) theta)/(p-1)   Tweedie

So cost is a least sum over predictions in whole numbers, which is what the search relies on
(cpp/search/targets/number_loss.hpp); all that rounding can do is to be away from the cost itself:

- Grid. The least over the grid is above the least over all numbers, by at most what a step of half
  a grid does: D / (8 steps^2) and a share 1 / steps of that, where the second derivative D is X for
  Poisson and gamma, and T^(p-1) X^(2-p) for Tweedie. These are superadditive, so all leaves of a
  tree together have at most that of all rows; so have the rows one by one.
- Factors. A(k) is off by 1 + A(k) 2^-60 at most, which is T + A T 2^-60 for all leaves together,
  and A T is about X at the least; B(k) likewise.
- Numbers. Where T and X were rounded to whole numbers, by dT and dX, the cost of a leaf changes by
  A dT and |B| dX, A and B those of its least: A = X / T for Poisson, where B, which a constant may
  be added to, is at most half the length of the grid; for Tweedie A T = B X = T^(p-1) X^(2-p) but
  for factors.

Each counts for the leaves and for the rows one by one.

Convex. A is a product of two tables with 63 digits each, rounded down: its second differences are
A rate^2 / steps^2, less A 2^-59 and less 2. So A is convex if A rate^2 >= 4 steps^2 and steps <=
2^28 rate, which `_fits` sees to; B alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor, frexp, inf, log, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engines.whole import Floats, Loss, Steps, Whole, in_steps
from exactree.objectives.native import Deviances
from exactree.problem import Problem

# The grid has 2^20 steps for a factor of e, or more where that proves too little.
BITS = 20
MOST_BITS = 27
LEAST_BITS = 10
# What whole numbers may add up to, as binary digits.
LENGTHS = (52, 48, 44, 40)
# Products stay below this many binary digits.
ROOM = 122


@dataclass(frozen=True)
class Range:
    """Where predictions can lie, and how large sums are: T, X, log m from `low` to `high`."""

    t: float
    x: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Plan:
    """How a problem may be made whole: numbers, where predictions lie, grid, scale and price."""

    t: Steps
    x: Steps
    span: Range
    bits: int
    scale: int
    price: Fraction
    lost: float


def whole_deviances(problem: Problem, form: Deviances, best: float | None = None) -> Whole | None:
    """Give the rows of a problem in whole numbers; finer ones if a tree of cost `best` is known.

    None: there are none that would prove more. Long numbers leave less room for the grid, so some
    lengths are tried, and the one that loses least is taken.
    """
    power = 1.0 if form.power == 2 else form.power
    coarse = _plan(problem, form, power, BITS)
    plan = coarse if best is None else _plan(problem, form, power, MOST_BITS)
    if plan is None or (coarse is not None and plan.lost >= coarse.lost and plan is not coarse):
        return None
    numbers = np.ascontiguousarray(np.column_stack([plan.t.whole, plan.x.whole]))
    loss = _loss(numbers, plan.span, power, plan.bits, plan.scale)
    return Whole(loss, plan.price, plan.lost).in_units(problem.n_rows)


def _plan(problem: Problem, form: Deviances, power: float, most: int) -> Plan | None:
    weights, rates = form.rates(problem.targets())
    weights = np.asarray(weights, dtype=np.float64)
    found: list[Plan] = []
    for length in LENGTHS:
        t, x = _sums(weights, rates, 2.0**length)
        if form.power == 2:
            t, x = _positive(x), t
        span = _range(t.whole, x.whole)
        bits = _most_bits(span, power, most)
        if bits is not None:
            scale = _scale_bits(span, power, bits)
            price = 2 * _unit(t.step, x.step, power) / 2**scale
            lost = _lost(t, x, span, power, bits, scale) * float(price)
            found.append(Plan(t, x, span, bits, scale, price, lost))
            if bits == most and not t.moved.any() and not x.moved.any():
                break
    return min(found, key=lambda plan: plan.lost, default=None)


def _sums(weights: Floats, rates: Floats, most: float) -> tuple[Steps, Steps]:
    """Give weights and sums of every row in whole steps, less than `most` in all."""
    p = in_steps(weights * rates, most)
    # The product of weight and rate was rounded to 53 digits.
    moved = p.moved + p.whole * 2.0**-51 * (p.moved > 0)
    return _positive(in_steps(weights, most)), Steps(p.whole, p.step, moved)


def _positive(numbers: Steps) -> Steps:
    """Raise what was rounded to zero."""
    low = numbers.whole < 1
    return Steps(np.maximum(numbers.whole, 1.0), numbers.step, np.where(low, 1.0, numbers.moved))


def _range(t: Floats, x: Floats) -> Range:
    """Bound the logarithm of X / T over all sets of rows with X > 0."""
    some = x > 0
    if not some.any():
        return Range(float(t.sum()), 0.0, -1.0, 1.0)
    ratio = x[some] / t[some]
    low = ratio.min() if some.all() else x[some].min() / t.sum()
    # Whole steps, and a little beyond what rounding makes of them.
    return Range(
        float(t.sum()),
        float(x.sum()),
        floor(log(low) * 64 - 1) / 64,
        ceil(log(ratio.max()) * 64 + 1) / 64,
    )


def _scale_bits(span: Range, power: float, bits: int) -> int:
    """Give the least scale, as a power of two, for which A and B are whole and convex."""
    if power == 1:
        return max(ceil(2 * bits + 3 - span.low / log(2)), bits)
    a, c = 2 - power, power - 1
    rising = 2 * bits + 3 - log2(a) - a * span.low / log(2)
    falling = 2 * bits + 3 - log2(c) + c * span.high / log(2)
    return ceil(max(rising, falling))


def _most_bits(span: Range, power: float, most: int) -> int | None:
    """Give the finest grid, up to `most`, whose products have room."""
    for bits in range(most, LEAST_BITS - 1, -1):
        if _fits(span, power, bits):
            return bits
    return None


def _fits(span: Range, power: float, bits: int) -> bool:
    scale, t, x = _scale_bits(span, power, bits), log2(span.t), log2(max(span.x, 1.0))
    if power == 1:
        length = log2(span.high - span.low + 1)
        rising = scale + span.high / log(2) + t
        return max(rising, scale + length + x) <= ROOM
    a, c = 2 - power, power - 1
    rising = scale - log2(a) + a * span.high / log(2) + t
    falling = scale - log2(c) - c * span.low / log(2) + x
    steep = min(a, c) * 2.0**28 >= 2.0**bits
    return steep and max(rising, falling) <= ROOM


def _unit(t: Fraction, x: Fraction, power: float) -> Fraction:
    """Give what one of the user's losses is worth: of X for Poisson, else a mean of both."""
    if power == 1:
        return x
    return Fraction(float(t) ** (power - 1) * float(x) ** (2 - power))


def _lost(t: Steps, x: Steps, span: Range, power: float, bits: int, scale: int) -> float:
    """Bound what whole numbers are off, before they are counted in units."""
    large, steps = 2.0**scale, 2.0**bits
    if power == 1:
        curve, factors = span.x, span.t + large * span.x * 2.0**-59
        numbers = _moved_t(t, x, span) + (span.high - span.low) / 2 * float(x.moved.sum())
    else:
        a, c = 2 - power, power - 1
        curve = span.t**c * span.x**a
        factors = span.t + span.x + large * (1 / a + 1 / c) * curve * 2.0**-59
        one = min(exp(a * span.high) * float(t.moved.sum()), _share(t) * curve)
        other = min(exp(-c * span.low) * float(x.moved.sum()), _share(x) * curve)
        numbers = one / a + other / c
    grid = large * curve / (8 * steps * steps) * (1 + 2 / steps)
    return float(grid + 2 * factors + 2 * large * numbers)


def _share(numbers: Steps) -> float:
    """Give the largest share by which one of them was moved; infinity: more than a hundredth."""
    moved = numbers.moved > 0
    with np.errstate(divide="ignore"):
        share = float((numbers.moved[moved] / numbers.whole[moved]).max(initial=0.0))
    return 1.02 * share if share < 0.01 else inf


def _moved_t(t: Steps, x: Steps, span: Range) -> float:
    """Bound X / T times what T was moved by, over the leaves of any tree.

    If each row was moved by less than a x + b t, that is a X^2 / T + b X for a leaf, and X^2 / T is
    subadditive: for all leaves together it is at most the sum over rows.
    """
    if not t.moved.any():
        return 0.0
    if _share(t) == inf:
        return exp(span.high) * float(t.moved.sum())
    some = x.whole > 0
    a = float((t.moved[some] / x.whole[some]).max(initial=0.0))
    b = float((t.moved[~some] / t.whole[~some]).max(initial=0.0))
    by_rows = a * float((x.whole**2 / t.whole).sum()) + b * span.x
    return min(1.02 * by_rows, _share(t) * span.x, exp(span.high) * float(t.moved.sum()))


def _loss(numbers: Floats, span: Range, power: float, bits: int, scale: int) -> Loss:
    """Make the tables."""
    size = int((span.high - span.low) * 2**bits) + 2
    low, step = Fraction(span.low), Fraction(1, 2**bits)
    common: dict[str, Any] = {
        "size": size,
        "origin": span.low,
        "steps": 2.0**bits,
        "scale": 2.0**scale,
    }
    if power == 1:
        rising = power_tables(Fraction(2**scale), low, step, size)
        return Loss("DevianceLoss", (numbers,), {**common, "rising": rising, "slope": scale - bits})
    a, c = 2 - Fraction(power), Fraction(power) - 1
    rising = power_tables(2**scale / a, a * low, a * step, size)
    falling = power_tables(2**scale / c, -c * (low + (size - 1) * step), c * step, size)
    tables = {"rising": rising, "falling": falling, "power": power}
    return Loss("DevianceLoss", (numbers,), {**common, **tables})


# --- Tables of exponentials, in whole numbers alone: the same on every machine ---------------

PRECISION = 192
Tables = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]


def power_tables(scale: Fraction, start: Fraction, step: Fraction, size: int) -> Tables:
    """Give tables from which scale exp(start + k step) is put together, for k below `size`.

    With k = i 2^l + j it is high[i] low[j] 2^-shift[i], rounded down, but for a share 2^-61.

    >>> high, low, shift = power_tables(Fraction(2**40), Fraction(1), Fraction(1, 2**10), 5000)
    >>> k = 3000
    >>> i, j = divmod(k, len(low))
    >>> found = int(high[i]) * int(low[j]) >> int(shift[i])
    >>> abs(found / (2**40 * exp(1 + k / 2**10)) - 1) < 1e-12
    True
    """
    digits = (size.bit_length() + 1) // 2
    small = _geometric(_exp(Fraction(0)), _exp(step), 2**digits)
    low = [mantissa >> (PRECISION - 63 - exponent) for mantissa, exponent in small]
    rows = (size - 1 >> digits) + 1
    first = _times(_exp(start), _normal(scale))
    large = _geometric(first, _exp(step * 2**digits), rows)
    high = [mantissa >> (PRECISION - 63) for mantissa, _ in large]
    # high 2^(exponent - 63) low 2^-63 is the number.
    shift = [126 - exponent for _, exponent in large]
    return (
        np.array(high, dtype=np.uint64),
        np.array(low, dtype=np.uint64),
        np.array(shift, dtype=np.uint8),
    )


# A number is (mantissa, exponent): mantissa 2^(exponent - PRECISION), from 2^PRECISION up to twice
# that.
Large = tuple[int, int]


def _normal(number: Fraction) -> Large:
    exponent = frexp(float(number))[1] - 1
    mantissa = int(number * Fraction(2) ** (PRECISION - exponent))
    return _shifted(mantissa, exponent)


def _shifted(mantissa: int, exponent: int) -> Large:
    extra = mantissa.bit_length() - 1 - PRECISION
    return (mantissa >> extra if extra > 0 else mantissa << -extra), exponent + extra


def _times(a: Large, b: Large) -> Large:
    return _shifted(a[0] * b[0] >> PRECISION, a[1] + b[1])


def _exp(x: Fraction) -> Large:
    """Give exp(x), by Taylor's series of x / 2^k, squared k times."""
    halvings = 8 + max(frexp(float(abs(x)))[1], 0)
    y = int(x * 2**PRECISION) >> halvings
    one = term = total = 1 << PRECISION
    n = 0
    while term:
        n += 1
        # Towards zero, so that the terms end.
        term = abs(term) * abs(y) // (n * one) * (-1 if (y < 0 and n % 2) else 1)
        total += term
    found = _shifted(total, 0)
    for _ in range(halvings):
        found = _times(found, found)
    return found


def _geometric(first: Large, ratio: Large, count: int) -> list[Large]:
    found = [first]
    for _ in range(count - 1):
        found.append(_times(found[-1], ratio))
    return found
