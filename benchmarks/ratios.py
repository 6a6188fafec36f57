"""How many searches the best F1 takes: every class of every set against the rest."""

from time import process_time

import numpy as np

import exactree
from benchmarks.data import load
from benchmarks.report import table
from benchmarks.suites import Finding, Setting
from exactree.objectives import FBeta

BAR = 8


def ratios(setting: Setting) -> Finding:
    """Solve for every class at the depth of the setting, and count."""
    depth = setting.problem.max_depth
    rows, most = [], 0
    for instance in setting.instances:
        setting.say(instance.name)
        X, y = load(instance)
        for positive in np.unique(y).tolist():
            start = process_time()
            found = exactree.solve(
                X,
                y,
                max_depth=depth,
                objective=FBeta(positive=positive),
                splits=setting.problem.splits,
                time_limit=setting.limits.seconds,
            )
            seconds = process_time() - start
            solves = int(found.stats["solves"])
            most = max(most, solves)
            score = f"{1 - found.objective:.6f}"
            name = f"{instance.name}, class {positive}"
            rows.append([name, found.status, score, str(solves), f"{seconds:.2f}"])
    text = table(["set", "status", "F1", "searches", "processor s"], rows)
    return Finding([], f"{text}\n\nAt most {most} searches (bar {BAR}), depth {depth}.")
