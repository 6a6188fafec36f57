"""Models as files: the tree with its names and its proof, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import exactree
from exactree import tree
from exactree.problem import Result
from exactree.tables import Kind

VERSION = 2


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
    """Undo `to_dict`."""
    if not isinstance(data, dict) or data.get("format") != "exactree.model":
        raise ValueError("this is no model: fit --out writes them")
    if not 1 <= data["version"] <= VERSION:
        raise ValueError(
            f"this is version {data['version']} of the model format; this exactree reads up to "
            f"{VERSION}: update it"
        )
    result = Result(
        status=data["status"],
        space=data["space"],
        objective=data["objective"],
        lower_bound=data["lower_bound"],
        gap=data["gap"],
        tree=tree.from_dict(data["tree"]),
        stats=data["stats"],
        classes=tuple(data["classes"]),
        feature_names=tuple(data["features"]),
        columns=_kinds(data.get("columns"), len(data["features"])),
    )
    features = tuple(data["features"])
    return Model(result, data["target"], features, data["parameters"], data["has_header"])


def _kinds(listed: Any, count: int) -> tuple[Kind, ...] | None:
    """Read what the columns hold; a file of version 1 has only numbers."""
    if listed is None:
        return None
    if len(listed) != count:
        raise ValueError(f"{len(listed)} columns are described, and there are {count} features")
    return tuple(map(Kind.from_dict, listed))


def write_model(model: Model, path: str) -> None:
    """Write a model to a file."""
    Path(path).write_text(json.dumps(to_dict(model), indent=1) + "\n", encoding="utf-8")


def read_model(path: str) -> Model:
    """Read a model from a file, or say what is wrong with it."""
    text = Path(path).read_text(encoding="utf-8")
    try:
        return from_dict(json.loads(text))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: line {error.lineno}: not JSON: {error.msg}") from None
    except KeyError as error:
        raise ValueError(f"{path}: this is no model: {error} is missing") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None
