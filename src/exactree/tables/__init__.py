"""Tables as users have them: columns of numbers, categories and dates, with values missing."""

from exactree.tables.columns import Column, Kind, Table, Value, matrix_of, ordered_values
from exactree.tables.reading import Reading, checked, read_rows, read_training, simplest

__all__ = [
    "Column",
    "Kind",
    "Reading",
    "Table",
    "Value",
    "checked",
    "matrix_of",
    "ordered_values",
    "read_rows",
    "read_training",
    "simplest",
]
