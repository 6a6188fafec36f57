"""exactree fit --checkpoint and exactree status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shuffled import table

from exactree.cli import main


@pytest.fixture
def data(tmp_path: Path) -> str:
    X, y = table(80, 3)
    path = tmp_path / "data.csv"
    rows = np.column_stack([X.round(3), y])
    np.savetxt(path, rows, delimiter=",", header="a,b,c,label", comments="")
    return str(path)


def test_status_tells_what_a_run_has_proved(data: str, tmp_path: Path, capsys: Any) -> None:
    kept = str(tmp_path / "run.ckpt")
    fit = ["fit", data, "--target", "label", "--max-depth", "4", "--checkpoint", kept, "--quiet"]
    assert main([*fit, "--json"]) == 0
    fitted = json.loads(capsys.readouterr().out)
    assert main(["status", kept]) == 0
    told = capsys.readouterr().out
    assert "complete: optimal" in told and "gap 0" in told
    assert " 0 divided" in told  # that a piece was under way does not count as that
    assert any(f"{name} <= " in told for name in "abc") and "x[" not in told
    assert main(["status", kept, "--json"]) == 0
    seen = json.loads(capsys.readouterr().out)
    assert seen["optimal"] and seen["objective"] == seen["lower_bound"] == fitted["objective"]
    assert main([*fit, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tree"] == fitted["tree"]


def test_status_of_a_run_that_was_stopped(data: str, tmp_path: Path, capsys: Any) -> None:
    kept = str(tmp_path / "run.ckpt")
    fit = ["fit", data, "--target", "label", "--max-depth", "4", "--checkpoint", kept, "--quiet"]
    assert main([*fit, "--time-limit", "0.02"]) in (0, 4)
    capsys.readouterr()
    assert main(["status", kept]) in (0, 4)
    assert "best" in capsys.readouterr().out


def test_status_refuses_other_files(data: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["status", data]) == 3
    assert main(["status", str(tmp_path / "nothing")]) == 3
    assert "no checkpoint" in capsys.readouterr().err


def test_options_that_make_no_sense_are_refused(data: str, capsys: Any) -> None:
    assert main(["fit", data, "--target", "label", "--processes", "0"]) == 3
    assert main(["fit", data, "--target", "label", "--cv", "2", "--checkpoint", "x.ckpt"]) == 3
    assert "at least 1" in capsys.readouterr().err
