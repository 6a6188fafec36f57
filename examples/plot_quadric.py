"""Any curve of degree two: a tilted ellipse needs the mixed product of the columns."""

import matplotlib.pyplot as plt
import numpy as np

import exactree

rng = np.random.default_rng(5)
X = rng.uniform(-3, 3, size=(26, 2)).round(1)
along, across = X @ [0.8, 0.6], X @ [-0.6, 0.8]
y = ((along / 2.8) ** 2 + (across / 1.1) ** 2 < 1).astype(int)

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for family, ax in zip(("axis_quadric", "quadric"), axes, strict=True):
    clf = exactree.OptimalTreeClassifier(splits=family, max_depth=1).fit(X, y)
    exactree.plot.plot_regions(clf, X, y, ax=ax)
    ax.set_title(f'"{family}", one split: {clf.objective_} errors, proved least')

plt.show()
