"""Optimal trees of hyperplanes as a mixed-integer program, solved by HiGHS: an independent check.

In the manner of OCT-H. The tree is complete, of a given depth; t runs over its splits, l over its
leaves, i over the rows, c over the classes.

    w_t, h_t   a row goes left at t if w_t . x <= h_t; each |w_tj| <= 1
    z_il       row i ends in leaf l (binary, one per row)
    a_lc       leaf l has class c (binary, one per leaf)
    e_i        row i is an error:  e_i >= z_il - a_lc  for its class c, for every l

    w_t . x_i - h_t <= -g + M (1 - left_it),   left_it: the sum of z_il over the leaves left of t
    w_t . x_i - h_t >=  g - M (1 - right_it),  right_it: likewise on the right

**The margin g takes nothing away.** The rows are integers with |x_ij| <= R. If a hyperplane parts
some rows, then the greatest g with |w_j| <= 1 is attained at a vertex of a polyhedron whose
constraints have the integer coefficients (x_i, 1, 1) or are w_j = +-1, with right-hand sides 0 and
+-1; at least one w_j = +-1 holds there, since (w, h, g) could be scaled up else. By Cramer's rule
g = p / q with integers p and q, and by Hadamard's bound |q| <= ((D - 1) R^2 + 2) ^ ((D + 1) / 2).
So g >= 1 / that; and a side without rows is possible with any g.

**Tolerances do not matter.** HiGHS allows 1e-6 on integers and on constraints, which moves a side
by less than (1 + M) 1e-6. Data for which that is not far below g are refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_matrix, lil_matrix

SAFETY = 100


@dataclass(frozen=True)
class TreeProgram:
    """The program for rows, classes and a depth. Variables come as w, h, z, a, e."""

    X: NDArray[np.int64]
    y: NDArray[np.int64]
    depth: int

    def __post_init__(self) -> None:
        if self.margin < SAFETY * 1e-6 * (1 + self.big):
            raise ValueError(
                f"values up to {abs(self.X).max()} in {self.X.shape[1]} columns: give smaller "
                "integers, or the tolerance of the solver could decide"
            )

    @classmethod
    def of(cls, X: NDArray[Any], y: NDArray[Any], depth: int) -> "TreeProgram":
        """Centre the columns, which changes nothing but makes the numbers small."""
        table = np.asarray(X).astype(np.int64)
        if not np.array_equal(table, X):
            raise ValueError("the rows are not integers")
        middle = (table.min(axis=0) + table.max(axis=0)) // 2
        return cls(table - middle, np.unique(y, return_inverse=True)[1].astype(np.int64), depth)

    @property
    def margin(self) -> float:
        columns, reach = self.X.shape[1], int(abs(self.X).max())
        return float(((columns - 1) * reach**2 + 2) ** (-(columns + 1) / 2))

    @property
    def reach(self) -> float:
        """What w . x cannot exceed."""
        return float(abs(self.X).sum(axis=1).max())

    @property
    def big(self) -> float:
        return 2 * self.reach + 2 * self.margin

    @property
    def sizes(self) -> tuple[int, int, int, int, int]:
        """How many w, h, z, a, e."""
        splits, leaves, rows = 2**self.depth - 1, 2**self.depth, len(self.y)
        classes = int(self.y.max()) + 1
        return splits * self.X.shape[1], splits, rows * leaves, leaves * classes, rows

    def starts(self) -> list[int]:
        return [0, *np.cumsum(self.sizes).tolist()]

    def solve(self, seconds: float = np.inf) -> OptimizeResult:
        """Let HiGHS find the fewest errors; `fun` is their number, `mip_dual_bound` its bound."""
        w, h, z, a, e = self.sizes
        far = self.reach + self.margin
        low = np.r_[-np.ones(w), np.full(h, -far), np.zeros(z + a + e)]
        high = np.r_[np.ones(w), np.full(h, far), np.ones(z + a + e)]
        return milp(
            np.r_[np.zeros(w + h + z + a), np.ones(e)],
            integrality=np.r_[np.zeros(w + h), np.ones(z + a), np.zeros(e)],
            bounds=Bounds(low, high),
            constraints=[self._sides(), self._choices(), self._errors()],
            options={"mip_rel_gap": 0.0} | ({} if seconds == np.inf else {"time_limit": seconds}),
        )

    def _sides(self) -> LinearConstraint:
        """For each split, row and side: s (w.x - h) + M * (z of the leaves there) <= M - g."""
        rows, columns = self.X.shape
        first = self.starts()
        splits = first[2] - first[1]
        matrix = lil_matrix((2 * splits * rows, first[-1]))
        at = 0
        for t in range(splits):
            for i in range(rows):
                for sign, leaves in zip((1, -1), self._below(t), strict=True):
                    matrix[at, t * columns : (t + 1) * columns] = sign * self.X[i]
                    matrix[at, first[1] + t] = -sign
                    for leaf in leaves:
                        matrix[at, first[2] + i * (splits + 1) + leaf] = self.big
                    at += 1
        return LinearConstraint(csr_matrix(matrix), ub=self.big - self.margin)

    def _below(self, t: int) -> tuple[range, range]:
        """The leaves left and right of split t; the children of t are 2t + 1 and 2t + 2."""
        level = (t + 1).bit_length() - 1
        width = 2 ** (self.depth - level)
        start = (t + 1 - 2**level) * width
        return range(start, start + width // 2), range(start + width // 2, start + width)

    def _choices(self) -> LinearConstraint:
        """One leaf for each row, one class for each leaf."""
        first, (_, _, z, a, _) = self.starts(), self.sizes
        leaves = 2**self.depth
        groups = [range(first[2] + k, first[2] + k + leaves) for k in range(0, z, leaves)]
        classes = a // leaves
        groups += [range(first[3] + k, first[3] + k + classes) for k in range(0, a, classes)]
        matrix = lil_matrix((len(groups), first[-1]))
        for at, group in enumerate(groups):
            matrix[at, list(group)] = 1
        return LinearConstraint(csr_matrix(matrix), lb=1, ub=1)

    def _errors(self) -> LinearConstraint:
        """e_i - z_il + a_lc >= 0."""
        first, leaves = self.starts(), 2**self.depth
        classes = self.sizes[3] // leaves
        matrix = lil_matrix((len(self.y) * leaves, first[-1]))
        for i, c in enumerate(self.y.tolist()):
            for leaf in range(leaves):
                at = i * leaves + leaf
                matrix[at, first[4] + i] = 1
                matrix[at, first[2] + at] = -1
                matrix[at, first[3] + leaf * classes + c] = 1
        return LinearConstraint(csr_matrix(matrix), lb=0)


def fewest_errors(X: Any, y: Any, depth: int) -> int:
    """The optimum, if HiGHS proves it."""
    found = TreeProgram.of(np.asarray(X), np.asarray(y), depth).solve()
    if not found.success:
        raise RuntimeError(f"HiGHS did not finish: {found.message}")
    return round(float(found.fun))
