"""make bench ARGS="accuracy": the study and the planted trees, with tables and pictures."""

import json
from pathlib import Path

from benchmarks.accuracy import pictures, recovery, sets, study
from benchmarks.accuracy.models import FAMILIES
from benchmarks.accuracy.summary import CHOSEN, details, lines, summarized, with_chosen
from benchmarks.plots import available
from benchmarks.report import table
from benchmarks.suites import Finding, Setting

SHOWN = (CHOSEN, "hyperplane", "axis")


def accuracy(setting: Setting) -> Finding:
    """Go on with the file of records, then tell what all of it says."""
    setting.results.touch()
    plan = study.Plan(sets.names(), study.methods(), setting.folds, setting.search_seconds)
    records = study.run(plan, setting.results, setting.say)
    planted_file = setting.results.with_name(f"{setting.results.stem}-planted.jsonl")
    found = planted(planted_file, setting.folds, setting.search_seconds)
    found_all = with_chosen(records)
    result = summarized(found_all, [*plan.methods, CHOSEN])
    head = ["method", "mean rank", "accuracy, %", "splits", "processor seconds a fold"]
    texts = [
        f"{len(result.tables)} tables, {setting.folds} folds, "
        f"{setting.search_seconds:g} s a search; "
        f"critical difference of mean ranks {result.critical_difference():.2f}.",
        table(head, lines(result)),
        table(["table", *result.methods], details(result)),
    ]
    if available():
        draw = setting.plot_file
        ours = [*FAMILIES, CHOSEN]
        pictures.critical_differences(result, ours, draw("ranks").with_suffix(".svg"))
        pictures.differences(result, SHOWN, "CART", draw("differences").with_suffix(".svg"))
        pictures.recovery(found, draw("planted").with_suffix(".svg"))
    return Finding([], "\n\n".join(texts))


def planted(file: Path, seeds: int, seconds: float) -> list[recovery.Record]:
    """Do the planted trees that are not in the file yet; give all of them."""
    file.touch()
    records = [json.loads(line) for line in file.read_text().splitlines()]
    done = {(record["method"], *record["planted"].values()) for record in records}
    with file.open("a") as written:
        for cell in recovery.cells(seeds):
            for method in recovery.METHODS:
                if (method, *vars(cell).values()) in done:
                    continue
                records.append(recovery.record(method, cell, seconds))
                print(json.dumps(records[-1]), file=written, flush=True)
    return records
