"""Seconds to a proved optimum of depth three: the table of docs/performance.md as a picture."""

import matplotlib.pyplot as plt

# Set, seconds of exactree, seconds of pycontree, their ratio before rounding: by make bench.
MEASURED = [
    ("raisin", 0.041, 0.87, 21),
    ("bank", 0.0015, 0.046, 31),
    ("room", 0.039, 1.63, 42),
    ("segment", 0.048, 2.08, 43),
    ("wilt", 0.0095, 0.62, 65),
    ("page", 0.062, 4.24, 68),
    ("rice", 0.28, 20.6, 73),
    ("fault", 0.44, 57.2, 130),
    ("occupancy", 0.11, 22.1, 201),
    ("bidding", 0.0070, 3.07, 438),
]

names, ours, theirs, ratios = zip(*reversed(MEASURED), strict=True)
rows = range(len(names))
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.hlines(rows, ours, theirs, color="0.8", linewidth=2, zorder=1)
ax.scatter(ours, rows, color="#0072B2", label="exactree", zorder=2)
ax.scatter(theirs, rows, color="#D55E00", marker="s", label="pycontree", zorder=2)
for row, (fast, slow, ratio) in enumerate(zip(ours, theirs, ratios, strict=True)):
    ax.annotate(
        f"{ratio} times",
        ((fast * slow) ** 0.5, row),
        (0, 3),
        textcoords="offset points",
        ha="center",
        fontsize=8,
        color="0.3",
    )
ax.set(xscale="log", xlabel="seconds (logarithmic)", yticks=rows, yticklabels=names)
ax.set_title("Time to a proved optimum of depth 3", loc="left", fontsize=11)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper right")

plt.show()
