"""Refuses things that look like a table but are none, and says how to make one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy import sparse

from exactree.inputs import is_frame


def refuse_no_table(X: Any) -> None:
    """Refuse things that look like a table but are none, and say how to make one."""
    if sparse.issparse(X):  # some of them are dicts; as arrays they are refused as what they are
        return
    kind = type(X).__name__
    if isinstance(X, str | bytes):
        raise ValueError(f"X is text, {X[:40]!r}: read the file first, for example by pandas")
    if isinstance(X, Mapping) or (isinstance(X, list | tuple) and X and isinstance(X[0], Mapping)):
        what = "a dict" if isinstance(X, Mapping) else "a list of dicts"
        raise ValueError(f"X is {what}: pass a table, for example pandas.DataFrame(X)")
    if kind == "Series":
        raise ValueError("X is a Series, one column: pass a table, X.to_frame()")
    if kind == "LazyFrame":
        raise ValueError("X is a LazyFrame, which has no rows yet: pass X.collect()")
    if isinstance(X, list | tuple) and not len(X):
        raise ValueError("X is empty: 0 sample(s); a minimum of 1 is required")
    if hasattr(X, "column_names") and hasattr(X, "schema"):
        _refuse_arrow_text(X)
    if is_frame(X):
        _refuse_bad_names(X)


def _refuse_arrow_text(X: Any) -> None:
    """Refuse a table of pyarrow with other things than numbers, which NumPy would make objects."""
    types = {name: str(X.schema.field(j).type) for j, name in enumerate(X.column_names)}
    numbers = ("int", "uint", "float", "double", "halffloat", "bool")
    other = [f"{name!r} ({kind})" for name, kind in types.items() if not kind.startswith(numbers)]
    if other:
        raise ValueError(
            f"X is a table of pyarrow whose columns {', '.join(other)} hold no numbers: pass "
            "X.to_pandas() or polars.from_arrow(X), whose columns are read by their types"
        )


def _refuse_bad_names(frame: Any) -> None:
    """Refuse names that do not tell the columns apart, or have several levels."""
    names = list(frame.columns)
    if names and all(isinstance(name, tuple) for name in names):
        raise ValueError(
            f"the columns of X have names of several levels, such as {names[0]!r}: make one of "
            "them, for example X.columns = ['_'.join(map(str, c)) for c in X.columns]"
        )
    twice = (
        sorted({repr(name) for name in names if names.count(name) > 1}) if _repeats(names) else []
    )
    if twice:
        raise ValueError(f"X has several columns with the name {', '.join(twice)}: rename them")


def _repeats(names: list[Any]) -> bool:
    return len(set(names)) < len(names)
