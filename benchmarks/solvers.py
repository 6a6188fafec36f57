"""The solvers. To add one, write one function here and list what it claims in the decorator.

The function imports the solver's package and prepares what no user would wait for, outside the
clock. It returns two functions: the first solves (timed, may be called several times), the second
turns what it returned into an Answer (not timed).
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module, metadata
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Labels, Matrix
from benchmarks.jobs import Problem
from benchmarks.trees import PlainTree, leaf, node, surface, walk, with_means

Options = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a solver says. `status` is "optimal" only if it claims to have proved that."""

    objective: float | int
    status: str
    tree: PlainTree | None = None
    lower_bound: float | int | None = None
    stats: dict[str, Any] = field(default_factory=dict)
    history: list[tuple[float, float, float]] = field(default_factory=list)


class Prepared(NamedTuple):
    """The timed part and the reading of its result."""

    run: Callable[[], Any]
    read: Callable[[Any], Answer]


Prepare = Callable[[Matrix, Labels, Problem, float, Options], Prepared]


@dataclass(frozen=True)
class Solver:
    """A named way to solve, and what its answers mean.

    An `exact` solver claims optima. A `coarse` one does so for rounded data (float32, say): on the
    real data its optimum may be too high, never too low. Solvers of one `package` cannot confirm
    one another.
    """

    name: str
    package: str
    prepare: Prepare
    exact: bool = True
    coarse: bool = False

    def version(self) -> str:
        return metadata.version(self.package)


SOLVERS: dict[str, Solver] = {}


def solver(name: str, package: str, **claims: bool) -> Callable[[Prepare], Prepare]:
    """Enter a function into SOLVERS."""

    def enter(prepare: Prepare) -> Prepare:
        SOLVERS[name] = Solver(name, package, prepare, **claims)
        return prepare

    return enter


def find(text: str) -> tuple[Solver, Options]:
    """The solver and the options of "name" or "name:key=value,key=value"."""
    for peers in ("oblique_peers", "oblique_packages", "heuristics"):  # which enter their solvers
        import_module(f"benchmarks.{peers}")
    name, _, rest = text.partition(":")
    if name not in SOLVERS:
        raise ValueError(f"no solver {name!r}: there are {', '.join(sorted(SOLVERS))}")
    pairs = (part.partition("=") for part in rest.split(",") if part)
    return SOLVERS[name], {key: _value(value) for key, _, value in pairs}


def cores(text: str) -> int:
    """How many threads the solver is asked to use."""
    return int(find(text)[1].get("n_jobs", 1))


def _value(text: str) -> int | float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


@solver("exactree", "exactree")
def exactree(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    solve = import_module("exactree").solve
    arguments = {**vars(problem), "time_limit": seconds, **options}
    return Prepared(lambda: solve(X, y, **arguments), _read_result)


@solver("exactree-fit", "exactree")
def fit(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """The estimator, as its users call it."""
    kind = "Regressor" if problem.task == "regression" else "Classifier"
    estimator = getattr(import_module("exactree"), f"OptimalTree{kind}")
    arguments = {**vars(problem), "time_limit": seconds, **options}
    del arguments["task"]
    return Prepared(
        lambda: estimator(**arguments).fit(X, y), lambda model: _read_result(model.result_)
    )


@solver("exactree-switched", "exactree")
def switched(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """The search for squared error with a pruning off."""
    _only(problem, "exactree-switched", task="regression", splits="axis")
    preparing, engines = import_module("exactree.preparing"), import_module("exactree.engines")
    names = ("max_depth", "max_splits", "min_samples_leaf", "penalty")
    given = {"task": "regression", **{name: getattr(problem, name) for name in names}}
    request = import_module("exactree.request").read_request(given)
    native = list(import_module("exactree._native").prunings())
    off = str(options.get("off", ""))

    def run() -> Any:
        data = preparing.read_data(X, y, request)
        posed = preparing.make_problem(data, request.splits.sources(data.X), request)
        limits = import_module("exactree.problem").Limits(seconds=seconds)
        bits = 1 << native.index(off) if off else 0
        return engines.search(posed, limits, switches=bits)

    def read(result: Any) -> Answer:
        return Answer(result.objective, result.status, lower_bound=result.lower_bound)

    return Prepared(run, read)


def _read_result(result: Any) -> Answer:
    return Answer(
        objective=result.objective,
        status=str(getattr(result.status, "value", result.status)),
        tree=_plain(result.tree),
        lower_bound=result.lower_bound,
        stats={key: value for key, value in dict(result.stats).items() if _is_number(value)},
        history=[(float(s), float(o), float(b)) for s, o, b in result.history],
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _plain(tree: Any) -> PlainTree | None:
    """Thresholds and surfaces: of other splits, the harness has no walk of its own."""
    if not hasattr(tree, "left"):
        return leaf(float(tree.value))
    left, right = _plain(tree.left), _plain(tree.right)
    if left is None or right is None:
        return None
    if hasattr(tree.split, "threshold"):
        return node(int(tree.split.feature), float(tree.split.threshold), left, right)
    split = tree.split.to_dict()
    return surface(split["terms"], split["at_most"], left, right) if "terms" in split else None


@solver("pycontree", "pycontree", coarse=True)
def pycontree(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """ConTree reads float32 and takes values within 1e-7 of each other as equal."""
    ConTree = import_module("pycontree").ConTree
    _only(problem, "pycontree", splits="axis", max_splits=None, min_samples_leaf=1)

    def run() -> tuple[Any, bool]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = ConTree(
                max_depth=problem.max_depth,
                complexity_cost=problem.penalty,
                time_limit=seconds,
                **options,
            ).fit(X, y)
        return model, any("time limit" in str(warning.message) for warning in caught)

    def read(outcome: tuple[Any, bool]) -> Answer:
        model, late = outcome
        tree = _plain_contree(model.get_tree())
        objective = int((model.predict(X) != y).sum())
        if problem.penalty:
            objective += problem.penalty * len(y) * model.get_num_branching_nodes()
        return Answer(objective, "time_limit" if late else "optimal", tree)

    return Prepared(run, read)


def _plain_contree(tree: Any) -> PlainTree:
    if tree.is_leaf_node():
        return leaf(tree.get_label())
    below = _plain_contree(tree.get_left()), _plain_contree(tree.get_right())
    return node(tree.get_split_feature(), tree.get_split_threshold(), *below)


@solver("pystreed", "pystreed")
def pystreed(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """STreeD: binary features, by depth, by splits, or with a cost for every split."""
    STreeDClassifier = import_module("pystreed").STreeDClassifier
    _only(problem, "pystreed", splits="binary")
    bits, labels = X.astype(int), y.astype(int)
    arguments = {
        "optimization_task": "cost-complex-accuracy" if problem.penalty else "accuracy",
        "max_depth": problem.max_depth,
        "max_num_nodes": problem.max_splits,
        "min_leaf_node_size": problem.min_samples_leaf,
        "cost_complexity": problem.penalty,
        "time_limit": seconds,
        **options,
    }

    def read(model: Any) -> Answer:
        errors = int((model.predict(bits) != labels).sum())
        cost = _penalised(errors, model.get_n_leaves() - 1, problem, len(y))
        status = "optimal" if model.fit_result.is_optimal() else "time_limit"
        return Answer(cost, status, _plain_streed(model.get_tree()))

    return Prepared(lambda: STreeDClassifier(**arguments).fit(bits, labels), read)


def _plain_streed(tree: Any) -> PlainTree:
    if tree.is_leaf_node():
        return leaf(tree.label)
    return node(tree.feature, 0.5, _plain_streed(tree.left_child), _plain_streed(tree.right_child))


@solver("pystreed-regression", "pystreed")
def pystreed_regression(
    X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options
) -> Prepared:
    """STreeD on every threshold there is, listed as binary features: for binned data."""
    STreeDRegressor = import_module("pystreed").STreeDRegressor
    _only(problem, "pystreed-regression", task="regression", splits="axis", penalty=0.0)
    cuts, bits = _listed_cuts(X)
    arguments = {
        "optimization_task": "regression",
        "max_depth": problem.max_depth,
        "max_num_nodes": problem.max_splits,
        "min_leaf_node_size": problem.min_samples_leaf,
        "time_limit": seconds,
        **options,
    }

    def read(model: Any) -> Answer:
        status = "optimal" if model.fit_result.is_optimal() else "time_limit"
        # Its leaves may be rounded: their means are what its tree stands for.
        tree = with_means(_plain_cuts(model.get_tree(), cuts), X, y)
        return Answer(float(np.square(walk(tree, X) - y).sum()), status, tree)

    return Prepared(lambda: STreeDRegressor(**arguments).fit(bits, y), read)


def _listed_cuts(X: Matrix) -> tuple[list[tuple[int, float]], NDArray[np.int64]]:
    """Every threshold there is, and on which side of each the rows are."""
    cuts = [(j, t) for j in range(X.shape[1]) for t in sorted(set(X[:, j].tolist()))[:-1]]
    return cuts, np.stack([X[:, j] > t for j, t in cuts], axis=1).astype(np.int64)


def _plain_cuts(tree: Any, cuts: list[tuple[int, float]]) -> PlainTree:
    if tree.is_leaf_node():
        return leaf(0.0)
    feature, threshold = cuts[tree.feature]
    below = _plain_cuts(tree.left_child, cuts), _plain_cuts(tree.right_child, cuts)
    return node(feature, threshold, *below)


@solver("osrt", "osrt")
def osrt(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """OSRT on every threshold there is, listed as binary features: for binned data."""
    OSRT, pandas = import_module("osrt").OSRT, import_module("pandas")
    _only(problem, "osrt", task="regression", splits="axis", penalty=0.0, max_splits=None)
    _only(problem, "osrt", min_samples_leaf=1)
    cuts, bits = _listed_cuts(X)
    frame = pandas.DataFrame(bits, columns=[f"c{i}" for i in range(len(cuts))])
    arguments = {
        "regularization": 0.0,
        "allow_small_reg": True,
        "depth_budget": 0 if problem.max_depth is None else problem.max_depth + 1,
        "time_limit": max(1, round(seconds)),
        "worker_limit": 1,
        "metric": "L2",
        **options,
    }

    def read(model: Any) -> Answer:
        # Its losses are float32 and its leaves rounded: their means are what its tree stands for.
        tree = with_means(_plain_osrt(model.tree.source, cuts), X, y)
        cost = float(np.square(walk(tree, X) - y).sum())
        return Answer(cost, "time_limit" if model.timeout else "optimal", tree)

    return Prepared(lambda: OSRT(arguments).fit(frame, pandas.Series(y)), read)


def _plain_osrt(tree: dict[str, Any], cuts: list[tuple[int, float]]) -> PlainTree:
    if "feature" not in tree:
        return leaf(0.0)
    column, threshold = cuts[tree["feature"]]
    below, above = (_plain_osrt(tree[side], cuts) for side in ("false", "true"))
    return node(column, threshold, below, above)


@solver("pydl8.5", "pydl8.5")
def pydl85(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """DL8.5: binary features, by depth."""
    DL85Classifier = import_module("pydl85").DL85Classifier
    _only(problem, "pydl8.5", splits="binary", max_splits=None, penalty=0.0)
    bits, labels = X.astype(int), y.astype(int)
    arguments = {
        "max_depth": problem.max_depth,
        "min_sup": problem.min_samples_leaf,
        "time_limit": max(1, round(seconds)),
        **options,
    }

    def read(model: Any) -> Answer:
        status = "time_limit" if model.timeout_ else "optimal"
        return Answer(int(model.error_), status, _plain_dl85(model.tree_))

    return Prepared(lambda: DL85Classifier(**arguments).fit(bits, labels), read)


def _plain_dl85(tree: dict[str, Any]) -> PlainTree:
    if "feat" not in tree:
        return leaf(tree["value"])
    return node(tree["feat"], 0.5, _plain_dl85(tree["right"]), _plain_dl85(tree["left"]))


@solver("gosdt", "gosdt")
def gosdt(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """GOSDT: binary features with a penalty per leaf, of which a tree has one more than splits."""
    GOSDTClassifier = import_module("gosdt").GOSDTClassifier
    frame = import_module("pandas").DataFrame(X.astype(bool))
    _only(problem, "gosdt", splits="binary", max_splits=None, min_samples_leaf=1)
    arguments = {
        "regularization": problem.penalty,
        "allow_small_reg": True,
        "depth_budget": None if problem.max_depth is None else problem.max_depth + 1,
        "time_limit": max(1, round(seconds)),
        **options,
    }

    def read(model: Any) -> Answer:
        # Its objective is a float32; the leaves and the errors are whole numbers.
        leaves = str(model.result_.model).count('"prediction"')
        errors = round((model.result_.upperbound - problem.penalty * leaves) * len(y))
        late = "CONVERGED" not in str(model.result_.status).upper()
        cost = _penalised(errors, leaves - 1, problem, len(y))
        return Answer(cost, "time_limit" if late else "optimal")

    return Prepared(lambda: GOSDTClassifier(**arguments).fit(frame, y), read)


@solver("imodels", "imodels")
def imodels(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """FastSmallTree: a penalty per leaf, any columns, no depth; compiled outside the clock."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        FastSmallTree = import_module("imodels").FastSmallTreeClassifier
    _only(problem, "imodels", max_depth=None, max_splits=None, min_samples_leaf=1)
    arguments = {"regularization": problem.penalty, "time_limit": seconds, **options}

    def run(rows: Matrix = X, labels: Labels = y) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return FastSmallTree(**arguments).fit(rows, labels)

    def read(model: Any) -> Answer:
        per_leaf = len(y) * problem.penalty
        errors = round(len(y) * model.objective_ - per_leaf * model.n_leaves_)
        cost = _penalised(errors, model.n_leaves_ - 1, problem, len(y))
        # One leaf more than splits: its values are ours and one penalty.
        bound = min(cost, model.lowerbound_ * len(y) - per_leaf)
        return Answer(cost, "optimal" if model.optimal_ else "time_limit", lower_bound=bound)

    run(*_few_rows())
    return Prepared(run, read)


def _few_rows() -> tuple[Matrix, Labels]:
    """Rows to be solved before the clock starts, so that everything is compiled."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 6)).astype(np.float64)
    return X, (X[:, 0] + X[:, 1] * X[:, 2]).astype(np.int64) % 2


def _penalised(errors: int, splits: int, problem: Problem, rows: int) -> float | int:
    return errors + problem.penalty * rows * splits if problem.penalty else errors


@solver("milp", "scipy")
def mixed_integer(
    X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options
) -> Prepared:
    """HiGHS on a model of ours: hyperplanes and small integers, see mixed_integer.py."""
    TreeProgram = import_module("benchmarks.mixed_integer").TreeProgram
    _only(problem, "milp", splits="hyperplane", max_splits=None, penalty=0.0, min_samples_leaf=1)

    def read(found: Any) -> Answer:
        status = "optimal" if found.success else "time_limit"
        errors = len(y) if found.x is None else round(float(found.fun))
        return Answer(errors, status)

    return Prepared(lambda: TreeProgram.of(X, y, problem.max_depth).solve(seconds), read)


@solver("cart", "scikit-learn", exact=False)
def cart(X: Matrix, y: Labels, problem: Problem, seconds: float, options: Options) -> Prepared:
    """Greedy. Splits are made best first when their number is limited."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    _only(problem, "cart", penalty=0.0)
    greedy = DecisionTreeRegressor if problem.task == "regression" else DecisionTreeClassifier
    leaves = None if problem.max_splits is None else max(2, problem.max_splits + 1)
    arguments = {
        "max_depth": problem.max_depth,
        "max_leaf_nodes": leaves,
        "min_samples_leaf": problem.min_samples_leaf,
        "random_state": 0,
        **options,
    }

    def read(model: Any) -> Answer:
        # Counted through predict: scikit-learn compares float32 values with its thresholds.
        wrong = model.predict(X) - y
        regression = problem.task == "regression"
        return Answer(float((wrong**2).sum()) if regression else int((wrong != 0).sum()), "greedy")

    return Prepared(lambda: greedy(**arguments).fit(X, y), read)


def _only(problem: Problem, name: str, **wanted: object) -> None:
    """Refuse a problem that the solver cannot pose, rather than solve another one."""
    for key, value in wanted.items():
        if getattr(problem, key) != value:
            raise ValueError(f"{name} has no {key}={getattr(problem, key)!r}; only {value!r}")
