"""One split is a classifier: the line, or the circle, of fewest training errors, proved.

Linear classifiers minimise something that is easier than the number of errors: a logistic or a
hinge loss. A tree of depth one minimises the number of errors itself, over all lines.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import exactree

data = load_breast_cancer(as_frame=True)
columns = data.data[["worst radius", "worst smoothness"]].iloc[:100]
diagnosis = data.target_names[data.target[:100]]

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for splits, ax in zip(("hyperplane", "sphere"), axes, strict=True):
    clf = exactree.OptimalTreeClassifier(splits=splits, max_depth=1).fit(columns, diagnosis)
    exactree.plot.plot_regions(clf, columns, diagnosis, ax=ax)
    ax.set_title(f"{splits}: {clf.objective_} errors, proved least")

logistic = LogisticRegression(C=1e4, max_iter=10_000).fit(columns, diagnosis)
errors = (logistic.predict(columns) != diagnosis).sum()
figure.suptitle(f"logistic regression: {errors} errors")
plt.show()
