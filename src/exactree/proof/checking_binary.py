"""Checks a certificate that no tree of columns of two values costs less: NumPy alone.

    python checking_binary.py proof.xz data.csv [target [weights]]

A certificate holds a tree and a plan: where to look so that everything else is ruled out. Whatever
it says, the bound computed here is a true one. docs/certificates.md describes the file.
e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the cost of
its leaves and a penalty a split. w(A) is the most that the rows A can cost, whatever is answered.
A column has two values, 0 and 1: it parts the rows in one way.
  Pairs  The weights, by class, of the rows where two columns are 1, for all pairs of columns, give
         those of all leaves of trees of two levels: e(S, 2, k) is the least of all these trees.
  Mono   e(A, d, k) >= e(B, d, k) - w(B - A), for all A and B: take the best tree of A for B. It
         costs no more on the rows of A, and at most w(B - A) on the others.
  Cover  e(S, d, k) is the least of the leaf and, over all columns and i + j = k - 1, of
         penalty + e(zeros of the column, d - 1, i) + e(its ones, d - 1, j). The plan lists columns
         whose sides are to be bounded; Mono carries what is found to the sides of all others.
  Few    k splits are no better than the leaf if k * penalty >= leaf; n rows need at most n - 1.
  Limit  With a least size of sides every claim has two bounds: without the limit ("free"), and
         with it ("limited"), for which only splits with enough on both sides count. Mono holds for
         limited only where A is within B: on B the leaves of a tree only grow.
"""

from __future__ import annotations

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

FAMILY = "binary"
LARGEST, LARGEST_HEADER, MEMORY = 1 << 26, 1 << 20, 1 << 27  # unpacked bytes; what unpacking uses
DEEPEST, WIDEST, WORK = 200, 63, 1 << 40  # levels, splits; see Checker.claim: an hour
CELLS, TABLE = 1 << 24, 1 << 24  # rows times classes or columns; classes times pairs of columns
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
    for found in re.finditer(rb"[\x80-\xff]*[\0-\x7f]|[\x80-\xff]+", plan):
        bytes_ = found.group()
        require(len(bytes_) <= 9 and bytes_[-1] < 128, "a number is cut off, or too large")
        yield sum((byte & 127) << 7 * i for i, byte in enumerate(bytes_))


class Rows:
    """What the rules look at, in whole units of cost, if these are the data of a header."""

    def __init__(self, header: Header, X: Array, label: Array, given: Any) -> None:
        same = X.shape == (header["rows"], header["columns"]) and len(label) == len(X)
        same &= header["feature_names"] is None or len(header["feature_names"]) == X.shape[1]
        same &= header["weights"] is (given is not None)
        require(same and header["data"] == data_digest(X, label, given), "these are other data")
        unit, self.price = fraction(header["unit"]), fraction(header["penalty"])
        heavy = fraction(header["min_weight_leaf"])
        count = number(header, "min_samples_leaf", 1, TOTAL)
        self.classes, factors = len(header["classes"]), header["class_weight"]
        factors = ["1"] * self.classes if factors is None else factors
        fits = len(factors) == self.classes and (count == 1 or not heavy)
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
        self.least = max(count, -int(-heavy // unit))  # what each side of a split has to count
        self.size = weight[kept] if heavy else np.ones(len(self.X), np.int64)  # what a row counts

    def cost_of(self, tree: Any, deepest: int | None, most: int | None) -> Fraction:
        """Give what a tree costs, if it keeps to the budgets."""
        work, cost, splits = [(tree, np.arange(len(self.X)), 0)], 0, 0
        while work:
            node, inside, level = work.pop()
            if "leaf" in node:
                answer = self.costs[:, number(node, "leaf", 0, self.classes - 1)]
                cost += int((self.weight[inside] * answer[self.label[inside]]).sum())
                continue
            splits, j = splits + 1, number(node, "column", 0, self.X.shape[1] - 1)
            column = self.X[inside, j]
            if "among" in node:
                goes = np.isin(np.where(np.isnan(column), -1, column), node["among"])
            else:
                goes = column <= float(node["threshold"])
                goes |= np.isnan(column) & (node.get("missing") == "left")
            sides = [inside[goes], inside[~goes]]
            small = min(self.size[side].sum() for side in sides) < self.least
            fits = level < (DEEPEST if deepest is None else deepest) and not small
            require(fits, "the tree is too deep, or a leaf too small")
            a, b = (self.ranks[:, side] for side in sides)
            known = (a.max(1) < b.min(1)).any() or (b.max(1) < a.min(1)).any()
            require(known, "the tree has a question that is none of those that compete")
            work += [(node["left"], sides[0], level + 1), (node["right"], sides[1], level + 1)]
        require(most is None or splits <= most, "the tree has too many splits")
        return cost * self.unit + splits * self.price


class Checker:
    """Bounds from data and a plan.

    A table has sums over the rows where columns i and j are 1, for each kind of amount: the weights
    of each class and, if there is a limit, what rows count.
      Half   Let s = w - 2 leaf. Then parts of a set that weighs w cost (w - sum of their s) / 2. Of
             two classes s is the difference of their weights: one kind, w with a sign, is enough.
    """

    def __init__(self, rows: Rows, plan: bytes, work: int) -> None:
        self.rows, self.plan, self.work = rows, numbers(plan), work
        require(rows.ranks.max(initial=0) < 2, "a column has more than two values")
        self.variants = 1 if rows.least <= 1 else 2  # free, and limited
        self.signed = rows.plain and rows.classes == 2 and self.variants == 1
        kinds = [rows.weight * (rows.label == c) for c in range(rows.classes)]
        kinds = [kinds[1] - kinds[0]] if self.signed else kinds + [rows.size][: self.variants - 1]
        influence = rows.weight * rows.costs.max(1)[rows.label]  # w of each row
        whole = 2 * max(int(rows.size.sum()), int(rows.weight.sum()) * int(rows.costs.max()))
        exact = np.float32 if whole < 1 << 23 else np.float64 if whole < 1 << 52 else np.int64
        self.amounts = np.stack(kinds).astype(exact)
        self.influence, self.size = influence.astype(exact), rows.size.astype(exact)
        self.bits = rows.ranks.T.astype(exact)  # by row and column
        fits = len(kinds) * len(rows.ranks) ** 2 <= TABLE and self.amounts.size <= 2 * CELLS
        require(fits, "too large for this checker")

    def budgets(self, depth: int, splits: int | None) -> int:
        """Count the bounds of a claim: one for each number of splits, or one for the depth."""
        return 1 if splits is None else min(splits, (1 << min(depth, 60)) - 1) + 1

    def excess(self, sums: Array) -> Array:
        """Half: give s of some rows, from their amounts by kind along the first axis."""
        if self.signed:
            return np.asarray(np.abs(sums[0]))
        by_label, costs = sums[: self.rows.classes], self.rows.costs.astype(sums.dtype)
        leaf = np.tensordot(costs.T, by_label, 1).min(0)
        return np.asarray(np.tensordot(costs.max(1), by_label, 1) - 2 * leaf)

    def table(self, inside: Array, amounts: Array) -> Array:
        """Sum up pairs of columns over some rows; the weights of a class, over its rows alone."""
        out = []
        for amount in amounts:
            some = inside[amount[inside] != 0]
            out.append((self.bits[some] * amount[some, None]).T @ self.bits[some])
        return np.stack(out)

    def root(self, depth: int, splits: int | None) -> Array:
        """Bound what all rows cost, free and limited, for 0..splits or for the depth alone."""
        every = np.arange(len(self.bits))
        return self.claim(every, self.table(every, self.amounts), depth, splits)

    def claim(self, inside: Array, both: Array, depth: int, splits: int | None) -> Array:
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit."""
        self.work -= (len(inside) + self.rows.classes) * len(self.rows.ranks) ** 2
        require(self.work >= 0, "the plan takes more work than the certificate says")
        total, budgets = self.amounts[:, inside].sum(1), self.budgets(depth, splits)
        leaf = (int(self.influence[inside].sum()) - int(self.excess(total))) // 2
        depth = min(depth, len(inside) - 1, depth if splits is None else splits)  # Few
        if leaf == 0 or self.rows.penalty:
            depth = min(depth, (leaf - 1) // self.rows.penalty) if leaf else 0
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        if depth > 0:
            known = (inside, both, total, depth)
            sides = self.pairs(*known) if depth < 3 else self.cover(inside, both, depth, splits)
            bound = np.minimum(bound, self.joined(sides, inside, bound.shape[1]))
        return bound[:, np.minimum(np.arange(budgets), bound.shape[1] - 1)]

    def pairs(self, inside: Array, both: Array, total: Array, depth: int) -> list[Array]:
        """Pairs: what the two sides of every column cost with no split, and with at most one."""
        ones, found = np.diagonal(both, axis1=1, axis2=2), []
        heavy = (self.influence[inside] @ self.bits[inside]).astype(np.int64)
        zeros, light = total[:, None] - ones, int(self.influence[inside].sum()) - heavy
        for weight, whole, part in ((light, zeros, ones[:, None] - both), (heavy, ones, both)):
            rest = whole[..., None] - part  # of a side of column i, where column j is 0
            both_excess = self.excess(part) + self.excess(rest)
            best = [both_excess.max(1)]
            if self.variants == 2:
                room = np.minimum(part[-1], rest[-1]) >= self.rows.least
                best.append(np.where(room, both_excess, -INFINITE).max(1))
            leaf = (weight - self.excess(whole).astype(np.int64)) // 2
            split = (weight - np.stack(best).astype(np.int64)) // 2 + self.rows.penalty
            options = np.stack([np.broadcast_to(leaf, split.shape), np.minimum(leaf, split)], 1)
            found.append(options[:, :depth])
        return found

    def cover(self, inside: Array, both: Array, depth: int, splits: int | None) -> list[Array]:
        """Cover: bounds of the two sides of every column, by Mono from those of the plan."""
        count, j, listed = next(self.plan, -1), -1, []
        require(0 <= count <= len(self.rows.ranks), "the plan is cut off, or has too many columns")
        for _ in range(count):
            code = next(self.plan, 0)
            j += code >> 2
            require(code > 3 and j < len(self.rows.ranks), "the plan is cut off, or damaged")
            listed.append((j, code & 3))
        below, sides, known = None if splits is None else splits - 1, [], []
        for j, used in listed:
            goes = self.bits[inside, j] > 0
            require(0 < goes.sum() < len(goes), "the plan has a column that parts nothing")
            ones = self.table(inside[goes], self.amounts)
            for s, table in enumerate((both - ones, ones)):
                if used >> s & 1:
                    sides.append((j, s))
                    known.append(self.claim(inside[goes == s], table, depth - 1, below))
        shape = (-1, self.variants, self.budgets(depth - 1, below), 1)
        chosen = np.array(sides, np.int64).reshape(-1, 2)
        return self.carried(chosen, np.reshape(known, shape).astype(np.int64), inside)

    def carried(self, sides: Array, known: Array, inside: Array) -> list[Array]:
        """Mono: what bounds of some sides say of the sides of all columns, 0 at least."""
        (f, s), goes, out = sides.T, self.bits[inside], []
        here = s[:, None] == goes[:, f].T  # by side and row
        for t in range(2):  # a side loses what is not in it; limited, if nothing of it is outside
            lost = (here * self.influence[inside]) @ (goes if t == 0 else 1 - goes)
            outside = (~here).astype(goes.dtype) @ (goes if t == 1 else 1 - goes)
            found = known - lost.astype(np.int64)[:, None, None]
            found[:, 1:] = np.where(outside[:, None, None] > 0, 0, found[:, 1:])
            free = np.max(found, axis=0, initial=0)
            out.append(np.maximum(free, free[:1]))  # a limit makes nothing cheaper
        return out

    def joined(self, sides: list[Array], inside: Array, budgets: int) -> Array:
        """Give the least bound of all columns that part the rows, for each number of splits."""
        left, right = sides
        ones, most = np.dot(self.size[inside], self.bits[inside]), left.shape[1] - 1
        room = np.minimum(ones, self.size[inside].sum() - ones)
        shares = [(k, i) for k in range(1, budgets) for i in range(min(k - 1, most) + 1)]
        out = np.full((self.variants, budgets), INFINITE)
        for k, i in shares or [(0, most)]:
            j = min(k - 1 - i, most) if k else most
            for v, least in enumerate((1, self.rows.least)[: self.variants]):
                cost = (left[v, i] + right[v, j])[room >= least]
                out[v, k] = min(out[v, k], int(cost.min(initial=INFINITE)) + self.rows.penalty)
        return out


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
        lost, asked = np.isnan(column), "order" if kind is None else kind["asked"]
        codes = np.unique(np.where(lost, -1, column), return_inverse=True)[1].reshape(-1)
        many = int(codes.max()) + 1
        found: Any = (codes != one for one in range(many))
        if asked == "order":
            found = (np.where(lost, end, column) for end in (-np.inf, np.inf)[: 1 + lost.any()])
        elif asked == "subset":
            require(many <= 10, "too many categories for all subsets of them")
            found = (~(some >> codes) & 1 for some in range(1, max(2, (1 << many) - 1), 2))
        for values in found:
            out.append(np.unique(values, return_inverse=True)[1].reshape(-1))
            require(len(out) * len(X) <= 8 * CELLS, "too large for this checker")
    return np.stack(out).astype(np.int64)


def read(path: Any) -> tuple[Header, bytes]:
    """Give header and plan of a certificate; nothing in them has been checked."""
    try:
        with open(path, "rb") as file:
            packed = file.read(LARGEST + 1)
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
        data = unpacker.decompress(packed, LARGEST + 1)
        line, end, plan = data.partition(b"\n")
        fits = len(data) <= LARGEST and len(line) <= LARGEST_HEADER and unpacker.eof and end
        require(fits and not unpacker.unused_data, "it is too long when unpacked, or cut off")
        twice = "a name occurs twice in the header"
        once = lambda pairs: require(len(dict(pairs)) == len(pairs), twice) and dict(pairs)  # noqa: E731
        header = json.loads(line, object_pairs_hook=once)
        known = [header["format"], header["version"], header["family"]]
        require(known == ["exactree.proof", 1, FAMILY], f"not for this checker: {known}")
    except DAMAGE as error:
        raise Rejected(f"this is no certificate, or a damaged one: {error}") from error
    return header, plan


def data_digest(X: Array, y: Array, weight: Array | None) -> str:
    """Give the SHA-256 that a certificate knows its data by: values, classes, row weights."""
    digest = hashlib.sha256(b"exactree.data 1\n%d %d %d\n" % (*X.shape, weight is not None))
    for part in (X, y, weight):
        if part is not None:  # NaN is written in one way, -0.0 as 0.0
            known = np.where(part == part, part, np.nan) if part.dtype.kind == "f" else part
            digest.update((np.ascontiguousarray(known, f"<{known.dtype.kind}8") + 0).tobytes())
    return digest.hexdigest()


def number(header: Header, name: str, least: int, most: int, *, optional: bool = False) -> Any:
    """Read a whole number of the header."""
    value = header[name]
    whole = type(value) is int and least <= value <= most
    require(whole or (optional and value is None), f"{name} is {value!r}")
    return value


def fraction(text: Any) -> Fraction:
    """Read a fraction of the header, such as 3 or 3/4."""
    require(isinstance(text, str) and re.fullmatch(r"\d{1,40}(/\d{1,40})?", text), f"{text!r}?")
    return Fraction(text)


def check(path: Any, X: Any, y: Any, sample_weight: Any = None, *, work: int = WORK) -> Header:
    """Check a certificate against the data; its header is what has been shown."""
    header, plan = read(path)
    try:
        names = {str(name): i for i, name in enumerate(header["classes"])}
        require(len(names) == len(header["classes"]), "two classes have the same name")
        label = np.array([names[str(name)] for name in np.asarray(y).tolist()], np.int64)
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        X = floats(header["kinds"], X) if header.get("kinds") else np.asarray(X, np.float64)
        fine = X.ndim == 2 and len(names) * len(X) <= CELLS and not np.isinf(X).any()
        fine &= bool(header.get("kinds")) or not np.isnan(X).any()
        require(fine, "no table of finite numbers, or too large for this checker")
        rows = Rows(header, X, label, weight)
        depth = number(header, "max_depth", 0, DEEPEST, optional=True)
        splits = number(header, "max_splits", 0, WIDEST, optional=True)
        checker = Checker(rows, plan, number(header, "work", 0, work))
        bounds = checker.root(len(rows.X) if depth is None else depth, splits)[-1]
        over = next(checker.plan, None) is None and header["results"]
        require(over, "the plan is too long, or there are no results")
        for result in header["results"]:
            most = None if splits is None else number(result, "max_splits", 0, splits)
            require(result["max_splits"] == most, "a result with another budget")
            bound = int(bounds[-1 if most is None else min(most, len(bounds) - 1)]) * rows.unit
            value = rows.cost_of(result["tree"], depth, most)
            require(fraction(result["value"]) == value, f"the tree costs {value}")
            require(fraction(result["bound"]) <= bound, f"the plan shows only {bound}")
    except Rejected:
        raise
    except DAMAGE as error:
        raise Rejected(f"a header that is damaged, or of other data: {error!r}") from error
    return header


def main(path: str, data: str, target: str = "", weights: str = "") -> None:
    """Check from the command line; the first line of the data has the names of the columns."""
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
