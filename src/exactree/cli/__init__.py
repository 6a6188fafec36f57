"""The command line: exactree fit, predict, show, count, compare, demo."""

from exactree.cli.commands import main

__all__ = ["main"]
