"""The study: every method on every fold of every table, one JSON line each; it can be resumed."""

import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy import sets
from benchmarks.accuracy.models import METHODS, NEEDS
from benchmarks.oblique_packages import interpreter

Record = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent.parent
INNER_FOLDS = 3
LIMITED = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Plan:
    """What to run: folds a table, seconds a search, and seconds after which a task is given up."""

    tables: list[str]
    methods: list[str]
    folds: int = 5
    seconds: float = 3.0
    patience: float = 600.0


def methods() -> list[str]:
    """Those whose package is installed."""
    return [name for name in METHODS if name not in NEEDS or interpreter(NEEDS[name]) is not None]


def run(plan: Plan, results: Path, say: Any = print) -> list[Record]:
    """Do what is not in the file of results yet; give all of it."""
    records = [json.loads(line) for line in results.read_text().splitlines()]
    done = {_key(record) for record in records}
    workers: dict[str, Worker] = {}
    with results.open("a") as lines, tempfile.TemporaryDirectory() as folder:
        try:
            for task in tasks(plan, Path(folder), done):
                python = interpreter(NEEDS.get(task["method"], "exactree")) or sys.executable
                worker = workers.setdefault(python, Worker(python))
                answer = worker.ask(task, plan.patience)
                record = {k: v for k, v in task.items() if k != "file"} | answer
                records.append(record)
                print(json.dumps(record), file=lines, flush=True)
                share = f"{record['errors']}/{record['rows']}" if "errors" in record else "failed"
                say(f"{record['table']} {record['fold']} {record['method']}: {share}")
        finally:
            for worker in workers.values():
                worker.end()
    wanted = {(t, f, m) for t in plan.tables for f in range(plan.folds) for m in plan.methods}
    return [record for record in records if _key(record) in wanted]


def _key(record: Record) -> tuple[str, int, str]:
    return record["table"], record["fold"], record["method"]


def tasks(plan: Plan, folder: Path, done: set[tuple[str, int, str]]) -> Iterator[Record]:
    """All tables in the first fold, then in the second: what is there is always balanced."""
    for fold in range(plan.folds):
        for table in plan.tables:
            open_methods = [m for m in plan.methods if (table, fold, m) not in done]
            if not open_methods:
                continue
            file = folder / "fold.npz"
            sizes = write_fold(table, fold, plan.folds, file)
            for method in open_methods:
                yield {
                    "table": table,
                    "fold": fold,
                    "method": method,
                    "folds": plan.folds,
                    "inner_folds": INNER_FOLDS,
                    "seconds": plan.seconds,
                    **sizes,
                    "file": str(file),
                }


def write_fold(table: str, fold: int, folds: int, file: Path) -> Record:
    """Part the rows as every method gets them, inner folds too."""
    from sklearn.model_selection import StratifiedKFold

    X, y = sets.table(table)
    outer = StratifiedKFold(folds, shuffle=True, random_state=0)
    train, test = list(outer.split(X, y))[fold]
    inner = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=fold)
    parts = {"X": X[train], "y": y[train], "X_test": X[test], "y_test": y[test]}
    for i, (a, b) in enumerate(inner.split(X[train], y[train])):
        parts |= {f"train{i}": a, f"test{i}": b}
    np.savez(file, **parts)
    return {"table_rows": len(y), "columns": X.shape[1], "classes": int(y.max()) + 1}


class Worker:
    """A process of one Python that is asked again and again, and started anew if it is gone."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process: subprocess.Popen[str] | None = None

    def ask(self, task: Record, patience: float) -> Record:
        if self.process is None:
            self.process = subprocess.Popen(
                (self.python, "-m", "benchmarks.accuracy.worker"),
                cwd=ROOT,
                env={**os.environ, **dict.fromkeys(LIMITED, "1")},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(task), file=self.process.stdin, flush=True)
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if ready.select(patience) else ""
        if line:
            return json.loads(line)  # type: ignore[no-any-return]
        self.end()
        return {"status": "failed", "message": f"no answer within {patience:g} s"}

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            with self.process:  # closes its pipes, and waits
                pass
            self.process = None
