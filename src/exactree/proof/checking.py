"""Checks a certificate that no tree of thresholds costs less: standard library and NumPy alone.

    python checking.py proof.xz data.csv [target [weights]]

A certificate holds a tree and a plan: where to look so that everything else is ruled out. Whatever
it says, the bound computed here is a true one. docs/certificates.md describes the file.
e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the cost of
its leaves and a penalty a split. w(A) is the most that the rows A can cost, whatever is answered.
  Leaf   e(S, 0, .) is the cost of the best single answer.
  Scan   e(S, 1, .) is found by trying all single splits.
  Mono   e(A, d, k) >= e(B, d, k) - w(B - A), for all A and B: take the best tree of A for B. It
         costs no more on the rows of A, and at most w(B - A) on the others.
  Cover  e(S, d, k) is the least of the leaf and, over all splits t and i + j = k - 1, of
         penalty + e(left of t, d - 1, i) + e(right of t, d - 1, j). The plan lists sides of
         thresholds to be bounded; Mono carries what is found to all others of the column.
  Few    k splits with k * penalty >= leaf are no better than the leaf, and n rows have no use for
         more than n - 1: less depth is enough where the leaf is cheap or rows are few.
  Limit  With a least size of sides every claim has two bounds: without the limit ("free"), and
         with it ("limited"), for which only thresholds with enough on both sides count. Mono holds
         for limited only where A is within B: on B the leaves of a tree only grow.
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Header = dict[str, Any]

FAMILY = "axis"
LARGEST, LARGEST_HEADER, MEMORY = 1 << 26, 1 << 20, 1 << 27  # unpacked bytes; what unpacking uses
DEEPEST, WIDEST, WORK = 200, 63, 1 << 38  # levels, splits; rows times columns looked at: an hour
CELLS, CHUNK = 1 << 24, 1 << 16  # rows times classes, in all; sums by class and block, at a time
TOTAL, INFINITE = 1 << 61, 1 << 62  # the cost of all rows stays below; more than any cost


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
    """What the rules look at, in whole units of cost."""

    ranks: Ints  # by column: the place of each row's value among the different ones
    label: Ints
    weight: Ints
    size: Ints  # what a row counts on its side of a split
    costs: Ints | None  # of a unit of weight by label and answer; None: 1 for every wrong answer
    classes: int
    penalty: int
    least: int  # what each side of a split has to count
    unit: Fraction  # what a unit of cost is worth

    def amounts(self, row: Ints) -> list[tuple[Any, Ints]]:
        """Give what rows add to which sum: their weight to that of their class; and their size."""
        size = [(np.full(row.shape, self.classes), self.size[row])] if self.least > 1 else []
        return [(self.label[row], self.weight[row]), *size]

    def leaf(self, sums: Any) -> Ints:
        """Leaf: what the best answer costs, by such sums along the first axis."""
        found = sums[: self.classes]
        if self.costs is None:
            return np.asarray(found.sum(0) - found.max(0))
        return np.asarray(np.tensordot(self.costs.T, found, 1).min(0))

    def answers(self, inside: Ints) -> Ints:
        """Give what each answer costs for some rows."""
        sums = np.zeros(self.classes, np.int64)
        np.add.at(sums, self.label[inside], self.weight[inside])
        return sums.sum() - sums if self.costs is None else sums @ self.costs


class Blocks:
    """Scan: all single splits of the sides of thresholds of a node, by blocks of places.

    Block  A split within a block has on its left all that lies before the block, and on its right
           all after it. By Mono it costs no less than leaves of these two: where that is no less
           than the best split so far, the block need not be looked into.
    Sums have class (and at last size), threshold, column and block: of the rows before the block.
    """

    def __init__(self, rows: Rows, order: Ints, ends: Mask) -> None:
        (m, n), self.rows, self.order = order.shape, rows, order
        places = 16 if n * rows.classes < 8192 else 64
        self.count = -(-n // places)
        self.where = np.arange(m)[:, None] * (self.count + 1) + np.arange(n) // places + 1
        pad, shape = self.count * places - n, (m * self.count, places)
        self.row = np.pad(order, ((0, 0), (0, pad)), constant_values=-1).reshape(shape)
        self.ends = np.pad(ends, ((0, 0), (0, pad + 1))).reshape(shape)
        self.amounts = rows.amounts(order)
        self.whole = self.left_of(0, np.array([n]))

    def left_of(self, f: int, positions: Ints) -> Ints:
        """Sum up, before each block of each column, what is left of thresholds of a column."""
        many = self.rows.classes + (self.rows.least > 1)
        shape = (many, len(positions) + 1, len(self.order), self.count + 1)
        self.place = np.full(len(self.rows.size), self.order.shape[1])
        self.place[self.order[f]] = np.arange(self.order.shape[1])
        first = np.searchsorted(positions, self.place, "right")  # that it is left of
        at = (first * (shape[2] * shape[3]))[self.order] + self.where
        out = np.zeros(shape, np.int64)
        for name, amount in self.amounts:
            np.add.at(out.reshape(-1), (at + name * out[0].size).ravel(), amount.ravel())
        return np.asarray(out[:, :-1].cumsum(3).cumsum(1))

    def best(self, sums: Ints, positions: Ints, side: int) -> tuple[Ints, Ints]:
        """Give the cost of a leaf, and of a leaf or the best split, free and limited."""
        rows, others, m = self.rows, sums[..., -1:] - sums, len(self.order)
        before, after = rows.leaf(sums), rows.leaf(others)
        stops, mixed = self.ends[:, -1].reshape(m, -1), self.ends[:, :-1].any(1).reshape(m, -1)
        split = np.where(stops, (before + after)[..., 1:], INFINITE)
        bound = np.where(mixed, before[..., :-1] + after[..., 1:], INFINITE)
        leaf, fine, room = before[:, 0, -1], True, True
        best = np.repeat(leaf[:, None] - rows.penalty, 1 if rows.least <= 1 else 2, 1)
        for v in range(best.shape[1]):
            if v:  # limited
                fine = np.minimum(sums[-1], others[-1])[..., 1:] >= rows.least
                room = np.minimum(sums[-1][..., 1:], others[-1][..., :-1]) >= rows.least
            best[:, v] = np.minimum(best[:, v], np.where(fine, split, INFINITE).min((1, 2)))
            hope = np.where(room, bound, INFINITE).reshape(len(leaf), stops.size)
            self.look(sums, positions, side, best, np.arange(len(leaf)), hope.argmin(1))
            self.look(sums, positions, side, best, *np.nonzero(hope < best[:, v : v + 1]))
        return leaf, np.minimum(best + rows.penalty, leaf[:, None])

    def look(self, sums: Ints, positions: Ints, side: int, best: Ints, k: Ints, at: Ints) -> None:
        """Try all splits within some blocks of some sides."""
        rows, row, (g, b) = self.rows, self.row[at], np.divmod(at, self.count)
        inside = ((self.place[row] < positions[k, None]) != side) & (row >= 0)
        left = np.zeros((len(sums), *row.shape), np.int64)
        for name, amount in rows.amounts(row):
            amount *= inside
            for c in range(len(sums)):
                left[c] += (name == c) * amount
        left = left.cumsum(2) + sums[:, k, g, b, None]
        right = sums[:, k, 0, -1, None] - left
        cost = np.where(self.ends[at], rows.leaf(left) + rows.leaf(right), INFINITE)
        for v in range(best.shape[1]):
            fine = np.minimum(left[-1], right[-1]) >= rows.least if v else True
            np.minimum.at(best[:, v], k, np.where(fine, cost, INFINITE).min(1))


class Checker:
    """Bounds from data and a plan. A node is, by column, its rows in the order of that column."""

    def __init__(self, rows: Rows, plan: bytes, work: int) -> None:
        self.rows, self.plan, self.work = rows, numbers(plan), work
        most = 1 if rows.costs is None else rows.costs.max(1)[rows.label]
        self.influence = rows.weight * most  # w of each row
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

    def claim(self, order: Ints, depth: int, splits: int | None) -> Ints:
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit."""
        self.work -= order.size
        leaf = int(self.rows.answers(order[0]).min())
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)  # Few
        if leaf == 0 or self.rows.penalty:
            depth = min(depth, (leaf - 1) // self.rows.penalty) if leaf else 0
        if depth == 1:
            blocks = Blocks(self.rows, order, self.ends(order))
            split = blocks.best(blocks.whole, np.array([order.shape[1]]), 0)[1]
            bound[:, 0 if splits is None else 1 :] = split.T
        elif depth > 1:
            found = self.cover(order, depth, splits, leaf)
            bound = found[:, np.minimum(np.arange(bound.shape[1]), found.shape[1] - 1)]
        return bound

    def ends(self, order: Ints, columns: Any = slice(None)) -> Mask:
        """Tell after which places of some columns a larger value begins."""
        ranks = np.take_along_axis(self.rows.ranks[columns], order, -1)
        return np.asarray(ranks[..., 1:] != ranks[..., :-1])

    def scans(self, blocks: Blocks, f: int, positions: Ints, used: Mask, known: Ints) -> None:
        """Fill in the bounds of depth one of sides of thresholds, some at a time."""
        m, n = blocks.order.shape
        self.work -= int(np.stack([positions, n - positions], 1)[used].sum()) * m
        step = max(1, CHUNK // blocks.whole.size)
        for first in range(0, len(positions), step):
            left = blocks.left_of(f, positions[first : first + step])
            for s in (0, 1):
                w = np.flatnonzero(used[first : first + step, s])
                sums = blocks.whole - left[:, w] if s else left[:, w]
                leaf, split = blocks.best(sums, positions[first + w], s)
                known[s, first + w, :, 0] = leaf[:, None]
                known[s, first + w, :, -1] = split

    def cover(self, order: Ints, depth: int, splits: int | None, leaf: int) -> Ints:
        """Cover: the least bound of the leaf and of all splits, depth at least two."""
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        below = None if splits is None else splits - 1
        fewer = self.budgets(depth - 1, below)
        blocks = Blocks(self.rows, order, self.ends(order)) if depth == 2 else None
        for f, inside in enumerate(order):
            ends = self.ends(inside, f)
            positions, used = self.entries(len(inside))
            require(ends[positions - 1].all(), "the plan has a threshold among equal values")
            known = np.zeros((2, len(positions), self.variants, fewer), np.int64)
            if blocks:
                self.scans(blocks, f, positions, used, known)
            for i, s in np.argwhere(used & (depth > 2)):
                side = np.zeros(len(self.rows.label), bool)
                side[inside[: positions[i]] if s == 0 else inside[positions[i] :]] = True
                child = order[side[order]].reshape(len(order), -1)
                known[s, i] = self.claim(child, depth - 1, below)
            bound = np.minimum(bound, self.along(inside, ends, positions, known, bound.shape[1]))
        return bound

    def along(self, inside: Ints, ends: Mask, positions: Ints, known: Ints, budgets: int) -> Ints:
        """Give the least of the bounds of all thresholds of a column, by Mono from those given."""
        places = np.flatnonzero(ends) + 1
        weight = self.influence[inside].cumsum()
        before, at = weight[places - 1], np.searchsorted(places, positions)
        left = self.spread(before, at, known[0])
        right = self.spread((weight[-1] - before)[::-1], len(places) - 1 - at, known[1])[::-1]
        total = self.joined(left, right, budgets)
        least = total.min(0, initial=INFINITE)
        if self.variants == 2:
            size = self.rows.size[inside].cumsum()
            fine = np.minimum(size, size[-1] - size)[places - 1] >= self.rows.least
            least[1] = total[fine, 1].min(0, initial=INFINITE)
        return np.asarray(least)

    def spread(self, before: Ints, at: Ints, known: Ints) -> Ints:
        """Mono along sets that grow: a larger one costs no less, a smaller one by w less."""
        given = np.zeros((len(before), *known.shape[1:]), np.int64)
        given[at] = known
        growing = np.maximum.accumulate(given)
        where = before[:, None, None]
        shrinking = np.maximum.accumulate((given - where)[::-1])[::-1] + where
        out = np.maximum(growing[:, :1], shrinking)  # to larger sets goes only what is free
        out[:, 1:] = np.maximum(out[:, 1:], out[:, :1])  # a limit makes nothing cheaper
        return np.asarray(out)

    def joined(self, left: Ints, right: Ints, budgets: int) -> Ints:
        """Give the bound of a split from those of its sides, for every number of splits."""
        if budgets == 1:
            return left + right + self.rows.penalty
        out = np.full((*left.shape[:-1], budgets), INFINITE)
        most = left.shape[-1] - 1
        for k in range(1, budgets):
            for i in range(min(k - 1, most) + 1):
                both = left[..., i] + right[..., min(k - 1 - i, most)] + self.rows.penalty
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


def prepared(header: Header, X: NDArray[Any], label: Ints, given: Any) -> tuple[Rows, Mask]:
    """Give what the rules look at, and which rows have any weight and so count."""
    unit, penalty = fraction(header["unit"]), fraction(header["penalty"])
    heavy, costs = fraction(header["min_weight_leaf"]), header["costs"]
    rows, classes = number(header, "min_samples_leaf", 1, 1 << 53), len(header["classes"])
    factors = ["1"] * classes if header["class_weight"] is None else header["class_weight"]
    fits = len(factors) == classes and (rows == 1 or not heavy)
    require(fits, "not one weight for every class, or two limits on the sides of a split")
    weights = [1] * len(label) if given is None else given.tolist()
    pairs = list(zip(label.tolist(), weights, strict=True))
    exact = {(c, w): fraction(factors[c]) * Fraction(w) / unit for c, w in set(pairs)}
    close = 1 << 19 if header["rounded"] is True else TOTAL  # units: a rounding of one millionth
    fine = all(x == round(x) >= 0 or x >= close for x in exact.values())
    weight = np.array([round(exact[pair]) for pair in pairs], np.int64)
    require(fine and weight.any(), "weights that are no multiples of the unit, or all zero")
    kept, factor = weight > 0, (penalty / unit).denominator
    table = None if costs is None else np.array(costs, np.int64)
    if table is not None:
        whole = all(type(cost) is int and cost >= 0 for row in costs for cost in row)
        require(whole and table.shape == (classes, classes), "costs are no table")
    total = sum(weight.tolist()) * factor * (1 if table is None else max(1, int(table.max())))
    require(total < TOTAL, "weights times costs are too large: round them to fewer digits")
    size = weight[kept] if heavy else np.ones(kept.sum(), np.int64)
    least, cost = max(rows, -int(-heavy // unit)), int(penalty / unit * factor)
    cost = min(cost, TOTAL)  # more forbids all splits just the same
    ranked, weight = questions(header, X[kept]), weight[kept] * factor
    found = Rows(ranked, label[kept], weight, size, table, classes, cost, least, unit / factor)
    return found, kept


def tree_cost(header: Header, tree: Any, X: NDArray[Any], rows: Rows, most: Any) -> tuple[int, int]:
    """Give the cost of the leaves of a tree and its splits, if it keeps to the budgets."""
    work, cost, splits, depth = [(tree, np.arange(len(X)), 0)], 0, 0, header["max_depth"]
    while work:
        node, inside, level = work.pop()
        if "leaf" in node:
            cost += int(rows.answers(inside)[number(node, "leaf", 0, rows.classes - 1)])
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
    names = {str(name): i for i, name in enumerate(header["classes"])}
    require(len(names) == len(header["classes"]), "two classes have the same name")
    label = np.array([names[str(name)] for name in np.asarray(y).tolist()], np.int64)
    weight = None if given is None else np.asarray(given, np.float64)
    fine = X.ndim == 2 and len(names) * len(X) <= CELLS and not np.isinf(X).any()
    fine &= bool(header.get("kinds")) or not np.isnan(X).any()
    require(fine, "no table of finite numbers, or too large for this checker")
    same = X.shape == (header["rows"], header["columns"]) and len(label) == len(X)
    same &= header["feature_names"] is None or len(header["feature_names"]) == X.shape[1]
    same &= header["weights"] is (given is not None)
    require(same and header["data"] == data_digest(X, label, weight), "these are other data")
    rows, kept = prepared(header, X, label, weight)
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
        value = cost * rows.unit + used * fraction(header["penalty"])
        bound = bounds[-1 if most is None else min(most, len(bounds) - 1)] * rows.unit
        require(fraction(result["value"]) == value, f"the tree costs {value}")
        require(fraction(result["bound"]) <= bound, f"the plan shows only {bound}")


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
