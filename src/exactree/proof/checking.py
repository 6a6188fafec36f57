"""Checks a certificate that no tree of thresholds costs less: standard library and NumPy alone.

    python checking.py proof.xz data.csv [target [weights]]

A certificate holds a tree and a plan: where to look so that everything else is ruled out. It holds
no bound that would have to be believed. Whatever the plan says, the bound computed here is a true
one, and a bad plan only makes it lower. docs/certificates.md describes the file.

e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the cost of
its leaves and a penalty a split. w(A) is the most that the rows A can cost, whatever is answered.
  Leaf   e(S, 0, .) is the cost of the best single answer.
  Scan   e(S, 1, .) is found by trying all single splits.
  Mono   e(A, d, k) >= e(B, d, k) - w(B - A), for all A and B: take the best tree of A for B. It
         costs no more on the rows of A, and at most w(B - A) on the others.
  Cover  e(S, d, k) is the least of the leaf and, over all splits t and i + j = k - 1, of
         penalty + e(left of t, d - 1, i) + e(right of t, d - 1, j). The plan lists sides of
         thresholds to be bounded; Mono carries what is found to all others of the column.
  Few    A tree of k splits, k * penalty >= leaf, is no better than the leaf, and n rows have no use
         for more than n - 1 splits: less depth is enough where the leaf is cheap or rows are few.
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
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Header = dict[str, Any]

LARGEST, LARGEST_HEADER = 1 << 26, 1 << 20  # bytes of a certificate, unpacked, and of its header
MEMORY = 1 << 27  # bytes that unpacking may use
DEEPEST = 200  # levels of a tree
WORK = 1 << 38  # rows times columns that a plan may look at: about an hour
CELLS = 1 << 24  # rows times classes
TOTAL, INFINITE = 1 << 60, 1 << 61  # the cost of all rows stays below; more than any cost


class Rejected(ValueError):
    """The certificate does not show what it says."""


def require(holds: Any, complaint: str) -> None:
    """Reject the certificate unless something holds."""
    if not holds:
        raise Rejected(complaint)


class Plan:
    """The bytes of a plan, number by number (seven bits a byte, lowest first)."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self) -> int:
        """Read a number of at most 63 bits."""
        value = shift = 0
        while True:
            require(self.at < len(self.data) and shift <= 56, "the plan is cut off or damaged")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def entries(self, rows: int) -> tuple[Ints, Mask]:
        """Read positions along a column, ascending, and which sides of each are bounded."""
        count = self.number()
        require(count < rows, "the plan has a column with more thresholds than rows")
        codes = np.array([self.number() for _ in range(count)], np.int64)
        steps = codes >> 2
        fine = ((steps > 0) & (steps < rows)).all() and steps.sum() < rows
        require(fine, "the plan has thresholds that are not in order")
        return steps.cumsum(), (codes[:, None] >> np.arange(2) & 1).astype(bool)


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

    def by_label(self, inside: Ints) -> Ints:
        """Give the weights of some rows, with one line for each label."""
        each = np.zeros((self.classes, len(inside)), np.int64)
        each[self.label[inside], np.arange(len(inside))] = self.weight[inside]
        return each

    def answered(self, weight: Ints) -> Ints:
        """Turn weights by label (first axis) into costs by answer."""
        if self.costs is None:
            return np.asarray(weight.sum(0) - weight)
        return np.asarray(np.tensordot(self.costs.T, weight, 1))


class Checker:
    """Bounds from data and a plan. A node is, by column, its rows in the order of that column."""

    def __init__(self, rows: Rows, plan: Plan, work: int) -> None:
        self.rows, self.plan, self.work = rows, plan, work
        most = 1 if rows.costs is None else rows.costs.max(1)[rows.label]
        self.influence = rows.weight * most  # w of each row
        self.variants = 1 if rows.least <= 1 else 2  # free, and limited

    def budgets(self, depth: int, splits: int | None) -> int:
        """Count the bounds of a claim: one for each number of splits, or one for the depth."""
        return 1 if splits is None else min(splits, (1 << min(depth, 60)) - 1) + 1

    def claim(self, order: Ints, depth: int, splits: int | None) -> Ints:
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit."""
        self.work -= order.size
        require(self.work >= 0, "the plan takes more work than the certificate says")
        each = self.rows.by_label(order[0])
        leaf = int(self.rows.answered(each.sum(1)).min())
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        depth = min(depth, order.shape[1] - 1, depth if splits is None else splits)  # Few
        if leaf == 0 or self.rows.penalty:
            depth = min(depth, (leaf - 1) // self.rows.penalty) if leaf else 0
        require(depth <= DEEPEST, "the plan is too deep")
        if depth == 1:
            split = np.minimum(leaf, self.single_split(order))
            bound[:, 0 if splits is None else 1 :] = split[:, None]
        elif depth > 1:
            found = self.cover(order, depth, splits, leaf)
            bound[:, : found.shape[1]] = found
            bound[:, found.shape[1] :] = found[:, -1:]
        return bound

    def single_split(self, order: Ints) -> Ints:
        """Scan: the least cost of a single split, free and limited, by trying all of them."""
        best = np.full(self.variants, INFINITE)
        for ranks, inside in zip(self.rows.ranks, order, strict=True):
            ends = np.diff(ranks[inside]) != 0
            left = self.rows.answered(self.rows.by_label(inside).cumsum(1))
            cost = left.min(0) + (left[:, -1:] - left).min(0) + self.rows.penalty
            for v, fine in enumerate(self.allowed(inside, ends)):
                best[v] = min(best[v], cost[:-1][fine].min(initial=INFINITE))
        return best

    def allowed(self, inside: Ints, ends: Mask) -> list[Mask]:
        """Tell where a column may be split, free and limited."""
        if self.variants == 1:
            return [ends]
        count = self.rows.size[inside].cumsum()
        return [ends, ends & (np.minimum(count, count[-1] - count)[:-1] >= self.rows.least)]

    def cover(self, order: Ints, depth: int, splits: int | None, leaf: int) -> Ints:
        """Cover: the least bound of the leaf and of all splits, depth at least two."""
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        below = None if splits is None else splits - 1
        for f, inside in enumerate(order):
            ends = np.diff(self.rows.ranks[f, inside]) != 0
            positions, used = self.plan.entries(len(inside))
            require(ends[positions - 1].all(), "the plan has a threshold among equal values")
            shape = (2, len(positions), self.variants, self.budgets(depth - 1, below))
            known = np.zeros(shape, np.int64)
            for i, s in np.argwhere(used):
                side = np.zeros(len(self.rows.label), bool)
                side[inside[: positions[i]] if s == 0 else inside[positions[i] :]] = True
                child = order[side[order]].reshape(len(order), -1)
                known[s, i] = self.claim(child, depth - 1, below)
            bound = np.minimum(bound, self.along(inside, ends, positions, known, bound.shape[1]))
        return bound

    def along(self, inside: Ints, ends: Mask, positions: Ints, known: Ints, budgets: int) -> Ints:
        """Give the least of the bounds of all thresholds of a column, by Mono from those given."""
        places = np.flatnonzero(ends) + 1
        if not len(places):
            return np.full((self.variants, budgets), INFINITE)
        weight = self.influence[inside].cumsum()
        before, at = weight[places - 1], np.searchsorted(places, positions)
        left = self.spread(before, at, known[0])
        right = self.spread((weight[-1] - before)[::-1], len(places) - 1 - at, known[1])[::-1]
        total = self.joined(left, right, budgets)
        fine = [mask[places - 1] for mask in self.allowed(inside, ends)]
        return np.stack([total[f, v].min(0, initial=INFINITE) for v, f in enumerate(fine)])

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


def read(path: Any) -> tuple[Header, bytes]:
    """Give header and plan of a certificate; nothing in them has been checked."""

    def once(pairs: list[tuple[str, Any]]) -> Header:
        require(len(dict(pairs)) == len(pairs), "a name occurs twice in the header")
        return dict(pairs)

    with open(path, "rb") as file:
        packed = file.read(LARGEST + 1)
    try:
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
        data = unpacker.decompress(packed, LARGEST + 1)
        line, end, plan = data.partition(b"\n")
        require(unpacker.eof and not unpacker.unused_data and end, "too long, or cut off")
        require(len(data) <= LARGEST and len(line) <= LARGEST_HEADER, "too long when unpacked")
        header = json.loads(line, object_pairs_hook=once)
        known = [header["format"], header["version"], header["family"]]
        require(known == ["exactree.proof", 1, "axis"], f"not for this checker: {known}")
    except (lzma.LZMAError, EOFError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise Rejected(f"this is no certificate, or a damaged one: {error}") from error
    return header, plan


def data_digest(X: NDArray[Any], label: Ints, weight: NDArray[Any] | None) -> str:
    """Give the SHA-256 that a certificate knows its data by: values, classes, row weights."""
    digest = hashlib.sha256(b"exactree.data 1\n%d %d %d\n" % (*X.shape, weight is not None))
    for part, kind in ((X, "<f8"), (label, "<i8"), (weight, "<f8")):
        if part is not None:
            digest.update((np.ascontiguousarray(part, kind) + 0).tobytes())  # -0.0 becomes 0.0
    return digest.hexdigest()


def number(header: Header, name: str, least: int, most: int) -> int:
    """Read a whole number of the header."""
    value = header[name]
    require(type(value) is int and least <= value <= most, f"{name} is {value!r}")
    return int(value)


def fraction(text: Any) -> Fraction:
    """Read a fraction of the header, such as 3 or 3/4."""
    require(isinstance(text, str) and re.fullmatch(r"\d{1,40}(/\d{1,40})?", text), f"{text!r}?")
    return Fraction(text)


def in_units(header: Header, label: Ints, given: NDArray[Any] | None, unit: Fraction) -> Ints:
    """Give the weight of each row, by itself and by its class, in whole units: the nearest."""
    factors = header["class_weight"] or ["1"] * len(header["classes"])
    by_class = [fraction(factor) / unit for factor in factors]
    weights = [1] * len(label) if given is None else given.tolist()
    pairs = list(zip(label.tolist(), weights, strict=True))
    known = {(c, w): round(by_class[c] * Fraction(w)) for c, w in set(pairs)}
    found = [known[pair] for pair in pairs]
    require(min(found) >= 0 and 0 < sum(found) < TOTAL, "the weights are negative or too large")
    return np.array(found, np.int64)


def prepared(header: Header, X: NDArray[Any], label: Ints, given: Any) -> tuple[Rows, Mask]:
    """Give what the rules look at, and which rows have any weight and so count."""
    unit, penalty = fraction(header["unit"]), fraction(header["penalty"])
    heavy, costs = fraction(header["min_weight_leaf"]), header["costs"]
    rows, classes = number(header, "min_samples_leaf", 1, 1 << 53), len(header["classes"])
    weight = in_units(header, label, given, unit)
    kept, factor = weight > 0, (penalty / unit).denominator
    table = None if costs is None else np.array(costs, np.int64)
    if table is not None:
        whole = all(type(cost) is int and cost >= 0 for row in costs for cost in row)
        require(whole and table.shape == (classes, classes), "costs are no table")
    highest = 1 if table is None else max(1, int(table.max()))
    require(int(weight.sum()) * factor * highest < TOTAL, "the weights are too large")
    require(rows == 1 or not heavy, "two limits on the sides of a split")
    size = weight[kept] if heavy else np.ones(kept.sum(), np.int64)
    ranks = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in X[kept].T]
    return Rows(
        ranks=np.stack(ranks).astype(np.int64),
        label=label[kept],
        weight=weight[kept] * factor,
        size=size,
        costs=table,
        classes=classes,
        penalty=min(int(penalty / unit * factor), TOTAL),  # more forbids splits just the same
        least=max(rows, -int(-heavy // unit)),
        unit=unit / factor,
    ), kept


def tree_cost(tree: Any, X: NDArray[Any], rows: Rows, depth: int, most: Any) -> tuple[int, int]:
    """Give the cost of the leaves of a tree and its splits, if it keeps to the budgets."""
    work, cost, splits = [(tree, np.arange(len(X)), 0)], 0, 0
    while work:
        node, inside, level = work.pop()
        if "leaf" in node:
            by_answer = rows.answered(rows.by_label(inside).sum(1))
            cost += int(by_answer[number(node, "leaf", 0, len(by_answer) - 1)])
            continue
        splits += 1
        goes = X[inside, number(node, "column", 0, X.shape[1] - 1)] <= float(node["threshold"])
        size = rows.size[inside]
        require(min(size[goes].sum(), size[~goes].sum()) >= rows.least, "a leaf is too small")
        require(level < depth, "the tree is too deep")
        work += [(node["left"], inside[goes], level + 1), (node["right"], inside[~goes], level + 1)]
    require(most is None or splits <= most, "the tree has too many splits")
    return cost, splits


def check(path: Any, X: Any, y: Any, sample_weight: Any = None, *, work: int = WORK) -> Header:
    """Check a certificate against the data; its header is what has been shown.

    Labels are matched with the names of the classes, as they are or as text. `work` is the most
    that the plan may take, in rows times columns.
    """
    header, plan = read(path)
    try:
        compare(header, Plan(plan), np.asarray(X, np.float64), y, sample_weight, work)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        if isinstance(error, Rejected):
            raise
        raise Rejected(f"a header that is damaged, or of other data: {error!r}") from error
    return header


def compare(header: Header, plan: Plan, X: NDArray[Any], y: Any, given: Any, work: int) -> None:
    """Compare everything that a header says with the data and the plan."""
    names = {str(name): i for i, name in enumerate(header["classes"])}
    require(len(names) == len(header["classes"]), "two classes have the same name")
    label = np.array([names[str(name)] for name in np.asarray(y).tolist()], np.int64)
    weight = None if given is None else np.asarray(given, np.float64)
    require(X.ndim == 2 and np.isfinite(X).all(), "the data are no table of finite numbers")
    same = X.shape == (header["rows"], header["columns"]) and len(label) == len(X)
    require(same and header["data"] == data_digest(X, label, weight), "these are other data")
    require(len(names) * len(X) <= CELLS, "too many rows and classes for this checker")
    rows, kept = prepared(header, X, label, weight)
    depth, splits = (
        None if header[name] is None else number(header, name, 0, most)
        for name, most in (("max_depth", DEEPEST), ("max_splits", 1 << 53))
    )
    order = np.argsort(rows.ranks, axis=1, kind="stable")
    checker = Checker(rows, plan, number(header, "work", 0, work))
    bounds = checker.claim(order, order.shape[1] if depth is None else depth, splits)[-1].tolist()
    require(plan.at == len(plan.data), "something follows the plan")
    require(header["results"], "the certificate has no results")
    for result in header["results"]:
        most = None if splits is None else number(result, "max_splits", 0, splits)
        require(result["max_splits"] == most, "a result with another budget")
        cost, used = tree_cost(
            result["tree"], X[kept], rows, DEEPEST if depth is None else depth, most
        )
        value = cost * rows.unit + used * fraction(header["penalty"])
        bound = bounds[-1 if most is None else min(most, len(bounds) - 1)] * rows.unit
        require(fraction(result["value"]) == value, f"the tree costs {value}")
        require(fraction(result["bound"]) <= bound, f"the plan shows only {bound}")


def main(path: str, data: str, target: str = "", weights: str = "") -> None:
    """Check from the command line; the first line of the data has the names of the columns."""
    header, _ = read(path)
    with open(data, encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    names = header["feature_names"]
    given = [float(row[weights]) for row in table] if weights else None
    X = [[float(row[name]) for name in names] for row in table]
    check(path, X, [row[target or header["target"]] for row in table], given)
    shown = {name: header[name] for name in header if name not in ("results", "classes")}
    sys.stdout.write(f"{json.dumps(shown, indent=1)}\n")
    for result in header["results"]:
        proved = "no tree costs less than {bound}, this tree costs {value}"
        sys.stdout.write(f"checked: {proved}\n".format(**result))


if __name__ == "__main__":
    main(*sys.argv[1:])
