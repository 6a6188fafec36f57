"""Ellipses and hyperbolas along the axes, beside circles: here the two columns differ in scale."""

import matplotlib.pyplot as plt
import numpy as np

import exactree

rng = np.random.default_rng(4)
X = np.column_stack([rng.uniform(-9, 9, size=40), rng.uniform(-3, 3, size=40)]).round(1)
y = ((X[:, 0] / 6) ** 2 + (X[:, 1] / 1.8) ** 2 < 1).astype(int)

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for family, ax in zip(("sphere", "axis_quadric"), axes, strict=True):
    clf = exactree.OptimalTreeClassifier(splits=family, max_depth=1).fit(X, y)
    exactree.plot.plot_regions(clf, X, y, ax=ax)
    ax.set_title(f'"{family}", one split: {clf.objective_} errors, proved least')

plt.show()
