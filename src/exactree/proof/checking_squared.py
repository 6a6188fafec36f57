"""Checks a certificate that no regression tree of thresholds has a smaller squared error.

    python checking_squared.py proof.xz data.csv [target [weights]]

A certificate holds a tree and a plan: where to look so that everything else is ruled out. Whatever
it says, the bound computed here is a true one. docs/certificates.md describes the file.
e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the weighted
squared deviations from the means of its leaves, and a penalty a split.
  Leaf   e(S, 0, .) is Q - P^2 / W: weight W, sum P and squares Q of the rows.
  Scan   e(S, 1, .) is found by trying all single splits.
  Mono   e(A, d, k) <= e(B, d, k) for A within B: take the best tree of B for A. No leaf costs more.
  Cover  e(S, d, k) is the least of the leaf and, over all splits t and i + j = k - 1, of
         penalty + e(left of t, d - 1, i) + e(right of t, d - 1, j). The plan lists sides of
         thresholds to be bounded; Mono carries what is found to all larger sides of the column.
  Few    n rows have no use for more than n - 1 splits, and k splits for more than k levels.
  Limit  With a least size of sides every claim has two bounds: without the limit ("free"), and
         with it ("limited"), for which only thresholds with enough on both sides count. Mono does
         not hold for limited bounds: only free ones are carried.
  Round  Weights times targets become whole numbers, together below 2^52, so that sums of them are
         exact. What leaves explain has three roundings, and Q as many as rows: both are taken off,
         so every bound is too low. A tree's cost is a squared distance. If rounding moves the
         targets by rho, a bound b for what they became is one of b - 2 rho sqrt(b) for them.
"""

from __future__ import annotations

import csv
import hashlib
import json
import lzma
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Header = dict[str, Any]

FAMILY = "axis, squared error"
LARGEST, LARGEST_HEADER, MEMORY = 1 << 26, 1 << 20, 1 << 27  # unpacked bytes; what unpacking uses
DEEPEST, WIDEST, WORK = 200, 63, 1 << 38  # levels, splits; rows times columns looked at: an hour
CELLS, BLOCK = 1 << 24, 1 << 19  # rows, in all; and times columns, at a time
SUMS = 1 << 52  # below, sums of whole numbers in float64 are exact
DOWN = 1 - 2.0**-51  # makes up for the rounding of two additions


class Rejected(ValueError):
    """The certificate does not show what it says."""


def require(holds: Any, complaint: str) -> bool:
    """Reject the certificate unless something holds."""
    if not holds:
        raise Rejected(complaint)
    return True


def numbers(plan: bytes) -> Iterator[int]:
    """Read the numbers of a plan: seven bits a byte, lowest first, at most 63 bits in all."""
    for found in re.finditer(rb"[\x80-\xff]*[\0-\x7f]|[\x80-\xff]+", plan):
        bytes_ = found.group()
        require(len(bytes_) <= 9 and bytes_[-1] < 128, "a number is cut off, or too large")
        yield sum((byte & 127) << 7 * i for i, byte in enumerate(bytes_))


@dataclass(frozen=True, eq=False)
class Rows:
    """What the rules look at, in whole steps of the targets and whole units of weight."""

    ranks: Ints  # by column: the place of each row's value among the different ones
    weight: Floats
    sums: Floats  # weight times target
    size: Floats  # what a row counts on its side of a split
    penalty: float  # rounded down
    least: float  # what each side of a split has to count
    price: Fraction  # what a unit of cost is worth
    moved: float  # by how much rounding moved all targets together, in steps
    exact: list[tuple[Fraction, Fraction]]  # weights and targets as they were given

    def true(self, bound: float) -> Fraction:
        """Give what no tree is below if none of the rounded targets is below some units."""
        lost = 2 * self.moved * sqrt(bound) * (1 + 2.0**-40)
        return Fraction(max(0.0, (bound - lost) * DOWN)) * self.price


class Checker:
    """Bounds from data and a plan. A node is, by column, its rows in the order of that column."""

    def __init__(self, rows: Rows, plan: bytes, work: int) -> None:
        self.rows, self.plan, self.work = rows, numbers(plan), work
        self.squares = rows.sums * rows.sums / rows.weight
        self.variants = 1 if rows.least <= 1 else 2  # free, and limited

    def budgets(self, depth: int, splits: int | None) -> int:
        """Count the bounds of a claim: one for each number of splits, or one for the depth."""
        return 1 if splits is None else min(splits, (1 << min(depth, 60)) - 1) + 1

    def entries(self, rows: int) -> tuple[Ints, Mask]:
        """Read positions along a column, ascending, and which sides of each are bounded."""
        require(self.work >= 0, "the plan takes more work than the certificate says")
        count = next(self.plan, rows)
        require(count < rows, "the plan is cut off, or has more thresholds than rows")
        codes = np.array([next(self.plan, 0) for _ in range(count)], np.int64)
        steps = codes >> 2
        fine = ((steps > 0) & (steps < rows)).all() and steps.sum() < rows
        require(fine, "the plan is cut off, or has thresholds that are not in order")
        return steps.cumsum(), (codes[:, None] >> np.arange(2) & 1).astype(bool)

    def claim(self, order: Ints, depth: int, splits: int | None) -> Floats:
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit."""
        self.work -= order.size
        leaf, split = self.scan(order[:1], np.ones((1, 1, order.shape[1]), bool))
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf[0])
        depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)  # Few
        if depth == 1:
            split = self.scan(order, np.ones((1, *order.shape), bool))[1]
            bound[:, 0 if splits is None else 1 :] = split[0][:, None]
        elif depth > 1:
            found = self.cover(order, depth, splits, leaf[0])
            bound = found[:, np.minimum(np.arange(bound.shape[1]), found.shape[1] - 1)]
        return bound

    def scan(self, order: Ints, inside: Mask) -> tuple[Floats, Floats]:
        """Scan, by trying all splits: the cost of a leaf, and of a leaf or the best split.

        For many sets of rows: `inside` has set, column and place.
        """
        rows, n, ends = self.rows, order.shape[1], self.ends(order, slice(len(order)))
        a = np.where(inside, rows.sums[order], 0.0).cumsum(-1)
        c = np.where(inside, rows.weight[order], 0.0).cumsum(-1)
        P, W = a[..., -1:], c[..., -1:]
        squares = np.where(inside[:, 0], self.squares[order[0]], 0.0).sum(1)
        with np.errstate(divide="ignore", invalid="ignore"):
            split = (a * a / c + (P - a) ** 2 / (W - c))[..., :-1]
        fine = [ends & (c[..., :-1] > 0) & (c[..., :-1] < W)]
        if self.variants == 2:
            fine.append(fine[0] & self.enough(np.where(inside, rows.size[order], 0.0)))
        explained = [(P[:, 0] ** 2 / W[:, 0])[:, 0]]
        explained += [np.where(some, split, 0.0).max((1, 2), initial=0.0) for some in fine]
        least = squares * (1 - (n + 8) * 2.0**-52)  # Round
        cost = np.maximum(least[:, None] - np.stack(explained, 1) * (1 + 2.0**-50), 0.0)
        return cost[:, 0], np.minimum((cost[:, 1:] + rows.penalty) * DOWN, cost[:, :1])

    def enough(self, size: Floats) -> Mask:
        """Tell after which places both sides count enough."""
        count = size.cumsum(-1)
        return np.asarray(np.minimum(count, count[..., -1:] - count)[..., :-1] >= self.rows.least)

    def ends(self, order: Ints, columns: Any = slice(None)) -> Mask:
        """Tell after which places of some columns a larger value begins."""
        ranks = np.take_along_axis(self.rows.ranks[columns], order, -1)
        return np.asarray(ranks[..., 1:] != ranks[..., :-1])

    def scans(self, order: Ints, f: int, positions: Ints, used: Mask, known: Floats) -> None:
        """Fill in the bounds of depth one of sides of thresholds, some at a time."""
        (which, side), n = np.nonzero(used), order.shape[1]
        sizes = np.where(side == 0, positions[which], n - positions[which])
        self.work -= int(sizes.sum()) * len(order)
        place = np.empty(len(self.rows.sums), np.int64)
        place[order[f]] = np.arange(n)
        step = max(1, BLOCK // order.size)
        for first in range(0, len(which), step):
            w, s = which[first : first + step], side[first : first + step]
            before = place[order] < positions[w][:, None, None]
            leaf, split = self.scan(order, before == (s == 0)[:, None, None])
            known[s, w, :, -1] = split
            if known.shape[3] > 1:
                known[s, w, :, 0] = leaf[:, None]

    def cover(self, order: Ints, depth: int, splits: int | None, leaf: float) -> Floats:
        """Cover: the least bound of the leaf and of all splits, depth at least two."""
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        below = None if splits is None else splits - 1
        fewer = self.budgets(depth - 1, below)
        for f, inside in enumerate(order):
            ends = self.ends(inside, f)
            positions, used = self.entries(len(inside))
            require(ends[positions - 1].all(), "the plan has a threshold among equal values")
            known = np.zeros((2, len(positions), self.variants, fewer))
            if depth == 2 and len(positions):
                self.scans(order, f, positions, used, known)
            for i, s in np.argwhere(used & (depth > 2)):
                side = np.zeros(len(self.rows.sums), bool)
                side[inside[: positions[i]] if s == 0 else inside[positions[i] :]] = True
                child = order[side[order]].reshape(len(order), -1)
                known[s, i] = self.claim(child, depth - 1, below)
            bound = np.minimum(bound, self.along(inside, ends, positions, known, bound.shape[1]))
        return bound

    def along(self, inside: Ints, ends: Mask, positions: Ints, known: Any, budgets: int) -> Floats:
        """Give the least of the bounds of all thresholds of a column, by Mono from those given."""
        places = np.flatnonzero(ends) + 1
        at = np.searchsorted(places, positions)
        left = self.spread(len(places), at, known[0])
        right = self.spread(len(places), len(places) - 1 - at, known[1])[::-1]
        total = self.joined(left, right, budgets)
        least = total.min(0, initial=np.inf)
        if self.variants == 2:
            fine = self.enough(self.rows.size[inside])[places - 1]
            least[1] = total[fine, 1].min(0, initial=np.inf)
        return np.asarray(least)

    def spread(self, places: int, at: Ints, known: Floats) -> Floats:
        """Mono along sets that grow: a larger one costs no less than a smaller one is free to."""
        out = np.zeros((places, *known.shape[1:]))
        out[at] = known
        out[:, 0] = np.maximum.accumulate(out[:, 0])
        out[:, 1:] = np.maximum(out[:, 1:], out[:, :1])  # a limit makes nothing cheaper
        return out

    def joined(self, left: Floats, right: Floats, budgets: int) -> Floats:
        """Give the bound of a split from those of its sides, for every number of splits."""
        if budgets == 1:
            return (left + right + self.rows.penalty) * DOWN
        out = np.full((*left.shape[:-1], budgets), np.inf)
        most = left.shape[-1] - 1
        for k in range(1, budgets):
            for i in range(min(k - 1, most) + 1):
                both = (left[..., i] + right[..., min(k - 1 - i, most)] + self.rows.penalty) * DOWN
                out[..., k] = np.minimum(out[..., k], both)
        return out


def floats(kinds: Any, table: Any) -> NDArray[Any]:
    """Read columns: NaN where a value is missing, or else its place where values are listed."""
    out = []
    for kind, column in zip(kinds, table, strict=True):
        places = {str(value): i for i, value in enumerate(kind["values"] if kind else ())}
        given = [None if v is None or v != v or v == "" else v for v in column]
        found = [v if v is None or kind is None else places[str(v)] for v in given]
        out.append([np.nan if v is None else float(v) for v in found])
    return np.transpose(out)


def questions(header: Header, X: NDArray[Any]) -> Ints:
    """Give the columns of ranks whose thresholds are the splits of a table.

    Missing values come first, and last: two columns. Where categories are asked for, each, or each
    set of them that has the first, is a column of two ranks; a missing value is one of them.
    """
    out: list[Any] = []
    for kind, column in zip(header.get("kinds") or [None] * X.shape[1], X.T, strict=True):
        lost = np.isnan(column)
        found = [np.where(lost, end, column) for end in ((-np.inf, np.inf) if lost.any() else (0,))]
        if kind is not None and kind["asked"] != "order":
            present = np.unique(codes := np.where(lost, -1, column))
            sets = list(present[:, None])
            if kind["asked"] == "subset":
                require(len(present) <= 10, "too many categories for all subsets of them")
                odd = range(1, max(2, (1 << len(present)) - 1), 2)
                sets = [present[i >> np.arange(len(present)) & 1 > 0] for i in odd]
            found = [~np.isin(codes, some) for some in sets]
        out += [np.unique(ranks, return_inverse=True)[1].reshape(-1) for ranks in found]
        fits = len(out) * len(X) <= (8 if kind is None else 2) * CELLS
        require(fits, "too large for this checker")
    return np.stack(out).astype(np.int64)


def read(path: Any) -> tuple[Header, bytes]:
    """Give header and plan of a certificate; nothing in them has been checked."""
    with open(path, "rb") as file:
        packed = file.read(LARGEST + 1)
    try:
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
    except (lzma.LZMAError, EOFError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise Rejected(f"this is no certificate, or a damaged one: {error}") from error
    return header, plan


def data_digest(X: NDArray[Any], y: NDArray[Any], weight: NDArray[Any] | None) -> str:
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


def prepared(header: Header, X: NDArray[Any], y: Floats, given: Any) -> tuple[Rows, Mask]:
    """Give what the rules look at, and which rows have any weight and so count."""
    unit, penalty = fraction(header["unit"]), fraction(header["penalty"])
    heavy, rows = fraction(header["min_weight_leaf"]), number(header, "min_samples_leaf", 1, SUMS)
    require(rows == 1 or not heavy, "two limits on the sides of a split")
    weights = [1] * len(y) if given is None else given.tolist()
    units = {w: Fraction(w) / unit for w in set(weights)}
    close = 1 << 33 if header["rounded"] is True else SUMS  # units: a rounding of 2^-34
    fine = all(w == round(w) >= 0 or w >= close for w in units.values())
    whole_units = {w: round(number) for w, number in units.items()}
    weight = np.array([whole_units[w] for w in weights], np.float64)
    require(fine and 0 < sum(weight.tolist()) < SUMS, "weights that the unit does not fit")
    kept = weight > 0
    pairs = zip(weights, y.tolist(), kept, strict=True)
    exact = [(Fraction(w), Fraction(t)) for w, t, take in pairs if take]
    step = Fraction(1, max(t.denominator for _, t in exact))
    whole = [int(t / step) for _, t in exact]
    centre, heavies = sum(whole) // len(whole), [int(w) for w in weight[kept]]
    total = sum(w * abs(t - centre) for t, w in zip(whole, heavies, strict=True))
    shift = max(0, total.bit_length() - 51)  # Round: halves of a step are less than the rest
    exactly = [w * (t - centre) for t, w in zip(whole, heavies, strict=True)]
    sums = [(s + (1 << shift >> 1)) >> shift for s in exactly]
    off = [(s - (q << shift)) / (1 << shift) for s, q in zip(exactly, sums, strict=True)]
    moved = sqrt(sum(d * d / w for d, w in zip(off, heavies, strict=True))) * (1 + 2.0**-30)
    require(sum(map(abs, sums)) < SUMS, "weights times targets are too large")
    price = unit * (step * 2**shift) ** 2
    if header["rounded"]:
        price *= 1 - Fraction(1, 1 << 33)  # costs are so much lower at most
    size = weight[kept] if heavy else np.ones(kept.sum())
    least = float(max(rows, -int(-heavy // unit)))
    cost = float(min(penalty / price, Fraction(1 << 120))) * DOWN
    ranks, whole_sums = questions(header, X[kept]), np.array(sums, np.float64)
    return Rows(ranks, weight[kept], whole_sums, size, cost, least, price, moved, exact), kept


def tree_cost(
    header: Header, tree: Any, X: NDArray[Any], rows: Rows, most: Any
) -> tuple[Fraction, int]:
    """Give the cost of the leaves of a tree and its splits, if it keeps to the budgets."""
    work, cost, splits, depth = [(tree, np.arange(len(X)), 0)], Fraction(0), 0, header["max_depth"]
    while work:
        node, inside, level = work.pop()
        if "leaf" in node:
            answer = Fraction(float(node["leaf"]))
            cost += sum((w * (t - answer) ** 2 for w, t in map(rows.exact.__getitem__, inside)), 0)
            continue
        splits, column = splits + 1, X[inside, number(node, "column", 0, X.shape[1] - 1)]
        if "among" in node:
            goes = np.isin(np.where(np.isnan(column), -1, column), node["among"])
        else:
            goes = column <= float(node["threshold"])
            goes |= np.isnan(column) & (node.get("missing") == "left")
        sides = [inside[goes], inside[~goes]]
        small = min(rows.size[side].sum() for side in sides) < rows.least
        fits = level < (DEEPEST if depth is None else depth) and not small
        require(fits, "the tree is too deep, or a leaf too small")
        a, b = (rows.ranks[:, side] for side in sides)
        known = (a.max(1) < b.min(1)).any() or (b.max(1) < a.min(1)).any()
        require(known, "the tree has a question that is none of those that compete")
        work += [(node[s], i, level + 1) for s, i in zip(("left", "right"), sides, strict=True)]
    require(most is None or splits <= most, "the tree has too many splits")
    return cost, splits


def check(path: Any, X: Any, y: Any, sample_weight: Any = None, *, work: int = WORK) -> Header:
    """Check a certificate against the data; its header is what has been shown."""
    header, plan = read(path)
    try:
        X = floats(header["kinds"], X) if header.get("kinds") else np.asarray(X, np.float64)
        compare(header, plan, X, y, sample_weight, work)
    except (LookupError, TypeError, ValueError, ArithmeticError, RuntimeError) as error:
        if isinstance(error, Rejected):
            raise
        raise Rejected(f"a header that is damaged, or of other data: {error!r}") from error
    return header


def compare(header: Header, plan: bytes, X: NDArray[Any], y: Any, given: Any, work: int) -> None:
    """Compare everything that a header says with the data and the plan."""
    target = np.array(y, np.float64)
    weight = None if given is None else np.asarray(given, np.float64)
    fine = X.ndim == 2 and X.size <= 8 * CELLS and not np.isinf(X).any()
    fine &= bool(header.get("kinds")) or not np.isnan(X).any()
    require(fine and np.isfinite(target).all(), "no table of finite numbers, or too large")
    same = X.shape == (header["rows"], header["columns"]) and target.shape == (len(X),)
    same &= header["feature_names"] is None or len(header["feature_names"]) == X.shape[1]
    same &= header["weights"] is (given is not None)
    require(same and header["data"] == data_digest(X, target, weight), "these are other data")
    rows, kept = prepared(header, X, target, weight)
    depth = number(header, "max_depth", 0, DEEPEST, optional=True)
    splits = number(header, "max_splits", 0, WIDEST, optional=True)
    order = np.argsort(rows.ranks, axis=1, kind="stable")
    checker = Checker(rows, plan, number(header, "work", 0, work))
    bounds = checker.claim(order, order.shape[1] if depth is None else depth, splits)[-1].tolist()
    fine = next(checker.plan, None) is None and checker.work >= 0 and header["results"]
    require(fine, "the plan is too long, or there are no results")
    for result in header["results"]:
        most = None if splits is None else number(result, "max_splits", 0, splits)
        require(result["max_splits"] == most, "a result with another budget")
        cost, used = tree_cost(header, result["tree"], X[kept], rows, most)
        value = cost + used * fraction(header["penalty"])
        bound = rows.true(bounds[-1 if most is None else min(most, len(bounds) - 1)])
        require(fraction(result["value"]) >= value, f"the tree costs {float(value)}")
        require(fraction(result["bound"]) <= bound, f"the plan shows only {float(bound)}")


def main(path: str, data: str, target: str = "", weights: str = "") -> None:
    """Check from the command line; the first line of the data has the names of the columns."""
    header, _ = read(path)
    with open(data, encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    target = target or header["target"]
    names = header["feature_names"] or [name for name in table[0] if name not in (target, weights)]
    X: Any = [[row[name] for row in table] for name in names]
    X = X if header.get("kinds") else np.transpose(np.array(X, np.float64))
    given = [float(row[weights]) for row in table] if weights else None
    check(path, X, [row[target] for row in table], given)
    sys.stdout.write(f"checked: {json.dumps(header)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
