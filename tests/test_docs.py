"""What make docs cannot notice: public names without a place in the reference, pictures unused."""

import re
from pathlib import Path

import exactree

ROOT = Path(__file__).parent.parent
PAGES = {path: path.read_text() for path in sorted((ROOT / "docs").rglob("*.md"))}


def test_the_reference_has_every_public_name() -> None:
    text = PAGES[ROOT / "docs" / "api.md"]
    named = set(re.findall(r"auto\w+:: exactree\.([\w.]+)", text))
    modules = {"export", "objectives", "plot", "splits", "Tree"}  # Tree is Leaf | Node
    assert set(exactree.__all__) - modules <= named
    for module in (exactree.objectives, exactree.plot):
        short = module.__name__.removeprefix("exactree.")
        shown = {name.removeprefix(f"{short}.") for name in named if name.startswith(f"{short}.")}
        classes = {name for name in module.__all__ if name[0].isupper() and not name.isupper()}
        assert classes - {"Targets"} <= shown


def test_every_example_has_a_place_in_the_pages() -> None:
    drawn = {path.stem.removeprefix("plot_") for path in (ROOT / "examples").glob("plot_*.py")}
    shown = set(re.findall(r"pictures/(\w+)\.svg", "".join(PAGES.values())))
    assert drawn == shown


def test_every_family_has_a_page() -> None:
    pages = {path.stem for path in PAGES if path.parent.name == "families"}
    assert set(exactree.splits.FAMILIES) | {"mixed"} == pages
