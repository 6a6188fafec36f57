"""The demonstration runs: its trees are proved optimal, its programs agree with brute force."""

import runpy
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


def test_the_demo_agrees_with_brute_force(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    main = runpy.run_path(str(DEMO))["main"]
    assert main() == 0
    shown = capsys.readouterr().out
    assert "optimal: objective 9, " in shown
    assert "Proved optimal" in (tmp_path / "demo" / "report.html").read_text()
    assert "axis-parallel or sphere trees, depth <= 2" in shown
    assert (tmp_path / "demo" / "regions.png").stat().st_size > 10_000
    assert "CART of the same depth: " in shown
    assert "Every program agrees with brute force." in shown
