"""A regression tree: the steps of least squared error, greedy and optimal with as many splits."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeRegressor

import exactree

rng = np.random.default_rng(7)
x = np.sort(rng.uniform(0, 10, size=80)).round(2)
y = np.sin(1.3 * x) + rng.normal(0, 0.25, size=80)
X, grid = x[:, None], np.linspace(0, 10, 800)[:, None]

cart = DecisionTreeRegressor(max_leaf_nodes=5).fit(X, y)
loss = ((cart.predict(X) - y) ** 2).sum()
reg = exactree.OptimalTreeRegressor(max_depth=None, max_splits=4).fit(X, y)

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.scatter(x, y, s=14, color="#999999", label="training rows")
ax.plot(grid, cart.predict(grid), "--", color="#D55E00", label=f"greedy: loss {loss:.1f}")
ax.plot(grid, reg.predict(grid), color="#0072B2", label=f"optimal: loss {reg.objective_:.1f}")
ax.legend()

plt.show()
