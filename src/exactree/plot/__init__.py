"""Pictures of trees and searches with matplotlib, which the extra `plot` installs.

Every function draws into `ax`, or a new figure, and returns the axes.
"""

from exactree.plot.curves import plot_path, plot_progress
from exactree.plot.diagram import plot_tree
from exactree.plot.regions import plot_regions

__all__ = ["plot_path", "plot_progress", "plot_regions", "plot_tree"]
