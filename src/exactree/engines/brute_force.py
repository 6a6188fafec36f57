"""The specification as an engine: every split of every node, for tiny problems only."""

from __future__ import annotations

from fractions import Fraction
from operator import add
from time import perf_counter

import numpy as np

from exactree.engines.leaf import single_leaf
from exactree.interrupts import interruptible
from exactree.objectives import MisclassificationError, SquaredError
from exactree.partitions import unpacked
from exactree.problem import (
    Cut,
    Found,
    Limits,
    ListedSplit,
    Number,
    OnProgress,
    Problem,
    Progress,
    Status,
    told,
)
from exactree.spec import tree as spec_tree
from exactree.spec.constraints import Constraint
from exactree.spec.data import Number as Exact
from exactree.spec.data import Rule, Sample, Samples
from exactree.spec.objectives import SQUARED, WEIGHTED_ZERO_ONE, Objective, penalised
from exactree.spec.programs import best_tree
from exactree.spec.rules import axis_rules
from exactree.tree import Leaf, Node, Tree

EVERY = 0.02  # seconds between two reports


class _Stop(Exception):
    """Raised out of the recursion when the time is up."""


def brute_force(problem: Problem, limits: Limits, on_progress: OnProgress | None = None) -> Found:
    """Solve the problem by the specification's recursion best(d, k, xs).

    Stopped early, it has only the single leaf to show, and what equal rows prove.
    """
    start = perf_counter()
    samples, objective_of = _samples(problem), _objective(problem)
    listed = _listed(problem)
    status: Status = "optimal"
    nodes = 0

    leaf = single_leaf(problem, "time_limit")  # all that a search that is stopped has
    next_report = 0.0

    def gen_splits(xs: Samples) -> list[Rule]:
        nonlocal nodes, next_report
        nodes += 1
        now = perf_counter() - start
        if now >= limits.seconds:
            raise _Stop
        if on_progress is not None and now >= next_report:
            on_progress(Progress(now, leaf.objective, leaf.lower_bound))
            next_report = now + EVERY
        here = {x.index for x in xs}
        ranked = axis_rules(xs) if len(problem.columns) else []
        return list({rule.positive & here: rule for rule in (*listed, *ranked)}.values())

    try:
        with interruptible():
            found = best_tree(
                samples,
                gen_splits,
                objective_of,
                max_depth=problem.max_depth,
                max_splits=problem.max_splits,
                penalty=_exact(problem.penalty),
                constraint=_side_limit(problem),
            )
    except _Stop:
        status, found = "time_limit", spec_tree.Leaf(samples)
    except KeyboardInterrupt:
        status, found = "interrupted", spec_tree.Leaf(samples)
    value = penalised(objective_of, _exact(problem.penalty))(found)
    objective: Number = int(value) if problem.objective.integral else float(value)
    bound = objective
    if status != "optimal":
        bound = leaf.lower_bound
    seconds = perf_counter() - start
    told(on_progress, Progress(seconds, objective, bound))
    return Found(
        status=status,
        space=problem.space,
        objective=objective,
        lower_bound=bound,
        gap=objective - bound,
        tree=_translated(found, problem),
        stats={"seconds": seconds, "nodes": nodes},
        history=((seconds, objective, bound),),
    )


def _samples(problem: Problem) -> Samples:
    """Give the rows with exact numbers: classes, or targets as fractions."""
    targets = problem.targets()
    rows = zip(
        problem.columns.T.tolist(), targets.y.tolist(), targets.weights.tolist(), strict=True
    )
    return tuple(Sample(i, tuple(x), _exact(y), _exact(w)) for i, (x, y, w) in enumerate(rows))


def _exact(number: Number) -> Exact:
    return Fraction(number) if isinstance(number, float) else number


def _objective(problem: Problem) -> Objective:
    """Find the specification's form of the objective, else let it cost leaves itself."""
    known = {MisclassificationError: WEIGHTED_ZERO_ONE, SquaredError: SQUARED}
    if type(problem.objective) in known:
        return known[type(problem.objective)]
    own, targets = problem.objective, problem.targets()

    def leaf(xs: Samples) -> Exact:
        inside = targets.take(np.array([x.index for x in xs], dtype=np.intp))
        return _exact(np.asarray(own.cost(inside)).item())

    def combine(a: Exact, b: Exact) -> Exact:
        kind = np.int64 if own.integral else np.float64
        return _exact(own.combine(np.asarray(a, kind), np.asarray(b, kind)).item())

    return Objective(own.name, leaf, add if own.additive else combine)


def _listed(problem: Problem) -> list[Rule]:
    """Give the listed partitions as rules."""
    if problem.partitions is None:
        return []
    table = unpacked(problem.partitions.masks, problem.n_rows)
    return [
        Rule(frozenset(np.flatnonzero(left).tolist()), (), ("listed", k))
        for k, left in enumerate(table)
    ]


def _side_limit(problem: Problem) -> Constraint:
    """Ask the constraints of the problem for every split."""

    def allowed(_: Rule, left: Samples, right: Samples) -> bool:
        sides = [np.array([x.index for x in xs], dtype=np.intp) for xs in (left, right)]
        return problem.side_limit.allows_sides(*sides)

    return Constraint("sides", allowed)


def _translated(found: spec_tree.Tree[Rule, Samples], problem: Problem) -> Tree:
    if isinstance(found, spec_tree.Leaf):
        rows = np.array([x.index for x in found.value], dtype=np.intp)
        return Leaf(problem.objective.prediction(problem.targets().take(rows)))
    assert isinstance(found.rule.form, tuple)
    kind, column, *more = found.rule.form
    split = ListedSplit(column) if kind == "listed" else Cut(column, int(more[1]))
    return Node(split, _translated(found.left, problem), _translated(found.right, problem))
