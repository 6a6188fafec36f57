"""Checks a certificate that no tree of listed partitions, or of surfaces, costs less.

A certificate holds a tree and a plan: where to look so that everything else is ruled out. Whatever
it says, the bound computed here is a true one. docs/certificates.md describes the file.
e(S, d, k) is the least cost of a tree of at most d levels and k splits on the rows S: the cost of
its leaves and a penalty a split. A split is a partition of the rows from a list.
  List   Partitions by surfaces are those of vectors z (one, and the terms of a row) by the signs
         of w.z. Let the z have rank r. The w that make a partition form an open cone; its closure
         is pointed and has an extreme ray v, with v.z = 0 for r - 1 independent z. Where v.z is
         not 0 it has the sign of w.z. The other z have rank r - 1, and w parts them somehow. So
         all v through r - 1 of the vectors, and in the same way the vectors on them, give all.
  Scan   e(S, 0, .) is the cost of the best single answer, e(S, 1, .) is found by trying all.
  Mono   e(A, d, k) <= e(B, d, k) for A within B: take the best tree of B for A.
  Cell   Partitions that agree in some rows. Branch: row z goes left, or right. Close: with P the
         rows that all send left and Q those that all send right, each costs at least
         penalty + e(P, d - 1, i) + e(Q, d - 1, j) for some i + j = k - 1, by Mono.
  Few    k splits with k * penalty >= leaf are no better than the leaf; n rows need at most n - 1.
  Limit  With a least size of sides every claim has two bounds, without the limit ("free") and with
         it ("limited"). Limited bounds of P and Q count only where all rows of S are decided.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import lzma
import math
import re
import sys
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Header = dict[str, Any]

FAMILY = "partitions"
LARGEST, LARGEST_HEADER, MEMORY = 1 << 26, 1 << 20, 1 << 27  # unpacked bytes; what unpacking uses
DEEPEST, WIDEST, WORK = 200, 63, 1 << 38  # levels, splits; partitions times rows looked at
CELLS, FLATS, BLOCK = 1 << 26, 1 << 26, 1 << 22  # of the list; of vectors v; at a time
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


def normals(flats: Array) -> Array:
    """Give vectors at right angles to r - 1 vectors of length r, for many of these, exactly."""
    every = tuple(range(flats.shape[2]))
    minors: Any = {(): np.ones(len(flats), flats.dtype)}  # of the first rows, by columns
    for k in every[:-1]:
        smaller, minors = minors, {}
        for c in itertools.combinations(every, k + 1):  # by the last row
            parts = (flats[:, k, j] * smaller[c[:i] + c[i + 1 :]] for i, j in enumerate(c))
            minors[c] = sum(part * (-1) ** (i + k) for i, part in enumerate(parts))
    return np.stack([minors[every[:j] + every[j + 1 :]] * (-1) ** j for j in every], 1)


def independent(Z: Array) -> list[int]:
    """Choose columns of whole numbers that span all others."""
    left, chosen = Z.T.astype(object) + Fraction(0), []
    for i, row in enumerate(left):
        if row.any():
            chosen.append(i)
            lead = np.flatnonzero(row)[0]
            left[i + 1 :] -= np.outer(left[i + 1 :, lead] / row[lead], row)
    return chosen


def separated(Z: Array) -> Array:
    """List: all partitions of different vectors of whole numbers by the signs of w.z."""
    Z = Z[:, independent(Z)]
    n, r = Z.shape
    if r == 1:
        return np.stack([Z[:, 0] > 0, Z[:, 0] < 0])
    require(r <= 12 and math.comb(n, r - 1) * n <= FLATS, "too many surfaces for this checker")
    most = max(abs(int(v)) for v in Z.ravel())
    Z = Z.astype(np.int64 if math.factorial(r) * most**r < 1 << 62 else object)
    found, seen, sets = [np.ones((1, n), bool)], set(), itertools.combinations(range(n), r - 1)
    signs = np.array(list(itertools.product((False, True), repeat=r - 1)))
    while len(flats := np.array(list(itertools.islice(sets, max(1, BLOCK // (n << r)))))):
        value = Z @ normals(Z[flats]).T  # vectors by v
        above, on = (value > 0).T.astype(bool), (value == 0).T.astype(bool)
        above, on, flats = above[~on.all(1)], on[~on.all(1)], flats[~on.all(1)]
        plain = on.sum(1) == r - 1
        sides = np.concatenate([above[plain], ~above[plain] & ~on[plain]])
        sides = np.repeat(sides[:, None], len(signs), 1)
        at = np.concatenate([flats[plain]] * 2)
        np.put_along_axis(sides, np.broadcast_to(at[:, None], (*sides.shape[:2], r - 1)), signs, 2)
        found.append(np.unique(sides.reshape(-1, n), axis=0))
        for one, zero in zip(above[~plain], on[~plain], strict=True):
            key = (zero.tobytes(), (one ^ (one[~zero][0])).tobytes())
            inner = separated(Z[zero]) if key not in seen else np.zeros((0, zero.sum()), bool)
            seen.add(key)
            for side in (one, ~one & ~zero):
                found.append(np.repeat(side[None], len(inner), 0))
                found[-1][:, zero] = inner
    return np.unique(np.concatenate(found), axis=0)


def vectors(part: Any, X: Array) -> Array:
    """Give one and the terms of each row as whole numbers: decimals as printed, times a number."""
    exact = np.array([[Fraction(repr(v)) for v in row] for row in X.tolist()], object)
    columns = list((exact * math.lcm(*(v.denominator for v in exact.flat))).T)
    name, degree = part["name"], number(part, "degree", 1, 9)
    require(math.comb(X.shape[1] + degree, degree) <= 1000, "too many terms for this checker")
    degrees = {"hyperplane": 1, "sphere": 1, "axis_quadric": 1, "polynomial": degree}
    sets = itertools.combinations_with_replacement
    terms = [math.prod(some) for d in range(degrees[name]) for some in sets(columns, d + 1)]
    squares = [column * column for column in columns]
    more = {"sphere": [sum(squares)], "axis_quadric": squares}.get(name, [])
    return np.stack([np.ones(len(X), int), *terms, *more], 1).astype(object)


def listed(header: Header, X: Array, kept: Array, plan: bytes) -> tuple[Array, Array, bytes]:
    """Give all partitions that compete, those that were given, and the plan behind these."""
    out, given = [], [np.zeros((0, len(X)), bool)]
    for part in header["parts"]:
        if part["kind"] == "thresholds":
            cuts = [(column, v) for column in X.T for v in np.unique(column)[:-1]]
            require(len(cuts) * len(X) <= CELLS, "too many partitions")
            out.append(np.array([column <= v for column, v in cuts]).reshape(-1, len(X)))
        elif part["kind"] == "surfaces":
            most = number(part, "most", 1, X.shape[1], optional=True) or X.shape[1]
            require(math.comb(X.shape[1], most) <= 1000, "too many sets of columns")
            for chosen in itertools.combinations(range(X.shape[1]), most):
                points, place = np.unique(X[:, chosen], axis=0, return_inverse=True)
                out.append(separated(vectors(part, points))[:, place.reshape(-1)])
        else:
            count, width = number(part, "count", 0, LARGEST), -(-len(X) // 8)
            octets, plan = plan[: count * width], plan[count * width :]
            require(hashlib.sha256(octets).hexdigest() == part["sha256"], "another list")
            bits = np.frombuffer(octets, np.uint8).reshape(count, width)
            given.append(np.unpackbits(bits, axis=1, count=len(X), bitorder="little").astype(bool))
            out.append(given[-1])
        require(sum(len(part) for part in out) * len(X) <= CELLS, "too many partitions")
    return np.concatenate(out)[:, kept], np.concatenate(given)[:, kept], plan


class Rows:
    """What the rules look at, in whole units of cost, if these are the data of a header."""

    def __init__(self, header: Header, X: Array, label: Array, given: Any, plan: bytes) -> None:
        same = X.shape == (header["rows"], header["columns"]) and len(label) == len(X)
        same &= header["feature_names"] is None or len(header["feature_names"]) == X.shape[1]
        same &= header["weights"] is (given is not None)
        require(same and header["data"] == data_digest(X, label, given), "these are other data")
        unit, self.price = fraction(header["unit"]), fraction(header["penalty"])
        heavy = fraction(header["min_weight_leaf"])
        rows = number(header, "min_samples_leaf", 1, TOTAL)
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
        errors = 1 - np.eye(self.classes, dtype=int)
        costs = errors.tolist() if header["costs"] is None else header["costs"]
        fine = all(type(cost) is int and cost >= 0 for row in costs for cost in row)
        self.costs = np.array(costs, np.int64)  # of a unit of weight, by label and answer
        require(fine and self.costs.shape == errors.shape, "costs are no table")
        self.kept = weight > 0
        factor = (self.price / unit).denominator  # all are whole numbers of 1 / factor
        total = sum(weight.tolist()) * factor * max(1, int(self.costs.max()))
        require(total < TOTAL, "weights times costs are too large: round them to fewer digits")
        self.X, self.label, self.weight = X[self.kept], label[self.kept], weight[self.kept] * factor
        self.masks, self.own, self.plan = listed(header, X, self.kept, plan)  # by rows
        self.unit, self.penalty = unit / factor, min(int(self.price / unit * factor), TOTAL)
        self.least = max(rows, -int(-heavy // unit))  # what each side of a split has to count
        self.size = weight[self.kept] if heavy else np.ones(len(self.X), np.int64)  # of a row

    def answers(self, inside: Any) -> Array:
        """Give what each answer costs for some rows."""
        return np.asarray((self.weight[inside, None] * self.costs[self.label[inside]]).sum(0))

    def goes_left(self, node: Any) -> Array:
        """Answer the question of a node for all rows; exactly, a float being what it prints as."""
        if "partition" in node:
            return np.asarray(self.own[number(node, "partition", 0, LARGEST)])
        if "surface" not in node:
            column = number(node, "column", 0, self.X.shape[1] - 1)
            return np.asarray(self.X[:, column] <= float(node["threshold"]))
        names = [("exact_terms", "exact_at_most"), ("terms", "at_most")]["terms" in node["surface"]]
        terms, limit = (node["surface"][name] for name in names)
        exact = np.array([[Fraction(repr(v)) for v in c] for c in self.X.T.tolist()], object)
        parts = [(factor, powers) for factor, monomials in terms for powers in monomials]
        allowed = [*map(str, range(1, 10))]  # 2.0 is none: it would be reckoned with in floats
        fine = all(j in range(len(exact)) and repr(e) in allowed for _, p in parts for j, e in p)
        require(fine and len(parts) * self.X.size <= BLOCK, "too many terms, or one that is none")
        value = np.full(len(self.X), Fraction(0), object)
        for factor, powers in parts:
            value += Fraction(factor) * math.prod(exact[j] ** e for j, e in powers)
        return (value <= Fraction(limit)).astype(bool)

    def cost_of(self, tree: Any, deepest: int | None, most: int | None) -> Fraction:
        """Give what a tree costs, if it keeps to the budgets."""
        work, cost, splits = [(tree, self.weight > 0, 0)], 0, 0
        while work:
            node, inside, level = work.pop()
            if "leaf" in node:
                cost += int(self.answers(inside)[number(node, "leaf", 0, self.classes - 1)])
                continue
            splits, goes = splits + 1, self.goes_left(node)
            sides = [inside & goes, inside & ~goes]
            small = min(self.size[side].sum() for side in sides) < self.least
            require(level not in (deepest, DEEPEST) and not small, "too deep, or a leaf too small")
            moved = (self.masks ^ goes)[:, inside]
            known = (~moved.any(1) | moved.all(1)).any()
            require(known, "the tree has a question that is none of those that compete")
            work += [(node["left"], sides[0], level + 1), (node["right"], sides[1], level + 1)]
        require(most is None or splits <= most, "the tree has too many splits")
        return cost * self.unit + splits * self.price


class Checker:
    """Bounds from data and a plan."""

    def __init__(self, rows: Rows, plan: bytes, work: int) -> None:
        self.rows, self.plan, self.work = rows, numbers(plan), work
        each = rows.weight[:, None] * rows.costs[rows.label]
        self.each = each.astype(np.float64 if each.max(1).sum() < 1 << 52 else np.int64)  # exact
        self.lists = rows.masks.astype(self.each.dtype)
        self.variants = 1 if rows.least <= 1 else 2  # free, and limited

    def budgets(self, depth: int, splits: int | None) -> int:
        """Count the bounds of a claim: one for each number of splits, or one for the depth."""
        return 1 if splits is None else min(splits, (1 << min(depth, 60)) - 1) + 1

    def claim(self, inside: Array, depth: int, splits: int | None) -> Array:
        """Give a lower bound of e(S, depth, k), free and limited, for k = 0..splits or no limit."""
        self.work -= self.rows.masks.size
        leaf, budgets = int(self.rows.answers(inside).min()), self.budgets(depth, splits)
        depth = min(depth, int(inside.sum()) - 1, depth if splits is None else splits)  # Few
        if leaf == 0 or self.rows.penalty:
            depth = min(depth, (leaf - 1) // self.rows.penalty) if leaf else 0
        bound = np.full((self.variants, self.budgets(depth, splits)), leaf)
        if depth == 1:
            bound[:, -1] = self.scan(inside, leaf)
        elif depth > 1:
            bound = np.minimum(bound, self.cell(inside, self.different(inside), depth, splits))
        return bound[:, np.minimum(np.arange(budgets), bound.shape[1] - 1)]

    def scan(self, inside: Array, leaf: int) -> Array:
        """Scan: the least cost of the leaf and of all single splits, free and limited."""
        rows, each = self.rows, np.where(inside[:, None], self.each, 0)
        left, total = self.lists @ each, each.sum(0)
        cost = left.min(1) + (total - left).min(1) + rows.penalty
        size = self.lists @ np.where(inside, rows.size, 0).astype(self.lists.dtype)
        small = np.minimum(size, rows.size[inside].sum() - size)
        limits = (0, rows.least)[: self.variants]
        return np.array([cost[small >= least].min(initial=leaf) for least in limits], np.int64)

    def different(self, inside: Array) -> Array:
        """Give the partitions that part these rows, each once, whichever side is left."""
        masks = self.rows.masks[:, inside]
        packed = np.unique(np.packbits(masks ^ masks[:, :1], axis=1), axis=0)
        found = np.unpackbits(packed, axis=1, count=int(inside.sum())).astype(bool)
        return np.asarray(found[found.any(1)])

    def cell(self, inside: Array, alive: Array, depth: int, splits: int | None) -> Array:
        """Give the least bound of some partitions of the rows S, by branching until all close."""
        if not len(alive):
            return np.full((self.variants, self.budgets(depth, splits)), INFINITE)
        self.work -= alive.size
        code = next(self.plan, -1)
        require(self.work >= 0 and 0 <= code <= alive.shape[1], "the plan is cut off, or damaged")
        if code == 0:
            return self.close(inside, alive, depth, splits)
        sides = (alive[alive[:, code - 1]], alive[~alive[:, code - 1]])
        return np.minimum(*(self.cell(inside, side, depth, splits) for side in sides))

    def close(self, inside: Array, alive: Array, depth: int, splits: int | None) -> Array:
        """Close: the bound of a cell from those of P and Q, for every number of splits."""
        left, right = inside.copy(), inside.copy()
        left[inside], right[inside] = alive.all(0), ~alive.any(0)
        below, many = None if splits is None else splits - 1, self.budgets(depth, splits)
        a, b = (self.claim(side, depth - 1, below) for side in (left, right))
        out, most = np.full((self.variants, many), INFINITE), a.shape[1] - 1
        shares = [(k, i) for k in range(1, many) for i in range(min(k - 1, most) + 1)]
        for k, i in shares or [(0, 0)]:
            both = a[:, i] + b[:, min(max(0, k - 1 - i), most)] + self.rows.penalty
            out[:, k] = np.minimum(out[:, k], both)
        if not (left | right)[inside].all():
            out[1:] = out[0]  # Limit
        elif min(self.rows.size[side].sum() for side in (left, right)) < self.rows.least:
            out[1:] = INFINITE  # this split is not allowed
        return out


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
        X = np.asarray(X, np.float64)
        fine = X.ndim == 2 and len(names) * len(X) <= CELLS and np.isfinite(X).all()
        require(fine, "no table of finite numbers, or too large for this checker")
        rows = Rows(header, X, label, weight, plan)
        depth = number(header, "max_depth", 0, DEEPEST, optional=True)
        splits = number(header, "max_splits", 0, WIDEST, optional=True)
        checker = Checker(rows, rows.plan, number(header, "work", 0, work))
        levels = len(rows.label) if depth is None else depth
        bounds = checker.claim(rows.weight > 0, levels, splits)[-1]
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
    """python checking_partitions.py proof.xz data.csv [target [weights]]: with column names."""
    header, _ = read(path)
    with open(data, encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    target = target or header["target"]
    names = header["feature_names"] or [name for name in table[0] if name not in (target, weights)]
    X = np.transpose([[float(row[name]) for row in table] for name in names])
    given = [float(row[weights]) for row in table] if weights else None
    check(path, X, [row[target] for row in table], given)
    sys.stdout.write(f"checked: {json.dumps(header)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
