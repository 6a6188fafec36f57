"""Checks a certificate that no tree of columns of two values costs less: NumPy alone.

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
CELLS, TABLE, CHUNK = 1 << 24, 1 << 24, 1 << 17  # rows times classes; a table; many, at a time
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
             |a| + |b| = max(|a + b|, |a - b|): so are the largest and the least part a of a whole.
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
        require(len(kinds) * len(rows.ranks) ** 2 <= TABLE, "too large for this checker")

    def budgets(self, depth: int, splits: int | None) -> int:
        """Count the bounds of a claim: one for each number of splits, or one for the depth."""
        return 1 if splits is None else min(splits, (1 << min(depth, 60)) - 1) + 1

    def spend(self, sizes: Any) -> None:
        """Count the work for claims of so many rows."""
        self.work -= sum(int(n) + self.rows.classes for n in sizes) * len(self.rows.ranks) ** 2
        require(self.work >= 0, "the plan takes more work than the certificate says")

    def excess(self, sums: Array) -> Any:
        """Half: give s of some rows, from their amounts by kind along the first axis."""
        if self.signed:
            return np.abs(sums[0])
        sums, costs = sums[: self.rows.classes], self.rows.costs.astype(sums.dtype)
        return np.tensordot(costs.max(1), sums, 1) - 2 * np.tensordot(costs.T, sums, 1).min(0)

    def claim(self, inside: Array, depth: int, splits: int | None) -> Array:
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit."""
        self.spend([len(inside)])
        excess, budgets = self.excess(self.amounts[:, inside].sum(1)), self.budgets(depth, splits)
        leaf = (int(self.influence[inside].sum()) - int(excess)) // 2
        depth = min(depth, len(inside) - 1, depth if splits is None else splits)  # Few
        if leaf == 0 or self.rows.penalty:
            depth = min(depth, (leaf - 1) // self.rows.penalty) if leaf else 0
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        if depth > 2:
            bound = np.minimum(bound, self.cover(inside, depth, splits))
        elif depth > 0:
            found = self.pairs(inside, self.distinct(inside), np.ones((1, len(inside)), bool))[0]
            bound = found[:, 0 if splits is not None else 2**depth - 1 : 2**depth]
        return bound[:, np.minimum(np.arange(budgets), bound.shape[1] - 1)]

    def distinct(self, inside: Array) -> Array:
        """Give columns of some rows, by row: of those that part them in the same way, one."""
        bits = self.bits[inside]
        ways = np.packbits(bits != bits[0], axis=0)
        return np.asarray(bits[:, np.unique(ways, axis=1, return_index=True)[1]])

    def pairs(self, inside: Array, bits: Array, here: Array) -> Array:
        """Pairs: give e(A, 2, k), k = 0..3, free and limited, of some sets A of the rows S."""
        amounts, out = self.amounts[:, inside], [np.zeros((0, self.variants, 4), np.int64)]
        whole = np.stack([(bits * amount[:, None]).T @ bits for amount in amounts])
        step = max(1, CHUNK // whole.size)
        for some in (here[i : i + step] for i in range(0, len(here), step)):
            tables = np.empty((len(whole), len(some), *whole.shape[1:]), whole.dtype)
            for t, one in enumerate(some):
                if t and (one != some[t - 1]).all():  # the other side of a column
                    np.subtract(whole, tables[:, t - 1], out=tables[:, t])
                    continue
                few = one if 2 * one.sum() <= len(one) else ~one
                for kind, amount in enumerate(amounts):
                    r = np.flatnonzero(few & (amount != 0))
                    np.matmul(((part := bits[r]) * amount[r, None]).T, part, out=tables[kind, t])
                if few is not one:
                    np.subtract(whole, tables[:, t], out=tables[:, t])
            out.append(self.least(inside, some, bits, tables))
        return np.concatenate(out)

    def least(self, inside: Array, here: Array, bits: Array, both: Array) -> Array:
        """Give the least costs with at most 0, 1, 2, 3 splits, by set and variant, from tables."""
        total, ones = self.amounts[:, inside] @ here.T, np.diagonal(both, axis1=2, axis2=3)
        each = [here * self.influence[inside], here * self.size[inside]][: 2 - self.signed]
        sums = [((some @ bits).astype(np.int64), some.sum(1).astype(np.int64)) for some in each]
        (heavy, every), (many, count) = sums[0], sums[-1]  # Half: no limit, weights do for sizes
        zeros, parts = total[:, :, None] - ones, ones[..., None] - both  # by j and i
        light, room = every[:, None] - heavy, np.minimum(many, count[:, None] - many)
        left, right = self.best(light, zeros, parts), self.best(heavy, ones, both)
        out = np.full((len(here), self.variants, 4), INFINITE)
        out[..., 0] = ((every - self.excess(total).astype(np.int64)) // 2)[:, None]
        for v, least in enumerate((1, self.rows.least)[: self.variants]):
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                cost = np.where(room >= least, left[i][v] + right[j][v], INFINITE).min(1)
                out[:, v, 1 + i + j] = np.minimum(out[:, v, 1 + i + j], cost + self.rows.penalty)
        return np.asarray(np.minimum.accumulate(out, 2))

    def best(self, weight: Array, whole: Array, part: Array) -> Any:
        """Give what a side costs with no split, and in two parts: by variant, set and column."""
        if self.signed:
            [w], high, low = whole, part[0].max(1), part[0].min(1)
            best = [np.maximum(np.abs(w), np.maximum(2 * high - w, w - 2 * low))]
        else:
            rest = whole[:, :, None] - part
            both, room = self.excess(part) + self.excess(rest), np.minimum(part[-1], rest[-1])
            best = [both.max(1), np.where(room >= self.rows.least, both, -INFINITE).max(1)]
        leaf = (weight - self.excess(whole).astype(np.int64)) // 2
        split = [(weight - some.astype(np.int64)) // 2 + self.rows.penalty for some in best]
        return [leaf, leaf], [np.minimum(leaf, some) for some in split]

    def cover(self, inside: Array, depth: int, splits: int | None) -> Array:
        """Cover: give the least bound of all columns, from the sides that the plan lists."""
        count, m = next(self.plan, -1), len(self.rows.ranks)
        require(0 <= count <= m, "the plan is cut off, or has too many columns")
        codes = np.array([next(self.plan, 0) for _ in range(count)], np.int64)
        f = np.minimum(codes >> 2, m + 1).cumsum() - 1
        require((codes > 3).all() and (f < m).all(), "the plan is cut off, or damaged")
        ones = self.bits[inside][:, f].T != 0
        require((ones.any(1) & ~ones.all(1)).all(), "the plan has a column that parts nothing")
        here = np.stack([~ones, ones], 1)[(codes[:, None] >> np.arange(2) & 1) > 0]  # side by row
        bits, below = self.distinct(inside), None if splits is None else splits - 1
        known = np.zeros((len(here), self.variants, self.budgets(depth - 1, below)), np.int64)
        if depth == 3:
            self.spend(here.sum(1))
            first = 0 if splits is not None else 3
            known[:] = self.pairs(inside, bits, here)[..., first : first + known.shape[2]]
        for i, one in enumerate(here if depth > 3 else ()):
            known[i] = self.claim(inside[one], depth - 1, below)
        return self.joined(known, here, inside, bits, self.budgets(depth, splits))

    def joined(self, known: Array, here: Array, inside: Array, bits: Array, many: int) -> Array:
        """Give the least bound of all columns: what is known of sets here, carried by Mono."""
        weight, sides = here * self.influence[inside], []
        for goes in (1 - bits, bits):
            lost = (weight @ (1 - goes)).astype(np.int64)  # here, but not on this side
            found = known[..., None] - lost[:, None, None]
            if self.variants == 2:
                outside = (~here).astype(goes.dtype) @ goes
                found[:, 1:] = np.where(outside[:, None, None] > 0, 0, found[:, 1:])  # Limit
            best = found.max(0, initial=0)
            sides.append(np.maximum(best, best[:1]))  # a limit makes nothing cheaper
        ones, most = np.dot(self.size[inside], bits), known.shape[2] - 1
        room = np.minimum(ones, self.size[inside].sum() - ones)
        out = np.full((self.variants, many), INFINITE)
        shares = [(k, i) for k in range(1, many) for i in range(min(k - 1, most) + 1)]
        for k, i in shares or [(0, 0)]:
            for v, least in enumerate((1, self.rows.least)[: self.variants]):
                both = sides[0][v, i] + sides[1][v, min(max(0, k - 1 - i), most)]
                cost = int(both[room >= least].min(initial=INFINITE)) + self.rows.penalty
                out[v, k] = min(out[v, k], cost)
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
        checker = Checker(rows, plan, number(header, "work", 0, work))
        levels = len(rows.label) if depth is None else depth
        bounds = checker.claim(np.arange(len(rows.label)), levels, splits)[-1]
        over = next(checker.plan, None) is None and header["results"]
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
