"""Thresholds and circles in one tree: each node takes the kind that serves it best."""

import matplotlib.pyplot as plt
import numpy as np

import exactree

rng = np.random.default_rng(6)
X = rng.uniform(0, 10, size=(60, 2)).round(1)
y = np.where(np.hypot(X[:, 0] - 3, X[:, 1] - 6) < 2.2, "blob", "plain")
y[X[:, 0] > 7] = "strip"

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for splits, ax in zip(("axis", ["axis", "sphere"]), axes, strict=True):
    clf = exactree.OptimalTreeClassifier(splits=splits, max_splits=2).fit(X, y)
    exactree.plot.plot_regions(clf, X, y, ax=ax)
    ax.set_title(f"{splits}: {clf.objective_} errors with two splits, proved least")

plt.show()
