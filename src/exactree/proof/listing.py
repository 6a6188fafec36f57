"""Plans over listed partitions: how the rows that all of a cell agree in bound what it costs."""

from __future__ import annotations

import numpy as np

from exactree.interrupts import check as check_for_interrupts
from exactree.proof.checking_partitions import Array, Checker, Rows

MOST_CODES = 1 << 23  # of a plan
Found = tuple[Array, list[int]]


def as_plan(codes: list[int]) -> bytes:
    """Write numbers of seven bits a byte."""
    out = bytearray()
    for code in codes:
        while code >= 128:
            out.append(code & 127 | 128)
            code >>= 7
        out.append(code)
    return bytes(out)


class Prover(Checker):
    """Finds the plan that the checker would follow, by its own rules.

    It closes a cell as soon as that shows what is needed, and else branches on the row on which its
    partitions agree least.
    """

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows, b"", 1 << 62)
        self.codes = 0

    @property
    def spent(self) -> int:
        """The work that the plan takes."""
        return (1 << 62) - self.work

    def prove(self, inside: Array, depth: int, splits: int | None, need: int) -> Found:
        """Give bounds of e(S, depth, k), at least `need` or exact, and the plan for them."""
        check_for_interrupts()
        self.work -= self.rows.masks.size
        leaf = int(self.rows.answers(inside).min())
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        depth = self.useful(inside, leaf, depth, splits)
        if depth == 1:
            bound[:, 0 if splits is None else 1 :] = self.scan(inside, leaf)[:, None]
        if depth <= 1:
            return bound, []
        found, codes = self.cover(inside, self.different(inside), depth, splits, need)
        found = np.minimum(found, leaf)
        return found[:, np.minimum(np.arange(bound.shape[1]), found.shape[1] - 1)], codes

    def cover(
        self, inside: Array, alive: Array, depth: int, splits: int | None, need: int
    ) -> Found:
        """Do what the checker does in a cell, deciding where it reads."""
        bound = np.full((self.variants, self.budgets(depth, splits)), 1 << 62)
        if not len(alive):
            return bound, []
        self.work -= alive.size
        self.codes += 1
        if self.codes > MOST_CODES:
            raise ValueError(
                "the proof is too long to be written: certify a problem with a smaller max_depth"
            )
        left, right = self.decided(inside, alive)
        # A cell costs no more than the leaves of its sides: closing it could show no more.
        most = sum(int(self.rows.answers(side).min()) for side in (left, right))
        if len(alive) == 1 or most + self.rows.penalty >= need:
            below = None if splits is None else splits - 1
            work = self.work
            a, first = self.prove(left, depth - 1, below, need)
            b, second = self.prove(right, depth - 1, below, need)
            exact = (left | right)[inside].all()
            found = self.joined(a, b, exact, left, right, bound)
            first_split = 0 if splits is None else 1
            if len(alive) == 1 or (found[:, first_split:] >= need).all():
                return found, [0, *first, *second]
            self.work = work
            bound = np.full(bound.shape, 1 << 62)
        share = alive.mean(0)
        row = int(np.abs(share - 0.5).argmin())
        codes = [row + 1]
        for side in (alive[alive[:, row]], alive[~alive[:, row]]):
            found, more = self.cover(inside, side, depth, splits, need)
            bound, codes = np.minimum(bound, found), codes + more
        return bound, codes
