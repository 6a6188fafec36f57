"""Policy trees from doubly robust scores of simulated trials."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import exactree
from benchmarks.report import table
from benchmarks.suites import Finding, Setting

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """How large a trial is, how noisy its outcomes, and how deep a policy is sought."""

    rows: int
    columns: int
    actions: int
    depth: int
    noise: float = 1.0
    seconds: float = 600.0

    @property
    def name(self) -> str:
        """What the report calls it."""
        size = f"{self.rows} x {self.columns}, {self.actions} actions"
        return f"{size}, noise {self.noise:g}, depth {self.depth}"


TRIALS = [
    Trial(10_000, 30, 20, 2),
    Trial(10_000, 30, 20, 2, noise=4.0),
    Trial(100_000, 30, 20, 2),
    Trial(5_000, 10, 3, 3),
    Trial(5_000, 10, 3, 3, noise=4.0),
    Trial(10_000, 30, 20, 3, seconds=10.0),
]


def scores(trial: Trial, seed: int = 0) -> tuple[Array, Array]:
    """Draw rows and doubly robust scores: the action drawn has the noise of all of them."""
    rng = np.random.default_rng(seed)
    n, every = trial.rows, np.arange(trial.rows)
    X = rng.normal(size=(n, trial.columns))
    mean = 0.2 * np.tanh(X[:, :1] * rng.normal(size=(1, trial.actions)))
    region = 2 * (X[:, 0] > 0.2) + (X[:, 1] > -0.3)
    mean[every, rng.permutation(max(trial.actions, 4))[region] % trial.actions] += 0.5
    action = rng.integers(0, trial.actions, n)
    outcome = mean[every, action] + trial.noise * rng.normal(size=n)
    found = mean + 0.1 * rng.normal(size=mean.shape)
    found[every, action] += trial.actions * (outcome - found[every, action])
    return X, found


def policy(setting: Setting) -> Finding:
    """Fit every trial; the data sets of the setting are not used."""
    rows = []
    for trial in TRIALS:
        setting.say(trial.name)
        rows.append([trial.name, *_fitted(trial)])
    head = ["trial", "status", "processor s", "cost", "proved", "single action", "evaluations"]
    return Finding([], table(head, rows))


def _fitted(trial: Trial) -> list[Any]:
    X, rewards = scores(trial)
    start = process_time()
    found = exactree.solve(X, costs=-rewards, max_depth=trial.depth, time_limit=trial.seconds)
    seconds = process_time() - start
    costs = [found.objective, found.lower_bound, -rewards.sum(axis=0).max()]
    shown = [f"{cost:.8g}" for cost in costs]
    return [found.status, f"{seconds:.2f}", *shown, str(found.stats["evaluations"])]
