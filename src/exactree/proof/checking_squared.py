"""Checks a certificate that no regression tree of thresholds has a smaller squared error.

A certificate holds a tree and a plan: where to look so that everything else is ruled out. Whatever
it says, the bound computed here is a true one. docs/certificates.md describes the file.
e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the weighted
squared deviations from the means of its leaves, and a penalty a split.
  Mono   e(A, d, k) <= e(B, d, k) for A within B: take the best tree of B for A. No leaf costs more.
  Few    n rows have no use for more than n - 1 splits, and k splits for more than k levels.
  Limit  With a least size of sides every claim has two bounds: without it ("free"), and with it
         ("limited"), where thresholds with enough on both sides count. Only free ones obey Mono.
  Round  Weights times targets become whole numbers, together below 2^52, and the squares of rows
         multiples of a power of two, rounded down: sums of them are exact. What leaves explain has
         three roundings, which are taken off: every bound is too low. A cost is a squared distance:
         if rounding moves the targets by rho, a bound b shows b - 2 rho sqrt(b) of those given.
"""

from __future__ import annotations

import csv
import hashlib
import json
import lzma
import re
import sys
from fractions import Fraction
from math import frexp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Header = dict[str, Any]

FAMILY = "axis, squared error"
LARGEST, LARGEST_HEADER, MEMORY = 1 << 26, 1 << 20, 1 << 27  # unpacked bytes; what unpacking uses
DEEPEST, WIDEST, WORK = 200, 63, 1 << 38  # levels, splits; rows times columns looked at: an hour
CELLS, CHUNK, SUMS = 1 << 24, 1 << 16, 1 << 52  # rows; sums by block at a time; exact sums
DAMAGE = LookupError, TypeError, ValueError, ArithmeticError, RuntimeError, EOFError, lzma.LZMAError
DOWN, UP = 1 - 2.0**-51, 1 + 2.0**-50  # make up for the rounding of some operations


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
    """What the rules look at, in whole steps and units, if these are the data of a header."""

    def __init__(self, header: Header, X: Array, y: Array, given: Any) -> None:
        same = X.shape == (header["rows"], header["columns"]) and len(y) == len(X)
        same &= header["feature_names"] is None or len(header["feature_names"]) == X.shape[1]
        same &= header["weights"] is (given is not None)
        require(same and header["data"] == data_digest(X, y, given), "these are other data")
        unit, self.price = fraction(header["unit"]), fraction(header["penalty"])
        heavy = fraction(header["min_weight_leaf"])
        rows = number(header, "min_samples_leaf", 1, SUMS)
        require(rows == 1 or not heavy, "two limits on the sides of a split")
        weights = [1] * len(y) if given is None else given.tolist()
        units = {w: Fraction(w) / unit for w in set(weights)}
        close = 1 << 33 if header["rounded"] is True else SUMS  # units: a rounding of 2^-34
        fine = all(w == round(w) >= 0 or w >= close for w in units.values())
        weight = np.array([round(units[w]) for w in weights], np.float64)
        require(fine and 0 < sum(weight.tolist()) < SUMS, "weights that the unit does not fit")
        kept, self.X, self.weight = weight > 0, X[weight > 0], weight[weight > 0]
        self.ranks = questions(header, self.X)  # by column: places among the different values
        pairs = zip(weights, y.tolist(), kept, strict=True)
        self.exact = [(Fraction(w), Fraction(t)) for w, t, take in pairs if take]
        self.round_targets(unit * (1 - Fraction(bool(header["rounded"]), 1 << 33)))
        self.penalty = float(min(self.price / self.unit, Fraction(1 << 120))) * DOWN
        self.least = float(max(rows, -int(-heavy // unit)))  # what each side has to count
        self.size = self.weight if heavy else np.ones(len(self.X))  # what a row counts
        self.variants = 1 if self.least <= 1 else 2  # free, and limited
        kinds = [self.weight, self.sums, self.squares, *[self.size] * (self.variants - 1)]
        self.amounts = np.stack(kinds)

    def round_targets(self, unit: Fraction) -> None:
        """Round: make whole numbers of weights times targets, each off by at most a half."""
        step = Fraction(1, max(t.denominator for _, t in self.exact))
        targets = np.array([int(t / step) for _, t in self.exact], object)
        exactly = (targets - targets.sum() // len(targets)) * [int(w) for w in self.weight]
        shift = max(0, int(abs(exactly).sum()).bit_length() - 51)
        self.sums = ((exactly + (1 << shift >> 1)) >> shift).astype(np.float64)
        self.moved = sqrt((1 / self.weight).sum()) * (0.5 + 2.0**-30) if shift else 0.0
        self.unit: Fraction = unit * (step * 2**shift) ** 2  # what a unit of cost is worth
        squares = self.sums**2 / self.weight * DOWN
        self.quantum = 2.0 ** (frexp(float(squares.sum()))[1] - 52)
        self.squares = np.floor(squares / self.quantum) * self.quantum

    def true(self, bound: float) -> Fraction:
        """Give what no tree is below if none of the rounded targets is below some units."""
        lost = 2 * self.moved * sqrt(bound) * (1 + 2.0**-40)
        return self.unit * Fraction(max(0.0, (bound - lost) * DOWN))

    def weighed(self, sums: Array) -> tuple[Array, Array]:
        """Leaf: give the squares of rows by sums along the first axis, and what a leaf explains."""
        return sums[2], sums[1] ** 2 / np.maximum(sums[0], 1)

    def cost_of(self, tree: Any, deepest: int | None, most: int | None) -> Fraction:
        """Give what a tree costs, if it keeps to the budgets."""
        work, cost, splits = [(tree, np.arange(len(self.X)), 0)], Fraction(0), 0
        while work:
            node, inside, level = work.pop()
            if "leaf" in node:
                answer, pairs = Fraction(float(node["leaf"])), map(self.exact.__getitem__, inside)
                cost += sum((w * (t - answer) ** 2 for w, t in pairs), 0)
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
        return cost + splits * self.price


class Scanner:
    """Scan: all single splits of the sides of thresholds of a node, by blocks of places.

    Block  A split within a block has on its left what lies before the block, and on its right what
           lies after it. By Mono it costs no less than leaves of these two, so it explains no more
           than they do and the squares of the block: where that is no more than the best split so
           far explains, the block need not be looked into.
    Sums have kind (weight, sum, squares, size), side, column and block: of rows before the block.
    """

    def __init__(self, rows: Rows, order: Array, ends: Array) -> None:
        (m, n), self.rows = order.shape, rows
        places = 16 if n < 4096 else 64
        self.shape, pad = (m, -(-n // places)), -n % places
        self.row = np.pad(order, ((0, 0), (0, pad)), constant_values=-1).reshape(-1, places)
        self.ends = np.pad(ends, ((0, 0), (0, pad + 1))).reshape(-1, places)
        self.amounts: Any = rows.amounts.take(self.row, 1) * (self.row >= 0)
        self.whole = self.left_of(np.array([0]), np.array([SUMS]))

    def left_of(self, f: Array, cut: Array) -> Array:
        """Sum up what is left of thresholds: the rows with ranks below the cut in column f."""
        ranks, kind = {g: self.rows.ranks[g][self.row] for g in set(f.tolist())}, self.amounts.dtype
        goes: Any = ((ranks[g] < c).astype(kind) for g, c in zip(f.tolist(), cut, strict=True))
        sums = [np.einsum("kbp,bp->kb", self.amounts, left) for left in goes]
        each = np.stack(sums, 1).reshape(-1, len(f), *self.shape)
        return np.pad(each, ((0, 0), (0, 0), (0, 0), (1, 0))).cumsum(3)

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
        squares, alone = most[:, 0, -1], before[:, 0, -1]
        best = np.repeat(alone[:, None], rows.variants, 1)
        ends = np.where(self.ends[:, -1].reshape(self.shape), (before + after)[..., 1:], 0)
        self.look(sums, sides, best, np.arange(len(best)), ends.reshape(hope.shape).argmax(1))
        self.look(sums, sides, best, *np.nonzero(hope * UP**4 + 64 * rows.quantum > best[:, -1:]))
        leaf = np.maximum(squares - alone * UP, 0.0) * DOWN  # Round
        split = np.maximum(squares[:, None] - best * UP, 0.0) + rows.penalty
        return leaf, np.minimum(split * DOWN, leaf[:, None])

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
        self.work, budgets = self.work - order.size, self.budgets(depth, splits)
        squares, explained = self.rows.weighed(self.rows.amounts[:, order[0]].sum(1))
        leaf = max(0.0, float(squares - explained * UP)) * DOWN
        depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)  # Few
        bound = np.full((self.rows.variants, self.budgets(depth, splits)), leaf)
        ends = np.diff(np.take_along_axis(self.rows.ranks, order, 1)) != 0  # a larger value begins
        if depth == 1:
            scanner = Scanner(self.rows, order, ends)
            bound[:, -1:] = scanner.best(scanner.whole, *np.array([[0], [SUMS], [0]]))[1].T
        elif depth > 1:
            bound = np.minimum(bound, self.cover(order, ends, depth, splits))
        return bound[:, np.minimum(np.arange(budgets), bound.shape[1] - 1)]

    def cover(self, order: Array, ends: Array, depth: int, splits: int | None) -> Array:
        """Give the least bound of all splits.

        Cover  e(S, d, k) is the least of the leaf and, over all splits t and i + j = k - 1, of
               penalty + e(left of t, d - 1, i) + e(right of t, d - 1, j). The plan lists sides of
               thresholds to be bounded; Mono carries what is found to all larger sides.
        """
        below, read, ranks = None if splits is None else splits - 1, [], self.rows.ranks
        shape = (2, self.rows.variants, self.budgets(depth - 1, below))
        for g, column in enumerate(ends):
            positions, used = self.entries(column)
            cut, known = ranks[g, order[g, positions]], np.zeros((len(used), *shape))
            for i, s in np.argwhere(used & (depth > 2)):
                side = (ranks[g] < cut[i]) != s
                child = order[side[order]].reshape(len(order), -1)
                known[i, s] = self.claim(child, depth - 1, below)
            read.append((np.full(len(cut), g), positions, cut, used, known))
        f, positions, cut, used, known = map(np.concatenate, zip(*read, strict=True))
        if depth == 2 and len(f):
            sizes = np.stack([positions, order.shape[1] - positions], 1)
            self.work -= int(sizes[used].sum()) * len(order)
            leaf, split = Scanner(self.rows, order, ends).costs(f, cut, used)
            known[used, :, 0], known[used, :, -1] = leaf[:, None], split
        each = [(order[g], ends[g], positions[f == g], known[f == g]) for g in range(len(order))]
        found = [self.along(*some, self.budgets(depth, splits)) for some in each]
        return np.asarray(np.min(found, axis=0))

    def along(self, inside: Array, ends: Array, positions: Array, known: Array, many: int) -> Array:
        """Give the least of the bounds of all thresholds of a column, by Mono from those given."""
        places = np.flatnonzero(ends) + 1
        size, at = self.rows.size[inside].cumsum(), np.searchsorted(places, positions)
        left = self.spread(len(places), at, known[:, 0])
        right = self.spread(len(places), len(places) - 1 - at, known[:, 1])[::-1]
        out, most = np.full((*left.shape[:2], many), np.inf), left.shape[2] - 1
        shares = [(k, i) for k in range(1, many) for i in range(min(k - 1, most) + 1)]
        for k, i in shares or [(0, 0)]:
            both = left[..., i] + right[..., min(max(0, k - 1 - i), most)]
            out[..., k] = np.minimum(out[..., k], both)
        out[np.minimum(size, size[-1] - size)[places - 1] < self.rows.least, 1:] = np.inf
        return np.asarray((out.min(0, initial=np.inf) + self.rows.penalty) * DOWN)

    def spread(self, places: int, at: Array, known: Array) -> Array:
        """Mono along sets that grow: a larger one costs no less than a smaller one is free to."""
        out = np.zeros((places, *known.shape[1:]))
        out[at] = known
        out[:, 0] = np.maximum.accumulate(out[:, 0])
        return np.maximum(out, out[:, :1])  # a limit makes nothing cheaper


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
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        X = floats(header["kinds"], X) if header.get("kinds") else np.asarray(X, np.float64)
        require(X.ndim == 2 and len(X) <= CELLS and not np.isinf(X).any(), "infinite, or too large")
        rows = Rows(header, X, np.array(y, np.float64), weight)
        depth = number(header, "max_depth", 0, DEEPEST, optional=True)
        splits = number(header, "max_splits", 0, WIDEST, optional=True)
        order = np.argsort(rows.ranks, axis=1, kind="stable")
        checker = Checker(rows, plan, number(header, "work", 0, work))
        bounds = checker.claim(order, order.shape[1] if depth is None else depth, splits)[-1]
        over = next(checker.plan, None) is None and checker.work >= 0 and header["results"]
        require(over, "the plan is too long, or there are no results")
        for result in header["results"]:
            most = number(result, "max_splits", 0, splits, optional=splits is None)
            bound = rows.true(float(bounds[min(most or 0, len(bounds) - 1)]))
            value = rows.cost_of(result["tree"], depth, most)
            require(fraction(result["value"]) >= value, f"the tree costs {float(value)}")
            require(fraction(result["bound"]) <= bound, f"the plan shows only {float(bound)}")
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
