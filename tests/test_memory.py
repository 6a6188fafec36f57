"""What is free, as the system says it."""

from pathlib import Path

import pytest

from exactree import memory


def test_the_default_is_below_what_is_free() -> None:
    assert 0 < memory.default_limit() < memory.available()


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(memory, "_CONTROL_GROUP", tmp_path)
    monkeypatch.setattr(memory, "_free_of_machine", lambda: 10_000)
    monkeypatch.setattr(memory, "_free_of_process", lambda: None)
    return tmp_path


def test_a_container_may_have_less_than_the_machine(group: Path) -> None:
    (group / "memory.max").write_text("5000\n")
    (group / "memory.current").write_text("3000\n")
    assert memory.available() == 2000
    (group / "memory.stat").write_text("anon 7\ninactive_file 500\n")
    assert memory.available() == 2500


def test_a_container_without_a_limit(group: Path) -> None:
    assert memory.available() == 10_000
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("3000\n")
    assert memory.available() == 10_000


def test_what_is_overdrawn_is_nothing(group: Path) -> None:
    (group / "memory.max").write_text("5000\n")
    (group / "memory.current").write_text("6000\n")
    assert memory.available() == 0 and memory.default_limit() == 1


def test_a_system_that_says_nothing(group: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_free_of_machine", lambda: None)
    assert memory.available() == memory.UNKNOWN
