"""Files of claims that cannot be written to."""

from __future__ import annotations

from errno import ENOSPC
from math import inf
from os import strerror
from pathlib import Path
from typing import Any

import pytest
from shuffled import compare, random_posing, table

from exactree import solve
from exactree.cluster.crew import Crew
from exactree.cluster.ledger import CheckpointWarning, Ledger


class FullDisk:
    """A file that has room for some more bytes."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def write(self, lines: bytes) -> None:
        self.file.write(lines[: self.room])
        self.room -= len(lines)
        if self.room < 0:
            raise OSError(ENOSPC, strerror(ENOSPC))

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        self.file.close()


@pytest.mark.parametrize("room", [0, 10, 300])
def test_a_search_goes_on_without_a_full_disk(room: int, tmp_path: Path) -> None:
    posing, path = random_posing(8), tmp_path / "run"
    for _ in range(2):
        ledger = Ledger(path)
        ledger._file = FullDisk(ledger._file, room)  # type: ignore[assignment]
        with pytest.warns(CheckpointWarning, match="No space left.*goes on"):
            compare(posing, Crew(posing, ledger).run(inf, None))
        ledger.close()
    ledger = Ledger(path)
    compare(posing, Crew(posing, ledger).run(inf, None))
    ledger.close()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    X, y = table()
    with pytest.raises(ValueError, match=r"no/run.*No such file.*give a file in a folder"):
        solve(X, y, max_depth=3, checkpoint=tmp_path / "no" / "run")
