"""Short forms of what others do with planes: two models that prove nothing.

A logistic regression at every node, and tree alternating optimisation: nodes in turn, each a
logistic regression on the rows whose fate it decides, starting from CART.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Labels, Matrix
from benchmarks.jobs import Problem
from benchmarks.solvers import Answer, Options, Prepared, solver

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Integers = NDArray[np.int64]


def _plane(Z: Floats, wanted: Bools) -> Floats:
    """A logistic regression: the coefficients and the constant."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=200, C=10.0).fit(Z, wanted)
    return np.append(model.coef_[0], model.intercept_[0])


def _above(Z: Floats, plane: Floats) -> Bools:
    return np.asarray(Z @ plane[:-1] + plane[-1] > 0)


def _gini(y: Labels) -> float:
    counts = np.bincount(y)
    return float(len(y) - (counts**2).sum() / max(len(y), 1))


class HeapTree:
    """A complete tree in the order of a heap: planes over standardised columns, and labels."""

    def __init__(self, max_depth: int) -> None:
        self.depth, self.nodes = max_depth, 2**max_depth - 1

    def fit(self, X: Matrix, y: Labels) -> Self:
        spread = X.std(axis=0)
        self.centre, self.spread = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.planes = np.zeros((self.nodes, X.shape[1] + 1))
        self.planes[:, -1] = -1.0  # everything goes left
        self.labels = np.zeros(self.nodes + 1, dtype=np.int64)
        self._fit((X - self.centre) / self.spread, np.asarray(y, dtype=np.int64))
        return self

    def predict(self, X: Matrix) -> Integers:
        Z = (X - self.centre) / self.spread
        sides = np.array([_above(Z, plane) for plane in self.planes])
        return np.asarray(self.labels[self._ends(sides, 0)])

    @property
    def splits(self) -> int:
        return int(self.planes[:, :-1].any(axis=1).sum())

    def _fit(self, Z: Floats, y: Integers) -> None:
        raise NotImplementedError

    def _ends(self, sides: Bools, k: int) -> Integers:
        """Where all rows would end below node k."""
        at = np.full(sides.shape[1], k)
        rows = np.arange(len(at))
        while len(at) and at[0] < self.nodes:
            at = 2 * at + 1 + sides[at, rows]
        return np.asarray(at - self.nodes)


class LogisticTree(HeapTree):
    """Greedy: at every node the class against the others that has the least Gini index."""

    def _fit(self, Z: Floats, y: Integers) -> None:
        self._grow(0, Z, y)

    def _grow(self, k: int, Z: Floats, y: Integers) -> None:
        present = np.unique(y)
        if k >= self.nodes:
            self.labels[k - self.nodes] = np.bincount(y).argmax() if len(y) else 0
            return
        right = np.zeros(len(y), dtype=bool)
        if len(present) > 1:
            wanted = present[1:] if len(present) == 2 else present
            planes = [_plane(Z, y == label) for label in wanted]
            sides = [_above(Z, plane) for plane in planes]
            best = min(range(len(planes)), key=lambda i: _gini(y[sides[i]]) + _gini(y[~sides[i]]))
            if sides[best].any() and not sides[best].all():
                self.planes[k], right = planes[best], sides[best]
        self._grow(2 * k + 1, Z[~right], y[~right])
        self._grow(2 * k + 2, Z[right], y[right])


class AlternatingTree(HeapTree):
    """Nodes fitted in turn until a pass over all of them brings nothing."""

    PASSES = 20

    def _fit(self, Z: Floats, y: Integers) -> None:
        self._copy_cart(Z, y)
        self.sides = np.array([_above(Z, plane) for plane in self.planes])
        best, kept = self._relabel(y), (self.planes.copy(), self.labels)
        for _ in range(self.PASSES):
            for k in reversed(range(self.nodes)):
                self._fit_node(k, Z, y)
            now = self._relabel(y)
            if now >= best:
                break
            best, kept = now, (self.planes.copy(), self.labels)
        self.planes, self.labels = kept

    def _copy_cart(self, Z: Floats, y: Integers) -> None:
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(max_depth=self.depth, random_state=0).fit(Z, y).tree_
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

    def _rows(self, k: int) -> Bools:
        inside = np.ones(self.sides.shape[1], dtype=bool)
        while k:
            parent = (k - 1) // 2
            inside &= self.sides[parent] == (k % 2 == 0)
            k = parent
        return inside

    def _relabel(self, y: Integers) -> int:
        counts = np.zeros((self.nodes + 1, int(y.max()) + 1), dtype=np.int64)
        np.add.at(counts, (self._ends(self.sides, 0), y), 1)
        self.labels = counts.argmax(axis=1)
        return int(len(y) - counts.max(axis=1).sum())

    def _fit_node(self, k: int, Z: Floats, y: Integers) -> None:
        wrong = [self.labels[self._ends(self.sides, 2 * k + 1 + s)] != y for s in range(2)]
        care = self._rows(k) & (wrong[0] != wrong[1])
        wanted = wrong[0][care]
        if len(wanted) < 2 or wanted.all() or not wanted.any():
            return
        plane = _plane(Z[care], wanted)
        if (_above(Z[care], plane) != wanted).sum() <= (self.sides[k][care] != wanted).sum():
            self.planes[k], self.sides[k] = plane, _above(Z, plane)


def _fitted(model: HeapTree, X: Matrix, y: Labels) -> Prepared:
    def read(fitted: Any) -> Answer:
        return Answer(int((fitted.predict(X) != y).sum()), "greedy")

    return Prepared(lambda: model.fit(X, y), read)


@solver("logistic_tree", "scikit-learn", exact=False)
def logistic_tree(
    X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options
) -> Prepared:
    """Greedy, a logistic regression at every node."""
    return _fitted(LogisticTree(problem.max_depth or 1), X, y)


@solver("tao", "scikit-learn", exact=False)
def tao(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """Alternating logistic regressions, from CART."""
    return _fitted(AlternatingTree(problem.max_depth or 1), X, y)
