"""Ends of one's own: the callback, and gaps that are small enough."""

import io
from typing import Any

import numpy as np
import pytest

from exactree import OptimalTreeClassifier, Progress, size_path, solve
from exactree.progress import HEADER, ProgressTable


def noisy(rows: int = 600, columns: int = 8) -> tuple[Any, Any]:
    """A problem whose proof takes long enough to be stopped."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, columns)), rng.integers(0, 2, rows)


def stop(progress: Progress) -> bool:
    return True


def raises(progress: Progress) -> None:
    raise StopIteration


@pytest.mark.parametrize("callback", [stop, raises])
@pytest.mark.parametrize("splits", ["axis", "hyperplane"])
def test_the_callback_stops_a_search(callback: Any, splits: str) -> None:
    X, y = noisy()
    found = solve(X, y, max_depth=4, splits=splits, on_progress=callback, time_limit=60)
    assert found.status == "stopped"
    assert found.lower_bound < found.objective <= min((y == 0).sum(), (y == 1).sum())


def test_only_true_stops() -> None:
    X, y = noisy(60, 3)
    seen: list[Progress] = []
    found = solve(X, y, max_depth=2, on_progress=seen.append)
    assert found.status == "optimal"
    X, y = noisy()
    calls: list[Progress] = []

    def one(progress: Progress) -> int:
        calls.append(progress)
        return 1  # which is not True

    solve(X, y, max_depth=3, time_limit=0.3, on_progress=one)
    assert len(calls) > 1


def test_a_gap_that_is_small_enough_ends_the_search() -> None:
    X, y = noisy()
    found = solve(X, y, max_depth=4, gap_limit=1.0, time_limit=60)
    assert found.status == "gap_limit"
    assert 0 < found.gap <= found.objective
    half = solve(X, y, max_depth=2, gap_limit_absolute=1e9)
    assert half.status in ("gap_limit", "optimal")
    assert solve(X[:50], y[:50], max_depth=2).status == "optimal"


def test_the_other_engines_stop_too() -> None:
    X, y = noisy(300, 4)
    target = X[:, 0] + y
    found = solve(
        X, target, task="regression", objective="absolute_error", max_depth=4, on_progress=stop
    )
    assert found.status == "stopped"
    squared = solve(X, target, task="regression", max_depth=6, on_progress=stop, time_limit=60)
    assert squared.status == "stopped"


def test_a_path_stops() -> None:
    X, y = noisy()
    path = size_path(X, y, max_splits=9, max_depth=5, on_progress=stop)
    assert path[9].status == "stopped"
    assert path[0].status == "optimal"


@pytest.mark.parametrize("name", ["gap_limit", "gap_limit_absolute"])
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "0.1", True])
def test_bad_gaps_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name}=.*pass a finite number, at least 0"):
        solve([[1.0], [2.0]], [0, 1], max_depth=1, **{name: value})


def test_estimators_do_not_warn_of_what_was_asked_for() -> None:
    X, y = noisy()
    clf = OptimalTreeClassifier(max_depth=4, gap_limit=1.0).fit(X, y)
    assert clf.status_ == "gap_limit"


def test_the_table_has_a_line_for_a_change_and_at_most_one_a_second() -> None:
    text = io.StringIO()
    table = ProgressTable(text, one_line=False)
    for seconds, best, bound in [(0.1, 9, 0), (0.2, 8, 0), (1.2, 8, 0), (1.3, 8, 1), (5.0, 8, 1)]:
        table(Progress(seconds, best, bound, 7, 30))
    lines = text.getvalue().splitlines()
    assert lines[0] == HEADER
    assert [line.split() for line in lines[1:]] == [
        ["0.1s", "9", "0", "100.0%", "7", "30"],
        ["1.2s", "8", "0", "100.0%", "7", "30"],
        ["5.0s", "8", "1", "87.5%", "7", "30"],
    ]
    one = io.StringIO()
    show = ProgressTable(one, one_line=True)
    show(Progress(0.0, 9, 0))
    show(Progress(2.0, 9, 3))
    assert one.getvalue().count("\r") == 2 and "\n" not in one.getvalue()


def test_the_last_line_of_the_table_is_the_result() -> None:
    found = solve([[1.0], [2.0]], [0, 1], max_depth=1)
    text, one = io.StringIO(), io.StringIO()
    for stream, one_line in ((text, False), (one, True)):
        table = ProgressTable(stream, one_line=one_line)
        table(Progress(0.1, 9, 0))
        table.end(0.2, found)
    assert text.getvalue().splitlines()[-1].split()[:4] == ["0.2s", "0", "0", "0.0%"]
    assert one.getvalue().count("\r") == 2 and one.getvalue().endswith("\n")
    table.end(0.3, found)  # nothing has changed
    assert one.getvalue().count("\r") == 2


def test_a_truth_value_of_numpy_ends_the_search() -> None:
    X, y = noisy()
    found = solve(X, y, max_depth=5, on_progress=lambda told: np.float64(told.seconds) >= 0)
    assert found.status == "stopped"
    whole = solve(X[:100], y[:100], max_depth=2, on_progress=lambda _: 1)
    assert whole.status == "optimal"


def test_brute_force_is_stopped_too() -> None:
    X, y = noisy()
    found = solve(X[:60], y[:60], max_depth=3, engine="brute_force", on_progress=lambda _: True)
    assert found.status == "stopped" and found.lower_bound <= found.objective


def test_verbose_writes_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = noisy()
    with pytest.warns(UserWarning, match="time_limit"):
        OptimalTreeClassifier(max_depth=4, verbose=1, time_limit=0.2).fit(X, y)
    assert capsys.readouterr().err.startswith(HEADER)


def test_verbose_of_solve_writes_it_beside_a_function_of_ones_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    X, y = noisy()
    found = solve(X, y, max_depth=4, verbose=1, on_progress=stop)
    assert found.status == "stopped"
    assert capsys.readouterr().err.startswith(HEADER)
    solve(X, y, max_depth=1)
    assert capsys.readouterr().err == ""
