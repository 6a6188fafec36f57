"""Thresholds: an optimal tree beside CART of the same depth, on an exclusive or."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

import exactree

rng = np.random.default_rng(3)
X = rng.uniform(0, 10, size=(120, 2)).round(2)
y = ((X[:, 0] > 4) ^ (X[:, 1] > 6)).astype(int)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained", sharey=True)

cart = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
xs, ys = np.meshgrid(np.linspace(0, 10, 400), np.linspace(0, 10, 400))
answers = cart.predict(np.column_stack([xs.ravel(), ys.ravel()])).reshape(xs.shape)
left.contourf(xs, ys, answers, levels=1, colors=["#0072B2", "#E69F00"], alpha=0.3)
left.scatter(*X.T, c=np.array(["#0072B2", "#E69F00"])[y], s=16)
left.set(
    title=f"greedy (CART): {(cart.predict(X) != y).sum()} errors", xlabel="x[0]", ylabel="x[1]"
)

clf = exactree.OptimalTreeClassifier(max_depth=2).fit(X, y)
exactree.plot.plot_regions(clf, X, y, ax=right)
right.set(
    title=f"optimal: {clf.objective_} errors, proved least", ylabel="", xlim=(0, 10), ylim=(0, 10)
)
for ax in (left, right):
    ax.set_aspect("equal")

plt.show()
