"""Where an optimal tree decides for which class: two columns of the iris data."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import exactree

iris = load_iris(as_frame=True)
petals = iris.data[["petal length (cm)", "petal width (cm)"]]
species = iris.target_names[iris.target]

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for max_splits, ax in zip((2, 4), axes, strict=True):
    clf = exactree.OptimalTreeClassifier(max_splits=max_splits).fit(petals, species)
    # Points with a black rim are on the wrong side.
    exactree.plot.plot_regions(clf, petals, species, ax=ax)
    ax.set_title(f"at most {max_splits} splits: {clf.objective_} errors, proved least")

plt.show()
