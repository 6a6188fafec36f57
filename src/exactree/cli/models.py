"""Models as files: the tree with its names and its proof, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import exactree
from exactree import tree
from exactree.fields import read_list, read_number, read_record, read_text, read_whole, wrong
from exactree.problem import Result, Status
from exactree.splits import SurfaceSplit
from exactree.splits.moments import MomentSplit
from exactree.tables import Kind

VERSION = 2
# What every model has; a later exactree of the same version may write more.
FIELDS = (
    *("has_header", "task", "target", "features", "classes", "parameters", "status"),
    *("space", "objective", "lower_bound", "gap", "splits", "depth", "stats", "tree"),
)
# The columns that each kind of split can ask; another column would answer something else.
ASKED = {
    "axis": ("number",),
    "category": ("category", "boolean"),
    "subset": ("category", "boolean"),
    "ordered": ("ordered",),
    "moment": ("date", "duration"),
}


@dataclass(frozen=True)
class Model:
    """A result with the names it was fitted to."""

    result: Result
    target: str
    features: tuple[str, ...]
    parameters: dict[str, Any]
    has_header: bool = True

    @property
    def task(self) -> str:
        """What the tree predicts: "classification" if it has classes, else "regression"."""
        return "classification" if self.classes else "regression"

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order of the tree's numbers; none in regression."""
        return self.result.classes


def facts(model: Model) -> dict[str, Any]:
    """List what is known of a model but the tree itself."""
    result = model.result
    return {
        "task": model.task,
        "target": model.target,
        "features": list(model.features),
        "columns": None if result.columns is None else [k.to_dict() for k in result.columns],
        "classes": list(result.classes),
        "parameters": model.parameters,
        "status": result.status,
        "space": result.space,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "gap": result.gap,
        "splits": tree.size(result.tree),
        "depth": tree.depth(result.tree),
        "stats": dict(result.stats),
    }


def to_dict(model: Model) -> dict[str, Any]:
    """Turn a model into JSON-compatible data."""
    return {
        "format": "exactree.model",
        "version": VERSION,
        "exactree": exactree.__version__,
        "has_header": model.has_header,
        **facts(model),
        "tree": tree.to_dict(model.result.tree),
    }


def from_dict(data: Any) -> Model:
    """Undo `to_dict`; refuse what it would not have written, before anything is built of it."""
    if not isinstance(data, dict) or data.get("format") != "exactree.model":
        raise ValueError("this is no model: fit --out writes them")
    version = read_record(data, "the model", ("version",), more=True)["version"]
    if read_whole(version, "version", 1) > VERSION:
        raise ValueError(
            f"this is version {version} of the model format; this exactree reads up to "
            f"{VERSION}: update it"
        )
    read_record(data, "the model", FIELDS, more=True)
    features = tuple(read_text(f, "features") for f in read_list(data["features"], "features"))
    result = Result(
        status=read_text(data["status"], "status", get_args(Status)),  # type: ignore[arg-type]
        space=read_text(data["space"], "space"),
        objective=read_number(data["objective"], "objective"),
        lower_bound=read_number(data["lower_bound"], "lower_bound"),
        gap=read_number(data["gap"], "gap"),
        tree=tree.from_dict(data["tree"]),
        stats=dict(read_record(data["stats"], "stats", (), more=True)),
        classes=tuple(map(_class, read_list(data["classes"], "classes"))),
        feature_names=features,
        columns=_kinds(data.get("columns"), len(features)),
    )
    for name, value in result.stats.items():
        read_number(value, f"stats.{name}")
    task = "classification" if result.classes else "regression"
    read_text(data["task"], "task", (task,))
    for name, known in (("splits", tree.size(result.tree)), ("depth", tree.depth(result.tree))):
        if read_whole(data[name], name) != known:
            raise wrong(data[name], name, f"{known}, as the tree has it")
    _refuse_other_numbers(result, len(features))
    parameters = dict(read_record(data["parameters"], "parameters", (), more=True))
    if not isinstance(data["has_header"], bool):
        raise wrong(data["has_header"], "has_header", "true or false")
    target = read_text(data["target"], "target")
    return Model(result, target, features, parameters, data["has_header"])


def _class(value: Any) -> Any:
    """Take a class: text, a number, or true and false."""
    return value if isinstance(value, str | bool) else read_number(value, "classes")


def _refuse_other_numbers(result: Result, n_features: int) -> None:
    """Refuse a tree with columns or classes that the model does not have."""
    n_classes = len(result.classes)
    for number, node in enumerate(tree.nodes(result.tree)):
        where = f"node {number} of the tree"
        if isinstance(node, tree.Leaf):
            whole = isinstance(node.value, int) and 0 <= node.value < n_classes
            if n_classes and not whole:
                raise wrong(node.value, f"{where}: value", f"one of the {n_classes} classes")
            if len(node.weights) != max(n_classes, 1) or not sum(node.weights) > 0:
                wanted = "a weight for each class, or one in regression, above 0 in all"
                raise wrong(list(node.weights), f"{where}: weights", wanted)
            continue
        used = max(node.split.features(), default=-1)
        columns = node.split.columns if isinstance(node.split, SurfaceSplit) else n_features
        if used >= n_features or columns != n_features:
            asked = columns if columns != n_features else used
            raise wrong(asked, f"{where}: column", f"one of the {n_features} features")
        _refuse_other_kind(node.split, result.columns, where)


def _refuse_other_kind(split: tree.Split, columns: tuple[Kind, ...] | None, where: str) -> None:
    """Refuse a question that is not for what its column holds."""
    if split.kind not in ASKED:
        return
    kind = Kind() if columns is None else columns[split.features()[0]]
    if kind.name not in ASKED[split.kind]:
        raise wrong(split.kind, f"{where}: split", f"one for a column of kind {kind.name!r}")
    if isinstance(split, MomentSplit) and (split.holds, split.unit) != (kind.name, kind.unit):
        counted = f"{kind.name!r} in {kind.unit!r}, as the column is"
        raise wrong((split.holds, split.unit), f"{where}: split", counted)


def _kinds(listed: Any, count: int) -> tuple[Kind, ...] | None:
    """Read what the columns hold; a file of version 1 has only numbers."""
    if listed is None:
        return None
    return tuple(map(Kind.from_dict, read_list(listed, "columns", count)))


def write_model(model: Model, path: str) -> None:
    """Write a model to a file."""
    Path(path).write_text(json.dumps(to_dict(model), indent=1) + "\n", encoding="utf-8")


def read_model(path: str) -> Model:
    """Read a model from a file, or say what is wrong with it, whatever its bytes are."""
    try:
        return from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path}: line {error.lineno}: not JSON: {error.msg}; a model is what "
            "exactree fit --out writes"
        ) from None
    except RecursionError:
        raise ValueError(f"{path}: nested too deeply to be a model") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}: {error.reason}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
