"""The examples with pictures run, and leave figures behind."""

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    plt.switch_backend("Agg")
    plt.close("all")
    monkeypatch.setattr(plt, "show", lambda: None)
    yield
    plt.close("all")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_draws(path: Path) -> None:
    runpy.run_path(str(path))
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        assert any(ax.has_data() for ax in figure.axes)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3
