"""What make docs cannot notice: public names without a place in the reference, pictures unused."""

import re
import shlex
from pathlib import Path

import pytest

import exactree
from exactree.cli import main
from exactree.cli.commands import parser

ROOT = Path(__file__).parent.parent
COMMAND = re.compile(r"^exactree ((?:count|compare|demo|fit|predict|show)\b.*)$", re.M)
PAGES = {path: path.read_text() for path in sorted((ROOT / "docs").rglob("*.md"))}


def test_the_reference_has_every_public_name() -> None:
    text = PAGES[ROOT / "docs" / "api.md"]
    named = set(re.findall(r"auto\w+:: exactree\.([\w.]+)", text))
    modules = {"datasets", "export", "objectives", "plot", "splits", "Tree"}  # Tree is Leaf | Node
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


def test_the_commands_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = COMMAND.findall((ROOT / "README.md").read_text())
    commands = [shlex.split(line) for line in lines]
    assert [command[0] for command in commands] == ["demo", "fit", "predict", "compare"]
    assert [main(command) for command in commands] == [0, 0, 0, 0]
    shown = capsys.readouterr()
    assert "149 of 150 right" in shown.err
    assert "more than a minute: hyperplane, sphere" in shown.err
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize("page", ["tutorial.md", "choosing.md", "command_line.md"])
def test_commands_in_the_pages_are_understood(page: str) -> None:
    lines = COMMAND.findall(PAGES[ROOT / "docs" / page])
    assert lines
    for line in lines:
        parser().parse_args(shlex.split(line))
