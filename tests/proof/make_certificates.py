"""Writes the folder of right and wrong certificates: python tests/proof/make_certificates.py.

The files are kept in git, so that a change of the format or of a checker that breaks old
certificates is seen. Every checker has to accept all of `right` and reject all of `wrong`.
"""

from __future__ import annotations

import copy
import csv
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from forging import as_plan, error_data, numbers, packed, unpacked, write_table

import exactree
from exactree.objectives import CostMatrix
from exactree.proof import certify
from exactree.splits import Hyperplane

FOLDER = Path(__file__).parent / "certificates"
NAMES = ("x0", "x1", "x2")


def problems() -> dict[str, dict[str, Any]]:
    """Budgets and weights, a certificate each."""
    return {
        "leaf": {"max_depth": 0},
        "depth1": {"max_depth": 1},
        "depth2": {"max_depth": 2},
        "depth3": {"max_depth": 3},
        "splits": {"max_splits": 3},
        "both": {"max_depth": 3, "max_splits": 4},
        "penalty": {"penalty": 0.02, "max_depth": 3},
        "rows": {"max_depth": 3, "min_samples_leaf": 6},
        "share": {"max_depth": 2, "min_weight_fraction_leaf": 0.1},
        "balanced": {"max_depth": 2, "class_weight": "balanced"},
        "costs": {"max_depth": 2, "objective": CostMatrix([[0, 1], [5, 0]])},
        "squares": {"task": "regression", "max_depth": 3},
        "squares_splits": {"task": "regression", "max_splits": 3, "penalty": 0.01},
        "squares_rows": {"task": "regression", "max_depth": 2, "min_samples_leaf": 9},
        "hyperplanes": {"splits": Hyperplane(columns=2), "max_depth": 1},
        "mixture": {"splits": ["axis", Hyperplane(columns=1)], "max_depth": 2},
    }


def with_holes(X: Any) -> list[list[Any]]:
    """The same table with missing values and words, as columns."""
    columns = [list(column) for column in X.T.tolist()]
    columns[0] = [None if i % 9 == 4 else v for i, v in enumerate(columns[0])]
    columns[2] = [None if v == 7 else "abcdefghijkl"[int(v)] for v in columns[2]]
    return columns


def main() -> None:
    for kind in ("right", "wrong"):
        (FOLDER / kind).mkdir(parents=True, exist_ok=True)
    X, y, _ = error_data(7, 70)
    write_table(FOLDER / "table.csv", (X, y, None))
    for name, budgets in problems().items():
        result = exactree.solve(X, y, **budgets)
        path = FOLDER / "right" / f"{name}.xz"
        certify(result, X, y, path, feature_names=NAMES, target="y", **budgets)
    write_tables(X, y)
    sizes = exactree.size_path(X, y, max_splits=4)
    path = FOLDER / "right" / "sizes.xz"
    certify(sizes, X, y, path, feature_names=NAMES, target="y", max_splits=4)
    for name in ("depth3", "squares", "mixture", "holes"):
        write_wrong("" if name == "depth3" else f"{name}_", *unpacked(FOLDER / f"right/{name}.xz"))


def write_tables(X: Any, y: Any) -> None:
    """Certificates of a table with missing values and words, holes.csv."""
    import pandas as pd

    columns = with_holes(X)
    with (FOLDER / "holes.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, "y"])
        for *row, label in zip(*columns, y, strict=True):
            writer.writerow(["" if v is None else v for v in (*row, label)])
    frame = pd.DataFrame(dict(zip(NAMES, columns, strict=True)))
    ways: dict[str, dict[str, Any]] = {
        "holes": {"max_depth": 3},
        "holes_squares": {"max_depth": 2, "task": "regression"},
    }
    for name, how in ways.items():
        result = exactree.solve(frame, y, **how)
        certify(result, frame, y, FOLDER / "right" / f"{name}.xz", target="y", **how)


def write_wrong(kind: str, header: dict[str, Any], plan: bytes) -> None:
    """Say more than is true, or show less than is said."""

    def write(name: str, change: dict[str, Any], body: bytes = plan) -> None:
        (FOLDER / "wrong" / f"{kind}{name}.xz").write_bytes(packed({**header, **change}, body))

    [result] = header["results"]
    value = Fraction(result["value"])
    tree = copy.deepcopy(result["tree"])
    if "threshold" in tree:
        tree["threshold"] += 2
    else:
        tree = tree["left"]
    write("bound_too_high", {"results": [{**result, "bound": str(value + 1)}]})
    write("value_too_low", {"results": [{**result, "value": str(value - 1)}]})
    write("other_tree", {"results": [{**result, "tree": tree}]})
    write("other_data", {"data": "0" * 64})
    write("deeper", {"max_depth": 4})
    write("cheaper_splits", {"penalty": "1"})
    write("coarse_unit", {"unit": "3/4", "rounded": True})
    write("less_work", {"work": header["work"] - 1})
    write("cut_off", {}, plan[:-3])
    write("longer", {}, plan + bytes(1))
    values = numbers(plan)
    largest = int(np.argmax(values))
    write(
        "side_left_out", {}, as_plan([v & ~3 if i == largest else v for i, v in enumerate(values)])
    )
    write("nothing_looked_at", {}, bytes(header["columns"] + 2 * bool(header["kinds"])))


if __name__ == "__main__":
    main()
