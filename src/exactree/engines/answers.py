"""Budgets and limits as the native module names them, and its answers as results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from exactree.memory import default_limit
from exactree.problem import (
    CellSplit,
    Cut,
    Found,
    Limits,
    ListedSplit,
    OnProgress,
    Problem,
    Progress,
    Status,
)
from exactree.tree import Leaf, Node, Split, Tree

MAX_BUDGET = 31


def polled(on_progress: OnProgress | None) -> Any:
    """Give the native search something to call, if there is anybody to show it to."""
    if on_progress is None:
        return None

    def poll(seconds: float, objective: int, lower_bound: int, *counted: int) -> None:
        on_progress(Progress(seconds, objective, lower_bound, *counts_of(*counted)))

    return poll


def counts_of(open_pieces: int, nodes: int) -> tuple[int | None, int]:
    """Name what the native search counts while it runs: pieces are -1 where there are none."""
    return (None if open_pieces < 0 else open_pieces), nodes


def terms_of(problem: Problem, limits: Limits) -> dict[str, Any]:
    """Name the budgets and limits as the native module does."""
    return {
        "max_depth": problem.max_depth,
        "max_splits": -1 if problem.max_splits is None else problem.max_splits,
        "min_rows": problem.least_side.least,
        "time_limit": limits.seconds,
        "memory_limit": limits.memory or default_limit(),
        "threads": limits.threads,
    }


def seconds_left(limits: Limits, started: float) -> float:
    """Count what was done before the native search against the limit."""
    return max(limits.seconds - (perf_counter() - started), 0.0)


def what_is_left(limits: Limits, start: float) -> Limits:
    """Give the limits of what comes after `start`."""
    return replace(limits, seconds=seconds_left(limits, start))


def start_of(limits: Limits) -> dict[str, Any]:
    """Name the tree to begin with, if there is one; workers elsewhere are told what it costs."""
    if limits.start is None or limits.elsewhere is not None:
        return {}
    return {"start": rows_of(limits.start)}


def stats_of(found: Any) -> dict[str, Any]:
    """Name what was counted; `threads` took part, which may be fewer than were asked for."""
    return {
        "seconds": found.seconds,
        "peak_bytes": found.peak_bytes,
        "threads": found.threads,
        **found.counters,
    }


def refuse_long_budget(problem: Problem, *, sizes: bool) -> None:
    """Refuse a budget of splits that is longer than a vector over sizes can be."""
    if problem.max_splits is None or problem.max_splits <= MAX_BUDGET:
        return
    room = min(problem.n_rows - 1, 2**problem.max_depth - 1)
    if sizes or problem.max_splits < room:  # else it limits nothing
        raise ValueError(
            f"max_splits={problem.max_splits} is more than this engine can budget, which is "
            f"{MAX_BUDGET}: lower it, or limit the tree by max_depth or penalty alone"
        )


def result_of(problem: Problem, found: Any, *, objective: int, bound: int, tree: Any) -> Found:
    """Give one answer of a search."""
    made = [CellSplit(cells, tuple(left)) for cells, left in found.parts]
    # A search for all sizes may stop after it has proved some of them.
    status: Status = "optimal" if bound == objective else found.status
    return Found(
        status=status,
        space=problem.space,
        objective=objective,
        lower_bound=bound,
        gap=objective - bound,
        tree=tree_of(
            tree,
            0 if problem.partitions is None else len(problem.partitions),
            len(problem.columns),
            made,
        ),
        stats=stats_of(found),
        history=tuple(found.history),
    )


def rows_of(tree: Tree) -> list[list[int]]:
    """Write a tree over rank columns down as the native search does, a list for each node.

    >>> rows_of(Node(Cut(3, 0, 1), Leaf(0), Leaf(1)))
    [[3, 0, 1, 1, 2, 0], [-1, 0, 0, -1, -1, 0], [-1, 0, 0, -1, -1, 0]]
    """
    rows: list[list[int]] = []

    def write(here: Tree) -> int:
        me = len(rows)
        rows.append([-1, 0, 0, -1, -1, 0])
        if isinstance(here, Node):
            assert isinstance(here.split, Cut)
            high = here.split.rank + 1 if here.split.above is None else here.split.above
            rows[me][:3] = here.split.column, here.split.rank, high
            rows[me][3:5] = write(here.left), write(here.right)
        return me

    write(tree)
    return rows


def tree_of(
    lists: dict[str, list[int]], listed: int = 0, columns: int = 0, made: Sequence[CellSplit] = ()
) -> Tree:
    """Turn the lists in preorder into a tree; children come after their parent, so backwards.

    The native search numbers its splits: `listed` partitions, columns, then those that it `made`.
    """

    def split(number: int, low: int, high: int) -> Split:
        if number < listed:
            return ListedSplit(number)
        if made and number >= listed + columns:
            return made[number - listed - columns]
        return Cut(number - listed, low, high)

    names = ("feature", "low", "high", "left", "right", "label")
    feature, low, high, left, right, label = (lists[name] for name in names)
    built: list[Tree] = [Leaf(0)] * len(feature)
    for i in reversed(range(len(feature))):
        if feature[i] < 0:
            built[i] = Leaf(label[i])
        else:
            cut = split(feature[i], low[i], high[i])
            built[i] = Node(cut, built[left[i]], built[right[i]])
    return built[0]
