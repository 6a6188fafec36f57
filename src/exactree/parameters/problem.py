"""Parameters that say what is asked: which trees compete, what a tree costs, how data are read."""

from typing import Annotated, Any, TypedDict

from exactree import values
from exactree.constraints import Constraint
from exactree.objectives import BalancedError, Objective
from exactree.objectives.ratios import Ratio
from exactree.parameters.declaration import Declared, Flag
from exactree.splits import Splits, as_family
from exactree.tables.reading import CATEGORIES, MISSING

TASKS = ("classification", "regression")


def read_constraint(name: str, value: Any) -> Constraint | None:
    """Take a constraint, or None.

    >>> read_constraint("constraint", "few rows")
    Traceback (most recent call last):
    ...
    ValueError: constraint='few rows' is no Constraint: derive one from exactree.Constraint
    """
    if value is not None and not isinstance(value, Constraint):
        raise ValueError(f"{name}={value!r} is no Constraint: derive one from exactree.Constraint")
    return value


class Task(TypedDict, total=False):
    """What kind of target there is."""

    task: Annotated[
        str,
        Declared(
            "classification",
            "str",
            '"classification" or "regression".',
            lambda name, value: values.read_choice(name, value, TASKS),
            Flag("predict classes (default) or numbers", {"choices": TASKS}),
        ),
    ]


class Trees(TypedDict, total=False):
    """Which trees compete."""

    splits: Annotated[
        Splits,
        Declared(
            "axis",
            "str, split family or list of these",
            'Which splits a tree may use: "axis" (thresholds on single columns), "binary" (columns '
            'of two values), "hyperplane", "sphere", "axis_quadric", "quadric" or '
            "`Polynomial(degree)` (all surfaces of that kind), a family of one's own, or a list of "
            "these, which are mixed.",
            lambda _, value: as_family(value),
        ),
    ]
    max_depth: Annotated[
        int | None,
        Declared(
            None,
            "int or None",
            "At most so many splits on a path; None: no limit.",
            values.read_budget,
            Flag("at most so many splits on a path", {"type": int, "metavar": "D"}),
        ),
    ]
    min_samples_leaf: Annotated[
        int,
        Declared(
            1,
            "int",
            "At least so many rows, whatever their weight, on each side of every split.",
            lambda name, value: values.read_count(name, value, 1),
            Flag(
                "at least so many rows on each side of a split (default 1)",
                {"type": int, "metavar": "N"},
            ),
        ),
    ]
    min_weight_fraction_leaf: Annotated[
        float,
        Declared(
            0.0,
            "float",
            "At least this share of the total weight on each side of every split.",
            values.read_share,
        ),
    ]


class MaxSplits(TypedDict, total=False):
    """How large a tree may be."""

    max_splits: Annotated[
        int | None,
        Declared(
            None,
            "int or None",
            "At most so many splits in all. Without a depth, either this or a penalty must be "
            "given.",
            values.read_budget,
            Flag("at most so many splits", {"type": int, "metavar": "K"}),
        ),
    ]


class Penalty(TypedDict, total=False):
    """What a split costs."""

    penalty: Annotated[
        float,
        Declared(
            0.0,
            "float",
            "Cost of a split as a share of the total weight: on the mean loss, this much a split.",
            values.read_penalty,
            Flag(
                "cost of a split as a share of the total weight (default 0)",
                {"type": float, "metavar": "P"},
            ),
        ),
    ]


class Constrained(TypedDict, total=False):
    """What the sides of a split have to keep to beside."""

    constraint: Annotated[
        Constraint | None,
        Declared(
            None,
            "Constraint or None",
            "A condition of one's own on both sides of every split (`docs/extending.md`). The "
            'engines "generic" and "brute_force" know it; "auto" takes the first.',
            read_constraint,
        ),
    ]


class Shape(TypedDict, total=False):
    """Which columns a tree may ask, and how its answers follow them."""

    monotonic_cst: Annotated[
        Any,
        Declared(
            None,
            "sequence, dict or None",
            "A direction for every column, or a dict of some by number or name: 1, every leaf left "
            "of a split of it predicts at most what every leaf right of it does; -1, at least; 0, "
            "no matter. For two classes and for the squared error.",
        ),
    ]
    interaction_cst: Annotated[
        Any,
        Declared(
            None,
            "list, str or None",
            "Groups of columns, by number or name: all that a path asks has to lie in one of them. "
            'Columns in none are one more group. "no_interactions" and "pairwise" as in '
            "scikit-learn.",
        ),
    ]
    max_features_used: Annotated[
        int | None,
        Declared(
            None,
            "int or None",
            "At most so many different columns in the whole tree.",
            values.read_budget,
        ),
    ]


class Loss(TypedDict, total=False):
    """What a leaf costs."""

    objective: Annotated[
        Objective | Ratio | BalancedError | str | None,
        Declared(
            None,
            "Objective, str or None",
            'The loss; None is "error", the weight of the misclassified rows, or "squared_error". '
            'Other names are "f1", "jaccard" and "balanced_error", "absolute_error" and "poisson"; '
            "or pass an Objective, or a ratio such as `FBeta(beta=2)`.",
        ),
    ]


class Costs(TypedDict, total=False):
    """What each answer costs for each row."""

    costs: Annotated[
        Any,
        Declared(
            None,
            "array, data frame or None",
            "What each answer (a column) costs for each row of X, in place of `y` and `objective`; "
            "finite, negative for a gain. Leaves answer with a column. `docs/objectives.md` says "
            "how exact this is.",
        ),
    ]


class SampleWeight(TypedDict, total=False):
    """What each row weighs."""

    sample_weight: Annotated[
        Any,
        Declared(
            None,
            "array or None",
            "Weight of each row; a row of weight 2 counts as two rows, one of weight 0 is left "
            "out.",
        ),
    ]


class ClassWeight(TypedDict, total=False):
    """What each class weighs."""

    class_weight: Annotated[
        Any,
        Declared(
            None,
            'dict, "balanced" or None',
            'Factor for the weights of each class; "balanced" gives all classes the same total.',
        ),
    ]


class Columns(TypedDict, total=False):
    """How the columns of X are read."""

    missing: Annotated[
        str,
        Declared(
            "split",
            "str",
            '"split": a missing value is an answer of its own, on either side of every threshold. '
            '"error": refuse missing values.',
            flag=Flag(
                "missing values are an answer of their own (default), or an error",
                {"choices": MISSING},
            ),
        ),
    ]
    categorical_features: Annotated[
        Any,
        Declared(
            "from_dtype",
            "str, list or None",
            'Which columns hold categories: "from_dtype" goes by the types of a data frame\'s '
            "columns; or names, numbers, or a truth for each column; None: none do.",
        ),
    ]
    categories: Annotated[
        str,
        Declared(
            "equality",
            "str",
            'How categories are asked for: "equality" (is it this one?), or "subset" (is it one of '
            "these?), for up to 10 categories a column.",
            flag=Flag(
                "ask for one category (default), or for any subset of up to 10",
                {"choices": CATEGORIES},
            ),
        ),
    ]
