"""How a search went on: the best tree so far and the proved bound, which meet when it is done."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import exactree

data = load_breast_cancer(as_frame=True)
clf = exactree.OptimalTreeClassifier(max_depth=3).fit(data.data, data.target)

ax = exactree.plot.plot_progress(clf)
ax.set_ylim(0, 40)  # the first tree is a leaf, with 212 errors

plt.show()
