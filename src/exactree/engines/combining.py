"""Going through the combinations of 1, 2, ... K rules in blocks of ranks.

Blocks need nothing of each other, so they run in any number of processes without communication; a
block is worked through in batches of combinations whose memory is bounded.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from math import comb, factorial, inf
from time import perf_counter, time
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from exactree.bounds import equal_rows
from exactree.combinations import count, unranked
from exactree.engines.leaf import single_leaf
from exactree.engines.rule_list import Ints, Rules, best_tree, rules_of
from exactree.interrupts import interruptible
from exactree.problem import Found, Limits, Number, OnProgress, Problem, Progress, Status

BATCH_BYTES = 2**26
# A process gets enough at once to be worth sending to, and returns often enough to be stopped.
BATCHES_A_BLOCK = 16


class Best(NamedTuple):
    """The least cost among some combinations, the first that attains it, and how many were tried.

    What counts as tried are the trees of `vec`, the valid orders of `kperms`, the roots of `rec`.
    """

    cost: float = inf
    position: int = -1
    tried: int = 0


# From rules and combinations of them, one in each row, to the best tree.
Method = Callable[[Rules, Ints], Best]


@dataclass(frozen=True)
class _Block:
    """Combinations of k rules from rank `start` up to `stop`; a batch is so many of them."""

    k: int
    start: int
    stop: int
    batch: int


def best_combination(
    problem: Problem, limits: Limits, on_progress: OnProgress | None, method: Method
) -> Found:
    """Find the best tree over all combinations of at most `max_splits` rules."""
    start = perf_counter()
    result = single_leaf(problem, "optimal")
    bound = equal_rows(problem.keys(), problem.labels, problem.row_costs())
    stats: dict[str, Number] = {"rules": 0, "combinations": 0, "tried": 1}
    history: list[tuple[float, Number, Number]] = [(0.0, result.objective, bound)]
    status: Status = "optimal"
    try:
        with interruptible():
            rules = rules_of(problem, limits)
            stats["rules"] = len(rules)
            left = replace(limits, seconds=limits.seconds - (perf_counter() - start))
            with closing(_run(_blocks(rules, problem), rules, method, left)) as answers:
                for block, found in answers:
                    if found is None:
                        status = "time_limit"
                        break
                    stats["combinations"] += block.stop - block.start
                    stats["tried"] += found.tried
                    if found.cost < result.objective:
                        result = _improved(result, rules, block, found)
                        history.append((perf_counter() - start, result.objective, bound))
                    if on_progress is not None:
                        on_progress(Progress(perf_counter() - start, result.objective, bound))
                    if result.objective <= bound + problem.penalty * block.k:
                        break
    except TimeoutError:
        status = "time_limit"
    except KeyboardInterrupt:
        status = "interrupted"
    proved = int(result.objective) if status == "optimal" else bound
    seconds = perf_counter() - start
    return replace(
        result,
        status="optimal" if proved == result.objective else status,
        lower_bound=proved,
        gap=result.objective - proved,
        stats={"seconds": seconds, **stats},
        history=(*history, (seconds, result.objective, proved)),
    )


def _improved(result: Found, rules: Rules, block: _Block, found: Best) -> Found:
    """Build the tree of the combination that was found."""
    (chosen,) = unranked(block.k, [found.position], len(rules)).tolist()
    cost, tree = best_tree(rules, chosen)
    if cost != found.cost:
        raise RuntimeError(
            f"rules {chosen} make a tree of cost {cost}, not {found.cost}: please report this as a "
            "bug of exactree"
        )
    return replace(result, objective=int(found.cost), tree=tree)


def _blocks(rules: Rules, problem: Problem) -> Iterator[_Block]:
    """Cut the combinations of every size into blocks; refuse more than 64-bit ranks can number."""
    most = problem.max_splits
    if most is None:
        most = 2**problem.max_depth - 1
    totals = [count(len(rules), k) for k in range(min(most, len(rules)) + 1)]
    for k, total in enumerate(totals[1:], start=1):
        batch = batch_size(k, rules.n_rows)
        length = batch * BATCHES_A_BLOCK
        for start in range(0, total, length):
            yield _Block(k, start, min(start + length, total), batch)


def batch_size(k: int, n_rows: int) -> int:
    """Choose how many combinations fit the memory of a batch, whatever trees they make.

    A combination has at most C(k, j) j! partial trees of j rules at once, each with a few arrays of
    n rows and k^2 relations.

    >>> batch_size(3, 100) > batch_size(4, 100) > batch_size(12, 10**6) == 1
    True
    """
    partial_trees = max(comb(k, j) * factorial(j) for j in range(k + 1))
    return max(BATCH_BYTES // (partial_trees * (16 * n_rows + 8 * k * k)), 1)


def _run(
    blocks: Iterator[_Block], rules: Rules, method: Method, limits: Limits
) -> Generator[tuple[_Block, Best | None], None, None]:
    """Work through the blocks in order, in so many processes; None for what time cut off."""
    solve = partial(_best_of_block, rules, method, time() + limits.seconds)
    if limits.threads == 1:
        yield from map(solve, blocks)
        return
    parallel = Parallel(n_jobs=limits.threads, return_as="generator", batch_size=1)
    found = parallel(delayed(solve)(block) for block in blocks)
    try:
        # Not "yield from", which would close it before the warning is held back.
        for answer in found:  # noqa: UP028
            yield answer
    finally:
        with warnings.catch_warnings():
            # What is still under way when the optimum is known is dropped, as joblib would say.
            warnings.simplefilter("ignore", UserWarning)
            found.close()


def _best_of_block(
    rules: Rules, method: Method, deadline: float, block: _Block
) -> tuple[_Block, Best | None]:
    best = Best()
    for start in range(block.start, block.stop, block.batch):
        if time() >= deadline:
            return block, None
        ranks = np.arange(start, min(start + block.batch, block.stop))
        cost, position, tried = method(rules, unranked(block.k, ranks, len(rules)))
        tried += best.tried
        if cost < best.cost:
            best = Best(cost, start + position, tried)
        else:
            best = best._replace(tried=tried)
    return block, best
