"""How a parameter is declared, and what follows: signatures, docstrings, checks of names."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, TypeVar, get_args

from exactree.suggesting import did_you_mean

Taker = TypeVar("Taker")


def as_given(name: str, value: Any) -> Any:
    """Take a value as it is: it is checked where the data are known."""
    return value


@dataclass(frozen=True)
class Flag:
    """An option of the command line: its help, and what argparse needs beside."""

    help: str
    of: dict[str, Any] = field(default_factory=dict)
    name: str | None = None


@dataclass(frozen=True)
class Declared:
    """What is to be known of a parameter beside its type.

    Parameters
    ----------
    default : object
        The value if none is given.
    kind : str
        The type, as the documentation names it.
    words : str
        What it means.
    read : callable
        Takes name and value, and gives the value checked, or a ValueError with the remedy.
    flag : Flag or None
        The option of the command line.
    """

    default: Any
    kind: str
    words: str
    read: Callable[[str, Any], Any] = as_given
    flag: Flag | None = None


def declared(parameters: type) -> dict[str, tuple[Any, Declared]]:
    """Give the type and the declaration of every parameter, by name.

    >>> from typing import Annotated, TypedDict
    >>> class Parameters(TypedDict):
    ...     penalty: Annotated[float, Declared(0.0, "float", "Cost of a split.")]
    >>> declared(Parameters)["penalty"][1].words
    'Cost of a split.'
    """
    return {name: get_args(of)[:2] for name, of in parameters.__annotations__.items()}


def completed(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Give all parameters of a function that `takes` some; refuse unknown names.

    >>> def search(**parameters): return completed(search, parameters)
    >>> search.defaults = {"penalty": 0.0}
    >>> search(penality=2)
    Traceback (most recent call last):
    ...
    TypeError: search() got an unexpected keyword argument 'penality'; did you mean 'penalty'?
    """
    known: dict[str, Any] = function.defaults  # type: ignore[attr-defined]
    found = {**known, **given}
    if len(found) > len(known):
        name = next(name for name in given if name not in known)
        called = function.__qualname__.removesuffix(".__init__")
        raise TypeError(
            f"{called}() got an unexpected keyword argument {name!r}{did_you_mean(name, known)}"
        )
    return found


def takes(
    parameters: type, *, default: Mapping[str, Any] | None = None, **words: str
) -> Callable[[Taker], Taker]:
    """Give a function or an estimator the signature and the docstring of these parameters.

    `default` has defaults and `words` documentation that differ here from what is declared. The
    attribute `defaults` of the function, or of the estimator's constructor, then has them all.
    """
    of = declared(parameters)
    defaults = {name: one.default for name, (_, one) in of.items()} | dict(default or {})
    shown = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=t
        )
        for name, (t, _) in of.items()
    ]
    texts = [_entry(name, one, words.get(name, one.words)) for name, (_, one) in of.items()]

    def given(taker: Taker) -> Taker:
        function: Any = taker.__init__ if isinstance(taker, type) else taker  # type: ignore[misc]
        own = inspect.signature(function)
        kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        function.__signature__ = own.replace(parameters=[*kept, *shown])
        function.defaults = defaults
        taker.__doc__ = _documented(taker.__doc__ or "", texts)
        return taker

    return given


def _entry(name: str, of: Declared, words: str) -> str:
    """Write the entry of a parameter in a docstring."""
    return "\n".join([f"{name} : {of.kind}", *(f"    {line}" for line in wrap(words, 92))])


def _documented(doc: str, entries: Sequence[str]) -> str:
    """Put entries at the end of the section of parameters, which is made if there is none."""
    head, *sections = re.split(r"\n\n(?=\w+\n---)", inspect.cleandoc(doc))
    if not (sections and sections[0].startswith("Parameters\n")):
        sections.insert(0, "Parameters\n----------")
    sections[0] = "\n".join([sections[0], *entries])
    return "\n\n".join([head, *sections])
