"""exactree status: what a run that keeps a checkpoint has proved so far."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

from exactree.cli.output import DONE, STOPPED, Output
from exactree.cluster.ledger import records

BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 60


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "status",
        help="show what a run with a checkpoint has proved so far",
        description="Show the best tree, the bound and what is done, from the file of a run that "
        "is under way or has ended.",
    )
    parser.add_argument("checkpoint", help="the file of fit --checkpoint")
    parser.set_defaults(run=run)


@dataclass
class Seen:
    """What the lines of a file add up to."""

    bounds: list[tuple[float, float, float]] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    divided: set[str] = field(default_factory=set)
    evaluations: int = 0  # of workers elsewhere; threads do not tell
    tree: str | None = None
    cost: float | None = None
    runs: int = 0
    ended: bool = False


def run(args: argparse.Namespace, output: Output) -> int:
    """Read and tell."""
    seen = look(args.checkpoint)
    output.say(told(seen))
    seconds, best, bound = seen.bounds[-1] if seen.bounds else (0.0, None, None)
    output.data(
        {
            "seconds": seconds,
            "objective": best,
            "lower_bound": bound,
            "optimal": seen.ended,
            "pieces_closed": len(seen.closed),
            "pieces_divided": len(seen.divided),
            "evaluations": seen.evaluations,
            "tree": seen.tree,
        }
    )
    return DONE if seen.ended else STOPPED


def look(path: str) -> Seen:
    """Add up the lines; those of the latest search count."""
    seen = Seen()
    for kind, content in records(path):
        try:
            note(seen, kind, content)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise ValueError(f"{path!r} has a line that makes no sense ({error})") from error
    return seen


def note(seen: Seen, kind: str, content: list[Any]) -> None:
    """Take one line into account."""
    if kind == "search":
        seen.runs, seen.ended = seen.runs + 1, False
    elif kind == "bound":
        seen.bounds.append((float(content[0]), float(content[1]), float(content[2])))
    elif kind == "claim":
        question, path = content[0], content[0].get("path", [])
        if content[1]["complete"]:
            place = [question.get(name) for name in ("feature", "position", "branch", "round")]
            seen.closed.add(repr((path, place)))
        if path:  # what is below a piece is so because the piece was divided
            seen.divided.add(repr((path[:-1], path[-1][:2])))
        seen.evaluations += int(content[1].get("counters", [0, 0])[1])
    elif kind == "tree":
        cost, drawn = float(content[3]), content[4]
        if drawn and (seen.cost is None or cost < seen.cost):
            seen.cost, seen.tree = cost, drawn
    elif kind == "result":  # the best of all until then
        seen.tree = content[5]
    elif kind == "end":
        seen.ended = True


def told(seen: Seen) -> str:
    """Say it in words, with a line for the gap over time."""
    if not seen.bounds:
        return "nothing is proved yet"
    seconds, best, bound = seen.bounds[-1]
    share = (best - bound) / best if best else 0.0
    state = "complete: optimal" if seen.ended else "under way, or stopped"
    lines = [
        f"{state}, after {seconds:.0f} s in {seen.runs} run{'s' * (seen.runs != 1)}",
        f"best {best:.6g}, bound {bound:.6g}, gap {best - bound:.6g} ({share:.1%}), in units of "
        "the search",
        f"{len(seen.closed)} pieces closed, {len(seen.divided)} divided"
        + (f", {seen.evaluations} evaluations by workers" if seen.evaluations else ""),
        f"gap  {plotted(seen.bounds)}  0 to {seconds:.0f} s",
    ]
    return "\n".join([*lines, *([seen.tree] if seen.tree else [])])


def plotted(bounds: list[tuple[float, float, float]]) -> str:
    """Draw the gap over time as a line of bars."""
    last = bounds[-1][0] or 1.0
    gaps = [0.0] * WIDTH
    at = 0
    for i in range(WIDTH):
        while at + 1 < len(bounds) and bounds[at + 1][0] <= last * (i + 1) / WIDTH:
            at += 1
        gaps[i] = max(bounds[at][1] - bounds[at][2], 0.0)
    most = max(gaps) or 1.0
    return "".join(BARS[round(gap / most * (len(BARS) - 1))] for gap in gaps)
