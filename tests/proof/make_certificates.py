"""Writes the folder of right and wrong certificates: python tests/proof/make_certificates.py.

The files are kept in git, so that a change of the format or of a checker that breaks old
certificates is seen. Every checker has to accept all of `right` and reject all of `wrong`.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from forging import as_plan, error_data, numbers, packed, unpacked, write_table

import exactree
from exactree.objectives import CostMatrix
from exactree.proof import certify

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
    }


def main() -> None:
    for kind in ("right", "wrong"):
        (FOLDER / kind).mkdir(parents=True, exist_ok=True)
    X, y, _ = error_data(7, 70)
    write_table(FOLDER / "table.csv", (X, y, None))
    for name, budgets in problems().items():
        result = exactree.solve(X, y, **budgets)
        path = FOLDER / "right" / f"{name}.xz"
        certify(result, X, y, path, feature_names=NAMES, target="y", **budgets)
    sizes = exactree.size_path(X, y, max_splits=4)
    path = FOLDER / "right" / "sizes.xz"
    certify(sizes, X, y, path, feature_names=NAMES, target="y", max_splits=4)
    write_wrong(*unpacked(FOLDER / "right" / "depth3.xz"))


def write_wrong(header: dict[str, Any], plan: bytes) -> None:
    """Say more than is true, or show less than is said."""

    def write(name: str, change: dict[str, Any], body: bytes = plan) -> None:
        (FOLDER / "wrong" / f"{name}.xz").write_bytes(packed({**header, **change}, body))

    [result] = header["results"]
    value = int(result["value"])
    tree = copy.deepcopy(result["tree"])
    tree["threshold"] += 2
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
    write("nothing_looked_at", {}, bytes(header["columns"]))


if __name__ == "__main__":
    main()
