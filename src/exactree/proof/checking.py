"""Checks a certificate that no tree of thresholds costs less: standard library and NumPy alone.

A certificate holds a tree and a plan: where to look so that everything else is ruled out. Whatever
it says, the bound computed here is a true one. docs/certificates.md describes the file.
e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the cost of
its leaves and a penalty a split. w(A) is the most that the rows A can cost, whatever is answered.
  Mono   e(A, d, k) >= e(B, d, k) - w(B - A), for all A and B: take the best tree of A for B. It
         costs no more on the rows of A, and at most w(B - A) on the others.
  Few    k splits are no better than the leaf if k * penalty >= leaf; n rows need at most n - 1.
  Answers  l leaves give at most l answers, and get all rows of other classes wrong.
  Limit  With a least size of sides every claim has two bounds: without the limit ("free"), and
         with it ("limited"), for which only thresholds with enough on both sides count. Mono holds
         for limited only where A is within B: on B the leaves of a tree only grow.
"""

import csv
import hashlib
import json
import lzma
import re
import sys
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Header = dict[str, Any]
FAMILY = "axis"
LARGEST, LARGEST_HEADER, MEMORY = 1 << 26, 1 << 20, 1 << 27  # unpacked bytes; what unpacking uses
DEEPEST, WIDEST, WORK = 200, 63, 1 << 38  # levels, splits; rows times columns looked at: an hour
CELLS, CHUNK = 1 << 24, 1 << 16  # rows times classes, in all; sums by class and block, at a time
DAMAGE = LookupError, TypeError, ValueError, ArithmeticError, RuntimeError, EOFError, lzma.LZMAError
TOTAL, INFINITE = 1 << 61, 1 << 62  # the cost of all rows stays below; more than any cost


class Rejected(ValueError):
    """The certificate does not show what it says."""


def require(holds: Any, complaint: str) -> bool:
    """Reject the certificate unless something holds."""
    if not holds:
        raise Rejected(complaint)
    return True


def numbers(plan: bytes) -> Any:
    """Read the numbers of a plan: seven bits a byte, lowest first, at most 63 bits in all."""
    for found in re.finditer(rb"[\x80-\xff]{,8}[\0-\x7f]|[\x80-\xff]", plan):
        require(found.group()[-1] < 128, "a number is cut off, or too large")
        yield sum((byte & 127) << 7 * i for i, byte in enumerate(found.group()))


class Rows:
    """What the rules look at, in whole units of cost, if these are the data of a header."""

    def __init__(self, header: Header, X: Array, label: Array, given: Any) -> None:
        same = X.shape == (header["rows"], header["columns"]) and len(label) == len(X)
        same &= header["feature_names"] is None or len(header["feature_names"]) == X.shape[1]
        same &= header["weights"] is (given is not None)
        require(same and header["data"] == data_digest(X, label, given), "these are other data")
        parts = (fraction(header[name]) for name in ("unit", "penalty", "min_weight_leaf"))
        (unit, self.price, heavy), rows = parts, number(header, "min_samples_leaf", 1, TOTAL)
        self.classes, factors = len(header["classes"]), header["class_weight"]
        factors = ["1"] * self.classes if factors is None else factors
        fits = len(factors) == self.classes and (rows == 1 or not heavy)
        require(fits, "not one weight for every class, or two limits on the sides of a split")
        weights = [1] * len(label) if given is None else given.tolist()
        pairs = list(zip(label.tolist(), weights, strict=True))
        exact = {(c, w): fraction(factors[c]) * Fraction(w) / unit for c, w in set(pairs)}
        close = 1 << 19 if header["rounded"] is True else TOTAL  # in units: one millionth
        fine = all(x == round(x) >= 0 or x >= close for x in exact.values())
        weight = np.array([round(exact[pair]) for pair in pairs], np.int64)
        require(fine and weight.any(), "weights that are no multiples of the unit, or all zero")
        self.plain, errors = header["costs"] is None, 1 - np.eye(self.classes, dtype=int)
        costs = errors.tolist() if self.plain else header["costs"]
        fine = all(type(cost) is int and cost >= 0 for row in costs for cost in row)
        self.costs = np.array(costs, np.int64)  # of a unit of weight, by label and answer
        require(fine and self.costs.shape == errors.shape, "costs are no table")
        kept, factor = weight > 0, (self.price / unit).denominator  # whole numbers of 1 / factor
        total = sum(weight.tolist()) * factor * max(1, int(self.costs.max()))
        require(total < TOTAL, "weights times costs are too large: round them to fewer digits")
        self.X, self.label, self.weight = X[kept], label[kept], weight[kept] * factor
        self.ranks = questions(header, self.X)  # by column: places among the different values
        self.unit, self.penalty = unit / factor, min(int(self.price / unit * factor), TOTAL)
        self.least = max(rows, -int(-heavy // unit))  # what each side of a split has to count
        self.size = weight[kept] if heavy else np.ones(len(self.X), np.int64)  # what a row counts
        self.variants = 1 if self.least <= 1 else 2  # free, and limited
        by_label = self.weight * (self.label == np.arange(self.classes)[:, None])
        form = np.float32 if total + self.penalty + self.size.sum() < 1 << 22 else np.int64  # exact
        self.amounts = np.vstack([by_label, *[self.size] * (self.variants - 1)]).astype(form)

    def weighed(self, sums: Array) -> tuple[Array, Array]:
        """Leaf: give w of rows by their weights by label, and what the best answer saves of it."""
        worst, sums = self.costs.max(1), sums[: self.classes]
        if self.plain:
            return sums.sum(0), sums.max(0)
        return np.tensordot(worst, sums, 1), np.tensordot(worst - self.costs.T, sums, 1).max(0)

    def cost_of(self, tree: Any, deepest: int | None, most: int | None) -> Fraction:
        """Give what a tree costs, if it keeps to the budgets."""
        work, cost, splits = [(tree, np.arange(len(self.X)), 0)], 0, 0
        while work:
            node, inside, level = work.pop()
            if "leaf" in node:
                answer = self.costs[:, number(node, "leaf", 0, self.classes - 1)]
                cost += int((self.weight[inside] * answer[self.label[inside]]).sum())
                continue
            column = self.X[inside, number(node, "column", 0, self.X.shape[1] - 1)]
            if "among" in node:
                places = np.where(column < 0, np.inf, np.nan_to_num(column, nan=-1))
                goes = np.isin(places, node["among"])
            else:
                goes = column <= float(node["threshold"])
                goes |= np.isnan(column) & (node.get("missing") == "left")
            splits, sides = splits + 1, [inside[goes], inside[~goes]]
            small = min(self.size[side].sum() for side in sides) < self.least
            require(level not in (deepest, DEEPEST) and not small, "too deep, or a leaf too small")
            a, b = (self.ranks[:, side] for side in sides)
            parted = (a.max(1) < b.min(1)) | (b.max(1) < a.min(1))
            require(parted.any(), "the tree has a question that is none of those that compete")
            work += [(node["left"], sides[0], level + 1), (node["right"], sides[1], level + 1)]
        require(most is None or splits <= most, "the tree has too many splits")
        return cost * self.unit + splits * self.price


class Scanner:
    """Scan: all single splits of the sides of thresholds of a node, by blocks of places.

    Block  A split within a block has on its left what lies before the block, and on its right what
           lies after it. By Mono it costs no less than leaves of these two, so it saves no more
           than they do and w of the block: where that is no more than the best split so far saves,
           the block need not be looked into.
    Sums have label (and at last size), side, column and block: of the rows before the block.
    """

    def __init__(self, rows: Rows, order: Array, ends: Array) -> None:
        (m, n), self.rows = order.shape, rows
        places = 16 if n * rows.classes < 8192 else 64
        self.shape, pad = (m, -(-n // places)), -n % places
        self.row = np.pad(order, ((0, 0), (0, pad)), constant_values=-1).reshape(-1, places)
        self.ends = np.pad(ends, ((0, 0), (0, pad + 1))).reshape(-1, places)
        self.amounts: Any = rows.amounts.take(self.row, 1) * (self.row >= 0)
        self.whole = self.left_of(np.array([0]), np.array([TOTAL]))

    def left_of(self, f: Array, cut: Array) -> Array:
        """Sum up what is left of thresholds: the rows with ranks below the cut in column f."""
        ranks, kind = {g: self.rows.ranks[g][self.row] for g in set(f.tolist())}, self.amounts.dtype
        goes: Any = ((ranks[g] < c).astype(kind) for g, c in zip(f.tolist(), cut, strict=True))
        sums = np.stack([np.einsum("kbp,bp->kb", self.amounts, left) for left in goes], 1)
        return np.pad(sums.reshape(-1, len(f), *self.shape), [(0, 0)] * 3 + [(1, 0)]).cumsum(3)

    def costs(self, f: Array, cut: Array, used: Array) -> Any:
        """Give the costs of a leaf, and of a leaf or the best split, of such sides in turn."""
        found, step = [], max(1, CHUNK // self.whole.size)
        for some in (slice(first, first + step) for first in range(0, len(f), step)):
            (k, s), left = np.nonzero(used[some]), self.left_of(f[some], cut[some])
            sums = np.where(s[:, None, None], self.whole - left[:, k], left[:, k])
            found.append(self.best(sums, f[some][k], cut[some][k], s))
        return map(np.concatenate, zip(*found, strict=True))

    def best(self, sums: Array, *sides: Array) -> tuple[Array, Array]:
        """Give these costs, free and limited, for some sides."""
        rows = self.rows
        (most, before), (_, after) = rows.weighed(sums), rows.weighed(sums[..., -1:] - sums)
        hope = (before[..., :-1] + after[..., 1:] + np.diff(most)).reshape(-1, len(self.row))
        most, alone = most[:, 0, -1], before[:, 0, -1]
        best = np.repeat((alone + rows.penalty)[:, None], rows.variants, 1)
        ends = np.where(self.ends[:, -1].reshape(self.shape), (before + after)[..., 1:], 0)
        self.look(sums, sides, best, np.arange(len(best)), ends.reshape(hope.shape).argmax(1))
        self.look(sums, sides, best, *np.nonzero(hope > best[:, -1:]))
        return most - alone, most[:, None] - best + rows.penalty

    def look(self, sums: Array, sides: Any, best: Array, k: Array, at: Array) -> None:
        """Try all splits within some blocks of some sides."""
        rows, (g, b), (f, cut, s) = self.rows, np.divmod(at, self.shape[1]), sides
        inside = (rows.ranks[f[k, None], self.row[at]] < cut[k, None]) != s[k, None]
        left = (self.amounts.take(at, 1) * inside).cumsum(2) + sums[:, k, g, b, None]
        right = sums[:, k, 0, -1, None] - left
        saved = np.where(self.ends[at], rows.weighed(left)[1] + rows.weighed(right)[1], 0)
        for v in range(rows.variants):
            fine = np.minimum(left[-1], right[-1]) >= rows.least if v else True
            np.maximum.at(best[:, v], k, np.where(fine, saved, 0).max(1))


class Checker:
    """Bounds from data and a plan. A node is, by column, its rows in the order of that column."""

    def __init__(self, rows: Rows, plan: bytes, work: int) -> None:
        self.rows, self.plan, self.work = rows, numbers(plan), work
        self.influence = rows.weight * rows.costs.max(1)[rows.label]  # w of each row

    def budgets(self, depth: int, splits: int | None) -> int:
        """Count the bounds of a claim: one for each number of splits, or one for the depth."""
        return 1 if splits is None else min(splits, (1 << min(depth, 60)) - 1) + 1

    def entries(self, ends: Array) -> tuple[Array, Array]:
        """Read the thresholds of a column, as positions, and which of their sides are bounded."""
        require(self.work >= 0, "the plan takes more work than the certificate says")
        count = next(self.plan, len(ends) + 1)
        require(count <= len(ends), "the plan is cut off, or has more thresholds than rows")
        codes = np.array([next(self.plan, 0) for _ in range(count)], np.int64)
        positions = np.minimum(codes >> 2, len(ends) + 1).cumsum()
        fine = (codes > 3).all() and (positions <= len(ends)).all() and ends[positions - 1].all()
        require(fine, "the plan is cut off, or has a threshold where no larger value begins")
        return positions, (codes[:, None] >> np.arange(2) & 1).astype(bool)

    def claim(self, order: Array, depth: int, splits: int | None) -> Array:
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit."""
        self.work -= order.size
        most, saved = self.rows.weighed(self.rows.amounts[:, order[0]].sum(1))
        leaf, budgets = int(most - saved), self.budgets(depth, splits)
        depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)  # Few
        if leaf == 0 or self.rows.penalty:
            depth = min(depth, (leaf - 1) // self.rows.penalty) if leaf else 0
        bound = np.full((self.rows.variants, self.budgets(depth, splits)), leaf)
        ends = np.diff(np.take_along_axis(self.rows.ranks, order, 1)) != 0  # a larger value begins
        if depth == 1:
            scanner = Scanner(self.rows, order, ends)
            bound[:, -1:] = scanner.best(scanner.whole, *np.array([[0], [TOTAL], [0]]))[1].T
        elif depth > 1:
            bound = np.minimum(bound, self.cover(order, ends, depth, splits))
        return bound[:, np.minimum(np.arange(budgets), bound.shape[1] - 1)]

    def cover(self, order: Array, ends: Array, depth: int, splits: int | None) -> Array:
        """Give the least bound of all splits.

        Cover  e(S, d, k) is the least of the leaf and, over all splits t and i + j = k - 1, of
               penalty + e(left of t, d - 1, i) + e(right of t, d - 1, j). The plan lists sides of
               thresholds to be bounded; Mono carries what is found to all others of the column.
        """
        below, read, ranks = None if splits is None else splits - 1, [], self.rows.ranks
        shape = (2, self.rows.variants, self.budgets(depth - 1, below))
        for g, column in enumerate(ends):
            positions, used = self.entries(column)
            cut, known = ranks[g, order[g, positions]], np.zeros((len(used), *shape), np.int64)
            for i, s in np.argwhere(used & (depth > 2)):
                child = order[((ranks[g] < cut[i]) != s)[order]].reshape(len(order), -1)
                known[i, s] = self.claim(child, depth - 1, below)
            read.append((np.full(len(cut), g), positions, cut, used, known))
        f, positions, cut, used, known = map(np.concatenate, zip(*read, strict=True))
        if depth == 2 and len(f):
            sizes = np.stack([positions, order.shape[1] - positions], 1)
            self.work -= int(sizes[used].sum()) * len(order)
            leaf, split = Scanner(self.rows, order, ends).costs(f, cut, used)
            known[used, :, 0], known[used, :, -1] = leaf[:, None], split
        each = [(order[g], ends[g], positions[f == g], known[f == g]) for g in range(len(order))]
        return np.asarray(np.min([self.along(*some, depth, splits) for some in each], axis=0))

    def along(self, inside: Array, ends: Array, positions: Array, known: Array, *by: Any) -> Array:
        """Give the least of the bounds of all thresholds of a column, by Mono from those given."""
        places, (depth, splits) = np.flatnonzero(ends) + 1, by
        weight, size = (each[inside].cumsum() for each in (self.influence, self.rows.size))
        before, at = weight[places - 1], np.searchsorted(places, positions)
        left = self.spread(before, at, known[:, 0])
        right = self.spread((weight[-1] - before)[::-1], len(places) - 1 - at, known[:, 1])[::-1]
        leaves = [1 << depth - 1] if splits is None else range(1, known.shape[3] + 1)
        beyond = [max(0, self.rows.classes * self.rows.plain - most) for most in leaves]
        if any(beyond):  # Answers: so many classes, the lightest, are wrong
            sums = self.rows.amounts[: self.rows.classes, inside].cumsum(1)
            for side, weights in (left, sums), (right, sums[:, -1:] - sums):
                light = np.sort(weights[:, places - 1], 0).astype(np.int64)
                wrong = np.stack([light[:count].sum(0) for count in beyond], 1)
                np.maximum(side, wrong[:, None], out=side)
        out, most = np.full((*left.shape[:2], self.budgets(*by)), INFINITE), left.shape[2] - 1
        shares = [(k, i) for k in range(1, out.shape[2]) for i in range(min(k - 1, most) + 1)]
        for k, i in shares or [(0, 0)]:
            both = left[..., i] + right[..., min(max(0, k - 1 - i), most)]
            out[..., k] = np.minimum(out[..., k], both)
        out[np.minimum(size, size[-1] - size)[places - 1] < self.rows.least, 1:] = INFINITE
        return np.asarray(out.min(0, initial=INFINITE) + self.rows.penalty)

    def spread(self, before: Array, at: Array, known: Array) -> Array:
        """Mono along sets that grow: a larger one costs no less, a smaller one by w less."""
        given, where = np.zeros((len(before), *known.shape[1:]), np.int64), before[:, None, None]
        given[at] = known
        smaller = np.maximum.accumulate((given - where)[::-1])[::-1] + where
        found = np.maximum(smaller, np.maximum.accumulate(given[:, :1]))  # larger: only free ones
        return np.asarray(np.maximum(found, found[:, :1]))  # a limit makes nothing cheaper


def floats(kinds: Any, table: Any) -> Array:
    """Read columns: NaN where a value is missing, or else its place where values are listed."""
    out = []
    for kind, column in zip(kinds, table, strict=True):
        places = {str(value): i for i, value in enumerate(kind["values"])} if kind else None
        known = [None if v is None or v != v or v == "" else v for v in column]
        out.append([v if v is None or places is None else places[str(v)] for v in known])
    return np.array(out, np.float64).T


def questions(header: Header, X: Array) -> Array:
    """Give the columns of ranks whose thresholds are the splits of a table.

    Missing values come first, and last: two columns. Where categories are asked for, each, or each
    set of them that has the first, is a column of two ranks; a missing value is one of them.
    """
    out: list[Any] = []
    for kind, column in zip(header.get("kinds") or [None] * X.shape[1], X.T, strict=True):
        lost, asked = np.isnan(column), kind["asked"] if kind else "order"
        codes = np.unique(np.where(lost, -1, column), return_inverse=True)[1].reshape(-1)
        found: Any = (codes != one for one in range(codes.max() + 1))
        if asked == "order":
            found = (np.where(lost, end, column) for end in (-np.inf, np.inf)[: 1 + lost.any()])
        elif asked == "subset":
            require(codes.max() < 10, "too many categories for all subsets of them")
            found = (~(some >> codes) & 1 for some in range(1, max(2, (2 << codes.max()) - 1), 2))
        for values in found:
            out.append(np.unique(values, return_inverse=True)[1].reshape(-1))
            require(len(out) * len(X) <= 8 * CELLS, "too large for this checker")
    return np.stack(out).astype(np.int64)


def read(path: Any) -> tuple[Header, bytes]:
    """Give header and plan of a certificate; nothing in them has been checked."""
    with open(path, "rb") as file:
        packed = file.read(LARGEST + 1)
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
    data = unpacker.decompress(packed, LARGEST + 1)
    line, end, plan = data.partition(b"\n")
    fits = len(data) <= LARGEST and len(line) <= LARGEST_HEADER and unpacker.eof and end
    require(fits and not unpacker.unused_data, "it is too long when unpacked, or cut off")
    once = lambda some: require(len(dict(some)) == len(some), "a name twice") and dict(some)  # noqa: E731
    header = json.loads(line, object_pairs_hook=once)
    known = [header["format"], header["version"], header["family"]]
    require(known == ["exactree.proof", 1, FAMILY], f"not for this checker: {known}")
    return header, plan


def data_digest(X: Array, y: Array, weight: Array | None) -> str:
    """Give the SHA-256 that a certificate knows its data by: values, classes, row weights."""
    digest = hashlib.sha256(b"exactree.data 1\n%d %d %d\n" % (*X.shape, weight is not None))
    for part in [X, y] if weight is None else [X, y, weight]:
        known = np.where(part == part, part, np.nan).astype(f"<{part.dtype.kind}8")
        digest.update((known + 0).tobytes())  # NaN is written in one way, -0.0 as 0.0
    return digest.hexdigest()


def number(header: Header, name: str, least: int, most: Any, *, optional: bool = False) -> Any:
    """Read a whole number of the header."""
    whole = type(value := header[name]) is int and least <= value <= most
    require(whole or (optional and value is None), f"{name} is {value!r}")
    return value


def fraction(text: Any) -> Fraction:
    """Read a fraction of the header, such as 3 or 3/4."""
    require(isinstance(text, str) and re.fullmatch(r"\d{1,40}(/\d{1,40})?", text), f"{text!r}?")
    return Fraction(text)


def check(path: Any, X: Any, y: Any, sample_weight: Any = None, *, work: int = WORK) -> Header:
    """Check a certificate against the data; its header is what has been shown."""
    try:
        header, plan = read(path)
        names = {str(name): i for i, name in enumerate(header["classes"])}
        require(len(names) == len(header["classes"]), "two classes have the same name")
        label = np.array([names[str(name)] for name in np.asarray(y).tolist()], np.int64)
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        X = floats(header["kinds"], X) if header.get("kinds") else np.asarray(X, np.float64)
        fine = X.ndim == 2 and len(names) * len(X) <= CELLS and not np.isinf(X).any()
        require(fine, "no table of finite numbers, or too large for this checker")
        rows = Rows(header, X, label, weight)
        depth = number(header, "max_depth", 0, DEEPEST, optional=True)
        splits = number(header, "max_splits", 0, WIDEST, optional=True)
        order = np.argsort(rows.ranks, axis=1, kind="stable")
        checker = Checker(rows, plan, number(header, "work", 0, work))
        bounds = checker.claim(order, order.shape[1] if depth is None else depth, splits)[-1]
        over = next(checker.plan, None) is None and checker.work >= 0 and header["results"]
        require(over, "the plan is too long, or there are no results")
        for result in header["results"]:
            most = number(result, "max_splits", 0, splits, optional=splits is None)
            bound = int(bounds[min(most or 0, len(bounds) - 1)]) * rows.unit
            value = rows.cost_of(result["tree"], depth, most)
            require(fraction(result["value"]) == value, f"the tree costs {value}")
            require(fraction(result["bound"]) <= bound, f"the plan shows only {bound}")
    except DAMAGE as error:
        raise Rejected(str(error)) from error
    return header


def main(path: str, data: str, target: str = "", weights: str = "") -> None:
    """python checking.py proof.xz data.csv [target [weights]]: data with names of columns."""
    header, _ = read(path)
    with open(data, encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    target = target or header["target"]
    names = header["feature_names"] or [name for name in table[0] if name not in (target, weights)]
    columns = [[row[name] for row in table] for name in names]
    X = columns if header.get("kinds") else np.array(columns, np.float64).T
    given = [float(row[weights]) for row in table] if weights else None
    check(path, X, [row[target] for row in table], given)
    sys.stdout.write(f"checked: {json.dumps(header)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
