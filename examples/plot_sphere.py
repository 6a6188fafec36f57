"""Circles: a ring takes two of them."""

import matplotlib.pyplot as plt
import numpy as np

import exactree

rng = np.random.default_rng(2)
X = rng.uniform(-3, 3, size=(60, 2)).round(1)
distance = np.hypot(*X.T)
y = np.where((distance > 1.2) & (distance < 2.4), "ring", "other")

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for splits, ax in zip((1, 2), axes, strict=True):
    clf = exactree.OptimalTreeClassifier(splits="sphere", max_splits=splits).fit(X, y)
    exactree.plot.plot_regions(clf, X, y, ax=ax)
    ax.set(aspect="equal", title=f"at most {splits}: {clf.objective_} errors, proved least")

plt.show()
