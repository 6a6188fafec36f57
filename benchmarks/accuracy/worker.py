"""A process that does one task after the other: a line of JSON in, a line of JSON out."""

import json
import os
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.accuracy.models import METHODS


def perform(task: dict[str, Any]) -> dict[str, Any]:
    """Train and judge one method on one fold; processor seconds, inner folds included."""
    with np.load(task["file"]) as data:
        parts = {name: data[name] for name in data.files}
    X, y, rest, wanted = (parts[name] for name in ("X", "y", "X_test", "y_test"))
    folds = [(parts[f"train{i}"], parts[f"test{i}"]) for i in range(task["inner_folds"])]
    used = time.process_time()
    found = METHODS[task["method"]](X, y, rest, folds, task["seconds"])
    return {
        "errors": int((found.predicted != wanted).sum()),
        "rows": len(wanted),
        "splits": found.splits,
        "inner_error": found.inner_error,
        "size": found.size,
        "status": found.status,
        "cpu_seconds": time.process_time() - used,
    }


def main() -> None:
    """Packages may print: only answers go to the real output."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        try:
            answer = perform(json.loads(line))
        except Exception as error:  # a package's own trouble is a result too
            answer = {"status": "failed", "message": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), file=output, flush=True)


if __name__ == "__main__":
    main()
