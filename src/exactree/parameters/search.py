"""Parameters that say how it is searched for: when to stop, on what, and what else comes out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

from exactree import values
from exactree.parameters.declaration import Declared, Flag
from exactree.problem import OnProgress


class Limits(TypedDict, total=False):
    """When a search stops, and what it runs on."""

    time_limit: Annotated[
        float | None,
        Declared(
            None,
            "float or None",
            "Stop after so many seconds with the best tree so far; an estimator then gives a "
            "`ConvergenceWarning`.",
            values.read_seconds,
            Flag("stop then with the best tree so far", {"type": float, "metavar": "SECONDS"}),
        ),
    ]
    memory_limit: Annotated[
        int | None,
        Declared(
            None,
            "int or None",
            "Likewise at so many bytes. Without it a search keeps to three quarters of what is "
            "free.",
            values.read_bytes,
        ),
    ]
    gap_limit: Annotated[
        float,
        Declared(
            0.0,
            "float",
            "Stop when the objective is proved to be at most this share of itself above the "
            'optimum, with the status "gap_limit": 0.05 is five per cent.',
            values.read_gap,
            Flag(
                "stop when the tree is proved to be within this share of the optimum",
                {"type": float, "metavar": "SHARE"},
            ),
        ),
    ]
    gap_limit_absolute: Annotated[
        float,
        Declared(
            0.0,
            "float",
            "Likewise when objective and lower bound differ by at most this much.",
            values.read_gap,
        ),
    ]
    n_jobs: Annotated[
        int | None,
        Declared(
            1,
            "int or None",
            "Threads, as in joblib; the tree does not depend on it.",
            values.read_threads,
            Flag(
                "threads; -1 for all cores (default 1)",
                {"type": int, "metavar": "N"},
                name="--jobs",
            ),
        ),
    ]
    random_state: Annotated[
        int,
        Declared(
            0,
            "int",
            "Where the local search over surfaces takes its random choices from. The tree depends "
            "on it, not on `n_jobs`. With `time_limit` that search goes on to the end of it; "
            'without, it ends with the status "local" after 100 rounds in a row without a better '
            "tree (1000 where rows times terms are at most 2000).",
            values.read_seed,
        ),
    ]


class Workers(TypedDict, total=False):
    """Who else takes part in a native search, and where it is kept."""

    executor: Annotated[
        Any,
        Declared(
            None,
            "Executor, dask.distributed.Client or None",
            "Search on the workers of a `concurrent.futures.Executor`, such as "
            "`ProcessPoolExecutor()`, or of a Dask client, instead of threads. The tree does not "
            "depend on it. `memory_limit` then holds for every worker. None: those of `using`, if "
            "it is called within.",
        ),
    ]
    checkpoint: Annotated[
        str | Path | None,
        Declared(
            None,
            "str, Path or None",
            "Keep what is proved in this file, from one second to the next. The same call goes on "
            "where an earlier one ended, however it ended.",
        ),
    ]


class Start(TypedDict, total=False):
    """What the search begins with."""

    start: Annotated[
        Any,
        Declared(
            None,
            "tree, Result, estimator, path or None",
            "A tree to begin with: one of ours, a Result, a fitted estimator, a model file, or a "
            "fitted tree of scikit-learn. It must keep to the budgets; its leaves get the best "
            "answers for the data, and may be split further. It can only help: a search that is "
            "stopped is not worse, and the tree of a search that is complete does not depend on "
            "it.",
        ),
    ]


class Engine(TypedDict, total=False):
    """How a problem is solved."""

    engine: Annotated[
        str,
        Declared(
            "auto",
            "str",
            '"auto", "search" (native, objectives "error", "squared_error" and cost matrices of '
            'whole numbers), "generic" (any objective) or "brute_force" for the best tree of all; '
            '"size_rec", "size_vec" or "size_kperms" for the best combination of rules from a list '
            '(as `space` says). All are exact; "auto" is the fastest. "local" is not: it searches '
            'trees of surfaces and proves nothing beyond a simple bound; "auto" does the same '
            "where exact search is out of reach.",
        ),
    ]


class Progress(TypedDict, total=False):
    """What is told during a search."""

    on_progress: Annotated[
        OnProgress | None,
        Declared(
            None,
            "callable or None",
            "Called with a Progress every now and then. If it returns True, or raises "
            'StopIteration, the search ends with the best tree so far and the status "stopped". '
            'Ctrl-C ends it with the status "interrupted".',
            values.read_callback,
        ),
    ]


class Certificate(TypedDict, total=False):
    """What is written beside the result."""

    certificate: Annotated[
        str | Path | None,
        Declared(
            None,
            "str, Path or None",
            "Write a certificate of what is proved to this file, as `exactree.proof.certify` does.",
        ),
    ]


class Verbose(TypedDict, total=False):
    """What a search says while it runs."""

    verbose: Annotated[
        int,
        Declared(
            0,
            "int",
            "Above 0, write a table of the progress to the standard error stream: a line when "
            "something changed, at most one a second.",
        ),
    ]


class Choosing(TypedDict, total=False):
    """How cross-validation chooses a size."""

    families: Annotated[
        Any,
        Declared(
            None,
            "list or None",
            "Families of splits to choose among, the simplest first, each as `splits` takes it: "
            "the first whose best size has the least mean error. None: `splits` alone.",
        ),
    ]
    cv: Annotated[Any, Declared(5, "int, splitter or iterable", "The folds, as in scikit-learn.")]
    rule: Annotated[
        str,
        Declared(
            "one_standard_error",
            "str",
            '"one_standard_error", or "best" for the least mean error.',
        ),
    ]
    scoring: Annotated[
        Any,
        Declared(
            None,
            "str, callable or None",
            "A score to choose by instead of the loss, as in scikit-learn; errors are minus the "
            "score. Rows count by `sample_weight`, not by `class_weight`.",
        ),
    ]
    refit: Annotated[
        Any,
        Declared(
            True,
            "bool or callable",
            "False: choose a size only, and fit no tree to all rows. A function chooses the size "
            "itself: it gets `cv_results_` and returns the place of a size in it.",
        ),
    ]


class Names(TypedDict, total=False):
    """What a certificate calls the columns."""

    feature_names: Annotated[
        Sequence[str] | None,
        Declared(
            None,
            "sequence of str or None",
            "Names of the columns of X, where it has none itself: for those who check a table.",
        ),
    ]
    target: Annotated[str | None, Declared(None, "str or None", "The name of y, likewise.")]
