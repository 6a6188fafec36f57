"""python -m benchmarks [EXPERIMENT] [options]: run, print the report, keep the results."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import (
    cluster,
    losses,
    oblique,
    oblique_bars,
    regression,
    report,
    stopped,
    suites,
    surfaces,
)
from benchmarks.accuracy.experiment import accuracy
from benchmarks.anytime import anytime, fractions
from benchmarks.data import bundled, chosen, folder
from benchmarks.hostile import hostile
from benchmarks.jobs import Limits, Problem, Record
from benchmarks.large import large
from benchmarks.limits import limits
from benchmarks.oblique_small import small
from benchmarks.policy import policy
from benchmarks.proof import proof
from benchmarks.ratios import ratios
from benchmarks.solvers import find
from benchmarks.suites import DEFAULT_SOLVERS, Finding, Setting
from benchmarks.tables import tables

EXPERIMENTS: dict[str, Callable[[Setting], Finding]] = {
    "compare": suites.compare,
    "depth3": suites.at_depth(3),
    "depth4": suites.at_depth(4),
    "binary4": suites.binary(4),
    "binary5": suites.binary(5),
    "binary_penalty": suites.binary(5, 0.01, 0.005),
    "sparse_binary": suites.sparse("binary", 0.02, 0.01, 0.005),
    "sparse_axis": suites.sparse("axis", 0.02, 0.01, 0.005),
    "sizes": suites.sizes,
    "threads": suites.threads,
    "scaling": suites.scaling,
    "limits": limits,
    "cluster": cluster.cluster,
    "anytime": anytime,
    "anytime_fractions": fractions,
    "anytime_trees": stopped.trees,
    "anytime_bounds": stopped.bounds,
    "anytime_deep": stopped.deep,
    "large": large,
    "hostile": hostile,
    "policy": policy,
    "ratios": ratios,
    "memory": suites.memory,
    "proof": proof,
    "iris": suites.iris,
    "hyperplanes": surfaces.hyperplanes,
    "hyperplanes_further": surfaces.hyperplanes_further,
    "oblique": oblique.oblique,
    "oblique_seeds": oblique.seeds,
    "oblique_small": small,
    "oblique_proved": oblique_bars.proved,
    "oblique_large": oblique_bars.large,
    "accuracy": accuracy,
    "pairs": surfaces.pairs,
    "iris_columns": surfaces.iris_columns,
    "quadrics": surfaces.quadrics,
    "milp": surfaces.milp,
    "rules": surfaces.rules,
    "processes": surfaces.processes,
    "regression": regression.exact,
    "regression_bins": regression.binned,
    "regression_switches": regression.switches,
    "losses": losses.losses,
    "tables": tables,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status is 1 if results contradict each other."""
    options = parser().parse_args(arguments)
    try:
        view = report.View(options.clock, options.allow_unconfirmed)
        if options.experiment == "report":
            return show(read(options.files), view)
        return perform(options, view)
    except ValueError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2


def perform(options: argparse.Namespace, view: report.View) -> int:
    """Run an experiment, write and print its report."""
    setting = settings(options, view)
    finding = EXPERIMENTS[options.experiment](setting)
    command = " ".join([options.experiment, *(["--data"] if options.data else [])])
    head = [report.header(finding.records, view)] if finding.records else []
    parts = [f"## {command}", *head, finding.text]
    text = "\n\n".join([*parts, report.failures(finding.records)]).strip() + "\n"
    setting.results.with_suffix(".md").write_text(text)
    print(text)
    print(f"Results, report and plots: {setting.results.with_suffix('.*')}")
    return 1 if finding.contradiction or report.contradictions(finding.records, view) else 0


def show(records: list[Record], view: report.View) -> int:
    """The comparison table of results of earlier runs."""
    print(report.header(records, view), report.comparison(records, view), sep="\n\n")
    return 1 if report.contradictions(records, view) else 0


def read(files: Sequence[Path]) -> list[Record]:
    lines = [line for file in files for line in file.read_text().splitlines()]
    if not lines:
        raise ValueError("no results: name one or more .jsonl files that earlier runs wrote")
    return [json.loads(line) for line in lines]


def settings(options: argparse.Namespace, view: report.View) -> Setting:
    """What the options ask for."""
    instances = chosen(folder(options.data) if options.data else bundled(), options.only)
    for name in options.solvers:
        find(name)  # an unknown solver is refused now, not after an hour
    options.results.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return Setting(
        instances=instances,
        solvers=options.solvers,
        problem=Problem(
            task=options.task,
            splits=options.splits,
            max_depth=options.depth,
            max_splits=options.splits_at_most,
            penalty=options.penalty,
        ),
        limits=Limits(seconds=options.time_limit, megabytes=options.memory_limit),
        repeat=options.repeat,
        view=view,
        results=options.resume or options.results / f"{options.experiment}-{stamp}.jsonl",
        say=lambda text: print(text, file=sys.stderr, flush=True),
        folds=options.folds,
        search_seconds=options.search_seconds,
    )


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument(
        "experiment", nargs="?", default="depth3", choices=[*EXPERIMENTS, "report"], metavar="NAME"
    )
    made.add_argument("files", nargs="*", type=Path, help="for report: .jsonl files")
    made.epilog = f"NAME is one of {', '.join(EXPERIMENTS)} (default: depth3), or report FILES."
    of_data = made.add_argument_group("instances")
    of_data.add_argument("--data", type=Path, help="folder of text files: label v1 v2 ...")
    of_data.add_argument("--only", nargs="+", default=[], metavar="INSTANCE")
    of_problem = made.add_argument_group("problem")
    of_problem.add_argument("--task", default="classification")
    of_problem.add_argument("--splits", default="axis", metavar="FAMILY")
    of_problem.add_argument("--depth", type=int, default=3)
    of_problem.add_argument("--splits-at-most", type=int, default=None, metavar="K")
    of_problem.add_argument("--penalty", type=float, default=0.0)
    of_runs = made.add_argument_group("runs")
    of_runs.add_argument("--solvers", nargs="+", default=DEFAULT_SOLVERS, metavar="NAME[:KEY=V]")
    of_runs.add_argument("--repeat", type=int, default=2)
    of_runs.add_argument("--time-limit", type=float, default=120.0, metavar="SECONDS")
    of_runs.add_argument("--memory-limit", type=int, default=4096, metavar="MB")
    of_study = made.add_argument_group("the study of accuracy")
    of_study.add_argument("--folds", type=int, default=5)
    of_study.add_argument("--search-seconds", type=float, default=2.5, metavar="SECONDS")
    of_study.add_argument("--resume", type=Path, default=None, metavar="FILE")
    clocks = {"wall": "seconds", "cpu": "cpu_seconds"}
    of_runs.add_argument(
        "--clock", default="seconds", type=lambda text: clocks.get(text, text), metavar="wall|cpu"
    )
    of_runs.add_argument("--allow-unconfirmed", action="store_true")
    of_runs.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    return made


if __name__ == "__main__":
    sys.exit(main())
