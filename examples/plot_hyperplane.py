"""Straight lines: the best single one, and the best tree of two levels."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import exactree

rng = np.random.default_rng(1)
X = rng.normal(size=(70, 2)).round(2)
y = (X[:, 1] > 0.9 * np.abs(X[:, 0] - 0.2)).astype(int)
y[rng.choice(len(y), 4, replace=False)] ^= 1

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for depth, ax in zip((1, 2), axes, strict=True):
    clf = exactree.OptimalTreeClassifier(splits="hyperplane", max_depth=depth).fit(X, y)
    exactree.plot.plot_regions(clf, X, y, ax=ax)
    ax.set_title(f"depth {depth}: {clf.objective_} errors, proved least")

other = (LogisticRegression().fit(X, y).predict(X) != y).sum()
figure.suptitle(f"Straight lines; logistic regression makes {other} errors")

plt.show()
