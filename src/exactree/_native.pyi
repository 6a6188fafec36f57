"""The native core of exactree: arrays in, arrays out."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def instruction_sets() -> list[str]:
    """
    List the instruction sets this processor can run, the fastest ("auto") last.
    """

def bitset_and(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], isa: str = 'auto') -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Intersect two packed bit sets: member i is bit i % 64 of word i // 64."""

def bitset_and_not(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], isa: str = 'auto') -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Take the members of b out of a."""

def bitset_count(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], isa: str = 'auto') -> int:
    """Count the members of a."""

def bitset_count_and(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], isa: str = 'auto') -> int:
    """Count the members that a and b have in common."""

def bitset_kth(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, isa: str = 'auto') -> int:
    """Return the k-th member of a in increasing order, counted from zero."""
