"""How Sphinx builds these pages: make docs. The pictures are drawn by examples/plot_*.py."""

from __future__ import annotations

import importlib.metadata
import runpy
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
PICTURES = HERE / "pictures"

project = "exactree"
author = "the exactree developers"
copyright = author
release = version = importlib.metadata.version("exactree")

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["pictures"]
source_suffix = {".md": "markdown"}
nitpicky = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Docstrings have code in single backticks, and their types in the Parameters sections.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
autosummary_generate = False  # numpydoc brings it along

html_theme = "furo"
html_title = "exactree"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "default"
highlight_language = "text"


def draw_pictures() -> list[Path]:
    """Run every example and keep its figures."""
    import matplotlib

    matplotlib.use("Agg")
    return [path for example in sorted(EXAMPLES.glob("plot_*.py")) for path in _drawn(example)]


def _drawn(example: Path) -> list[Path]:
    """Save the figures of an example under its name: the first plain, then -2, -3 and so on."""
    import matplotlib.pyplot as plt

    PICTURES.mkdir(exist_ok=True)
    plt.close("all")
    runpy.run_path(str(example))
    found = []
    for place, number in enumerate(plt.get_fignums(), start=1):
        name = example.stem.removeprefix("plot_") + (f"-{place}" if place > 1 else "")
        found.append(PICTURES / f"{name}.svg")
        plt.figure(number).savefig(found[-1], metadata={"Date": None})
    plt.close("all")
    return found


def without_last_blank(app: Any, page: str, source: list[str]) -> None:
    """Drop the empty line that ends a doctest in Markdown: readers need none."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app: Any) -> None:
    """Draw before the pages are read."""
    app.connect("builder-inited", lambda _: draw_pictures())
    app.connect("source-read", without_last_blank)
