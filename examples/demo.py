"""Fit optimal trees to bundled data, then let the paper's five programs face brute force.

The trees come with their proof: the search shows that no tree within the budgets has a smaller
loss. The programs are the executable specification that the search itself is tested against.
"""

import sys
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree import OptimalTreeClassifier, OptimalTreeRegressor, plot, write_report
from exactree.spec import generators, permutations, problems, programs
from exactree.spec.data import Rule, Sample, Samples
from exactree.spec.objectives import ZERO_ONE
from exactree.spec.rules import axis_rules, binary_rules
from exactree.spec.tree import Leaf, Tree

DTree = Tree[Rule, Samples]
Rules = tuple[Rule, ...]
REPORT = Path("demo") / "report.html"
REGIONS = Path("demo") / "regions.png"

PICTURE = """\
 4  o . . x
 3  . x o .
 2  x . . o
 1  o . x .
    1 2 3 4"""


def points() -> Samples:
    """Read the points off the picture: row by row, o is class 0 and x is class 1."""
    rows = [line.split() for line in PICTURE.splitlines()[:-1]]
    found = [
        ((x, int(row[0])), "ox".index(mark))
        for row in rows
        for x, mark in enumerate(row[1:], start=1)
        if mark != "."
    ]
    return tuple(Sample(i, x, y) for i, (x, y) in enumerate(found))


def bits() -> Samples:
    """All rows of three binary features; the class is 1 where most of them are."""
    rows = enumerate(product((0, 1), repeat=3))
    return tuple(Sample(i, x, int(sum(x) >= 2)) for i, x in rows)


class Row(NamedTuple):
    """A program, its problem, the tree it found, and every tree of the space by brute force."""

    program: str
    problem: str
    found: DTree
    every: list[DTree]


def sized(name: str, what: str, xs: Samples, rs: Rules, gen: generators.GenTrees) -> Row:
    """Solve for exactly three splits with rules out of rs."""
    sodt = getattr(programs, name)
    found = problems.simplified(3, xs, rs, ZERO_ONE, lambda ys, qs: sodt(ys, qs, ZERO_ONE))
    return Row(name, what, found[0], generators.gen_dtss(3, xs, rs, gen))


def deep(what: str, xs: Samples) -> Row:
    """Solve for perfect trees of depth two with axis-parallel splits."""
    found = programs.odt_depth(2, xs, axis_rules, ZERO_ONE)
    return Row("odt_depth", what, found[0], generators.gen_dtds_depth(2, xs, axis_rules))


def solve() -> list[Row]:
    """Let the five programs solve three problems."""
    xs, zs = points(), bits()
    rs, fs = tuple(axis_rules(xs)), tuple(binary_rules(zs))
    return [
        sized("sodt_kperms", "three axis splits", xs, rs, permutations.gen_dts_by_kperms),
        sized("sodt_rec", "three axis splits", xs, rs, generators.gen_dts_rec),
        sized("sodt_vec", "three axis splits", xs, rs, generators.gen_dts_vec),
        sized("odt_bf", "three binary features", zs, fs, generators.gen_dtbfs),
        deep("axis splits, depth two", xs),
    ]


def drawing(tree: DTree, indent: str = "") -> str:
    """Write a tree down, one line for each rule and each leaf."""
    if isinstance(tree, Leaf):
        return f"{indent}{''.join('ox'[int(sample.y)] for sample in tree.value) or '-'}\n"
    below = drawing(tree.left, indent + "   ") + drawing(tree.right, indent + "   ")
    return f"{indent}{tree.rule.form}\n{below}"


def fit_trees(console: Console) -> bool:
    """Fit a tree of depth three to each bundled data set; tell whether all are proved optimal."""
    table = Table(title="Training errors at depth three")
    for column in ("data", "rows x columns", "exactree", "CART", "status", "seconds"):
        table.add_column(column)
    models = []
    for load in (load_iris, load_wine, load_breast_cancer):
        data = load(as_frame=True)
        names = data.target_names[data.target]
        models.append(OptimalTreeClassifier(max_depth=3).fit(data.data, names))
        cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(data.data, names)
        table.add_row(
            load.__name__.removeprefix("load_"),
            f"{data.data.shape[0]} x {data.data.shape[1]}",
            str(models[-1].objective_),
            str((cart.predict(data.data) != names).sum()),
            models[-1].status_,
            f"{models[-1].result_.stats['seconds']:.3f}",
        )
    console.print(table, "", str(models[-1]), "", sep="\n", highlight=False)
    REPORT.parent.mkdir(exist_ok=True)
    write_report(models[-1], data.data, names, REPORT, title="Breast cancer, depth three")
    console.print(f"The last tree as a page for your browser: {REPORT}", "", highlight=False)
    return all(model.status_ == "optimal" for model in models)


def fit_surfaces(console: Console) -> bool:
    """Fit a tree of straight lines and a mixed tree to two columns; draw their regions."""
    data = load_wine(as_frame=True)
    columns, names = data.data[["alcohol", "flavanoids"]], data.target_names[data.target]
    settings: list[tuple[str, dict[str, Any]]] = [
        ("lines", {"splits": "hyperplane", "max_depth": 2}),
        ("thresholds and circles mixed", {"splits": ["axis", "sphere"], "max_depth": 2}),
    ]
    table = Table(title="Wine by alcohol and flavanoids, 178 rows, depth two")
    for column in ("splits", "errors", "proved", "seconds"):
        table.add_column(column)
    models = [OptimalTreeClassifier(**how).fit(columns, names) for _, how in settings]
    for (what, _), model in zip(settings, models, strict=True):
        seconds = f"{model.result_.stats['seconds']:.2f}"
        table.add_row(what, str(model.objective_), f">= {model.lower_bound_}", seconds)
    console.print(table, "", str(models[-1].result_), "", sep="\n", highlight=False)
    draw_regions(console, models, columns, names, [what for what, _ in settings])
    return all(model.status_ == "optimal" for model in models)


def draw_regions(
    console: Console, models: list[OptimalTreeClassifier], X: Any, y: Any, titles: list[str]
) -> None:
    """Draw where each tree decides for which class, if matplotlib is there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        console.print("Without matplotlib there is no picture: pip install 'exactree[plot]'", "")
        return
    figure = Figure(figsize=(12, 4.5), layout="constrained")
    for ax, model, title in zip(figure.subplots(1, len(models)), models, titles, strict=True):
        plot.plot_regions(model, X, y, ax=ax)
        ax.set_title(f"{title}: {model.objective_} errors")
    REGIONS.parent.mkdir(exist_ok=True)
    figure.savefig(REGIONS, dpi=120)
    console.print(f"Their regions as a picture: {REGIONS}", "", highlight=False)


def fit_numbers(console: Console) -> bool:
    """Fit a regression tree of depth two; tell whether it is proved optimal."""
    data = load_diabetes(as_frame=True, scaled=False)
    model = OptimalTreeRegressor(max_depth=2).fit(data.data, data.target)
    cart = DecisionTreeRegressor(max_depth=2, random_state=0).fit(data.data, data.target)
    loss = ((cart.predict(data.data) - data.target) ** 2).sum()
    console.print(
        "Progress of diabetes after a year, by squared error:",
        str(model),
        f"CART of the same depth: {loss:.10g}",
        "",
        sep="\n",
        highlight=False,
    )
    return bool(model.status_ == "optimal" and model.objective_ <= loss)


def main() -> int:
    """Print both; the exit status says whether all is proved and agrees with brute force."""
    console = Console()
    proved = fit_trees(console) and fit_surfaces(console) and fit_numbers(console)
    table = Table(title="Fewest errors: five programs against every tree of their space")
    for column in ("program", "problem", "errors", "trees listed", "best of them"):
        table.add_column(column)
    rows = solve()
    values = [(ZERO_ONE(row.found), min(map(ZERO_ONE, row.every))) for row in rows]
    for row, (value, least) in zip(rows, values, strict=True):
        table.add_row(row.program, row.problem, str(value), str(len(row.every)), str(least))
    console.print(PICTURE, "", table, "", sep="\n", highlight=False)
    console.print("The tree of odt_depth:", drawing(rows[-1].found), sep="\n", highlight=False)
    agree = all(value == least for value, least in values)
    console.print("Every program agrees with brute force." if agree else "DISAGREEMENT")
    return 0 if proved and agree else 1


if __name__ == "__main__":
    sys.exit(main())
