"""Short forms of what others do with planes: two solvers that prove nothing.

A logistic regression at every node, and tree alternating optimisation: nodes in turn, each a
logistic regression on the rows whose fate it decides, starting from CART.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Labels, Matrix
from benchmarks.jobs import Problem
from benchmarks.solvers import Answer, Options, Prepared, solver

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def _plane(Z: Floats, wanted: Bools, weights: Floats | None = None) -> Floats:
    """A logistic regression: the coefficients and the constant."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=200, C=10.0).fit(Z, wanted, sample_weight=weights)
    return np.append(model.coef_[0], model.intercept_[0])


def _standardised(X: Matrix) -> Floats:
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _gini(y: Labels) -> float:
    counts = np.bincount(y)
    return float(len(y) - (counts**2).sum() / max(len(y), 1))


def logistic_errors(Z: Floats, y: Labels, depth: int) -> int:
    """Errors of a greedy tree: at every node the class against the others of least Gini index."""
    counts = np.bincount(y)
    present = np.flatnonzero(counts)
    leaf = int(len(y) - counts.max())
    if depth == 0 or len(present) < 2:
        return leaf
    sides = []
    for label in present[1:] if len(present) == 2 else present:
        plane = _plane(Z, y == label)
        sides.append(Z @ plane[:-1] + plane[-1] > 0)
    right = min(sides, key=lambda side: _gini(y[side]) + _gini(y[~side]))
    if right.all() or not right.any():
        return leaf
    return logistic_errors(Z[right], y[right], depth - 1) + logistic_errors(
        Z[~right], y[~right], depth - 1
    )


class AlternatingTree:
    """A complete tree of planes in the order of a heap, whose nodes are fitted in turn."""

    PASSES = 20

    def __init__(self, Z: Floats, y: Labels, depth: int) -> None:
        self.Z, self.y, self.nodes = Z, y, 2**depth - 1
        self.planes = np.zeros((self.nodes, Z.shape[1] + 1))
        self.planes[:, -1] = -1.0  # everything goes left
        self._copy_cart(depth)
        self.right = np.array([self._side(k) for k in range(self.nodes)])

    def errors(self) -> int:
        """Improve until a pass brings nothing; the fewest errors met."""
        best = self._relabel()
        for _ in range(self.PASSES):
            for k in reversed(range(self.nodes)):
                self._fit(k)
            now = self._relabel()
            if now >= best:
                break
            best = now
        return best

    def _copy_cart(self, depth: int) -> None:
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(self.Z, self.y).tree_
        pending = [(0, 0)]
        while pending:
            k, node = pending.pop()
            if k >= self.nodes or tree.children_left[node] < 0:
                continue
            self.planes[k] = 0.0
            self.planes[k, tree.feature[node]] = 1.0
            self.planes[k, -1] = -tree.threshold[node]
            pending += [(2 * k + 1, tree.children_left[node])]
            pending += [(2 * k + 2, tree.children_right[node])]

    def _side(self, k: int) -> Bools:
        return np.asarray(self.Z @ self.planes[k, :-1] + self.planes[k, -1] > 0)

    def _ends(self, k: int) -> NDArray[np.int64]:
        """Where all rows would end below node k."""
        at = np.full(len(self.y), k)
        while at[0] < self.nodes:
            at = 2 * at + 1 + self.right[at, np.arange(len(at))]
        return np.asarray(at - self.nodes)

    def _rows(self, k: int) -> Bools:
        inside = np.ones(len(self.y), dtype=bool)
        while k:
            parent = (k - 1) // 2
            inside &= self.right[parent] == (k % 2 == 0)
            k = parent
        return inside

    def _relabel(self) -> int:
        counts = np.zeros((self.nodes + 1, int(self.y.max()) + 1), dtype=np.int64)
        np.add.at(counts, (self._ends(0), self.y.astype(np.int64)), 1)
        self.labels = counts.argmax(axis=1)
        return int(len(self.y) - counts.max(axis=1).sum())

    def _fit(self, k: int) -> None:
        wrong = [self.labels[self._ends(2 * k + 1 + s)] != self.y for s in range(2)]
        care = self._rows(k) & (wrong[0] != wrong[1])
        wanted = wrong[0][care]
        if len(wanted) < 2 or wanted.all() or not wanted.any():
            return
        plane = _plane(self.Z[care], wanted)
        fitted = self.Z[care] @ plane[:-1] + plane[-1] > 0
        if (fitted != wanted).sum() <= (self.right[k][care] != wanted).sum():
            self.planes[k] = plane
            self.right[k] = self._side(k)


@solver("logistic_tree", "scikit-learn", exact=False)
def logistic_tree(
    X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options
) -> Prepared:
    """Greedy, a logistic regression at every node."""
    Z, depth = _standardised(X), problem.max_depth or 1
    return Prepared(lambda: logistic_errors(Z, y, depth), _greedy)


@solver("tao", "scikit-learn", exact=False)
def tao(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """Alternating logistic regressions, from CART."""
    Z, depth = _standardised(X), problem.max_depth or 1
    return Prepared(lambda: AlternatingTree(Z, y, depth).errors(), _greedy)


def _greedy(errors: Any) -> Answer:
    return Answer(int(errors), "greedy")
