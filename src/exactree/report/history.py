"""How the search went: best loss and proved bound over time, as SVG."""

from __future__ import annotations

from math import log10

from exactree.problem import Result
from exactree.report.evidence import element
from exactree.report.regions import Scale, ticks

LEFT, TOP, RIGHT, BOTTOM = 62.0, 8.0, 628.0, 170.0
SOONEST = 1e-5  # seconds: where a logarithmic axis starts at the earliest
SHORTEST = 0.1  # seconds: of a shorter search there is nothing to tell


def history_html(result: Result) -> str:
    """Draw the two lines that meet when a tree is proved optimal; nothing of a short search."""
    steps = [(max(float(t), SOONEST), float(o), float(b)) for t, o, b in result.history]
    # The first tree is a single leaf, so bad that it would flatten everything after it.
    steps = steps[1:] if len(steps) > 2 else steps
    if len(steps) < 2 or steps[0][0] >= steps[-1][0] or steps[-1][0] < SHORTEST:
        return ""
    x = Scale(log10(steps[0][0]), log10(steps[-1][0]), LEFT, RIGHT)
    highest = max(o for _, o, _ in steps) or 1.0
    y = Scale(min(0.0, *(b for *_, b in steps)), highest, BOTTOM, TOP)
    times = [x(log10(t)) for t, _, _ in steps]
    lines = element("path", class_="best", d=_stairs(times, [y(o) for _, o, _ in steps]))
    lines += element("path", class_="bound", d=_stairs(times, [y(b) for *_, b in steps]))
    picture = element(
        "svg",
        _axes(x, y) + lines,
        class_="history",
        viewBox="0 0 640 210",
        role="img",
        aria_label="Best loss and proved lower bound over time",
    )
    words = (
        "How the search went: the loss of the best tree so far (full line) and the proved lower "
        "bound (broken line) over the seconds of the search. They meet when the proof is complete."
    )
    return element("figure", picture + element("figcaption", words))


def _stairs(xs: list[float], ys: list[float]) -> str:
    """Go right, then up or down: a value holds until the next.

    >>> _stairs([0, 2], [5, 3])
    'M0 5H2V3'
    """
    steps = zip(xs[1:], ys[1:], strict=True)
    return f"M{xs[0]} {ys[0]}" + "".join(f"H{x}V{y}" for x, y in steps)


def _axes(x: Scale, y: Scale) -> str:
    frame = element("rect", class_="frame", x=LEFT, y=TOP, width=RIGHT - LEFT, height=BOTTOM - TOP)
    powers = [p for p in range(-5, 9) if x.low <= p <= x.high]
    below = [
        element("text", f"{10.0**p:g} s", x=x(p), y=BOTTOM + 18, text_anchor="middle")
        for p in powers
    ]
    beside = [
        element("text", f"{t:g}", x=LEFT - 7, y=y(t) + 4, text_anchor="end")
        for t in ticks(y.low, y.high)[::2]
    ]
    return element("g", frame + "".join(below + beside), class_="axes")
