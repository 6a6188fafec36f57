"""A policy tree: whom to treat how, learnt from a trial with doubly robust scores."""

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

import exactree

# A trial of three arms, drawn at random. The second helps the old, the third those of low weight.
rng = np.random.default_rng(3)
n, arms = 3000, 3
age, weight = rng.uniform(20, 80, n).round(), rng.uniform(50, 110, n).round()
X = np.column_stack([age, weight])


def effect(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what each arm does for these rows."""
    return np.column_stack([np.zeros(len(X)), 0.8 * (X[:, 0] > 55) - 0.2, (X[:, 1] < 70) - 0.3])


arm = rng.integers(0, arms, n)
outcome = effect(X)[np.arange(n), arm] + rng.normal(0, 1, n)

# Doubly robust scores: a model of the outcome, corrected by what was seen for the arm drawn. The
# model is fitted on one half and used on the other. EconML and DoubleML give such tables as well.
model = np.empty((n, arms))
for half in (0, 1):
    other = np.arange(n) % 2 != half
    for a in range(arms):
        seen = other & (arm == a)
        forest = RandomForestRegressor(50, min_samples_leaf=20, random_state=0)
        model[~other, a] = forest.fit(X[seen], outcome[seen]).predict(X[~other])
scores = model.copy()
scores[np.arange(n), arm] += arms * (outcome - model[np.arange(n), arm])

policy = exactree.OptimalPolicyTree(max_depth=2).fit(X, scores)
print(exactree.export_text(policy, feature_names=["age", "weight"]))
new = np.column_stack([rng.uniform(20, 80, 10**5), rng.uniform(50, 110, 10**5)])
print(f"worth {policy.policy_value(new, effect(new)):.3f}, the best policy", end=" ")
print(f"{effect(new).max(axis=1).mean():.3f}, one arm for all {effect(new).mean(axis=0).max():.3f}")

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for a, colour in enumerate(["#999999", "#D55E00", "#0072B2"]):
    chosen = policy.predict(X) == a
    ax.scatter(age[chosen], weight[chosen], s=6, color=colour, label=f"arm {a}")
ax.set(xlabel="age", ylabel="weight", title="which arm the optimal tree of two levels chooses")
ax.legend(loc="upper left")

plt.show()
