"""Checks a certificate that no regression tree of thresholds has a smaller squared error.

    python checking_squared.py proof.xz data.csv [target [weights]]

A certificate holds a tree and a plan: where to look so that everything else is ruled out. Whatever
it says, the bound computed here is a true one. docs/certificates.md describes the file.
e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the weighted
squared deviations from the means of its leaves, and a penalty a split.
  Mono   e(A, d, k) <= e(B, d, k) for A within B: take the best tree of B for A. No leaf costs more.
  Limit  With a least size of sides every claim has two bounds: without the limit ("free"), and
         with it ("limited"), for which only thresholds with enough on both sides count. Mono does
         not hold for limited bounds: only free ones are carried.
  Round  Weights times targets become whole numbers, together below 2^52, and the squares of rows
         multiples of a power of two, rounded down: sums of them are exact. What leaves explain has
         three roundings, which are taken off: every bound is too low. A tree's cost is a squared
         distance. If rounding moves the targets by rho, a bound b for what they became is one of
         b - 2 rho sqrt(b) for them.
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
CELLS, CHUNK = 1 << 24, 1 << 16  # rows, in all; sums by block, at a time
DAMAGE = LookupError, TypeError, ValueError, ArithmeticError, RuntimeError, EOFError, lzma.LZMAError
SUMS = 1 << 52  # below, sums of whole numbers in float64 are exact
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
    for found in re.finditer(rb"[\x80-\xff]*[\0-\x7f]|[\x80-\xff]+", plan):
        bytes_ = found.group()
        require(len(bytes_) <= 9 and bytes_[-1] < 128, "a number is cut off, or too large")
        yield sum((byte & 127) << 7 * i for i, byte in enumerate(bytes_))


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
        whole = {w: round(number) for w, number in units.items()}
        weight = np.array([whole[w] for w in weights], np.float64)
        require(fine and 0 < sum(weight.tolist()) < SUMS, "weights that the unit does not fit")
        kept = weight > 0
        self.X, self.weight = X[kept], weight[kept]
        self.ranks = questions(header, self.X)  # by column: places among the different values
        pairs = zip(weights, y.tolist(), kept, strict=True)
        self.exact = [(Fraction(w), Fraction(t)) for w, t, take in pairs if take]
        self.round_targets(unit * (1 - Fraction(bool(header["rounded"]), 1 << 33)))
        self.penalty = float(min(self.price / self.unit, Fraction(1 << 120))) * DOWN
        self.least = float(max(rows, -int(-heavy // unit)))  # what each side has to count
        self.size = self.weight if heavy else np.ones(len(self.X))  # what a row counts

    def round_targets(self, unit: Fraction) -> None:
        """Round: make whole numbers of weights times targets, and remember what is lost."""
        step = Fraction(1, max(t.denominator for _, t in self.exact))
        targets, heavies = [int(t / step) for _, t in self.exact], [int(w) for w in self.weight]
        centre = sum(targets) // len(targets)
        exactly = [w * (t - centre) for t, w in zip(targets, heavies, strict=True)]
        shift = max(0, sum(map(abs, exactly)).bit_length() - 51)
        sums = [(s + (1 << shift >> 1)) >> shift for s in exactly]
        off = [(s - (q << shift)) / (1 << shift) for s, q in zip(exactly, sums, strict=True)]
        moved = sqrt(sum(d * d / w for d, w in zip(off, heavies, strict=True)))
        require(sum(map(abs, sums)) < SUMS, "weights times targets are too large")
        self.sums, self.moved = np.array(sums, np.float64), moved * (1 + 2.0**-30)
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
        (m, n), self.rows, self.order = order.shape, rows, order
        places = 16 if n < 4096 else 64
        self.count, pad = -(-n // places), -n % places
        self.block = np.arange(m)[:, None] * (self.count + 1) + np.arange(n) // places + 1
        self.row = np.pad(order, ((0, 0), (0, pad)), constant_values=-1).reshape(-1, places)
        self.ends = np.pad(ends, ((0, 0), (0, pad + 1))).reshape(-1, places)
        self.stops = np.pad(self.ends[:, -1].reshape(m, -1), ((0, 0), (1, 0)))
        self.place = np.empty((m, len(rows.sums)), np.int64)
        np.put_along_axis(self.place, order, np.arange(n)[None], 1)
        kinds = (rows.weight, rows.sums, rows.squares, rows.size)[: 3 + (rows.least > 1)]
        self.amounts = [kind[order].ravel() for kind in kinds]
        self.whole = self.left_of(np.array([0]), np.array([n]))

    def left_of(self, f: Array, p: Array) -> Array:
        """Sum up what is left of thresholds: the first p places of the columns f."""
        out = np.zeros((len(self.amounts), len(p) + 1, len(self.order), self.count + 1))
        first = np.empty(len(self.rows.sums), np.int64)
        for column in np.unique(f):
            k = np.flatnonzero(f == column)
            after = np.searchsorted(p[k], np.arange(self.order.shape[1]), "right")
            first[self.order[column]] = np.append(k, len(p))[after]  # what a row is left of
            at = ((first * out[0, 0].size)[self.order] + self.block).ravel()
            for sums, amount in zip(out, self.amounts, strict=True):
                np.add.at(sums.reshape(-1), at, amount)
            out[:, k] = out[:, k].cumsum(1)
        return np.asarray(out[:, :-1].cumsum(3))

    def costs(self, f: Array, p: Array, used: Array) -> tuple[Array, Array]:
        """Give the costs of a leaf, and of a leaf or the best split, of such sides in turn."""
        found, step = [], max(1, CHUNK // self.whole.size)
        for some in (slice(first, first + step) for first in range(0, len(p), step)):
            (k, s), left = np.nonzero(used[some]), self.left_of(f[some], p[some])
            sums = np.where(s[:, None, None], self.whole - left[:, k], left[:, k])
            found.append(self.best(sums, f[some][k], p[some][k], s))
        leaf, split = map(np.concatenate, zip(*found, strict=True))
        return leaf, split

    def best(self, sums: Array, *sides: Array) -> tuple[Array, Array]:
        """Give these costs, free and limited, for some sides."""
        rows, others = self.rows, sums[..., -1:] - sums
        (most, before), (_, after) = rows.weighed(sums), rows.weighed(others)
        hope = before[..., :-1] + after[..., 1:] + np.diff(most) + 64 * rows.quantum
        hope, squares, alone = (
            hope.reshape(-1, len(self.row)) * UP**4,
            most[:, 0, -1],
            before[:, 0, -1],
        )
        best = np.repeat(alone[:, None], len(self.amounts) - 2, 1)
        for v in range(best.shape[1]):
            fine = np.minimum(sums[-1], others[-1]) >= rows.least if v else True
            split = np.where(fine & self.stops, before + after, 0).max((1, 2))
            best[:, v] = np.maximum(best[:, v], split)
        self.look(sums, sides, best, np.arange(len(best)), hope.argmax(1))
        self.look(sums, sides, best, *np.nonzero(hope > best[:, -1:]))
        leaf = np.maximum(squares - alone * UP, 0.0) * DOWN  # Round
        split = np.maximum(squares[:, None] - best * UP, 0.0) + rows.penalty
        return leaf, np.minimum(split * DOWN, leaf[:, None])

    def look(self, sums: Array, sides: Any, best: Array, k: Array, at: Array) -> None:
        """Try all splits within some blocks of some sides."""
        rows, row, (g, b) = self.rows, self.row[at], np.divmod(at, self.count)
        f, p, s = (some[k, None] for some in sides)
        inside = ((self.place[f, row] < p) != s) & (row >= 0)
        kinds = (rows.weight, rows.sums, rows.squares, rows.size)[: len(sums)]
        left = np.stack([kind[row] * inside for kind in kinds])
        left = left.cumsum(2) + sums[:, k, g, b, None]
        right = sums[:, k, 0, -1, None] - left
        saved = np.where(self.ends[at], rows.weighed(left)[1] + rows.weighed(right)[1], 0)
        for v in range(best.shape[1]):
            fine = np.minimum(left[-1], right[-1]) >= rows.least if v else True
            np.maximum.at(best[:, v], k, np.where(fine, saved, 0).max(1))


class Checker:
    """Bounds from data and a plan. A node is, by column, its rows in the order of that column."""

    def __init__(self, rows: Rows, plan: bytes, work: int) -> None:
        self.rows, self.plan, self.work = rows, numbers(plan), work
        self.variants = 1 if rows.least <= 1 else 2  # free, and limited

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
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit.

        Few    n rows have no use for more than n - 1 splits, and k splits for more than k levels.
        """
        self.work -= order.size
        P, W = self.rows.sums[order[0]].sum(), self.rows.weight[order[0]].sum()
        leaf = max(0.0, self.rows.squares[order[0]].sum() - P * P / W * UP) * DOWN
        budgets = self.budgets(depth, splits)
        depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)  # Few
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        ends = np.diff(np.take_along_axis(self.rows.ranks, order, 1)) != 0  # a larger value begins
        if depth == 1:
            scanner = Scanner(self.rows, order, ends)
            every = np.array([[0], [order.shape[1]], [0]])
            bound[:, -1:] = scanner.best(scanner.whole, *every)[1].T
        elif depth > 1:
            bound = np.minimum(bound, self.cover(order, ends, depth, splits))
        return bound[:, np.minimum(np.arange(budgets), bound.shape[1] - 1)]

    def cover(self, order: Array, ends: Array, depth: int, splits: int | None) -> Array:
        """Give the least bound of all splits.

        Cover  e(S, d, k) is the least of the leaf and, over all splits t and i + j = k - 1, of
               penalty + e(left of t, d - 1, i) + e(right of t, d - 1, j). The plan lists sides of
               thresholds to be bounded; Mono carries what is found to all larger sides.
        """
        below, read = None if splits is None else splits - 1, []
        for inside, column in zip(order, ends, strict=True):
            positions, used = self.entries(column)
            known = np.zeros((*used.shape, self.variants, self.budgets(depth - 1, below)))
            for i, s in np.argwhere(used & (depth > 2)):
                side = np.zeros(len(self.rows.sums), bool)
                side[inside[: positions[i]] if s == 0 else inside[positions[i] :]] = True
                child = order[side[order]].reshape(len(order), -1)
                known[i, s] = self.claim(child, depth - 1, below)
            read.append((positions, used, known))
        f = np.repeat(np.arange(len(order)), [len(positions) for positions, *_ in read])
        positions, used, known = map(np.concatenate, zip(*read, strict=True))
        if depth == 2 and len(f):
            sizes = np.stack([positions, order.shape[1] - positions], 1)
            self.work -= int(sizes[used].sum()) * len(order)
            leaf, split = Scanner(self.rows, order, ends).costs(f, positions, used)
            known[used, :, 0], known[used, :, -1] = leaf[:, None], split
        each = [(order[g], ends[g], positions[f == g], known[f == g]) for g in range(len(order))]
        found = [self.along(*some, self.budgets(depth, splits)) for some in each]
        return np.asarray(np.min(found, axis=0))

    def along(
        self, inside: Array, ends: Array, positions: Array, known: Any, budgets: int
    ) -> Array:
        """Give the least of the bounds of all thresholds of a column, by Mono from those given."""
        places = np.flatnonzero(ends) + 1
        size, at = self.rows.size[inside].cumsum(), np.searchsorted(places, positions)
        left = self.spread(len(places), at, known[:, 0])
        right = self.spread(len(places), len(places) - 1 - at, known[:, 1])[::-1]
        out, most = np.full((*left.shape[:2], budgets), np.inf), left.shape[2] - 1
        for k in range(1, budgets):
            for i in range(min(k - 1, most) + 1):
                both = left[..., i] + right[..., min(k - 1 - i, most)]
                out[..., k] = np.minimum(out[..., k], both)
        out = left + right if budgets == 1 else out
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
        target = np.array(y, np.float64)
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        X = floats(header["kinds"], X) if header.get("kinds") else np.asarray(X, np.float64)
        fine = X.ndim == 2 and len(X) <= CELLS and not np.isinf(X).any()
        fine &= np.isfinite(target).all() and (bool(header.get("kinds")) or not np.isnan(X).any())
        require(fine, "no table of finite numbers, or too large for this checker")
        rows = Rows(header, X, target, weight)
        depth = number(header, "max_depth", 0, DEEPEST, optional=True)
        splits = number(header, "max_splits", 0, WIDEST, optional=True)
        order = np.argsort(rows.ranks, axis=1, kind="stable")
        checker = Checker(rows, plan, number(header, "work", 0, work))
        bounds = checker.claim(order, order.shape[1] if depth is None else depth, splits)[-1]
        over = next(checker.plan, None) is None and checker.work >= 0 and header["results"]
        require(over, "the plan is too long, or there are no results")
        for result in header["results"]:
            most = None if splits is None else number(result, "max_splits", 0, splits)
            require(result["max_splits"] == most, "a result with another budget")
            bound = rows.true(float(bounds[-1 if most is None else min(most, len(bounds) - 1)]))
            value = rows.cost_of(result["tree"], depth, most)
            require(fraction(result["value"]) >= value, f"the tree costs {float(value)}")
            require(fraction(result["bound"]) <= bound, f"the plan shows only {float(bound)}")
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
