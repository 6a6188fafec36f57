"""Draw an optimal tree."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import exactree

iris = load_iris(as_frame=True)
species = iris.target_names[iris.target]

clf = exactree.OptimalTreeClassifier(max_depth=3).fit(iris.data, species)

# No Graphviz needed: the figure is as large as the tree.
exactree.plot.plot_tree(clf)

plt.show()
