"""The logic of the benchmark harness, with solvers that answer what the test wants."""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from jobs_here import run_here

import exactree
from benchmarks import __main__ as command
from benchmarks import plots, report, runner, stopped, suites, trees
from benchmarks.data import (
    Instance,
    bundled,
    bundled_columns,
    chosen,
    folder,
    generated,
    grid,
    load,
    planes,
)
from benchmarks.jobs import Job, Limits, Problem, Record, alternating
from benchmarks.judge import judge
from benchmarks.report import View
from benchmarks.solvers import SOLVERS, Answer, Prepared, Solver, cores, find
from benchmarks.worker import measure, peak_megabytes, perform
from exactree.splits.axis import AxisSplit
from exactree.tree import Leaf, Node

STUMP = trees.node(0, 1.5, trees.leaf(0), trees.leaf(1))
TABLE = "0 1.0 5\n0 1.5 5\n1 2.0 5\n1 3.0 5\n0 4.0 5\n"  # the stump is optimal: one error
QUICK = Limits(seconds=5, inner_runs=2)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    data = tmp_path / "data"
    data.mkdir()
    (data / "steps.txt").write_text(TABLE)
    return folder(data)[0]


def fake(name: str, answer: Answer | Callable[[Problem], Answer], **claims: Any) -> Solver:
    """A solver that says `answer`. Packages are real ones, so that they have a version."""

    def prepare(X: Any, y: Any, problem: Problem, seconds: float, options: Any) -> Prepared:
        said = answer(problem) if callable(answer) else answer
        return Prepared(lambda: None, lambda _: said)

    return Solver(name, claims.pop("package", "numpy"), prepare, **claims)


def result(solver: str, objective: float, status: str = "optimal", **more: Any) -> Record:
    """A record as the runner writes it; the package is the solver's name unless given."""
    job = Job("test", Instance("steps", "file:steps.txt"), Problem(), solver)
    standard = {"package": solver, "exact": status != "greedy", "coarse": False, "broken": []}
    measured = {"seconds": 1.0, "cpu_seconds": 1.0, "megabytes": 10.0, "machine": {}}
    said = {"objective": objective, "status": status, "recount": objective}
    return {**job.to_dict(), **standard, **measured, **said, **more}


# --- Instances --------------------------------------------------------------------------------


def test_a_folder_of_text_files(instance: Instance) -> None:
    X, y = load(instance)
    assert instance.name == "steps" and X.shape == (5, 2)
    assert y.tolist() == [0, 0, 1, 1, 0]


def test_labels_become_codes_and_targets_do_not(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("-7 1\n30 2\n-7 3\n")
    (odd,) = folder(tmp_path)
    assert load(odd)[1].tolist() == [0, 1, 0]
    assert load(odd, "regression")[1].tolist() == [-7.0, 30.0, -7.0]


def test_parts_of_an_instance_nest() -> None:
    whole = generated(100, 6, 2)
    small, large = (load(whole.part(rows=n))[0] for n in (20, 50))
    assert np.array_equal(small, large[:20])
    narrow, wide = (load(whole.part(columns=n))[0] for n in (2, 4))
    assert np.array_equal(narrow, wide[:, :2])
    assert whole.part(rows=20).name == "tree-100x6-2/20r"


def test_bundled_instances_load() -> None:
    shapes = {instance.name: load(instance)[0].shape for instance in bundled()}
    assert shapes["iris"] == (150, 4) and shapes["tree-2000x5-2"] == (2000, 5)


def test_planes_grids_and_columns() -> None:
    X, y = load(planes(30, 3, 0.1))
    assert X.shape == (30, 3) and set(y.tolist()) == {0, 1}
    X, _ = load(grid(40, 2, 3))
    assert set(X.ravel().tolist()) == {0.0, 1.0, 2.0}
    iris = load(Instance("iris", "sklearn:iris"))[0]
    assert np.array_equal(load(bundled_columns("iris", (3, 1)))[0], iris[:, [3, 1]])


@pytest.mark.parametrize("splits", ["hyperplane", "sphere", "quadric"])
def test_surfaces_are_recounted(splits: str) -> None:
    instance, problem = planes(25, 2, 0.3), Problem(splits=splits, max_depth=None, max_splits=1)
    record = perform(Job("t", instance, problem, "exactree", replace(QUICK, inner_runs=1)))
    assert record["status"] == "optimal" and "terms" in record["tree"]
    assert record["recount"] == record["objective"] and record["broken"] == []


def test_the_mixed_integer_program_is_a_solver() -> None:
    problem = Problem(splits="hyperplane", max_depth=1)
    records = [
        perform(Job("t", grid(10, 2, 3), problem, solver, replace(QUICK, inner_runs=1)))
        for solver in ("exactree", "milp")
    ]
    assert records[0]["objective"] == records[1]["objective"]
    assert {record["status"] for record in records} == {"optimal"}


def test_unknown_instances_and_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no instance 'moon'"):
        chosen(bundled(), ["moon"])
    with pytest.raises(ValueError, match=r"no \.txt files"):
        folder(tmp_path)
    with pytest.raises(ValueError, match="unknown source"):
        load(Instance("x", "web:x"))


# --- Jobs and solvers -------------------------------------------------------------------------


def test_solvers_alternate_within_an_instance() -> None:
    names = [Instance(name, f"sklearn:{name}") for name in ("iris", "wine")]
    jobs = [Job("t", instance, Problem(), solver) for instance in names for solver in "ab"]
    order = [(job.instance.name, job.solver, job.repetition) for job in alternating(jobs, 2)]
    assert order[:4] == [("iris", "a", 0), ("iris", "b", 0), ("iris", "b", 1), ("iris", "a", 1)]
    assert len(order) == 8


def test_a_job_survives_json() -> None:
    job = Job("t", generated(10, 2, 2), Problem(penalty=0.1), "cart", interrupt_after=1.0)
    assert Job.from_dict(json.loads(json.dumps(job.to_dict()))) == job


def test_options_of_a_solver() -> None:
    solver, options = find("exactree:n_jobs=2,engine=generic,memory_limit=1.5")
    assert solver.name == "exactree"
    assert options == {"n_jobs": 2, "engine": "generic", "memory_limit": 1.5}
    assert cores("exactree:n_jobs=2") == 2 and cores("cart") == 1
    with pytest.raises(ValueError, match="no solver 'oracle'"):
        find("oracle")


def test_a_solver_refuses_what_it_cannot_pose(instance: Instance) -> None:
    X, y = load(instance)
    with pytest.raises(ValueError, match=r"cart has no penalty=0\.5"):
        SOLVERS["cart"].prepare(X, y, Problem(penalty=0.5), 1.0, {})


def test_our_own_result_is_read(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(X: Any, y: Any, **arguments: Any) -> SimpleNamespace:
        asked.update(arguments)
        tree = Node(AxisSplit(0, 1.5), Leaf(0), Leaf(1))
        stats = {"nodes": 3, "engine": "search"}
        said = {"status": "optimal", "objective": 1, "lower_bound": 1, "history": [(0.1, 1, 0)]}
        return SimpleNamespace(tree=tree, stats=stats, **said)

    asked: dict[str, Any] = {}
    monkeypatch.setattr(exactree, "solve", solve, raising=False)
    run, read = SOLVERS["exactree"].prepare(*load(instance), Problem(), 9.0, {"n_jobs": 2})
    answer = read(run())
    assert (asked["max_depth"], asked["time_limit"], asked["n_jobs"]) == (3, 9.0, 2)
    assert answer.tree == STUMP and answer.stats == {"nodes": 3}
    assert (answer.objective, answer.lower_bound, answer.history) == (1, 1, [(0.1, 1.0, 0.0)])


# --- Trees ------------------------------------------------------------------------------------


def test_recount_walks_the_tree(instance: Instance) -> None:
    X, y = load(instance)
    assert trees.walk(STUMP, X).tolist() == [0, 0, 1, 1, 1]
    assert trees.recount(STUMP, X, y, Problem()) == 1
    assert trees.recount(STUMP, X, y, Problem(penalty=0.5)) == 1 + 0.5 * 5
    assert trees.recount(trees.leaf(0.5), X, y, Problem(task="regression")) == 5 * 0.25


def test_broken_budgets_are_named(instance: Instance) -> None:
    X, _ = load(instance)
    assert trees.broken_budgets(STUMP, X, Problem()) == []
    tight = Problem(max_depth=0, max_splits=0, min_samples_leaf=3)
    assert [text.split()[0] for text in trees.broken_budgets(STUMP, X, tight)] == [
        "depth",
        "1",
        "a",
    ]
    assert trees.broken_budgets(trees.leaf(0), X, Problem(min_samples_leaf=9)) == []


# --- Worker and runner ------------------------------------------------------------------------


def test_a_worker_times_and_recounts(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOLVERS, "honest", fake("honest", Answer(1, "optimal", STUMP)))
    calls: list[str] = []
    record = perform(Job("t", instance, Problem(), "honest", QUICK), lambda: calls.append("solved"))
    assert calls == ["solved"]
    assert (record["recount"], record["objective"], record["broken"]) == (1, 1, [])
    assert (record["rows"], record["columns"], record["classes"]) == (5, 2, 2)
    assert 0 <= record["seconds"] <= record["first_seconds"] and record["runs"] == 2
    assert record["megabytes"] >= record["megabytes_before"] > 1


def test_small_instances_repeat_until_the_budget_is_spent() -> None:
    calls: list[int] = []
    assert len(measure(lambda: calls.append(1), Limits(inner_runs=7)).wall) == 7 == len(calls)
    assert len(measure(lambda: None, Limits(inner_seconds=0.0)).cpu) == 1


def test_a_run_has_its_own_process(instance: Instance) -> None:
    record = runner.run(Job("t", instance, Problem(max_depth=1), "cart", QUICK))
    assert record["status"] == "greedy" and record["objective"] == 1
    assert record["package"] == "scikit-learn" and record["machine"]["cores"] >= 1


def python(program: str) -> tuple[str, ...]:
    return sys.executable, "-c", program


def test_a_failed_run_keeps_its_last_words(instance: Instance) -> None:
    job = Job("t", instance, Problem(), "cart", QUICK)
    record = runner.run(job, python("raise SystemExit('out of luck')"))
    assert record["status"] == "failed" and record["message"] == "out of luck"
    assert "out of luck" in report.failures([record]) and "out of luck" in runner.summary(record)


def test_a_run_over_its_limits_is_ended(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "allowance", lambda limits: 0.2)
    job = Job("t", instance, Problem(), "cart", QUICK)
    sleeper = python("import time; time.sleep(60)")
    assert runner.run(job, sleeper)["status"] == "killed: time"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
def test_a_run_over_its_memory_is_ended(instance: Instance) -> None:
    job = Job("t", instance, Problem(), "cart", replace(QUICK, megabytes=60))
    hungry = python("import time; held = bytearray(b'x') * 100_000_000; time.sleep(60)")
    record = runner.run(job, hungry)
    assert record["status"] == "killed: memory" and record["megabytes"] > 60
    assert peak_megabytes() > 1


def test_an_interrupt_comes_after_the_start(instance: Instance) -> None:
    program = (
        "import json, os, pathlib, time\n"
        "pathlib.Path(os.environ['BENCHMARKS_STARTED']).touch()\n"
        "try:\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    print(json.dumps({'status': 'interrupted', 'ended': time.monotonic()}))\n"
    )
    job = Job("t", instance, Problem(), "cart", QUICK, interrupt_after=0.05)
    record = runner.run(job, python(program))
    assert record["status"] == "interrupted" and record["ended"] >= record["interrupted"]


def test_what_did_not_finish_is_not_repeated(
    instance: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "run", lambda job: result("cart", 3, "time_limit"))
    jobs = list(alternating([Job("t", instance, Problem(), "cart", QUICK)], 3))
    said: list[str] = []
    assert len(runner.run_all(jobs, tmp_path / "r.jsonl", said.append)) == 1
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 1 == len(said)


# --- The judge --------------------------------------------------------------------------------


def test_equal_optima_of_two_packages_confirm_each_other() -> None:
    verdict = judge([result("ours", 5), result("theirs", 5), result("cart", 8, "greedy")])
    assert verdict.confirmed and verdict.reports() and verdict.optimum == 5
    assert verdict.reason() == ""


def test_one_package_does_not_confirm_itself() -> None:
    pair = [result("ours", 5, package="x"), result("ours:n_jobs=2", 5, package="x")]
    assert not judge(pair).reports() and "only ours" in judge(pair).reason()
    assert judge(pair).reports(allow_unconfirmed=True)
    assert judge(pair, independent=False).reports()


def test_different_optima_are_refused() -> None:
    verdict = judge([result("ours", 5), result("theirs", 6)])
    assert not verdict.reports(allow_unconfirmed=True)
    assert verdict.reason() == "refused; theirs says 6, others 5"


def test_fewer_than_a_coarse_solver_only_with_a_recounted_tree() -> None:
    coarse = result("theirs", 6, coarse=True)
    verdict = judge([result("ours", 5), coarse])
    assert verdict.reports() and verdict.reason().endswith("recounted")
    assert not judge([result("ours", 5, recount=None), coarse]).reports()


def test_more_than_a_coarse_solver_is_refused() -> None:
    assert not judge([result("ours", 6), result("theirs", 5, coarse=True)]).reports()
    # It counts eight on rounded values; its tree makes five errors on the real ones.
    lucky = result("theirs", 8, coarse=True, recount=5)
    assert not judge([result("ours", 6), lucky]).reports()


def test_repetitions_must_agree() -> None:
    pair = [result("ours", 5), result("ours", 6), result("theirs", 5)]
    assert "ours says 6" in judge(pair).reason()


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ({"recount": 7}, "claims 5, but its tree costs 7"),
        ({"broken": ["4 splits where 3 are allowed"]}, "tree has 4 splits"),
        ({"lower_bound": 4}, "calls 5 optimal with the lower bound 4"),
        ({"lower_bound": 6, "status": "time_limit"}, "bound 6 above its objective"),
    ],
)
def test_a_solver_that_contradicts_itself_is_refused(lie: Record, words: str) -> None:
    verdict = judge([result("ours", 5, **lie), result("theirs", 5)])
    assert not verdict.reports() and words in verdict.reason()


def test_a_heuristic_below_the_optimum_refutes_it() -> None:
    verdict = judge([result("ours", 5), result("theirs", 5), result("cart", 4, "greedy")])
    assert "cart found 4, below the optimum 5" in verdict.reason()


def test_a_bound_above_the_optimum_is_refuted() -> None:
    stopped = result("ours:n_jobs=2", 9, "time_limit", lower_bound=6)
    assert "bound 6 is above 5" in judge([result("ours", 5), result("theirs", 5), stopped]).reason()


def test_nothing_proved_nothing_reported() -> None:
    verdict = judge([result("ours", 5, "time_limit"), {**result("x", 0), "status": "failed"}])
    assert not verdict.reports() and "nobody proved" in verdict.reason()


def test_sums_of_floats_agree_within_rounding() -> None:
    assert judge([result("ours", 0.1 + 0.2), result("theirs", 0.3)]).reports()
    assert not judge([result("ours", 0.3), result("theirs", 0.3 + 1e-6)]).reports()


# --- The report -------------------------------------------------------------------------------


def cells(text: str, first: str) -> list[str]:
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {first}")]
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_ratios_and_their_mean() -> None:
    records = [result("ours", 5, seconds=0.1), result("ours", 5, seconds=0.2)]
    records += [result("theirs", 5, seconds=4.0), result("cart", 6, "greedy", seconds=0.01)]
    text = report.comparison(records, View())
    assert cells(text, "steps")[2:8] == ["5", "0.1", "4", "0.01", "40.0", "6"]
    assert "40.0 (1; least 40.0)" in cells(text, "geometric mean")
    assert len({line.count("|") for line in text.splitlines()}) == 1


def test_a_heuristic_may_come_first() -> None:
    records = [result("cart", 6, "greedy", seconds=0.5), result("ours", 5), result("theirs", 5)]
    text = report.comparison(records, View())
    assert cells(text, "instance")[6:8] == ["ours / cart", "theirs / cart"]
    assert cells(text, "steps")[6:9] == ["2.0", "2.0", "6"]
    assert len({line.count("|") for line in text.splitlines()}) == 1


def test_a_refused_line_shows_no_time_of_an_exact_solver() -> None:
    records = [result("ours", 6, seconds=0.125), result("theirs", 5, seconds=7.5)]
    text = report.comparison(records, View(allow_unconfirmed=True))
    assert "0.125" not in text and "7.5" not in text and cells(text, "steps")[5] == ""
    assert "refused" in text and report.contradictions(records, View()) == 1


def test_a_rival_out_of_time_gives_a_bound_outside_the_mean() -> None:
    records = [result("ours", 5, seconds=2.0), result("theirs", 7, "time_limit")]
    text = report.comparison(records, View(allow_unconfirmed=True))
    assert cells(text, "steps")[5] == "> 60"  # the limit is 120 s
    assert cells(text, "geometric mean")[5] == ""


def test_fitted_exponent_and_mean() -> None:
    assert report.exponent([1, 2, 4, 8], [3, 12, 48, 192]) == pytest.approx(2)
    assert report.geometric_mean([1, 100]) == pytest.approx(10)
    assert math.isnan(report.geometric_mean([])) and math.isnan(report.exponent([1], [1]))


def test_plots_are_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    records = [result("ours", 5), result("theirs", 5, seconds=4.0), result("cart", 6, "greedy")]
    assert plots.times(report.lines(records, View()), View(), tmp_path / "times.png")
    assert plots.growth({"ours": [(1, 1), (2, 4)], "none": []}, "rows", tmp_path / "rows.svg")
    assert not plots.growth({"none": []}, "rows", tmp_path / "nothing.png")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["rows.svg", "times.png"]


# --- Experiments, end to end ------------------------------------------------------------------


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run jobs here, so that solvers of the test are known to the worker."""
    monkeypatch.setattr(runner, "run", run_here)


def enter(monkeypatch: pytest.MonkeyPatch, *solvers: Solver) -> None:
    for solver in solvers:
        monkeypatch.setitem(SOLVERS, solver.name, solver)


Experiment = Callable[..., tuple[int, str]]


@pytest.fixture
def experiment(
    instance: Instance, tmp_path: Path, capsys: pytest.CaptureFixture[str], in_process: None
) -> Experiment:
    def start(*arguments: str) -> tuple[int, str]:
        data = str(Path(instance.source.removeprefix("file:")).parent)
        code = command.main([*arguments, "--data", data, "--results", str(tmp_path / "results")])
        return code, capsys.readouterr().out

    return start


def right(problem: Problem) -> Answer:
    """The optimum of the table for every budget."""
    if problem.max_splits == 0:
        return Answer(2, "optimal", trees.leaf(0), 2)
    two = trees.node(0, 1.5, trees.leaf(0), trees.node(0, 3.5, trees.leaf(1), trees.leaf(0)))
    allowed = problem.max_splits in (None, *range(2, 9))
    return Answer(0, "optimal", two, 0) if allowed else Answer(1, "optimal", STUMP, 1)


def test_the_comparison_end_to_end(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(monkeypatch, fake("exactree", right), fake("other", right, package="scipy"))
    code, text = experiment("depth3", "--solvers", "exactree", "other", "cart", "--repeat", "1")
    assert code == 0 and "other / exactree" in text and "(1; least" in text
    (results,) = (tmp_path / "results").glob("*.jsonl")
    records = [json.loads(line) for line in results.read_text().splitlines()]
    assert [record["solver"] for record in records] == ["exactree", "other", "cart"]
    assert all({"version", "machine", "megabytes"} <= record.keys() for record in records)
    assert results.with_suffix(".md").exists()
    assert command.main(["report", str(results)]) == 0


def test_a_wrong_solver_is_refused_end_to_end(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = fake("other", Answer(1, "optimal", STUMP), package="scipy")
    enter(monkeypatch, fake("exactree", right), wrong)
    code, text = experiment("depth3", "--solvers", "exactree", "other", "--repeat", "1")
    assert code == 1 and "withheld" in text and "refused" in text


def test_all_sizes_end_to_end(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(monkeypatch, fake("exactree", right))
    code, text = experiment("sizes", "--repeat", "1")
    assert code == 0 and "2 1 0 0 0 0 0 0" in text and "bracketed" in text


def test_sizes_that_do_not_fit_are_refused(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(problem: Problem) -> Answer:
        return right(replace(problem, max_splits=1) if problem.max_splits == 7 else problem)

    enter(monkeypatch, fake("exactree", wrong))
    code, text = experiment("sizes", "--repeat", "1")
    assert code == 1 and "more splits cost more" in text and "bracketed" not in text


@pytest.mark.parametrize(
    ("name", "words"),
    [("threads", "speed-up"), ("memory", "MB (solve)"), ("iris", "first call"), ("compare", "MB")],
)
def test_other_experiments_end_to_end(
    name: str, words: str, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(monkeypatch, fake("exactree", right), fake("exactree-fit", Answer(1, "optimal")))
    code, text = experiment(name, "--repeat", "1", "--solvers", "exactree", "cart")
    assert code == 0 and words in text


def test_scaling_end_to_end(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "generated", lambda *size: generated(4000, 16, 2))
    best = Answer(0, "optimal")
    enter(monkeypatch, fake("exactree", best), fake("other", best, package="scipy"))
    code, text = experiment("scaling", "--repeat", "1", "--solvers", "exactree", "other")
    assert code == 0 and text.count("Exponents fitted") == 2
    assert "tree-4000x16-2/2000r" in text and "breast_cancer/16c" in text


def test_limits_end_to_end(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Answer(2, "time_limit", trees.leaf(0), 0, history=[(0.25, 2.0, 0.0)])
    enter(monkeypatch, fake("exactree", lambda p: right(p) if p.max_depth == 3 else late))
    code, text = experiment("limits", "--only", "steps")
    assert code == 0 and {"0.25", "0.125", "worse than CART"} <= set(cells(text, "steps"))
    assert "No bound of a stopped run is refuted" in text


def test_anytime_end_to_end(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    history = [(0.0, 4.0, 0.0), (1.0, 3.0, 1.0), (4.0, 2.0, 2.0)]
    late = Answer(2, "time_limit", trees.leaf(0), 2, history=history)
    enter(monkeypatch, fake("exactree", lambda _: late))
    code, text = experiment("anytime_fractions", "--only", "steps")
    assert code == 0 and {"0%, +100.0%", "50%, +50.0%"} <= set(cells(text, "steps"))
    assert "No bound of a stopped run is refuted" in text


def test_stopped_searches_end_to_end(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Answer(2, "time_limit", trees.leaf(0), 1)
    others = [fake(name, Answer(3, "greedy"), exact=False) for name in ("pycontree", "cart")]
    better = fake("licketysplit", Answer(1, "greedy"), exact=False)
    find("licketysplit")
    enter(monkeypatch, fake("exactree", late), *others, better)
    monkeypatch.setattr(stopped, "LARGE", (generated(60, 2, 2),))
    monkeypatch.setattr(stopped, "NOISY", generated(80, 2, 2))
    _, text = experiment("anytime_trees", "--only", "steps")
    assert "| steps | 2 (+0.0%) | 2 (+0.0%) | 1 |" in text
    assert text.count("| steps | 2 | 1 | 3 | 3 | 1 | above licketysplit |") == 2
    _, text = experiment("anytime_bounds", "--only", "steps")
    assert "| tree-60x2-2 | 1 (50%) | 1 (50%) |" in text and "3 levels in 10 s 2, proved 1" in text
    _, text = experiment("anytime_deep", "--only", "steps")
    assert "| steps | 2 (1) | 2 (1) |" in text


def test_bad_options_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["depth3", "--only", "moon"]) == 2
    assert command.main(["depth3", "--solvers", "oracle"]) == 2
    assert command.main(["report"]) == 2
    assert "no solver 'oracle'" in capsys.readouterr().err


@pytest.mark.parametrize("asked", [["exactree"], ["exactree", "gosdt"], []])
def test_binary_experiments_run_the_solvers_that_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    """Nothing asked for: STreeD, not what compares on continuous data."""
    seen: list[list[str]] = []

    def compare(setting: suites.Setting) -> suites.Finding:
        seen.append(setting.solvers)
        return suites.Finding([], "")

    monkeypatch.setattr(suites, "compare", compare)
    line = ["binary4", "--results", str(tmp_path), *(["--solvers", *asked] if asked else [])]
    suites.binary(4)(command.settings(command.parser().parse_args(line), View()))
    assert seen == [asked or ["exactree", "pystreed"]]
