"""The experiments on trees of surfaces, on tables of a few rows, with real searches."""

from collections.abc import Callable
from pathlib import Path

import pytest
from jobs_here import run_here

from benchmarks import __main__ as command
from benchmarks import oblique, oblique_bars, runner
from benchmarks.data import planes
from benchmarks.oblique_bars import Bar
from benchmarks.suites import OURS

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(runner, "run", run_here)
    data = tmp_path / "data"
    data.mkdir()
    (data / "steps.txt").write_text("0 1.0 5\n0 1.5 5\n1 2.0 5\n1 3.0 5\n0 4.0 5\n")

    def start(*arguments: str) -> str:
        options = ["--data", str(data), "--repeat", "1", "--results", str(tmp_path / "results")]
        assert command.main([*arguments, *options]) == 0
        return capsys.readouterr().out

    return start


def test_planes_beside_thresholds_and_others(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oblique, "DEPTHS", (1,))
    monkeypatch.setattr(oblique, "PEERS", ["cart"])
    monkeypatch.setattr(oblique, "installed", list)
    (line,) = [line for line in run("oblique").splitlines() if line.startswith("| steps")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[4:] == ["1", "1", "1", "1", ""]


def test_seconds_until_a_proof(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bars = [Bar("steps", 1, 60.0), Bar("steps", 2, 0.0, "sphere"), Bar("not there", 1, 1.0)]
    monkeypatch.setattr(oblique_bars, "PROVED", bars)
    monkeypatch.setattr(oblique_bars, "SEEDS", 1)
    lines = [line for line in run("oblique_proved").splitlines() if line.startswith("| steps")]
    assert [line.split("|")[-2].strip() for line in lines] == ["", "missed"]
    assert [line.split("|")[4].strip() for line in lines] == ["1", "0"]


def test_a_planted_tree_and_short_limits(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oblique_bars, "SEEDS", 1)
    monkeypatch.setattr(oblique_bars, "WIDE", (planes(60, 3, 0.1),))
    monkeypatch.setattr(oblique_bars, "LARGE", planes(80, 2, 0.1))
    monkeypatch.setattr(oblique_bars, "LONG", 0.5)
    monkeypatch.setattr(oblique_bars, "KEPT", 60.0)
    text = run("oblique_large")
    assert "| planes-60x3-10% | 0.1 s |" in text
    assert "planes-80x2-10%" in text and "of the planted tree's" in text
    assert OURS in text
