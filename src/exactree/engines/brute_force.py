"""The specification as an engine: every split of every node, for tiny problems only."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from exactree.bounds import equal_rows
from exactree.problem import Cut, Limits, OnProgress, Part, Problem, Progress, Result, Status
from exactree.sides import unpacked
from exactree.spec import tree as spec_tree
from exactree.spec.constraints import Constraint
from exactree.spec.data import Rule, Sample, Samples
from exactree.spec.objectives import WEIGHTED_ZERO_ONE, penalised
from exactree.spec.programs import best_tree
from exactree.spec.rules import axis_rules
from exactree.tree import Leaf, Node, Tree


class _Stop(Exception):
    """Raised out of the recursion when the time is up."""


def brute_force(problem: Problem, limits: Limits, on_progress: OnProgress | None = None) -> Result:
    """Solve the problem by the specification's recursion best(d, k, xs).

    Stopped early, it has only the single leaf to show, and what equal rows prove.
    """
    start = perf_counter()
    samples = _samples(problem)
    listed = _listed(problem)
    status: Status = "optimal"
    nodes = 0

    def gen_splits(xs: Samples) -> list[Rule]:
        nonlocal nodes
        nodes += 1
        if perf_counter() - start >= limits.seconds:
            raise _Stop
        here = {x.index for x in xs}
        ranked = axis_rules(xs) if len(problem.columns) else []
        return list({rule.positive & here: rule for rule in (*listed, *ranked)}.values())

    try:
        found = best_tree(
            samples,
            gen_splits,
            WEIGHTED_ZERO_ONE,
            max_depth=problem.max_depth,
            max_splits=problem.max_splits,
            penalty=problem.penalty,
            constraint=_row_limit(problem),
        )
    except _Stop:
        status, found = "time_limit", spec_tree.Leaf(samples)
    except KeyboardInterrupt:
        status, found = "interrupted", spec_tree.Leaf(samples)
    objective = int(penalised(WEIGHTED_ZERO_ONE, problem.penalty)(found))
    bound = objective
    if status != "optimal":
        bound = equal_rows(problem.keys(), problem.labels, problem.row_costs())
    seconds = perf_counter() - start
    if on_progress is not None:
        on_progress(Progress(seconds, objective, bound))
    return Result(
        status=status,
        space=problem.space,
        objective=objective,
        lower_bound=bound,
        gap=objective - bound,
        tree=_translated(found),
        stats={"seconds": seconds, "nodes": nodes},
        history=((seconds, objective, bound),),
    )


def _samples(problem: Problem) -> Samples:
    ranks, labels = problem.columns.T.tolist(), problem.labels.tolist()
    rows = zip(ranks, labels, problem.row_costs().tolist(), strict=True)
    return tuple(Sample(i, tuple(x), y, w) for i, (x, y, w) in enumerate(rows))


def _listed(problem: Problem) -> list[Rule]:
    """Give the listed partitions as rules."""
    if problem.sides is None:
        return []
    table = unpacked(problem.sides.masks, problem.n_rows)
    return [
        Rule(frozenset(np.flatnonzero(left).tolist()), (), ("part", k))
        for k, left in enumerate(table)
    ]


def _row_limit(problem: Problem) -> Constraint:
    """Count the user's rows: a row of the problem may stand for several."""
    counts = [1] * problem.n_rows if problem.counts is None else problem.counts.tolist()

    def enough(xs: Samples) -> bool:
        return sum(counts[x.index] for x in xs) >= problem.min_rows

    return Constraint("min_rows", lambda _, left, right: enough(left) and enough(right))


def _translated(found: spec_tree.Tree[Rule, Samples]) -> Tree:
    if isinstance(found, spec_tree.Leaf):
        weight: dict[int, int] = {}
        for x in found.value:
            weight[int(x.y)] = weight.get(int(x.y), 0) + int(x.w)
        heaviest = max(sorted(weight), key=lambda c: weight[c])
        return Leaf(heaviest)
    assert isinstance(found.rule.form, tuple)
    kind, column, *more = found.rule.form
    split = Part(column) if kind == "part" else Cut(column, int(more[1]))
    return Node(split, _translated(found.left), _translated(found.right))
