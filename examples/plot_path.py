"""How many splits? The optimum of every size, and the size that cross-validation chooses."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import exactree

wine = load_wine(as_frame=True)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")

# One search finds the optimal trees of all sizes.
path = exactree.size_path(wine.data, wine.target, max_splits=4)
exactree.plot.plot_path(path, ax=left)

# The smallest size whose error is within one standard error of the least.
clf = exactree.OptimalTreeClassifierCV(max_splits=5).fit(wine.data, wine.target)
exactree.plot.plot_path(clf, ax=right)

plt.show()
