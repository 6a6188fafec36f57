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
        self.codes: list[int] = []
        self.cells = self.need = 0

    @property
    def spent(self) -> int:
        """The work that the plan takes."""
        return (1 << 62) - self.work

    def prove(self, inside: Array, depth: int, splits: int | None, need: int) -> Found:
        """Give bounds of e(S, depth, k), at least `need` or exact, and the plan for them."""
        self.need = need
        return self.claim(inside, depth, splits), self.codes

    def cell(self, inside: Array, alive: Array, depth: int, splits: int | None) -> Array:
        """Do what the checker does in a cell, deciding where it reads."""
        if not len(alive):
            return super().cell(inside, alive, depth, splits)
        check_for_interrupts()
        self.work -= alive.size
        self.cells += 1
        if self.cells > MOST_CODES:
            raise ValueError(
                "the proof is too long to be written: certify a problem with a smaller max_depth"
            )
        if len(alive) == 1 or self.may_close(inside, alive):
            work, codes = self.work, len(self.codes)
            self.codes.append(0)
            found = self.close(inside, alive, depth, splits)
            if len(alive) == 1 or (found[:, 0 if splits is None else 1 :] >= self.need).all():
                return found
            self.work = work
            del self.codes[codes:]
        row = int(np.abs(alive.mean(0) - 0.5).argmin())
        self.codes.append(row + 1)
        sides = (alive[alive[:, row]], alive[~alive[:, row]])
        return np.minimum(*(self.cell(inside, side, depth, splits) for side in sides))

    def may_close(self, inside: Array, alive: Array) -> bool:
        """Tell whether the leaves of both sides, which cost no less than trees, are enough."""
        rows = np.flatnonzero(inside)
        sides = (rows[alive.all(0)], rows[~alive.any(0)])
        most = sum(int(self.rows.answers(side).min()) for side in sides)
        return most + self.rows.penalty >= self.need
