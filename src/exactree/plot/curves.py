"""Curves: how a search went on, and what more splits are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.colours import PALETTE
from exactree.export.unwrapping import unwrapped
from exactree.plot.canvas import INK, axes
from exactree.problem import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE = PALETTE[:2]


def plot_progress(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the best objective and the proved lower bound over the time of the search.

    Parameters
    ----------
    model : estimator or Result
        What was searched for.
    ax : matplotlib Axes or None
        Where to draw.
    """
    result = _result(model)
    history = list(result.history) or [(0.0, result.objective, result.lower_bound)]
    end = max(float(result.stats.get("seconds", 0.0)), history[-1][0])
    # The last state holds until the end.
    history.append((end, result.objective, result.lower_bound))
    seconds, best, bound = (np.array(column, dtype=float) for column in zip(*history, strict=True))
    made = axes(ax)
    made.fill_between(seconds, bound, best, step="post", color=BLUE, alpha=0.12, linewidth=0)
    made.step(seconds, best, where="post", color=BLUE, linewidth=2, label="best tree")
    made.step(
        seconds,
        bound,
        where="post",
        color=ORANGE,
        linewidth=2,
        linestyle="--",
        label="proved bound",
    )
    made.set_xlabel("seconds")
    made.set_ylabel("objective")
    made.set_title(_outcome(result), fontsize="medium")
    made.legend(frameon=False)
    _plain(made)
    return made


def _result(model: Any) -> Result:
    model = unwrapped(model)[0]
    result = getattr(model, "result_", model)
    if not isinstance(result, Result):
        raise ValueError(
            f"{type(model).__name__} has no record of a search: pass a fitted estimator or a Result"
        )
    return result


def _outcome(result: Result) -> str:
    if result.status == "optimal":
        return f"proved optimal: {result.objective:.6g}"
    stopped = result.status.replace("_", " ")
    return f"stopped ({stopped}): {result.objective:.6g}, proved >= {result.lower_bound:.6g}"


def plot_path(path: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the least objective for every number of splits.

    Where a search was stopped, a bar reaches down to the proved bound. A model that has chosen its
    size by cross-validation shows its training error, the error on the rows left out with its
    standard error, and the choice.

    Parameters
    ----------
    path : SizePath, sequence of Results or fitted OptimalTreeClassifierCV
        Results for at most 0, 1, 2, ... splits.
    ax : matplotlib Axes or None
        Where to draw.
    """
    results = list(getattr(path, "path_", path))
    if not results or not all(isinstance(result, Result) for result in results):
        raise ValueError("path holds no Results: pass what size_path gives, or a fitted CV model")
    made = axes(ax)
    chosen = hasattr(path, "mean_error_")
    unit = 1 / sum(results[0].tree.weights) if chosen else 1.0
    sizes = np.arange(len(results))
    best = unit * np.array([result.objective for result in results], dtype=float)
    bound = unit * np.array([result.lower_bound for result in results], dtype=float)
    made.vlines(sizes[bound < best], bound[bound < best], best[bound < best], color=BLUE, alpha=0.4)
    made.plot(sizes, best, color=BLUE, marker="o", label="training" if chosen else "objective")
    made.set_xlabel("splits, at most")
    made.set_ylabel("error" if chosen else "objective")
    made.set_xticks(sizes[:: 1 + len(sizes) // 16])
    made.set_ylim(bottom=0.0)
    if chosen:
        _draw_choice(made, path, sizes)
    _plain(made)
    return made


def _draw_choice(ax: Axes, model: Any, sizes: np.ndarray[Any, Any]) -> None:
    ax.errorbar(
        sizes,
        model.mean_error_,
        yerr=model.standard_error_,
        color=ORANGE,
        marker="s",
        linestyle="--",
        capsize=3,
        label="cross-validated, \N{PLUS-MINUS SIGN} standard error",
    )
    ax.axvline(model.max_splits_, color=INK, linewidth=1, linestyle=":", label="chosen")
    ax.legend(edgecolor="none", framealpha=0.9)


def _plain(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
