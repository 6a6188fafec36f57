"""Columns of two values: which of them decide, as a tree of depth three."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import exactree

rng = np.random.default_rng(0)
symptoms = ["fever", "cough", "rash", "fatigue", "headache", "nausea"]
X = pd.DataFrame(rng.integers(0, 2, size=(300, 6)), columns=symptoms)
ill = (X["fever"] & X["cough"]) | (X["rash"] & (1 - X["fever"]))
noise = rng.random(300) < 0.05
y = np.where(ill.astype(bool) ^ noise, "ill", "well")

clf = exactree.OptimalTreeClassifier(splits="binary", max_depth=3, penalty=0.01).fit(X, y)
exactree.plot.plot_tree(clf)

plt.show()
